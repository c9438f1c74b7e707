"""Schemas kept by name across projects: kept, replaced, renamed, deleted."""

from pathlib import Path

import pytest
from hypothesis import given

from r3con_core.errors import StoreError
from r3con_core.saved_schemas import FILE, delete_schema, keep_schema, rename_schema, saved_schemas
from r3con_core.schemas import Field, RecordType, Scalar, Schema
from tests.strategies import schemas


def schema(name: str) -> Schema:
    return Schema(
        record_types=(RecordType(name=name, meaning="", fields=(Field(name="a", meaning="", kind=Scalar()),)),)
    )


def names(home: Path) -> list[str]:
    return [one.name for one in saved_schemas(home)]


def test_a_schema_is_kept_by_name_and_another_of_that_name_takes_its_place(tmp_path: Path) -> None:
    assert saved_schemas(tmp_path) == ()
    keep_schema(tmp_path, "  Payments  of 1931 ", schema("Payment"))
    keep_schema(tmp_path, "landings", schema("Landing"))
    keep_schema(tmp_path, "Payments of 1931", schema("Transfer"))
    assert names(tmp_path) == ["landings", "Payments of 1931"]
    assert saved_schemas(tmp_path)[1].schema == schema("Transfer")


def test_a_kept_schema_can_be_renamed_and_deleted(tmp_path: Path) -> None:
    keep_schema(tmp_path, "one", schema("A"))
    keep_schema(tmp_path, "two", schema("B"))
    rename_schema(tmp_path, "one", "three")
    assert names(tmp_path) == ["three", "two"]
    with pytest.raises(StoreError, match="called 'two' already"):
        rename_schema(tmp_path, "three", "two")
    delete_schema(tmp_path, "two")
    assert names(tmp_path) == ["three"]
    with pytest.raises(StoreError, match="No schema is kept"):
        delete_schema(tmp_path, "two")


@pytest.mark.parametrize(("name", "fault"), [(" ", "a name"), ("x" * 81, "80 characters")])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str, fault: str) -> None:
    with pytest.raises(StoreError, match=fault):
        keep_schema(tmp_path, name, schema("A"))


def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{", "utf-8")
    with pytest.raises(StoreError, match=FILE):
        keep_schema(tmp_path, "one", schema("A"))
    assert (tmp_path / FILE).read_text("utf-8") == "{"


@given(schemas())
def test_any_schema_comes_back_as_it_was_kept(tmp_path_factory: pytest.TempPathFactory, kept: Schema) -> None:
    home = tmp_path_factory.mktemp("home")
    keep_schema(home, "one", kept)
    assert saved_schemas(home)[0].schema == kept

"""A schema is valid from birth, and any list of edits leaves a valid schema or an error that says where."""

import ast
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.errors import SchemaError
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Move,
    Nest,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
    edit_all,
    edit_schema,
    find,
)
from r3con_core.schema.files import pydantic_source
from r3con_core.schema.views import json_schema, outline
from r3con_core.schemas import Choice, Field, Group, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from tests.strategies import kinds, names, schemas, type_names, words

TEXT = Scalar()


def field(name: str, kind: object = TEXT) -> Field:
    return Field(name=name, meaning="", kind=kind)  # type: ignore[arg-type]


def landing_and_launch() -> Schema:
    return Schema(
        record_types=(
            RecordType(
                name="Landing",
                meaning="one landing",
                fields=(
                    field("what"),
                    field("launch", Reference(record_type="Launch")),
                    field(
                        "goods",
                        ListOf(item=Group(fields=(field("kind"), field("cases", Scalar(of=ScalarType.INTEGER))))),
                    ),
                ),
            ),
            RecordType(name="Launch", meaning="one launch", fields=(field("name"), field("owner"))),
        )
    )


@pytest.mark.parametrize(
    ("record_types", "said"),
    [
        ((), "at least one record type"),
        ((RecordType(name="A", meaning="", fields=()),), "at least one field"),
        ((RecordType(name="A b", meaning="", fields=(field("x"),)),), "cannot be a name"),
        ((RecordType(name="A", meaning="", fields=(field("x"), field("X"))),), "used twice"),
        ((RecordType(name="A", meaning="", fields=(field("quotes"),)),), "every record has"),
        ((RecordType(name="A", meaning="", fields=(field("class"),)),), "cannot be a name"),
        (
            (RecordType(name="A", meaning="", fields=(field("x"), field("y", Reference(record_type="B")))),),
            "not a record type",
        ),
        ((RecordType(name="A", meaning="", fields=(field("x"), field("y", Choice(options=("one",))))),), "two options"),
        ((RecordType(name="A", meaning="", fields=(field("x", ListOf(item=TEXT)),)),), "first field names the record"),
    ],
)
def test_an_invalid_schema_cannot_be_made(record_types: tuple[RecordType, ...], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        Schema(record_types=record_types)


def test_renaming_a_record_type_renames_the_references_to_it() -> None:
    schema = edit_schema(landing_and_launch(), Rename(path=("Launch",), name="Boat"))
    assert find(schema, ("Landing", "launch")).kind == Reference(record_type="Boat")  # type: ignore[union-attr]


def test_a_record_type_that_is_referred_to_cannot_be_removed() -> None:
    with pytest.raises(SchemaError, match=r"Landing\.launch refers to it"):
        edit_schema(landing_and_launch(), Remove(path=("Launch",)))


def test_fields_inside_a_list_of_groups_can_be_edited() -> None:
    edits: list[SchemaEdit] = [
        Rename(path=("Landing", "goods", "cases"), name="number"),
        AddField(parent=("Landing", "goods"), field=field("weight")),
        Move(path=("Landing", "goods", "weight"), index=0),
        Remove(path=("Landing", "goods", "kind")),
    ]
    goods = find(edit_all(landing_and_launch(), edits), ("Landing", "goods"))
    assert goods.kind == ListOf(  # type: ignore[union-attr]
        item=Group(fields=(field("weight"), field("number", Scalar(of=ScalarType.INTEGER))))
    )


def test_a_field_can_be_put_into_a_group() -> None:
    schema = edit_schema(landing_and_launch(), Nest(path=("Launch", "owner"), parent=("Landing", "goods")))
    assert [f.name for f in schema.get("Launch").fields] == ["name"]
    assert find(schema, ("Landing", "goods", "owner")) == field("owner")


def test_a_field_cannot_be_put_into_itself() -> None:
    with pytest.raises(SchemaError, match="inside itself"):
        edit_schema(landing_and_launch(), Nest(path=("Landing", "goods"), parent=("Landing", "goods")))


paths = st.lists(type_names | names | st.just("label"), min_size=0, max_size=3).map(tuple)
edits: st.SearchStrategy[SchemaEdit] = st.one_of(
    st.builds(AddRecordType, record_type=schemas().map(lambda s: s.record_types[0])),
    st.builds(AddField, parent=paths, field=st.builds(Field, name=names, meaning=words, kind=kinds(1))),
    st.builds(Rename, path=paths, name=names | type_names | words),
    st.builds(Describe, path=paths, meaning=words),
    st.builds(Retype, path=paths, kind=kinds(1) | type_names.map(lambda name: Reference(record_type=name))),
    st.builds(Move, path=paths, index=st.integers(-3, 9)),
    st.builds(Nest, path=paths, parent=paths),
    st.builds(Remove, path=paths),
)


@given(schemas(), st.lists(edits, max_size=6))
def test_any_list_of_edits_leaves_a_valid_schema_or_an_error(schema: Schema, many: list[SchemaEdit]) -> None:
    for edit in many:
        try:
            schema = edit_schema(schema, edit)
        except SchemaError as error:
            assert error.fault
        assert Schema(record_types=schema.record_types) == schema


@given(schemas())
def test_every_schema_renders_to_a_portable_json_schema(schema: Schema) -> None:
    shape = json_schema(schema)
    jsonschema.Draft202012Validator.check_schema(shape)
    empty: dict[str, list[object]] = {t.name: [] for t in schema.record_types}
    jsonschema.validate(empty, shape)
    text = json.dumps(shape)
    assert not any(f'"{word}"' in text for word in ("pattern", "format", "$ref", "minimum", "maxLength"))


@given(schemas())
def test_every_schema_renders_to_python_that_parses(schema: Schema) -> None:
    tree = ast.parse(pydantic_source(schema))
    assert isinstance(tree.body[-1], ast.ClassDef)
    assert tree.body[-1].name == "Parse"


def test_a_meaning_cannot_begin_a_line_of_the_outline() -> None:
    asked = Field(name="a", meaning="x\n  - b (text)", kind=Choice(options=("p\nq", "r")))
    fields = (field("what"), asked)
    outlined = outline(Schema(record_types=(RecordType(name="T", meaning="t\n\nU: u", fields=fields),)))
    assert outlined.splitlines() == ["T: t U: u", "  - what (text)", "  - a (one of: p q, r): x - b (text)"]


def test_the_outline_names_every_field() -> None:
    assert outline(landing_and_launch()) == (
        "Landing: one landing\n  - what (text)\n  - launch (refers to Launch)\n  - goods (list of group)\n"
        "    - kind (text)\n    - cases (integer)\n\nLaunch: one launch\n  - name (text)\n  - owner (text)"
    )

"""A schema from somebody's text: JSON Schema and Pydantic source, ours and others', honest and hostile."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.errors import SchemaError
from r3con_core.schema.files import json_schema_file, pydantic_source
from r3con_core.schema.found import Found
from r3con_core.schema.sources import read_schema, read_schema_file
from r3con_core.schema.views import outline
from r3con_core.schemas import Schema
from r3con_core.store.codec import dump
from tests.strategies import schemas


@given(schemas())
def test_our_json_schema_read_back_is_the_same_schema(schema: Schema) -> None:
    text = json.dumps(json_schema_file(schema), ensure_ascii=False)
    assert read_schema(text) == Found(schema=schema, adjustments=())


@given(schemas())
def test_our_pydantic_source_read_back_is_the_same_schema(schema: Schema) -> None:
    assert read_schema(pydantic_source(schema)) == Found(schema=schema, adjustments=())


@given(schemas())
def test_a_schema_as_it_is_exported_is_read_as_it_was(schema: Schema) -> None:
    assert read_schema(dump(schema, Schema)) == Found(schema=schema, adjustments=())


@pytest.mark.parametrize("text", ['{"record_types": [{"name": 1}]}', '{"record_types": [{}', '{"record_types": []}'])
def test_an_export_that_was_spoilt_is_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        read_schema(text)


@given(schemas())
def test_our_pydantic_source_is_python(schema: Schema) -> None:
    compile(pydantic_source(schema), "schema.py", "exec")


def read(value: Any) -> Found:
    return read_schema(json.dumps(value))


def test_an_object_is_one_record_type_and_its_parts_become_what_is_like_them() -> None:
    found = read(
        {
            "title": "Payment",
            "description": "one payment",
            "type": "object",
            "properties": {
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                "payee": {"type": "string", "description": "who gets it"},
                "amount": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "due": {"type": "string", "format": "date"},
                "paid": {"type": "boolean"},
                "state": {"enum": ["open", "closed", None]},
                "tags": {"type": ["array"], "items": {"type": "string"}},
                "bank": {"$ref": "#/$defs/Bank"},
            },
            "$defs": {
                "Line": {"type": "object", "properties": {"what": {"type": "string"}, "pieces": {"type": "integer"}}},
                "Bank": {"type": "object", "properties": {"name": {"type": "string"}}},
            },
        }
    )
    assert outline(found.schema).splitlines() == [
        "Payment: one payment",
        "  - payee (text): who gets it",
        "  - lines (list of group)",
        "    - what (text)",
        "    - pieces (integer)",
        "  - amount (number)",
        "  - due (date)",
        "  - paid (yes-no)",
        "  - state (one of: open, closed)",
        "  - tags (list of text)",
        "  - bank (group)",
        "    - name (text)",
    ]
    assert found.adjustments == ("Payment.payee: came first, since the first field names a record.",)


def test_lists_of_objects_are_record_types_and_names_are_made_usable() -> None:
    thing = {"type": "object", "properties": {"full name": {"type": "string"}, "class": {"type": "string"}}}
    found = read({"properties": {"people of note": {"type": "array", "items": thing}}})
    assert outline(found.schema) == "PeopleOfNote: \n  - full_name (text)\n  - class_ (text)"
    assert "people of note.full name: is called full_name here." in found.adjustments


def test_definitions_alone_are_record_types() -> None:
    thing = {"type": "object", "properties": {"name": {"type": "string"}}}
    assert [t.name for t in read({"$defs": {"Ship": thing, "Port": thing}}).schema.record_types] == ["Ship", "Port"]


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({"x": {"type": ["string", "integer"]}}, "T.x: string or integer, which has no like here, became text."),
        ({"x": {}}, "T.x: what has no type, which has no like here, became text."),
        ({"x": {"type": "array"}}, "T.x: a list of anything became text."),
        ({"x": {"enum": ["one"]}}, "T.x: a choice of 1 words became text."),
        ({"x": {"type": "string", "x-refers-to": "Y"}}, "T.x: a reference to no record type became text."),
        (
            {"x": {"type": "string"}, "certainly": {"type": "string"}, "record": {"type": "string"}},
            "T.record: left out",
        ),
    ],
)
def test_what_has_no_like_here_becomes_text_and_is_told(properties: dict[str, Any], told: str) -> None:
    found = read({"title": "T", "properties": {"a": {"type": "string"}, **properties}})
    assert any(line.startswith(told) for line in found.adjustments), found.adjustments


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("  ", "there is nothing here"),
        ('{"properties": }', "line 1, column 16: this is not JSON"),
        ("[1]", "an object in braces"),
        ('{"type": "object"}', "no record type was found"),
        (
            '{"properties": {"a": {"$ref": "https://example.org/x"}}}',
            "a: it refers to 'https://example.org/x', outside",
        ),
        ('{"properties": {"a": {"$ref": "#/nowhere"}}}', "a: it refers to '#/nowhere', which is not there"),
        (
            '{"properties": {"a": {"$ref": "#/properties/a"}}}',
            "a: its references lead from one to the next without end",
        ),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 50_000, "nested too deep"),
        ("x = (", "line 1: this is not Python"),
        ("class A:\n    def f(self): pass\n", "no class with annotated fields"),
        ("class A:\n    x: int\n  y", "line 3: this is not Python"),
        ("a" * 500_000, "500,000 characters long"),
        ("class A:\n    x: " + "(" * 5000 + "int" + ")" * 5000, "Python"),
        ('{"properties": {"a": {"enum": [' + "9" * 5000 + "]}}}", "too many digits"),
        ('{"record_types": [' + "9" * 5000 + "]}", "too many digits"),
        ('{"properties": {"a": {"type": "string", "description": "\\ud800"}}}', "half of a letter"),
        ("class A:\n    a: str = Field(description='\\ud800')\n", "half of a letter"),
    ],
)
def test_what_cannot_be_a_schema_is_refused_with_its_place(text: str, fault: str) -> None:
    with pytest.raises(SchemaError) as refused:
        read_schema(text)
    assert fault in str(refused.value)


def test_definitions_that_hold_each_other_many_times_over_are_refused() -> None:
    many = {f"f{n}": {"$ref": "#/$defs/A"} for n in range(60)}
    with pytest.raises(SchemaError, match="more than 600 fields"):
        read({"title": "T", "properties": {"a": {"type": "string"}, **many}, "$defs": {"A": {"properties": many}}})


def test_classes_that_inherit_each_other_many_times_over_are_read_once() -> None:
    pairs = (
        f"class A{n}(A{n + 1}, B{n + 1}):\n    x{n}: str\nclass B{n}(A{n + 1}, B{n + 1}):\n    y: str\n"
        for n in range(60)
    )
    found = read_schema("".join(pairs))
    assert [t.name for t in found.schema.record_types] == ["A0", "B0"]
    assert len(found.schema.record_types[0].fields) == 61


def test_types_of_no_types_become_text() -> None:
    found = read_schema("class A:\n    a: Literal[()]\n    b: list[()]\n    c: 'Optional[()]'\n")
    assert outline(found.schema).splitlines() == ["A: ", "  - a (text)", "  - b (text)", "  - c (text)"]


def test_names_longer_than_a_files_may_be_are_cut_and_told() -> None:
    found = read({"title": "T" * 5000, "properties": {"a" * 5000: {"type": "string"}}})
    (record_type,) = found.schema.record_types
    assert (record_type.name, record_type.label) == ("T" * 80, "a" * 80)
    assert len(found.adjustments) == 2


def test_a_file_that_is_no_text_is_refused() -> None:
    with pytest.raises(SchemaError, match="not text in UTF-8"):
        read_schema_file(b"\xff\xfe\x00")
    assert read_schema_file(b'\xef\xbb\xbf{"properties": {"a": {"type": "string"}}}').schema.record_types


SOURCE = '''
"""Models of an inquiry."""
from __future__ import annotations
import enum
from datetime import date
from typing import Annotated, Literal, Optional
from pydantic import BaseModel, Field

os.system("rm -rf /")


class State(str, enum.Enum):
    OPEN = "open"
    CLOSED = "closed"


class Dated(BaseModel):
    on: Optional[date] = None


class Bank(BaseModel):
    """Where an account is
    kept."""

    name: str
    branch: "str | None" = Field(None, description="its " "branch")


class Payment(Dated):
    """One payment."""

    _seen: int = 0
    count: int
    amount: Annotated[Decimal | None, Field(description="in euros")] = None
    payee: Optional[Person] = None
    state: State
    how: Literal["cash", "cheque"] | None
    banks: List[Bank] = []
    notes: list[list[str]]
    extra: dict[str, int]
    big: bool


class Person(BaseModel):
    name: str
    parent: Person | None = None
'''


def test_classes_become_record_types_groups_choices_and_references() -> None:
    found = read_schema(SOURCE)
    assert outline(found.schema).splitlines() == [
        "Payment: One payment.",
        "  - on (date)",
        "  - count (integer)",
        "  - amount (number): in euros",
        "  - payee (group)",
        "    - name (text)",
        "    - parent (text)",
        "  - state (one of: open, closed)",
        "  - how (one of: cash, cheque)",
        "  - banks (list of group): Where an account is kept.",
        "    - name (text)",
        "    - branch (text): its branch",
        "  - notes (list of text)",
        "  - extra (text)",
        "  - big (yes-no)",
    ]
    assert found.adjustments == (
        "Payment.payee.parent: Person within itself became text.",
        "Payment.notes: a list of lists became text.",
        "Payment.extra (line 40): dict[str, int] became text.",
    )


def test_a_class_that_names_itself_refers_to_its_records() -> None:
    found = read_schema("class Person:\n    name: str\n    parent: 'Person'\n    children: list['Person']\n")
    assert outline(found.schema).splitlines() == [
        "Person: ",
        "  - name (text)",
        "  - parent (refers to Person)",
        "  - children (list of refers to Person)",
    ]


def test_nothing_of_a_source_is_executed(tmp_path: Any) -> None:
    trap = tmp_path / "trap"
    read_schema(f"open({str(trap)!r}, 'w')\nclass A:\n    x: (open({str(trap)!r}, 'w') or str)\n    y: str\n")
    assert not trap.exists()


@given(st.text(max_size=200))
def test_any_text_gives_a_schema_or_says_why_not(text: str) -> None:
    try:
        found = read_schema(text)
    except SchemaError as error:
        assert str(error)
    else:
        assert found.schema.record_types


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from(["string", "object", "array", "#", "#/$defs/A", "null"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "properties",
                        "items",
                        "$ref",
                        "$defs",
                        "A",
                        "enum",
                        "anyOf",
                        "oneOf",
                        "const",
                        "title",
                        "x-refers-to",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=25,
    )
)
def test_any_json_gives_a_schema_or_says_why_not(value: Any) -> None:
    try:
        found = read({"properties": {"a": {"type": "string"}, "b": value}, "$defs": {"A": value}})
    except SchemaError as error:
        assert str(error)
    else:
        assert found.schema.record_types

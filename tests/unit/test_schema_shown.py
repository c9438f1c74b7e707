"""What the screen draws of a schema: the columns of the diagram, the difference of two versions, kinds in words."""

import pytest

from pages.widgets.schema.words import (
    CHOICE,
    GROUP,
    REFERENCE,
    KindChoice,
    choice_of,
    edit_in_words,
    fault_in_words,
    kind_of,
    lost_by,
)
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
    edit_schema,
)
from r3con_core.schema.views import diagram_columns, outline_difference
from r3con_core.schemas import (
    Choice,
    Field,
    Group,
    Kind,
    ListOf,
    RecordType,
    Reference,
    Scalar,
    ScalarType,
    Schema,
)

WHAT = Field(name="what", meaning="in a few words", kind=Scalar())


def refers(*targets: str) -> tuple[Field, ...]:
    return tuple(Field(name=f"to_{t.lower()}", meaning="", kind=Reference(record_type=t)) for t in targets)


def schema_of(**fields: tuple[Field, ...]) -> Schema:
    return Schema(record_types=tuple(RecordType(name=n, meaning="", fields=(WHAT, *f)) for n, f in fields.items()))


@pytest.mark.parametrize(
    ("schema", "columns"),
    [
        (schema_of(A=()), (("A",),)),
        (schema_of(A=refers("A")), (("A",),)),
        (schema_of(A=refers("B"), B=()), (("A",), ("B",))),
        (schema_of(B=(), A=refers("B")), (("A",), ("B",))),
        (schema_of(A=refers("B", "C"), B=refers("C"), C=()), (("A",), ("B",), ("C",))),
        (schema_of(A=refers("B"), B=refers("A")), (("A",), ("B",))),
        (schema_of(A=refers("B"), B=refers("C"), C=refers("A")), (("A",), ("B",), ("C",))),
        (schema_of(A=(), B=(), C=(), D=()), (("A", "D"), ("B",), ("C",))),
        (schema_of(A=refers("B"), B=(), C=()), (("A",), ("B",), ("C",))),
    ],
)
def test_record_types_stand_right_of_those_that_refer_to_them(
    schema: Schema, columns: tuple[tuple[str, ...], ...]
) -> None:
    assert diagram_columns(schema) == columns


def test_references_inside_groups_and_lists_count_too() -> None:
    inner = Group(fields=(Field(name="who", meaning="", kind=ListOf(item=Reference(record_type="B"))),))
    schema = schema_of(B=(), A=(Field(name="parts", meaning="", kind=ListOf(item=inner)),))
    assert diagram_columns(schema) == (("A",), ("B",))


def test_the_difference_of_two_versions_is_that_of_their_outlines() -> None:
    before = schema_of(A=(), B=())
    after = edit_schema(before, Rename(path=("B", "what"), name="which"))
    assert outline_difference(before, after).splitlines() == [
        "  B:",
        "-   - what (text): in a few words",
        "+   - which (text): in a few words",
    ]
    assert outline_difference(before, before) == ""


FIELD = Field(name="street", meaning="", kind=Scalar())


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        (Scalar(of=ScalarType.YES_NO), KindChoice(kind="yes-no")),
        (ListOf(item=Scalar()), KindChoice(kind="text", many=True)),
        (Choice(options=("a", "b c")), KindChoice(kind=CHOICE, options="a\nb c")),
        (ListOf(item=Reference(record_type="B")), KindChoice(kind=REFERENCE, many=True, target="B")),
        (Group(fields=(FIELD,)), KindChoice(kind=GROUP)),
    ],
)
def test_a_kind_survives_being_filled_in(kind: Kind, choice: KindChoice) -> None:
    assert choice_of(kind) == choice
    assert kind_of(choice, kept=(FIELD,)) == kind


def test_a_new_group_gets_its_first_field_and_needs_one() -> None:
    assert kind_of(KindChoice(kind=GROUP, first=" street ")) == Group(fields=(FIELD,))
    with pytest.raises(SchemaError, match="first field"):
        kind_of(KindChoice(kind=GROUP))


def test_only_a_group_that_becomes_something_else_loses_fields() -> None:
    group = ListOf(item=Group(fields=(FIELD,)))
    assert (lost_by(group, "text"), lost_by(group, GROUP), lost_by(Scalar(), GROUP)) == (1, 0, 0)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (AddRecordType(record_type=RecordType(name="A", meaning="", fields=(WHAT,))), "Added the record type A"),
        (AddField(parent=("A", "g"), field=FIELD), "Added A.g.street (text)"),
        (Rename(path=("A",), name="B"), "Renamed A to B"),
        (Describe(path=("A", "what"), meaning="x"), "Described A.what anew"),
        (Retype(path=("A", "n"), kind=ListOf(item=Scalar(of=ScalarType.INTEGER))), "Made A.n: list of whole number"),
        (Move(path=("A", "n"), index=0), "Moved A.n to place 1"),
        (Nest(path=("A", "n"), parent=("A", "g")), "Put A.n into A.g"),
        (Remove(path=("A", "n")), "Removed A.n"),
    ],
)
def test_the_history_says_what_was_done(edit: SchemaEdit, words: str) -> None:
    assert edit_in_words(edit) == words


def test_a_fault_says_where_it_is_only_when_it_is_elsewhere() -> None:
    error = SchemaError("needs at least one field", ("A", "g"))
    assert fault_in_words(error, ("A", "g")) == "Needs at least one field. Nothing has been changed."
    assert fault_in_words(error, ("A",)) == "A.g: needs at least one field. Nothing has been changed."

"""What a changed schema means for records: what is carried over, what is asked again of which documents."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from r3con_core.evidence import Ungrounded
from r3con_core.records import Record, Value
from r3con_core.schema.changes import carry_record, needs_of, types_to_ask
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Explain,
    Move,
    Nest,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
    edit_schema,
)
from r3con_core.schema.history import (
    Changed,
    Difference,
    SchemaChange,
    Step,
    change_between,
    change_by_names,
    differences,
    places,
)
from r3con_core.schema.views import json_schema
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from tests.schema_strategies import histories, records_of
from tests.strategies import schemas

TEXT = Scalar()


def field(name: str, kind: Kind = TEXT, meaning: str = "") -> Field:
    return Field(name=name, meaning=meaning, kind=kind)


PAYMENT = RecordType(
    name="Payment",
    meaning="one payment",
    fields=(
        field("what"),
        field("amount", Scalar(of=ScalarType.INTEGER)),
        field("state"),
        field("to", Reference(record_type="Person")),
        field("bank", Group(fields=(field("name"), field("town")))),
        field("parts", ListOf(item=Group(fields=(field("sum", Scalar(of=ScalarType.NUMBER)), field("note"))))),
    ),
)
PERSON = RecordType(name="Person", meaning="one person", fields=(field("name"), field("role")))
SCHEMA = Schema(record_types=(PAYMENT, PERSON))
PAID = Record(
    id="rec-1",
    type="Payment",
    document_id="doc-1",
    values={
        "what": "rent",
        "amount": 12,
        "state": "paid",
        "to": "Quill",
        "bank": {"name": "Lloyds", "town": "Skerrow"},
        "parts": [{"sum": 5, "note": "cash"}, {"sum": 7.5, "note": None}],
    },
    evidence=(Ungrounded(quote="rent", document_id="doc-1"),),
    unsupported=("amount", "parts.1.sum", "bank.town"),
    changed=("amount", "said_by"),
)
QUILL = replace(PAID, type="Person", values={"name": "Quill", "role": "master"}, unsupported=(), changed=())


def after(*edits: SchemaEdit) -> SchemaChange:
    steps: list[Step] = [(SCHEMA, None)]
    for edit in edits:
        steps.append((edit_schema(steps[-1][0], edit), edit))
    return change_between(steps, 1, len(steps))


def asked(change: SchemaChange, *records: Record) -> tuple[str, ...]:
    return types_to_ask(change, needs_of(change), records)


def carried(change: SchemaChange, record: Record = PAID) -> Record:
    found = carry_record(change, record)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "edit",
    [
        Rename(path=("Payment",), name="Transfer"),
        Rename(path=("Payment", "amount"), name="total"),
        Rename(path=("Person",), name="Man"),
        Move(path=("Payment", "bank"), index=1),
        Move(path=("Person",), index=0),
        Remove(path=("Payment", "parts")),
        Remove(path=("Payment", "to")),
        Nest(path=("Payment", "state"), parent=("Payment", "bank")),
        Nest(path=("Payment", "bank", "town"), parent=("Payment",)),
        Explain(path=("Payment", "amount"), why="it is added up"),
        Retype(path=("Payment", "amount"), kind=Scalar(of=ScalarType.NUMBER)),
        Retype(path=("Payment", "state"), kind=Choice(options=("paid", "promised"))),
        Retype(path=("Payment", "parts", "sum"), kind=Scalar(of=ScalarType.NUMBER)),
    ],
)
def test_what_records_hold_already_is_asked_of_nobody(edit: SchemaEdit) -> None:
    assert asked(after(edit), PAID, QUILL) == ()


@pytest.mark.parametrize(
    "edit",
    [
        AddField(parent=("Payment",), field=field("euros", Scalar(of=ScalarType.NUMBER))),
        AddField(parent=("Payment", "parts"), field=field("day")),
        Describe(path=("Payment", "amount"), meaning="in pounds"),
        Retype(path=("Payment", "state"), kind=Choice(options=("promised", "refused"))),
        Retype(path=("Payment", "amount"), kind=ListOf(item=Scalar(of=ScalarType.INTEGER))),
        Retype(path=("Payment", "state"), kind=Reference(record_type="Person")),
        Retype(path=("Payment", "parts", "sum"), kind=Scalar(of=ScalarType.INTEGER)),
        Nest(path=("Payment", "state"), parent=("Payment", "parts")),
        Move(path=("Person", "role"), index=0),
    ],
)
def test_a_new_field_or_meaning_is_asked_for_its_type_where_that_has_records(edit: SchemaEdit) -> None:
    change = after(edit)
    assert asked(change, PAID) == ("Payment",)
    assert asked(change, QUILL) == ()


def test_a_field_put_into_another_record_type_is_asked_there_alone() -> None:
    change = after(Nest(path=("Payment", "state"), parent=("Person",)))
    assert asked(change, PAID, QUILL) == ("Person",)
    assert asked(change, PAID) == ()


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        (AddRecordType(record_type=RecordType(name="Ship", meaning="", fields=(field("name"),))), "Ship"),
        (Describe(path=("Person",), meaning="one person or firm"), "Person"),
    ],
)
def test_a_new_record_type_or_meaning_is_asked_of_every_document(edit: SchemaEdit, name: str) -> None:
    assert asked(after(edit)) == (name,)


def test_a_choice_with_a_word_more_is_asked_again_and_one_with_a_word_less_where_it_was_used() -> None:
    three = Retype(path=("Payment", "state"), kind=Choice(options=("paid", "promised", "refused")))
    two = Retype(path=("Payment", "state"), kind=Choice(options=("paid", "promised")))
    steps: list[Step] = [(SCHEMA, None)]
    for edit in (two, three, two):
        steps.append((edit_schema(steps[-1][0], edit), edit))
    assert asked(change_between(steps, 2, 3), PAID) == ("Payment",)
    assert asked(change_between(steps, 3, 4), PAID) == ()
    refused = replace(PAID, values={**PAID.values, "state": "refused"})
    assert asked(change_between(steps, 3, 4), refused) == ("Payment",)


def test_a_renamed_nested_and_retyped_record_keeps_what_it_holds_and_its_marks() -> None:
    change = after(
        Rename(path=("Payment",), name="Transfer"),
        Rename(path=("Transfer", "amount"), name="total"),
        Nest(path=("Transfer", "total"), parent=("Transfer", "bank")),
        Rename(path=("Transfer", "parts", "sum"), name="pounds"),
        Remove(path=("Transfer", "bank", "town")),
        AddField(parent=("Transfer",), field=field("tags", ListOf(item=Scalar()))),
    )
    assert carried(change) == replace(
        PAID,
        type="Transfer",
        values={
            "what": "rent",
            "state": "paid",
            "to": "Quill",
            "bank": {"name": "Lloyds", "total": 12},
            "parts": [{"pounds": 5, "note": "cash"}, {"pounds": 7.5, "note": None}],
            "tags": [],
        },
        unsupported=("bank.total", "parts.1.pounds"),
        changed=("bank", "said_by"),
    )


def test_a_value_that_does_not_fit_its_new_kind_is_left_out() -> None:
    assert carried(after(Retype(path=("Payment", "state"), kind=Scalar(of=ScalarType.DATE)))).values["state"] is None
    whole = after(Retype(path=("Payment", "parts", "sum"), kind=Scalar(of=ScalarType.INTEGER)))
    assert carried(whole).values["parts"] == [{"sum": 5, "note": "cash"}, {"sum": None, "note": None}]


def test_records_of_a_removed_type_are_gone() -> None:
    change = after(Remove(path=("Payment", "to")), Remove(path=("Person",)))
    assert carry_record(change, QUILL) is None
    assert "to" not in carried(change).values


def test_a_schema_put_in_place_as_a_whole_is_followed_by_its_names() -> None:
    role = RecordType(name="Person", meaning="one person", fields=(field("name"), field("rank")))
    change = change_by_names(SCHEMA, Schema(record_types=(PAYMENT, role)))
    assert asked(change, PAID, QUILL) == ("Person",)
    assert carried(change, QUILL).values == {"name": "Quill", "rank": None}


def test_going_back_to_an_earlier_version_follows_what_was_renamed_since() -> None:
    rename = Rename(path=("Person", "role"), name="rank")
    later = edit_schema(SCHEMA, rename)
    change = change_between([(SCHEMA, None), (later, rename), (SCHEMA, None)], 2, 3)
    renamed = replace(QUILL, values={"name": "Quill", "rank": "master"})
    assert asked(change, renamed) == ()
    assert carried(change, renamed) == QUILL


def test_differences_name_what_was_added_removed_renamed_moved_and_changed() -> None:
    change = after(
        Rename(path=("Person", "role"), name="rank"),
        Describe(path=("Payment", "amount"), meaning="in pounds"),
        Explain(path=("Payment", "amount"), why="it is added up"),
        Retype(path=("Payment", "state"), kind=Choice(options=("paid", "promised"))),
        Nest(path=("Payment", "bank", "town"), parent=("Payment",)),
        Remove(path=("Payment", "parts")),
        AddField(parent=("Person",), field=field("born", Scalar(of=ScalarType.DATE))),
        Move(path=("Person",), index=0),
    )
    assert differences(change) == (
        Difference(of=Changed.RENAMED, path=("Person", "rank"), was="role", now="rank"),
        Difference(of=Changed.ADDED, path=("Person", "born"), now="date"),
        Difference(of=Changed.MEANING, path=("Payment", "amount"), was="", now="in pounds"),
        Difference(of=Changed.WHY, path=("Payment", "amount"), was="", now="it is added up"),
        Difference(of=Changed.KIND, path=("Payment", "state"), was="text", now="one of: paid, promised"),
        Difference(of=Changed.MOVED, path=("Payment", "town"), was="Payment.bank", now="Payment"),
        Difference(of=Changed.REMOVED, path=("Payment", "parts"), was="list of group"),
    )


def is_valid(schema: Schema, record: Record) -> bool:
    items = json_schema(schema)["properties"][record.type]["items"]
    about: dict[str, Value] = {"quotes": ["x"], "said_by": None, "certainty": "stated"}
    return bool(Draft202012Validator(items).is_valid({**about, **record.values}))


@given(histories().flatmap(lambda steps: st.tuples(st.just(steps), records_of(steps[0][0]))))
def test_carried_records_are_valid_under_the_new_schema(of: tuple[list[Step], Record]) -> None:
    steps, record = of
    assert is_valid(steps[0][0], record)
    found = carry_record(change_between(steps, 1, len(steps)), record)
    assert found is None or is_valid(steps[-1][0], found)


@given(histories().flatmap(lambda steps: st.tuples(st.just(steps), records_of(steps[0][0]))))
def test_edits_and_their_undo_give_the_records_back_and_ask_nothing(of: tuple[list[Step], Record]) -> None:
    steps, record = of
    change = change_between([*steps, (steps[0][0], None)], 1, len(steps) + 1)
    assert carry_record(change, record) == record
    assert needs_of(change) == ()
    assert differences(change) == ()


@given(schemas().flatmap(lambda schema: st.tuples(st.just(schema), records_of(schema))))
def test_no_change_asks_nothing_and_changes_nothing(of: tuple[Schema, Record]) -> None:
    schema, record = of
    change = change_by_names(schema, schema)
    assert needs_of(change) == ()
    assert carry_record(change, record) == record


@given(histories())
def test_every_place_has_one_origin_at_most_and_no_two_share_one(steps: list[Step]) -> None:
    change = change_between(steps, 1, len(steps))
    assert set(change.origins) <= set(places(steps[-1][0]))
    assert set(change.origins.values()) <= set(places(steps[0][0]))
    assert len(set(change.origins.values())) == len(change.origins)

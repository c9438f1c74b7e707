"""Contradictions between documents: the planted ones are found, and few others.

Measured on the 48 records of the scripted inquiry run: of 8 fields in which records of one name differ letter by letter,
2 are conflicts: a price with two digits exchanged, and an owner that changed; a third is an award that was withdrawn.
None is missing, and none is false.
"""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from r3con_core.checks.conflicts import CERTAINTY, Conflict, Reading, contradictions, denials, find_conflicts
from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.overlay import data_of
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.schemas import Choice, Field, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from r3con_core.views.graphs import level_name
from tests.fakes import finished_harbour, finished_inquiry

WORK = RecordType(
    name="Work",
    meaning="one work",
    fields=(
        Field(name="name", meaning="", kind=Scalar()),
        Field(name="price", meaning="", kind=Scalar(of=ScalarType.NUMBER)),
        Field(name="day", meaning="", kind=Scalar(of=ScalarType.DATE)),
        Field(name="done", meaning="", kind=Scalar(of=ScalarType.YES_NO)),
        Field(name="kind", meaning="", kind=Choice(options=("new", "repair"))),
        Field(name="builder", meaning="", kind=Reference(record_type="Work")),
        Field(name="place", meaning="", kind=Scalar()),
        Field(name="people", meaning="", kind=ListOf(item=Scalar())),
    ),
)
_numbers = count()


def said(
    document: str,
    name: str,
    certainty: Certainty = Certainty.STATED,
    standing: Standing = Standing.KEPT,
    **values: Value,
) -> Record:
    quote = Grounded(quote="q", document_id=document, span=Span(start=0, end=1), match=Match.EXACT)
    return Record(
        id=f"rec-{next(_numbers)}",
        type="Work",
        document_id=document,
        values={"name": name, **values},
        evidence=(quote,),
        certainty=certainty,
        standing=standing,
    )


def conflicts(*records: Record) -> list[tuple[str, list[Value]]]:
    data = StructuredData(schema=Schema(record_types=(WORK,)), records=records)
    return [(one.field, [reading.value for reading in one.readings]) for one in find_conflicts(data)]


@pytest.fixture(scope="module")
def inquiry(tmp_path_factory: pytest.TempPathFactory) -> StructuredData:
    data = data_of(*finished_inquiry(tmp_path_factory.mktemp("projects")))
    assert data is not None
    return data


def test_the_planted_contradictions_of_the_inquiry_are_found_and_nothing_else(inquiry: StructuredData) -> None:
    told = [
        (one.record_type, one.name, one.field, [reading.value for reading in one.readings])
        for one in find_conflicts(inquiry)
    ]
    assert told == [
        ("Contract", "Mill Weir", "price", [1_240_000, 1_420_000]),
        ("Contract", "fish ladder", CERTAINTY, ["stated", "denied"]),
        ("Party", "Ael Marine Works Ltd", "owned_by", ["Feldbau Ltd", "Henrik Koster"]),
    ]


def test_every_reading_names_all_records_that_give_it(inquiry: StructuredData) -> None:
    price = find_conflicts(inquiry)[0]
    titles = [[inquiry.get(one).values["price"] for one in reading.record_ids] for reading in price.readings]
    assert titles == [[1_240_000, 1_240_000], [1_420_000]]


def test_a_denial_of_many_things_at_once_is_told_apart(inquiry: StructuredData) -> None:
    assert [record.said_by for record in denials(inquiry)] == ["Press Office", "Jonas Feld"]


def test_letters_alone_would_give_many_more(inquiry: StructuredData) -> None:
    naive = 0
    for record_type in inquiry.schema.record_types:
        things: dict[str, list[Record]] = {}
        for record in inquiry.of_type(record_type.name):
            things.setdefault(level_name(str(record.values[record_type.label])), []).append(record)
        for records in things.values():
            for field in record_type.fields[1:]:
                naive += len({str(one.values[field.name]) for one in records if one.values[field.name] is not None}) > 1
    assert naive == NAIVE


NAIVE = 8


def test_the_harbour_documents_do_not_contradict_each_other(tmp_path: Path) -> None:
    data = data_of(*finished_harbour(tmp_path))
    assert data is not None
    assert find_conflicts(data) == ()


def test_a_less_precise_date_another_typography_and_another_form_of_a_number_are_no_conflicts() -> None:
    first = said(
        "a", "Mill Weir", day="2019-10-18", price=1_240_000, builder="Ael Marine Works Ltd", place="St. Anne’s"
    )
    second = said("b", "mill weir", day="2019-10", price=1_240_000.0, builder="Ael Marine Works", place="St Anne's")
    assert conflicts(first, second) == []


@pytest.mark.parametrize(
    ("field", "one", "other"),
    [
        ("price", 1_240_000, 1_420_000),
        ("day", "2019-10-18", "2019-11"),
        ("done", True, False),
        ("kind", "new", "repair"),
        ("builder", "Feldbau Ltd", "Henrik Koster"),
        ("place", "Quay Street 14", "Quay Street 16"),
    ],
)
def test_two_values_of_one_thing_are_a_conflict(field: str, one: Value, other: Value) -> None:
    records = tuple(
        replace(record, values={**record.values, field: value})
        for record, value in ((said("a", "Mill Weir"), one), (said("b", "Mill Weir"), other))
    )
    data = StructuredData(schema=Schema(record_types=(WORK,)), records=records)
    readings = (
        Reading(value=one, record_ids=(records[0].id,)),
        Reading(value=other, record_ids=(records[1].id,)),
    )
    assert find_conflicts(data) == (Conflict(record_type="Work", name="Mill Weir", field=field, readings=readings),)


def test_a_vague_date_does_not_hide_that_two_precise_ones_differ() -> None:
    days = ["2019", "2019-10", "2019-11"]
    assert conflicts(*(said(f"doc-{day}", "Mill Weir", day=day) for day in days)) == [("day", ["2019-10", "2019-11"])]


def test_lists_and_descriptions_may_differ() -> None:
    first = said("a", "Mill Weir", people=["Feld"], place="by the old mill below the town")
    second = said("b", "Mill Weir", people=["Koster"], place="where the river leaves the meadows")
    assert conflicts(first, second) == []


def test_one_document_does_not_contradict_itself() -> None:
    assert conflicts(said("a", "Mill Weir", price=1), said("a", "Mill Weir", price=2)) == []


def test_events_with_one_general_label_are_not_one_thing() -> None:
    apart = [said("a", "Payment", price=one, day=f"2019-0{one}-01") for one in (1, 2)]
    assert conflicts(*apart, said("b", "Payment", price=3, day="2019-05-01")) == []
    assert (
        conflicts(said("a", "council meeting", day="2019-01-02"), said("b", "council meeting", day="2019-02-02")) == []
    )


def test_a_general_label_is_one_thing_where_the_rest_agrees() -> None:
    first = said("a", "fish ladder", price=295_000, builder="Feldbau Ltd")
    assert conflicts(first, said("b", "fish ladder", price=259_000, builder="Feldbau Ltd")) == [
        ("price", [295_000, 259_000])
    ]


def test_two_things_of_one_name_that_agree_in_nothing_are_two() -> None:
    first = said("a", "John Smith", price=1, day="1950", place="Rye 1")
    assert conflicts(first, said("b", "John Smith", price=2, day="1980", place="Ham 2")) == []


def test_what_is_denied_is_no_value_but_stands_against_what_is_stated() -> None:
    denied = said("b", "Mill Weir", Certainty.DENIED, price=2)
    assert conflicts(said("a", "Mill Weir", price=1), denied) == [(CERTAINTY, ["stated", "denied"])]


def test_an_allegation_is_set_beside_the_statement_of_the_same() -> None:
    stated = said("a", "Mill Weir", price=1, builder="Feldbau Ltd")
    assert conflicts(stated, said("b", "Mill Weir", Certainty.ALLEGED, price=1)) == [(CERTAINTY, ["stated", "alleged"])]
    assert conflicts(stated, said("b", "Mill Weir", Certainty.ALLEGED, day="2019")) == []


def test_records_that_people_rejected_contradict_nobody() -> None:
    rejected = said("b", "Mill Weir", standing=Standing.REJECTED, price=2)
    assert conflicts(said("a", "Mill Weir", price=1), rejected) == []


def test_contradictions_of_two_records_are_named_by_their_fields() -> None:
    one: dict[str, Value] = {"price": 1, "day": "2019", "kind": "new"}
    other: dict[str, Value] = {"price": 2, "day": "2019-02", "kind": None}
    assert contradictions(WORK.fields, one, other) == ("price",)

"""Events by date: as precise as stated, uncertain ones said to be so, nothing guessed and nothing lost."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Certainty, Record, StructuredData, Value
from r3con_core.schemas import Field, Group, ListOf, RecordType, Scalar, ScalarType, Schema
from r3con_core.views.timelines import Precision, When, count_by, date_fields, packed, timeline_of, when_of

DAY = Scalar(of=ScalarType.DATE)
SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Landing",
            meaning="",
            fields=(
                Field(name="what", meaning="", kind=Scalar()),
                Field(name="day", meaning="", kind=DAY),
                Field(
                    name="stays",
                    meaning="",
                    kind=ListOf(item=Group(fields=(Field(name="begin", meaning="", kind=DAY),))),
                ),
            ),
        ),
        RecordType(name="Launch", meaning="", fields=(Field(name="name", meaning="", kind=Scalar()),)),
    )
)
FIELDS = {"Landing": ("day", "stays.begin")}


def landing(identity: str, *, certainty: Certainty = Certainty.STATED, doubt: str = "", **values: Value) -> Record:
    quote = Grounded(quote="q", document_id="doc-1", span=Span(start=0, end=1), match=Match.EXACT)
    return Record(
        id=identity,
        type="Landing",
        document_id="doc-1",
        values=values,
        evidence=(quote,),
        certainty=certainty,
        unsupported=(doubt,) if doubt else (),
    )


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [
        ("1931-03-04", "4 March 1931", date(1931, 3, 4), date(1931, 3, 4)),
        ("1931-03-04T22:15", "4 March 1931", date(1931, 3, 4), date(1931, 3, 4)),
        ("1932-02", "some time in February 1932", date(1932, 2, 1), date(1932, 2, 29)),
        ("1931", "some time in 1931", date(1931, 1, 1), date(1931, 12, 31)),
        ("1931-03/1931-04-02", "some time from 1 March 1931 to 2 April 1931", date(1931, 3, 1), date(1931, 4, 2)),
    ],
)
def test_a_date_is_as_precise_as_it_is_stated(text: str, words: str, first: date, last: date) -> None:
    when = when_of(text)
    assert when is not None
    assert (when.words, when.first, when.last) == (words, first, last)


@pytest.mark.parametrize(
    "text", ["", "last winter", "1931-02-30", "1931-13", "0000", "31-03-04", "1931-04/1931-03", "1931/"]
)
def test_words_that_are_no_date_are_none(text: str) -> None:
    assert when_of(text) is None


@given(st.dates(), st.sampled_from([4, 7, 10]))
def test_the_days_a_date_may_mean_all_begin_with_it(day: date, letters: int) -> None:
    when = when_of(day.isoformat()[:letters])
    assert when is not None
    assert when.first <= day <= when.last
    assert {one.isoformat()[:letters] for one in (when.first, when.last)} == {day.isoformat()[:letters]}


def test_the_fields_that_hold_dates_are_found_in_groups_and_lists() -> None:
    assert date_fields(StructuredData(schema=SCHEMA, records=())) == FIELDS


def test_events_are_in_order_and_say_how_sure_they_are() -> None:
    records = [
        landing("a", day="1931-03"),
        landing("b", day="1931-03-02", certainty=Certainty.ALLEGED),
        landing("c", day="1930-01-01"),
        landing("d", day="1931-03-05", doubt="day"),
    ]
    told = [(one.record_id, one.words, one.uncertain) for one in timeline_of(records, FIELDS).events]
    assert told == [
        ("c", "1 January 1930", False),
        ("a", "some time in March 1931", True),
        ("b", "2 March 1931, alleged", True),
        ("d", "5 March 1931, this date is not in the document", True),
    ]


def test_only_the_entry_of_a_list_that_is_not_in_the_document_is_doubted() -> None:
    record = landing("a", stays=[{"begin": "1931-01-01"}, {"begin": "1931-01-02"}], doubt="stays.1.begin")
    assert [one.doubted for one in timeline_of([record], FIELDS).events] == [False, True]


def test_records_without_a_date_are_listed_with_the_words_they_have() -> None:
    records = [landing("a", day=None), landing("b", day="last winter", stays=[{"begin": None}])]
    assert timeline_of(records, FIELDS).undated == (("a", ""), ("b", "last winter"))


dates = st.none() | st.sampled_from(["1931", "1931-02-30", "soon"]) | st.dates().map(date.isoformat)


@given(st.lists(st.tuples(dates, st.lists(dates, max_size=2)), max_size=6))
def test_every_record_is_an_event_or_undated_and_never_both(values: list[tuple[str | None, list[str | None]]]) -> None:
    records = [landing(str(at), day=day, stays=[{"begin": d} for d in more]) for at, (day, more) in enumerate(values)]
    timeline = timeline_of(records, FIELDS)
    dated, undated = {one.record_id for one in timeline.events}, {one for one, _ in timeline.undated}
    assert dated | undated == {record.id for record in records}
    assert not dated & undated
    begins = [one.when.first for one in timeline.events]
    assert begins == sorted(begins)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 40)), max_size=30), st.integers(0, 20))
def test_no_two_spans_of_one_row_come_closer_than_the_gap(drawn: list[tuple[int, int]], gap: int) -> None:
    spans = sorted((first, first + length) for first, length in drawn)
    rows = packed(spans, gap)
    for row in set(rows):
        here = [span for span, at in zip(spans, rows, strict=True) if at == row]
        assert all(later[0] - earlier[1] > gap for earlier, later in pairwise(here))


def test_events_are_counted_by_year_and_by_month_certain_and_uncertain_apart() -> None:
    events = timeline_of(
        [landing("a", day="1931"), landing("b", day="1931-05-01"), landing("c", day="1932-01-01")], FIELDS
    )
    assert count_by(events.events, months=False) == {"1931": (1, 1), "1932": (1, 0)}
    assert count_by(events.events, months=True) == {"1931-01": (0, 1), "1931-05": (1, 0), "1932-01": (1, 0)}


def test_a_whole_date_keeps_its_text() -> None:
    assert when_of(" 1931-03 ") == When(
        text="1931-03", first=date(1931, 3, 1), last=date(1931, 3, 31), precision=Precision.MONTH
    )

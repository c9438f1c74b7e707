"""What each sentence of an answer rests on, and what speaks against it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.answers import Answer, Execution, Mode, Proposed, Sentence, Step
from r3con_core.changes import CorrectRecord, Entry, KeepApart, MergeNames, MergeRecords, RejectRecord, SplitRecord
from r3con_core.checks.claims import TermKind, holding_of, holds, terms_of
from r3con_core.checks.conflicts import find_conflicts
from r3con_core.checks.objections import Objection, Weight, changed_since, find_objections
from r3con_core.checks.sentences import Checked, Source, Support, Worry, check_answer, heirs_of, says_what_is_missing
from r3con_core.documents import Span
from r3con_core.evidence import Evidence, Grounded, Match, Ungrounded
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema

SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Contract",
            meaning="one contract",
            fields=(
                Field(name="work", meaning="", kind=Scalar()),
                Field(name="price", meaning="", kind=Scalar(of=ScalarType.NUMBER)),
                Field(name="signed", meaning="", kind=Scalar(of=ScalarType.DATE)),
            ),
        ),
    )
)
QUOTE = "The contract price for Mill Weir is 1,240,000 euros, signed on 18 October 2019."


def quoted(quote: str, match: Match = Match.EXACT) -> Grounded:
    return Grounded(quote=quote, document_id="doc-a", span=Span(start=0, end=len(quote)), match=match)


def contract(  # noqa: PLR0913 - the parts of a record
    identity: str,
    *,
    document: str = "doc-a",
    work: str = "Mill Weir",
    price: int | None = 1_240_000,
    evidence: Evidence | None = None,
    certainty: Certainty = Certainty.STATED,
    unsupported: tuple[str, ...] = (),
) -> Record:
    values: dict[str, Value] = {"work": work, "price": price, "signed": "2019-10-18"}
    found = evidence or quoted(QUOTE)
    return Record(
        id=identity,
        type="Contract",
        document_id=document,
        values=values,
        evidence=(found,),
        certainty=certainty,
        unsupported=unsupported,
    )


def data(*records: Record) -> StructuredData:
    return StructuredData(schema=SCHEMA, records=records)


def step(code: str = "", output: str = "", proposed: str = "", fault: str | None = None) -> Step:
    handed = Proposed(text=proposed, cites=()) if proposed else None
    return Step(number=1, thought="", code=code, execution=Execution(output=output, proposed=handed, fault=fault))


def checked(
    text: str, *records: Record, steps: Sequence[Step] = (), question: str = "", cites: Sequence[str] | None = None
) -> Checked:
    ids = tuple(record.id for record in records) if cites is None else tuple(cites)
    answer = Answer(text=text, sentences=(Sentence(text=text, record_ids=ids),), mode=Mode.CODING, steps=tuple(steps))
    return check_answer(answer, data(*records), question)[0]


def sources(one: Checked) -> dict[str, Source]:
    return {lookup.term.text: lookup.source for lookup in one.lookups}


def missing(one: Checked) -> list[str]:
    return [term.text for term in one.missing]


def worries(one: Checked) -> list[tuple[Worry, tuple[str, ...]]]:
    return [(doubt.worry, doubt.fields) for doubt in one.doubts]


def test_a_sentence_whose_names_days_and_figures_stand_in_its_record_is_supported() -> None:
    one = checked("Mill Weir was contracted for 1.24 million euros on October 18, 2019.", contract("a"))
    assert one.support is Support.FULL
    assert sources(one) == {
        "October 18, 2019": Source.RECORD,
        "1.24 million": Source.RECORD,
        "Mill Weir": Source.RECORD,
    }


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("Mill Weir cost 1,420,000 euros.", ["1,420,000"]),
        ("Mill Weir was signed on 18 September 2019.", ["18 September 2019"]),
        ("Anton Marek signed the contract for Mill Weir.", ["Anton Marek"]),
        ("Mill Weir has the number BR-2019-17.", ["BR-2019-17"]),
        ("Mill Weir had three contracts.", ["three"]),
        ("Mill Weir cost 1.3 million euros.", ["1.3 million"]),
    ],
)
def test_what_stands_in_no_record_and_came_from_no_code_is_named(text: str, lost: list[str]) -> None:
    one = checked(text, contract("a"))
    assert one.support is Support.PART
    assert missing(one) == lost


def test_a_name_is_found_only_where_one_record_has_all_of_it() -> None:
    first, second = contract("a", work="Anton Weir"), contract("b", work="Mill Marek")
    assert missing(checked("It was Anton Marek who signed.", first, second)) == ["Anton Marek"]


def test_a_number_of_records_is_found_by_counting_them() -> None:
    one = checked("There were 2 contracts.", contract("a"), contract("b", work="North Dyke"))
    assert sources(one) == {"2": Source.COUNTED}


def test_a_figure_that_the_code_printed_is_its_own_work() -> None:
    one = checked("Mill Weir cost 30 per cent more.", contract("a"), steps=[step(output="Mill Weir | 30")])
    assert sources(one) == {"30": Source.PRINTED, "Mill Weir": Source.RECORD}
    assert [term.text for term in one.by_code] == ["30"]


def test_output_of_a_step_that_failed_supports_nothing() -> None:
    failed = step(output="30", fault="KeyError")
    assert missing(checked("Mill Weir cost 30 per cent more.", contract("a"), steps=[failed])) == ["30"]


def test_a_figure_handed_over_counts_as_computed_unless_the_code_has_it_written_down() -> None:
    text = "Mill Weir cost 30 per cent more."
    computed = step(code='answer(f"Mill Weir cost {share} per cent more.", [])', proposed=text)
    assert sources(checked(text, contract("a"), steps=[computed]))["30"] is Source.COMPUTED
    written = step(code='answer("Mill Weir cost 30 per cent more.", [])', proposed=text)
    assert missing(checked(text, contract("a"), steps=[written])) == ["30"]


def test_a_name_of_the_question_needs_no_record_and_a_figure_of_it_does() -> None:
    one = checked("The City paid 99 euros for Mill Weir.", contract("a"), question="Did the City pay 99 euros?")
    assert sources(one) == {"City": Source.QUESTION, "99": Source.NOWHERE, "Mill Weir": Source.RECORD}


def test_a_sentence_without_records_rests_on_nothing_unless_it_says_what_was_not_found() -> None:
    assert checked("The mayor knew.").support is Support.NONE
    assert checked("No contract for the South Dyke was found in the documents.").support is Support.OPEN


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        ("For the South Dyke no final account was found.", True),
        ("The documents do not say who signed.", True),
        ("It is unknown who paid.", True),
        ("The mayor did not pay.", False),
        ("Nothing was paid.", False),
        ("The contract was found.", False),
    ],
)
def test_sentences_that_say_what_is_missing_are_told_by_their_words(text: str, says_so: bool) -> None:
    assert says_what_is_missing(text) is says_so


def test_a_record_set_aside_or_rejected_supports_nothing() -> None:
    aside = contract("a", evidence=Ungrounded(quote="made up", document_id="doc-a"))
    rejected = replace(contract("a"), standing=Standing.REJECTED)
    for record in (aside, rejected):
        one = checked("Mill Weir cost 1,240,000 euros.", record)
        assert one.support is Support.NONE
        assert worries(one)[0] == (Worry.OUT, ())


@pytest.mark.parametrize(
    ("record", "worry"),
    [
        (contract("a", evidence=quoted(QUOTE, Match.NEAR)), (Worry.NEAR, ())),
        (contract("a", certainty=Certainty.ALLEGED), (Worry.ALLEGED, ())),
        (contract("a", certainty=Certainty.DENIED), (Worry.DENIED, ())),
        (contract("a", certainty=Certainty.INFERRED), (Worry.INFERRED, ())),
        (contract("a", unsupported=("price",)), (Worry.NOT_IN_DOCUMENT, ("price",))),
        (contract("a", evidence=quoted("The price for Mill Weir is as agreed.")), (Worry.NOT_IN_QUOTE, ("price",))),
        (replace(contract("a"), changed=("price",)), (Worry.PERSON, ())),
    ],
)
def test_every_reason_to_look_at_a_cited_record_is_named(record: Record, worry: tuple[Worry, tuple[str, ...]]) -> None:
    one = checked("Mill Weir cost 1,240,000 euros.", record)
    assert one.support is Support.DOUBT
    assert worries(one) == [worry]


def test_a_value_that_the_sentence_does_not_use_raises_no_doubt() -> None:
    record = contract("a", evidence=quoted("The contract price for Mill Weir is 1,240,000 euros."))
    assert checked("Mill Weir cost 1,240,000 euros.", record).support is Support.FULL


def test_a_computed_figure_makes_every_number_of_a_record_it_may_rest_on_count() -> None:
    record = contract("a", unsupported=("price",))
    one = checked("The whole was 85.", record, steps=[step(output="85")])
    assert worries(one) == [(Worry.NOT_IN_DOCUMENT, ("price",))]


def objections(
    text: str, cited: Sequence[str], *records: Record, question: str = ""
) -> list[tuple[Weight, tuple[str, ...]]]:
    return [(one.weight, one.record_ids) for one in found_against(text, cited, *records, question=question)]


def found_against(text: str, cited: Sequence[str], *records: Record, question: str = "") -> tuple[Objection, ...]:
    one = checked(text, *records, cites=cited)
    whole = data(*records)
    return find_objections([one], whole, find_conflicts(whole), question)[0]


def test_another_value_of_the_same_thing_speaks_against_a_sentence() -> None:
    (other,) = found_against(
        "Mill Weir cost 1,240,000 euros.",
        ["a"],
        contract("a"),
        contract("b", document="doc-b", price=1_420_000),
    )
    assert (other.weight, other.record_ids, other.field) == (Weight.OTHER_VALUE, ("b",), "price")
    assert (other.value, other.cited, other.against) == (1_420_000, 1_240_000, True)


def test_a_difference_in_what_the_sentence_does_not_say_speaks_not_against_it() -> None:
    records = contract("a"), contract("b", document="doc-b", price=1_420_000)
    assert objections("Mill Weir was signed on 18 October 2019.", ["a"], *records) == [(Weight.UNCITED, ("b",))]


def test_denials_rejected_records_and_records_set_aside_are_named() -> None:
    records = [
        contract("a"),
        contract("b", document="doc-b", certainty=Certainty.DENIED),
        replace(contract("c", document="doc-c"), standing=Standing.REJECTED),
        contract("d", document="doc-d", price=9, evidence=Ungrounded(quote="made up", document_id="doc-d")),
        contract("e", document="doc-e"),
        replace(contract("f", document="doc-f"), standing=Standing.MERGED),
    ]
    assert objections("Mill Weir cost 1,240,000 euros.", ["a"], *records) == [
        (Weight.DENIAL, ("b",)),
        (Weight.REJECTED, ("c",)),
        (Weight.SET_ASIDE, ("d",)),
        (Weight.UNCITED, ("e",)),
    ]


def test_a_record_set_aside_that_says_the_same_speaks_not_against_a_sentence() -> None:
    aside = contract("d", document="doc-d", evidence=Ungrounded(quote="made up", document_id="doc-d"))
    assert objections("Mill Weir cost 1,240,000 euros.", ["a"], contract("a"), aside) == [(Weight.UNCITED, ("d",))]


def test_a_denial_of_another_name_speaks_against_a_sentence_in_its_words_and_the_questions() -> None:
    quote = "No flood work has cost more than a tenth above its contract price."
    denial = contract(
        "b", document="doc-b", work="any work", price=None, evidence=quoted(quote), certainty=Certainty.DENIED
    )
    text = "Mill Weir exceeded its contract price of 1,240,000 euros."
    assert objections(text, ["a"], contract("a"), denial) == [(Weight.LIKE_DENIAL, ("b",))]
    assert objections("Mill Weir cost 1,240,000 euros.", ["a"], contract("a"), denial) == []
    asked = {"question": "Which flood work exceeded its contract price?"}
    above = "Mill Weir went above its price of 1,240,000 euros."
    assert objections(above, ["a"], contract("a"), denial) == []
    assert objections(above, ["a"], contract("a"), denial, **asked) == [(Weight.LIKE_DENIAL, ("b",))]
    assert objections("Mill Weir was signed on 18 October 2019.", ["a"], contract("a"), denial, **asked) == []


def test_a_sentence_without_records_has_nothing_against_it() -> None:
    assert objections("Mill Weir cost 1,240,000 euros.", [], contract("a")) == []


def entry(change: object, made: str, undone: str = "") -> Entry:
    return Entry(number=1, run_id="r", change=change, author="Ada", note="", made=made, undone=undone)  # type: ignore[arg-type]


BEFORE, WRITTEN, AFTER = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (entry(RejectRecord(of=contract("a")), AFTER), True),
        (entry(RejectRecord(of=contract("a")), WRITTEN), True),
        (entry(RejectRecord(of=contract("a")), BEFORE), False),
        (entry(RejectRecord(of=contract("a")), BEFORE, undone=AFTER), True),
        (entry(RejectRecord(of=contract("b")), AFTER), False),
        (entry(CorrectRecord(of=contract("a"), now=contract("a", price=1)), AFTER), True),
        (entry(MergeNames(record_type="Contract", names=("Mill Weir",), name="The Weir"), AFTER), True),
        (entry(KeepApart(record_type="Contract", names=("Mill Weir",)), AFTER), False),
    ],
)
def test_records_changed_since_the_answer_was_written_are_told(change: Entry, named: bool) -> None:
    found = changed_since([change], WRITTEN, data(contract("a")), {"a": ()})
    assert found == ({"a": (change,)} if named else {})


def test_a_record_merged_into_another_or_split_stands_on_what_counts_in_its_place() -> None:
    merged = replace(contract("b", document="doc-b"), standing=Standing.MERGED)
    split = replace(contract("c"), standing=Standing.SPLIT)
    parts = contract("d", work="Mill Weir, gates"), contract("e", work="Mill Weir, walls")
    whole = data(contract("a"), merged, split, *parts)
    changes = {
        "b": [entry(MergeRecords(of=(contract("a"), contract("b")), now=contract("a")), AFTER)],
        "c": [entry(SplitRecord(of=contract("c"), into=parts), AFTER)],
    }
    heirs = heirs_of(whole, changes, ["a", "b", "c"])
    assert heirs == {"b": ("a",), "c": ("d", "e")}
    sentence = Sentence(text="Mill Weir cost 1,240,000 euros.", record_ids=("b",))
    answer = Answer(text=sentence.text, sentences=(sentence,), mode=Mode.CODING)
    (one,) = check_answer(answer, whole, "", heirs)
    assert (one.support, list(one.used)) == (Support.FULL, ["a"])
    assert check_answer(answer, whole, "")[0].support is Support.NONE


def test_a_change_carried_over_to_a_record_parsed_anew_is_told() -> None:
    change = entry(RejectRecord(of=contract("of-an-earlier-parse")), AFTER)
    assert changed_since([change], WRITTEN, data(contract("a")), {"a": [change]}) == {"a": (change,)}


def test_days_are_the_same_however_they_are_written() -> None:
    for text in ("2019-03-22", "22 March 2019", "March 22nd, 2019", "22.3.2019", "22 Mar. 2019"):
        (day,) = terms_of("22 March 2019")
        assert holds(holding_of(text), day), text
        assert not holds(holding_of(text), terms_of("23 March 2019")[0])


def test_digits_beside_letters_of_scripts_without_blanks_are_figures_and_codes() -> None:
    said = terms_of("北京公司签订合同BR-2019-17，金额为3,400,000元。") + terms_of("계약은 2019년에 3,400,000원이다.")
    assert [(term.text, term.kind.value) for term in said] == [
        ("BR-2019-17", "number or sign"),
        ("3,400,000", "figure"),
        ("2019", "figure"),
        ("3,400,000", "figure"),
    ]
    held = holding_of("北京公司于2019年与政府签订合同BR-2019-17，金额为3,400,000元。")
    assert all(holds(held, term) for term in said)


def test_a_month_or_year_is_held_by_any_day_of_it() -> None:
    held = holding_of("signed 2019-03-22")
    assert holds(held, terms_of("March 2019")[0])
    assert holds(held, terms_of("It was 2019.")[0])
    assert not holds(held, terms_of("April 2019")[0])
    assert not holds(held, terms_of("There were 3 of them.")[0])


RECORDS = [
    contract("a"),
    contract("b", document="doc-b", price=1_420_000),
    contract("c", document="doc-c", certainty=Certainty.DENIED),
    contract("d", document="doc-d", evidence=Ungrounded(quote="made up", document_id="doc-d")),
    replace(contract("e", document="doc-e"), standing=Standing.REJECTED),
]


@given(
    st.one_of(st.text(max_size=80), st.sampled_from(["Mill Weir cost 1,240,000 euros.", "No contract was found."])),
    st.lists(st.sampled_from("abcde"), unique=True),
)
def test_any_sentence_has_a_state_and_what_bears_on_it_is_named_once_and_never_cited(
    text: str, cited: list[str]
) -> None:
    one = checked(text, *RECORDS, cites=cited)
    assert (one.support in (Support.NONE, Support.OPEN)) == (not set(cited) & set("abc"))
    assert (one.support is Support.PART) == bool(one.missing)
    bearing = [each for objection in found_against(text, cited, *RECORDS) for each in objection.record_ids]
    assert len(bearing) == len(set(bearing))
    assert not set(bearing) & set(cited)


NAMES = st.sampled_from(["Mill Weir", "North Dyke", "Ael Marine Works", "Anton Marek"])
FIGURES = st.integers(min_value=10_000, max_value=10**9).map(lambda number: f"{number:,}")
DAYS = st.dates().map(lambda day: f"{day.day} {day:%B} {day.year:04}")
SAID = st.lists(st.one_of(NAMES, FIGURES, DAYS), min_size=1, max_size=6, unique=True)


@given(SAID)
def test_every_text_holds_what_it_says_itself(said: list[str]) -> None:
    text = "It says " + " and so ".join(said) + "."
    assert all(holds(holding_of(text), term) for term in terms_of(text))
    assert {term.text for term in terms_of(text)} >= set(said)


@given(st.text(max_size=200))
def test_any_text_can_be_looked_up(text: str) -> None:
    held = holding_of(text)
    assert all(term.kind in TermKind and isinstance(holds(held, term), bool) for term in terms_of(text))


@given(SAID, SAID)
def test_more_text_never_holds_less(said: list[str], more: list[str]) -> None:
    terms = terms_of(" and so ".join(said))
    small, large = holding_of(" ; ".join(said[:1])), holding_of(" ; ".join([*said[:1], *more]))
    assert all(holds(large, term) for term in terms if holds(small, term))


def test_terms_of_any_text_are_found_at_once() -> None:
    for part in ("a-", "1,", "-", "1. ", "Aa "):
        holding_of(part * 50_000)
        assert terms_of(f"It was {part * 20_000} on 22 March 2019.")[-1].text != ""

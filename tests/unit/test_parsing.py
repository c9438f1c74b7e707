"""Stage 2, second half: one document becomes records that quote it."""

import json

import pytest

from r3con_core.documents import Corpus, Document
from r3con_core.evidence import Grounded, Misplaced, Ungrounded
from r3con_core.exchange import Finish, Prompt, Reply, converse
from r3con_core.method.brief import Brief, make_brief
from r3con_core.method.notes import Notes, make_notes
from r3con_core.method.parsing import parse_document
from r3con_core.records import Certainty, Record
from r3con_core.runs import Guidance, RunSettings
from r3con_core.schemas import Field, ListOf, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import RelevanceSnippet, Round
from r3con_core.tasks import make_task
from tests.fakes import Scripted, text_document

SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Landing",
            meaning="one landing",
            fields=(
                Field(name="launch", meaning="", kind=Scalar()),
                Field(name="cases", meaning="", kind=Scalar(of=ScalarType.INTEGER)),
                Field(name="night", meaning="", kind=Scalar(of=ScalarType.DATE)),
                Field(name="places", meaning="", kind=ListOf(item=Scalar())),
            ),
        ),
    )
)
MINE = text_document("The Heron landed 30 cases at Town Quay on 16 March 1931.", path="mine.txt")
OTHER = text_document("The Petrel landed 20 cases.", path="other.txt")
ROUND = Round(number=1, snippets=(RelevanceSnippet(document_id=OTHER.id, text="A Petrel note."),))


def notes(brief: Brief) -> Notes:
    return make_notes(brief, ROUND, 1000)


def row(quote: str, **values: object) -> dict[str, object]:
    given = {"launch": "Heron", "cases": 30, "night": "1931-03-16", "places": ["Town Quay"], **values}
    return {"quotes": [quote], "said_by": None, "certainty": "stated", **given}


def parsed(model: Scripted, document: Document = MINE, window: int = 8192) -> tuple[Record, ...]:
    brief = make_brief(
        make_task("How many?"),
        Corpus(documents=(MINE, OTHER, document) if document not in (MINE, OTHER) else (MINE, OTHER)),
        RunSettings(model="m", window=window),
    )
    return converse(parse_document(brief, SCHEMA, notes(brief), document), model).records


def replies(*rows: dict[str, object]) -> Scripted:
    return Scripted(lambda _: json.dumps({"Landing": rows}))


def test_a_record_holds_its_values_and_the_place_of_its_quote() -> None:
    (record,) = parsed(replies(row("The Heron landed 30 cases")))
    assert record.values == {"launch": "Heron", "cases": 30, "night": "1931-03-16", "places": ["Town Quay"]}
    (evidence,) = record.evidence
    assert isinstance(evidence, Grounded)
    assert MINE.text[evidence.span.start : evidence.span.end] == "The Heron landed 30 cases"
    assert (record.certainty, record.unsupported, record.set_aside, record.verified) == (
        Certainty.STATED,
        (),
        False,
        True,
    )


def test_the_prompt_holds_the_notes_the_schema_and_this_document_alone() -> None:
    model = replies()
    parsed(model)
    text = "\n".join(m.content for m in model.prompts[0].messages)
    assert "A Petrel note." in text
    assert "- cases (integer)" in text
    assert MINE.text in text
    assert OTHER.text not in text


def test_words_for_not_given_become_none() -> None:
    (record,) = parsed(replies(row("The Heron landed 30 cases", night="null", places=["n/a", "Town Quay"])))
    assert record.values["night"] is None
    assert record.values["places"] == ["Town Quay"]


def test_a_date_in_words_becomes_an_iso_date_and_another_is_marked() -> None:
    first, second = parsed(
        replies(row("The Heron landed 30 cases", night="16 March 1931"), row("30 cases at Town Quay", night="some day"))
    )
    assert first.values["night"] == "1931-03-16"
    assert "night" in second.unsupported


@pytest.mark.parametrize("given", ["Tuesday 3rd 1931", "March 1931", "Tuesday 1931"])
def test_a_date_that_leaves_something_open_is_not_filled_in(given: str) -> None:
    (record,) = parsed(replies(row("The Heron landed 30 cases", night=given)))
    assert record.values["night"] == given


def test_values_the_document_does_not_hold_are_marked() -> None:
    (record,) = parsed(replies(row("The Heron landed 30 cases", cases=99)))
    assert record.unsupported == ("cases",)
    assert not record.set_aside


def test_a_quote_that_is_nowhere_goes_back_once_and_then_sets_the_record_aside() -> None:
    model = replies(row("The Heron sank with all hands"))
    (record,) = parsed(model)
    assert len(model.prompts) == 2
    assert "The Heron sank" in model.prompts[1].messages[-1].content
    assert isinstance(record.evidence[0], Ungrounded)
    assert record.set_aside


def test_a_quote_that_is_mended_replaces_the_faulty_one() -> None:
    def answer(prompt: Prompt) -> str:
        quote = "The Heron landed 30 cases" if prompt.attempt > 1 else "The Heron brought thirty boxes"
        return json.dumps({"Landing": [row(quote)]})

    (record,) = parsed(Scripted(answer))
    assert isinstance(record.evidence[0], Grounded)


def test_a_small_model_that_copies_from_the_notes_is_asked_again_without_them() -> None:
    def answer(prompt: Prompt) -> str:
        copied = "A Petrel note." in prompt.messages[-1].content
        return json.dumps({"Landing": [row("A Petrel note." if copied else "The Heron landed 30 cases")]})

    small = make_brief(
        make_task("How many?"), Corpus(documents=(MINE, OTHER)), RunSettings(model="m", guidance=Guidance.FOCUS)
    )
    (record,) = converse(parse_document(small, SCHEMA, notes(small), MINE), Scripted(answer)).records
    assert isinstance(record.evidence[0], Grounded)


def test_another_documents_fact_is_set_aside_and_says_where_it_is_from() -> None:
    (record,) = parsed(replies(row("The Petrel landed 20 cases.", launch="Petrel", cases=20)))
    assert isinstance(record.evidence[0], Misplaced)
    assert record.evidence[0].found.document_id == OTHER.id
    assert record.set_aside


def test_the_same_record_twice_is_one() -> None:
    assert len(parsed(replies(row("The Heron landed 30 cases"), row("The Heron landed 30 cases")))) == 1


def test_a_record_without_quote_or_values_is_none() -> None:
    empty = row("The Heron", launch=None, cases=None, night=None, places=[])
    assert parsed(replies(row(" "), empty)) == ()


def test_records_of_a_long_document_point_into_the_whole_of_it() -> None:
    long = text_document(
        "\n\n".join(f"On that day launch {n} landed {n + 5000} cases." for n in range(400)), path="long.txt"
    )

    def answer(prompt: Prompt) -> str:
        text = prompt.messages[-1].content
        number = 399 if "launch 399 " in text else 0
        if f"launch {number} " not in text:
            return json.dumps({"Landing": []})
        return json.dumps(
            {"Landing": [row(f"launch {number} landed {number + 5000} cases", launch=str(number), cases=number + 5000)]}
        )

    first, last = parsed(Scripted(answer), long, window=2048)
    for record, number in ((first, 0), (last, 399)):
        (evidence,) = record.evidence
        assert isinstance(evidence, Grounded)
        assert long.text[evidence.span.start : evidence.span.end] == f"launch {number} landed {number + 5000} cases"


def test_a_reply_that_was_cut_off_is_asked_again_with_more_room() -> None:
    asked: list[Prompt] = []

    def ask(prompt: Prompt) -> Reply:
        asked.append(prompt)
        if len(asked) == 1:
            return Reply(text='{"Landing": [{"quotes": ["The He', finish=Finish.CUT_OFF)
        return Reply(text=json.dumps({"Landing": []}))

    brief = make_brief(make_task("How many?"), Corpus(documents=(MINE, OTHER)), RunSettings(model="m"))
    converse(parse_document(brief, SCHEMA, notes(brief), MINE), ask)
    assert asked[1].max_tokens == 2 * asked[0].max_tokens


def test_a_small_model_that_does_not_end_keeps_the_records_before_the_cut() -> None:
    begun = json.dumps({"Landing": [row("The Heron landed 30 cases"), row("30 cases at Town Quay", cases=31)]})[:-30]
    small = make_brief(
        make_task("How many?"), Corpus(documents=(MINE, OTHER)), RunSettings(model="m", guidance=Guidance.FOCUS)
    )
    found = converse(
        parse_document(small, SCHEMA, notes(small), MINE), lambda _: Reply(text=begun, finish=Finish.CUT_OFF)
    ).records
    assert [record.values["cases"] for record in found] == [30]


def test_halves_of_letters_in_a_reply_are_replaced() -> None:
    record = row(MINE.text, launch="Heron \ud83d", places=["\ud83d\ude00"])
    (found,) = parsed(replies(record))
    assert (found.values["launch"], found.values["places"]) == ("Heron \ufffd", ["\U0001f600"])


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity", "9" * 5000])
@pytest.mark.parametrize("slip", ["", ","])
def test_numbers_that_cannot_be_kept_are_asked_for_again(number: str, slip: str) -> None:
    good = json.dumps({"Landing": [row(MINE.text)]})
    model = Scripted(lambda prompt: good if prompt.attempt > 1 else good.replace(": 30", f": {number}{slip}"))
    (found,) = parsed(model)
    assert (found.values["cases"], [prompt.attempt for prompt in model.prompts]) == (30, [1, 2])

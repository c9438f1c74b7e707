"""Two runs side by side, and how far repeats of one agree."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.answers import Answer, Mode, Sentence
from r3con_core.comparing.agreement import agreement_of, pair_share
from r3con_core.comparing.alignment import CellPair, RecordPair, Verdict, align_records, level_value
from r3con_core.comparing.runs import Comparison, Said, SchemaPair, Side, SnippetPair, align_sentences, compare_runs
from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Record, StructuredData, Value, record_id
from r3con_core.runs import Run, RunSettings, RunState
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round
from r3con_core.tasks import make_task
from tests import strategies

TEXT, NUMBER = Scalar(), Scalar(of=ScalarType.NUMBER)


def payment(start: int, document_id: str = "doc-1", **values: Value) -> Record:
    """A payment quoted from 20 characters of its document."""
    quote = f"quote at {start}"
    place = Grounded(quote=quote, document_id=document_id, span=Span(start=start, end=start + 20), match=Match.EXACT)
    made = record_id(record_type="Payment", document_id=document_id, values=values, quotes=[quote])
    return Record(id=made, type="Payment", document_id=document_id, values=values, evidence=(place,))


def schema(*fields: Field) -> Schema:
    """A schema of payments."""
    return Schema(record_types=(RecordType(name="Payment", meaning="one payment", fields=fields),))


PAYER = Field(name="payer", meaning="who paid", kind=TEXT)
AMOUNT = Field(name="amount", meaning="how much", kind=NUMBER)


def side(*records: Record, sentences: tuple[str, ...] = (), snippets: dict[str, str] | None = None) -> Side:
    """A run over documents doc-1 and doc-2 that gave these."""
    said = {"doc-1": "says", "doc-2": ""} if snippets is None else snippets
    settings = RunSettings(model="a")
    run = Run(
        id="run",
        task=make_task("Who paid?"),
        document_ids=("doc-1", "doc-2"),
        settings=settings,
        straight_through=True,
        state=RunState.DONE,
        created="2026-01-01T00:00:00+00:00",
    )
    told = tuple(Sentence(text=text, record_ids=()) for text in sentences)
    shown = tuple(RelevanceSnippet(document_id=each, text=text) for each, text in said.items())
    return Side(
        run=run,
        context=RelevantContext(rounds=(Round(number=1, snippets=shown),)),
        data=StructuredData(schema=schema(PAYER, AMOUNT), records=records),
        answer=Answer(text=" ".join(sentences), sentences=told, mode=Mode.CODING),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The “Petrel”", 'the "petrel"'),
        ("4,200.00", 4200),
        ("4 200", "4200"),
        (4200.0, "4,200"),
        ("Lime Quay.", "lime  quay"),
        (["a", "B"], ["A", "b"]),
        ({"day": "3", "note": None}, {"Day": 3}),
        ("", None),
        ([], None),
    ],
)
def test_values_that_people_would_call_the_same_are_level(one: Value, other: Value) -> None:
    assert level_value(one) == level_value(other)


@pytest.mark.parametrize(("one", "other"), [("400", "4,000"), (-5, 5), ("Petrel", "Heron"), (True, 1), ("1.5", "15")])
def test_values_that_differ_are_not_level(one: Value, other: Value) -> None:
    assert level_value(one) != level_value(other)


def test_records_are_paired_by_quotes_that_overlap_then_by_values() -> None:
    ours = (payment(100, payer="Venn", amount=12), payment(500, payer="Penn", amount=40))
    theirs = (payment(900, payer="Penn", amount=40), payment(110, payer="Josiah Venn", amount=12))
    first, second = align_records(ours, theirs)
    assert (first.right, second.right) == (theirs[1], theirs[0])
    assert first.cells == (
        CellPair(name="payer", left="Venn", right="Josiah Venn", verdict=Verdict.DIFFER),
        CellPair(name="amount", left=12, right=12, verdict=Verdict.AGREE),
        CellPair(name="certainty", left="stated", right="stated", verdict=Verdict.AGREE),
    )
    assert (first.verdict, second.verdict) == (Verdict.DIFFER, Verdict.AGREE)


def test_records_of_one_sentence_are_paired_by_their_values() -> None:
    ours = (payment(100, payer="Venn", amount=1), payment(100, payer="Venn", amount=2))
    theirs = (payment(100, payer="Venn", amount=2, night=3), payment(100, payer="Venn", amount=1, night=3))
    pairs = align_records(ours, theirs)
    assert [(p.left.values["amount"], p.right.values["amount"]) for p in pairs if p.left and p.right] == [
        (1, 1),
        (2, 2),
    ]


def test_records_of_different_documents_are_never_one() -> None:
    pairs = align_records([payment(100, "doc-1", payer="Venn")], [payment(100, "doc-2", payer="Venn")])
    assert [pair.verdict for pair in pairs] == [Verdict.LEFT, Verdict.RIGHT]


def test_a_cell_that_one_side_fills_is_only_there() -> None:
    (pair,) = align_records([payment(100, payer="Venn", amount=1)], [payment(100, payer="Venn", amount=None)])
    assert [cell.verdict for cell in pair.cells] == [Verdict.AGREE, Verdict.LEFT, Verdict.AGREE]


def mirrored(pair: RecordPair) -> tuple[Record | None, Record | None, Verdict, list[tuple[str, str]]]:
    """A pair with its sides swapped, without the order and the spelling of its cells' names."""
    cells = sorted((cell.name.casefold(), cell.verdict.mirrored.value) for cell in pair.cells)
    return pair.right, pair.left, pair.verdict.mirrored, cells


def as_is(pair: RecordPair) -> tuple[Record | None, Record | None, Verdict, list[tuple[str, str]]]:
    """The same of a pair as it is."""
    cells = sorted((cell.name.casefold(), cell.verdict.value) for cell in pair.cells)
    return pair.left, pair.right, pair.verdict, cells


record_lists = st.lists(strategies.records, max_size=6, unique_by=lambda record: record.id)


@given(record_lists)
def test_records_compared_with_themselves_agree(records: list[Record]) -> None:
    pairs = align_records(records, records)
    assert [(pair.left, pair.right) for pair in pairs] == [(record, record) for record in records]
    assert {cell.verdict for pair in pairs for cell in pair.cells} <= {Verdict.AGREE}


@given(record_lists, record_lists)
def test_swapping_the_runs_swaps_the_sides_of_every_pair_of_records(left: list[Record], right: list[Record]) -> None:
    forward, back = align_records(left, right), align_records(right, left)
    assert sorted(map(repr, map(mirrored, back))) == sorted(map(repr, map(as_is, forward)))


@given(record_lists, record_lists)
def test_every_record_is_in_exactly_one_pair(left: list[Record], right: list[Record]) -> None:
    pairs = align_records(left, right)
    assert [pair.left for pair in pairs if pair.left] == left
    assert sorted(pair.right.id for pair in pairs if pair.right) == sorted(record.id for record in right)


sentence_lists = st.lists(
    st.lists(st.sampled_from("the Petrel Heron landed 85 40 cases not on 3 March".split()), max_size=6).map(
        lambda words: Sentence(text=" ".join(words), record_ids=())
    ),
    max_size=5,
)


@given(sentence_lists, sentence_lists)
def test_swapping_the_answers_swaps_the_sides_of_every_pair_of_sentences(
    left: list[Sentence], right: list[Sentence]
) -> None:
    forward, back = align_sentences(left, right), align_sentences(right, left)
    there = sorted((repr(p.left), repr(p.right), p.verdict.value) for p in forward)
    assert sorted((repr(p.right), repr(p.left), p.verdict.mirrored.value) for p in back) == there


@given(sentence_lists)
def test_an_answer_compared_with_itself_agrees(sentences: list[Sentence]) -> None:
    assert {pair.verdict for pair in align_sentences(sentences, sentences)} <= {Verdict.AGREE}


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("The Petrel landed 85 cases in all.", "In all, the Petrel landed 85 cases.", Verdict.AGREE),
        ("The Petrel landed 4,200 cases.", "The Petrel landed 4200 cases.", Verdict.AGREE),
        ("The Petrel landed 85 cases.", "The Petrel landed 40 cases.", Verdict.DIFFER),
        ("Petrel landed 85 cases.", "Heron landed 85 cases.", Verdict.DIFFER),
        ("Quill was paid for it.", "Quill was not paid for it.", Verdict.DIFFER),
        ("Quill didn't write it.", "Quill did not write it.", Verdict.AGREE),
    ],
)
def test_sentences_agree_with_the_same_figures_and_names(one: str, other: str, verdict: Verdict) -> None:
    (pair,) = align_sentences([Sentence(text=one, record_ids=())], [Sentence(text=other, record_ids=())])
    assert pair.verdict is verdict


def test_sentences_of_other_things_stand_alone() -> None:
    said = Sentence(text="The Petrel landed 85 cases.", record_ids=())
    other = Sentence(text="Mr. Quill denies everything.", record_ids=())
    assert [pair.verdict for pair in align_sentences([said], [other])] == [Verdict.LEFT, Verdict.RIGHT]


def test_a_run_compared_with_itself_agrees_in_everything() -> None:
    one = side(payment(1, payer="Venn", amount=3), sentences=("Venn paid 3.",))
    found = compare_runs(one, one)
    assert found.cells == {Verdict.AGREE: 3}
    assert [pair.verdict for pair in found.sentences] == [Verdict.AGREE]
    assert [pair.verdict for pair in found.snippets] == [Verdict.AGREE] * 2
    assert [pair.verdict for pair in found.schema] == [Verdict.AGREE] * 3
    assert found.settings == ()


def test_snippets_are_compared_by_whether_the_document_says_something() -> None:
    found = compare_runs(side(), side(snippets={"doc-1": ""}))
    assert found.snippets == (
        SnippetPair(document_id="doc-1", left=Said.SAYS, right=Said.SILENT),
        SnippetPair(document_id="doc-2", left=Said.SILENT, right=Said.UNREAD),
    )
    assert [pair.verdict for pair in found.snippets] == [Verdict.LEFT, Verdict.DIFFER]


def test_schemas_are_compared_by_names_and_kinds() -> None:
    one = side()
    other_schema = schema(
        replace(PAYER, name="Payer"), replace(AMOUNT, kind=TEXT), Field(name="day", meaning="", kind=TEXT)
    )
    other = replace(one, data=StructuredData(schema=other_schema, records=()))
    assert compare_runs(one, other).schema == (
        SchemaPair(path=("Payment",), left="record type", right="record type"),
        SchemaPair(path=("Payment", "payer"), left="text", right="text"),
        SchemaPair(path=("Payment", "amount"), left="number", right="text"),
        SchemaPair(path=("Payment", "day"), left="", right="text"),
    )


def test_only_the_documents_that_both_have_are_compared() -> None:
    one = side(payment(1, "doc-1", payer="Venn"), payment(1, "doc-2", payer="Penn"))
    other = replace(one, run=replace(one.run, document_ids=("doc-2", "doc-3")))
    found = compare_runs(one, other)
    assert (len(found.records), found.left_only, found.right_only) == (1, 1, 1)


def test_settings_that_differ_are_named() -> None:
    one = side()
    other = replace(one, run=replace(one.run, settings=replace(one.run.settings, model="b", rounds=3)))
    named = [(pair.name, pair.left, pair.right) for pair in compare_runs(one, other).settings]
    assert named == [("model", "a", "b"), ("rounds", 2, 3)]


def test_runs_without_records_and_answers_can_be_compared() -> None:
    bare = replace(side(), data=None, answer=None, context=RelevantContext(rounds=()))
    found = compare_runs(bare, bare)
    assert found == Comparison(sentences=(), records=(), snippets=(), schema=(), settings=(), left_only=0, right_only=0)


@pytest.mark.parametrize(
    ("levels", "score"),
    [
        (["a", "a", "a"], 1.0),
        (["a", "a", "b"], 1 / 3),
        (["a", None, None], 0.0),
        (["a", "a", None], 1 / 3),
        ([None, None], 1.0),
        (["a"], 1.0),
    ],
)
def test_the_score_is_the_share_of_pairs_that_have_it_alike(levels: list[str | None], score: float) -> None:
    assert pair_share(levels) == pytest.approx(score)


@given(st.lists(st.none() | st.sampled_from("abc"), max_size=7))
def test_the_score_counts_the_pairs_one_by_one(levels: list[str | None]) -> None:
    pairs = [(a, b) for i, a in enumerate(levels) for b in levels[i + 1 :] if a is not None or b is not None]
    assert pair_share(levels) == pytest.approx(sum(a == b for a, b in pairs) / len(pairs) if pairs else 1.0)


def test_repeats_that_say_the_same_agree_wholly() -> None:
    one = side(payment(1, payer="Venn", amount=3), sentences=("Venn paid 3.",))
    found = agreement_of([one, one, one])
    assert (found.records_score, found.answers_score, found.unstable) == (1.0, 1.0, ())


def test_what_repeats_do_not_have_alike_is_unstable() -> None:
    first = side(payment(1, payer="Venn", amount=3), sentences=("They paid 3.",))
    second = side(payment(1, payer="Venn", amount=4), sentences=("They paid 4.",))
    third = side(sentences=("They paid 3.",))
    found = agreement_of([first, second, third])
    assert [(cell.name, cell.values, round(cell.score, 2)) for cell in found.unstable] == [
        ("amount", (3, 4, None), 0.0),
        ("payer", ("Venn", "Venn", None), 0.33),
    ]
    assert [(term.term, term.held) for term in found.terms] == [("3", (True, False, True)), ("4", (False, True, False))]
    assert found.answers_score == pytest.approx(1 / 6)


def test_a_record_that_only_later_repeats_have_is_one_record() -> None:
    late = side(payment(50, payer="Penn", amount=9))
    (payer, amount) = agreement_of([side(), late, late]).cells
    assert (payer.values, amount.values) == ((None, "Penn", "Penn"), (None, 9, 9))

"""The sample of documents with nothing to say, and what looking at it says about all of them."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.changes import Entry, Look, Verdict
from r3con_core.checks.elusion import CONFIDENCE, draw, elusion_of, in_words, most_missed, silent_documents
from r3con_core.records import StructuredData
from r3con_core.schemas import Field, RecordType, Scalar, Schema
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round

IDS = [f"doc-{number}" for number in range(60)]


def look(document_id: str, verdict: Verdict, number: int = 1, undone: str = "") -> Entry:
    change = Look(document_id=document_id, verdict=verdict)
    return Entry(number=number, run_id="r", change=change, author="Ada", note="", made="2026", undone=undone)


def test_documents_with_an_empty_last_snippet_and_no_record_are_silent() -> None:
    def told(*texts: str) -> tuple[RelevanceSnippet, ...]:
        return tuple(RelevanceSnippet(document_id=IDS[at], text=text) for at, text in enumerate(texts))

    rounds = (Round(number=1, snippets=told("", "x", "")), Round(number=2, snippets=told("y", "", "")))
    name = Field(name="name", meaning="", kind=Scalar())
    schema = Schema(record_types=(RecordType(name="Party", meaning="", fields=(name,)),))
    empty = StructuredData(schema=schema, records=())
    assert silent_documents(RelevantContext(rounds=rounds), empty) == ("doc-1", "doc-2")
    assert silent_documents(RelevantContext(rounds=()), empty) == ()


def test_one_run_always_draws_the_same_documents_and_another_run_others() -> None:
    assert draw("run-a", IDS, 10) == draw("run-a", reversed(IDS), 10)
    assert draw("run-a", IDS, 10) != draw("run-b", IDS, 10)


@given(st.text(max_size=8), st.integers(0, 60), st.integers(0, 60))
def test_a_larger_sample_begins_with_the_smaller(run_id: str, one: int, two: int) -> None:
    small, large = sorted((one, two))
    assert draw(run_id, IDS, large)[:small] == draw(run_id, IDS, small)
    assert len(set(draw(run_id, IDS, large))) == large


def test_every_document_is_drawn_as_often_as_any_other() -> None:
    drawn = [document_id for run in range(600) for document_id in draw(f"run-{run}", IDS, 10)]
    counts = [drawn.count(document_id) for document_id in IDS]
    assert sum(counts) == 6000
    assert 65 < min(counts) <= max(counts) < 140


@pytest.mark.parametrize(
    ("population", "looked", "missed", "most"),
    [(10, 10, 0, 0), (10, 5, 0, 3), (1000, 10, 0, 257), (5000, 59, 0, 246), (1000, 10, 1, 392), (0, 0, 0, 0)],
)
def test_the_bound_has_known_values(population: int, looked: int, missed: int, most: int) -> None:
    assert most_missed(population, looked, missed) == most


def test_none_found_in_many_comes_near_the_rule_of_three() -> None:
    assert most_missed(100_000, 300, 0) / 100_000 == pytest.approx(3 / 300, rel=0.02)


def chance(population: int, holding: int, looked: int, missed: int) -> float:
    ways = sum(comb(holding, k) * comb(population - holding, looked - k) for k in range(missed + 1))
    return ways / comb(population, looked)


SAMPLES = st.tuples(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60)).filter(lambda s: s[2] <= s[1] <= s[0])


@given(SAMPLES)
def test_the_bound_is_the_largest_number_that_the_looks_leave_credible(sample: tuple[int, int, int]) -> None:
    population, looked, missed = sample
    most = most_missed(population, looked, missed)
    credible = [
        holding
        for holding in range(missed, population - looked + missed + 1)
        if chance(population, holding, looked, missed) >= 1 - CONFIDENCE
    ]
    assert most == max(credible)


@given(SAMPLES)
def test_looking_at_one_more_and_finding_nothing_never_widens_the_bound(sample: tuple[int, int, int]) -> None:
    population, looked, missed = sample
    if looked < population:
        assert most_missed(population, looked + 1, missed) <= most_missed(population, looked, missed)


def test_an_impossible_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="11 of 10"):
        most_missed(10, 11, 0)


def test_only_the_last_look_that_counts_at_a_document_of_the_sample_says_something() -> None:
    entries = [
        look("doc-1", Verdict.MISSED, 1),
        look("doc-1", Verdict.NOTHING, 2),
        look("doc-2", Verdict.MISSED, 3, undone="2027"),
        look("doc-3", Verdict.MISSED, 4),
        look("doc-9", Verdict.MISSED, 5),
    ]
    found = elusion_of(IDS, ["doc-1", "doc-2", "doc-3"], entries)
    assert (found.silent, found.sample, found.looked, found.missed) == (60, 3, 2, 1)


def test_what_the_looks_mean_is_told_in_words() -> None:
    none = [look(document_id, Verdict.NOTHING) for document_id in IDS[:10]]
    assert in_words(elusion_of(IDS, IDS[:10], none)) == (
        "Nothing was missed in 10 documents looked at. With 95 % confidence no more than 14 of the 60 that have nothing "
        "to say (23%) hold something. The more you look at, the narrower this gets."
    )
    missed = [*none, look("doc-0", Verdict.MISSED)]
    assert in_words(elusion_of(IDS, IDS[:10], missed)).startswith(
        "Something was missed in 1 of 10 documents looked at."
    )
    assert "nothing is left to chance" in in_words(elusion_of(IDS[:10], IDS[:10], none))
    assert in_words(elusion_of(IDS, IDS[:10], [])).startswith(
        "Nobody has looked yet. If nothing is found in 10 documents"
    )
    assert in_words(elusion_of(IDS[:10], IDS[:10], [])) == (
        "Nobody has looked yet. The sample is all of them, so looking at each leaves nothing to chance."
    )
    assert "nothing that could have been missed" in in_words(elusion_of([], [], []))

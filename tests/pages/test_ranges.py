"""Expected figures in words, and what a reader saw."""

import pytest

from pages.widgets.question.ranges import figures, likely, moneys, rough_money, times
from pages.widgets.relevance.sights import saw_in_words
from pages.widgets.words import money, round_figure
from r3con_core.figures import Figure, exactly
from r3con_core.snippets import Digest, SightCounts, digests_beside


def between(low: float, mid: float, high: float) -> Figure:
    return Figure(low=low, likely=mid, high=high)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (between(30, 36, 58), "30 to 58"),
        (between(90_000, 120_000, 180_000), "90 to 180 thousand"),
        (between(900, 1_000, 1_200), "900 to 1.2 thousand"),
        (between(900_000, 1e6, 1_400_000), "900 thousand to 1.4 million"),
        (between(1_190_000, 1.2e6, 1_210_000), "1.2 million"),
        (exactly(3), "3"),
    ],
)
def test_bounds_share_their_unit_and_are_one_figure_where_they_read_the_same(expected: Figure, words: str) -> None:
    assert figures(expected) == words


def test_what_is_likely_stands_before_its_bounds_or_alone_where_nothing_is_open() -> None:
    assert likely(between(30, 36, 58)) == "36 (30 to 58)"
    assert likely(exactly(1)) == "1"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (between(5, 10, 50), "under a minute"),
        (between(5, 10, 180), "up to 3 minutes"),
        (between(240, 400, 720), "4 to 12 minutes"),
        (between(2_400, 5_000, 10_800), "40 minutes to 3 hours"),
        (between(90_000, 200_000, 400_000), "25 hours to 4.6 days"),
    ],
)
def test_lengths_of_time_have_the_unit_that_fits(seconds: Figure, words: str) -> None:
    assert times(seconds) == words


def test_money_is_told_as_exactly_as_it_can_be_known() -> None:
    assert moneys(0.9, 2.1, "USD") == "0.90 to 2.10 USD"
    assert moneys(0.0032, 0.0661, "USD") == "0.0032 to 0.066 USD"
    assert moneys(0, 0, "EUR") == "0.00 EUR"
    assert rough_money(1234.5, "USD") == "1,234 USD"
    assert moneys(0.25374, 0.94123, "USD") == "0.25 to 0.94 USD"
    assert [money(amount, "USD") for amount in (0.00001, 0.0123, 1.029)] == [
        "under 0.0001 USD",
        "0.0123 USD",
        "1.03 USD",
    ]


@pytest.mark.parametrize(
    ("number", "words"), [(999.6, "1 thousand"), (9_960, "10 thousand"), (999_600, "1 million"), (12.4, "12")]
)
def test_round_figures_stay_round_at_the_edge_of_their_unit(number: float, words: str) -> None:
    assert round_figure(number) == words


def tree() -> list[Digest]:
    """Eight documents in four groups of two, those in two groups of two."""
    ids = [f"d{number}" for number in range(1, 9)]
    leaves = [Digest(level=1, number=n + 1, covers=tuple(ids[2 * n : 2 * n + 2]), text="") for n in range(4)]
    return [*leaves, *(Digest(level=2, number=n + 1, covers=tuple(ids[4 * n : 4 * n + 4]), text="") for n in range(2))]


def test_a_reader_is_told_the_digests_beside_the_path_to_its_document() -> None:
    beside = {i: [(digest.level, digest.number) for digest in shown] for i, shown in digests_beside(tree()).items()}
    assert beside["d3"] == beside["d4"] == [(2, 2), (1, 1)]
    assert beside["d8"] == [(2, 1), (1, 3)]
    assert "d9" not in beside
    assert (digests_beside([]), digests_beside([Digest(level=1, number=1, covers=(), text="")])) == ({}, {})


def test_what_a_reader_saw_is_told_in_full_shortened_and_within_digests() -> None:
    assert saw_in_words(SightCounts(whole=1, digested=6), 2) == "1 snippet in full, 6 within 2 digests"
    assert saw_in_words(SightCounts(shortened=1, digested=1), 1) == "1 snippet shortened, 1 within 1 digest"


def test_where_a_reader_stands_outside_of_the_groups_its_digests_are_not_counted() -> None:
    assert saw_in_words(SightCounts(shortened=1, digested=1), 0) == "1 snippet shortened, 1 within digests"


def test_a_reader_that_saw_everything_saw_all_other_snippets() -> None:
    assert saw_in_words(SightCounts(whole=1), 0) == "all other snippets"
    assert saw_in_words(SightCounts(), 0) == "no snippet, since no other document had anything to say"
    assert saw_in_words(None, 0) == ""

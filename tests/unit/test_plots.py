"""What plots show: every record in one bar, every number in one bin."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.views.groupings import Grouping, Measure
from r3con_core.views.plots import MOST_GROUPS, Asked, Bin, bins_of, pairs_of, points_of
from tests.unit.test_table_search import PAYMENTS, row

BY_AMOUNT = Asked(by=Grouping(column="amount"))


def test_bars_are_told_largest_first_and_lines_in_order() -> None:
    by_day = Asked(by=Grouping(column="day"))
    assert [(one.at, one.value) for one in points_of(PAYMENTS.rows, BY_AMOUNT, in_order=False)] == [
        ("40", 2.0),
        ("2.5", 1.0),
        ("7", 1.0),
        ("(empty)", 1.0),
    ]
    assert [one.at for one in points_of(PAYMENTS.rows, by_day, in_order=True)] == [
        "1931",
        "1931-03-04",
        "1932-01",
        "last winter",
        "(empty)",
    ]


def test_a_mean_is_of_the_numbers_there_are() -> None:
    asked = Asked(by=Grouping(column="document"), how=Measure.MEAN, column="amount")
    assert [(one.at, one.value, one.records) for one in points_of(PAYMENTS.rows, asked, in_order=True)] == [
        ("1", None, 1),
        ("2", 40.0, 2),
        ("3", pytest.approx(4.75), 2),
    ]


def test_the_smallest_of_many_groups_are_told_together() -> None:
    points = points_of([row(at, None, at) for at in range(MOST_GROUPS + 9)], BY_AMOUNT, in_order=False)
    assert len(points) == MOST_GROUPS
    assert [(one.at, one.records) for one in points if one.together] == [("10 smaller ones", 10)]


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(-9, 9)), max_size=20), st.booleans())
def test_every_record_is_in_one_point(values: list[tuple[int, int | None]], in_order: bool) -> None:
    rows = [row(at, str(day), amount) for at, (day, amount) in enumerate(values)]
    asked = Asked(by=Grouping(column="day"), split=Grouping(column="certainty"))
    assert sum(one.records for one in points_of(rows, asked, in_order=in_order)) == len(rows)


@given(st.lists(st.floats(-1e6, 1e6), max_size=30), st.integers(1, 12))
def test_every_number_is_in_one_bin_and_bins_join(numbers: list[float], count: int) -> None:
    bins = bins_of([row(at, None, number) for at, number in enumerate(numbers)], "amount", count)
    assert sum(one.count for one in bins) == len(numbers)
    if bins:
        assert (bins[0].low, bins[-1].high) == (min(numbers), max(numbers))
        assert all(one.high == later.low for one, later in pairwise(bins))


def test_equal_numbers_are_one_bin() -> None:
    assert bins_of([row(1, None, 4), row(2, None, 4.0)], "amount", 8) == (Bin(low=4.0, high=4.0, count=2),)


def test_dots_are_the_records_that_hold_both() -> None:
    assert [(one.label, one.x, one.y) for one in pairs_of(PAYMENTS.rows, "day", "amount")] == [
        ("R1", "1931-03-04", 40.0),
        ("R2", "1931", 2.5),
        ("R4", "1932-01", 40.0),
        ("R5", "last winter", 7.0),
    ]

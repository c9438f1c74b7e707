"""What filters keep of a table, and rows put together: every filter narrows, every group has its own rows."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.records import Certainty
from r3con_core.views.groupings import EMPTY, Grouping, Measure, Period, group_rows, key_of, measured
from r3con_core.views.table_search import (
    ColumnFilter,
    Presence,
    Search,
    find_places,
    find_rows,
    fits,
    range_of,
    values_in,
)
from r3con_core.views.tables import Cell, Origin, Proof, Row, Table


def row(number: int, day: Cell = None, amount: Cell = None, **more: object) -> Row:
    said: dict[str, object] = {"origin": Origin.MODEL, "counts": True, "changed": (), **more}
    return Row(
        record_id=f"rec-{number}",
        label=f"R{number}",
        document=number % 3 + 1,
        proof=Proof.EXACT,
        set_aside=False,
        said_by=None,
        certainty=tuple(Certainty)[number % 4],
        cells={"day": day, "amount": amount},
        text=f"r{number}",
        **said,  # type: ignore[arg-type]
    )


def table(*rows: Row) -> Table:
    return Table(record_type="Payment", columns=("day", "amount"), rows=rows)


PAYMENTS = table(
    row(1, "1931-03-04", 40),
    row(2, "1931", 2.5, origin=Origin.CHANGED, changed=("amount",)),
    row(3, None, None, origin=Origin.REJECTED, counts=False),
    row(4, "1932-01", 40.0),
    row(5, "last winter", 7, origin=Origin.ADDED),
)


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        (ColumnFilter(column="amount", least=7.0), ["R1", "R4", "R5"]),
        (ColumnFilter(column="amount", most=7.0), ["R2", "R5"]),
        (ColumnFilter(column="amount", values=frozenset({"40"})), ["R1", "R4"]),
        (ColumnFilter(column="amount", presence=Presence.EMPTY), ["R3"]),
        (ColumnFilter(column="amount", presence=Presence.FILLED), ["R1", "R2", "R4", "R5"]),
        (ColumnFilter(column="day", least="1931-03", most="1931"), ["R1", "R2"]),
        (ColumnFilter(column="day", least="1931-04", most="1932"), ["R2", "R4"]),
        (ColumnFilter(column="day", words="WINTER last"), ["R5"]),
        (ColumnFilter(column="day"), ["R1", "R2", "R3", "R4", "R5"]),
    ],
)
def test_a_filter_of_a_column_keeps_what_it_names(wanted: ColumnFilter, labels: list[str]) -> None:
    assert [one.label for one in find_rows(PAYMENTS, Search(columns=(wanted,)))] == labels


@pytest.mark.parametrize(
    ("search", "labels"),
    [
        (Search(origins=frozenset({Origin.CHANGED, Origin.ADDED})), ["R2", "R5"]),
        (Search(origins=frozenset({Origin.REJECTED})), ["R3"]),
        (Search(only_counting=True), ["R1", "R2", "R4", "R5"]),
    ],
)
def test_what_people_did_can_be_looked_for_and_hidden(search: Search, labels: list[str]) -> None:
    assert [one.label for one in find_rows(PAYMENTS, search)] == labels


def test_places_are_those_of_the_rows() -> None:
    assert find_places(PAYMENTS, Search(certainties=frozenset({Certainty.ALLEGED}))) == (0, 4)


cells: st.SearchStrategy[Cell] = (
    st.none()
    | st.booleans()
    | st.integers(-50, 50)
    | st.floats(-50, 50)
    | st.sampled_from(["", "1931", "1931-03", "x"])
)
filters = st.builds(
    ColumnFilter,
    column=st.sampled_from(["day", "amount"]),
    words=st.sampled_from(["", "1", "x"]),
    least=st.none() | st.floats(-50, 50) | st.sampled_from(["1931", "1931-02"]),
    most=st.none() | st.floats(-50, 50) | st.sampled_from(["1931", "1931-04"]),
    presence=st.sampled_from(Presence),
)


@given(st.lists(st.tuples(cells, cells), max_size=8), filters, filters)
def test_two_filters_keep_what_each_of_them_keeps(
    values: list[tuple[Cell, Cell]], one: ColumnFilter, other: ColumnFilter
) -> None:
    found = table(*(row(at, *both) for at, both in enumerate(values)))
    both = set(find_places(found, Search(columns=(one, other))))
    each = [set(find_places(found, Search(columns=(alone,)))) for alone in (one, other)]
    assert both == each[0] & each[1]


@given(cells)
def test_a_cell_is_either_filled_or_empty(cell: Cell) -> None:
    kept = [fits(cell, ColumnFilter(column="day", presence=one)) for one in (Presence.FILLED, Presence.EMPTY)]
    assert sorted(kept) == [False, True]


def test_values_of_a_column_are_told_commonest_first_unless_there_are_too_many() -> None:
    assert values_in(PAYMENTS, "amount", 10) == ("40", "2.5", "7")
    assert values_in(PAYMENTS, "amount", 2) == ()
    assert range_of(PAYMENTS, "amount") == (2.5, 40.0)
    assert range_of(PAYMENTS, "day") is None


@pytest.mark.parametrize(
    ("period", "keys"),
    [
        (Period.EXACT, ["1931-03-04", "1931", EMPTY, "1932-01", "last winter"]),
        (Period.MONTH, ["1931-03", "1931", EMPTY, "1932-01", "last winter"]),
        (Period.YEAR, ["1931", "1931", EMPTY, "1932", "last winter"]),
    ],
)
def test_dates_are_put_together_by_period_and_no_month_is_made_up(period: Period, keys: list[str]) -> None:
    assert [key_of(one, Grouping(column="day", period=period)) for one in PAYMENTS.rows] == keys


@given(st.lists(st.tuples(cells, cells), max_size=12), st.sampled_from(["day", "amount", "document", "certainty"]))
def test_every_row_is_in_one_group_and_sums_agree(values: list[tuple[Cell, Cell]], column: str) -> None:
    rows = [row(at, *both) for at, both in enumerate(values)]
    groups = group_rows(rows, Grouping(column=column))
    assert sorted(one.label for group in groups.values() for one in group) == sorted(one.label for one in rows)
    whole = measured(rows, Measure.SUM, "amount") or 0.0
    parts = [measured(group, Measure.SUM, "amount") or 0.0 for group in groups.values()]
    assert sum(parts) == pytest.approx(whole)


def test_groups_are_told_largest_first_and_the_empty_one_last() -> None:
    groups = group_rows([*PAYMENTS.rows, row(6), row(7), row(8)], Grouping(column="amount"))
    assert [(name, labels(group)) for name, group in groups.items()] == [
        ("40", ["R1", "R4"]),
        ("2.5", ["R2"]),
        ("7", ["R5"]),
        (EMPTY, ["R3", "R6", "R7", "R8"]),
    ]


def labels(rows: Sequence[Row]) -> list[str]:
    return [one.label for one in rows]


def test_no_numbers_have_no_sum_and_no_mean() -> None:
    assert measured([row(1)], Measure.MEAN, "amount") is None
    assert measured([row(1)], Measure.COUNT) == 1.0
    assert measured(PAYMENTS.rows, Measure.MEAN, "amount") == pytest.approx(22.375)

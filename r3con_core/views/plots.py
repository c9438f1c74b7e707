"""What plots of a table of records show, as figures: bars and lines of groups, pairs of numbers, how numbers spread.

Pure. What is drawn and what is taken away as data are the same figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from r3con_core.views.groupings import EMPTY, Grouping, Measure, cell_of, group_rows, key_of, measured, numbers_in
from r3con_core.views.tables import Row, in_words

MOST_GROUPS = 60
"""Drawn one by one; the smaller ones are put together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One bar, or one point of a line."""

    at: str
    series: str
    """The value it is split by; "" without one."""
    value: float | None
    """None where there is no number to tell."""
    records: int
    together: bool = False
    """It stands for several smaller groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What bars or a line show."""

    by: Grouping
    how: Measure = Measure.COUNT
    column: str = ""
    """Whose numbers; not for counts."""
    split: Grouping | None = None


def points_of(rows: Sequence[Row], asked: Asked, *, in_order: bool) -> tuple[Point, ...]:
    """One point a group and series: groups by name (`in_order`, for lines and dates), else the largest first."""
    groups = dict(group_rows(rows, asked.by))
    rest = ""
    if in_order:
        groups = {name: groups[name] for name in sorted(groups, key=lambda name: (name == EMPTY, name))}
    elif len(groups) > MOST_GROUPS:
        groups, rest = _put_together(groups)
    return tuple(
        Point(
            at=at,
            series=series,
            value=measured(those, asked.how, asked.column),
            records=len(those),
            together=at == rest,
        )
        for at, group in groups.items()
        for series, those in _series(group, asked.split)
    )


def _put_together(groups: dict[str, tuple[Row, ...]]) -> tuple[dict[str, tuple[Row, ...]], str]:
    names = list(groups)
    few, rest = names[: MOST_GROUPS - 1], names[MOST_GROUPS - 1 :]
    smaller = tuple(row for name in rest for row in groups[name])
    name = f"{len(rest):,} smaller ones"
    return {**{one: groups[one] for one in few}, name: smaller}, name


def _series(rows: tuple[Row, ...], split: Grouping | None) -> list[tuple[str, tuple[Row, ...]]]:
    if split is None:
        return [("", rows)]
    return [(name, tuple(row for row in rows if key_of(row, split) == name)) for name in group_rows(rows, split)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One record as a dot."""

    record_id: str
    label: str
    x: float | str
    """A number, or a date as it is stated."""
    y: float


def pairs_of(rows: Sequence[Row], x: str, y: str) -> tuple[Pair, ...]:
    """The records that hold both, `y` as a number, in the table's order."""
    return tuple(
        Pair(record_id=row.record_id, label=row.label, x=across, y=float(up))
        for row in rows
        if (across := _across(row, x)) is not None
        and isinstance(up := cell_of(row, y), int | float)
        and not isinstance(up, bool)
    )


def _across(row: Row, column: str) -> float | str | None:
    cell = cell_of(row, column)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return in_words(cell) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """How many numbers lie from `low` up to, but for the last bin not including, `high`."""

    low: float
    high: float
    count: int


def bins_of(rows: Sequence[Row], column: str, bins: int) -> tuple[Bin, ...]:
    """The numbers of a column in so many bins of one width; one bin when all are equal, none without numbers."""
    numbers = numbers_in(rows, column)
    if not numbers:
        return ()
    low, high = min(numbers), max(numbers)
    width = (high - low) / bins
    if width == 0 or low + width == low:
        return (Bin(low=low, high=high, count=len(numbers)),)
    counts = [0] * bins
    for number in numbers:
        counts[min(int((number - low) / width), bins - 1)] += 1
    edges = [low + width * at for at in range(bins)] + [high]
    return tuple(Bin(low=edges[at], high=edges[at + 1], count=counts[at]) for at in range(bins))

"""Groups of records, and what is computed of each: counts, exact sums and means, ends, different values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from r3con_core.queries.columns import Column, Columns, Holds, number_in, values_in
from r3con_core.queries.fitting import Fit, date_in, leveled
from r3con_core.queries.joining import Pair
from r3con_core.queries.query import Compute, Query
from r3con_core.records import Value
from r3con_core.views.groupings import EMPTY, Period
from r3con_core.views.tables import flat, in_words
from r3con_core.views.timelines import When

Cell = str | int | float | bool | Fraction | None
NUMBER_OF_RECORDS = "number of records"
"""A column; no field's name has blanks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One line of a result."""

    cells: tuple[Cell, ...]
    """By column; what is computed is a Fraction."""
    record_ids: tuple[str, ...]
    """What it rests on, each once, in data order of the queried records."""
    in_doubt: int = 0
    """How many of the queried records under it fit perhaps only, or may be the end asked for, for want of a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Pairs that agree in what they are grouped by."""

    shown: tuple[Cell, ...]
    """By grouping column, as its first record writes it."""
    pairs: list[Pair]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A value computed of a group, and what of the group it rests on."""

    cell: Cell
    pairs: Sequence[Pair]
    open: bool = False
    """Another value may be it as well: two dates that are not known to the day overlap."""


def held(pair: Pair, column: Column, numbers: Mapping[str, int]) -> tuple[Value, ...]:
    """What a pair holds in a column."""
    record = pair.side(column)
    return () if record is None else values_in(record, column, numbers)


def fits_of(pairs: Iterable[Pair]) -> dict[str, Fit]:
    """The queried records of `pairs`, each with the best fit of its pairs."""
    fits: dict[str, Fit] = {}
    for pair in pairs:
        fits[pair.own.id] = max(pair.fit, fits.get(pair.own.id, Fit.NO))
    return fits


def computed(
    pairs: Sequence[Pair], query: Query, columns: Columns, numbers: Mapping[str, int]
) -> tuple[tuple[str, ...], list[ResultRow]]:
    """The columns, and one row a group, the largest first; one row in all where nothing groups."""
    by = [columns[name] for name in query.group_by]
    over = columns[query.over] if query.over else None
    if query.compute is Compute.DISTINCT:
        assert over is not None, "a query is checked before it is carried out"
        by, over = [*by, over], None
        pairs = [pair for pair in pairs if held(pair, by[-1], numbers)]
    groups = _groups(pairs, by, query.period, numbers) if by else [_Group(shown=(), pairs=list(pairs))]
    told = () if over is None else (measure_name(query),)
    rows = [_row(group, query.compute, over, numbers) for group in groups]
    return (*(column.name for column in by), *told, NUMBER_OF_RECORDS), rows


def measure_name(query: Query) -> str:
    """The column of what is computed, such as "sum of amount"."""
    return f"{query.compute.value} of {query.over}"


def _groups(pairs: Sequence[Pair], by: Sequence[Column], period: Period, numbers: Mapping[str, int]) -> list[_Group]:
    """A pair with several values in a column is in several groups."""
    groups: dict[tuple[str, ...], _Group] = {}
    for pair in pairs:
        keys = [dict(_key(value, one, period) for value in held(pair, one, numbers) or (None,)) for one in by]
        for at in product(*keys):
            shown = tuple(words[key] for words, key in zip(keys, at, strict=True))
            groups.setdefault(at, _Group(shown=shown, pairs=[])).pairs.append(pair)
    return sorted(groups.values(), key=lambda group: (EMPTY in group.shown, -len(fits_of(group.pairs))))


def _key(value: Value, column: Column, period: Period) -> tuple[str, Cell]:
    """What tells groups apart, and how the group is called."""
    if value is None:
        return EMPTY, EMPTY
    if column.holds is Holds.NUMBER and (number := number_in(value)) is not None:
        return f"{number.numerator:x}/{number.denominator:x}", number
    when = date_in(value) if column.holds is Holds.DATE else None
    if when is None:
        return leveled(value, column.holds), in_words(flat(value))
    letters = {Period.YEAR: 4, Period.MONTH: 7}.get(period, 0)
    told = when.first.isoformat()[:letters] if letters and len(when.text) >= letters else when.text
    return told, told


def _row(group: _Group, compute: Compute, over: Column | None, numbers: Mapping[str, int]) -> ResultRow:
    measured = _Measured(cell=None, pairs=group.pairs)
    if over is not None:
        measured = _MEASURES[compute](_occurrences(group.pairs, over, numbers), over)
        owners = {pair.own.id for pair in measured.pairs}
        if not over.joined:  # all that a record is paired with, not only the pair its value was taken from
            resting = [pair for pair in group.pairs if pair.own.id in owners]
            measured = _Measured(cell=measured.cell, pairs=resting, open=measured.open)
    fits = fits_of(measured.pairs)
    doubt = sum(fit is Fit.PERHAPS for fit in fits.values())
    return ResultRow(
        cells=(*group.shown, *((measured.cell,) if over else ()), Fraction(len(fits))),
        record_ids=tuple(dict.fromkeys(i for pair in measured.pairs for i in pair.record_ids)),
        in_doubt=max(doubt, int(measured.open)),
    )


Occurrences = list[tuple[Value, Pair]]


def _occurrences(pairs: Sequence[Pair], column: Column, numbers: Mapping[str, int]) -> Occurrences:
    """Each value with a pair that holds it; those of a queried record once, however many it is paired with."""
    once = {pair.own.id: pair for pair in reversed(pairs)}
    counted = pairs if column.joined else [once[i] for i in fits_of(pairs)]
    return [(value, pair) for pair in counted for value in held(pair, column, numbers)]


def _numbers(occurrences: Occurrences) -> list[tuple[Fraction, Pair]]:
    return [(number, pair) for value, pair in occurrences if (number := number_in(value)) is not None]


def _sum(occurrences: Occurrences, _: Column) -> _Measured:
    numbers = _numbers(occurrences)
    total = sum((number for number, _ in numbers), Fraction(0)) if numbers else None
    return _Measured(cell=total, pairs=[pair for _, pair in numbers])


def _mean(occurrences: Occurrences, column: Column) -> _Measured:
    total = _sum(occurrences, column)
    assert total.cell is None or isinstance(total.cell, Fraction), "a sum is exact"
    return total if total.cell is None else _Measured(cell=total.cell / len(total.pairs), pairs=total.pairs)


def _smallest(occurrences: Occurrences, column: Column) -> _Measured:
    if column.holds is Holds.DATE:
        return _end(occurrences, last=False)
    numbers = _numbers(occurrences)
    least = min((number for number, _ in numbers), default=None)
    return _Measured(cell=least, pairs=[pair for number, pair in numbers if number == least])


def _largest(occurrences: Occurrences, column: Column) -> _Measured:
    if column.holds is Holds.DATE:
        return _end(occurrences, last=True)
    numbers = _numbers(occurrences)
    most = max((number for number, _ in numbers), default=None)
    return _Measured(cell=most, pairs=[pair for number, pair in numbers if number == most])


def _end(occurrences: Occurrences, *, last: bool) -> _Measured:
    """The first or last of dates; open when another one may lie beyond it."""
    dated = [(when, pair) for value, pair in occurrences if (when := date_in(value)) is not None]
    if not dated:
        return _Measured(cell=None, pairs=())
    chosen = max(dated, key=lambda one: _late(one[0]))[0] if last else min(dated, key=lambda one: _early(one[0]))[0]
    others = [when for when, _ in dated if (when.first, when.last) != (chosen.first, chosen.last)]
    beyond = any(when.last > chosen.first if last else when.first < chosen.last for when in others)
    pairs = [pair for when, pair in dated if (when.first, when.last) == (chosen.first, chosen.last)]
    return _Measured(cell=chosen.text, pairs=pairs, open=beyond)


def _early(when: When) -> tuple[int, int]:
    return when.first.toordinal(), when.last.toordinal()


def _late(when: When) -> tuple[int, int]:
    return when.last.toordinal(), when.first.toordinal()


_MEASURES: Mapping[Compute, Callable[[Occurrences, Column], _Measured]] = {
    Compute.SUM: _sum,
    Compute.MEAN: _mean,
    Compute.SMALLEST: _smallest,
    Compute.LARGEST: _largest,
}

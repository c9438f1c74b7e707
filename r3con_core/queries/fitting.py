"""Whether a record fits a test: yes, no, or perhaps, where its date is not known to the day."""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from r3con_core.method.grounding import plain
from r3con_core.queries.columns import Column, Columns, Holds, number_in, number_written, values_in
from r3con_core.queries.query import Condition, Test
from r3con_core.records import Record, Value
from r3con_core.views.graphs import level_name
from r3con_core.views.tables import flat, in_words
from r3con_core.views.timelines import When, when_of


class Fit(IntEnum):
    """In order, so that the least of several tests counts, and the best of several values."""

    NO = 0
    PERHAPS = 1
    """Its document dates it to a month or a year only, and part of that fits."""
    YES = 2


def fit_of(record: Record, tests: Sequence[Condition], columns: Columns, numbers: Mapping[str, int]) -> Fit:
    """How a record fits all of `tests`."""
    return min((_fit(record, test, columns[test.column], numbers) for test in tests), default=Fit.YES)


def _fit(record: Record, test: Condition, column: Column, numbers: Mapping[str, int]) -> Fit:
    held = values_in(record, column, numbers)
    match test.test:
        case Test.MISSING:
            return Fit.NO if held else Fit.YES
        case Test.GIVEN:
            return Fit.YES if held else Fit.NO
        case Test.DIFFERS:
            return Fit(Fit.YES - _best(held, test.values, column)) if held else Fit.NO
        case Test.EQUALS | Test.ONE_OF:
            return _best(held, test.values, column)
        case Test.CONTAINS:
            wanted = leveled(test.values[0], Holds.TEXT)
            return _yes(any(wanted in leveled(value, Holds.TEXT) for value in held))
        case Test.FROM | Test.TO:
            return max((_in_range(value, test, column) for value in held), default=Fit.NO)


def _yes(fits: bool) -> Fit:  # noqa: FBT001 - it is turned into its word
    return Fit.YES if fits else Fit.NO


def leveled(value: Value, holds: Holds) -> str:
    """A value as it is compared with others: whatever its case, typography and blanks."""
    told = in_words(flat(value))
    return level_name(told) if holds is Holds.NAME else " ".join(plain(told).split())


def _best(held: Iterable[Value], wanted: Sequence[str], column: Column) -> Fit:
    return max((_same(value, each, column) for value in held for each in wanted), default=Fit.NO)


def _same(value: Value, wanted: str, column: Column) -> Fit:
    if column.holds is Holds.NUMBER and (number := number_in(value)) is not None:
        return _yes(number == number_written(wanted))
    if column.holds is Holds.DATE and (when := date_in(value)) is not None:
        return _within(when, _date(wanted))
    return _yes(leveled(value, column.holds) == leveled(wanted, column.holds))


def date_in(value: Value) -> When | None:
    """A value that is a date."""
    return when_of(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _date(wanted: str) -> When:
    when = when_of(wanted)
    assert when is not None, "a query is checked before it is carried out"
    return when


def _within(when: When, wanted: When) -> Fit:
    if when.first >= wanted.first and when.last <= wanted.last:
        return Fit.YES
    return Fit.PERHAPS if when.last >= wanted.first and when.first <= wanted.last else Fit.NO


def _in_range(value: Value, test: Condition, column: Column) -> Fit:
    wanted, starts = test.values[0], test.test is Test.FROM
    if column.holds is Holds.NUMBER:
        number, bound = number_in(value), number_written(wanted)
        if number is None or bound is None:
            return Fit.NO
        return _yes(number >= bound if starts else number <= bound)
    when = date_in(value)
    return Fit.NO if when is None else _from(when, _date(wanted)) if starts else _to(when, _date(wanted))


def _from(when: When, bound: When) -> Fit:
    if when.first >= bound.first:
        return Fit.YES
    return Fit.PERHAPS if when.last >= bound.first else Fit.NO


def _to(when: When, bound: When) -> Fit:
    if when.last <= bound.last:
        return Fit.YES
    return Fit.PERHAPS if when.first <= bound.last else Fit.NO

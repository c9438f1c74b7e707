"""Rows of a table put together by what they hold: how many there are, their sum, their mean.

Pure. The same for grouped tables and for plots, so that both say the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.views.tables import Cell, Row, in_words
from r3con_core.views.timelines import when_of

DOCUMENT, CERTAINTY, SAID_BY, QUOTES, ORIGIN = "document", "certainty", "said_by", "quotes", "by hand"
"""Columns that every table has; no field has these names."""
OWN = (CERTAINTY, SAID_BY, DOCUMENT, QUOTES, ORIGIN)
"""All of them."""
EMPTY = "(empty)"


class Period(StrEnum):
    """How closely dates are told apart."""

    EXACT = "as they are"
    MONTH = "by month"
    YEAR = "by year"


class Measure(StrEnum):
    """What is told of a group of rows."""

    COUNT = "number of records"
    SUM = "sum"
    MEAN = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """What rows are put together by."""

    column: str
    """A field, or one of our own columns."""
    period: Period = Period.EXACT
    """For dates."""


def cell_of(row: Row, column: str) -> Cell:
    """What a row holds in a column, our own ones included."""
    match column:
        case "document":
            return row.document
        case "certainty":
            return row.certainty.value
        case "said_by":
            return row.said_by
        case "quotes":
            return row.proof.value
        case "by hand":
            return row.origin.value
        case _:
            return row.cells[column]


def key_of(row: Row, by: Grouping) -> str:
    """The group that a row is in, as people read it."""
    cell = cell_of(row, by.column)
    told = in_words(cell)
    if by.period is Period.EXACT or not told:
        return told or EMPTY
    when = when_of(told)
    if when is None:
        return told
    letters = 4 if by.period is Period.YEAR else 7
    return when.first.isoformat()[:letters] if len(when.text) >= letters else when.text


def group_rows(rows: Iterable[Row], by: Grouping) -> Mapping[str, tuple[Row, ...]]:
    """Rows by group, the largest group first, equals in the order of their first rows; what is empty last."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key_of(row, by), []).append(row)
    names = sorted(groups, key=lambda name: (name == EMPTY, -len(groups[name])))
    return {name: tuple(groups[name]) for name in names}


def numbers_in(rows: Sequence[Row], column: str) -> list[float]:
    """The numbers that rows hold in a column, in their order; other cells are left out."""
    cells = (cell_of(row, column) for row in rows)
    return [float(cell) for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]


def measured(rows: Sequence[Row], how: Measure, column: str = "") -> float | None:
    """What `how` says of the rows and the numbers in `column`; None for the sum or mean of no numbers."""
    if how is Measure.COUNT:
        return float(len(rows))
    numbers = numbers_in(rows, column)
    if not numbers:
        return None
    total = sum(numbers)
    return total if how is Measure.SUM else total / len(numbers)

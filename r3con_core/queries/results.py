"""What comes of a query: rows, each with the records it rests on. Sums and means are exact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from r3con_core.errors import QueryError
from r3con_core.queries.columns import Columns, Holds, check_query
from r3con_core.queries.computing import Cell, ResultRow, computed, fits_of, held
from r3con_core.queries.fitting import Fit, date_in, fit_of
from r3con_core.queries.joining import Pair, pair_up
from r3con_core.queries.query import Compute, Query
from r3con_core.records import Record, StructuredData
from r3con_core.views.tables import flat, in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a query gives."""

    columns: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    of_type: int
    """Records of the queried type."""
    not_counting: int
    """Those of them left out: set aside, taken out by people, or of a certainty that does not count."""
    kept: int
    """Records that fit."""
    in_doubt: int
    """Those of them that fit perhaps only."""
    without_value: int = 0
    """Those of them that hold nothing to compute with."""
    cut: int = 0
    """Rows beyond the limit."""


def carry_out(query: Query, data: StructuredData, numbers: Mapping[str, int]) -> Result:
    """The result over `data`; `numbers` are those of the documents. QueryError when the query makes no sense for it."""
    columns = check_query(query, data.schema)
    everything = data.of_type(query.record_type)
    counting = [one for one in everything if one.counts and one.certainty in query.certainties]
    asking = _Asking(query=query, data=data, columns=columns, numbers=numbers)
    pairs = asking.pairs(counting)
    names, rows = asking.listed(pairs) if query.compute is Compute.LIST else computed(pairs, query, columns, numbers)
    rows = _sorted(rows, names, query, columns)
    fits = fits_of(pairs)
    filled = {pair.own.id for pair in pairs if not query.over or held(pair, columns[query.over], numbers)}
    return Result(
        columns=names,
        rows=tuple(rows[: query.limit or None]),
        of_type=len(everything),
        not_counting=len(everything) - len(counting),
        kept=len(fits),
        in_doubt=sum(fit is Fit.PERHAPS for fit in fits.values()),
        without_value=len(fits) - len(filled),
        cut=max(0, len(rows) - query.limit) if query.limit else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """A query at work on its data."""

    query: Query
    data: StructuredData
    columns: Columns
    numbers: Mapping[str, int]

    def pairs(self, counting: Sequence[Record]) -> list[Pair]:
        """The records that fit all tests, with those they name."""
        tests = self.query.tests
        own = [test for test in tests if not self.columns[test.column].joined]
        theirs = [test for test in tests if self.columns[test.column].joined]
        bare = {name: replace(column, joined=False) for name, column in self.columns.items()}
        fits = ((record, fit_of(record, own, bare, self.numbers)) for record in counting)
        kept = (Pair(own=record, fit=fit) for record, fit in fits if fit is not Fit.NO)
        pairs = pair_up(kept, self.query, self.data, self.columns)
        if not theirs:
            return pairs
        tested = [(pair, fit_of(pair.joined, theirs, bare, self.numbers)) for pair in pairs if pair.joined is not None]
        return [replace(pair, fit=min(pair.fit, fit)) for pair, fit in tested if fit is not Fit.NO]

    def listed(self, pairs: Sequence[Pair]) -> tuple[tuple[str, ...], list[ResultRow]]:
        """The columns, and one row a pair."""
        query, schema = self.query, self.data.schema
        fields = [(field.name, field.name) for field in schema.get(query.record_type).fields]
        names = ["record", *(name for name, _ in fields), "certainty", "document"]
        theirs: list[str] = []
        if query.join:
            kinds = {column.path[0]: None for column in self.columns.values() if column.joined and not column.own}
            theirs = list(kinds)
            names += [f"{query.join.field}.{name}" for name in ("record", *theirs, "certainty", "document")]
        rows = [
            ResultRow(
                cells=(
                    *self._cells(pair.own, [name for name, _ in fields]),
                    *(self._cells(pair.joined, theirs) if query.join else ()),
                ),
                record_ids=pair.record_ids,
                in_doubt=int(pair.fit is Fit.PERHAPS),
            )
            for pair in pairs
        ]
        return tuple(names), rows

    def _cells(self, record: Record | None, fields: Sequence[str]) -> tuple[Cell, ...]:
        if record is None:
            return (None,) * (len(fields) + 3)
        values = (flat(record.values.get(name)) for name in fields)
        document = self.numbers[record.document_id]
        return (self.data.label(record.id), *values, record.certainty.value, document)


Key = tuple[int, Fraction, date, date, str]


def _sorted(rows: list[ResultRow], names: Sequence[str], query: Query, columns: Columns) -> list[ResultRow]:
    """In the order asked for; equal rows stay as they were, and rows without a value come last either way."""
    if not query.sort_by:
        return rows
    if query.sort_by not in names:
        raise QueryError(f"The result has no column {query.sort_by!r} to sort by. It has: {', '.join(names)}.")
    at = names.index(query.sort_by)
    column = columns.get(query.sort_by) or columns.get(query.over)
    dates = column is not None and column.holds is Holds.DATE
    filled = [row for row in rows if row.cells[at] not in (None, "")]
    rest = [row for row in rows if row.cells[at] in (None, "")]
    return [*sorted(filled, key=lambda row: _key(row.cells[at], dates=dates), reverse=query.descending), *rest]


def _key(cell: Cell, *, dates: bool) -> Key:
    """Numbers before dates before words, each in its own order; a date by the first day it may mean."""
    none, never = Fraction(0), date.min
    if isinstance(cell, int | float | Fraction) and not isinstance(cell, bool):
        finite = cell if not isinstance(cell, float) else Fraction(repr(cell)) if abs(cell) < float("inf") else none
        return 0, Fraction(finite), never, never, ""
    told = in_words(cell) if not isinstance(cell, Fraction) else ""
    when = date_in(told) if dates else None
    if when is not None:
        return 1, none, when.first, when.last, ""
    return 2, none, never, never, told.casefold()

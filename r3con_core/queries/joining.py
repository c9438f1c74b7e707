"""Records with those they name: every one of that name, or only the latest that is not after a date."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from r3con_core.errors import QueryError
from r3con_core.queries.columns import Column, Columns, Holds, columns_of, joinable, values_in
from r3con_core.queries.fitting import Fit, date_in, leveled
from r3con_core.queries.query import Join, Query
from r3con_core.records import Record, StructuredData
from r3con_core.views.timelines import When

MOST_PAIRS = 200_000
"""To be looked at: five hundred records that share one name with four hundred others make as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A record, with one that it names where the query joins and there is one."""

    own: Record
    joined: Record | None = None
    fit: Fit = Fit.YES

    @property
    def record_ids(self) -> tuple[str, ...]:
        """What it rests on."""
        return (self.own.id, *([self.joined.id] if self.joined else []))

    def side(self, column: Column) -> Record | None:
        """The record that a column is of."""
        return self.joined if column.joined else self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class _Partners:
    """The records that can be named, and the columns that name and date them."""

    by_name: Mapping[str, Sequence[Record]]
    names: Column
    dates: Column | None = None
    own_dates: Column | None = None

    def of(self, pair: Pair) -> Iterator[Sequence[Record]]:
        """For each name in the record, the records of that name."""
        yield from (self.by_name.get(name, ()) for name in _names(pair.own, self.names))


def pair_up(kept: Iterable[Pair], query: Query, data: StructuredData, columns: Columns) -> list[Pair]:
    """Each record with those it names; one that names none stays alone. QueryError when that makes far too many."""
    if query.join is None:
        return list(kept)
    partners = _partners(query.join, query, data, columns)
    alone = list(kept)
    looks = sum(len(named) for pair in alone for named in partners.of(pair))
    if looks > MOST_PAIRS:
        raise QueryError(f"This join makes {looks:,} pairs, and may make {MOST_PAIRS:,}. Add tests that leave fewer.")
    return [made for pair in alone for made in _pairs_of(pair, partners)]


def _partners(join: Join, query: Query, data: StructuredData, columns: Columns) -> _Partners:
    kind = joinable(data.schema, query.record_type)[join.field]
    theirs = columns_of(data.schema, kind)
    label = theirs[data.schema.get(kind).label]
    by_name: dict[str, list[Record]] = {}
    for record in data.of_type(kind):
        if record.counts and record.certainty in query.certainties:
            for name in _names(record, label):
                by_name.setdefault(name, []).append(record)
    return _Partners(
        by_name=by_name,
        names=columns[join.field],
        dates=theirs[join.latest_by] if join.latest_by else None,
        own_dates=columns[join.not_after] if join.not_after else None,
    )


def _names(record: Record, column: Column) -> Iterator[str]:
    yield from dict.fromkeys(leveled(value, Holds.NAME) for value in values_in(record, column, {}))


def _pairs_of(pair: Pair, partners: _Partners) -> list[Pair]:
    pairs = []
    for named in partners.of(pair):
        if partners.dates is None or partners.own_dates is None:
            pairs += [Pair(own=pair.own, joined=one, fit=pair.fit) for one in named]
        else:
            pairs += _latest(pair, named, (partners.dates, partners.own_dates))
    return pairs or [pair]


def _latest(pair: Pair, named: Sequence[Record], dates: tuple[Column, Column]) -> list[Pair]:
    """Those of the latest date that is not after the record's own; in doubt where days are not known."""
    limits = _dates(pair.own, dates[1])
    if not limits:
        return []
    limit = max(limits, key=lambda when: (when.last, when.first))
    dated = [(when, one) for one in named for when in _dates(one, dates[0]) if when.first <= limit.last]
    if not dated:
        return []
    chosen = max((when for when, _ in dated), key=_days)
    rivals = any(when.last > chosen.first and _days(when) != _days(chosen) for when, _ in dated)
    sure = chosen.last <= limit.first and not rivals
    fit = pair.fit if sure else min(pair.fit, Fit.PERHAPS)
    same = {one.id: one for when, one in dated if _days(when) == _days(chosen)}
    return [Pair(own=pair.own, joined=one, fit=fit) for one in same.values()]


def _days(when: When) -> tuple[date, date]:
    return when.first, when.last


def _dates(record: Record, column: Column) -> list[When]:
    return [when for value in values_in(record, column, {}) if (when := date_in(value))]

"""What records tell by date: each event as precisely as its document dates it, uncertain ones as such, undated apart.

Pure. Dates are ISO 8601 as far as a document states them: 1931, 1931-03, 1931-03-04, or two of them with "/" between.
"""

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from r3con_core.records import Certainty, Record, StructuredData, Value
from r3con_core.schemas import Field, Group, ListOf, Scalar, ScalarType

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ].*)?")


class Precision(StrEnum):
    """How much of a date is known."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    SPAN = "span"
    """Between two dates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A date as precise as it is stated."""

    text: str
    """As it is stated."""
    first: date
    """The first day it may mean."""
    last: date
    """The last one."""
    precision: Precision

    @property
    def words(self) -> str:
        """Such as "4 March 1931", "some time in March 1931"."""
        match self.precision:
            case Precision.DAY:
                return day_in_words(self.first)
            case Precision.MONTH:
                return f"some time in {self.first:%B} {self.first.year}"
            case Precision.YEAR:
                return f"some time in {self.first.year}"
            case Precision.SPAN:
                return f"some time from {day_in_words(self.first)} to {day_in_words(self.last)}"


def day_in_words(day: date) -> str:
    """A day as people say it."""
    return f"{day.day} {day:%B} {day.year}"


def when_of(text: str) -> When | None:
    """The days that a date may mean; None when it is none, such as "last winter" or 30 February."""
    text = text.strip()
    begin, slash, end = text.partition("/")
    first, last = _day_range(begin), _day_range(end) if slash else None
    if first is None or (slash and last is None):
        return None
    if last is None:
        return When(text=text, first=first[0], last=first[1], precision=first[2])
    if last[1] < first[0]:
        return None
    return When(text=text, first=first[0], last=last[1], precision=Precision.SPAN)


def _day_range(text: str) -> tuple[date, date, Precision] | None:
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        if year is None or month is None:
            return date(year or 0, 1, 1), date(year or 0, 12, 31), Precision.YEAR
        if day is None:
            return date(year, month, 1), date(year, month, monthrange(year, month)[1]), Precision.MONTH
        return date(year, month, day), date(year, month, day), Precision.DAY
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One date of one record."""

    record_id: str
    field: str
    """The path of the date's field, such as "paid" or "stays.begin"."""
    when: When
    certainty: Certainty
    doubted: bool
    """The date does not occur in the record's document."""

    @property
    def uncertain(self) -> bool:
        """The day, or that it happened at all, is not certain."""
        return self.when.precision is not Precision.DAY or self.certainty is not Certainty.STATED or self.doubted

    @property
    def words(self) -> str:
        """When it was and how sure that is: "some time in March 1931, alleged"."""
        told = [self.when.words]
        if self.certainty is not Certainty.STATED:
            told.append(self.certainty.value)
        if self.doubted:
            told.append("this date is not in the document")
        return ", ".join(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The events of records in order of time, and the records without any."""

    events: tuple[Event, ...]
    """By first day, then last day, then in data order."""
    undated: tuple[tuple[str, str], ...]
    """Records with date fields and no date in them: their ids, and the words that are no date or ""."""


def date_fields(data: StructuredData) -> Mapping[str, tuple[str, ...]]:
    """Record type -> the paths of its date fields; types without any are left out."""
    found = {t.name: tuple(_date_paths(t.fields, "")) for t in data.schema.record_types}
    return {name: paths for name, paths in found.items() if paths}


def _date_paths(fields: Sequence[Field], above: str) -> Iterator[str]:
    for field in fields:
        kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
        if isinstance(kind, Group):
            yield from _date_paths(kind.fields, f"{above}{field.name}.")
        elif kind == Scalar(of=ScalarType.DATE):
            yield above + field.name


def timeline_of(records: Sequence[Record], fields: Mapping[str, tuple[str, ...]]) -> Timeline:
    """Every date that `records` hold in `fields` (record type -> paths); types that `fields` lacks are left out."""
    events: list[Event] = []
    undated: list[tuple[str, str]] = []
    for record in records:
        paths = fields.get(record.type, ())
        told = [(path, place, text) for path in paths for place, text in texts_at(record.values, path)]
        dated = [event for path, place, text in told if (event := _event(record, path, place, text))]
        events += dated
        if paths and not dated:
            undated.append((record.id, "; ".join(text for _, _, text in told)))
    events.sort(key=lambda event: (event.when.first, event.when.last))
    return Timeline(events=tuple(events), undated=tuple(undated))


def _event(record: Record, path: str, place: str, text: str) -> Event | None:
    when = when_of(text)
    if when is None:
        return None
    doubted = any(place == one or place.startswith(f"{one}.") for one in record.unsupported)
    return Event(record_id=record.id, field=path, when=when, certainty=record.certainty, doubted=doubted)


def texts_at(values: Mapping[str, Value], path: str) -> Iterator[tuple[str, str]]:
    """Every filled text at a path of fields, with its place, in which entries of lists have numbers: "items.2.day"."""
    name, _, rest = path.partition(".")
    value = values.get(name)
    numbered = [(f"{name}.{number}", one) for number, one in enumerate(value)] if isinstance(value, list) else []
    for place, item in numbered or [(name, value)]:
        if isinstance(item, Mapping) and rest:
            yield from ((f"{place}.{below}", text) for below, text in texts_at(item, rest))
        elif not rest and isinstance(item, str | int | float) and str(item).strip():
            yield place, str(item)


def count_by(events: Sequence[Event], *, months: bool) -> Mapping[str, tuple[int, int]]:
    """Year, or month, -> how many events begin in it: certain ones, uncertain ones; in order of time."""
    letters = 7 if months else 4
    seen = Counter((event.when.first.isoformat()[:letters], event.uncertain) for event in events)
    return {at: (seen[at, False], seen[at, True]) for at in sorted({at for at, _ in seen})}


def packed(spans: Sequence[tuple[int, int]], gap: int) -> tuple[int, ...]:
    """For each span of days, in order of their beginnings, the row it is drawn in, from 0: the first that is free.

    Two spans of one row are more than `gap` days apart.
    """
    ends: list[int] = []
    rows = []
    for first, last in spans:
        row = next((at for at, end in enumerate(ends) if first > end + gap), len(ends))
        if row == len(ends):
            ends.append(last)
        ends[row] = last
        rows.append(row)
    return tuple(rows)

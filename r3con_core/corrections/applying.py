"""What people changed of records, laid over what the model said. Pure; nothing of the model's is lost.

Every original record keeps its place and its id, so that labels never shift; records that people made come at the end.
Changes are applied in the order of their numbers. A correction of a record is the difference it makes: two corrections
of different fields do not disturb each other, whichever of them is taken back. Names are merged last, wherever a record
comes from.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import assert_never

from r3con_core.changes import (
    AddRecord,
    Correction,
    CorrectRecord,
    Entry,
    KeepApart,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
)
from r3con_core.corrections.carrying import Carry, as_made
from r3con_core.corrections.renaming import read_names
from r3con_core.evidence import Evidence, Grounded
from r3con_core.records import Record, Standing, StructuredData, record_id
from r3con_core.schemas import Schema
from r3con_core.views.graphs import level_name

GONE = "Its record is not there any more."
TAKEN = "Its record has been merged into another or split by a change that came before."
SAID = "The documents, as read now, give just this record already."
NO_TYPE = "The schema has no record type of that name any more."
NO_NAME = "No record is called so, or names one of them, any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A change that counts and could not be applied. It is kept, and applied again once it can be."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The records as they stand, and what became of every change."""

    data: StructuredData
    lost: tuple[Lost, ...]
    """In the order of their numbers."""
    by_record: Mapping[str, tuple[Entry, ...]]
    """Id of a record as it stands -> the changes that made it so, merged names left out."""
    names: tuple[Entry, ...]
    """The merges of names that count and apply."""
    written: Mapping[str, Mapping[str, str]]
    """Id of a record -> path of a name that is read otherwise, such as "owner" -> what the document has there."""
    left_out: Mapping[int, tuple[str, ...]]
    """Number of a change -> the fields it gives that the schema has no more; their values are left out."""


def apply_corrections(
    data: StructuredData, entries: Sequence[Entry], carry: Carry = as_made, given: Sequence[str] = ()
) -> Corrected:
    """The model's `data` with all changes of records that count laid over it; steering and looks are passed over.

    `given`: ids of the records of people that an answer was reasoned with. They keep their places, and so their labels,
    for as long as that answer is there; one whose change was taken back stands as rejected.
    """
    desk = _Desk(data)
    names: list[tuple[Entry, MergeNames]] = []
    counting = sorted((entry for entry in entries if entry.counts), key=lambda entry: entry.number)
    made = [(entry, entry.change) for entry in counting if isinstance(entry.change, Correction)]
    carried = [(entry, carry(change, entry.schema_version)) for entry, change in made]
    desk.left_out = {entry.number: one.left_out for entry, one in carried if one.left_out}
    changes = [(entry, one.change) for entry, one in carried]
    desk.keep_in_place(change for _, change in changes if change is not None)
    for entry, change in changes:
        if isinstance(change, MergeNames) and _has_type(data.schema, change.record_type):
            names.append((entry, change))
        else:
            desk.apply(entry, change)
    desk.hold_places(given, entries, carry)
    named = read_names(data.schema, desk.records, [change for _, change in names])
    lost = [
        *desk.lost,
        *(Lost(entry=entry, reason=NO_NAME) for entry, change in names if not _levels(change) & named.met),
    ]
    return Corrected(
        data=StructuredData(schema=data.schema, records=named.records, unread=data.unread),
        lost=tuple(sorted(lost, key=lambda one: one.entry.number)),
        by_record={record_id: tuple(found) for record_id, found in desk.by_record.items()},
        names=tuple(entry for entry, change in names if _levels(change) & named.met),
        written=named.written,
        left_out=desk.left_out,
    )


def _has_type(schema: Schema, name: str) -> bool:
    return any(record_type.name == name for record_type in schema.record_types)


def _levels(change: MergeNames) -> set[tuple[str, str]]:
    return {(change.record_type, level_name(name)) for name in change.names}


def records_of(change: Correction) -> tuple[Record, ...]:
    """The records a change is about, as they were when it was made; empty for changes of names."""
    match change:
        case CorrectRecord(of=of) | RejectRecord(of=of) | SplitRecord(of=of):
            return (of,)
        case MergeRecords(of=several):
            return several
        case AddRecord(record=record):
            return (record,)
        case MergeNames() | KeepApart():
            return ()
        case unreachable:
            assert_never(unreachable)


def _given_by(change: Correction | None) -> tuple[Record, ...]:
    match change:
        case AddRecord(record=record):
            return (record,)
        case SplitRecord(into=into):
            return into
        case _:
            return ()


class _Desk:
    """The records while changes are laid over them."""

    def __init__(self, data: StructuredData) -> None:
        self.schema = data.schema
        self.records = list(data.records)
        self.lost: list[Lost] = []
        self.by_record: dict[str, list[Entry]] = {}
        self.left_out: dict[int, tuple[str, ...]] = {}
        self._places = {record.id: place for place, record in enumerate(self.records)}
        self._said = data.records
        self._by_document: dict[tuple[str, str], list[tuple[int, Record]]] = {}
        self._moved: dict[str, int] = {}
        self._spoken_for: set[int] = set()

    def keep_in_place(self, changes: Iterable[Correction]) -> None:
        """Records that some change names by their id are no candidates for changes whose record is gone."""
        named = {record.id for change in changes for record in records_of(change)}
        self._spoken_for = {self._places[record_id] for record_id in named if record_id in self._places}

    def apply(self, entry: Entry, change: Correction | None) -> None:  # noqa: C901 - one case per kind
        """Lay one change over the records; a change that does not fit is lost, with the reason."""
        match change:
            case None | MergeNames():
                self._lose(entry, NO_TYPE)
            case KeepApart():
                pass
            case AddRecord(record=record):
                self._add(entry, (record,))
            case CorrectRecord(of=of, now=now):
                if (place := self._alive(entry, of, rejected_too=True)) is not None:
                    now = self._known(entry, now)
                    self._put(entry, place, patched(self.records[place], self._trimmed(of), now))
            case RejectRecord(of=of):
                if (place := self._alive(entry, of, rejected_too=True)) is not None:
                    self._put(entry, place, replace(self.records[place], standing=Standing.REJECTED))
            case MergeRecords():
                self._merge(entry, change)
            case SplitRecord(of=of, into=into):
                if (place := self._alive(entry, of)) is not None:
                    self._put(entry, place, replace(self.records[place], standing=Standing.SPLIT))
                    self._add(entry, into)
            case unreachable:
                assert_never(unreachable)

    def hold_places(self, given: Sequence[str], entries: Iterable[Entry], carry: Carry) -> None:
        """Have people's records with these ids first among those that people gave, in this order."""
        order = {record_id: place for place, record_id in enumerate(given)}
        if missing := order.keys() - self._places.keys():
            for entry in entries:
                self._take_back(entry, missing, carry)
        said = len(self._said)
        self.records[said:] = sorted(self.records[said:], key=lambda record: order.get(record.id, len(order)))

    def _take_back(self, entry: Entry, missing: Set[str], carry: Carry) -> None:
        """The records that this change gave, of those that are `missing`, as rejected ones."""
        if not isinstance(entry.change, AddRecord | SplitRecord):
            return
        for record in _given_by(carry(entry.change, entry.schema_version).change):
            if record.id in missing and record.id not in self._places and _has_type(self.schema, record.type):
                self._places[record.id] = len(self.records)
                self.records.append(replace(self._trimmed(record), standing=Standing.REJECTED))
                self.by_record[record.id] = [entry]

    def _merge(self, entry: Entry, change: MergeRecords) -> None:
        places = [place for of in change.of if (place := self._find(of)) is not None]
        if len(set(places)) < len(change.of):
            self._lose(entry, GONE)
            return
        if any(self.records[place].standing is not Standing.KEPT for place in places):
            self._lose(entry, TAKEN)
            return
        first, *others = places
        said = self._known(entry, change.now)
        before = self.records[first]
        changed = dict.fromkeys((*before.changed, *said.changed, *differing(change.of[0], said)))
        self._put(
            entry,
            first,
            replace(said, id=before.id, author=before.author, changed=tuple(changed), standing=Standing.KEPT),
        )
        for place in others:
            self._put(entry, place, replace(self.records[place], standing=Standing.MERGED))

    def _add(self, entry: Entry, records: Sequence[Record]) -> None:
        for record in records:
            if not _has_type(self.schema, record.type):
                self._lose(entry, NO_TYPE)
                return
            if len(records) == 1 and self._is_said_already(record):
                self._lose(entry, SAID)
                return
            if record.id not in self._places:
                self._places[record.id] = len(self.records)
                self.records.append(self._known(entry, record))
            self.by_record.setdefault(record.id, []).append(entry)

    def _is_said_already(self, record: Record) -> bool:
        """Whether a model has since said just this: counted twice it would be wrong in every sum."""
        quotes = [one.quote for one in record.evidence]
        same = record_id(record_type=record.type, document_id=record.document_id, values=record.values, quotes=quotes)
        return same in self._places and self.records[self._places[same]].counts

    def _put(self, entry: Entry, place: int, record: Record) -> None:
        self.records[place] = record
        self.by_record.setdefault(record.id, []).append(entry)

    def _lose(self, entry: Entry, reason: str) -> None:
        self.lost.append(Lost(entry=entry, reason=reason))

    def _known(self, entry: Entry, record: Record) -> Record:
        """The record without fields that the schema does not have; they are noted for the change."""
        known = self._trimmed(record)
        if gone := [name for name in record.values if name not in known.values]:
            self.left_out[entry.number] = tuple(dict.fromkeys((*self.left_out.get(entry.number, ()), *gone)))
        return known

    def _trimmed(self, record: Record) -> Record:
        kept = {field.name for field in self.schema.get(record.type).fields}
        if kept >= record.values.keys():
            return record
        return replace(
            record,
            values={name: value for name, value in record.values.items() if name in kept},
            unsupported=tuple(path for path in record.unsupported if path.split(".")[0] in kept),
        )

    def _alive(self, entry: Entry, of: Record, *, rejected_too: bool = False) -> int | None:
        if not _has_type(self.schema, of.type):
            self._lose(entry, NO_TYPE)
            return None
        place = self._find(of)
        if place is None:
            self._lose(entry, GONE)
            return None
        allowed = {Standing.KEPT, Standing.REJECTED} if rejected_too else {Standing.KEPT}
        if self.records[place].standing not in allowed:
            self._lose(entry, TAKEN)
            return None
        return place

    def _find(self, of: Record) -> int | None:
        """Where the record stands now: by its id, else the one record that must be it, read again."""
        place = self._places.get(of.id, self._moved.get(of.id))
        if place is None and (place := self._read_again(of)) is not None:
            self._moved[of.id] = place
            self._spoken_for.add(place)
        return place

    def _read_again(self, of: Record) -> int | None:
        """Same type and document, overlapping main quote, most equal values; None when two fit equally well."""
        fitting = sorted(
            (
                (_equal_values(of, record), place)
                for place, record in self._of_document(of)
                if place not in self._spoken_for and _overlap(of.evidence, record.evidence)
            ),
            reverse=True,
        )
        if not fitting or not fitting[0][0] or (len(fitting) > 1 and fitting[1][0] == fitting[0][0]):
            return None
        return fitting[0][1]

    def _of_document(self, of: Record) -> list[tuple[int, Record]]:
        """The model's records of the same type and document, with their places."""
        if not self._by_document:
            for place, record in enumerate(self._said):
                self._by_document.setdefault((record.type, record.document_id), []).append((place, record))
        return self._by_document.get((of.type, of.document_id), [])


def _overlap(one: Sequence[Evidence], other: Sequence[Evidence]) -> bool:
    """Whether their main quotes stand at overlapping places, or are one text that was found nowhere."""
    if not one or not other:
        return not one and not other
    first, second = one[0], other[0]
    if isinstance(first, Grounded) and isinstance(second, Grounded):
        spans = (first.span, second.span)
        return first.document_id == second.document_id and max(s.start for s in spans) < min(s.end for s in spans)
    return first.quote == second.quote


def _equal_values(one: Record, other: Record) -> int:
    filled = [name for name, value in one.values.items() if value is not None]
    return sum(one.values[name] == other.values.get(name) for name in filled)


def differing(before: Record, after: Record) -> tuple[str, ...]:
    """The fields in which two versions of a record differ, "said_by" and "certainty" among them."""
    names = dict.fromkeys((*before.values, *after.values))
    told = [name for name in names if before.values.get(name) != after.values.get(name)]
    told += ["said_by"] * (before.said_by != after.said_by)
    return (*told, *["certainty"] * (before.certainty is not after.certainty))


def patched(record: Record, of: Record, now: Record) -> Record:
    """`record` with what makes `now` differ from `of`."""
    fields = differing(of, now)
    values = {**record.values, **{name: now.values[name] for name in fields if name in now.values}}
    kept = tuple(one for one in record.evidence if one in now.evidence or one not in of.evidence)
    added = tuple(one for one in now.evidence if one not in of.evidence and one not in kept)
    settled = [path for path in record.unsupported if path.split(".")[0] not in fields]
    doubted = [path for path in now.unsupported if path.split(".")[0] in fields]
    return replace(
        record,
        values=values,
        evidence=(*kept, *added),
        said_by=now.said_by if "said_by" in fields else record.said_by,
        certainty=now.certainty if "certainty" in fields else record.certainty,
        unsupported=(*settled, *doubted),
        changed=tuple(dict.fromkeys((*record.changed, *fields))),
    )

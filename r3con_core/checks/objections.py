"""What speaks against a sentence of an answer: other values of the same thing, denials, records that were left out.

Pure; the data is indexed once for all sentences. A thing is what records of one type call by one name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from r3con_core.changes import (
    CorrectRecord,
    Entry,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
)
from r3con_core.checks.conflicts import Conflict, contradictions
from r3con_core.checks.sentences import Checked
from r3con_core.method.grounding import plain
from r3con_core.method.reading import walk_values
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.views.graphs import level_name
from r3con_core.views.tables import in_words


class Weight(StrEnum):
    """How something bears on a sentence, the weightiest first."""

    OTHER_VALUE = "another value of the same"
    DENIAL = "a denial"
    LIKE_DENIAL = "a denial in like words, which may bear on it"
    REJECTED = "rejected by a person"
    SET_ASIDE = "set aside: its quotes or values are not in its document"
    UNCITED = "about the same, and not cited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """Records that a sentence does not cite and that bear on it in one way."""

    weight: Weight
    record_ids: tuple[str, ...]
    """In data order."""
    field: str = ""
    """Of another value."""
    value: Value = None
    """The other value."""
    cited: Value = None
    """The value that the sentence rests on."""

    @property
    def against(self) -> bool:
        """It speaks against the sentence and is not only about the same thing."""
        return self.weight is not Weight.UNCITED


def find_objections(
    checked: Sequence[Checked], data: StructuredData, conflicts: Sequence[Conflict], question: str
) -> tuple[tuple[Objection, ...], ...]:
    """For each sentence, in order, what bears on it, the weightiest first. `conflicts`: all of the data."""
    index = _Index(data, conflicts, question)
    return tuple(tuple(index.objections(one)) for one in checked)


Thing = tuple[str, str]
_ORDER = list(Weight)
SHARED_WORDS = 2
"""A denial bears on a sentence that shares as many of its longer words, when it is of a record type the sentence cites.

All but one may stand in the question, whose words an answer seldom repeats.
"""
MOST_DENIALS = 10
"""Of one record type, for one sentence: those that share most words."""
MANY_DENIALS = 10


class _Index:
    def __init__(self, data: StructuredData, conflicts: Sequence[Conflict], question: str) -> None:
        self._data = data
        self._asked = _content(question)
        self._labels = {one.name: one.label for one in data.schema.record_types}
        self._things: dict[Thing, list[Record]] = defaultdict(list)
        self._conflicts: dict[str, list[Conflict]] = defaultdict(list)
        self._denials: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for conflict in conflicts:
            for record_id in conflict.record_ids:
                self._conflicts[record_id].append(conflict)
        for record in data.records:
            self._things[self._thing(record)].append(record)
            if record.certainty is Certainty.DENIED and record.counts:
                for word in _content(" ".join(evidence.quote for evidence in record.evidence)):
                    self._denials[record.type][word].append(record.id)
        for words in self._denials.values():
            _leave_out_common(words)

    def objections(self, checked: Checked) -> Iterator[Objection]:
        seen = {*checked.sentence.record_ids, *checked.used}
        found: dict[tuple[Weight, str, str], list[Objection]] = defaultdict(list)
        for objection in [*self._values(checked, seen), *self._things_of(checked, seen), *self._denied(checked, seen)]:
            found[objection.weight, objection.field, repr(objection.value)].append(objection)
        for _, alike in sorted(found.items(), key=lambda item: _ORDER.index(item[0][0])):
            yield replace(alike[0], record_ids=tuple(each for one in alike for each in one.record_ids))

    def _values(self, checked: Checked, seen: set[str]) -> Iterator[Objection]:
        """The other readings of every field that the sentence uses."""
        for record_id, used in checked.used.items():
            fields = {path.partition(".")[0] for path in used}
            for conflict in self._conflicts.get(record_id, ()):
                if conflict.field in fields:
                    yield from _readings(conflict, record_id, seen)

    def _things_of(self, checked: Checked, seen: set[str]) -> Iterator[Objection]:
        """Other records of the things that are cited."""
        for record_id, used in checked.used.items():
            record = self._data.get(record_id)
            for other in self._same(record):
                if other.id not in seen and (weight := self._weight(record, other, used)):
                    seen.add(other.id)
                    yield Objection(weight=weight, record_ids=(other.id,))

    def _denied(self, checked: Checked, seen: set[str]) -> Iterator[Objection]:
        """Denials in the sentence's own words, of whatever thing."""
        said = _content(checked.sentence.text)
        for record_type in dict.fromkeys(self._data.get(record_id).type for record_id in checked.used):
            denials = self._denials[record_type]
            own = {each for word in said for each in denials.get(word, ()) if each not in seen}
            shared = Counter(each for word in said | self._asked for each in denials.get(word, ()) if each in own)
            near = [each for each, words in shared.most_common(MOST_DENIALS) if words >= SHARED_WORDS]
            if near:
                seen.update(near)
                yield Objection(weight=Weight.LIKE_DENIAL, record_ids=tuple(near))

    def _thing(self, record: Record) -> Thing:
        return record.type, _level(record.values.get(self._labels[record.type]))

    def _same(self, record: Record) -> list[Record]:
        thing = self._thing(record)
        return self._things[thing] if thing[1] else []

    def _weight(self, record: Record, other: Record, used: Sequence[str]) -> Weight | None:
        if other.standing is not Standing.KEPT:
            return Weight.REJECTED if other.standing is Standing.REJECTED else None
        if other.certainty is Certainty.DENIED and not other.set_aside:
            return Weight.DENIAL
        fields = {path.partition(".")[0] for path in used}
        differing = contradictions(self._data.schema.get(record.type).fields, record.values, other.values)
        if other.set_aside and not fields.isdisjoint(differing):
            return Weight.SET_ASIDE
        return Weight.UNCITED if fields.isdisjoint(differing) else None  # else it is another thing of that name


def _readings(conflict: Conflict, record_id: str, seen: set[str]) -> Iterator[Objection]:
    mine = next(reading for reading in conflict.readings if record_id in reading.record_ids)
    for reading in conflict.readings:
        ids = tuple(other for other in reading.record_ids if other not in seen)
        if reading is not mine and ids:
            seen.update(ids)
            yield Objection(
                weight=Weight.OTHER_VALUE, record_ids=ids, field=conflict.field, value=reading.value, cited=mine.value
            )


def _leave_out_common(words: dict[str, list[str]]) -> None:
    """Of many denials, words that most of them hold say nothing about one."""
    told = {each for ids in words.values() for each in ids}
    for word in [word for word, ids in words.items() if len(told) >= MANY_DENIALS and len(ids) * 2 > len(told)]:
        del words[word]


def _level(value: Value) -> str:
    """A single value for comparison; "" for none, a list or a group."""
    return "" if isinstance(value, list | dict) else level_name(in_words(value))


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[^\W\d_]{4,}", plain(text)) if word not in _COMMON)


_COMMON = frozenset("that this than have been were with from which their they will would more most above over".split())


def changed_since(
    entries: Sequence[Entry], written: str, data: StructuredData, changes: Mapping[str, Sequence[Entry]]
) -> dict[str, tuple[Entry, ...]]:
    """Of the keys of `changes`, the records that people changed, or changed back, since the answer was written, and how.

    `written`: UTC, ISO 8601 to the second; what was done within that second counts as done since. `changes`: record id
    -> the changes that made it what it is.
    """
    later = [entry for entry in entries if entry.undone >= written or (entry.counts and entry.made >= written)]
    told: dict[str, tuple[Entry, ...]] = {}
    for record_id, made in changes.items():
        numbers, record = {entry.number for entry in made}, data.get(record_id)
        if found := tuple(entry for entry in later if entry.number in numbers or _touches(entry.change, record)):
            told[record_id] = found
    return told


def _touches(change: object, record: Record) -> bool:
    match change:
        case CorrectRecord(of=of) | RejectRecord(of=of) | SplitRecord(of=of):
            return of.id == record.id
        case MergeRecords(of=several):
            return any(of.id == record.id for of in several)
        case MergeNames(names=names, name=name):
            wanted = {*names, name}
            return any(value in wanted for _, value in walk_values(dict(record.values)) if isinstance(value, str))
        case _:
            return False

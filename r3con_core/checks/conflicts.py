"""Where documents contradict each other on one thing: the values side by side, none of them overwritten.

Pure. A thing is what records of one type call by one name, and that only where the name is one of a single thing. Which
names are: no document calls two of its own records by it that differ in several fields, and it has a proper name's or a
number's look, or what else the records say of it agrees. Measured on the records of the inquiry corpus with its
planted contradictions; the figures are in tests/unit/test_conflicts.py.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from r3con_core.method.grounding import figures, plain
from r3con_core.records import Certainty, Record, StructuredData, Value
from r3con_core.schemas import Choice, Field, Kind, RecordType, Reference, Scalar, ScalarType
from r3con_core.views.graphs import level_name
from r3con_core.views.tables import in_words

CERTAINTY = "certainty"
"""The field of a conflict between those who state a thing and those who deny or only allege it."""
MOST_DIFFERENT = 3
"""Records from two documents that agree in nothing and differ in so many fields tell of two things of one name."""
MOST_VALUES = 20
"""A field of which one thing has more different values has not one value."""
LONGEST = 6
"""Words of a text that is compared; longer ones are descriptions, which always differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One of the values that are given, and by which records."""

    value: Value
    """The fullest that is given."""
    record_ids: tuple[str, ...]
    """Those that give the fullest value first, then those that say less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One field of one thing, of which different documents give different values."""

    record_type: str
    name: str
    """What the thing is called, as its first record writes it."""
    field: str
    """CERTAINTY, or the name of a field."""
    readings: tuple[Reading, ...]
    """At least two, in data order."""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """All records concerned, each once."""
        return tuple(dict.fromkeys(one for reading in self.readings for one in reading.record_ids))


def find_conflicts(data: StructuredData) -> tuple[Conflict, ...]:
    """All conflicts, by record type as in the schema, then in data order."""
    return tuple(conflict for record_type in data.schema.record_types for conflict in _of_type(data, record_type))


def denials(data: StructuredData) -> tuple[Record, ...]:
    """Records of what is denied that stand in no conflict: a denial of many things at once names none of them."""
    told = {one for conflict in find_conflicts(data) for one in conflict.record_ids}
    return tuple(
        record
        for record in data.records
        if record.counts and record.certainty is Certainty.DENIED and record.id not in told
    )


def _of_type(data: StructuredData, record_type: RecordType) -> Iterator[Conflict]:
    things = [thing for records in _things(data, record_type) if (thing := _thing(record_type, records)).is_one]
    several = Counter(name for thing in things for name in thing.told_twice)
    for thing in things:
        for field in thing.fields:
            readings = thing.claimed[field.name]
            if len(readings) > 1 and several[field.name] < 2 and _from_several_documents(readings):
                told = tuple(_told(one, field.name) for one in readings)
                yield Conflict(record_type=record_type.name, name=thing.name, field=field.name, readings=told)
        if sides := _sides(thing.fields, thing.records):
            yield Conflict(record_type=record_type.name, name=thing.name, field=CERTAINTY, readings=sides)


def _things(data: StructuredData, record_type: RecordType) -> list[list[Record]]:
    """The records that count, by their levelled names; only those that several documents tell of."""
    things: dict[str, list[Record]] = {}
    for record in data.of_type(record_type.name):
        name = level_name(_single(record.values.get(record_type.label)))
        if name and record.counts:
            things.setdefault(name, []).append(record)
    return [records for records in things.values() if len({record.document_id for record in records}) > 1]


Readings = list[list[Record]]
"""The records that give a value, those together whose values do not contradict each other, the fullest value first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thing:
    """The records of one name, with what they give for each field that has a single value."""

    name: str
    fields: tuple[Field, ...]
    records: Sequence[Record]
    given: Mapping[str, Readings]
    """By field, of all of them."""
    claimed: Mapping[str, Readings]
    """By field, of those that do not deny."""
    told_twice: frozenset[str]
    """Fields for which one document gives several values by itself, as it does of several things, or of what changes."""

    @property
    def is_one(self) -> bool:
        """The name is that of a single thing, as far as the records tell."""
        if len(self.told_twice) > 1:
            return False
        differing = [name for name, readings in self.claimed.items() if len(readings) > 1]
        agreeing = [name for name, readings in self.given.items() if any(map(_agree, readings))]
        if _is_proper(self.name):
            return bool(agreeing) or len(differing) < MOST_DIFFERENT
        return len(agreeing) >= max(len(differing), 1)


def _thing(record_type: RecordType, records: Sequence[Record]) -> _Thing:
    fields = tuple(field for field in record_type.fields[1:] if isinstance(field.kind, Scalar | Choice | Reference))
    claimed = [record for record in records if record.certainty is not Certainty.DENIED]
    own: dict[str, list[Record]] = {}
    for record in claimed:
        own.setdefault(record.document_id, []).append(record)
    several = [some for some in own.values() if len(some) > 1]
    given = {field.name: _readings(field, records) for field in fields}
    return _Thing(
        name=_single(records[0].values.get(record_type.label)),
        fields=fields,
        records=records,
        given=given,
        claimed=given if len(claimed) == len(records) else {f.name: _readings(f, claimed) for f in fields},
        told_twice=frozenset(
            field.name for field in fields if any(len(_readings(field, some)) > 1 for some in several)
        ),
    )


def _agree(records: Sequence[Record]) -> bool:
    """Whether they are of several documents."""
    return len({record.document_id for record in records}) > 1


@lru_cache(maxsize=100_000)
def _is_proper(name: str) -> bool:
    """Whether a name looks like one thing's own: a number in it, or a capital letter after its first word's."""
    first, _, rest = name.partition(" ")
    own_first = any(letter.isupper() for letter in first[1:])
    return any(sign.isdigit() for sign in name) or own_first or rest != rest.lower() or (not rest and first.istitle())


def _readings(field: Field, records: Sequence[Record]) -> Readings:
    """The values that are given; none where there are so many that the field is no single value of the thing."""
    given: dict[str, list[Record]] = {}
    for record in records:
        if words := _single(record.values.get(field.name)):
            given.setdefault(words, []).append(record)
    if len(given) > MOST_VALUES:
        return []
    readings: dict[str, list[Record]] = {}
    for words in sorted(given, key=len, reverse=True):  # what says most stands for those that say less
        fitting = next((full for full in readings if not _contradict(field.kind, words, full)), words)
        readings.setdefault(fitting, []).extend(given[words])
    order = {record.id: place for place, record in enumerate(records)}
    return sorted(readings.values(), key=lambda some: min(order[record.id] for record in some))


def _from_several_documents(readings: Sequence[Sequence[Record]]) -> bool:
    return len({record.document_id for reading in readings for record in reading}) > 1


def _told(records: Sequence[Record], name: str) -> Reading:
    return Reading(value=records[0].values[name], record_ids=tuple(record.id for record in records))


def _sides(fields: Sequence[Field], records: Sequence[Record]) -> tuple[Reading, ...]:
    """Those who state a thing and those who deny or only allege it, where it is the same statement."""
    stated = [record for record in records if record.certainty in (Certainty.STATED, Certainty.INFERRED)]
    doubting = {
        Certainty.DENIED: [record for record in records if record.certainty is Certainty.DENIED],
        Certainty.ALLEGED: [
            record for record in records if record.certainty is Certainty.ALLEGED and _same(fields, record, stated)
        ],
    }
    sides = {Certainty.STATED: stated, **doubting}
    told = {certainty: some for certainty, some in sides.items() if some}
    documents = {record.document_id for some in told.values() for record in some}
    if len(told) < 2 or len(documents) < 2:
        return ()
    return tuple(
        Reading(value=certainty.value, record_ids=tuple(record.id for record in some))
        for certainty, some in told.items()
    )


def _same(fields: Sequence[Field], record: Record, others: Sequence[Record]) -> bool:
    """Whether some other record agrees with it in a value and contradicts it in none."""
    return any(
        any(_single(record.values.get(f.name)) and _single(other.values.get(f.name)) for f in fields)
        and not contradictions(fields, record.values, other.values)
        for other in others
    )


def contradictions(fields: Sequence[Field], one: Mapping[str, Value], other: Mapping[str, Value]) -> tuple[str, ...]:
    """The fields with a single value of which two records give contradicting ones."""
    return tuple(
        field.name
        for field in fields
        if isinstance(field.kind, Scalar | Choice | Reference)
        and (first := _single(one.get(field.name)))
        and (second := _single(other.get(field.name)))
        and first != second
        and _contradict(field.kind, first, second)
    )


@lru_cache(maxsize=200_000)
def _contradict(kind: Kind, one: str, other: str) -> bool:
    """Whether two filled values of a field cannot both be right, as far as letters tell."""
    first, second = level_name(one), level_name(other)
    if first == second:
        return False
    match kind:
        case Scalar(of=ScalarType.DATE):
            return not (first.startswith(second) or second.startswith(first))
        case Scalar(of=ScalarType.NUMBER | ScalarType.INTEGER):
            return figures(first) != figures(second)
        case Scalar(of=ScalarType.YES_NO) | Choice():
            return True
        case _:
            return _texts_contradict(one, other)


def _texts_contradict(one: str, other: str) -> bool:
    """Short texts with names or figures of which neither says only more than the other."""
    first, second = _words(one), _words(other)
    if first <= second or second <= first or max(len(first), len(second)) > LONGEST:
        return False
    numbers = _figures(one), _figures(other)
    if all(numbers):
        return not (numbers[0] <= numbers[1] or numbers[1] <= numbers[0])
    return _is_proper(one) and _is_proper(other)


_figures = lru_cache(maxsize=100_000)(figures)


@lru_cache(maxsize=100_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(plain(text).replace(".", " ").replace(",", " ").split())


def _single(value: Value) -> str:
    """A single value in words; "" for a list, a group or nothing."""
    return "" if isinstance(value, list | dict) else in_words(value)

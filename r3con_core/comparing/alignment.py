"""Which record of one run is which record of another, and cell by cell whether they say the same. Pure.

Records are paired within one document and one record type, by quotes that overlap and by values that are the same, the
best pair first. Swapping the two runs swaps the sides of every pair and changes nothing else.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import product

from r3con_core.evidence import Grounded
from r3con_core.folding import fold
from r3con_core.method.grounding import figures
from r3con_core.records import Record, Value

ABOUT = ("said_by", "certainty")
"""What every record says of itself, compared like its fields."""
ENOUGH = 0.5
"""Of two records' filled cells: as many the same make a pair of them where no quotes overlap."""
_MOST_PAIRS = 2_500
"""Pairs of records that one common value proposes; a value more common than that tells nothing."""
_BLOCK = 40
"""Code points: quotes that overlap share a stretch of the document that begins at a multiple of it."""
_NUMBER = re.compile(r"[+\-]?\d[\d.,'\u00a0\u202f ]*")


class Verdict(StrEnum):
    """What a comparison of two sides comes to."""

    AGREE = "agree"
    DIFFER = "differ"
    LEFT = "only in the first"
    RIGHT = "only in the second"

    @property
    def mirrored(self) -> "Verdict":
        """The same with the sides swapped."""
        return {Verdict.LEFT: Verdict.RIGHT, Verdict.RIGHT: Verdict.LEFT}.get(self, self)


Level = Hashable
"""A value without differences of typography, case and number form."""


def level_value(value: Value) -> Level:
    """What two values share that people would call the same; None for an empty one."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _level_number(str(value))
        case str():
            return _level_text(value)
        case list():
            return tuple(level_value(each) for each in value) or None
        case dict():
            filled = {fold(name): level_value(each) for name, each in value.items()}
            return tuple(sorted(((k, v) for k, v in filled.items() if v is not None), key=str)) or None
        case _:
            return None


@lru_cache(maxsize=65_536)
def _level_text(text: str) -> Level:
    told = fold(text).strip(" .,;:")
    if _NUMBER.fullmatch(told):
        return _level_number(told)
    return told or None


def _level_number(text: str) -> str:
    found = figures(text)
    return ("-" if text.startswith("-") else "") + found.pop() if len(found) == 1 else text


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPair:
    """One field of two paired records."""

    name: str
    """Of the field, or one of ABOUT."""
    left: Value
    right: Value
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPair:
    """A record of the first run and the one of the second that tells of the same; or one that stands alone."""

    left: Record | None
    right: Record | None
    cells: tuple[CellPair, ...]
    """Those that a side fills, in the order of the first run's record."""

    @property
    def either(self) -> Record:
        """The first run's record, else the second's."""
        record = self.left or self.right
        assert record is not None, "a pair has a record"
        return record

    @property
    def verdict(self) -> Verdict:
        """They agree when all their cells do."""
        if self.left is None:
            return Verdict.RIGHT
        if self.right is None:
            return Verdict.LEFT
        return Verdict.AGREE if all(c.verdict is Verdict.AGREE for c in self.cells) else Verdict.DIFFER


@dataclass(frozen=True, slots=True)
class _Told:
    """A record, made ready for comparing."""

    record: Record
    cells: Mapping[str, Level]
    """Levelled field name -> levelled value, of the filled ones."""
    spans: tuple[tuple[int, int], ...]
    quotes: frozenset[str]
    """Levelled, of quotes that were not found in the document."""

    def keys(self) -> Iterator[Hashable]:
        """What a record that tells of the same thing may share."""
        yield from self.cells.items()
        yield from self.quotes
        for start, end in self.spans:
            yield from range(start // _BLOCK, (end - 1) // _BLOCK + 1)


def _told(record: Record) -> _Told:
    filled = ((fold(name), level_value(value)) for name, value in record.values.items())
    spans = tuple((e.span.start, e.span.end) for e in record.evidence if isinstance(e, Grounded))
    quotes = frozenset(fold(e.quote) for e in record.evidence if not isinstance(e, Grounded))
    return _Told(record, {name: level for name, level in filled if level is not None}, spans, quotes)


def align_records(left: Sequence[Record], right: Sequence[Record]) -> tuple[RecordPair, ...]:
    """All records of both, each in one pair: those of the first in their order, then what only the second has."""
    ours, theirs = _groups(left), _groups(right)
    partner: dict[int, int] = {}
    for group in ours.keys() & theirs.keys():
        one, other = ours[group], theirs[group]
        pairs = _pair_up([_told(left[place]) for place in one], [_told(right[place]) for place in other])
        partner |= {one[i]: other[j] for i, j in pairs}
    taken = set(partner.values())
    return (
        *(_pair(record, right[partner[i]] if i in partner else None) for i, record in enumerate(left)),
        *(_pair(None, record) for j, record in enumerate(right) if j not in taken),
    )


def _groups(records: Iterable[Record]) -> dict[tuple[str, str], list[int]]:
    """Document and levelled record type -> places of their records."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, record in enumerate(records):
        groups[record.document_id, fold(record.type)].append(place)
    return groups


def _pair_up(left: Sequence[_Told], right: Sequence[_Told]) -> list[tuple[int, int]]:
    """Places of the pairs."""
    same = {told.record.id: place for place, told in enumerate(left)}
    sure = [(same.pop(told.record.id), place) for place, told in enumerate(right) if told.record.id in same]
    gone = ({i for i, _ in sure}, {j for _, j in sure})
    alike = {(i, j): score for i, j in _candidates(left, right, gone) if (score := _likeness(left[i], right[j])) > 0}
    return [*sure, *best_pairs(alike)]


def best_pairs(likeness: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Pairs of places, none of them twice, the most alike first; the same pairs when the sides are swapped."""
    found: list[tuple[int, int]] = []
    left: set[int] = set()
    right: set[int] = set()
    for i, j in sorted(likeness, key=lambda pair: (-likeness[pair], sum(pair), abs(pair[0] - pair[1]))):
        if i not in left and j not in right:
            found.append((i, j))
            left.add(i)
            right.add(j)
    return found


def _candidates(left: Sequence[_Told], right: Sequence[_Told], gone: tuple[set[int], set[int]]) -> set[tuple[int, int]]:
    """Pairs of places, of those not `gone`, that share a value or a stretch of their document."""
    sharing = (_by_key(left, gone[0]), _by_key(right, gone[1]))
    return {
        pair
        for key in sharing[0].keys() & sharing[1].keys()
        if len(sharing[0][key]) * len(sharing[1][key]) <= _MOST_PAIRS
        for pair in product(sharing[0][key], sharing[1][key])
    }


def _by_key(records: Sequence[_Told], gone: set[int]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, told in enumerate(records):
        if place not in gone:
            for key in set(told.keys()):
                places[key].append(place)
    return places


def _likeness(one: _Told, other: _Told) -> float:
    """How far two records tell of the same: shares of their quotes and of their values together; 0: they do not."""
    overlap = 1.0 if one.quotes & other.quotes else _overlap(one.spans, other.spans)
    names = one.cells.keys() | other.cells.keys()
    same = sum(one.cells.get(name) == other.cells.get(name) for name in names) / len(names) if names else 0.0
    return overlap + same if overlap or same >= ENOUGH else 0.0


def _overlap(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> float:
    """The best share that any two quotes have in common of what they cover together."""
    return max(
        (
            max(0, min(a[1], b[1]) - max(a[0], b[0])) / max(max(a[1], b[1]) - min(a[0], b[0]), 1)
            for a, b in product(one, other)
        ),
        default=0.0,
    )


def _pair(left: Record | None, right: Record | None) -> RecordPair:
    ours, theirs = _values(left), _values(right)
    names = (*ours, *(name for name in theirs if name not in ours))
    cells = (_cell(ours.get(name), theirs.get(name)) for name in names)
    return RecordPair(left=left, right=right, cells=tuple(cell for cell in cells if cell is not None))


def _values(record: Record | None) -> dict[str, tuple[str, Value]]:
    """Levelled field name -> the name as it stands and its value."""
    if record is None:
        return {}
    about = {"said_by": record.said_by, "certainty": record.certainty.value}
    return {fold(name): (name, value) for name, value in {**record.values, **about}.items()}


def _cell(left: tuple[str, Value] | None, right: tuple[str, Value] | None) -> CellPair | None:
    """The pair of one field's values; None where neither record fills it."""
    ours, theirs = level_value(left[1]) if left else None, level_value(right[1]) if right else None
    if ours is None and theirs is None:
        return None
    named = left or right
    assert named is not None, "a cell is of a side at least"
    if ours is None:
        verdict = Verdict.RIGHT
    elif theirs is None:
        verdict = Verdict.LEFT
    else:
        verdict = Verdict.AGREE if ours == theirs else Verdict.DIFFER
    return CellPair(name=named[0], left=left[1] if left else None, right=right[1] if right else None, verdict=verdict)

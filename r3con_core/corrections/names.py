"""Names that may mean one thing, proposed as clusters with what speaks for it and against it; a person decides.

Pure. Which names look alike, and why, is told by `name_pairs`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from r3con_core.changes import KeepApart
from r3con_core.checks.conflicts import contradictions
from r3con_core.corrections.name_pairs import Pair, Why, find_pairs
from r3con_core.records import Record, StructuredData
from r3con_core.schemas import Field
from r3con_core.views.graphs import level_name, references
from r3con_core.views.tables import flat, in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class NameUse:
    """One name as records write it."""

    name: str
    """As its first record writes it."""
    record_ids: tuple[str, ...]
    """Records that are called so, in data order."""
    named_in: tuple[str, ...]
    """Records that refer to it, in data order."""

    @property
    def uses(self) -> int:
        """In how many records it stands."""
        return len(self.record_ids) + len(self.named_in)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Two names of a cluster and why they may be one."""

    one: str
    other: str
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What speaks against a cluster."""

    text: str
    """In a few words of ours, such as "day of birth differs"."""
    values: tuple[str, ...]
    """As records have them: two dates of birth, or the two names that one document has side by side."""
    record_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCluster:
    """Names of one record type that may mean one thing."""

    record_type: str
    names: tuple[NameUse, ...]
    """At least two; the one used most first."""
    links: tuple[Link, ...]
    against: tuple[Against, ...]

    @property
    def best(self) -> str:
        """What is proposed for all: the fullest name where others are shorter forms of it, else the one used most."""
        shorter = {Why.NO_FORM, Why.INITIALS, Why.PART, Why.ACRONYM}
        if any(link.why in shorter for link in self.links):
            return max((one.name for one in self.names), key=_fullness)
        return self.names[0].name


def _fullness(name: str) -> tuple[int, bool]:
    """Letters of its whole words; of two as full, the one that is not in capitals."""
    return sum(len(word) for word in name.split() if len(word.strip(".")) > 1), not name.isupper()


def find_clusters(data: StructuredData, apart: Sequence[KeepApart] = ()) -> tuple[NameCluster, ...]:
    """Proposals of all record types, in schema order, those with the surest reason first; none that is kept apart."""
    found: list[NameCluster] = []
    uses = _uses(data)
    for record_type in data.schema.record_types:
        own = uses[record_type.name]
        kept = [{level_name(name) for name in one.names} for one in apart if one.record_type == record_type.name]
        pairs = find_pairs({level: use.name for level, use in own.items()})
        clusters = [_cluster(data, record_type.name, own, group, pairs) for group in _group(pairs, kept)]
        found += sorted(clusters, key=lambda one: (min(_RANK[link.why] for link in one.links), len(one.against)))
    return tuple(found)


_RANK = {why: rank for rank, why in enumerate(Why)}


def _uses(data: StructuredData) -> Mapping[str, dict[str, NameUse]]:
    """Record type -> levelled name -> its uses. Records that people took out do not count."""
    called: dict[str, dict[str, tuple[str, dict[str, None], dict[str, None]]]] = defaultdict(dict)
    labels = {record_type.name: record_type.label for record_type in data.schema.record_types}

    def note(kind: str, name: str, record: Record, *, refers: bool) -> None:
        if level := level_name(name):
            _, own, naming = called[kind].setdefault(level, (name, {}, {}))
            (naming if refers else own)[record.id] = None

    for record in data.records:
        if not record.counts:
            continue
        if isinstance(name := record.values.get(labels[record.type]), str):
            note(record.type, name, record, refers=False)
        for _, kind, name in references(record, data):
            note(kind, name, record, refers=True)
    return defaultdict(
        dict,
        {
            kind: {
                level: NameUse(name=name, record_ids=tuple(own), named_in=tuple(naming))
                for level, (name, own, naming) in some.items()
            }
            for kind, some in called.items()
        },
    )


def _group(pairs: Mapping[Pair, Why], kept: Sequence[set[str]]) -> list[tuple[str, ...]]:
    """Clusters of names joined by pairs, the surest first; names that are kept apart are never in one.

    A short name that fits two full ones joins neither: each of the two is a proposal by itself.
    """
    fits: dict[str, list[str]] = defaultdict(list)
    for (one, other), why in pairs.items():
        if why is Why.INITIALS:
            fits[one].append(other)
    unsure = {short for short, full in fits.items() if len(full) > 1}
    groups: dict[str, set[str]] = {}
    alone: list[tuple[str, ...]] = []
    for pair, why in sorted(pairs.items(), key=lambda one: _RANK[one[1]]):
        if why is Why.INITIALS and pair[0] in unsure:
            alone += [] if any(some >= set(pair) for some in kept) else [pair]
            continue
        joined = groups.get(pair[0], {pair[0]}) | groups.get(pair[1], {pair[1]})
        if not any(len(joined & some) > 1 for some in kept):
            groups |= dict.fromkeys(joined, joined)
    whole = {id(group): tuple(group) for group in groups.values()}
    return [*whole.values(), *alone]


def _cluster(
    data: StructuredData, kind: str, uses: Mapping[str, NameUse], group: Sequence[str], pairs: Mapping[Pair, Why]
) -> NameCluster:
    order = {level: place for place, level in enumerate(uses)}
    names = sorted((uses[level] for level in group), key=lambda use: (-use.uses, order[level_name(use.name)]))
    links = tuple(
        Link(one=uses[one].name, other=uses[other].name, why=why)
        for (one, other), why in pairs.items()
        if one in group and other in group
    )
    against = (*_other_fits(uses, group, pairs), *_against(data, kind, names))
    return NameCluster(record_type=kind, names=tuple(names), links=links, against=against)


def _other_fits(uses: Mapping[str, NameUse], group: Sequence[str], pairs: Mapping[Pair, Why]) -> Iterator[Against]:
    for (short, full), why in pairs.items():
        if why is Why.INITIALS and short in group and full not in group:
            values = (uses[short].name, uses[full].name)
            yield Against(text="the short name fits another one too", values=values, record_ids=())


MOST_AGAINST = 6


def _against(data: StructuredData, kind: str, names: Sequence[NameUse]) -> Iterator[Against]:
    """What the records of two names contradict each other in, and where one record or document has both names."""
    fields = data.schema.get(kind).fields[1:]
    told = 0
    for one, other in combinations(names[:6], 2):
        for against in (*_contradicted(data, fields, (one, other)), *_together(data, (one, other))):
            if told < MOST_AGAINST:
                told += 1
                yield against


def _contradicted(data: StructuredData, fields: Sequence[Field], pair: tuple[NameUse, NameUse]) -> Iterator[Against]:
    seen: set[str] = set()
    for first in map(data.get, pair[0].record_ids[:20]):
        for second in map(data.get, pair[1].record_ids[:20]):
            for name in contradictions(fields, first.values, second.values):
                if name not in seen:
                    seen.add(name)
                    values = tuple(in_words(flat(record.values[name])) for record in (first, second))
                    yield Against(text=f"{name} differs", values=values, record_ids=(first.id, second.id))


def _together(data: StructuredData, pair: tuple[NameUse, NameUse]) -> Iterator[Against]:
    one, other = ({*use.record_ids, *use.named_in} for use in pair)
    names = (pair[0].name, pair[1].name)
    if both := sorted(one & other, key=lambda record_id: int(data.label(record_id)[1:])):
        yield Against(text="one record has both names", values=names, record_ids=tuple(both[:3]))
        return
    first, second = (
        {data.get(record_id).document_id: record_id for record_id in sorted(some)} for some in (one, other)
    )
    for document_id in sorted(first.keys() & second.keys())[:1]:
        text = "one document has both names"
        yield Against(text=text, values=names, record_ids=(first[document_id], second[document_id]))

"""Records as a tree over chosen levels: by type, by field, by document, by certainty, by what groups and lists hold.

Pure. A record whose list has several entries stands under each of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from r3con_core.records import Record, Value
from r3con_core.schemas import Choice, Field, Group, ListOf, RecordType, Reference, Scalar
from r3con_core.views.groupings import EMPTY, OWN
from r3con_core.views.tables import flat, in_words, origin_of, weakest_proof

TYPE = "record type"
"""A level that needs no field, beside a table's own columns; no field has this name."""
MOST_BRANCHES = 40
"""Of one branch; smaller ones are told together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The records that have the same values on the first levels."""

    path: tuple[str, ...]
    """What they have on each level down to this one, as people read it; () for all."""
    record_ids: tuple[str, ...]
    """Each once, in data order."""
    branches: tuple["Branch", ...] = ()
    """The largest first, what is empty after those, smaller ones that are told together last."""
    together: int = 0
    """How many smaller branches it stands for; 0 for a branch of its own."""

    @property
    def name(self) -> str:
        """Its own value."""
        return self.path[-1] if self.path else "All records"

    def walk(self) -> Iterator["Branch"]:
        """It and all below it, parents first."""
        yield self
        for branch in self.branches:
            yield from branch.walk()


def levels_of(types: Sequence[RecordType]) -> tuple[str, ...]:
    """Every level that records of these types can be told apart by: our own, then fields with their paths."""
    own = ((TYPE,) if len(types) > 1 else ()) + OWN
    return (*own, *dict.fromkeys(path for one in types for path in _paths(one.fields, "")))


def _paths(fields: Sequence[Field], above: str) -> Iterator[str]:
    for one in fields:
        kind = one.kind.item if isinstance(one.kind, ListOf) else one.kind
        match kind:
            case Group(fields=inner):
                yield from _paths(inner, f"{above}{one.name}.")
            case Scalar() | Choice() | Reference():
                yield above + one.name


@dataclass(slots=True)
class _Growing:
    record_ids: dict[str, None] = field(default_factory=dict)
    below: dict[str, "_Growing"] = field(default_factory=dict)


def grow(records: Sequence[Record], levels: Sequence[str], documents: Mapping[str, str]) -> Branch:
    """The tree of `records`; `documents` are the names of documents by id."""
    root = _Growing()
    for record in records:
        root.record_ids[record.id] = None
        for path in product(*(_values_at(record, level, documents) for level in levels)):
            here = root
            for value in path:
                here = here.below.setdefault(value, _Growing())
                here.record_ids[record.id] = None
    return _branch((), root)


def _values_at(record: Record, level: str, documents: Mapping[str, str]) -> tuple[str, ...]:
    match level:
        case "record type":
            return (record.type,)
        case "document":
            return (documents[record.document_id],)
        case "certainty":
            return (record.certainty.value,)
        case "said_by":
            return (record.said_by or EMPTY,)
        case "quotes":
            return (weakest_proof(record).value,)
        case "by hand":
            return (origin_of(record).value,)
        case _:
            return tuple(dict.fromkeys(_inner(record.values, level))) or (EMPTY,)


def _inner(values: Mapping[str, Value], path: str) -> Iterator[str]:
    """Every filled value at a path of fields, through groups and lists."""
    name, _, rest = path.partition(".")
    value = values.get(name)
    for item in value if isinstance(value, list) else [value]:
        if rest and isinstance(item, Mapping):
            yield from _inner(item, rest)
        elif not rest and (told := in_words(flat(item))):
            yield told


def _branch(path: tuple[str, ...], growing: _Growing) -> Branch:
    order = sorted(growing.below, key=lambda name: (name == EMPTY, -len(growing.below[name].record_ids)))
    shown, rest = order, []
    if len(order) > MOST_BRANCHES:
        shown, rest = order[: MOST_BRANCHES - 1], order[MOST_BRANCHES - 1 :]
    branches = [_branch((*path, name), growing.below[name]) for name in shown]
    if rest:
        together = dict.fromkeys(i for name in rest for i in growing.below[name].record_ids)
        name = f"{len(rest):,} smaller ones"
        branches.append(Branch(path=(*path, name), record_ids=tuple(together), together=len(rest)))
    return Branch(path=path, record_ids=tuple(growing.record_ids), branches=tuple(branches))

"""Names that a person found to mean one thing, read as one wherever records name it. Pure.

What documents wrote stays in the quotes, and is given beside each value that is read otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from r3con_core.changes import MergeNames
from r3con_core.records import Record, Value
from r3con_core.schemas import Field, Group, ListOf, Reference, Schema
from r3con_core.views.graphs import level_name

NameOf = tuple[str, str]
"""A record type and a levelled name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The records with their names read as chosen."""

    records: tuple[Record, ...]
    written: Mapping[str, Mapping[str, str]]
    """Id of a record -> path of the value -> the name as it was."""
    met: frozenset[NameOf]
    """Of the names that were merged, those that some record is called or names."""


def read_names(schema: Schema, records: Sequence[Record], merges: Sequence[MergeNames]) -> Named:
    """Every name that was merged as the one chosen for it; merges that share a name are one, and the last one names it.

    Whichever order they come in, the same names are one. Fields so changed are among the record's `changed`.
    """
    chosen = _chosen(merges)
    if not chosen:
        return Named(records=tuple(records), written={}, met=frozenset())
    reader = _Reader(schema, chosen)
    return Named(records=tuple(map(reader.read, records)), written=reader.written, met=frozenset(reader.met))


def _chosen(merges: Sequence[MergeNames]) -> dict[NameOf, str]:
    group_of: dict[NameOf, int] = {}
    groups: dict[int, set[NameOf]] = {}
    called: dict[int, str] = {}
    for number, merge in enumerate(merges):
        members = {(merge.record_type, level_name(name)) for name in (*merge.names, merge.name)}
        for other in {group_of[one] for one in members if one in group_of}:
            members |= groups.pop(other)
        groups[number], called[number] = members, merge.name
        group_of |= dict.fromkeys(members, number)
    return {member: called[number] for number, members in groups.items() for member in members}


class _Reader:
    def __init__(self, schema: Schema, chosen: Mapping[NameOf, str]) -> None:
        self.written: dict[str, Mapping[str, str]] = {}
        self.met: set[NameOf] = set()
        self._chosen = chosen
        self._types = {record_type.name: record_type for record_type in schema.record_types}

    def read(self, record: Record) -> Record:
        """The record with its names as chosen; the record itself when none of them is concerned."""
        record_type = self._types[record.type]
        label = record_type.label
        found: dict[str, tuple[str, str]] = {}
        for path, target, name in _names(record_type.fields, record.values, ""):
            self._meet(found, path, (target, name))
        if isinstance(told := record.values.get(label), str):
            self._meet(found, label, (record.type, told))
        if not found:
            return record
        self.written[record.id] = {path: was for path, (was, _) in found.items()}
        values = dict(record.values)
        for path, (_, name) in found.items():
            first, *rest = path.split(".")
            values[first] = _put(values[first], rest, name)
        changed = dict.fromkeys((*record.changed, *(path.split(".")[0] for path in found)))
        return replace(record, values=values, changed=tuple(changed))

    def _meet(self, found: dict[str, tuple[str, str]], path: str, named: tuple[str, str]) -> None:
        target, name = named
        level = (target, level_name(name))
        if level in self._chosen:
            self.met.add(level)
            if self._chosen[level] != name:
                found[path] = (name, self._chosen[level])


def _names(fields: Sequence[Field], values: Mapping[str, Value], above: str) -> Iterator[tuple[str, str, str]]:
    """Every name by which a record refers to another: its path with places in lists, the type meant, the name."""
    for field in fields:
        value = values.get(field.name)
        kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
        path = f"{above}{field.name}"
        places = (
            [(f"{path}.{at}", item) for at, item in enumerate(value)] if isinstance(value, list) else [(path, value)]
        )
        for here, item in places:
            if isinstance(kind, Group) and isinstance(item, dict):
                yield from _names(kind.fields, item, f"{here}.")
            elif isinstance(kind, Reference) and isinstance(item, str) and item.strip():
                yield here, kind.record_type, item


def _put(value: Value, path: Sequence[str], name: str) -> Value:
    """A copy of `value` with `name` at `path`."""
    if not path:
        return name
    first, *rest = path
    if isinstance(value, list):
        return [_put(item, rest, name) if at == int(first) else item for at, item in enumerate(value)]
    assert isinstance(value, dict), "the path was found in this value"
    return {key: _put(item, rest, name) if key == first else item for key, item in value.items()}

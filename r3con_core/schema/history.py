"""Which record type or field of one version of a schema is which of another, however it was renamed or moved between.

Followed through the edits where there are any, by names where a schema was replaced as a whole. A version that is an
earlier one again has that one's record types and fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from r3con_core.schema.edits import Nest, Node, Path, Rename, SchemaEdit, find
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Schema, kind_name

Step = tuple[Schema, SchemaEdit | None]
"""A version, and the edit that made it of the one before; None where it was put in its place as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChange:
    """From one version to another."""

    before: Schema
    after: Schema
    origins: Mapping[Path, Path]
    """Where a record type or field of `after` was in `before`; what is new is not among them."""

    def origin(self, path: Path) -> Path | None:
        """The same place in the version before; None for what is new."""
        return self.origins.get(path)

    @property
    def type_names(self) -> dict[str, str]:
        """Record types of `before` that there still are, and what they are called in `after`."""
        return {old[0]: new[0] for new, old in self.origins.items() if len(new) == 1}


def change_between(steps: Sequence[Step], before: int, after: int) -> SchemaChange:
    """From version `before` to version `after`, both counted from 1; `steps` are all versions, oldest first."""
    ids = _identities(steps)
    of_before = {number: path for path, number in ids[before - 1].items()}
    origins = {path: of_before[number] for path, number in ids[after - 1].items() if number in of_before}
    change = SchemaChange(before=steps[before - 1][0], after=steps[after - 1][0], origins=origins)
    return SchemaChange(before=change.before, after=change.after, origins={**origins, **_come_back(change)})


def change_by_names(before: Schema, after: Schema) -> SchemaChange:
    """From one schema to another of which nothing is known but what they say."""
    return change_between([(before, None), (after, None)], 1, 2)


def places(schema: Schema) -> Iterator[Path]:
    """Every record type and field, parents before children."""
    for record_type in schema.record_types:
        yield (record_type.name,)
    for path, _ in schema.walk():
        yield path


def _identities(steps: Sequence[Step]) -> list[dict[Path, int]]:
    """For each version, a number for every record type and field that it keeps through all versions."""
    fresh = count()
    known: list[dict[Path, int]] = []
    for place, (schema, edit) in enumerate(steps):
        same = next((i for i in range(place) if edit is None and steps[i][0] == schema), None)
        if same is not None:
            known.append(known[same])
            continue
        kept = {_moved(path, edit): number for path, number in known[-1].items()} if known else {}
        known.append({path: kept[path] if path in kept else next(fresh) for path in places(schema)})
    return known


def _moved(path: Path, edit: SchemaEdit | None) -> Path:
    """Where an edit puts what was at `path`."""
    match edit:
        case Rename(path=at, name=name) if path[: len(at)] == at:
            return (*at[:-1], name, *path[len(at) :])
        case Nest(path=at, parent=parent) if path[: len(at)] == at:
            return (*parent, *path[len(at) - 1 :])
        case _:
            return path


def _come_back(change: SchemaChange) -> dict[Path, Path]:
    """What was removed and added again just as it was, in its old place."""
    free = set(places(change.before)) - set(change.origins.values())
    found: dict[Path, Path] = {}
    for path in places(change.after):
        if path in change.origins or path not in free:
            continue
        parent = path[:-1]
        at_home = not parent or {**change.origins, **found}.get(parent) == parent
        if at_home and says(find(change.before, path)) == says(find(change.after, path)):
            found[path] = path
    return found


def says(node: Node) -> tuple[str, Kind | None]:
    """What a record type or field says itself, without the fields inside it."""
    if isinstance(node, RecordType):
        return node.meaning, None
    return node.meaning, _shell(node.kind)


def _shell(kind: Kind) -> Kind:
    match kind:
        case Group():
            return Group(fields=())
        case ListOf(item=Group()):
            return ListOf(item=Group(fields=()))
        case _:
            return kind


def same_kind(change: SchemaChange, before: Kind, after: Kind) -> bool:
    """Whether nothing is new about a kind; fields inside it are looked at by themselves."""
    match before, after:
        case Reference(record_type=old), Reference(record_type=new):
            label = (new, change.after.get(new).label)
            same_type = change.origin((new,)) == (old,)
            return same_type and change.origin(label) == (old, change.before.get(old).label)
        case Choice(options=old), Choice(options=new):
            return set(old) == set(new)
        case Group(), Group():
            return True
        case ListOf(item=old_item), ListOf(item=new_item):
            return same_kind(change, old_item, new_item)
        case _:
            return before == after


class Changed(StrEnum):
    """What can be different about a record type or field."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    MOVED = "moved"
    KIND = "kind"
    MEANING = "meaning"
    WHY = "reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is different."""

    of: Changed
    path: Path
    """In the later version; of what was removed, in the earlier one."""
    was: str = ""
    now: str = ""


def differences(change: SchemaChange) -> tuple[Difference, ...]:
    """All that is different, in the order of the later version, then what was removed. Order alone is no difference."""
    found: list[Difference] = []
    for path in places(change.after):
        origin = change.origin(path)
        if origin is None:
            if path[:-1] == () or change.origin(path[:-1]) is not None:
                found.append(Difference(of=Changed.ADDED, path=path, now=_in_short(find(change.after, path))))
            continue
        found += _node_differences(change, path, origin)
    stayed = set(change.origins.values())
    gone = [path for path in places(change.before) if path not in stayed]
    found += [
        Difference(of=Changed.REMOVED, path=path, was=_in_short(find(change.before, path)))
        for path in gone
        if path[:-1] not in gone
    ]
    return tuple(found)


def _node_differences(change: SchemaChange, path: Path, origin: Path) -> Iterator[Difference]:
    old, new = find(change.before, origin), find(change.after, path)
    if old.name != new.name:
        yield Difference(of=Changed.RENAMED, path=path, was=old.name, now=new.name)
    if len(path) > 1 and change.origin(path[:-1]) != origin[:-1]:
        yield Difference(of=Changed.MOVED, path=path, was=".".join(origin[:-1]), now=".".join(path[:-1]))
    if isinstance(old, Field) and isinstance(new, Field) and not same_kind(change, old.kind, new.kind):
        yield Difference(of=Changed.KIND, path=path, was=kind_name(old.kind), now=kind_name(new.kind))
    if old.meaning != new.meaning:
        yield Difference(of=Changed.MEANING, path=path, was=old.meaning, now=new.meaning)
    if old.why != new.why:
        yield Difference(of=Changed.WHY, path=path, was=old.why, now=new.why)


def _in_short(node: Node) -> str:
    return "record type" if isinstance(node, RecordType) else kind_name(node.kind)

"""Changes to a schema as values, so that history and undo are free.

A path is the record type's name followed by field names; lists are passed through.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar, assert_never

from r3con_core.errors import SchemaError
from r3con_core.schemas import Field, Group, Kind, ListOf, RecordType, Reference, Schema, inner_fields

Path = tuple[str, ...]
Node = RecordType | Field
N = TypeVar("N", RecordType, Field)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRecordType:
    """A new record type, at the end."""

    record_type: RecordType


@dataclass(frozen=True, slots=True, kw_only=True)
class AddField:
    """A new field, at the end of its parent."""

    parent: Path
    """A record type, or a field that is a group or a list of groups."""
    field: Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """Another name; references to a renamed record type follow."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Another meaning."""

    path: Path
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """Another reason; no prompt shows it."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retype:
    """Another kind."""

    path: Path
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """To another place among its siblings; `index` counts from 0 and is cut to the ends."""

    path: Path
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """A field under another parent, at its end."""

    path: Path
    parent: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """The record type or field is gone, with all it holds."""

    path: Path


SchemaEdit = AddRecordType | AddField | Rename | Describe | Explain | Retype | Move | Nest | Remove


def edit_schema(schema: Schema, edit: SchemaEdit) -> Schema:  # noqa: C901 - one case per kind of edit
    """The schema after `edit`; SchemaError when the edit leads nowhere or to an invalid schema."""
    match edit:
        case AddRecordType(record_type=record_type):
            return Schema(record_types=(*schema.record_types, record_type))
        case AddField(parent=parent, field=field):
            return _change_children(schema, parent, lambda fields: (*fields, field))
        case Rename(path=path, name=name):
            return _rename(schema, path, name)
        case Describe(path=path, meaning=meaning):
            return _change(schema, path, lambda node: (replace(node, meaning=meaning),))
        case Explain(path=path, why=why):
            return _change(schema, path, lambda node: (replace(node, why=why),))
        case Retype(path=path, kind=kind):
            return _retype(schema, path, kind)
        case Move(path=path, index=index):
            return _move(schema, path, index)
        case Nest(path=path, parent=parent):
            return _nest(schema, path, parent)
        case Remove(path=path):
            return _remove(schema, path)
        case unreachable:
            assert_never(unreachable)


def edit_all(schema: Schema, edits: Sequence[SchemaEdit]) -> Schema:
    """The schema after all `edits` in order."""
    return reduce(edit_schema, edits, schema)


def find(schema: Schema, path: Path) -> Node:
    """The record type or field at `path`; SchemaError when there is none."""
    nodes: tuple[Node, ...] = schema.record_types
    node: Node | None = None
    for depth, name in enumerate(path):
        node = next((n for n in nodes if n.name == name), None)
        if node is None:
            raise SchemaError("there is no such record type or field", path[: depth + 1])
        nodes = node.fields if isinstance(node, RecordType) else inner_fields(node.kind)
    if node is None:
        raise SchemaError("an edit needs a path")
    return node


def _change(schema: Schema, path: Path, make: Callable[[Node], tuple[Node, ...]]) -> Schema:
    """The schema with the node at `path` replaced by what `make` gives: one node, or none to drop it."""
    find(schema, path)
    return Schema(record_types=_rebuild(schema.record_types, path, make))


def _rebuild(nodes: tuple[N, ...], path: Path, make: Callable[[Node], tuple[Node, ...]]) -> tuple[N, ...]:
    rebuilt: list[Node] = []
    for node in nodes:
        if node.name != path[0]:
            rebuilt.append(node)
        elif len(path) == 1:
            rebuilt.extend(make(node))
        else:
            rebuilt.append(_with_children(node, _rebuild(_children(node), path[1:], make)))
    return tuple(rebuilt)  # type: ignore[arg-type]


def _children(node: Node) -> tuple[Field, ...]:
    return node.fields if isinstance(node, RecordType) else inner_fields(node.kind)


def _with_children(node: Node, fields: tuple[Field, ...]) -> Node:
    if isinstance(node, RecordType):
        return replace(node, fields=fields)
    group = Group(fields=fields)
    return replace(node, kind=ListOf(item=group) if isinstance(node.kind, ListOf) else group)


def _change_children(schema: Schema, parent: Path, make: Callable[[tuple[Field, ...]], tuple[Field, ...]]) -> Schema:
    node = find(schema, parent)
    if isinstance(node, Field) and not inner_fields(node.kind):
        raise SchemaError("only a record type, a group or a list of groups can hold fields", parent)
    return _change(schema, parent, lambda found: (_with_children(found, make(_children(found))),))


def _rename(schema: Schema, path: Path, name: str) -> Schema:
    find(schema, path)
    record_types = _rebuild(schema.record_types, path, lambda node: (replace(node, name=name),))
    if len(path) == 1:
        record_types = tuple(
            replace(t, fields=tuple(_point_to(f, path[0], name) for f in t.fields)) for t in record_types
        )
    return Schema(record_types=record_types)


def _point_to(field: Field, old: str, new: str) -> Field:
    match field.kind:
        case Reference(record_type=name) if name == old:
            return replace(field, kind=Reference(record_type=new))
        case ListOf(item=Reference(record_type=name)) if name == old:
            return replace(field, kind=ListOf(item=Reference(record_type=new)))
        case Group(fields=fields):
            return replace(field, kind=Group(fields=tuple(_point_to(f, old, new) for f in fields)))
        case ListOf(item=Group(fields=fields)):
            inner = tuple(_point_to(f, old, new) for f in fields)
            return replace(field, kind=ListOf(item=Group(fields=inner)))
        case _:
            return field


def _retype(schema: Schema, path: Path, kind: Kind) -> Schema:
    if len(path) < 2:
        raise SchemaError("a record type has no kind of its own; change its fields", path)
    return _change(schema, path, lambda node: (replace(node, kind=kind),))  # type: ignore[arg-type]


def _move(schema: Schema, path: Path, index: int) -> Schema:
    find(schema, path)
    if len(path) == 1:
        return Schema(record_types=_reorder(schema.record_types, path[-1], index))
    return _change_children(schema, path[:-1], lambda fields: _reorder(fields, path[-1], index))


def _reorder(nodes: tuple[N, ...], name: str, index: int) -> tuple[N, ...]:
    rest: tuple[N, ...] = tuple(n for n in nodes if n.name != name)
    moved: tuple[N, ...] = tuple(n for n in nodes if n.name == name)
    place: int = max(0, min(index, len(rest)))
    return rest[:place] + moved + rest[place:]


def _nest(schema: Schema, path: Path, parent: Path) -> Schema:
    node = find(schema, path)
    if isinstance(node, RecordType):
        raise SchemaError("a record type cannot be put inside another; add a group instead", path)
    if parent[: len(path)] == path:
        raise SchemaError("a field cannot be put inside itself", path)
    return edit_schema(_remove(schema, path), AddField(parent=parent, field=node))


def _remove(schema: Schema, path: Path) -> Schema:
    if len(path) == 1:
        users = [".".join(at) for at, ref in schema.references() if ref.record_type == path[0] and at[0] != path[0]]
        if users:
            raise SchemaError(f"{', '.join(users)} refers to it; change or remove that first", path)
    return _change(schema, path, lambda _: ())

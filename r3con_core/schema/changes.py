"""What a changed schema means for records: which are carried over as they are, and what is asked of which documents.

A field that is renamed, moved, nested elsewhere in its record or removed needs no call, nor does a reason or an order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from r3con_core.records import Record, Value
from r3con_core.schema.edits import Path, find
from r3con_core.schema.history import SchemaChange, same_kind
from r3con_core.schema.values import as_kind, fits, may_fit, nothing_in, nothing_of, value_at
from r3con_core.schemas import Field, Group, Kind, ListOf, RecordType, Schema


class Asked(IntEnum):
    """Of which documents a record type is asked again."""

    OF_NONE = 0
    WHERE_VALUES_DO_NOT_FIT = 1
    WHERE_IT_HAS_RECORDS = 2
    OF_ALL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeNeed:
    """What a change asks for one record type."""

    name: str
    """In the later schema."""
    asked: Asked
    retyped: tuple[tuple[Path, Kind], ...] = ()
    """Places in the earlier schema, and the kind that values there must fit now."""


def needs_of(change: SchemaChange) -> tuple[TypeNeed, ...]:
    """What each record type of the later schema needs, in its order; those that need nothing are left out."""
    needs = (_need(change, record_type) for record_type in change.after.record_types)
    return tuple(need for need in needs if need.asked)


def types_to_ask(change: SchemaChange, needs: Iterable[TypeNeed], records: Iterable[Record]) -> tuple[str, ...]:
    """The record types that one document is asked again, by the records it has; none where all is carried over."""
    held = list(records)
    return tuple(need.name for need in needs if _is_asked(change, need, held))


def _is_asked(change: SchemaChange, need: TypeNeed, records: list[Record]) -> bool:
    if need.asked is Asked.OF_ALL:
        return True
    (old_name,) = change.origins[need.name,]
    own = [record for record in records if record.type == old_name]
    if need.asked is Asked.WHERE_IT_HAS_RECORDS:
        return bool(own)
    return any(
        not fits(value, kind)
        for path, kind in need.retyped
        for record in own
        for value in _values_at(change.before, record, path)
    )


def _need(change: SchemaChange, record_type: RecordType) -> TypeNeed:
    origin = change.origin((record_type.name,))
    if origin is None or change.before.get(origin[0]).meaning != record_type.meaning:
        return TypeNeed(name=record_type.name, asked=Asked.OF_ALL)
    retyped: list[tuple[Path, Kind]] = []
    for path, field in change.after.walk():
        if path[0] != record_type.name:
            continue
        asked = _field_need(change, path, field)
        if asked is Asked.WHERE_IT_HAS_RECORDS:
            return TypeNeed(name=record_type.name, asked=asked)
        if asked is Asked.WHERE_VALUES_DO_NOT_FIT:
            retyped.append((change.origins[path], field.kind))
    asked = Asked.WHERE_VALUES_DO_NOT_FIT if retyped else Asked.OF_NONE
    return TypeNeed(name=record_type.name, asked=asked, retyped=tuple(retyped))


def _field_need(change: SchemaChange, path: Path, field: Field) -> Asked:
    origin = change.origin(path)
    if origin is None:
        new_group = isinstance(field.kind, Group) and not field.meaning  # a frame put around fields there were
        return Asked.OF_NONE if new_group else Asked.WHERE_IT_HAS_RECORDS
    before = find(change.before, origin)
    assert isinstance(before, Field), "a field stays a field"
    moved_out = _scope(change.before, origin) != change.origin(_scope(change.after, path))
    if moved_out or before.meaning != field.meaning:
        return Asked.WHERE_IT_HAS_RECORDS
    if same_kind(change, before.kind, field.kind):
        return Asked.OF_NONE
    return Asked.WHERE_VALUES_DO_NOT_FIT if may_fit(before.kind, field.kind) else Asked.WHERE_IT_HAS_RECORDS


def _scope(schema: Schema, path: Path) -> Path:
    """The nearest place above `path` that there are several of: a list of groups, else the record itself."""
    for length in range(len(path) - 1, 1, -1):
        node = find(schema, path[:length])
        if isinstance(node, Field) and isinstance(node.kind, ListOf):
            return path[:length]
    return path[:1]


def _values_at(schema: Schema, record: Record, path: Path) -> Iterator[Value]:
    """All values of a record at a place of its schema, through every list of groups on the way."""
    scope = _scope(schema, path)
    rest = path[len(scope) :]
    if len(scope) == 1:
        yield value_at(record.values, rest)
        return
    for items in _values_at(schema, record, scope):
        for item in items if isinstance(items, list) else ():
            yield value_at(item, rest) if isinstance(item, dict) else None


def carry_record(change: SchemaChange, record: Record) -> Record | None:
    """The record under the later schema, its id as it was; None where its record type is gone.

    What the later schema asks that the earlier did not is null or empty in it. Every value fits the later schema.
    """
    name = change.type_names.get(record.type)
    if name is None:
        return None
    carrier = _Carrier(change=change, moves=[])
    there = _There(scope=(record.type,), values=dict(record.values), told="")
    values = carrier.fields(change.after.get(name).fields, (name,), there, "")
    return replace(
        record,
        type=name,
        values=values,
        unsupported=tuple(new for path in record.unsupported for new in carrier.renamed(path)),
        changed=tuple(dict.fromkeys(n for old in record.changed for n in _names_now(change, (record.type, old)))),
    )


def _names_now(change: SchemaChange, old: Path) -> list[str]:
    """What the field at the first level is called now, or what it is in now; "said_by" and the like stay."""
    if not any(field.name == old[1] for field in change.before.get(old[0]).fields):
        return [old[1]]
    return [new[1] for new, origin in change.origins.items() if len(new) > 1 and origin[:2] == old]


@dataclass(frozen=True, slots=True, kw_only=True)
class _There:
    """Where values are looked for in the record as it was."""

    scope: Path
    """The record type, or the list of groups that it is an item of."""
    values: dict[str, Value]
    told: str
    """Where those values stand in the record, as `Record.unsupported` tells it: "" or "items.2."."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carrier:
    change: SchemaChange
    moves: list[tuple[str, str]]
    """Where single values were and are, such as ("items.2.name", "goods.2.what")."""

    def fields(self, fields: tuple[Field, ...], path: Path, there: _There, told: str) -> dict[str, Value]:
        """The values of these fields, which lie at `path` of the later schema and are told of below `told`."""
        return {f.name: self._value(f, (*path, f.name), there, told + f.name) for f in fields}

    def _value(self, field: Field, path: Path, there: _There, told: str) -> Value:
        if isinstance(field.kind, Group):
            return self.fields(field.kind.fields, path, there, f"{told}.")
        origin = self.change.origin(path)
        if origin is None or _scope(self.change.before, origin) != there.scope:
            return nothing_of(field.kind)
        rest = origin[len(there.scope) :]
        old, found = there.told + ".".join(rest), value_at(there.values, rest)
        before = find(self.change.before, origin)
        assert isinstance(before, Field), "a field stays a field"
        if isinstance(field.kind, ListOf) and isinstance(field.kind.item, Group):
            return self._items(field, path, _There(scope=origin, values={"": found}, told=old), told)
        alike = same_kind(self.change, before.kind, field.kind) or may_fit(before.kind, field.kind)
        if not alike or not fits(found, field.kind):
            return nothing_of(field.kind)
        self.moves.append((old, told))
        return as_kind(found, field.kind)

    def _items(self, field: Field, path: Path, there: _There, told: str) -> Value:
        assert isinstance(field.kind, ListOf), "only a list has items"
        assert isinstance(field.kind.item, Group), "only groups have fields"
        found = there.values[""]
        return [
            self.fields(
                field.kind.item.fields,
                path,
                _There(scope=there.scope, values=item, told=f"{there.told}.{place}."),
                f"{told}.{place}.",
            )
            if isinstance(item, dict)
            else nothing_in(field.kind.item.fields)
            for place, item in enumerate(found if isinstance(found, list) else ())
        ]

    def renamed(self, told: str) -> Iterator[str]:
        """Where what stood at `told` stands now; nothing where it is gone."""
        for old, new in self.moves:
            if told == old or told.startswith(f"{old}."):
                yield new + told[len(old) :]

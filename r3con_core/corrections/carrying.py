"""Changes of records made under one version of a schema, as they read under another. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from r3con_core.changes import (
    AddRecord,
    Correction,
    CorrectRecord,
    KeepApart,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
)
from r3con_core.records import Record, Value
from r3con_core.schema.changes import carry_record
from r3con_core.schema.history import SchemaChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A change as it reads now."""

    change: Correction | None
    """None where its record type is gone."""
    left_out: tuple[str, ...] = ()
    """Fields to which it gave a value, and that the schema has no more."""


Carry = Callable[[Correction, int], Carried]
"""What a change made under a schema version is under the one that counts now."""


def as_made(change: Correction, version: int) -> Carried:  # noqa: ARG001 - the shape of Carry
    """The change as it is: for a schema that has not changed since."""
    return Carried(change=change)


def carry_change(change: Correction, schemas: SchemaChange) -> Carried:
    """The change under the later schema."""
    gave = given(change)
    gone = tuple(name for record_type, name in gave if (record_type, name) not in _kept(schemas))
    return Carried(change=_carried(change, schemas), left_out=tuple(dict.fromkeys(gone)))


def _kept(schemas: SchemaChange) -> set[tuple[str, str]]:
    return {(old[0], old[1]) for old in schemas.origins.values() if len(old) > 1}


def given(change: Correction) -> tuple[tuple[str, str], ...]:
    """The record types and fields to which a change gives values of its own."""
    match change:
        case CorrectRecord(of=of, now=now):
            return tuple((now.type, name) for name in now.values if now.values[name] != of.values.get(name))
        case MergeRecords(now=record) | AddRecord(record=record):
            return tuple(_filled([record]))
        case SplitRecord(into=into):
            return tuple(_filled(into))
        case RejectRecord() | MergeNames() | KeepApart():
            return ()
        case unreachable:
            assert_never(unreachable)


def _filled(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    for record in records:
        yield from ((record.type, name) for name, value in record.values.items() if not _is_empty(value))


def _is_empty(value: Value) -> bool:
    match value:
        case None:
            return True
        case list():
            return all(map(_is_empty, value))
        case dict():
            return all(map(_is_empty, value.values()))
        case _:
            return False


def _carried(change: Correction, schemas: SchemaChange) -> Correction | None:
    match change:
        case MergeNames(record_type=name) | KeepApart(record_type=name):
            now = schemas.type_names.get(name)
            return None if now is None else replace(change, record_type=now)
        case CorrectRecord(of=of, now=record):
            pair = _all([of, record], schemas)
            return CorrectRecord(of=pair[0], now=pair[1]) if pair else None
        case RejectRecord(of=of):
            found = _all([of], schemas)
            return RejectRecord(of=found[0]) if found else None
        case AddRecord(record=record):
            found = _all([record], schemas)
            return AddRecord(record=found[0]) if found else None
        case MergeRecords(of=several, now=record):
            found = _all([record, *several], schemas)
            return MergeRecords(of=found[1:], now=found[0]) if found else None
        case SplitRecord(of=of, into=into):
            found = _all([of, *into], schemas)
            return SplitRecord(of=found[0], into=found[1:]) if found else None
        case unreachable:
            assert_never(unreachable)


def _all(records: Sequence[Record], schemas: SchemaChange) -> tuple[Record, ...]:
    """All of them carried; nothing when a record type is gone."""
    found = [carry_record(schemas, record) for record in records]
    return tuple(record for record in found if record is not None) if None not in found else ()

"""The kinds of record a task needs (paper section 4.2). A schema is data: it can be edited, compared, shown and stored.

Flat record types are tables, groups and lists are hierarchies, references make a graph.
A record type's first field is its label: references name the record they mean by it.
"""

import keyword
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from r3con_core.errors import SchemaError

MAX_DEPTH = 4
"""Levels of groups; strict endpoints allow few, and people read fewer."""
MAX_OPTIONS = 60
MAX_NAME = 80
"""Characters of a name, which is a file's too: file systems take 255 bytes."""
RESERVED = frozenset({"id", "record", "document", "quotes", "said_by", "certainty"})
"""Every record has these already."""


class ScalarType(StrEnum):
    """Single values."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    YES_NO = "yes-no"
    DATE = "date"
    """ISO 8601, as precise as the document states: 1931, 1931-03 or 1931-03-04."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One single value."""

    of: ScalarType = ScalarType.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of a few fixed words."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Names a record of `record_type` by its label."""

    record_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Fields that belong together inside one record."""

    fields: tuple["Field", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """Any number of one kind; not of lists."""

    item: "Scalar | Choice | Reference | Group"


Kind = Scalar | Choice | Reference | Group | ListOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing that a record states."""

    name: str
    meaning: str
    kind: Kind
    why: str = ""
    """What the task needs it for, in a few words; no prompt shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordType:
    """One kind of record: an event, a person, a payment."""

    name: str
    meaning: str
    """What one record of this type is."""
    fields: tuple[Field, ...]
    why: str = ""
    """What the task needs it for, in a few words; no prompt shows it."""

    @property
    def label(self) -> str:
        """The name of the field that names a record."""
        return self.fields[0].name


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Valid from birth: names are unique and usable, references lead somewhere."""

    record_types: tuple[RecordType, ...]

    def __post_init__(self) -> None:
        if not self.record_types:
            raise SchemaError("a schema needs at least one record type")
        _check_names([(t.name, (t.name,)) for t in self.record_types])
        for record_type in self.record_types:
            _check_fields(record_type.fields, (record_type.name,), depth=1)
            if not isinstance(record_type.fields[0].kind, Scalar):
                raise SchemaError(
                    "the first field names the record, so it must be a single value such as text",
                    (record_type.name, record_type.fields[0].name),
                )
        for path, reference in self.references():
            if reference.record_type not in {t.name for t in self.record_types}:
                raise SchemaError(f"refers to {reference.record_type!r}, which is not a record type", path)

    def get(self, name: str) -> RecordType:
        """The record type called `name`; KeyError when there is none."""
        return {t.name: t for t in self.record_types}[name]

    def references(self) -> Iterator[tuple[tuple[str, ...], Reference]]:
        """Every reference field with its path, in schema order."""
        for path, field in self.walk():
            kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
            if isinstance(kind, Reference):
                yield path, kind

    def walk(self) -> Iterator[tuple[tuple[str, ...], Field]]:
        """Every field of every depth with its path, parents before children."""
        for record_type in self.record_types:
            yield from walk_fields(record_type.fields, (record_type.name,))


def _empty_schema() -> Schema:
    schema = object.__new__(Schema)
    object.__setattr__(schema, "record_types", ())
    return schema


NO_SCHEMA = _empty_schema()
"""The one schema without record types, of runs that make no records; no edit and no reply of a model gives it."""


def walk_fields(fields: tuple[Field, ...], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """`fields` and all they contain, each with its path below `path`."""
    for field in fields:
        yield (*path, field.name), field
        yield from walk_fields(inner_fields(field.kind), (*path, field.name))


def inner_fields(kind: Kind) -> tuple[Field, ...]:
    """The fields of a group or of a list of groups; empty for all else."""
    match kind:
        case Group(fields=fields) | ListOf(item=Group(fields=fields)):
            return fields
        case Scalar() | Choice() | Reference() | ListOf():
            return ()
        case unreachable:
            assert_never(unreachable)


def _check_names(names: list[tuple[str, tuple[str, ...]]]) -> None:
    seen: set[str] = set()
    for name, path in names:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise SchemaError(
                f"{name!r} cannot be a name: use letters, digits and underscores, starting with a letter", path
            )
        if len(name) > MAX_NAME:
            raise SchemaError(
                f"a name may have {MAX_NAME} characters at most, and {name[:20]!r}… has {len(name)}", path
            )
        if name.casefold() in seen:
            raise SchemaError(f"the name {name!r} is used twice here", path)
        seen.add(name.casefold())


def _check_fields(fields: tuple[Field, ...], path: tuple[str, ...], depth: int) -> None:
    if not fields:
        raise SchemaError("needs at least one field", path)
    if depth > MAX_DEPTH:
        raise SchemaError(f"groups may be nested {MAX_DEPTH} deep at most", path)
    _check_names([(f.name, (*path, f.name)) for f in fields])
    for field in fields:
        here = (*path, field.name)
        if depth == 1 and field.name in RESERVED:
            raise SchemaError(f"every record has {field.name!r} already; choose another name", here)
        _check_kind(field.kind, here, depth)


def _check_kind(kind: Kind, path: tuple[str, ...], depth: int) -> None:
    match kind:
        case Choice(options=options):
            _check_options(options, path)
        case Group(fields=fields):
            _check_fields(fields, path, depth + 1)
        case ListOf(item=item):
            _check_kind(item, path, depth)
        case Scalar() | Reference():
            pass
        case unreachable:
            assert_never(unreachable)


def _check_options(options: tuple[str, ...], path: tuple[str, ...]) -> None:
    if len(options) < 2:
        raise SchemaError("a choice needs at least two options", path)
    if len(options) > MAX_OPTIONS:
        raise SchemaError(f"a choice may have {MAX_OPTIONS} options at most; use text instead", path)
    if len(set(options)) != len(options) or not all(option.strip() for option in options):
        raise SchemaError("the options of a choice must differ and not be blank", path)


def kind_name(kind: Kind) -> str:
    """The kind in a few words, as people read it: "list of text", "refers to Person"."""
    match kind:
        case Scalar(of=of):
            return of.value
        case Choice(options=options):
            return "one of: " + ", ".join(options)
        case Reference(record_type=name):
            return f"refers to {name}"
        case Group():
            return "group"
        case ListOf(item=item):
            return f"list of {kind_name(item)}"
        case unreachable:
            assert_never(unreachable)

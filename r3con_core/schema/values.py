"""Values of one kind of field, seen as values of another: which fit as they are."""

from collections.abc import Mapping
from datetime import date
from typing import assert_never

from r3con_core.records import Value
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, Reference, Scalar, ScalarType


def is_date(value: object) -> bool:
    """Whether it is an ISO date, as precise as it may be: 1931, 1931-03 or 1931-03-04."""
    if not isinstance(value, str) or len(value) not in (4, 7, 10):
        return False
    try:
        date.fromisoformat(value + "-01-01"[len(value) - 10 :] if len(value) < 10 else value)
    except ValueError:
        return False
    return True


def may_fit(before: Kind, after: Kind) -> bool:
    """Whether values of the one kind can be values of the other, each to be looked at with `fits`.

    Never where the new kind lets a document say more than the old one did: a choice with a word more, a list.
    """
    match before, after:
        case ListOf(item=one), ListOf(item=other):
            return may_fit(one, other)
        case Scalar(), Scalar() | Choice():
            return True
        case Choice() | Reference(), Scalar(of=ScalarType.TEXT):
            return True
        case Choice(options=one), Choice(options=other):
            return set(other) <= set(one)
        case _:
            return False


def fits(value: Value, kind: Kind) -> bool:
    """Whether `value` is one of `kind`; null fits all that is no list."""
    if isinstance(kind, ListOf):
        return isinstance(value, list) and all(item is not None and fits(item, kind.item) for item in value)
    if value is None:
        return not isinstance(kind, Group)
    match kind:
        case Scalar(of=of):
            return _fits_scalar(value, of)
        case Choice(options=options):
            return value in options
        case Reference():
            return isinstance(value, str)
        case Group(fields=fields):
            return isinstance(value, dict) and all(fits(value.get(f.name), f.kind) for f in fields)
        case unreachable:
            assert_never(unreachable)


def _fits_scalar(value: Value, of: ScalarType) -> bool:
    match of:
        case ScalarType.TEXT:
            return isinstance(value, str)
        case ScalarType.YES_NO:
            return isinstance(value, bool)
        case ScalarType.DATE:
            return is_date(value)
        case ScalarType.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ScalarType.INTEGER:
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case unreachable:
            assert_never(unreachable)


def as_kind(value: Value, kind: Kind) -> Value:
    """A value that fits, as one of `kind` is written: whole numbers without a point."""
    if isinstance(kind, ListOf) and isinstance(value, list):
        return [as_kind(item, kind.item) for item in value]
    if kind == Scalar(of=ScalarType.INTEGER) and isinstance(value, float):
        return int(value)
    return value


def nothing_of(kind: Kind) -> Value:
    """The value of a field that a document gives nothing for."""
    match kind:
        case Group(fields=fields):
            return nothing_in(fields)
        case ListOf():
            return []
        case _:
            return None


def nothing_in(fields: tuple[Field, ...]) -> dict[str, Value]:
    """The same for several fields."""
    return {field.name: nothing_of(field.kind) for field in fields}


def value_at(values: Mapping[str, Value], names: tuple[str, ...]) -> Value:
    """What stands under `names`, group in group; None where nothing does."""
    found: Value = dict(values)
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found

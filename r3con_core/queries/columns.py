"""Which columns a query may name, what each holds, and whether a query makes sense for a schema."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction

from r3con_core.errors import QueryError
from r3con_core.queries.query import (
    LONGEST_VALUE,
    MOST_GROUPS,
    MOST_TESTS,
    MOST_VALUES,
    PLAIN,
    VALUELESS,
    Compute,
    Condition,
    Join,
    Query,
    Test,
)
from r3con_core.records import Certainty, Record, Value
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, Reference, Scalar, ScalarType, Schema, walk_fields
from r3con_core.views.timelines import when_of

DOCUMENT, SAID_BY, CERTAINTY = "document", "said_by", "certainty"
"""Columns that every record has; no field has these names."""
_SEPARATED = re.compile(r"(?<=\d)[,'\u00a0\u202f ](?=\d{3}(?!\d))")
"""Between thousands: 4,850 is 4850."""
MOST_DIGITS = 400
"""Of a number in a query: 1e999999999 would fill the memory."""


class Holds(StrEnum):
    """What a column holds, and so how it is compared."""

    TEXT = "text"
    NAME = "name"
    """Of a record: case, typography and a leading article make no difference."""
    NUMBER = "number"
    DATE = "date"
    YES_NO = "yes-no"


_SCALARS = {
    ScalarType.TEXT: Holds.TEXT,
    ScalarType.NUMBER: Holds.NUMBER,
    ScalarType.INTEGER: Holds.NUMBER,
    ScalarType.YES_NO: Holds.YES_NO,
    ScalarType.DATE: Holds.DATE,
}
_RANGED = (Holds.NUMBER, Holds.DATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One thing that a query can test, group by, compute over or sort by."""

    name: str
    path: tuple[str, ...]
    """Of the field in its record; one of our own names for DOCUMENT, SAID_BY and CERTAINTY."""
    holds: Holds
    joined: bool = False
    """It is one of the records that the queried ones name."""
    own: bool = False
    """It is no field: every record has it."""


Columns = Mapping[str, Column]


def columns_of(schema: Schema, record_type: str, join: str = "") -> Columns:
    """The columns of a record type by name, then those of the type that its reference field `join` names."""
    found = {column.name: column for column in _columns_of_type(schema, record_type)}
    if join:
        named = joinable(schema, record_type)[join]
        found |= {column.name: column for column in _columns_of_type(schema, named, prefix=join)}
    return found


def _columns_of_type(schema: Schema, record_type: str, prefix: str = "") -> list[Column]:
    before, joined = (f"{prefix}." if prefix else ""), bool(prefix)
    fields = schema.get(record_type).fields
    found = [
        Column(name=before + ".".join(path), path=path, holds=_holds(field, fields[0]), joined=joined)
        for path, field in walk_fields(fields)
        if not isinstance(_item(field.kind), Group)
    ]
    kinds = {DOCUMENT: Holds.NUMBER, SAID_BY: Holds.NAME, CERTAINTY: Holds.TEXT}
    own = [Column(name=before + n, path=(n,), holds=kind, joined=joined, own=True) for n, kind in kinds.items()]
    return [*found, *own]


def _item(kind: Kind) -> Kind:
    return kind.item if isinstance(kind, ListOf) else kind


def _holds(field: Field, label: Field) -> Holds:
    match _item(field.kind):
        case Scalar(of=ScalarType.TEXT) if field is label:
            return Holds.NAME
        case Scalar(of=of):
            return _SCALARS[of]
        case Reference():
            return Holds.NAME
        case Choice():
            return Holds.TEXT
        case _:
            raise AssertionError("groups are no columns")


def joinable(schema: Schema, record_type: str) -> Mapping[str, str]:
    """The reference fields of a type, not inside groups, with the types they name."""
    kinds = ((field.name, _item(field.kind)) for field in schema.get(record_type).fields)
    return {name: kind.record_type for name, kind in kinds if isinstance(kind, Reference)}


def tests_of(holds: Holds) -> tuple[Test, ...]:
    """The tests that a column can be put to."""
    if holds in _RANGED:
        return (Test.EQUALS, Test.DIFFERS, Test.FROM, Test.TO, Test.ONE_OF, *VALUELESS)
    if holds is Holds.YES_NO:
        return (Test.EQUALS, *VALUELESS)
    return (Test.CONTAINS, Test.EQUALS, Test.DIFFERS, Test.ONE_OF, *VALUELESS)


def computes_of(holds: Holds) -> tuple[Compute, ...]:
    """What can be computed over a column."""
    if holds is Holds.NUMBER:
        return (Compute.SUM, Compute.MEAN, Compute.SMALLEST, Compute.LARGEST, Compute.DISTINCT)
    if holds is Holds.DATE:
        return (Compute.SMALLEST, Compute.LARGEST, Compute.DISTINCT)
    return (Compute.DISTINCT,)


def values_in(record: Record, column: Column, numbers: Mapping[str, int]) -> tuple[Value, ...]:
    """What a record holds in a column: nothing, one value, or each value of a list; `numbers` are the documents'."""
    if column.own:
        own = {DOCUMENT: numbers[record.document_id], SAID_BY: record.said_by, CERTAINTY: record.certainty.value}
        held = own[column.path[0]]
        return () if held is None else (held,)
    return tuple(_below(record.values.get(column.path[0]), column.path[1:]))


def _below(value: Value, path: tuple[str, ...]) -> list[Value]:
    if isinstance(value, list):
        return [found for item in value for found in _below(item, path)]
    if isinstance(value, dict):
        return _below(value.get(path[0]), path[1:]) if path else []
    return [value] if value not in (None, "") and not path else []


def number_in(value: Value) -> Fraction | None:
    """A value that is a number, exactly as it is written: 0.1 is one tenth. None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return Fraction(value) if isinstance(value, int) else Fraction(repr(value))
    except ValueError:  # not finite
        return None


def number_written(text: str) -> Fraction | None:
    """The number that a person writes, such as "4,850" or "-1.5e3"; None when it is none."""
    try:
        number = Decimal(_SEPARATED.sub("", text.strip()))
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        return None
    return Fraction(number)


def check_query(query: Query, schema: Schema) -> Columns:
    """The columns the query may name; QueryError when it makes no sense for the schema."""
    if query.record_type not in {one.name for one in schema.record_types}:
        raise QueryError(f"The schema has no record type {query.record_type!r}.")
    if query.join is not None:
        _check_join(query.join, schema, query.record_type)
    columns = columns_of(schema, query.record_type, query.join.field if query.join else "")
    if len(query.tests) > MOST_TESTS:
        raise QueryError(f"A query has {MOST_TESTS} tests at most.")
    for test in query.tests:
        _check_test(test, columns)
    if len(query.group_by) > MOST_GROUPS or len(set(query.group_by)) < len(query.group_by):
        raise QueryError(f"A query has {MOST_GROUPS} groups at most, each once.")
    for name in query.group_by:
        _named(columns, name)
    _check_rest(query, columns)
    return columns


def _check_join(join: Join, schema: Schema, record_type: str) -> None:
    named = joinable(schema, record_type)
    if join.field not in named:
        raise QueryError(f"{join.field!r} is no field of {record_type} that refers to other records.")
    if bool(join.latest_by) != bool(join.not_after):
        raise QueryError("For the latest record that is not after a date, name both date fields.")
    if join.latest_by:
        for kind, name in ((named[join.field], join.latest_by), (record_type, join.not_after)):
            column = _named(columns_of(schema, kind), name)
            if column.holds is not Holds.DATE:
                raise QueryError(f"{name!r} of {kind} is not a date.")


def _named(columns: Columns, name: str) -> Column:
    if name not in columns:
        raise QueryError(f"There is no column {name!r} here. There are: {', '.join(columns)}.")
    return columns[name]


def _check_test(test: Condition, columns: Columns) -> None:
    column = _named(columns, test.column)
    if test.test not in tests_of(column.holds):
        raise QueryError(
            f"{test.column!r} holds {column.holds.value}; it cannot be put to the test {test.test.value!r}."
        )
    wanted = "no value" if test.test in VALUELESS else "values" if test.test is Test.ONE_OF else "one value"
    right = {"no value": not test.values, "values": bool(test.values), "one value": len(test.values) == 1}
    if not right[wanted] or not all(value.strip() for value in test.values):
        raise QueryError(f"The test {test.column!r} {test.test.value} needs {wanted}.")
    if len(test.values) > MOST_VALUES or any(len(value) > LONGEST_VALUE for value in test.values):
        raise QueryError(f"A test has {MOST_VALUES} values at most, of {LONGEST_VALUE:,} characters each.")
    for value in test.values:
        _check_value(value, column)


def _check_value(value: str, column: Column) -> None:
    if column.holds is Holds.NUMBER and number_written(value) is None:
        raise QueryError(f"{column.name!r} holds numbers, and {value!r} is none.")
    if column.holds is Holds.DATE and when_of(value) is None:
        raise QueryError(f"{column.name!r} holds dates, and {value!r} is none. Write 1931, 1931-03 or 1931-03-04.")
    if column.holds is Holds.YES_NO and value.strip().casefold() not in ("yes", "no"):
        raise QueryError(f"{column.name!r} is yes or no, and {value!r} is neither.")


def _check_rest(query: Query, columns: Columns) -> None:
    if query.compute in PLAIN:
        if query.over:
            raise QueryError(f"{query.compute.value!r} is of whole records, not of {query.over!r}.")
    elif query.compute not in computes_of(_named(columns, query.over).holds):
        raise QueryError(f"{query.compute.value!r} cannot be computed over {query.over!r}.")
    if query.compute is Compute.LIST and query.group_by:
        raise QueryError("A list has no groups: count the records, or compute something of them.")
    if query.limit < 0:
        raise QueryError("A limit is a number of rows, or 0 for all.")
    if not query.certainties or not set(query.certainties) <= set(Certainty):
        raise QueryError("Choose at least one certainty that counts.")

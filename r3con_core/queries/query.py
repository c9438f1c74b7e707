"""What a query asks: values that a person's form, a file or the store gives. Whether they make sense, `columns` says."""

from dataclasses import dataclass
from enum import StrEnum

from pydantic import ConfigDict, ValidationError

from r3con_core.errors import QueryError
from r3con_core.records import Certainty
from r3con_core.store.codec import dump, load
from r3con_core.views.groupings import Period

MOST_TESTS, MOST_VALUES, MOST_GROUPS, LONGEST_VALUE = 20, 200, 3, 1_000
"""Of one query, of one test, and characters of one value."""
LARGEST_FILE = 1_000_000
"""Characters of a query's JSON."""
_STRICT = ConfigDict(extra="forbid")
"""A misspelt name would otherwise be a test that is silently left out."""


class Test(StrEnum):
    """What a column must hold. A record without a value there fits no test but MISSING."""

    CONTAINS = "contains"
    EQUALS = "equals"
    DIFFERS = "differs from"
    ONE_OF = "is one of"
    FROM = "from"
    TO = "to"
    GIVEN = "is given"
    MISSING = "is missing"

    __test__ = False


class Compute(StrEnum):
    """What is made of the records that fit."""

    LIST = "list"
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    SMALLEST = "smallest"
    LARGEST = "largest"
    DISTINCT = "distinct"


VALUELESS = (Test.GIVEN, Test.MISSING)
"""Tests that compare with nothing."""
PLAIN = (Compute.LIST, Compute.COUNT)
"""What is computed over records as a whole, not over one column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One test of one column."""

    __pydantic_config__ = _STRICT

    column: str
    """A field by its path, such as "amount" or "stay.begin"; a joined one such as "vessel.tonnage"."""
    test: Test
    values: tuple[str, ...] = ()
    """What it compares with, as people write it: one; several for ONE_OF, none for GIVEN and MISSING."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Each record with those it names."""

    __pydantic_config__ = _STRICT

    field: str
    """A reference field of the queried type."""
    latest_by: str = ""
    """A date field of the named type: of several records of one name only the latest counts..."""
    not_after: str = ""
    """...that is not after this date field of the queried type; both are given or neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question that records answer without a model."""

    __pydantic_config__ = _STRICT

    record_type: str
    tests: tuple[Condition, ...] = ()
    """All must hold."""
    certainties: tuple[Certainty, ...] = (Certainty.STATED, Certainty.ALLEGED, Certainty.INFERRED)
    """Records of other certainty are left out: by default what documents deny."""
    join: Join | None = None
    group_by: tuple[str, ...] = ()
    """Columns; records that agree in all of them are one row."""
    period: Period = Period.EXACT
    """How closely dates are told apart in groups."""
    compute: Compute = Compute.LIST
    over: str = ""
    """The column that sum, mean, smallest, largest and distinct are of."""
    sort_by: str = ""
    """A column of the result; "" leaves records in the order of the data, groups the largest first."""
    descending: bool = False
    limit: int = 0
    """Rows at most; 0: all."""


def query_to_json(query: Query) -> str:
    """The query as a file or the store keeps it."""
    return dump(query, Query)


def query_from_json(text: str) -> Query:
    """The query that a file or the store holds; QueryError when it is none, saying where."""
    if len(text) > LARGEST_FILE:
        raise QueryError(f"A query has {LARGEST_FILE:,} characters at most, and this has {len(text):,}.")
    try:
        query: Query = load(text, Query)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "as a whole"
        raise QueryError(f"This is not a query, {where[:200]}: {first['msg'][:300]}") from error
    return query

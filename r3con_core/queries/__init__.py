"""Queries over a run's records without code: what is asked, which columns there are, and what comes of it.

Our own code carries them out, so they work where no walls stand for generated code. Nothing of a query is ever run:
no name in it reaches an interpreter. Pure. Modules: query (the noun), columns (what it may name), fitting (its tests),
joining (records that name others), computing (groups and figures), results (what comes of it), writing (CSV and JSON).
"""

from r3con_core.queries.computing import ResultRow
from r3con_core.queries.query import Compute, Condition, Join, Query, Test, query_from_json, query_to_json
from r3con_core.queries.results import Result, carry_out

__all__ = [
    "Compute",
    "Condition",
    "Join",
    "Query",
    "Result",
    "ResultRow",
    "Test",
    "carry_out",
    "query_from_json",
    "query_to_json",
]

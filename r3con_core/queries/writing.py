"""Queries and their results in words, and results as CSV and JSON files."""

import json
from decimal import Context, Decimal
from fractions import Fraction

from r3con_core.queries.computing import Cell
from r3con_core.queries.query import Condition, Query, query_to_json
from r3con_core.queries.results import Result
from r3con_core.records import StructuredData
from r3con_core.views.groupings import Period
from r3con_core.views.tables import in_words, to_csv

RESTS_ON, IN_DOUBT = "rests on", "in doubt"
"""Columns of files; no field's name has blanks."""
MOST_DIGITS = 40
ROUNDED = Context(prec=12)
"""For numbers that have no end, such as one third."""


def number_words(number: Fraction) -> str:
    """A number exactly, such as "0.3", or with "≈" before it when it has no end or far too many digits."""
    digits = _digits(number)
    if digits is not None:
        return digits
    divided = ROUNDED.divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"≈{divided:g}" if abs(divided.adjusted()) < MOST_DIGITS else f"≈{divided:E}"


def _digits(number: Fraction) -> str | None:
    """All digits of a number, None when it has too many."""
    if number.numerator.bit_length() > 4 * MOST_DIGITS or number.denominator.bit_length() > 4 * MOST_DIGITS:
        return None
    exact = Context(prec=2 * MOST_DIGITS).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{exact.normalize(Context(prec=2 * MOST_DIGITS)):f}" if Fraction(exact) == number else None


def cell_words(cell: Cell) -> str:
    """A cell as people read it."""
    return number_words(cell) if isinstance(cell, Fraction) else in_words(cell)


def cell_value(cell: Cell) -> str | int | float | bool | None:
    """A cell for a file: a number where a file's numbers hold it exactly, else in words."""
    if not isinstance(cell, Fraction):
        return cell if not isinstance(cell, float) or abs(cell) < float("inf") else str(cell)
    if cell.denominator == 1 and abs(cell.numerator) < 2**53:
        return int(cell)
    told = number_words(cell)
    exact = not told.startswith("≈") and Fraction(repr(float(told))) == cell
    return float(told) if exact else told


def result_csv(result: Result, data: StructuredData) -> bytes:
    """The rows with the records that each rests on, for a spreadsheet."""
    names = (*result.columns, RESTS_ON, IN_DOUBT)
    lines = [
        dict(
            zip(
                names,
                (*map(cell_value, row.cells), " ".join(map(data.label, row.record_ids)), row.in_doubt),
                strict=True,
            )
        )
        for row in result.rows
    ]
    return to_csv(lines, names)


def result_json(query: Query, result: Result, data: StructuredData) -> str:
    """The query, its rows with the records that each rests on, and how many records were left out and why."""
    rows = [
        {
            "values": {name: cell_value(cell) for name, cell in zip(result.columns, row.cells, strict=True)},
            "rests_on": [{"record": data.label(one), "id": one} for one in row.record_ids],
            "in_doubt": row.in_doubt,
        }
        for row in result.rows
    ]
    told = {"query": json.loads(query_to_json(query)), "note": result_words(result, query), "rows": rows}
    return json.dumps(told, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode()


def query_words(query: Query) -> str:
    """What a query asks, in one line."""
    what = query.compute.value if not query.over else f"{query.compute.value} of {query.over}"
    told = [f"{what}, {query.record_type}"]
    if query.join:
        named = query.join.field
        latest = f", the latest by {query.join.latest_by} that is not after {query.join.not_after}"
        told.append(f"with the records that {named} names{latest if query.join.latest_by else ''}")
    if query.tests:
        told.append("where " + " and ".join(map(_test_words, query.tests)))
    if query.group_by:
        period = "" if query.period is Period.EXACT else f" ({query.period.value})"
        told.append(f"grouped by {' and '.join(query.group_by)}{period}")
    if query.sort_by:
        told.append(f"sorted by {query.sort_by}{', the largest first' if query.descending else ''}")
    return "; ".join([*told, *([f"at most {query.limit:,} rows"] if query.limit else [])])


def _test_words(test: Condition) -> str:
    return " ".join([test.column, test.test.value, " or ".join(f"“{value}”" for value in test.values)]).strip()


def result_words(result: Result, query: Query) -> str:
    """How many records it rests on, and which were left out and why."""
    told = [f"{result.kept:,} of {result.of_type:,} records of {query.record_type} fit"]
    if result.not_counting:
        do = "does" if result.not_counting == 1 else "do"
        told.append(f"{result.not_counting:,} {do} not count: set aside, taken out, or of another certainty")
    if result.in_doubt:
        told.append(f"{result.in_doubt:,} fit perhaps only, since a date is not known to the day")
    if result.without_value:
        told.append(f"{result.without_value:,} hold nothing in {query.over}")
    if result.cut:
        told.append(f"{result.cut:,} more rows are beyond the limit")
    return "; ".join(told) + "."

"""Records of one type as a table to read: flat cells, how well each record is proved, what people made of it.

Pure. Also the one rule that keeps spreadsheets from computing what strangers wrote.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.snippets import Author

Cell = str | int | float | bool | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that make a spreadsheet compute a cell: documents are written by strangers."""


class Proof(StrEnum):
    """What became of looking for a quote, best first."""

    EXACT = "found exactly"
    NEAR = "found with small differences"
    ELSEWHERE = "in another document"
    MISSING = "not found"
    PERSON = "a person's word, without a quote"


def proof_of(evidence: Evidence) -> Proof:
    """How one quote was found; typography alone is no difference."""
    match evidence:
        case Grounded(match=Match.NEAR):
            return Proof.NEAR
        case Grounded():
            return Proof.EXACT
        case Misplaced():
            return Proof.ELSEWHERE
        case Ungrounded():
            return Proof.MISSING
        case unreachable:
            assert_never(unreachable)


def weakest_proof(record: Record) -> Proof:
    """That of its quote which was found least well."""
    order = list(Proof)
    return max((proof_of(evidence) for evidence in record.evidence), key=order.index, default=Proof.PERSON)


class Origin(StrEnum):
    """Whose a record is as it stands."""

    MODEL = "as the model gave it"
    CHANGED = "changed by a person"
    ADDED = "added by a person"
    REJECTED = "rejected by a person"
    MERGED = "merged into another record"
    SPLIT = "split into other records"


_STANDINGS = {
    Standing.REJECTED: Origin.REJECTED,
    Standing.MERGED: Origin.MERGED,
    Standing.SPLIT: Origin.SPLIT,
}


def origin_of(record: Record) -> Origin:
    """What people made of a record; what they took out goes before what they wrote in it."""
    if record.standing is not Standing.KEPT:
        return _STANDINGS[record.standing]
    if record.author is Author.HUMAN:
        return Origin.ADDED
    return Origin.CHANGED if record.changed else Origin.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One record, as a table shows it."""

    record_id: str
    label: str
    document: int
    """Its document's number, from 1."""
    proof: Proof
    """Of its least well found quote."""
    set_aside: bool
    counts: bool
    """Reasoning works on the record."""
    origin: Origin
    changed: tuple[str, ...]
    """Fields that a person changed."""
    said_by: str | None
    certainty: Certainty
    cells: Mapping[str, Cell]
    """By column."""
    text: str
    """All its words, quotes included, folded for search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The records of one type, in data order."""

    record_type: str
    columns: tuple[str, ...]
    """The record type's fields; a group or list is one column."""
    rows: tuple[Row, ...]


def table_of(data: StructuredData, record_type: str, numbers: Mapping[str, int]) -> Table:
    """The table of one record type; `numbers` are those of the documents."""
    columns = tuple(field.name for field in data.schema.get(record_type).fields)
    return Table(
        record_type=record_type,
        columns=columns,
        rows=tuple(_row(record, columns, data, numbers) for record in data.of_type(record_type)),
    )


def _row(record: Record, columns: tuple[str, ...], data: StructuredData, numbers: Mapping[str, int]) -> Row:
    cells = {name: flat(record.values.get(name)) for name in columns}
    quotes = [evidence.quote for evidence in record.evidence]
    words = [data.label(record.id), record.said_by or "", *quotes, *(in_words(cell) for cell in cells.values())]
    return Row(
        record_id=record.id,
        label=data.label(record.id),
        document=numbers[record.document_id],
        proof=weakest_proof(record),
        set_aside=record.set_aside,
        counts=record.counts,
        origin=origin_of(record),
        changed=record.changed,
        said_by=record.said_by,
        certainty=record.certainty,
        cells=cells,
        text=" ".join(" ".join(words).split()).casefold(),
    )


def flat(value: Value) -> Cell:
    """A value in one cell: single values as they are, lists and groups as compact text."""
    match value:
        case list():
            return "; ".join(f"({flat(item)})" if isinstance(item, dict) else in_words(flat(item)) for item in value)
        case dict():
            told = {name: in_words(flat(item)) for name, item in value.items()}
            return ", ".join(f"{name}: {words}" for name, words in told.items() if words)
        case _:
            return value


def in_words(cell: Cell) -> str:
    """A cell as people read it; empty for None, 9 for 9.0."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case float() if cell.is_integer():
            return str(int(cell))
        case _:
            return str(cell)


def csv_cell(value: object) -> object:
    """`value` for a CSV file: yes and no in words, nothing for None, an apostrophe before what looks like a formula."""
    match value:
        case None:
            return ""
        case bool():
            return in_words(value)
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value


def to_csv(rows: Sequence[Mapping[str, object]], names: Sequence[str] = ()) -> bytes:
    """CSV in UTF-8 with a byte order mark, as spreadsheets want it; "" when there are neither rows nor `names`.

    `names` are the columns in order, by default those of the first row.

    Text that a spreadsheet would take for a formula gets an apostrophe in front: names of files come from anybody.
    """
    columns = list(names or (rows[0] if rows else ()))
    if not columns:
        return b""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, restval="")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")

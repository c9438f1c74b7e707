"""The columns of a table of records: which there are, how each is shown, and its cells as Arrow or as CSV."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from pages.widgets.data.table_filters import CERTAINTY_HELP, NUMBERS, ORIGIN_HELP, PROOF_HELP, SIGNS
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from r3con_core.schemas import RecordType, Scalar, kind_name
from r3con_core.views.groupings import CERTAINTY, DOCUMENT, ORIGIN, QUOTES, SAID_BY
from r3con_core.views.tables import Cell, Origin, Row, Table, in_words

RECORD = "record"
OURS = (RECORD, QUOTES, CERTAINTY, SAID_BY, DOCUMENT, ORIGIN)
"""Our own columns; no field may have these names."""
_MOST_IN_16_BITS = 2**15 - 1


def columns_of(table: Table) -> tuple[str, ...]:
    """All columns in their usual order; that of people's hands only where they changed anything."""
    touched = any(row.origin is not Origin.MODEL for row in table.rows)
    return (RECORD, QUOTES, *([ORIGIN] if touched else []), *table.columns, CERTAINTY, SAID_BY, DOCUMENT)


def shown_cell(row: Row, column: str, found: Found) -> Cell:
    """What a table shows of a row in a column."""
    match column:
        case "record":
            return row.label
        case "quotes":
            standing = f"{LOOKS[row.proof].sign} {row.proof.value}"
            return f"{standing}; set aside" if row.set_aside else standing
        case "by hand":
            return by_hand(row)
        case "certainty":
            return row.certainty.value
        case "said_by":
            return row.said_by
        case "document":
            return f"{row.document} · {found.titles_by_number[row.document]}"
        case _:
            cell = row.cells[column]
            return in_words(cell) if isinstance(cell, bool) else cell


def by_hand(row: Row) -> str:
    """What people made of a record, with the fields that they changed: "✎ changed by a person: amount"."""
    told = f"{SIGNS[row.origin]} {row.origin.value}" if row.origin is not Origin.MODEL else ""
    return f"{told}: {', '.join(row.changed)}" if told and row.changed else told


def arrow_of(table: Table, found: Found) -> pa.Table:
    """All rows and columns, as the browser gets them."""
    return pa.table({name: _array([shown_cell(row, name, found) for row in table.rows]) for name in columns_of(table)})


def _array(cells: Sequence[Cell]) -> pa.Array:
    """Numbers as numbers when all are, everything else as people read it."""
    filled = [cell for cell in cells if cell is not None]
    if not all(isinstance(cell, int | float) for cell in filled):
        return _texts([None if cell is None else in_words(cell) for cell in cells])
    whole = all(isinstance(cell, int) and abs(cell) < 2**53 for cell in filled)
    return pa.array(cells, pa.int64()) if whole and filled else pa.array(cells, pa.float64())


def _texts(cells: Sequence[str | None]) -> pa.Array:
    """Each text once where most come again and again, as names do: a quarter of the bytes, and the browser reads all."""
    told = pa.array(cells, pa.string()).dictionary_encode()
    if len(told.dictionary) * 3 > len(cells) or len(told.dictionary) > _MOST_IN_16_BITS:
        return told.dictionary_decode()
    return pa.DictionaryArray.from_arrays(told.indices.cast(pa.int16()), told.dictionary)


def lines_of(rows: Sequence[Row], columns: Sequence[str], found: Found) -> list[dict[str, object]]:
    """The rows for a CSV file."""
    return [{name: shown_cell(row, name, found) for name in columns} for row in rows]


def number_columns(record_type: RecordType) -> tuple[str, ...]:
    """Fields that hold one number."""
    numbers = [Scalar(of=of) for of in NUMBERS]
    return tuple(field.name for field in record_type.fields if field.kind in numbers)


def configured(record_type: RecordType) -> dict[str, Any]:
    """How each column is shown."""
    told: dict[str, Any] = {  # what st.column_config makes has no public type
        RECORD: st.column_config.TextColumn(width=65, pinned=True, help="Its name in answers and code."),
        QUOTES: st.column_config.TextColumn(width=205, help=PROOF_HELP),
        ORIGIN: st.column_config.TextColumn(width=190, help=ORIGIN_HELP),
        CERTAINTY: st.column_config.TextColumn(width=90, help=CERTAINTY_HELP),
        SAID_BY: st.column_config.TextColumn(width=130, help="Who says so in the document, where it names anybody."),
        DOCUMENT: st.column_config.TextColumn(width=190, help="Its number and title."),
    }
    numbers = number_columns(record_type)
    for field in record_type.fields:
        helped = plain(f"{field.meaning} ({kind_name(field.kind)})" if field.meaning else kind_name(field.kind))
        if field.name in numbers:
            year = "year" in field.name.casefold()
            told[field.name] = st.column_config.NumberColumn(help=helped, format="plain" if year else "localized")
        else:
            told[field.name] = st.column_config.TextColumn(help=helped)
    return told

"""Delimited tables become documents in which every value stands as it is in the file."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from r3con_core.documents import Document, make_document
from r3con_core.readers.encodings import decode
from r3con_core.readers.ledger import File
from r3con_core.readers.text import clean, encoding_warnings, file_name, join_numbered, read_text

Row = list[str]

_DELIMITERS = ",;\t|"
_LOOKED_AT = 50
"""Rows looked at to find the delimiter and where the header is."""
_NAME = re.compile(r"[^\W\d_]|^(?:19|20)\d\d$")
"""What a column is called: something with a letter, or a year."""


def read_table(file: File) -> Iterator[Document]:
    """A table as one document: its columns, then `column: value; column: value` for each row, empty cells left out.

    Each row repeats the names of its columns so that it is understood wherever a long table is cut in parts.
    Without a header the columns are "column 1", "column 2", ...
    """
    decoded = decode(file.data())
    try:
        rows = _rows(clean(decoded.text))
    except csv.Error:  # a cell beyond the csv module's limit: a quote that never closes, or no table at all
        yield from read_text(file)
        return
    before, header, records = _split(rows)
    opening = ["; ".join(filter(None, row)) for row in before]
    if header:
        opening.append("Columns: " + "; ".join(filter(None, header)))
    head, head_units = join_numbered("header", opening)
    offset = len(head) + 1 if head else 0
    body, body_units = join_numbered("row", (_line(header, row) for row in records), offset=offset)
    yield make_document(
        title=file_name(file.source),
        text="\n".join(filter(None, (head, body))),
        source=file.source,
        units=head_units + body_units,
        warnings=(*encoding_warnings(decoded), *_shape_warnings(header, records)),
    )


def _rows(text: str) -> list[Row]:
    lines = list(io.StringIO(text))
    if lines and (said := re.fullmatch(r"sep=(.)\s*", lines[0])):  # Excel's own note of the delimiter
        delimiter, lines = said[1], lines[1:]
    else:
        delimiter = _delimiter(lines[:_LOOKED_AT])
    cells = ([cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter))
    return [row for row in cells if any(row)]


def _delimiter(lines: Sequence[str]) -> str:
    """The one that cuts most rows into the same number of cells, and then into most cells."""

    def regularity(delimiter: str) -> tuple[int, int]:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
        width, count = max(widths.items(), key=lambda held: (held[0] > 1, held[1], held[0]), default=(1, 0))
        return (count if width > 1 else 0, width)

    return max(_DELIMITERS, key=regularity)


def _split(rows: Sequence[Row]) -> tuple[Sequence[Row], Row, Sequence[Row]]:
    """Title lines above the table, the header (empty when there is none), and the rows."""
    usual = max((_filled(row) for row in rows[:_LOOKED_AT]), default=0)
    first = 0
    while first < len(rows) - 1 and _filled(rows[first]) == 1 < usual:
        first += 1
    top = rows[first] if first < len(rows) else []
    names = [cell for cell in top if cell]
    if names and len(set(names)) == len(names) and all(_NAME.search(name) for name in names):
        return rows[:first], top, rows[first + 1 :]
    return rows[:first], [], rows[first:]


def _filled(row: Row) -> int:
    return sum(1 for cell in row if cell)


def _line(header: Row, row: Row) -> str:
    names = [name or f"column {number}" for number, name in enumerate(header, 1)]
    names += [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
    return "; ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=False) if cell)


def _shape_warnings(header: Row, records: Sequence[Row]) -> tuple[str, ...]:
    wider = sum(1 for row in records if len(row) > len(header)) if header else 0
    if not wider:
        return ()
    return (f"{wider} of {len(records)} rows have more cells than the header has columns.",)

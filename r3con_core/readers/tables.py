"""Delimited tables become documents in which every value stands as it is in the file.

A table is gone through twice, once to find out how it is written and once to read it, and is never in memory whole.
"""

import csv
import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from r3con_core.documents import Document
from r3con_core.readers.cutting import Cutting, Row
from r3con_core.readers.encodings import Encoding, find_encoding, text_blocks
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.table_guess import ColumnGuess, Convention, find_convention
from r3con_core.readers.table_shape import LOOKED_AT, Shape, find_shape
from r3con_core.readers.text import Block, decoding_warnings, read_text

_DELIMITERS = "\t;|,"
"""A comma comes last, because it may stand in numbers."""
_LONGEST_LINE = 4_000_000
_STEP = 50_000
"""Rows between two signs of life."""
_END = "\ue000"
"""A row of our own after the last, which a quote that never closes would swallow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survey:
    """What going through a table once has shown."""

    encoding: Encoding
    delimiter: str
    shape: Shape
    above: tuple[list[str], ...]
    """The title rows."""
    convention: Convention
    rows: int
    wider: int
    """Rows with more cells than the header."""
    lost: int
    """Signs that could not be decoded."""


def read_table(file: File) -> Iterator[Document | Progress]:
    """A table as documents: its columns, then `column: value; column: value` for each row, empty cells left out.

    Each row repeats the names of its columns so that it is understood wherever a long table is cut in parts. Without a
    header the columns are "column 1", "column 2", ... A table of more than 20,000 rows is several documents.
    """
    encoding = find_encoding(file.content)
    try:
        survey = yield from _survey(file, encoding)
    except csv.Error:  # a cell beyond the csv module's limit: a quote that never closes, or no table at all
        yield from read_text(file)
        return
    cutting = Cutting(file, what="row", told=lambda: _warnings(survey))
    cutting.open_with(_opening(survey))
    names = _Names(survey.shape.names)
    for number, row in enumerate(_records(file, survey), 1):
        if full := cutting.add(Row(block=Block(kind="row", label=str(number), text=names.line(row)), number=number)):
            yield full
        elif number % _STEP == 0:
            yield Progress(done=number, total=survey.rows, what="row")
    yield cutting.finish()


def _survey(file: File, encoding: Encoding) -> Generator[Progress, None, _Survey]:
    counter = _Lost(encoding)
    delimiter = _delimiter(list(islice(_lines(counter.blocks(file)), LOOKED_AT)))
    counter.lost = 0
    rows = _rows(counter.blocks(file), delimiter)
    first = list(islice(rows, LOOKED_AT))
    shape = find_shape(first)
    guesses: list[ColumnGuess] = []
    total = wider = 0
    for total, row in enumerate(chain(first[shape.titles + shape.depth :], rows), 1):
        wider += len(row) > len(shape.names)
        guesses += [ColumnGuess() for _ in range(len(row) - len(guesses))]
        for guess, cell in zip(guesses, row, strict=False):
            if cell:
                guess.add(total, cell)
        if total % _STEP == 0:
            yield Progress(done=total, total=2 * total, what="row")
    names = _Names(shape.names)
    return _Survey(
        encoding=encoding,
        delimiter=delimiter,
        shape=shape,
        above=tuple(first[: shape.titles]),
        convention=find_convention([(names[column], guess) for column, guess in enumerate(guesses)]),
        rows=total,
        wider=wider if shape.depth else 0,
        lost=counter.lost,
    )


class _Lost:
    """Counts what could not be decoded while text passes by."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.lost = 0

    def blocks(self, file: File) -> Iterator[str]:
        for block in text_blocks(file.content, self._encoding):
            self.lost += block.count("\ufffd") if self._encoding.lossy else 0
            yield block


class _Names:
    """What the columns are called, those beyond the header by their number."""

    def __init__(self, header: Sequence[str]) -> None:
        self._names = [name or f"column {number}" for number, name in enumerate(header, 1)]

    def __getitem__(self, column: int) -> str:
        while len(self._names) <= column:
            self._names.append(f"column {len(self._names) + 1}")
        return self._names[column]

    def line(self, row: Sequence[str]) -> str:
        """A row as it is read."""
        return "; ".join(f"{self[column]}: {cell}" for column, cell in enumerate(row) if cell)


def _opening(survey: _Survey) -> Iterator[Block]:
    lines = ["; ".join(filter(None, row)) for row in survey.above]
    if survey.shape.depth:
        lines.append("Columns: " + "; ".join(filter(None, survey.shape.names)))
    for number, line in enumerate(lines, 1):
        yield Block(kind="header", label=str(number), text=line)
    yield Block(kind="reading note", label="Reading note", text=survey.convention.note)


def _warnings(survey: _Survey) -> tuple[str, ...]:
    wider = f"{survey.wider:,} of {survey.rows:,} rows have more cells than the header has columns."
    return (
        *decoding_warnings(survey.encoding, survey.lost),
        *survey.convention.sentences,
        *((wider,) if survey.wider else ()),
    )


def _records(file: File, survey: _Survey) -> Iterator[list[str]]:
    rows = _rows(text_blocks(file.content, survey.encoding), survey.delimiter)
    return islice(rows, survey.shape.titles + survey.shape.depth, None)


def _rows(blocks: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The rows that have something in them; csv.Error when a quote never closes."""
    lines = _lines(blocks)
    first = next(lines, "")
    if _SEP.fullmatch(first):
        first = ""
    last: list[str] = []
    for row in csv.reader(chain([first], lines, [_END]), delimiter=delimiter):
        last = row
        cells = [cell.strip() for cell in row]
        if any(cells) and cells != [_END]:
            yield cells
    if last != [_END]:
        raise csv.Error("a quote never closes")


_SEP = re.compile(r"sep=(.)\s*", re.IGNORECASE)
"""Excel's own note of the delimiter, in the first line."""


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    """Lines with their ends; csv.Error when one is too long to be a line of a table."""
    held = ""
    for block in blocks:
        lines = (held + block).split("\n")
        held = lines.pop()
        if len(held) > _LONGEST_LINE:
            raise csv.Error("a line without end")
        for line in lines:
            yield line + "\n"
    if held:
        yield held


def _delimiter(lines: Sequence[str]) -> str:
    """The one stated, or that cuts most rows into the same number of cells."""
    if lines and (said := _SEP.fullmatch(lines[0])):
        return said[1]

    def regularity(delimiter: str) -> int:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        width, count = max(widths.items(), key=lambda held: (held[0] > 1, held[1], held[0]), default=(1, 0))
        return count if width > 1 else 0

    best = max(_DELIMITERS, key=regularity)
    return best if regularity(best) else ","

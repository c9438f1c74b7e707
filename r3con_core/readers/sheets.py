"""Sheets of workbooks become documents, whatever the format: rows written `column: value`, hidden parts marked.

Each format's module gives the same `Sheet` values, row by row; nothing here opens a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from r3con_core.documents import Document, Finding, FindingKind
from r3con_core.readers.cutting import Cutting, Mark, Row
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.marks import aside_warnings
from r3con_core.readers.sheets_told import Told, column_name
from r3con_core.readers.table_shape import LOOKED_AT, Area, Shape, filled, find_shape, looks_like_value
from r3con_core.readers.text import Block, clean, one_line

_STEP = 20_000
"""Rows between two signs of life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One row that has something in it."""

    number: int
    """As the program shows it, from 1."""
    cells: Mapping[int, str]
    """Shown texts by column, from 0; no empty ones."""
    hidden: bool = False
    without_result: tuple[int, ...] = ()
    """Columns of formulas that have no stored result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment on a cell."""

    row: int
    """From 1."""
    column: int
    """From 0."""
    author: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet that is being read; its rows can be gone through once."""

    name: str
    rows: Iterable[SheetRow]
    """In their order."""
    hidden: bool = False
    hidden_columns: frozenset[int] = frozenset()
    areas: tuple[Area, ...] = ()
    """Merged cells; rows and columns from 0, as in the sheet."""
    comments: tuple[Comment, ...] = ()
    extras: tuple[tuple[str, str], ...] = ()
    """Other text on the sheet, with what it is: "text box", "page header"."""


def read_sheets(
    file: File, sheets: Iterable[Sheet], *, faults: Sequence[str] = (), aside: list[Finding] | None = None
) -> Iterator[Document | Progress]:
    """The sheets in their order, as one document or, beyond 20,000 rows, several.

    `faults` are warned of in each; they may grow while the sheets are read, and so may `aside`, what is found in cells
    that a reader does not see: each document takes those that are there when it ends.
    """
    told = Told(faults)
    cutting = Cutting(file, what="row", told=told.take)
    unseen = [] if aside is None else aside
    for sheet in sheets:
        for made in _Writer(sheet, cutting, told).write():
            yield _with_aside(made, unseen) if isinstance(made, Document) else made
    yield _with_aside(cutting.finish(), unseen)


def _with_aside(document: Document, unseen: list[Finding]) -> Document:
    if not unseen:
        return document
    findings, warnings = (*document.findings, *unseen), (*document.warnings, *aside_warnings(unseen))
    unseen.clear()
    return replace(document, findings=findings, warnings=warnings)


class _Writer:
    """Writes one sheet."""

    def __init__(self, sheet: Sheet, cutting: Cutting, told: Told) -> None:
        self._sheet, self._cutting, self._told = sheet, cutting, told
        self._name = one_line(sheet.name) or "without a name"
        self._heading = Block(kind="sheet", label=self._name, text=f"Sheet {self._name}{self._mark_of_sheet}")
        self._names: dict[int, str] = {}
        self._merged = _MergedDown(sheet.areas)
        self._comments: dict[int, list[Comment]] = {}
        for comment in sheet.comments:
            self._comments.setdefault(comment.row, []).append(comment)

    @property
    def _mark_of_sheet(self) -> str:
        return " (hidden sheet)" if self._sheet.hidden else ""

    def write(self) -> Iterator[Document | Progress]:
        """All of the sheet; a document whenever one is full."""
        rows = _Ahead(self._sheet.rows)
        if not rows.window and not self._comments and not self._sheet.extras:
            return
        self._told.begin(self._name, hidden=self._sheet.hidden)
        self._cutting.open_with([self._heading])
        last = 0
        while rows.window:
            if rows.window[0].number > last + 1 or not last:
                yield from self._head(rows)
            if rows.window:
                row = rows.take()
                last = row.number
                yield from self._row(row)
                if last % _STEP == 0:
                    yield Progress(done=last, total=0, what="row")
        yield from self._rest(last)

    def _head(self, rows: "_Ahead") -> Iterator[Document]:
        """Titles and header of the table that begins here, if one does."""
        table = rows.table()
        shape = self._shape(table)
        if not shape.depth or not self._begins_table(table, shape):
            return
        for _ in range(shape.titles):
            yield from self._row(rows.take())
        header = [rows.take() for _ in range(shape.depth)]
        self._names = {column: clean(name) for column, name in enumerate(shape.names) if name}
        numbers = [row.number for row in header]
        place = f"row {numbers[0]}" if len(numbers) == 1 else f"rows {numbers[0]}-{numbers[-1]}"
        columns = Block(
            kind="header",
            label=f"{self._name} {place}",
            text=f"Columns: {'; '.join(map(one_line, self._names.values()))}{self._mark_of_sheet}",
        )
        self._cutting.append(columns)
        self._cutting.opening = (self._heading, columns)
        for row in header:
            self._tell(row)
            self._merged.see(row)
            yield from self._comments_on(row.number)

    def _begins_table(self, table: Sequence[SheetRow], shape: Shape) -> bool:
        """Whether the rows are a header with rows below it, and not simply more rows under the header before."""
        below = table[shape.titles + shape.depth :]
        if not below or filled(shape.names) < 2:
            return False
        return not self._names or any(
            looks_like_value(cell) for row in below for column, cell in row.cells.items() if column < len(shape.names)
        )

    def _shape(self, table: Sequence[SheetRow]) -> Shape:
        places = {row.number - 1: place for place, row in enumerate(table)}
        width = 1 + max((max(row.cells, default=0) for row in table), default=0)
        grid = [[one_line(row.cells.get(column, "")) for column in range(width)] for row in table]
        areas = [
            Area(top=places[area.top], left=area.left, bottom=places[area.bottom], right=area.right)
            for area in self._sheet.areas
            if area.top in places and area.bottom in places
        ]
        return find_shape(grid, areas)

    def _row(self, row: SheetRow) -> Iterator[Document]:
        text, marks = self._text(row)
        block = Block(kind="row", label=f"{self._name} row {row.number}", text=text)
        yield from self._add(block, row.number, marks)
        self._tell(row)
        yield from self._comments_on(row.number)

    def _add(self, block: Block, number: int, marks: Sequence[Mark] = ()) -> Iterator[Document]:
        row = Row(block=block, number=number, section=self._name, marks=tuple(marks))
        if full := self._cutting.add(row):
            yield full

    def _tell(self, row: SheetRow) -> None:
        if not self._sheet.hidden:
            if row.hidden:
                self._told.row(row.number)
            for column in self._sheet.hidden_columns.intersection(row.cells):
                self._told.column(column)
        for column in row.without_result:
            self._told.formulas.append(f"{self._name} {column_name(column)}{row.number}")

    def _text(self, row: SheetRow) -> tuple[str, list[Mark]]:
        pieces: list[str] = []
        marks: list[Mark] = []
        size = 0
        only = self._is_label(row)
        for column, shown in sorted({**self._merged.see(row), **row.cells}.items()):
            text = clean(shown if only and column in row.cells else f"{self._label(column)}: {shown}")
            if column in self._sheet.hidden_columns and not self._sheet.hidden:
                text += " (hidden column)"
                detail = f"hidden column {column_name(column)}"
                marks.append(Mark(kind=FindingKind.HIDDEN_PART, start=size, end=size + len(text), detail=detail))
            pieces.append(text)
            size += len(text) + 2
        line = "; ".join(pieces)
        what = "hidden sheet" if self._sheet.hidden else "hidden row" if row.hidden else ""
        if what:
            line += f" ({what})"
            marks = [Mark(kind=FindingKind.HIDDEN_PART, start=0, end=len(line), detail=what)]
        return line, marks

    def _is_label(self, row: SheetRow) -> bool:
        """Whether its only cell is a heading or a remark, to which no column's name belongs."""
        if len(row.cells) != 1:
            return False
        column, shown = next(iter(row.cells.items()))
        is_first = not self._names or column <= min(self._names)
        return is_first and not looks_like_value(shown) and (not self._names or not row.without_result)

    def _label(self, column: int) -> str:
        return self._names.get(column) or f"column {column_name(column)}"

    def _comments_on(self, row: int) -> Iterator[Document]:
        for comment in self._comments.pop(row, ()):
            place = f"{self._name} {column_name(comment.column)}{comment.row}"
            by = f" by {one_line(comment.author)}" if comment.author.strip() else ""
            text = f"Comment on {place}{by}: {comment.text.strip()}{self._mark_of_sheet}"
            yield from self._add(Block(kind="comment", label=place, text=text), row)

    def _rest(self, last: int) -> Iterator[Document]:
        """Comments on cells of empty rows, and what else the sheet holds."""
        for row in sorted(self._comments):
            yield from self._comments_on(row)
        for what, words in self._sheet.extras:
            text = f"{what.capitalize()}: {words.strip()}{self._mark_of_sheet}"
            yield from self._add(Block(kind=what, label=self._name, text=text), last)


class _Ahead:
    """Rows with a view of those to come."""

    def __init__(self, rows: Iterable[SheetRow]) -> None:
        self._rows = iter(rows)
        self.window: list[SheetRow] = []
        self._fill()

    def _fill(self) -> None:
        while len(self.window) < LOOKED_AT and (row := next(self._rows, None)):
            self.window.append(row)

    def take(self) -> SheetRow:
        """The next row."""
        row = self.window.pop(0)
        self._fill()
        return row

    def table(self) -> list[SheetRow]:
        """The rows to come up to the first gap."""
        numbers = [row.number for row in self.window]
        gap = next(
            (place for place in range(1, len(numbers)) if numbers[place] != numbers[place - 1] + 1), len(numbers)
        )
        return self.window[:gap]


class _MergedDown:
    """What stands in cells that are merged with cells of rows above."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self._to_come = sorted((area for area in areas if area.bottom > area.top), key=lambda area: -area.top)
        self._open: list[tuple[Area, str]] = []

    def see(self, row: SheetRow) -> dict[int, str]:
        """The texts, by column, that hold for this row too; rows are to be given in their order."""
        place = row.number - 1
        self._open = [(area, text) for area, text in self._open if area.bottom >= place]
        held = {area.left: f"{text} (one cell with row {area.top + 1})" for area, text in self._open}
        while self._to_come and self._to_come[-1].top <= place:
            area = self._to_come.pop()
            if area.top == place and (text := row.cells.get(area.left)):
                self._open.append((area, text))
        return {column: text for column, text in held.items() if column not in row.cells}

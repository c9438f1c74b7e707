"""OpenDocument spreadsheets (.ods) give their sheets row by row."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from r3con_core.documents import Document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.ooxml import attributes, local_name, xml_events
from r3con_core.readers.opendocument import open_opendocument
from r3con_core.readers.sheets import Comment, Sheet, SheetRow, read_sheets
from r3con_core.readers.table_shape import Area

_MAX_COLUMNS = 16_384
_MOST_ALIKE = 100
"""Rows that may repeat one; more are given once."""
_WITHOUT_RESULT = "formula without a stored result"
_CELLS = ("table-cell", "covered-table-cell")


@dataclass(slots=True, kw_only=True)
class _Table:
    """What has to be known of a table before its rows."""

    name: str
    hidden: bool
    hidden_columns: set[int] = field(default_factory=set)
    columns: int = 0
    areas: list[Area] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)


def read_ods(file: File) -> Iterator[Document | Progress]:
    """A spreadsheet as one document, or several when it has very many rows; a unit for each row with something in it.

    Hidden sheets, columns and rows are read and marked. Formulas are shown by their stored results. Raises LockedError
    when it has a password.
    """
    with open_opendocument(file) as package:
        data = package.read("content.xml")
    if data is None:
        raise CorpusError("a damaged or incomplete OpenDocument file")
    faults: list[str] = []
    tables: list[_Table] = []
    for _ in _walk(data, tables, faults):
        pass
    faults.clear()
    yield from read_sheets(file, _sheets(data, tables, faults), faults=faults)


def _sheets(data: bytes, tables: list[_Table], faults: list[str]) -> Iterator[Sheet]:
    for place, rows in groupby(_walk(data, [], faults), key=lambda found: found[0]):
        table = tables[place]
        yield Sheet(
            name=table.name,
            hidden=table.hidden,
            hidden_columns=frozenset(table.hidden_columns),
            rows=(row for _, row in rows),
            areas=tuple(table.areas),
            comments=tuple(table.comments),
        )


def _walk(data: bytes, tables: list[_Table], faults: list[str]) -> Iterator[tuple[int, SheetRow]]:
    """Rows with the place of their table; each table is appended to `tables`, and filled, as its rows are read."""
    from lxml import etree

    reading = _Reading(tables)
    try:
        for event, name, element in xml_events(data):
            if event == "start":
                reading.start(name, element)
            elif name == "table-row":
                yield from ((len(tables) - 1, row) for row in reading.rows(element))
                _forget(element)
            else:
                reading.end(name, element)
    except etree.XMLSyntaxError:
        faults.append("Damaged inside, and not read to the end: content.xml.")


class _Reading:
    """Follows the tables of a file as their XML is read."""

    def __init__(self, tables: list[_Table]) -> None:
        self._tables = tables
        self._unseen: set[str] = set()
        """Names of the styles of hidden tables."""
        self._style = ""
        self._row = 0

    def start(self, name: str, element: Any) -> None:
        """An element begins."""
        if name == "style":
            self._style = attributes(element).get("name", "")
        elif name == "table":
            said = attributes(element)
            self._tables.append(_Table(name=said.get("name", ""), hidden=said.get("style-name", "") in self._unseen))
            self._row = 0

    def end(self, name: str, element: Any) -> None:
        """An element that is no row ends."""
        if name == "table-properties" and attributes(element).get("display") == "false":
            self._unseen.add(self._style)
        elif name == "table-column" and self._tables:
            _add_column(self._tables[-1], attributes(element))

    def rows(self, element: Any) -> list[SheetRow]:
        """The rows that an element stands for."""
        if not self._tables:
            return []
        rows, self._row = _row(element, self._tables[-1], self._row)
        return rows


def _forget(element: Any) -> None:
    element.clear()
    while element.getprevious() is not None and local_name(element.getprevious().tag) == "table-row":
        del element.getparent()[element.getparent().index(element) - 1]


def _count(said: Mapping[str, str], name: str, most: int) -> int:
    stated = said.get(name, "1")
    return min(int(stated), most) if stated.isdecimal() else 1


def _add_column(table: _Table, said: Mapping[str, str]) -> None:
    count = _count(said, "number-columns-repeated", _MAX_COLUMNS)
    if said.get("visibility", "visible") != "visible":
        table.hidden_columns.update(range(table.columns, min(table.columns + count, _MAX_COLUMNS)))
    table.columns += count


def _row(element: Any, table: _Table, before: int) -> tuple[list[SheetRow], int]:
    """The rows that an element stands for, when they have something in them, and the number of the last."""
    said = attributes(element)
    count = _count(said, "number-rows-repeated", 2**21)
    cells: dict[int, str] = {}
    without: list[int] = []
    column = 0
    for cell in element:
        if local_name(cell.tag) not in _CELLS or column >= _MAX_COLUMNS:
            continue
        stated = attributes(cell)
        repeated = _count(stated, "number-columns-repeated", _MAX_COLUMNS - column)
        shown, has_result = _shown(cell, stated)
        if shown and local_name(cell.tag) == "table-cell":
            cells.update(dict.fromkeys(range(column, column + repeated), shown))
            without += [] if has_result else [column]
        _note(cell, table, before, column)
        _span(stated, table, before, column)
        column += repeated
    if not cells:
        return [], before + count
    hidden = said.get("visibility", "visible") != "visible"
    if count > _MOST_ALIKE:
        cells[max(cells)] += f" (the same in all rows up to {before + count})"
    made = 1 if count > _MOST_ALIKE else count
    numbers = range(before + 1, before + made + 1)
    rows = [SheetRow(number=n, cells=cells, hidden=hidden, without_result=tuple(without)) for n in numbers]
    return rows, before + count


def _span(stated: Mapping[str, str], table: _Table, row: int, column: int) -> None:
    down = _count(stated, "number-rows-spanned", 2**20)
    across = _count(stated, "number-columns-spanned", _MAX_COLUMNS)
    if down > 1 or across > 1:
        table.areas.append(Area(top=row, left=column, bottom=row + down - 1, right=column + across - 1))


def _note(cell: Any, table: _Table, row: int, column: int) -> None:
    for part in cell:
        if local_name(part.tag) == "annotation":
            author = next((inner.text or "" for inner in part if local_name(inner.tag) == "creator"), "")
            if words := _paragraphs(part):
                table.comments.append(Comment(row=row + 1, column=column, author=author, text=words))


def _paragraphs(element: Any) -> str:
    return "\n".join(_words(part) for part in element if local_name(part.tag) == "p").strip()


def _words(paragraph: Any) -> str:
    pieces: list[str] = []
    for part in paragraph.iter():
        name = local_name(part.tag)
        count = _count(attributes(part), "c", 1000) if name == "s" else 1
        pieces.append({"s": " " * count, "tab": "\t", "line-break": "\n"}.get(name, "") + (part.text or ""))
        if part is not paragraph:
            pieces.append(part.tail or "")
    return "".join(pieces)


def _shown(cell: Any, stated: Mapping[str, str]) -> tuple[str, bool]:
    """What a cell shows, and whether it is no formula that has no stored result."""
    text = _paragraphs(cell)
    kind = stated.get("value-type", "")
    shown = _VALUES.get(kind, _plain)(stated, text)
    formula = stated.get("formula", "")
    if formula and not kind and not shown:
        plain = formula.partition(":")[2] if formula[:8].partition(":")[1] else formula
        return f"{plain} ({_WITHOUT_RESULT})", False
    return shown, True


def _plain(stated: Mapping[str, str], text: str) -> str:
    return text or stated.get("string-value", "")


def _float(stated: Mapping[str, str], text: str) -> str:
    return stated.get("value", text)


def _percentage(stated: Mapping[str, str], text: str) -> str:
    return f"{stated.get('value', '')} ({text})" if "%" in text else _float(stated, text)


def _currency(stated: Mapping[str, str], text: str) -> str:
    sign = stated.get("currency", "")
    return f"{_float(stated, text)} ({sign})" if sign else _float(stated, text)


def _date(stated: Mapping[str, str], text: str) -> str:
    return stated.get("date-value", text).replace("T", " ").removesuffix(" 00:00:00")


def _boolean(stated: Mapping[str, str], text: str) -> str:
    return stated.get("boolean-value", text).upper()


_VALUES: Mapping[str, Callable[[Mapping[str, str], str], str]] = {
    "float": _float,
    "percentage": _percentage,
    "currency": _currency,
    "date": _date,
    "boolean": _boolean,
}
"""How a cell of each type is shown; times of the day stand as the file shows them."""

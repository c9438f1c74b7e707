"""Excel workbooks (.xlsx) give their sheets row by row; a sheet's XML is read as it is unpacked, never held whole."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from r3con_core.documents import Document, Finding, FindingKind
from r3con_core.errors import CorpusError
from r3con_core.readers.archives_members import MAX_MEMBER_BYTES, MAX_RATIO
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.ooxml import Package, attributes, local_name, open_package
from r3con_core.readers.sheets import Sheet, SheetRow, read_sheets
from r3con_core.readers.sheets_beside import (
    REFERENCE,
    column_number,
    comments_on,
    drawn_text,
    printed_text,
    rich_text,
    unescaped,
    unseen_styles,
    whole_number,
)
from r3con_core.readers.sheets_told import column_name
from r3con_core.readers.sheets_values import NumberFormat, built_in_format, number_format, number_text
from r3con_core.readers.table_shape import Area

_ALWAYS_ALLOWED = 50 * 2**20
"""Unpacked bytes below which the ratio does not matter."""
_MAX_AREAS = 50_000
_MAX_COLUMN = 16_384
_MAX_STRINGS_BYTES = 512 * 2**20
_STEP = 2**18
_OVERLAP = 4096
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]{0,200}?ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_PRINTED = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(Header|Footer)[^<>]{0,100}>([^<]{1,2000})</")
_COLOURED = re.compile(rb"<(?:\w+:)?(?:conditionalFormatting|tablePart|picture)[\s>]")
_MOST_ASIDE = 500
"""Cells set aside in one document; further ones stay in the text."""
_WITHOUT_RESULT = "formula without a stored result"

_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def read_xlsx(file: File) -> Iterator[Document | Progress]:
    """A workbook as one document, or several when it has very many rows; a unit for each row that has something in it.

    Hidden sheets, columns and rows are read and marked. Formulas are shown by their stored results.
    """
    with open_package(file, "Excel workbook") as package:
        book = _Book.opened(package)
        yield from read_sheets(file, book.sheets(), faults=book.faults, aside=book.aside)


@dataclass(slots=True, kw_only=True)
class _Book:
    """What the sheets of a workbook share."""

    package: Package
    part: str
    strings: Sequence[str] = ()
    formats: Sequence[NumberFormat] = ()
    unseen: Sequence[str] = ()
    """Why a reader does not see cells of each style; empty for most."""
    listed: list[Mapping[str, str]] = field(default_factory=list)
    """The attributes of each sheet in the workbook's list."""
    base_1904: bool = False
    uncalculated: bool = False
    """The workbook asks to be calculated when it is opened: its program has stored no true results."""
    faults: list[str] = field(default_factory=list)
    aside: list[Finding] = field(default_factory=list)
    """What stands in cells that a reader does not see."""

    @classmethod
    def opened(cls, package: Package) -> "_Book":
        """The workbook in a package."""
        part = next((one.target for one in package.relations("") if one.kind == "officeDocument"), "xl/workbook.xml")
        book = cls(package=package, part=part)
        book._read_list()
        parts = {relation.kind: relation.target for relation in package.relations(part)}
        book.formats = _formats(package, parts.get("styles", "xl/styles.xml"))
        book.unseen = unseen_styles(package, parts.get("styles", "xl/styles.xml"))
        book.strings = book._shared_strings(parts.get("sharedStrings", "xl/sharedStrings.xml"))
        return book

    def _read_list(self) -> None:
        data = self.package.read(self.part)
        for event, name, element in self.package.events(data, self.part) if data else ():
            if event != "start":
                continue
            said = attributes(element)
            if name == "sheet":
                self.listed.append(said)
            elif name == "workbookPr":
                self.base_1904 = said.get("date1904") in ("1", "true")
            elif name == "calcPr":
                self.uncalculated = said.get("fullCalcOnLoad") in ("1", "true")

    def sheets(self) -> Iterator[Sheet]:
        """In the order of the tabs; sheets that are charts have no rows, and are left out."""
        targets = {relation.id: relation for relation in self.package.relations(self.part)}
        for said in self.listed:
            relation = targets.get(said.get("id", ""))
            if relation is not None and relation.kind in ("worksheet", "dialogsheet", "xlMacrosheet"):
                yield self._sheet(said, relation.target)
        self.faults += self.package.damage()

    def _sheet(self, said: Mapping[str, str], part: str) -> Sheet:
        relations = self.package.relations(part)
        areas, printed = self._tail(part)
        return Sheet(
            name=said.get("name", ""),
            hidden=said.get("state", "visible") != "visible",
            hidden_columns=self._hidden_columns(part),
            rows=self._rows(part, said.get("name", ""), coloured=self._is_coloured(part)),
            areas=areas,
            comments=tuple(comments_on(self.package, relations)),
            extras=(*drawn_text(self.package, relations), *printed),
        )

    def _opened(self, part: str, limit: int = MAX_MEMBER_BYTES) -> "_Counted":
        info = next(
            info for info in self.package.archive.infolist() if info.filename.lstrip("/").casefold() == part.casefold()
        )
        return _Counted(self.package.archive, info, limit)

    def _tail(self, part: str) -> tuple[tuple[Area, ...], tuple[tuple[str, str], ...]]:
        """Merged cells, and what is printed on each page: both stand after the rows."""
        areas: list[Area] = []
        printed: dict[tuple[str, str], None] = {}
        for text in self._windows(part):
            for left, top, right, bottom in _MERGED.findall(text):
                area = _area(left.decode(), int(top), right.decode(), int(bottom))
                if area not in areas[-100:] and len(areas) < _MAX_AREAS:
                    areas.append(area)
            for what, words in _PRINTED.findall(text):
                said = printed_text(words.decode("utf-8", "replace"))
                if said:
                    printed[f"page {what.decode().lower()}", said] = None
        return tuple(areas), tuple(printed)

    def _is_coloured(self, part: str) -> bool:
        """Whether cells of a sheet may have another ground than their styles say."""
        return any(self.unseen) and any(_COLOURED.search(text) for text in self._windows(part))

    def _windows(self, part: str) -> Iterator[bytes]:
        """The part's bytes in pieces that overlap."""
        held = b""
        try:
            with self._opened(part) as stream:
                while piece := stream.read(_STEP):
                    yield held + piece
                    held = piece[-_OVERLAP:]
        except StopIteration:
            self.faults.append(f"Missing in the file: {part}.")
        except _FAULTS:
            return  # reading the rows will tell

    def _hidden_columns(self, part: str) -> frozenset[int]:
        hidden: set[int] = set()
        for event, name, element in self._events(part):
            if name == "sheetData":
                break
            if event == "end" and name == "col" and element.get("hidden") in ("1", "true"):
                first, last = int(element.get("min", "1")), int(element.get("max", "1"))
                hidden.update(range(first - 1, min(last, _MAX_COLUMN)))
        return frozenset(hidden)

    def _events(self, part: str, limit: int = MAX_MEMBER_BYTES) -> Iterator[tuple[str, str, Any]]:
        """Starts and ends of elements until the part is over or damaged."""
        from lxml import etree

        try:
            with self._opened(part, limit) as stream:
                events = etree.iterparse(
                    stream, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False,
                    huge_tree=False, remove_comments=True, remove_pis=True,
                )  # fmt: skip
                for event, element in events:
                    yield event, local_name(element.tag), element
        except StopIteration:
            return
        except (etree.XMLSyntaxError, *_FAULTS):
            self.faults.append(f"Damaged inside, and not read to the end: {part}.")

    def _rows(self, part: str, sheet: str, *, coloured: bool) -> Iterator[SheetRow]:
        number = 0
        sets_aside = any(self.unseen) and not coloured
        shared: dict[str, tuple[str, str]] = {}
        for event, name, element in self._events(part):
            if event == "end" and name == "row":
                stated = element.get("r", "")
                number = int(stated) if stated.isdecimal() else number + 1
                row = self._row(element, number, shared)
                if sets_aside:
                    row = self._without_unseen(row, element, sheet)
                if row.cells:
                    yield row
                _forget(element)

    def _row(self, element: Any, number: int, shared: dict[str, tuple[str, str]]) -> SheetRow:
        cells: dict[int, str] = {}
        without: list[int] = []
        column = -1
        for cell in element:
            column = _column(cell.get("r"), column + 1)
            shown, has_result = self._cell(cell, f"{cell.get('r')}", shared)
            if shown:
                cells[column] = shown
            if not has_result:
                without.append(column)
        hidden = element.get("hidden") in ("1", "true")
        return SheetRow(number=number, cells=cells, hidden=hidden, without_result=tuple(without))

    def _without_unseen(self, row: SheetRow, element: Any, sheet: str) -> SheetRow:
        """The row without the cells that a reader does not see, which are set aside."""
        cells = dict(row.cells)
        column = -1
        for cell in element:
            column = _column(cell.get("r"), column + 1)
            style = whole_number(cell.get("s"))
            why = self.unseen[style] if style < len(self.unseen) else ""
            if why and column in cells and len(self.aside) < _MOST_ASIDE:
                place = f"{sheet} {column_name(column)}{row.number}"
                words = cells.pop(column)
                self.aside.append(Finding(kind=FindingKind.UNSEEN, text=words, place=place, detail=why))
        return row if len(cells) == len(row.cells) else replace(row, cells=cells)

    def _cell(self, cell: Any, place: str, shared: dict[str, tuple[str, str]]) -> tuple[str, bool]:
        """What a cell shows, and whether it is no formula that has no stored result."""
        value, formula, inline = None, None, ""
        for part in cell:
            match local_name(part.tag):
                case "v":
                    value = part.text or ""
                case "f":
                    formula = _formula(part, place, shared)
                case "is":
                    inline = rich_text(part)
        kind = cell.get("t", "n")
        if formula is not None and not value and kind != "str":
            return f"{formula} ({_WITHOUT_RESULT})", False
        shown = inline if kind == "inlineStr" else self._value(kind, value or "", cell.get("s", "0"))
        if formula is not None and self.uncalculated and shown in ("0", "0 (0%)"):
            return f"{shown} (stored for {formula}, which may not have been calculated)", True
        return shown.strip(), True

    def _value(self, kind: str, value: str, style: str) -> str:
        if kind == "s":
            place = int(value) if value.strip().isdecimal() else len(self.strings)
            return self.strings[place] if place < len(self.strings) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        if kind != "n" or not value:
            return unescaped(value)
        place = int(style) if style.isdecimal() else 0
        if place < len(self.formats):
            return self.formats[place].show(value, base_1904=self.base_1904)
        return number_text(value)

    def _shared_strings(self, part: str) -> list[str]:
        strings: list[str] = []
        if not self.package.has(part):
            return strings
        for event, name, element in self._events(part, _MAX_STRINGS_BYTES):
            if event == "end" and name == "si":
                strings.append(rich_text(element))
                _forget(element)
        return strings


def _forget(element: Any) -> None:
    """Free an element that has been read, and those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


class _Counted:
    """A member as it is unpacked, counted so that it cannot grow without end."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> None:
        self._stream: Any = archive.open(info)
        self._left = min(limit, max(_ALWAYS_ALLOWED, info.compress_size * MAX_RATIO))

    def __enter__(self) -> BinaryIO:
        return self  # type: ignore[return-value] # only read is asked for

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, size: int = _STEP) -> bytes:
        """The next bytes; CorpusError when the part unpacks beyond the limits."""
        piece: bytes = self._stream.read(max(size, 1))
        self._left -= len(piece)
        if self._left < 0:
            raise CorpusError(f"unpacks to more than {MAX_RATIO} times its size, as archives made to do harm do")
        return piece


def _formats(package: Package, part: str) -> list[NumberFormat]:
    """The number format of each cell style, in the order cells refer to them."""
    data = package.read(part)
    codes: dict[int, str] = {}
    formats: list[NumberFormat] = []
    in_cells = False
    for event, name, element in package.events(data, part) if data else ():
        if name == "cellXfs":
            in_cells = event == "start"
        elif event == "end" and name == "numFmt":
            codes[whole_number(element.get("numFmtId"))] = element.get("formatCode", "")
        elif event == "start" and name == "xf" and in_cells:
            number = whole_number(element.get("numFmtId"))
            formats.append(number_format(codes.get(number, built_in_format(number))[:255]))
    return formats


def _column(reference: str | None, following: int) -> int:
    found = REFERENCE.fullmatch(reference or "")
    return column_number(found[1]) if found else following


def _area(left: str, top: int, right: str, bottom: int) -> Area:
    return Area(top=top - 1, left=column_number(left), bottom=bottom - 1, right=min(column_number(right), _MAX_COLUMN))


def _formula(part: Any, place: str, shared: dict[str, tuple[str, str]]) -> str:
    """The formula of a cell; one that shares another's is shown as that."""
    text = (part.text or "").strip()
    group = part.get("si", "") if part.get("t") == "shared" else ""
    if text:
        if group:
            shared[group] = (text, place)
        return f"={text}"
    master = shared.get(group)
    return f"=({master[0]}) as in {master[1]}, moved to this cell" if master else "=(formula not stated)"

"""Excel workbooks of the binary kinds, .xls and .xlsb, give their sheets."""

import io
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

from r3con_core.documents import Document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LockedError, Progress
from r3con_core.readers.sheets import Comment, Sheet, SheetRow, read_sheets
from r3con_core.readers.sheets_values import number_format, number_text
from r3con_core.readers.table_shape import Area

_DAMAGED = "a damaged or incomplete Excel workbook"
_XLRD_FAULTS = (
    *(struct.error, IndexError, KeyError, ValueError, AssertionError),
    *(TypeError, AttributeError, OverflowError, RecursionError),
)
"""What xlrd 2.0 raises on cut and altered files beside its own errors."""


def read_xls(file: File) -> Iterator[Document | Progress]:
    """A workbook of Excel 5 to 2003; a unit for each row that has something in it.

    Hidden sheets, columns and rows are read and marked. Formulas are shown by their stored results. Raises LockedError
    when the workbook has a password.
    """
    from xlrd.biffh import XLRDError
    from xlrd.compdoc import CompDocError

    try:
        book = _opened(file.data())
    except CompDocError as fault:
        raise CorpusError(_DAMAGED) from fault
    except XLRDError as fault:
        if "encrypted" in str(fault).casefold():
            raise LockedError("Password needed") from fault
        raise CorpusError(_DAMAGED) from fault
    except _XLRD_FAULTS as fault:
        raise CorpusError(_DAMAGED) from fault
    faults: list[str] = []
    yield from read_sheets(file, _sheets(book, faults), faults=faults)


def _opened(data: bytes) -> Any:
    import xlrd

    silent = io.StringIO()
    try:
        return xlrd.open_workbook(file_contents=data, formatting_info=True, on_demand=True, logfile=silent)
    except _XLRD_FAULTS:  # styles it cannot follow: the values are worth more
        return xlrd.open_workbook(file_contents=data, on_demand=True, logfile=silent)


def _sheets(book: Any, faults: list[str]) -> Iterator[Sheet]:
    from xlrd.biffh import XLRDError

    for number, name in enumerate(book.sheet_names()):
        try:
            sheet = book.sheet_by_index(number)
        except (XLRDError, *_XLRD_FAULTS):
            faults.append(f"Damaged inside, and not read: sheet {name}.")
            continue
        yield Sheet(
            name=name,
            hidden=sheet.visibility != 0,
            hidden_columns=frozenset(column for column, stated in sheet.colinfo_map.items() if stated.hidden),
            rows=_rows(book, sheet),
            areas=tuple(
                Area(top=top, left=left, bottom=below - 1, right=right - 1)
                for top, below, left, right in sheet.merged_cells
            ),
            comments=tuple(
                Comment(row=row + 1, column=column, author=note.author or "", text=note.text)
                for (row, column), note in sorted(sheet.cell_note_map.items())
                if note.text.strip()
            ),
        )
        book.unload_sheet(number)


def _rows(book: Any, sheet: Any) -> Iterator[SheetRow]:
    for row in range(sheet.nrows):
        shown = ((column, _shown(book, sheet, row, column)) for column in range(sheet.row_len(row)))
        cells = {column: text for column, text in shown if text}
        if cells:
            stated = sheet.rowinfo_map.get(row)
            yield SheetRow(number=row + 1, cells=cells, hidden=bool(stated and stated.hidden))


def _shown(book: Any, sheet: Any, row: int, column: int) -> str:
    import xlrd

    kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
    if kind == xlrd.XL_CELL_TEXT:
        return str(value).strip()
    if kind == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(value, "#ERROR"))
    if kind not in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return ""
    code = _format_code(book, sheet, row, column)
    stored = number_text(repr(float(value)))
    return number_format(code).show(stored, base_1904=book.datemode == 1) if code else stored


def _format_code(book: Any, sheet: Any, row: int, column: int) -> str:
    if not book.formatting_info:
        return "yyyy-mm-dd h:mm" if sheet.cell_type(row, column) == 3 else ""
    style = book.xf_list[sheet.cell_xf_index(row, column)]
    stated = book.format_map.get(style.format_key)
    return (stated.format_str or "")[:255] if stated else ""


def read_xlsb(file: File) -> Iterator[Document | Progress]:
    """A workbook in Excel's binary form: its values, with hidden sheets marked."""
    import python_calamine as calamine

    try:
        book = calamine.load_workbook(io.BytesIO(file.data()))
    except calamine.PasswordError as fault:
        raise LockedError("Password needed") from fault
    except (calamine.CalamineError, zipfile.BadZipFile, OSError, ValueError) as fault:
        raise CorpusError(_DAMAGED) from fault
    told = ("In this kind of workbook hidden columns, hidden rows and comments are not told apart; save it as .xlsx.",)
    sheets = (
        Sheet(
            name=said.name,
            hidden=said.visible != calamine.SheetVisibleEnum.Visible,
            rows=_calamine_rows(book.get_sheet_by_name(said.name)),
        )
        for said in book.sheets_metadata
        if said.typ == calamine.SheetTypeEnum.WorkSheet
    )
    yield from read_sheets(file, sheets, faults=told)


def _calamine_rows(sheet: Any) -> Iterator[SheetRow]:
    first = sheet.start[0] if sheet.start else 0
    for number, row in enumerate(sheet.to_python(skip_empty_area=True), first + 1):
        left = sheet.start[1] if sheet.start else 0
        cells = {left + column: text for column, value in enumerate(row) if (text := _calamine_text(value))}
        if cells:
            yield SheetRow(number=number, cells=cells)


def _calamine_text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return number_text(repr(value))
    return str(value).strip()

"""A run as a workbook for spreadsheets (XLSX): records with their proof, answer, documents, coverage, changes.

Every text is written as text: nothing that a document, a model or a person wrote becomes a formula, here or in a CSV
file saved from here.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from r3con_core.exports.against import checked_sentences
from r3con_core.exports.changed import COLUMNS, cells_of_line, change_lines
from r3con_core.exports.contents import RunContents
from r3con_core.exports.facts import coverage_facts, gap_lines, method_facts
from r3con_core.exports.ledger import ledger_row
from r3con_core.exports.other_methods import is_other, no_records
from r3con_core.exports.rows import Column, ColumnKind, Sheet, sheets_of
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.store.project import Project
from r3con_core.views.tables import csv_cell

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MOST_LETTERS = 32_767
"""UTF-16 units that a cell holds."""
_CUT = " … (cut here: a cell holds no more; the JSON export has the whole)"
MOST_ROWS = 1_000_000
"""Records on one sheet; the next one goes on."""
_EXACT = 2**53
"""Whole numbers beyond it lose digits in a spreadsheet."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_WHOLE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST_DATE = date(1900, 3, 1)
"""Spreadsheets disagree on what was before."""
_WIDTHS = {
    "record": 9,
    "document": 10,
    "quote": 60,
    "sentence": 90,
    "to look at": 60,
    "document title": 34,
    "document path": 34,
}
_NARROW, _USUAL, _TEXT = 12, 20, 28
_NAME_LETTERS = 31
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def export_workbook(project: Project, run_id: str) -> bytes:
    """The run as an XLSX file; StoreError before there are records."""
    return workbook_of(load_whole(project, run_id))


def workbook_of(whole: WholeRun) -> bytes:
    """The same of a run already loaded. Rows are written out as they come, so memory stays small."""
    from xlsxwriter import Workbook

    packed = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with Workbook(packed, {**options, "default_date_format": "yyyy-mm-dd"}) as book:
        writer = _Writer(book=book, formats=_formats(book), names=set())
        for sheet in _first_sheets(whole):
            writer.write(sheet)
        for sheet in sheets_of(whole.contents):
            writer.write(sheet)
        for sheet in _last_sheets(whole):
            writer.write(sheet)
    return packed.getvalue()


def _formats(book: "Workbook") -> dict[str, "Format"]:
    top = {"valign": "top"}
    return {
        "head": book.add_format({"bold": True, "bottom": 1, "valign": "top", "text_wrap": True}),
        "text": book.add_format({**top, "text_wrap": True, "num_format": "@"}),
        "date": book.add_format({**top, "num_format": "yyyy-mm-dd"}),
        "number": book.add_format(top),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    book: "Workbook"
    formats: Mapping[str, "Format"]
    names: set[str]
    """Of the sheets so far, case folded; grows."""

    def write(self, sheet: Sheet) -> None:
        """One sheet, or several where it has more rows than one may hold."""
        rows = iter(sheet.rows)
        for begin in range(0, max(sheet.count, 1), MOST_ROWS):
            count = min(sheet.count - begin, MOST_ROWS)
            page = self.book.add_worksheet(self._name(sheet.record_type))
            self._head(page, sheet.columns, count)
            for number in range(1, count + 1):
                row = next(rows)
                for place, column in enumerate(sheet.columns):
                    self._cell(page, (number, place), column.kind, row.get(column.name))

    def _name(self, wanted: str) -> str:
        """A name that spreadsheets take, and no other sheet has."""
        whole = _NOT_IN_NAMES.sub(" ", wanted).strip("' ") or "Sheet"
        whole = f"{whole} records" if whole.casefold() == "history" else whole  # Excel keeps that name for itself
        number, name = 1, whole[:_NAME_LETTERS]
        while name.casefold() in self.names:
            number += 1
            mark = f" ({number})"
            name = whole[: _NAME_LETTERS - len(mark)] + mark
        self.names.add(name.casefold())
        return name

    def _head(self, page: "Worksheet", columns: Sequence[Column], count: int) -> None:
        for place, column in enumerate(columns):
            page.set_column(place, place, _width(column))
        page.freeze_panes(1, 1)
        page.autofilter(0, 0, count, len(columns) - 1)
        for place, column in enumerate(columns):
            page.write_string(0, place, _text(column.name), self.formats["head"])

    def _cell(self, page: "Worksheet", at: tuple[int, int], kind: ColumnKind, value: object) -> None:
        if value is None or value == "":
            return
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _EXACT:
            page.write_number(*at, value, self.formats["number"])
        elif kind is ColumnKind.DATE and (day := _whole_date(value)) is not None:
            page.write_datetime(*at, day, self.formats["date"])
        else:
            page.write_string(*at, _text(str(csv_cell(value))), self.formats["text"])


def _width(column: Column) -> int:
    if column.kind is not ColumnKind.TEXT:
        return _NARROW
    known = _WIDTHS.get(column.name) or (_WIDTHS["quote"] if re.fullmatch(r"quote \d+", column.name) else None)
    return known or (_USUAL if " " in column.name else _TEXT)


def _text(text: str) -> str:
    """`text` as a cell can hold it: no control characters, no halves of letters, not too long."""
    text = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n")).encode("utf-8", "replace").decode("utf-8")
    if len(text) * 2 > MOST_LETTERS and len(encoded := text.encode("utf-16-le")) > 2 * MOST_LETTERS:
        return encoded[: 2 * (MOST_LETTERS - len(_CUT))].decode("utf-16-le", "ignore") + _CUT
    return text


def _whole_date(value: object) -> date | None:
    """A date given to the day; None for what is less or more than that."""
    if not isinstance(value, str) or not _WHOLE_DATE.fullmatch(value):
        return None
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    return day if day >= _FIRST_DATE else None


def _sheet(name: str, columns: Sequence[str | Column], rows: Iterable[Mapping[str, object]]) -> Sheet:
    told = tuple(rows)
    named = tuple(Column(name=column) if isinstance(column, str) else column for column in columns)
    return Sheet(record_type=name, columns=named, count=len(told), rows=told)


def _first_sheets(whole: WholeRun) -> Iterator[Sheet]:
    contents = whole.contents
    facts = [("Question", contents.run.task.text), *method_facts(whole)]
    facts += [("What was read", fact) for fact in coverage_facts(contents)]
    yield _sheet("Answer", _ANSWER, _answer(contents))
    yield _sheet("About", ("name", "sentence"), ({"name": name, "sentence": value} for name, value in facts))


_ANSWER = ("number", "sentence", "records", "what it rests on", "found nowhere", "to look at")


def _answer(contents: RunContents) -> Iterator[dict[str, object]]:
    answer, data = contents.answer, contents.data
    if answer is None or data is None:
        yield {"number": 1, "sentence": f"There is no answer yet: the run is {contents.run.state.value}."}
        return
    if is_other(contents.run.settings):
        told = no_records(contents.run.settings)
        for number, sentence in enumerate(answer.sentences, start=1):
            yield {"number": number, "sentence": sentence.text, "what it rests on": told}
        return
    for one in checked_sentences(contents):
        labels = ", ".join(map(data.label, one.record_ids))
        against = (f"{', '.join(map(data.label, each.record_ids))}: {each.text}" for each in one.against)
        row = {"number": one.number, "sentence": one.text, "records": labels, "what it rests on": one.support.value}
        yield row | {"found nowhere": ", ".join(one.missing), "to look at": "\n".join(against)}


def _last_sheets(whole: WholeRun) -> Iterator[Sheet]:
    contents = whole.contents
    yield _sheet("Documents", _DOCUMENTS, _documents(contents))
    gaps = ({"not read, or not in full": line} for line in gap_lines(whole))
    yield _sheet("Coverage", ("not read, or not in full",), gaps)
    ledger = [ledger_row(line) for line in whole.ledger]
    yield _sheet("Ledger", tuple(ledger[0]) if ledger else ("file",), ledger)
    yield _sheet("Changes", COLUMNS, map(cells_of_line, change_lines(contents)))


_DOCUMENTS = (
    Column(name="document", kind=ColumnKind.INTEGER),
    *(Column(name=name) for name in ("document title", "document path", "id", "sha256 of the file")),
    Column(name="date", kind=ColumnKind.DATE),
    *(Column(name=name) for name in ("author", "language")),
    *(Column(name=name, kind=ColumnKind.INTEGER) for name in ("words", "pages", "records")),
    *(Column(name=name) for name in ("pages not read", "warnings", "snippet of the last round")),
)


def _documents(contents: RunContents) -> Iterator[dict[str, object]]:
    snippets = {s.document_id: s.text for s in contents.context.snippets} if contents.context.rounds else {}
    counts: dict[str, int] = {}
    for record in contents.data.records if contents.data is not None else ():
        counts[record.document_id] = counts.get(record.document_id, 0) + 1
    for number, document in enumerate(contents.corpus.documents, start=1):
        yield {
            "document": number,
            "document title": document.title,
            "document path": document.source.path,
            "id": document.id,
            "sha256 of the file": document.source.sha256,
            "date": document.date,
            "author": document.author,
            "language": document.language,
            "words": document.words,
            "pages": document.pages or None,
            "records": counts.get(document.id, 0),
            "pages not read": ", ".join(map(str, document.unread_pages)),
            "warnings": "; ".join(document.warnings),
            "snippet of the last round": snippets.get(document.id, ""),
        }

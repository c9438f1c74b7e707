"""PDF files become documents with a unit for each page; text in pictures of pages is recognised."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from r3con_core.documents import Document, Span, Unit, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.beside import addressed_beside
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, Progress, member_path
from r3con_core.readers.ocr import Engine, OcrError, Recognised, find_engine, is_worth_it
from r3con_core.readers.pageimage import picture_of_page
from r3con_core.readers.pdf_file import PDFIUM, OpenPdf, has_layers, has_xfa, opened, said_beside, stated
from r3con_core.readers.pdf_labels import production_numbers, stamps_in
from r3con_core.readers.pdf_notes import attachments
from r3con_core.readers.pdf_page import FAILED, PICTURE, SENSELESS, Page, read_page
from r3con_core.readers.pdf_warnings import warnings_of
from r3con_core.readers.text import clean, file_name, has_words

if TYPE_CHECKING:
    from PIL.Image import Image

_AT_A_TIME = 50
"""Pages read between two signs of life."""
_DENSITY = 300 / 72
"""Pixels a point for recognising."""
_LONGEST_SIDE = 5_000
"""Pixels."""
_NEW_WORDS = 5
"""Words in the picture of a page with few words of its own, from which the picture is the page."""
_WORD = re.compile(r"\w{2,}")


def read_pdf(file: File) -> Iterator[Document | Member | LedgerLine | Progress]:
    """A PDF as one document with a unit for each page that has text, then the files attached to it.

    Notes and form fields follow after the pages. Raises LockedError and CorpusError like `pdf_file.opened`.
    """
    data = file.data()
    with opened(data, file.settings.passwords) as found:
        pages: list[Page] = []
        yield from _read_pages(found, data, pages)
        yield from _recognise(found.pdf, pages, file)
        yield _document(found, pages, file)
        for page in pages:
            yield from page.files
        yield from _attachments(found.pdf, file)


def _read_pages(found: OpenPdf, data: bytes, pages: list[Page]) -> Iterator[Progress]:
    pdf = found.pdf
    with PDFIUM:
        layers, xfa, count = has_layers(data, found.password), has_xfa(pdf), len(pdf)
        if b"AcroForm" in data or b"ObjStm" in data:
            pdf.init_forms()
    for index in range(count):
        with PDFIUM:
            page = read_page(pdf, index, layers=layers, xfa=xfa)
        pages.append(replace(page, fault=FAILED) if found.repaired and page.empty else page)
        if len(pages) % _AT_A_TIME == 0:
            yield Progress(done=len(pages), total=count)


def _recognise(pdf: Any, pages: list[Page], file: File) -> Iterator[Progress]:
    """Put text in the place of each page that has none to use, if there is an engine and it is wanted."""
    wanting = [place for place, page in enumerate(pages) if page.fault in (PICTURE, SENSELESS) or page.pictured]
    engine = find_engine() if wanting and file.settings.ocr else None
    for done, place in enumerate(wanting, start=1):
        pages[place] = _recognised(pdf, pages[place], engine, file.settings.ocr_languages)
        if engine is not None:
            yield Progress(done=done, total=len(wanting), what="page of pictures")


def _recognised(pdf: Any, page: Page, engine: Engine | None, languages: Sequence[str]) -> Page:
    try:
        with PDFIUM:
            picture = _picture(pdf, page.number, small=engine is None)
        if not is_worth_it(picture):
            return replace(page, fault="" if page.fault == PICTURE else page.fault)  # an empty sheet was scanned
        if engine is None:
            return replace(page, fault=page.fault or PICTURE)
        found = engine(picture, languages)
    except OcrError as fault:
        return replace(page, trouble=str(fault))
    except CorpusError:
        return page
    return _with_words(page, found)


def _with_words(page: Page, found: Recognised) -> Page:
    text = clean(found.text).strip()
    if not has_words(text):
        return replace(page, fault="" if page.fault == PICTURE and not page.text else page.fault, wordless=True)
    if not page.fault or page.text:
        known = {word.casefold() for word in _WORD.findall(page.text)}
        new = [word for word in _WORD.findall(text) if word.casefold() not in known]
        if len(new) < _NEW_WORDS:
            return replace(page, fault="")
    stamps = page.stamps or stamps_in(text)
    return replace(page, text=text, confidence=found.confidence, stamps=stamps, layered=False)


def _picture(pdf: Any, number: int, *, small: bool) -> "Image":
    across, up = pdf.get_page_size(number - 1)
    longest = max(across, up, 1.0)
    scale = min(0.5 if small else _DENSITY, _LONGEST_SIDE / longest)
    return picture_of_page(pdf, number, max(round(across * scale), 1))


def _document(found: OpenPdf, pages: Sequence[Page], file: File) -> Document:
    date, author = stated(found.pdf)
    text, units = _joined(pages)
    with PDFIUM:
        xfa = has_xfa(found.pdf)
    return make_document(
        title=file_name(file.source),
        text=text,
        source=file.source,
        units=units,
        date=date,
        author=author,
        pages=len(pages),
        unread_pages=tuple(page.number for page in pages if page.fault and page.confidence is None),
        findings=(
            *(finding for page in pages for finding in page.findings),
            *addressed_beside(said_beside(found.pdf)),
        ),
        warnings=(*found.warnings, *warnings_of(pages, file.settings, xfa=xfa)),
    )


def _joined(pages: Sequence[Page]) -> tuple[str, tuple[Unit, ...]]:
    """The text of all pages and then of what is noted on them, and its units."""
    numbers = production_numbers([page.stamps for page in pages])
    texts: list[str] = []
    units: list[Unit] = []
    start = 0
    for text, unit in (*_page_units(pages, numbers), *_note_units(pages)):
        if not text.strip():
            continue
        units.append(replace(unit, span=Span(start=start, end=start + len(text))))
        texts.append(text)
        start += len(text) + 2
    return "\n\n".join(texts), tuple(units)


_NOWHERE = Span(start=0, end=1)


def _page_units(pages: Sequence[Page], numbers: Sequence[str]) -> Iterator[tuple[str, Unit]]:
    for page, bates in zip(pages, numbers, strict=True):
        unit = Unit(
            kind="page", label=page.label, span=_NOWHERE, page=page.number, bates=bates, confidence=page.confidence
        )
        yield clean(page.text), unit


def _note_units(pages: Sequence[Page]) -> Iterator[tuple[str, Unit]]:
    for page in pages:
        for number, note in enumerate(page.notes, start=1):
            if note.kind == "annotation":
                label = f"{number} on page {page.number}{f', by {note.name}' if note.name else ''}"
                yield clean(note.text), Unit(kind=note.kind, label=label, span=_NOWHERE)
            else:
                name = clean(note.name) or str(number)
                label = f"{name} on page {page.number}"
                yield clean(f"{name}: {note.text}"), Unit(kind=note.kind, label=label, span=_NOWHERE)


def _attachments(pdf: Any, file: File) -> Iterator[Member | LedgerLine]:
    with PDFIUM:
        found = [*attachments(pdf)]
    for name, member in found:
        if member is None:
            reason = "an attached file that cannot be taken out"
            yield LedgerLine(path=member_path(file.source, name), outcome=Outcome.NOT_READABLE, reason=reason)
        else:
            yield member

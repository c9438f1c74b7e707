"""PDF files with a text layer become documents with a unit for each page; scans are told apart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LockedError, Member
from r3con_core.readers.text import Block, excerpt, file_name, join_blocks
from r3con_core.readers.unseen import take_out_unseen

_PDFIUM = Lock()
"""PDFium is not thread-safe, as its own documentation says: one file at a time in this process."""

_SOFT_HYPHEN_AT_LINE_END = re.compile("\ufffe(?:\r\n)?")
"""How PDFium marks a hyphen that only a line end made necessary."""
_SENSELESS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
"""What a font without a right table of letters gives; no text of any language has it."""
_TOO_MUCH_SENSELESS = 0.1
"""Share of a page's signs."""
_HARDLY_ANY = 20
"""Characters under which a page with a picture is taken for a scan that only carries a stamp."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    number: int
    """Counted from 1."""
    label: str
    """As printed, where the file says so; else the number."""
    text: str = ""
    fault: str = ""
    """What is wrong with it: the words that follow "page 2"."""
    unseen: tuple[str, ...] = ()
    """Text on it that no reader of the page sees, and that is therefore not in `text`."""


def read_pdf(file: File) -> Iterator[Document | Member]:
    """A PDF as one document with a unit for each page that has text, then the files attached to it.

    A page is labelled as printed; where that differs from its place it reads "iv (PDF page 6)".
    """
    with _PDFIUM:
        pages, members = _take_apart(file.data())
    text, units = join_blocks((Block(kind="page", label=page.label, text=page.text) for page in pages), between="\n\n")
    yield make_document(
        title=file_name(file.source), text=text, source=file.source, units=units, warnings=tuple(_warnings(pages))
    )
    yield from members


def _take_apart(data: bytes) -> tuple[Sequence[_Page], Sequence[Member]]:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as fault:
        locked = fault.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        if locked:
            raise LockedError("Password needed") from fault
        raise CorpusError("a damaged or incomplete PDF") from fault
    try:
        return [_page(pdf, index) for index in range(len(pdf))], [*_attachments(pdf)]
    finally:
        pdf.close()


def _page(pdf: Any, index: int) -> _Page:
    import pypdfium2

    number = index + 1
    printed = pdf.get_page_label(index).strip()
    label = printed if printed in ("", str(number)) else f"{printed} (PDF page {number})"
    try:
        page = pdf[index]
        unseen = take_out_unseen(page)
        text = _text(page)
        fault = _fault(text, page)
        page.close()
    except pypdfium2.PdfiumError:
        return _Page(number=number, label=label or str(number), fault="cannot be read")
    kept = "" if fault == _UNREADABLE else text
    return _Page(number=number, label=label or str(number), text=kept, fault=fault, unseen=unseen)


_UNREADABLE = "has a text layer that gives senseless signs"
_SCAN = "is a picture without a text layer"
_EMPTY = "has no text"


def _text(page: Any) -> str:
    textpage = page.get_textpage()
    text: str = textpage.get_text_range()
    textpage.close()
    return _SOFT_HYPHEN_AT_LINE_END.sub("", text)


def _fault(text: str, page: Any) -> str:
    signs = "".join(text.split())
    if len(_SENSELESS.findall(signs)) > _TOO_MUCH_SENSELESS * max(len(signs), 1):
        return _UNREADABLE
    if len(signs) < _HARDLY_ANY and _has_picture(page):
        return _SCAN
    return "" if signs else _EMPTY


def _has_picture(page: Any) -> bool:
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    return any(True for _ in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3))


def _attachments(pdf: Any) -> Iterator[Member]:
    for index in range(pdf.count_attachments()):
        attachment = pdf.get_attachment(index)
        yield Member(name=attachment.get_name() or f"attachment {index + 1}", data=bytes(attachment.get_data()))


def _warnings(pages: Sequence[_Page]) -> Iterator[str]:
    for fault in (_SCAN, _EMPTY, _UNREADABLE, "cannot be read"):
        numbers = [page.number for page in pages if page.fault == fault]
        if numbers and len(numbers) == len(pages):
            which = "The only page" if len(pages) == 1 else f"Each of the {len(pages)} pages"
            yield f"{which} {fault}."
        elif numbers:
            which = "Page" if len(numbers) == 1 else "Each of the pages"
            yield f"{which} {_ranges(numbers)} (of {len(pages)}) {fault}."
    for page in pages:
        if page.unseen:
            yield f"Text that readers of page {page.number} do not see was left out: {excerpt(page.unseen)}"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in growing order as "2, 5-9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)

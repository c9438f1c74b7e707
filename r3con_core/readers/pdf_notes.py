"""What lies on a PDF page without being printed on it: notes, form fields, attached files, and what covers the text."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from r3con_core.readers.ledger import Member
from r3con_core.readers.pdf_survey import Box, Drawn
from r3con_core.readers.text import has_words
from r3con_core.readers.unseen import REDACTED

_MOST = 20_000
"""Annotations of a page that are looked at."""
_LAST = 2**31
"""Annotations are painted after everything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A text that belongs to a page: what somebody noted on it or filled in."""

    kind: str
    """annotation or form field."""
    name: str
    """Of the field, or of who wrote the note; may be empty."""
    text: str
    hidden: bool
    """It is there, and no reader of the page sees it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """All that is attached to a page."""

    notes: tuple[Note, ...] = ()
    covers: tuple[Drawn, ...] = ()
    """Annotations that may lie over text, and places marked for redaction."""
    files: tuple[Member, ...] = ()


NOTHING = Attached()


def attached_to(pdf: Any, page: Any) -> Attached:
    """What is attached to a page of PDFium; the document's form must be initialised to read fields."""
    from pypdfium2.raw import (
        FORM_OnAfterLoadPage,
        FORM_OnBeforeClosePage,
        FPDFPage_CloseAnnot,
        FPDFPage_GetAnnot,
        FPDFPage_GetAnnotCount,
    )

    count = FPDFPage_GetAnnotCount(page)
    if count <= 0:
        return NOTHING
    if pdf.formenv:
        FORM_OnAfterLoadPage(page, pdf.formenv)
    notes: list[Note] = []
    covers: list[Drawn] = []
    files: list[Member] = []
    for index in range(min(count, _MOST)):
        annotation = FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        notes.extend(_notes(pdf, annotation))
        covers.extend(_covers(annotation))
        files.extend(_files(pdf, annotation))
        FPDFPage_CloseAnnot(annotation)
    if pdf.formenv:
        FORM_OnBeforeClosePage(page, pdf.formenv)
    return Attached(notes=tuple(dict.fromkeys(notes)), covers=tuple(covers), files=tuple(files))


def _notes(pdf: Any, annotation: Any) -> Iterator[Note]:
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetSubtype(annotation)
    hidden = bool(raw.FPDFAnnot_GetFlags(annotation) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW))
    if kind == raw.FPDF_ANNOT_WIDGET:
        if pdf.formenv:
            yield from _field(pdf.formenv.raw, annotation, hidden=hidden)
    elif kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
        words = _text(lambda *place: raw.FPDFAnnot_GetStringValue(annotation, b"Contents", *place))
        if has_words(words):
            author = _text(lambda *place: raw.FPDFAnnot_GetStringValue(annotation, b"T", *place))
            yield Note(kind="annotation", name=" ".join(author.split()), text=words, hidden=hidden)


def _field(form: Any, annotation: Any, *, hidden: bool) -> Iterator[Note]:
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (raw.FPDF_FORMFIELD_PUSHBUTTON, raw.FPDF_FORMFIELD_SIGNATURE):
        return
    name = _text(lambda *place: raw.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *place))
    name = name or _text(lambda *place: raw.FPDFAnnot_GetFormFieldName(form, annotation, *place))
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        if not raw.FPDFAnnot_IsChecked(form, annotation):
            return
        value = _text(lambda *place: raw.FPDFAnnot_GetFormFieldExportValue(form, annotation, *place))
        value = value if kind == raw.FPDF_FORMFIELD_RADIOBUTTON else "ticked"
    else:
        value = _text(lambda *place: raw.FPDFAnnot_GetFormFieldValue(form, annotation, *place))
    if has_words(value):
        yield Note(kind="form field", name=" ".join(name.split()), text=value, hidden=hidden)


def _covers(annotation: Any) -> Iterator[Drawn]:
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_REDACT:
        for box in _quads(annotation) or [_rectangle(annotation)]:
            yield Drawn(_LAST, None, box, detail=REDACTED)
    elif kind in (
        raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE,
        raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_STAMP,
        raw.FPDF_ANNOT_FREETEXT,
        raw.FPDF_ANNOT_INK,
        raw.FPDF_ANNOT_LINE,
        raw.FPDF_ANNOT_HIGHLIGHT,
    ):
        yield Drawn(_LAST, None, _rectangle(annotation))


def _rectangle(annotation: Any) -> Box:
    from pypdfium2.raw import FS_RECTF, FPDFAnnot_GetRect

    box = FS_RECTF()
    FPDFAnnot_GetRect(annotation, box)
    return min(box.left, box.right), min(box.bottom, box.top), max(box.left, box.right), max(box.bottom, box.top)


def _quads(annotation: Any) -> list[Box]:
    from pypdfium2.raw import FS_QUADPOINTSF, FPDFAnnot_CountAttachmentPoints, FPDFAnnot_GetAttachmentPoints

    boxes = []
    for index in range(min(FPDFAnnot_CountAttachmentPoints(annotation), _MOST)):
        quad = FS_QUADPOINTSF()
        if FPDFAnnot_GetAttachmentPoints(annotation, index, quad):
            across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(across), min(up), max(across), max(up)))
    return boxes


def _files(pdf: Any, annotation: Any) -> Iterator[Member]:
    import pypdfium2
    from pypdfium2.raw import FPDF_ANNOT_FILEATTACHMENT, FPDFAnnot_GetFileAttachment, FPDFAnnot_GetSubtype

    if FPDFAnnot_GetSubtype(annotation) != FPDF_ANNOT_FILEATTACHMENT:
        return
    handle = FPDFAnnot_GetFileAttachment(annotation)
    if handle:
        attachment = pypdfium2.PdfAttachment(handle, pdf)
        yield Member(name=attachment.get_name() or "attached file", data=bytes(attachment.get_data()))


def _text(ask: Callable[[Any, int], int]) -> str:
    """What PDFium writes when it is first asked for the length in bytes."""
    size = ask(None, 0)
    if size <= 2:
        return ""
    letters = (ctypes.c_ushort * (size // 2 + 1))()
    ask(letters, size)
    text = bytes(letters)[:size].decode("utf-16-le", "replace").partition("\x00")[0]
    return text.replace("\r\n", "\n").replace("\r", "\n")


def attachments(pdf: Any) -> Iterator[tuple[str, Member | None]]:
    """Each file attached to the document as a whole with its name; None when it cannot be taken out."""
    import pypdfium2

    for index in range(pdf.count_attachments()):
        name = f"attachment {index + 1}"
        try:
            attachment = pdf.get_attachment(index)
            name = attachment.get_name() or name
            yield name, Member(name=name, data=bytes(attachment.get_data()))
        except pypdfium2.PdfiumError:
            yield name, None

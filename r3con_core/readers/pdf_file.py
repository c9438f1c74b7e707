"""A PDF is opened with PDFium, repaired first if need be; what it states about itself."""

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from threading import RLock
from typing import Any

from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import LockedError
from r3con_core.readers.text import one_line

PDFIUM = RLock()
"""PDFium is not thread-safe, as its own documentation says: one call at a time in this process."""

_DAMAGED = "a damaged or incomplete PDF"
_ALL_RIGHTS = 0xF3C
"""The bits of a file's permissions that have a meaning: printing, changing, copying and so on."""
_RESTRICTED = (
    "Its owner restricted what may be done with it, such as copying. It opens without a password, and was read."
)
_REPAIRED = "The file is damaged. It was repaired as far as that goes, and may lack something."
_LAYERS = b"/OCProperties"
_OBJECT_STREAM = re.compile(rb"/ObjStm[^\x00]{0,500}?stream\r?\n")
_MOST_PACKED = 64 * 2**20
"""Bytes of object streams that are unpacked."""
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPdf:
    """An open PDF, and what to tell about how it was opened."""

    pdf: Any
    """A pypdfium2 document."""
    password: str | None = None
    """The one that opened it; None when none was needed."""
    repaired: bool = False
    warnings: tuple[str, ...] = ()


@contextmanager
def opened(data: bytes, passwords: Sequence[str]) -> Iterator[OpenPdf]:
    """The PDF in `data`, closed again at the end.

    Raises LockedError when none of the passwords opens it, CorpusError when it cannot be repaired either.
    """
    with PDFIUM:
        file = _open(data, passwords)
    try:
        yield file
    finally:
        with PDFIUM:
            file.pdf.close()


def _open(data: bytes, passwords: Sequence[str]) -> OpenPdf:
    file = _unlocked(data, passwords)
    if file is not None and len(file.pdf) > 0:
        return replace(file, warnings=(_RESTRICTED,)) if _is_restricted(file) else file
    repaired = _unlocked(_repaired(data, passwords), passwords)
    if repaired is None or len(repaired.pdf) == 0:
        raise CorpusError(_DAMAGED)
    return replace(repaired, repaired=True, warnings=(_REPAIRED,))


def _is_restricted(file: OpenPdf) -> bool:
    from pypdfium2.raw import FPDF_GetDocPermissions, FPDF_GetSecurityHandlerRevision

    if file.password is not None or FPDF_GetSecurityHandlerRevision(file.pdf.raw) < 0:
        return False
    return bool(FPDF_GetDocPermissions(file.pdf.raw) & _ALL_RIGHTS != _ALL_RIGHTS)


def _unlocked(data: bytes, passwords: Sequence[str]) -> OpenPdf | None:
    """The open document, or None when it is damaged."""
    import pypdfium2

    for password in (None, *passwords):
        try:
            return OpenPdf(pdf=pypdfium2.PdfDocument(data, password=password), password=password)
        except pypdfium2.PdfiumError as fault:
            if fault.err_code != pypdfium2.raw.FPDF_ERR_PASSWORD:
                return None
    raise LockedError("another password is needed" if passwords else "Password needed")


def _repaired(data: bytes, passwords: Sequence[str]) -> bytes:
    try:
        import pikepdf
    except ImportError as fault:
        raise CorpusError(_DAMAGED) from fault

    for password in ("", *passwords):
        try:
            with pikepdf.open(io.BytesIO(data), password=password, suppress_warnings=True) as file:
                saved = io.BytesIO()
                file.save(saved)
                return saved.getvalue()
        except pikepdf.PasswordError:
            continue
        except (pikepdf.PdfError, pikepdf.DataDecodingError, ValueError, RuntimeError) as fault:
            raise CorpusError(_DAMAGED) from fault
    raise LockedError("another password is needed" if passwords else "Password needed")


def stated(pdf: Any) -> tuple[str | None, str | None]:
    """Date (ISO 8601) and author as the file states them; None where it does not."""
    with PDFIUM:
        values = pdf.get_metadata_dict(skip_empty=True)
    author = one_line(values.get("Author", ""))
    return _date(values.get("CreationDate", "")), author or None


def said_beside(pdf: Any) -> list[tuple[str, str]]:
    """What the file states of itself, such as its title, with where that is."""
    with PDFIUM:
        values = pdf.get_metadata_dict(skip_empty=True)
    return [(f"the file's properties: {name}", value) for name, value in values.items()]


def _date(text: str) -> str | None:
    parts = _DATE.match(text.strip())
    if parts is None:
        return None
    year, month, day = parts.groups()
    try:
        return datetime(int(year), int(month or 1), int(day or 1)).date().isoformat()  # noqa: DTZ001 - a day, not a moment
    except ValueError:
        return None


def has_xfa(pdf: Any) -> bool:
    """Whether its form is of the kind (XFA) that keeps its values outside the pages."""
    from pypdfium2.raw import FORMTYPE_XFA_FOREGROUND, FORMTYPE_XFA_FULL

    return pdf.get_formtype() in (FORMTYPE_XFA_FULL, FORMTYPE_XFA_FOREGROUND)


def has_layers(data: bytes, password: str | None) -> bool:
    """Whether some of what its pages draw may be switched off (optional content)."""
    if _LAYERS in data:
        return True
    if b"/ObjStm" not in data:
        return False
    return _says_layers(data, password) if b"/Encrypt" in data else any(_LAYERS in part for part in packed(data))


def packed(data: bytes) -> Iterator[bytes]:
    """What the object streams of a file hold, as far as it unpacks: its catalogue is in one of them."""
    view = memoryview(data)
    left = _MOST_PACKED
    for at in _OBJECT_STREAM.finditer(data):
        with suppress(zlib.error):
            part = zlib.decompressobj().decompress(view[at.end() : at.end() + left], left)
            left -= len(part)
            yield part
        if left <= 0:
            return


def _says_layers(data: bytes, password: str | None) -> bool:
    try:
        import pikepdf
    except ImportError:
        return False

    try:
        with pikepdf.open(io.BytesIO(data), password=password or "", suppress_warnings=True) as file:
            return _LAYERS.decode() in file.Root
    except (pikepdf.PasswordError, pikepdf.PdfError, ValueError, RuntimeError):
        return False

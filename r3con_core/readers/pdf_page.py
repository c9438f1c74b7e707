"""One page of a PDF: its text, what of it is hidden, and whether its text can be used at all."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from r3con_core.documents import Finding, FindingKind
from r3con_core.readers.ledger import Member
from r3con_core.readers.pdf_labels import Stamp, stamps_on
from r3con_core.readers.pdf_notes import Attached, Note, attached_to
from r3con_core.readers.pdf_survey import INVISIBLE, Survey, survey
from r3con_core.readers.pdf_text import text_of
from r3con_core.readers.unseen import Hidden, find_hidden

SENSELESS = "senseless"
"""Its text layer gives signs that mean nothing."""
PICTURE = "picture"
"""It shows something, and has no text for it."""
FAILED = "failed"
PLACEHOLDER = "placeholder"
"""It only asks to be opened in another program."""

_SENSELESS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
"""What a font without a right table of letters gives; no text of any language has it."""
_TOO_MUCH = 0.1
"""Share of a page's signs."""
_FREQUENT = "eainotrs"
"""Letters that are more than 0.45 of all in each language written in Latin letters."""
_USUAL_SHARE, _LEAST_SHARE = 0.32, 0.35
"""Of these, among all signs, from which a text need not be looked at closely; among the letters of its words."""
_LEAST_LETTERS = 60
"""Without which a text is not judged by them."""
_LATIN_WORD = re.compile(r"(?<!\S)[^\w\s]*([A-Za-z\u00c0-\u024f'’-]+)[^\w\s]*(?!\S)")
_SAMPLE = 5_000
"""Characters whose words are looked at."""
_ODD = re.compile(r"[!\"#$%&()+/:;<>?@\[\\\]^`{}~]")
_TOO_ODD = 0.4
"""Share of such marks among a page's signs."""
_LONGEST_WORD = 40
"""Signs without a blank from which lines of letters are no words."""
_BETWEEN = re.compile(r"(?<=\w)[^\w\s](?=\w)")
_SEPARATOR_SHARE = 1 / 12
"""Of the signs of a text, from which one of them stands for the blank."""
_LEAST_APART = 128
"""Code points between the ideographs of a text, which are never all neighbours."""
_SMALL_PICTURE = 0.2
"""Share of the page under which a picture beside words, such as a letterhead, has no text of its own."""
_HARDLY_ANY = 20
"""Characters under which a page that shows anything else is taken for a scan that only carries a stamp."""
_FEW = 200
"""Characters under which a page that is one picture is looked at for more."""
_WHOLE = 0.5
"""Share of the page from which a picture may be the page."""
_DRAWING = 40
"""Objects from which a page without words may show words drawn as shapes."""
_WAIT = re.compile(r"please wait|adobe reader 8|upgrade to the latest version", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What was read of a page."""

    number: int
    """Counted from 1."""
    label: str
    """As printed, where the file says so; else the number."""
    text: str = ""
    fault: str = ""
    """SENSELESS, PICTURE, FAILED, PLACEHOLDER or nothing."""
    pictured: bool = False
    """One picture takes most of it, so that there may be more words than its few."""
    empty: bool = False
    """It draws nothing at all."""
    layered: bool = False
    """Its text is invisible and lies over a picture, as programs that recognise text leave it."""
    findings: tuple[Finding, ...] = ()
    notes: tuple[Note, ...] = ()
    files: tuple[Member, ...] = ()
    stamps: tuple[Stamp, ...] = ()
    confidence: int | None = None
    """0 to 100, of text recognised in its picture."""
    trouble: str = ""
    """Why its text could not be recognised."""
    wordless: bool = False
    """No words were recognised in its picture."""


def read_page(pdf: Any, index: int, *, layers: bool, xfa: bool = False) -> Page:
    """Page `index`, counted from 0, of a pypdfium2 document; `layers` when some of what it draws may be switched off."""
    from pypdfium2.raw import FPDF_ClosePage, FPDF_LoadPage

    number = index + 1
    label = pdf.get_page_label(index).strip() or str(number)
    page = FPDF_LoadPage(pdf.raw, index)
    if not page:
        return Page(number=number, label=label, fault=FAILED)
    try:
        return _read(pdf, page, Page(number=number, label=label), layers=layers, xfa=xfa)
    finally:
        FPDF_ClosePage(page)


def _read(pdf: Any, page: Any, blank: Page, *, layers: bool, xfa: bool) -> Page:
    from pypdfium2.raw import FPDFText_ClosePage, FPDFText_LoadPage

    attached = attached_to(pdf, page)
    drawn = survey(page, layers=layers)
    textpage = FPDFText_LoadPage(page)
    if not textpage:
        return replace(blank, fault=FAILED)
    hidden = find_hidden(page, textpage, drawn, attached.covers)
    text = text_of(textpage, drawn, hidden.letters if hidden else frozenset())
    stamps = stamps_on(textpage, text, drawn.sheet)
    FPDFText_ClosePage(textpage)
    fault = PLACEHOLDER if xfa and _WAIT.search(text) else _fault(text, drawn)
    planted = hidden.planted if hidden else frozenset()
    recognised = any(one.detail == INVISIBLE and one.order not in planted for one in drawn.odd)
    layered = bool(drawn.pictures) and not fault and recognised
    return replace(
        blank,
        text="" if fault in (SENSELESS, PLACEHOLDER) else text,
        fault=fault,
        pictured=not layered and len(text) < _FEW and drawn.pictured() > _WHOLE,
        layered=layered,
        empty=drawn.count == 0,
        findings=_findings(hidden, attached, blank.number),
        notes=tuple(note for note in attached.notes if not note.hidden),
        files=attached.files,
        stamps=stamps,
    )


def _findings(hidden: Hidden | None, attached: Attached, number: int) -> tuple[Finding, ...]:
    runs = list(hidden.runs) if hidden else []
    runs += [(FindingKind.UNSEEN, note.text, f"a hidden {note.kind}") for note in attached.notes if note.hidden]
    return tuple(Finding(kind=kind, text=words, place=f"page {number}", detail=detail) for kind, words, detail in runs)


def _fault(text: str, drawn: Survey) -> str:
    signs = "".join(text.split())
    if is_senseless(text):
        return SENSELESS
    shows = (drawn.pictures and (not signs or drawn.pictured() >= _SMALL_PICTURE)) or drawn.count - len(
        drawn.texts
    ) >= _DRAWING
    return PICTURE if len(signs) < _HARDLY_ANY and shows else ""


def is_senseless(text: str) -> bool:
    """Whether a text layer gives other signs than the page shows, as fonts without a right table of letters do."""
    signs = "".join(text.split())
    if not signs:
        return False
    if len(_SENSELESS.findall(signs)) > _TOO_MUCH * len(signs):
        return True
    if sum(map(signs.count, _FREQUENT)) > _USUAL_SHARE * len(signs):
        return False
    if len(signs) >= _LONGEST_WORD and (_runs_on(text, signs) or _are_neighbours(signs)):
        return True
    if len(signs) >= _LEAST_LETTERS and len(_ODD.findall(signs)) > _TOO_ODD * len(signs):
        return True
    letters = "".join(_LATIN_WORD.findall(text[:_SAMPLE])).lower()
    frequent = sum(map(unicodedata.normalize("NFKD", letters).count, _FREQUENT))
    return len(letters) >= _LEAST_LETTERS and frequent < _LEAST_SHARE * len(letters)


def _runs_on(text: str, signs: str) -> bool:
    """Whether no line has a blank: letters of an alphabet that has none, or another sign in the place of each blank."""
    if len(text.split()) > len(text.splitlines()):
        return False
    if sum(not sign.isascii() and sign.lower() != sign.upper() for sign in signs) * 2 > len(signs):
        return True
    most = Counter(_BETWEEN.findall(signs)).most_common(1)
    letters = [sign for sign in signs.lower() if "a" <= sign <= "z"]
    frequent = sum(sign in _FREQUENT for sign in letters)
    return bool(most) and most[0][1] > _SEPARATOR_SHARE * len(signs) and frequent < _LEAST_SHARE * len(letters)


def _are_neighbours(signs: str) -> bool:
    ideographs = [ord(sign) for sign in signs if "\u4e00" <= sign <= "\u9fff"]
    return len(ideographs) >= _LONGEST_WORD and max(ideographs) - min(ideographs) < _LEAST_APART

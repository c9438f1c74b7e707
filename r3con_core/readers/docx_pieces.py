"""The blocks of a Word document, what its parts refer to, and the small things in them that are not plain text."""

from dataclasses import dataclass, field
from typing import Any

from r3con_core.documents import FindingKind
from r3con_core.readers.docx_looks import Look
from r3con_core.readers.marks import Note, Piece
from r3con_core.readers.ooxml import attribute

WITHOUT_TEXT = frozenset(
    ("tblGrid", "sectPr", "sdtPr", "sdtEndPr", "instrText", "delInstrText", "rt", "binData", "tblPrEx")
) | frozenset(("numPicBullet", "docDefaults", "styles", "lists", "fonts", "docPr", "docSuppData", "shapeDefaults"))
"""Elements whose content is no text of the document."""
AS_TEXT = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
"""Elements that stand for a sign."""
CHANGES = {
    "ins": (FindingKind.INSERTED, ""),
    "moveTo": (FindingKind.INSERTED, "moved here "),
    "del": (FindingKind.DELETED, ""),
    "moveFrom": (FindingKind.DELETED, "moved away "),
}
"""Tracked changes by the names of their elements: kind, and what is said before who and when."""
_SYMBOLS = {
    **dict.fromkeys((0xF0FC, 0xF050), "✓"),
    **dict.fromkeys((0xF0FE, 0xF052, 0xF053), "☑"),
    **dict.fromkeys((0xF0FD, 0xF078, 0xF051, 0xF054), "☒"),
    **dict.fromkeys((0xF0A8, 0xF06F, 0xF071, 0xF0A3), "☐"),
    **dict.fromkeys((0xF0B7, 0xF0A7, 0xF06C, 0xF06E), "•"),
    0xF0E0: "→",
    0xF0D8: "➢",
}
"""What check marks, boxes and bullets of Word's symbol fonts show; by code."""


@dataclass(slots=True, kw_only=True)
class Item:
    """A note, a comment, or the whole of a part that has no items."""

    id: str = ""
    author: str = ""
    date: str = ""
    pieces: list[Piece] = field(default_factory=list)
    rule: bool = False
    """Only the line that sets notes off from the text."""


@dataclass(slots=True, kw_only=True)
class References:
    """What the body refers to, collected as it is walked, because notes and comments stand in other parts."""

    notes: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of each footnote and endnote, by kind and id, in the order of reference."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many notes of each kind have a number."""
    dropped: dict[tuple[str, str], Note] = field(default_factory=dict)
    """Notes referred to only where the text is set aside, and why it is."""
    comments: dict[str, Piece] = field(default_factory=dict)
    """The block in which each comment is anchored, by the comment's id."""
    authors: set[str] = field(default_factory=set)
    """Of tracked changes."""
    changes: int = 0

    def number(self, kind: str, note_id: str) -> int:
        """The number of a note, counted separately for footnotes and endnotes."""
        if (kind, note_id) not in self.notes:
            self.counts[kind] = self.counts.get(kind, 0) + 1
            self.notes[kind, note_id] = self.counts[kind]
        return self.notes[kind, note_id]


def symbol(code: str) -> str:
    """What a letter of a symbol font shows, by its hexadecimal code; U+FFFD where that is not known."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    private = 0xE000 <= number <= 0xF8FF
    return _SYMBOLS.get(number, "\ufffd" if private or not 31 < number < 0x10FFFF else chr(number))


def form_value(element: Any) -> str:
    """The state of a box or choice of an old form, which has no result of its own; empty for other fields."""
    box, choice = element.find("{*}checkBox"), element.find("{*}ddList")
    if box is not None:
        states = [box.find(f"{{*}}{name}") for name in ("checked", "default")]
        stated = next((state for state in states if state is not None), None)
        return "☐" if stated is None or attribute(stated, "val") in ("0", "false", "off") else "☒"
    if choice is None:
        return ""
    entries = [attribute(entry, "val") for entry in choice.iterfind("{*}listEntry")]
    result = choice.find("{*}result")
    chosen = attribute(result, "val") if result is not None else "0"
    return entries[int(chosen)] if chosen.isdecimal() and len(chosen) < 5 and int(chosen) < len(entries) else ""


@dataclass(slots=True, kw_only=True)
class Paragraph:
    """A paragraph while its runs are read."""

    piece: Piece
    look: Look
    boxes: list[Piece] = field(default_factory=list)
    joins_next: bool = False
    shaded: bool = False
    number: str = ""
    """Counted up by Word; put before the first letter."""


@dataclass(slots=True, kw_only=True)
class Row:
    """A row of a table while its cells are read."""

    cells: list[list[Piece]] = field(default_factory=list)
    change: Note | None = None


@dataclass(slots=True, kw_only=True)
class Table:
    """A table while its rows are read."""

    number: int
    shaded: bool = False
    rows: int = 0
    row: Row = field(default_factory=Row)


def value_of(properties: Any, path: str) -> str:
    """What the element at `path` states as its value; empty when it is not there."""
    found = properties.find(path)
    return "" if found is None else attribute(found, "val")

"""The characters of a binary Word file become blocks, with what was changed in them or cannot be seen."""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from r3con_core.documents import FindingKind
from r3con_core.readers.doc_file import Runs, Stretch, values
from r3con_core.readers.docx_looks import Look
from r3con_core.readers.docx_pieces import symbol
from r3con_core.readers.marks import Note, Piece
from r3con_core.readers.ooxml import by_and_when
from r3con_core.readers.rtf_state import Frame, date_of

_DELETED, _INSERTED, _VANISH, _SIZE = 0x0800, 0x0801, 0x083C, 0x4A43
_INSERTED_BY, _INSERTED_ON, _DELETED_BY, _DELETED_ON = 0x4804, 0x6805, 0x4863, 0x6864
_COLOUR, _OLD_COLOUR, _SYMBOL = 0x6870, 0x2A42, 0x6A09
_GROUNDS = (0xCA71, 0x4866, 0x2A0C)
_IN_TABLE, _ROW_END, _INNER_CELL, _INNER_ROW, _LIST = 0x2416, 0x2417, 0x244B, 0x244C, 0x460B
"""Codes of properties in [MS-DOC]."""
_OLD_WHITE = 8
_TOKEN = re.compile("[^\x00-\x08\x0b-\x1f]+|[\x00-\x08\x0b-\x1f]")
_HEADINGS = range(1, 10)
"""Numbers of the styles for headings."""
_WHITE = "white letters"


@dataclass(slots=True)
class Looks:
    """What is noteworthy about letters with certain properties; each set of properties is looked at once."""

    authors: tuple[str, ...] = ()
    seen: dict[bytes, tuple[Note | None, str]] = field(default_factory=dict)
    changed_by: set[str] = field(default_factory=set)

    def of(self, properties: bytes) -> tuple[Note | None, str]:
        """The note, and what letters of symbol fonts show."""
        if properties not in self.seen:
            found = values(properties)
            shown = found.get(_SYMBOL, b"")
            code = struct.unpack("<HH", shown)[1] if len(shown) == 4 else 0
            self.seen[properties] = (self._note(found), symbol(f"{code:x}") if code else "")
        return self.seen[properties]

    def _note(self, found: Mapping[int, bytes]) -> Note | None:
        if _on(found, _DELETED):
            return self._change(FindingKind.DELETED, found.get(_DELETED_BY), found.get(_DELETED_ON))
        if why := _why_unseen(found):
            return Note(kind=FindingKind.UNSEEN, detail=why)
        if _on(found, _INSERTED):
            return self._change(FindingKind.INSERTED, found.get(_INSERTED_BY), found.get(_INSERTED_ON))
        return None

    def _change(self, kind: FindingKind, by: bytes | None, when: bytes | None) -> Note:
        number = _number(by)
        author = self.authors[number] if number < len(self.authors) else ""
        self.changed_by.add(author)
        return Note(kind=kind, detail=by_and_when("" if author == "Unknown" else author, date_of(_number(when))))


def _why_unseen(found: Mapping[int, bytes]) -> str:
    white = found.get(_COLOUR, b"") == b"\xff\xff\xff\x00" or _number(found.get(_OLD_COLOUR)) == _OLD_WHITE
    size = _number(found.get(_SIZE))
    look = Look(
        hidden=_on(found, _VANISH),
        half_points=float(size) if size else None,
        colour="ffffff" if white else None,
        shaded=any(any(found.get(ground, b"")) for ground in _GROUNDS),
    )
    return look.why_unseen(on_white=True)


def _on(found: Mapping[int, bytes], code: int) -> bool:
    """Whether a switch is on; 0x80 leaves it as the style has it, 0x81 turns it."""
    return found.get(code, b"\x00")[:1] in (b"\x01", b"\x81")


def _number(value: bytes | None) -> int:
    return int.from_bytes(value or b"", "little")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Letters with equal properties that lie together in the file."""

    start: int
    """The first one's number in the document, in halves of UTF-16."""
    place: int
    """Its byte in the main stream."""
    step: int
    """Bytes a letter."""
    text: str
    note: Note | None
    shown: str
    """What a letter of a symbol font shows."""
    texts: "Texts"

    def paragraph(self, at: int) -> tuple[int, Mapping[int, bytes]]:
        """Style and properties of the paragraph that the letter `at` belongs to."""
        stated = self.texts.paragraphs.at(self.place + self.step * at)
        return _number(stated[:2]), values(stated[2:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All characters of a Word file."""

    main: bytes
    stretches: tuple[Stretch, ...]
    letters: Runs
    paragraphs: Runs
    looks: Looks

    def between(self, start: int, end: int) -> Iterator[Segment]:
        """The characters from `start` to `end`, in order."""
        for stretch in self.stretches:
            if stretch.end <= start or stretch.start >= end:
                continue
            step = 2 if stretch.wide else 1
            first = stretch.place + step * (max(start, stretch.start) - stretch.start)
            last = stretch.place + step * (min(end, stretch.end) - stretch.start)
            for run_start, run_end, properties in self.letters.between(first, min(last, len(self.main))):
                raw = self.main[run_start:run_end]
                note, shown = self.looks.of(properties + stretch.properties)
                yield Segment(
                    start=stretch.start + (run_start - stretch.place) // step,
                    place=run_start,
                    step=step,
                    text=raw.decode("utf-16-le" if stretch.wide else "cp1252", "replace"),
                    note=note,
                    shown=shown,
                    texts=self,
                )


class TextWalk:
    """Collects the blocks of one story; one walk for each."""

    def __init__(self, marks: Mapping[int, str] | None = None) -> None:
        self._marks = marks or {}
        self._frame = Frame()
        self._fields: list[str] = []
        self.anchors: dict[int, Piece] = {}
        """The block that each comment is anchored in, by the number of the character that refers to it."""
        self.lists = 0
        """Paragraphs that Word numbers or puts bullets before."""

    def pieces(self, segments: Iterable[Segment]) -> list[Piece]:
        """The blocks, in order."""
        for segment in segments:
            for token in _TOKEN.finditer(segment.text):
                if token[0] >= " " or token[0][0] in "\t\n":
                    self._add(segment, token[0])
                else:
                    self._control(segment, token[0], token.start())
        self._frame.finish()
        return self._frame.pieces

    def _add(self, segment: Segment, text: str) -> None:
        if "code" in self._fields:
            return
        note = segment.note
        if note is not None and note.detail == _WHITE and segment.paragraph(0)[1].get(_IN_TABLE):
            note = None  # cells may be coloured
        self._frame.piece.line.add(segment.shown * len(text) if segment.shown else text, note)

    def _control(self, segment: Segment, sign: str, at: int) -> None:
        match sign:
            case "\r" | "\x07" | "\x0c":
                self._end_paragraph(segment, sign, at)
            case "\x0b" | "\x1e":
                self._add(segment, "\n" if sign == "\x0b" else "-")
            case "\x13" | "\x14" | "\x15":
                self._field(sign)
            case "\x02" | "\x05":
                self._refer(segment, sign, at)
            case _ if segment.shown:
                self._add(segment, sign)
            case _:
                pass

    def _field(self, sign: str) -> None:
        if sign == "\x13":
            self._fields.append("code")
        elif self._fields:
            state = self._fields.pop()
            if sign == "\x14":
                self._fields.append("result" if state == "code" else state)

    def _refer(self, segment: Segment, sign: str, at: int) -> None:
        number = segment.start + len(segment.text[:at].encode("utf-16-le", "surrogatepass")) // 2
        if sign == "\x05":
            self.anchors[number] = self._frame.piece
        elif number in self._marks:
            self._frame.piece.line.add(self._marks[number], segment.note)

    def _end_paragraph(self, segment: Segment, sign: str, at: int) -> None:
        style, stated = segment.paragraph(at)
        self._fields = [state for state in self._fields if state != "code"]
        if style in _HEADINGS:
            self._frame.piece.kind = "heading"
        self.lists += _number(stated.get(_LIST)) not in (0, 0xF801)
        if sign == "\x07":
            self._end_cell(stated)
        elif _on(stated, _INNER_ROW):
            self._frame.end_inner_row()
        elif _on(stated, _INNER_CELL):
            self._frame.end_inner_cell()
        else:
            self._frame.end_paragraph(in_cell=_on(stated, _IN_TABLE))

    def _end_cell(self, stated: Mapping[int, bytes]) -> None:
        if _on(stated, _ROW_END):
            self._frame.end_row()
        else:
            self._frame.end_cell()

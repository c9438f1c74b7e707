"""PowerPoint files of the old kind, .ppt, become documents."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from r3con_core.documents import Document
from r3con_core.readers.ledger import File, Member
from r3con_core.readers.marks import Line
from r3con_core.readers.olefiles import opened, stated, streams, unwrapped
from r3con_core.readers.ooxml import Properties
from r3con_core.readers.ppt_file import Objects, current_objects, is_encrypted, record_at, records, unpacked
from r3con_core.readers.slides import Deck

_MAIN, _USER = "PowerPoint Document", "Current User"
_LIST, _IN_LIST, _SLIDE_ATOM, _SHOWN, _OBJECT = 0x0FF0, 0x03F3, 0x03EF, 0x03F9, 0x1011
_KIND_OF_TEXT, _WIDE, _NARROW, _OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_COMMENT, _COMMENT_ATOM, _STRING = 0x2EE0, 0x2EE1, 0x0FBA
"""Kinds of record in [MS-PPT]."""
_SLIDES, _NOTES = 0, 2
"""Which list it is."""
_TITLES = frozenset((0, 6))
_HIDDEN = 4
_ONLY_NUMBERS = frozenset(("", "*"))
"""Text of boxes that show the number of a slide or the date."""


@dataclass(slots=True, kw_only=True)
class _Comment:
    author: str = ""
    text: str = ""
    date: str = ""


@dataclass(slots=True, kw_only=True)
class _Entry:
    """A slide, or the notes of one, as the presentation lists it."""

    object: int
    id: int
    texts: list[tuple[int, str]] = field(default_factory=list)
    """Kind and words of its titles and lists, which are kept in the list."""


@dataclass(slots=True, kw_only=True)
class _Slide:
    texts: list[tuple[int, str]] = field(default_factory=list)
    comments: list[_Comment] = field(default_factory=list)
    notes: int = 0
    hidden: bool = False

    @property
    def line(self) -> Line:
        """Its text, a line for each paragraph."""
        return Line("\n".join(text for _, text in self.texts if text.strip() not in _ONLY_NUMBERS))


def read_ppt(file: File) -> Iterator[Document | Member]:
    """A PowerPoint file of the old kind as one document with a unit for each slide, then the files embedded in it."""
    data = file.data()
    found = streams(data, [_MAIN, _USER])
    if is_encrypted(found[_USER]):
        data = opened(data, file.settings.passwords)
        found = streams(data, [_MAIN, _USER])
    main = found[_MAIN]
    objects = current_objects(main, found[_USER])
    lists = _lists(main, objects)
    notes = {entry.id: entry for entry in lists.get(_NOTES, [])}
    deck = Deck()
    for entry in lists.get(_SLIDES, []):
        slide = _slide(main, objects, entry)
        title = next((text for kind, text in slide.texts if kind in _TITLES), "")
        deck.add_slide(slide.line, title=title, hidden=slide.hidden)
        if slide.notes in notes:
            deck.add_notes(_slide(main, objects, notes[slide.notes]).line)
        for comment in slide.comments:
            deck.add_comment(Line(comment.text), author=comment.author, date=comment.date)
    author, date = stated(data)
    yield deck.document(file, Properties(author=author, date=date))
    yield from _embedded(main, objects)


def _lists(main: bytes, objects: Objects) -> Mapping[int, list[_Entry]]:
    """The slides and notes in order, by which list they are in."""
    document = record_at(main, objects.places[objects.document])
    found: dict[int, list[_Entry]] = {}
    which, end, kind = -1, 0, 0
    for record in records(main, document.start, document.end) if document else ():
        if record.kind == _LIST:
            which, end = record.instance, record.end
        elif record.start > end:
            which = -1
        elif record.kind == _IN_LIST and len(record.data) >= 16:
            number, _, _, own = struct.unpack_from("<IIII", record.data)
            found.setdefault(which, []).append(_Entry(object=number, id=own))
        elif record.kind == _KIND_OF_TEXT:
            kind = _number(record.data)
        elif record.kind in (_WIDE, _NARROW) and found.get(which):
            found[which][-1].texts.append((kind, _text(record.kind, record.data)))
    return found


def _slide(main: bytes, objects: Objects, entry: _Entry) -> _Slide:
    slide, kind = _Slide(), 4
    holder = record_at(main, objects.places.get(entry.object, -1))
    for record in records(main, holder.start, holder.end) if holder else ():
        match record.kind:
            case 0x03EF if len(record.data) >= 20:
                slide.notes = struct.unpack_from("<I", record.data, 16)[0]
            case 0x03F9 if len(record.data) >= 12:
                slide.hidden = bool(record.data[10] & _HIDDEN)
            case 0x0F9F:
                kind = _number(record.data)
            case 0x0FA0 | 0x0FA8:
                slide.texts.append((kind, _text(record.kind, record.data)))
            case 0x0F9E if _number(record.data) < len(entry.texts):
                slide.texts.append(entry.texts[_number(record.data)])
            case _:
                _take_comment(slide.comments, record.kind, record.instance, record.data)
    if not slide.texts:
        slide.texts = entry.texts
    return slide


def _take_comment(comments: list[_Comment], kind: int, instance: int, data: bytes) -> None:
    if kind == _COMMENT:
        comments.append(_Comment())
    elif kind == _STRING and comments and instance in (0, 1):
        text = data.decode("utf-16-le", "replace")
        setattr(comments[-1], "author" if instance == 0 else "text", text)
    elif kind == _COMMENT_ATOM and comments and len(data) >= 12:
        year, month, _, day = struct.unpack_from("<HHHH", data, 4)
        comments[-1].date = f"{year:04d}-{month:02d}-{day:02d}"


def _text(kind: int, data: bytes) -> str:
    text = data.decode("utf-16-le" if kind == _WIDE else "latin-1", "replace")
    return text.replace("\r", "\n").replace("\x0b", "\n")


def _number(data: bytes) -> int:
    return int.from_bytes(data[:4], "little")


def _embedded(main: bytes, objects: Objects) -> Iterator[Member]:
    number = 0
    for _, place in sorted(objects.places.items()):
        record = record_at(main, place)
        if record is not None and record.kind == _OBJECT and (data := unpacked(record)):
            number += 1
            yield from unwrapped(f"embedded object {number}", data)

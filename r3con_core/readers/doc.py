"""Word files of the old kind, .doc, become documents."""

import re
import struct
from collections.abc import Iterator, Mapping
from itertools import pairwise

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.doc_file import (
    Header,
    letter_runs,
    names,
    paragraph_runs,
    part,
    plc,
    read_header,
    stretches,
)
from r3con_core.readers.doc_text import Looks, Texts, TextWalk
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.marks import Line, Piece, Story, aside_warnings, changes_told, inserted_told, joined
from r3con_core.readers.olefiles import embedded_objects, opened, stated, streams
from r3con_core.readers.rtf_state import date_of
from r3con_core.readers.text import file_name, one_line

_OLDEST = 193
"""Version of the first Word whose text is in Unicode (Word 97)."""
_BEFORE_WORD_6 = 100
_SEPARATORS = 6
"""Stories before the first page header: the lines that set notes off."""
_CODES = re.compile("\x13[^\x14\x15]*\x14?|[\x00-\x08\x0e-\x1f]")
"""Field codes and signs that stand for things that are no text."""
_MARGINS = ("header", "header", "footer", "footer", "header", "footer")


def read_doc(file: File) -> Iterator[Document | Member | LedgerLine]:
    """A Word file of the old kind as one document, then the files embedded in it.

    Inserted text is in the text and listed; deleted and hidden text is listed only.
    """
    data = file.data()
    main = streams(data, ["WordDocument"])["WordDocument"]
    header = read_header(main)
    if header.encrypted and header.obscured:
        raise CorpusError("locked with a password in an old way that cannot be opened; save it without the password")
    if header.encrypted:
        data = opened(data, file.settings.passwords)
        main = streams(data, ["WordDocument"])["WordDocument"]
        header = read_header(main)
    author, date = stated(data)
    story = Story()
    if header.version < _OLDEST:
        warnings = _read_oldest(story, main, header.version)
        title = ""
    else:
        table = "1Table" if header.second_table else "0Table"
        reading = _Reading(main, streams(data, [table])[table], header, story)
        reading.read()
        warnings, title = reading.warnings(), reading.title
    yield make_document(
        title=title or file_name(file.source),
        text=story.text,
        source=file.source,
        units=story.units,
        author=author,
        date=date,
        findings=tuple(story.findings),
        warnings=(*warnings, *inserted_told(story.findings), *aside_warnings(story.findings)),
    )
    yield from embedded_objects(data, "ObjectPool", file.source)


def _read_oldest(story: Story, main: bytes, version: int) -> tuple[str, ...]:
    """The text of a file of Word 6 or 95, where it lies in one piece."""
    start, end = struct.unpack_from("<II", main, 0x18)
    if not _BEFORE_WORD_6 < version < _OLDEST or not 0 < start < end <= len(main):
        raise CorpusError("a damaged or incomplete Word document")
    text = main[start:end].decode("cp1252", "replace").replace("\x0b", "\n")
    lines = (_CODES.sub("", line) for line in re.split("[\r\x07\x0c]", text))
    for _ in story.add_numbered(Piece(line=Line(line)) for line in lines):
        pass
    return ("A very old Word file; deleted and hidden text in it cannot be told from the rest.",)


class _Reading:
    """One Word file on its way to a text."""

    def __init__(self, main: bytes, table: bytes, header: Header, story: Story) -> None:
        self._main, self._table, self._header, self._story = main, table, header, story
        starts, total = {}, 0
        for name, count in header.counts.items():
            starts[name] = total
            total += count
        self._starts: Mapping[str, int] = starts
        looks = Looks(authors=tuple(names(self._part("authors"), counted=True)))
        self._looks = looks
        self._texts = Texts(
            main=main,
            stretches=tuple(stretches(self._part("pieces"))),
            letters=letter_runs(main, self._part("letters")),
            paragraphs=paragraph_runs(main, self._part("paragraphs")),
            looks=looks,
        )
        self._comments = self._lists = 0
        self.title = ""

    def _part(self, name: str) -> bytes:
        return part(self._main, self._table, name)

    def read(self) -> None:
        """Add all stories in reading order."""
        if not self._texts.stretches:
            raise CorpusError("a damaged or incomplete Word document")
        marks = {**self._marks("footnote"), **self._marks("endnote")}
        walk = TextWalk(marks)
        body = walk.pieces(self._texts.between(0, self._header.counts["text"]))
        self._margins("header")
        for piece in self._story.add_numbered(body):
            if piece.kind == "heading" and not self.title:
                self.title = one_line(piece.line.text)
        self._margins("footer")
        for kind in ("footnote", "endnote"):
            self._notes(kind)
        for kind in ("text box", "header box"):
            for piece in self._pieces(kind, 0, self._header.counts[kind]):
                piece.kind = "text box"
                self._story.add_numbered([piece])
        self._add_comments(walk.anchors)
        self._lists = walk.lists

    def _marks(self, kind: str) -> dict[int, str]:
        """The numbers of notes as the text shows them, by the characters that refer to them."""
        places = plc(self._part(f"{kind} marks"), 2)[0][:-1]
        return {
            place: f"[{number}]" if kind == "footnote" else f"[endnote {number}]"
            for number, place in enumerate(places, 1)
        }

    def _pieces(self, story: str, start: int, end: int) -> list[Piece]:
        """The blocks of a stretch of one of the stories."""
        first = self._starts[story]
        end = min(end, self._header.counts[story])
        return TextWalk().pieces(self._texts.between(first + start, first + end))

    def _margins(self, kind: str) -> None:
        seen: list[str] = []
        positions = plc(self._part("headers"), 0)[0]
        for number, (start, end) in enumerate(pairwise(positions)):
            side = _MARGINS[(number - _SEPARATORS) % len(_MARGINS)]
            if number < _SEPARATORS or side != kind or start >= end:
                continue
            line = joined(self._pieces("header", start, end))
            if line.text not in seen:
                seen.append(line.text)
                self._story.add(line, kind=kind, label=str(len(seen)))

    def _notes(self, kind: str) -> None:
        positions = plc(self._part(f"{kind}s"), 0)[0]
        count = len(self._marks(kind))
        for number, (start, end) in enumerate(pairwise(positions[: count + 1]), 1):
            text = joined(self._pieces(kind, start, end))
            line = Line(f"{kind.capitalize()} {number}: ") if text.has_text else Line()
            line.extend(text)
            self._story.add(line, kind=kind, label=str(number))

    def _add_comments(self, anchors: Mapping[int, Piece]) -> None:
        places, items = plc(self._part("comment marks"), 30)
        positions = plc(self._part("comments"), 0)[0]
        authors = names(self._part("comment authors"), counted=False)
        dates = self._part("comment dates")
        for number, (item, start, end) in enumerate(zip(items, positions, positions[1:], strict=False)):
            who = int.from_bytes(item[20:22], "little")
            when = date_of(int.from_bytes(dates[18 * number : 18 * number + 4], "little"))
            anchor = anchors.get(places[number])
            place = f", on {anchor.place}" if anchor is not None and anchor.label else ""
            author = one_line(authors[who]) if who < len(authors) else ""
            line = Line(f"Comment by {author or 'unknown'}{f', {when}' if when else ''}{place}: ")
            line.extend(joined(self._pieces("comment", start, end)))
            self._comments += 1
            self._story.add(line, kind="comment", label=str(self._comments))

    def warnings(self) -> tuple[str, ...]:
        """What readers of the text should know."""
        authors = len(self._looks.changed_by)
        lists = ("Numbers that Word counts up before paragraphs are not in the text.",) if self._lists else ()
        return (*changes_told(authors, authors, self._comments), *lists)

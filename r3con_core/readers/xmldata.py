"""XML becomes an outline of its elements: `name: text`, with attributes behind the name, the path as the place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from html.entities import html5

from r3con_core.documents import Document
from r3con_core.readers.cutting import Cutting, Row
from r3con_core.readers.encodings import Encoding, find_encoding, text_blocks
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.mail_headers import meant_by
from r3con_core.readers.text import Block, decoding_warnings, read_text

_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*\?>")
_MARKUP = re.compile(r"<[^<>]*>")
_BLANKS = re.compile(r"\s+")
_DEEPEST_INDENT = 12
_FIRST = 65_536
"""Characters in which a document type must begin and end to be seen."""
_LONGEST_PATH = 300
_SIGN = 50_000
"""Lines between two signs of life."""
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_REFERENCE = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)([A-Za-z_][\w.-]{0,60});")
_CUT_REFERENCE = re.compile(r"&[^;\s<]{0,60}\Z")
_OWN_ENTITIES = "The file defines entities of its own; they were not followed, and stand as &name;."
_DAMAGED = "The XML is damaged; what follows line {line:,} stands as it is."


def read_xml(file: File) -> Iterator[Document | Progress]:
    """An XML file as one document, or several when it is very long; a unit for each line.

    No entity, document type or address in it is followed. What comes after a fault in it stands as it is in the file.
    """
    declared = _DECLARED.search(file.content.head(1024))
    encoding = find_encoding(file.content, declared=meant_by(declared[1].decode("ascii")) if declared else None)
    outline = _Outline()
    reading = _Reading(file, encoding, outline)
    cutting = Cutting(file, what="line", told=reading.warnings)
    for number, line in enumerate(reading.lines(), 1):
        block = Block(kind="element", label=line.path or str(number), text=line.text)
        if full := cutting.add(Row(block=block, number=number)):
            yield full
        elif number % _SIGN == 0:
            yield Progress(done=number, total=0, what="line")
    if reading.is_no_xml:
        yield from read_text(file)
        return
    yield cutting.finish()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    path: str
    text: str


class _Reading:
    """Feeds a file to the parser piece by piece and takes the lines that come out."""

    def __init__(self, file: File, encoding: Encoding, outline: "_Outline") -> None:
        self._file, self._encoding, self._outline = file, encoding, outline
        self._lost = 0
        self._damaged_at = 0
        self.is_no_xml = self.has_entities = False

    def warnings(self) -> tuple[str, ...]:
        """What is known so far."""
        damaged = _DAMAGED.format(line=self._damaged_at) if self._damaged_at else ""
        entities = _OWN_ENTITIES if self.has_entities else ""
        said = decoding_warnings(self._encoding, self._lost)
        return (*said, *filter(None, (entities, damaged)))

    def lines(self) -> Iterator[_Line]:
        """In the order of the file."""
        from lxml import etree

        parser = etree.XMLParser(
            target=self._outline, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, encoding="utf-8",
        )  # fmt: skip
        fed = 1
        blocks = self._blocks()
        for block in blocks:
            try:
                parser.feed(block.encode("utf-8", "replace"))
            except etree.XMLSyntaxError as fault:
                yield from self._after_fault(block, fed, fault.lineno or fed, blocks)
                return
            fed += block.count("\n")
            yield from self._outline.take()
        try:
            parser.close()
        except etree.XMLSyntaxError:
            self._damaged_at = fed
        yield from self._outline.take(at_end=True)
        self.is_no_xml = not self._outline.has_lines and bool(self._damaged_at)

    def _blocks(self) -> Iterator[str]:
        """The text without its declarations, with entities of HTML resolved and others as they stand."""
        held = ""
        is_first = True
        for piece in text_blocks(self._file.content, self._encoding):
            self._lost += piece.count("\ufffd") if self._encoding.lossy else 0
            block = held + piece
            cut = _CUT_REFERENCE.search(block, max(len(block) - 64, 0))
            held = cut[0] if cut else ""
            block = block.removesuffix(held).replace("\x00", "\ufffd")
            if is_first:
                block = self._without_doctype(_DECLARATION.sub("", block.lstrip(), count=1))
            is_first = False
            yield _REFERENCE.sub(_resolved, block)
        if held:
            yield held

    def _without_doctype(self, block: str) -> str:
        """The parser never sees it, so that nothing in it can be followed; line ends are kept for counting."""
        found = _DOCTYPE.search(block, 0, _FIRST)
        if found is None:
            return block
        self.has_entities = "<!ENTITY" in found[0]
        return block[: found.start()] + "\n" * found[0].count("\n") + block[found.end() :]

    def _after_fault(self, block: str, first: int, line: int, blocks: Iterator[str]) -> Iterator[_Line]:
        """What stands before the fault as it was understood, then the rest as text without its tags."""
        yield from self._outline.take(at_end=True)
        if not self._outline.has_lines:
            self.is_no_xml = True
            return
        self._damaged_at = line
        rest = block.split("\n")[max(line - first, 0) :]
        for text in ("\n".join(rest), *blocks):
            for words in _MARKUP.sub("\n", text).split("\n"):
                if words.strip():
                    yield _Line(path="", text=words.strip())


@dataclass(slots=True, kw_only=True)
class _Open:
    """An element that has begun."""

    name: str
    path: str
    shown: str
    """Name and attributes."""
    words: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """Of the elements in it, by name."""
    is_written: bool = False


class _Outline:
    """A target for lxml's parser: turns starts, words and ends into lines.

    An element without others in it is one line. Where words stand beside elements, as in a sentence with emphasis, all
    of them are one line.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._running: list[tuple[str, int]] = []
        """Elements within the words of the innermost open one: attributes, and how many pieces were there before."""
        self._lines: list[_Line] = []
        self._held: tuple[_Line, str] | None = None
        """The line of an element that has just ended, and its words: a sentence that it begins may go on."""
        self._top: dict[str, int] = {}
        self.has_lines = False

    def take(self, *, at_end: bool = False) -> list[_Line]:
        """The lines that are finished."""
        if at_end:
            while self._open:
                self.end("")
            self._release()
        lines, self._lines = self._lines, []
        self.has_lines = self.has_lines or bool(lines)
        return lines

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        around = self._open[-1] if self._open else None
        if around is not None and around.words:
            self._running.append((_stated(attributes), len(around.words)))
            return
        self._release()
        name = _local(tag)
        counts = around.counts if around is not None else self._top
        counts[name] = counts.get(name, 0) + 1
        path = f"{around.path if around is not None else ''}/{name}"
        if counts[name] > 1:
            path += f"[{counts[name]}]"
        shown = f"{name} ({_stated(attributes)})" if attributes else name
        self._open.append(_Open(name=name, path=path[-_LONGEST_PATH:], shown=shown))

    def data(self, text: str) -> None:
        """Words."""
        if not self._open:
            return
        around = self._open[-1]
        if text.isspace() and not around.words:
            return
        if self._held is not None:
            around.words.append(self._held[1])
            self._held = None
        around.words.append(text)

    def end(self, _tag: str) -> None:
        """An element ends."""
        ending = self._open[-1]
        if self._running:
            stated, before = self._running.pop()
            if stated and not "".join(ending.words[before:]).strip():
                ending.words.append(f" ({stated}) ")
            return
        self._release()
        self._open.pop()
        words = _BLANKS.sub(" ", "".join(ending.words)).strip()
        depth = min(len(self._open) + ending.is_written, _DEEPEST_INDENT)
        text = f"{ending.shown}: {words}" if words else ending.shown
        if words or (not ending.is_written and ending.shown != ending.name):
            self._held = (_Line(path=ending.path, text="  " * depth + text), words)

    def comment(self, _text: str) -> None:
        """Not part of the text."""

    def close(self) -> None:
        """Nothing is built."""

    def _release(self) -> None:
        """Write the line that was held, below the names of the elements it is in."""
        if self._held is None:
            return
        for depth, element in enumerate(self._open):
            if not element.is_written:
                element.is_written = True
                text = "  " * min(depth, _DEEPEST_INDENT) + f"{element.shown}:"
                self._lines.append(_Line(path=element.path, text=text))
        self._lines.append(self._held[0])
        self._held = None


def _stated(attributes: dict[str, str]) -> str:
    return "; ".join(
        f"{_local(name)}: {_BLANKS.sub(' ', value.replace('&#38;', '&'))}" for name, value in attributes.items()
    )


def _resolved(reference: re.Match[str]) -> str:
    character = html5.get(f"{reference[1]};")
    return escape(character) if character else f"&amp;{reference[1]};"


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]

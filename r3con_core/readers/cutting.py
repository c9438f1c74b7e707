"""A long file is cut into documents that each stand alone: a table of a million rows becomes fifty of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r3con_core.documents import Document, Finding, FindingKind, Span, Unit, make_document
from r3con_core.readers.ledger import File, member_path
from r3con_core.readers.text import Block, clean, file_name, merged_units

MAX_ROWS = 20_000
"""Rows, lines or elements of one document."""
MAX_CHARACTERS = 4_000_000
"""Characters after which a document ends with the row it is at."""
MAX_FINDINGS = 500
"""Findings of one document; more are counted, and stand marked in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A noteworthy stretch of one block's text."""

    kind: FindingKind
    start: int
    end: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One block of a long file with its number in it."""

    block: Block
    number: int
    section: str = ""
    """The sheet it is on; empty where a file has no such parts."""
    marks: tuple[Mark, ...] = ()


class Cutting:
    """Takes rows and gives a document whenever one is full; memory holds one document at a time.

    A file that fits one document is that document; otherwise each has the path of a member, such as
    "payments.csv > rows 1-20,000", and begins with the opening.
    """

    def __init__(self, file: File, *, what: str, told: Callable[[], Sequence[str]] = tuple) -> None:
        """`what` the rows are, in the singular; `told` gives what to warn of in the part that is just ending."""
        self._file, self._what, self._told = file, what, told
        self.opening: tuple[Block, ...] = ()
        """What each further document begins with."""
        self._part = _Part()
        self._parts = 0
        self.title = ""
        """Of a file that is one document; its name when this is empty."""
        self.author: str | None = None
        self.date: str | None = None

    def open_with(self, opening: Iterable[Block]) -> None:
        """Append these blocks, and begin each further document with them."""
        self.opening = tuple(opening)
        for block in self.opening:
            self.append(block)

    def append(self, block: Block) -> None:
        """Append a block that is no row."""
        self._part.add(block, ())

    def add(self, row: Row) -> Document | None:
        """Append a row; a document when the one before it is full."""
        full = self._cut() if self._part.is_full else None
        self._part.add_row(row)
        return full

    def finish(self) -> Document:
        """The last document, or the only one."""
        return self._cut() if self._parts else self._document(self.title or file_name(self._file.source), whole=True)

    def _cut(self) -> Document:
        name = self._part.name(self._what)
        document = self._document(f"{file_name(self._file.source)} > {name}", whole=False)
        self._parts += 1
        self._part = _Part()
        for block in self.opening:
            self.append(block)
        return document

    def _document(self, title: str, *, whole: bool) -> Document:
        source, part = self._file.source, self._part
        text = "\n".join(part.texts)
        path = source.path if whole else member_path(source, part.name(self._what))
        return make_document(
            title=title,
            text=text,
            source=replace(source, path=path),
            units=merged_units(part.units),
            findings=tuple(part.findings(text)),
            warnings=tuple(self._told()),
            author=self.author,
            date=self.date,
        )


class _Part:
    """The document being put together."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.units: list[Unit] = []
        self._found: list[_Found] = []
        self._size = 0
        self._rows = 0
        self._first: Row | None = None
        self._last: Row | None = None

    @property
    def is_full(self) -> bool:
        return self._rows >= MAX_ROWS or self._size >= MAX_CHARACTERS

    def name(self, what: str) -> str:
        """What rows it holds: "rows 1-20,000"."""
        if self._first is None or self._last is None:
            return f"no {what}s"
        first, last = self._first, self._last
        section = f"{first.section} " if first.section else ""
        if first.section == last.section:
            return f"{section}{what}s {first.number:,}-{last.number:,}"
        return f"{section}{what} {first.number:,} to {last.section} {what} {last.number:,}"

    def add_row(self, row: Row) -> None:
        if self.add(row.block, row.marks):
            self._rows += 1
            self._first = self._first or row
            self._last = row

    def add(self, block: Block, marks: Iterable[Mark]) -> bool:
        """Append a block unless it is blank; marks are places in its text, which must then be clean."""
        text = clean(block.text)
        if not text or text.isspace():
            return False
        unit = Unit(kind=block.kind, label=block.label, span=Span(start=self._size, end=self._size + len(text)))
        self.units.append(unit)
        self.texts.append(text)
        for mark in marks:
            self._mark(mark, unit)
        self._size += len(text) + 1
        return True

    def _mark(self, mark: Mark, unit: Unit) -> None:
        start, end = unit.span.start + mark.start, unit.span.start + mark.end
        last = self._found[-1] if self._found else None
        if last and (last.kind, last.detail) == (mark.kind, mark.detail) and last.end + 1 == start:
            last.end, last.last = end, unit.citation
        elif len(self._found) < MAX_FINDINGS:
            first = unit.citation
            self._found.append(
                _Found(kind=mark.kind, detail=mark.detail, start=start, end=end, first=first, last=first)
            )

    def findings(self, text: str) -> Iterator[Finding]:
        """The findings of the document with this text."""
        for found in self._found:
            place = found.first if found.first == found.last else f"{found.first} to {found.last}"
            span = Span(start=found.start, end=found.end)
            words = text[found.start : found.end]
            yield Finding(kind=found.kind, text=words, place=place, span=span, detail=found.detail)


@dataclass(slots=True, kw_only=True)
class _Found:
    """A marked stretch of the document, grown while marks follow each other line by line."""

    kind: FindingKind
    detail: str
    start: int
    end: int
    first: str
    last: str

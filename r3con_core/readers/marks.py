"""Text put together block by block, with stretches of it marked, so that every finding knows its place in the text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r3con_core.documents import Finding, FindingKind, Span, Unit
from r3con_core.readers.text import clean, merged_units

_SET_ASIDE = frozenset((FindingKind.DELETED, FindingKind.UNSEEN, FindingKind.COVERED))
_PLACES_NAMED = 3
_LONG_ROW = 1_000
"""Characters of a table row beyond which the paragraphs in its cells keep their own lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Why a stretch of text is noteworthy."""

    kind: FindingKind
    detail: str = ""

    @property
    def sets_aside(self) -> bool:
        """Text of this kind is kept out of the document's text."""
        return self.kind in _SET_ASIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    note: Note
    start: int
    end: int


class Line:
    """Collects the pieces of one block: what is in its text, marked or not, and what is set aside."""

    __slots__ = ("_touched", "aside", "marks", "pieces", "size")

    def __init__(self, text: str = "") -> None:
        self.pieces: list[str] = []
        self.marks: list[_Mark] = []
        self.size = 0
        self._touched = False
        self.aside: list[tuple[Note, str]] = []
        """Notes and the text they keep out, in order; neighbours with equal notes are one."""
        if text:
            self.add(text)

    def add(self, text: str, note: Note | None = None) -> None:
        """Append `text`; a note either marks it or keeps it out."""
        text = clean(text).replace("\ufeff", "")
        if not text:
            return
        if note is not None and note.sets_aside:
            self._set_aside(text, note)
            return
        self._touched = False
        if note is not None:
            self._mark(note, self.size, self.size + len(text))
        self.pieces.append(text)
        self.size += len(text)

    def extend(self, other: "Line", *, between: str = "") -> None:
        """Append all of `other`; `between` stands only between two texts that are not empty."""
        if between and self.size and other.has_text:
            self.add(between)
        for mark in other.marks:
            self._mark(mark.note, self.size + mark.start, self.size + mark.end)
        self.pieces += other.pieces
        self.size += other.size
        self._touched = False
        self.aside += other.aside

    @property
    def text(self) -> str:
        """All that is in the text so far."""
        return "".join(self.pieces)

    @property
    def has_text(self) -> bool:
        """There is more than blanks in it."""
        return any(not piece.isspace() for piece in self.pieces)

    def stripped(self) -> "Line":
        """The same without blanks at its ends."""
        whole = self.text
        text = whole.strip()
        cut = len(whole) - len(whole.lstrip())
        line = Line()
        line.pieces, line.size, line.aside = [text], len(text), self.aside
        line.marks = [mark for mark in (_moved(mark, -cut, len(text)) for mark in self.marks) if mark]
        return line

    def findings(self, place: str, offset: int) -> list[Finding]:
        """What is noteworthy in it, when its text begins at `offset` of the document's."""
        text = self.text
        found = [
            Finding(
                kind=mark.note.kind,
                text=text[mark.start : mark.end],
                place=place,
                span=Span(start=offset + mark.start, end=offset + mark.end),
                detail=mark.note.detail,
            )
            for mark in self.marks
        ]
        return found + aside_findings(self.aside, place)

    def _set_aside(self, text: str, note: Note) -> None:
        if self._touched and self.aside and self.aside[-1][0] == note:
            self.aside[-1] = (note, self.aside[-1][1] + text)
        else:
            self.aside.append((note, text))
        self._touched = True

    def _mark(self, note: Note, start: int, end: int) -> None:
        last = self.marks[-1] if self.marks else None
        if last is not None and last.note == note and last.end == start:
            self.marks[-1] = replace(last, end=end)
        else:
            self.marks.append(_Mark(note=note, start=start, end=end))


def _moved(mark: _Mark, by: int, size: int) -> _Mark | None:
    start, end = max(mark.start + by, 0), min(mark.end + by, size)
    return replace(mark, start=start, end=end) if start < end else None


def aside_findings(aside: Iterable[tuple[Note, str]], place: str) -> list[Finding]:
    """The findings of text that is kept out; blanks are nothing to find."""
    return [Finding(kind=note.kind, text=text, place=place, detail=note.detail) for note, text in aside if text.strip()]


@dataclass(slots=True, kw_only=True)
class Piece:
    """A block of a part; labelled when it is put in its place."""

    line: Line
    kind: str = "paragraph"
    label: str = ""

    @property
    def place(self) -> str:
        """As people say it: "paragraph 3", "table 1, row 2"."""
        return self.label if self.kind in self.label else f"{self.kind} {self.label}"


def joined(pieces: Iterable[Piece]) -> Line:
    """All of `pieces` as one, each on its own line."""
    line = Line()
    for piece in pieces:
        line.extend(piece.line.stripped(), between="\n")
    return line


def row_line(cells: list[list[Piece]]) -> tuple[Line, list[Piece]]:
    """A table row as one line, and what in its cells stands on lines of its own."""
    inner: list[Piece] = []
    texts: list[list[Line]] = []
    for cell in cells:
        texts.append([piece.line.stripped() for piece in cell if piece.kind in ("paragraph", "heading")])
        inner += [piece for piece in cell if piece.kind not in ("paragraph", "heading")]
    size = sum(len(line.text) for lines in texts for line in lines)
    between = "\n" if size > _LONG_ROW else " "
    row = Line()
    for number, lines in enumerate(texts):
        if number:
            row.add(" | ")
        for position, line in enumerate(lines):
            row.extend(line, between=between if position else "")
    return (row if any(line.text for lines in texts for line in lines) else _only_aside(row)), inner


def _only_aside(row: Line) -> Line:
    empty = Line()
    empty.aside = row.aside
    return empty


class Story:
    """The text of a document as its blocks are added, with their units and findings."""

    def __init__(self, *, between: str = "\n") -> None:
        self._between = between
        self._texts: list[str] = []
        self._units: list[Unit] = []
        self._size = 0
        self.findings: list[Finding] = []

    def add(self, line: Line, *, kind: str, label: str, page: int | None = None) -> Unit | None:
        """Append a block and give its unit; None when its text is blank. Its findings are kept in any case."""
        line = line.stripped()
        text = line.text
        place = label if kind in label.casefold() else f"{kind} {label}"
        self.findings += line.findings(place, self._size)
        if not text:
            return None
        span = Span(start=self._size, end=self._size + len(text))
        unit = Unit(kind=kind, label=label, span=span, page=page)
        self._units.append(unit)
        self._texts.append(text)
        self._size += len(text) + len(self._between)
        return unit

    def add_numbered(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Append the blocks of a body, each kind numbered by itself; gives those that have text."""
        counts: dict[str, int] = {}
        for piece in pieces:
            kind = "paragraph" if piece.kind == "heading" else piece.kind
            number = counts.get(kind, 0) + 1
            piece.label = piece.label or str(number)
            if self.add(piece.line, kind=piece.kind, label=piece.label):
                counts[kind] = number
                yield piece

    @property
    def text(self) -> str:
        """The document's text."""
        return self._between.join(self._texts)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The places in it."""
        return merged_units(self._units)


def aside_warnings(findings: Sequence[Finding]) -> tuple[str, ...]:
    """One sentence for each kind of text that was kept out: how much of it, and where."""
    said = []
    for kind, one, several in (
        (FindingKind.DELETED, "deleted passage", "deleted passages"),
        (FindingKind.UNSEEN, "passage that a reader cannot see", "passages that a reader cannot see"),
        (FindingKind.COVERED, "passage under a covering", "passages under a covering"),
    ):
        places = [finding.place for finding in findings if finding.kind is kind and finding.set_aside]
        if places:
            what = f"{len(places)} {one} was" if len(places) == 1 else f"{len(places)} {several} were"
            said.append(f"{what} left out of the text ({_named(places)}).")
    return tuple(said)


def changes_told(changes: int, authors: int, comments: int) -> tuple[str, ...]:
    """What a document holds besides its text: "It contains tracked changes by 2 authors and 1 comment."."""
    held = []
    if changes:
        held.append(f"tracked changes by {authors} {'author' if authors == 1 else 'authors'}")
    if comments:
        held.append("1 comment" if comments == 1 else f"{comments} comments")
    return (f"It contains {' and '.join(held)}.",) if held else ()


def inserted_told(findings: Iterable[Finding]) -> tuple[str, ...]:
    """That text of tracked changes is in the text, if some is."""
    inserted = any(finding.kind is FindingKind.INSERTED for finding in findings)
    return ("What was inserted is in the text.",) if inserted else ()


def _named(places: Sequence[str]) -> str:
    different = list(dict.fromkeys(places))
    rest = len(different) - _PLACES_NAMED
    if rest > 0:
        others = "1 other place" if rest == 1 else f"{rest} other places"
        return f"{', '.join(different[:_PLACES_NAMED])} and {others}"
    return ", ".join(different[:-1]) + (" and " if len(different) > 1 else "") + different[-1]

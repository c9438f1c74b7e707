"""Walks the XML of an OpenDocument file as a parser tells it, and gives its blocks with what was changed in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from r3con_core.documents import FindingKind
from r3con_core.readers.docx_looks import Look
from r3con_core.readers.marks import Line, Note, Piece, row_line
from r3con_core.readers.ooxml import by_and_when, local_name
from r3con_core.readers.opendocument import Looks, Target, plain, unseen

_WITHOUT_TEXT = frozenset(("svg:title", "svg:desc", "ruby-text"))
_SHAPES = frozenset(("frame", "custom-shape", "rect", "ellipse", "circle", "polygon", "path", "line", "connector"))
_MARGINS = {f"{side}{which}": side for side in ("header", "footer") for which in ("", "-left", "-first")}
_CELLS = ("table-cell", "covered-table-cell")
_CHANGES = {"insertion": FindingKind.INSERTED, "deletion": FindingKind.DELETED}
_MOST_BLANKS = 1_000

Stated = Mapping[str, str]
"""An element's attributes by their names without namespaces."""


@dataclass(slots=True, kw_only=True)
class Story:
    """A note, a comment, a page header or footer, a slide or its notes: blocks that stand apart from the body."""

    kind: str
    label: str = ""
    author: str = ""
    date: str = ""
    hidden: bool = False
    pieces: list[Piece] = field(default_factory=list)
    anchor: Piece | None = None


@dataclass(slots=True, kw_only=True)
class _Change:
    kind: FindingKind | None = None
    author: str = ""
    date: str = ""
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Paragraph:
    piece: Piece
    looks: list[Look]
    depth: int
    """Sinks that were open when it began."""
    boxes: list[Piece] = field(default_factory=list)
    hidden: str = ""


@dataclass(slots=True, kw_only=True)
class _Table:
    number: int
    rows: int = 0
    cells: list[list[Piece]] = field(default_factory=list)


class OpenDocumentWalk(Target):
    """Collects blocks and stories; the same walk takes all parts of a document, that of the styles first."""

    def __init__(self) -> None:
        self.looks = Looks()
        self.body: list[Piece] = []
        self.stories: list[Story] = []
        self.authors: set[str] = set()
        self.changes = 0
        self.numbering: set[str] = set()
        """Holds "way" when there is a way to number lists, and "list" when there is a list."""
        self._skipping = self._shapes = self._table_count = 0
        self._style = ("", "")
        self._sinks: list[list[Piece]] = [self.body]
        self._paragraphs: list[_Paragraph] = []
        self._tables: list[_Table] = []
        self._grounds = [False]
        self._open: list[Story] = []
        self._regions: dict[str, _Change] = {}
        self._change: _Change | None = None
        self._inserting: dict[str, Note] = {}
        self._sections: list[bool] = []
        self._taken: list[str] | None = None
        self._titles = 0
        self._starts: Mapping[str, Callable[[Stated], None]] = self._on_start()
        self._ends: Mapping[str, Callable[[], None]] = self._on_end()

    def _on_start(self) -> Mapping[str, Callable[[Stated], None]]:
        """What to do where an element begins."""
        return {
            "p": lambda stated: self._start_paragraph(stated, "paragraph"),
            "h": lambda stated: self._start_paragraph(stated, "heading"),
            "span": self._start_span,
            "s": lambda stated: self._add(" " * _count(stated.get("c", "1"))),
            "tab": lambda _: self._add("\t"),
            "line-break": lambda _: self._add("\n"),
            "note": lambda stated: self._start_story(Story(kind=stated.get("note-class", "footnote"))),
            "annotation": lambda _: self._start_story(Story(kind="comment", anchor=self._anchor())),
            "page": self._start_page,
            "notes": lambda _: self._start_story(Story(kind="notes")),
            "note-citation": lambda _: self._take(),
            "dc:creator": lambda _: self._take(),
            "dc:date": lambda _: self._take(),
            "table": self._start_table,
            "table-row": self._start_row,
            "section": lambda stated: self._sections.append(stated.get("display") == "none"),
            "hidden-text": self._hidden_field,
            "hidden-paragraph": self._hide_paragraph,
            "list-level-style-number": lambda _: self.numbering.add("way"),
            "list-item": lambda _: self.numbering.add("list"),
            "changed-region": self._start_region,
            "change-start": self._start_insertion,
            "change-end": lambda stated: self._end_insertion(stated.get("change-id", "")),
            "change": self._put_deletion,
            "style": self._start_style,
            "default-style": self._start_style,
            **dict.fromkeys(_CELLS, self._start_cell),
        }

    def _on_end(self) -> Mapping[str, Callable[[], None]]:
        """What to do where an element ends."""
        return {
            "p": self._end_paragraph,
            "h": self._end_paragraph,
            "span": self._end_span,
            "note-citation": self._end_citation,
            "dc:creator": lambda: self._said("author"),
            "dc:date": lambda: self._said("date"),
            "table": self._end_table,
            "table-row": self._end_row,
            "section": self._end_section,
            "changed-region": self._end_region,
            "style": self._end_style,
            "default-style": self._end_style,
            **dict.fromkeys(("note", "annotation", "page", "notes", *_MARGINS), self._end_story),
            **dict.fromkeys(_CELLS, self._end_cell),
        }

    # what the parser tells

    def start(self, tag: str, attributes: Any) -> None:
        name = _name(tag)
        if name in _WITHOUT_TEXT or self._skipping:
            self._skipping += 1
            return
        stated = plain(attributes)
        if self._style[0]:
            self.looks.state(*self._style, name, stated)
        if name in _SHAPES:
            self._shapes += 1
            self._titles += name == "frame" and stated.get("class") == "title"
        elif name in _CHANGES and self._change is not None:
            self._state_change(_CHANGES[name])
        elif name in _MARGINS and "display" not in stated:
            self._start_story(Story(kind=_MARGINS[name]))
        elif name in self._starts:
            self._starts[name](stated)

    def data(self, text: str) -> None:
        if self._skipping:
            return
        if self._taken is not None:
            self._taken.append(text)
        elif self._paragraphs and self._paragraphs[-1].depth == len(self._sinks):
            self._add(_blanks_as_one(text))

    def end(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= 1
            return
        name = _name(tag)
        if name in _SHAPES:
            self._shapes -= 1
            self._titles -= name == "frame" and self._titles > 0
        elif name in self._ends:
            self._ends[name]()

    def keep_open(self) -> None:
        """Keep the paragraphs that were open when damaged XML broke off."""
        while self._paragraphs:
            self._end_paragraph()
        stories = [story.pieces for story in self._open]
        for sink in self._sinks[1:]:
            if not any(sink is pieces for pieces in stories):
                self.body += sink

    # text

    def _add(self, text: str, why: str = "") -> None:
        if self._paragraphs and text:
            paragraph = self._paragraphs[-1]
            why = why or paragraph.hidden or self._why_unseen(paragraph)
            inserted = next(reversed(self._inserting.values()), None) if self._change is None else None
            paragraph.piece.line.add(text, unseen(why) or inserted)

    def _why_unseen(self, paragraph: _Paragraph) -> str:
        if any(self._sections):
            return "a hidden section"
        on_white = not (self._shapes or self._grounds[-1])
        return paragraph.looks[-1].why_unseen(on_white=on_white)

    def _start_paragraph(self, stated: Stated, kind: str) -> None:
        look = self.looks.look("paragraph", stated.get("style-name", ""))
        if self._titles:
            kind = "heading"
        paragraph = _Paragraph(piece=Piece(line=Line(), kind=kind), looks=[look], depth=len(self._sinks))
        self._paragraphs.append(paragraph)

    def _end_paragraph(self) -> None:
        paragraph = self._paragraphs.pop()
        if self._is_boxed():
            paragraph.piece.kind = "text box"
        self._put(paragraph.piece)
        for piece in paragraph.boxes:
            self._put(piece)

    def _is_boxed(self) -> bool:
        return bool(self._paragraphs) and self._paragraphs[-1].depth == len(self._sinks)

    def _put(self, piece: Piece) -> None:
        """Text boxes come after the paragraph that they are anchored in."""
        (self._paragraphs[-1].boxes if self._is_boxed() else self._sinks[-1]).append(piece)

    def _start_span(self, stated: Stated) -> None:
        if self._paragraphs:
            looks = self._paragraphs[-1].looks
            looks.append(self.looks.look("text", stated.get("style-name", "")).over(looks[-1]))

    def _end_span(self) -> None:
        if self._paragraphs and len(self._paragraphs[-1].looks) > 1:
            self._paragraphs[-1].looks.pop()

    def _hidden_field(self, stated: Stated) -> None:
        """Set its words aside; what it has to show is not shown when they are hidden."""
        self._add(stated.get("string-value", ""), why="a hidden field")
        if stated.get("is-hidden") == "true" and stated.get("string-value"):
            self._skipping += 1

    def _hide_paragraph(self, stated: Stated) -> None:
        if stated.get("is-hidden") == "true" and self._paragraphs:
            self._paragraphs[-1].hidden = "a hidden paragraph"

    def _end_section(self) -> None:
        if self._sections:
            self._sections.pop()

    def _anchor(self) -> Piece | None:
        return self._paragraphs[-1].piece if self._paragraphs else None

    # stories

    def _start_story(self, story: Story) -> None:
        self._open.append(story)
        self.stories.append(story)
        self._sinks.append(story.pieces)

    def _end_story(self) -> None:
        if self._open and len(self._sinks) > 1:
            self._open.pop()
            self._sinks.pop()

    def _start_page(self, stated: Stated) -> None:
        hidden = self.looks.hides_slide(stated.get("style-name", ""))
        self._start_story(Story(kind="slide", label=stated.get("name", ""), hidden=hidden))

    def _take(self) -> None:
        self._taken = []

    def _taken_text(self) -> str:
        text, self._taken = " ".join("".join(self._taken or ()).split()), None
        return text

    def _end_citation(self) -> None:
        """The mark of a note goes into the text that refers to it."""
        label = self._taken_text()
        if not self._open:
            return
        story = self._open[-1]
        story.label = label
        pieces = self._sinks.pop()
        self._add(f"[{label}]" if story.kind == "footnote" else f"[{story.kind} {label}]")
        self._sinks.append(pieces)

    def _said(self, what: str) -> None:
        text = self._taken_text()
        story = self._change or (self._open[-1] if self._open and self._open[-1].kind == "comment" else None)
        if story is not None:
            setattr(story, what, text)

    # tables

    def _start_table(self, _stated: Stated) -> None:
        self._table_count += 1
        self._tables.append(_Table(number=self._table_count))

    def _start_row(self, _stated: Stated) -> None:
        if self._tables:
            self._tables[-1].rows += 1
            self._tables[-1].cells = []

    def _start_cell(self, stated: Stated) -> None:
        cell: list[Piece] = []
        if self._tables:
            self._tables[-1].cells.append(cell)
        self._sinks.append(cell)
        look = self.looks.look("table-cell", stated.get("style-name", ""))
        self._grounds.append(self._grounds[-1] or bool(look.shaded))

    def _end_cell(self) -> None:
        self._sinks.pop()
        self._grounds.pop()

    def _end_row(self) -> None:
        if not self._tables:
            return
        table = self._tables[-1]
        line, inner = row_line(table.cells)
        self._put(Piece(line=line, kind="table row", label=f"table {table.number}, row {table.rows}"))
        for piece in inner:
            self._put(piece)

    def _end_table(self) -> None:
        if self._tables:
            self._tables.pop()

    # tracked changes: listed first, then referred to where they are

    def _start_region(self, stated: Stated) -> None:
        self._change = self._regions.setdefault(stated.get("id", ""), _Change())
        self._sinks.append(self._change.pieces)

    def _state_change(self, kind: FindingKind) -> None:
        if self._change is not None and self._change.kind is None:
            self._change.kind = kind

    def _end_region(self) -> None:
        change = self._change
        if change is not None and change.kind is not None:
            self.authors.add(change.author)
            self.changes += 1
        self._change = None
        self._sinks.pop()

    def _start_insertion(self, stated: Stated) -> None:
        change = self._regions.get(stated.get("change-id", ""))
        if change is not None and change.kind is FindingKind.INSERTED:
            self._inserting[stated.get("change-id", "")] = _note(change, change.kind)

    def _end_insertion(self, change_id: str) -> None:
        self._inserting.pop(change_id, None)

    def _put_deletion(self, stated: Stated) -> None:
        change = self._regions.get(stated.get("change-id", ""))
        if change is None or change.kind is not FindingKind.DELETED:
            return
        text = "\n".join(piece.line.text for piece in change.pieces).strip()
        note = _note(change, change.kind)
        if self._paragraphs:
            self._paragraphs[-1].piece.line.add(text, note)
        else:
            line = Line()
            line.add(text, note)
            self._put(Piece(line=line))

    # styles

    def _start_style(self, stated: Stated) -> None:
        self._style = (stated.get("family", ""), stated.get("name", ""))
        if self._style[0]:
            self.looks.define(*self._style, stated.get("parent-style-name", ""))

    def _end_style(self) -> None:
        self._style = ("", "")


def _name(tag: str) -> str:
    """An element's name; those that other vocabularies have too are told apart by their own."""
    name = local_name(tag)
    if "/dc/" in tag:
        return f"dc:{name}"
    return f"svg:{name}" if "svg-compatible" in tag else name


def _note(change: _Change, kind: FindingKind) -> Note:
    return Note(kind=kind, detail=by_and_when(change.author, change.date))


def _count(number: str) -> int:
    return min(int(number), _MOST_BLANKS) if number.isdecimal() and len(number) < 9 else 1


def _blanks_as_one(text: str) -> str:
    """Line ends and runs of blanks in the XML are one blank; others are elements."""
    kept = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{kept}{' ' if kept and text[-1:].isspace() else ''}"

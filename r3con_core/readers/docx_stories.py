"""Walks one part of a Word document, such as its body or its notes, and gives its blocks with what was changed."""

from collections.abc import Callable, Iterable
from typing import Any

from r3con_core.documents import FindingKind
from r3con_core.readers.docx_lists import Lists
from r3con_core.readers.docx_looks import BLACKENED, Look, Styles, is_shading, look_of
from r3con_core.readers.docx_pieces import (
    AS_TEXT,
    CHANGES,
    WITHOUT_TEXT,
    Item,
    Paragraph,
    References,
    Row,
    Table,
    form_value,
    symbol,
    value_of,
)
from r3con_core.readers.marks import Line, Note, Piece, row_line
from r3con_core.readers.ooxml import Event, attribute, attributes, by_and_when

_PROPERTIES = frozenset(("pPr", "rPr", "trPr", "tcPr", "tblPr"))
"""Looked at when they end; nothing in them is text."""
_ITEMS = frozenset(("footnote", "endnote", "comment"))


class StoryWalk:
    """Collects the items of a part from its XML events, without recursion; one walk for each part."""

    def __init__(self, styles: Styles, references: References, lists: Lists, *, on_white: bool = True) -> None:
        self._styles, self._references, self._lists = styles, references, lists
        self._grounds = [not on_white]
        self._skipping = 0
        self._inside_properties = 0
        self._changes: list[Note] = []
        self._cell_changes: list[Note | None] = []
        self._said = 0
        self._said_before: list[int] = []
        self._fallbacks: list[bool] = []
        self._fields: list[str] = []
        self._paragraphs: list[Paragraph] = []
        self._runs: list[Look] = []
        self._tables: list[Table] = []
        self._table_count = 0
        self._sinks: list[list[Piece]] = []
        self._carried: Paragraph | None = None
        self.items: list[Item] = []
        self._starts = self._on_starts()
        self._ends = self._on_ends()
        self._states = self._on_states()

    def _on_starts(self) -> dict[str, Callable[[Any], None]]:
        """What to do where an element begins."""
        return {
            "p": self._start_paragraph,
            "r": self._start_run,
            "AlternateContent": lambda _: self._said_before.append(self._said),
            "tbl": self._start_table,
            "tr": self._start_row,
            "tc": self._start_cell,
            "txbxContent": self._start_box,
            "fldChar": self._field_sign,
            "commentRangeStart": self._comment_anchor,
            "commentReference": self._comment_anchor,
            "textpath": lambda element: self._add(f"{attribute(element, 'string')}\n"),
            **dict.fromkeys(CHANGES, self._start_change),
            **dict.fromkeys(_ITEMS, self._start_item),
        }

    def _on_ends(self) -> dict[str, Callable[[Any], None]]:
        """What to do where an element ends."""
        return {
            "t": self._add_text,
            "delText": self._add_deleted,
            "sym": lambda element: self._add(symbol(attribute(element, "char"))),
            "footnoteReference": self._refer,
            "endnoteReference": self._refer,
            "ffData": self._form_field,
            "p": self._end_paragraph,
            "r": self._end_run,
            "AlternateContent": self._end_choice,
            "tbl": self._end_table,
            "tr": self._end_row,
            "tc": self._end_cell,
            "txbxContent": self._end_box,
            "num": lambda _: self._add("/"),
            **dict.fromkeys(CHANGES, self._end_change),
            **dict.fromkeys(_ITEMS, self._end_item),
        }

    def _on_states(self) -> dict[str, Callable[[Any], None]]:
        """What to do with the properties of an element."""
        return {
            "pPr": self._paragraph_states,
            "rPr": self._run_states,
            "trPr": self._row_states,
            "tcPr": self._cell_states,
            "tblPr": self._table_states,
        }

    def walk(self, events: Iterable[Event]) -> list[Item]:
        """The items of a part, in order; one item if it is not made of items."""
        whole = Item()
        self._sinks = [whole.pieces]
        for event, name, element in events:
            if self._skips(event, name, element):
                continue
            if event == "start":
                if name in self._starts:
                    self._starts[name](element)
                elif name in AS_TEXT:
                    self._add(AS_TEXT[name])
            elif name in self._ends:
                self._ends[name](element)
        self._finish()
        return self.items or [whole]

    def _skips(self, event: str, name: str, element: Any) -> bool:
        """Whether an event is inside properties or other parts without text; reads the properties when they end."""
        if name in WITHOUT_TEXT:
            self._skipping += 1 if event == "start" else -1
            return True
        if name == "Fallback":
            self._skip_fallback(event)
            return True
        if self._skipping:
            return True
        if name in _PROPERTIES:
            self._inside_properties += 1 if event == "start" else -1
            if event == "end" and self._inside_properties == 0:
                self._states[name](element)
            return True
        return self._inside_properties > 0

    def _skip_fallback(self, event: str) -> None:
        """Pass over what older programs show instead of a drawing, unless the drawing itself has no text."""
        if event == "start":
            told = not self._said_before or self._said > self._said_before[-1]
            self._fallbacks.append(bool(self._skipping) or told)
            self._skipping += self._fallbacks[-1]
        else:
            self._skipping -= self._fallbacks.pop()

    def _end_choice(self, _element: Any) -> None:
        self._said_before.pop()

    def _finish(self) -> None:
        """Keep what was open when damaged XML broke off."""
        while self._paragraphs:
            self._deliver(self._paragraphs.pop())
        if self._carried is not None:
            self._deliver(self._carried)
        while len(self._sinks) > 1:
            pieces = self._sinks.pop()
            self._sinks[-1] += pieces

    # text

    def _add(self, text: str) -> None:
        if not self._paragraphs or "code" in self._fields:
            return
        paragraph, note = self._paragraphs[-1], self._note()
        self._said += not text.isspace()
        if paragraph.number and not (note and note.sets_aside):
            paragraph.piece.line.add(f"{paragraph.number} ")
            paragraph.number = ""
        paragraph.piece.line.add(text, note)

    def _add_text(self, element: Any) -> None:
        self._add(element.text or "")

    def _add_deleted(self, element: Any) -> None:
        note = self._gone() or Note(kind=FindingKind.DELETED)
        if self._paragraphs:
            self._paragraphs[-1].piece.line.add(element.text or "", note)

    def _gone(self) -> Note | None:
        """The change that took away what stands here."""
        return next((note for note in reversed(self._changes) if note.sets_aside), None)

    def _note(self) -> Note | None:
        """What is noteworthy about text that stands here."""
        if gone := self._gone():
            return gone
        if why := self._why_unseen():
            return Note(kind=FindingKind.COVERED if why == BLACKENED else FindingKind.UNSEEN, detail=why)
        return self._changes[-1] if self._changes else None

    def _why_unseen(self) -> str:
        if not self._runs:
            return ""
        paragraph = self._paragraphs[-1]
        look = self._runs[-1].over(paragraph.look)
        return look.why_unseen(on_white=not (paragraph.shaded or self._grounds[-1]))

    def _refer(self, element: Any) -> None:
        kind, note_id = str(element.tag).rpartition("}")[2].removesuffix("Reference"), attribute(element, "id")
        note = self._note()
        if note is not None and note.sets_aside:
            self._references.dropped[kind, note_id] = note
            return
        number = self._references.number(kind, note_id)
        self._add(f"[{number}]" if kind == "footnote" else f"[endnote {number}]")

    def _comment_anchor(self, element: Any) -> None:
        if self._paragraphs:
            self._references.comments.setdefault(attribute(element, "id"), self._paragraphs[-1].piece)

    # fields: what computes a result is left out, the result is text

    def _field_sign(self, element: Any) -> None:
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._fields.append("code")
        elif kind == "separate" and self._fields:
            self._fields[-1] = "result"
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _form_field(self, element: Any) -> None:
        text = form_value(element)
        if text and self._paragraphs:
            self._paragraphs[-1].piece.line.add(text, self._note())

    # changes and items

    def _start_change(self, element: Any) -> None:
        kind, how = CHANGES[str(element.tag).rpartition("}")[2]]
        self._begin_change(element, kind, how)

    def _begin_change(self, element: Any, kind: FindingKind, how: str = "") -> None:
        stated = attributes(element)
        self._count_change(stated.get("author", ""))
        self._changes.append(
            Note(kind=kind, detail=how + by_and_when(stated.get("author", ""), stated.get("date", "")))
        )

    def _end_change(self, _element: Any) -> None:
        self._changes.pop()

    def _count_change(self, author: str) -> None:
        self._references.authors.add(" ".join(author.split()))
        self._references.changes += 1

    def _start_item(self, element: Any) -> None:
        stated = attributes(element)
        item = Item(id=stated.get("id", ""), author=stated.get("author", ""), date=stated.get("date", ""))
        item.rule = stated.get("type", "normal") not in ("normal", "")
        self.items.append(item)
        self._sinks.append(item.pieces)

    def _end_item(self, _element: Any) -> None:
        self._end_sink()

    def _end_sink(self) -> list[Piece]:
        """What was collected since the sink was begun; no paragraph is carried beyond it."""
        if self._carried is not None and not self._paragraphs:
            self._deliver(self._carried)
            self._carried = None
        return self._sinks.pop()

    # paragraphs and runs

    def _start_paragraph(self, _element: Any) -> None:
        if self._carried is not None and not self._paragraphs:
            self._paragraphs.append(self._carried)
            self._carried = None
            return
        look = self._styles.look(self._styles.default_paragraph).over(self._styles.default)
        self._paragraphs.append(Paragraph(piece=Piece(line=Line()), look=look))

    def _paragraph_states(self, properties: Any) -> None:
        if not self._paragraphs:
            return
        paragraph = self._paragraphs[-1]
        style_id = value_of(properties, "{*}pStyle") or self._styles.default_paragraph
        name = self._styles.name(style_id).casefold()
        if name == "title" or name.startswith("heading"):
            paragraph.piece.kind = "heading"
        paragraph.look = self._styles.look(style_id).over(self._styles.default)
        shading = properties.find("{*}shd")
        paragraph.shaded = self._styles.shades(style_id) or (shading is not None and is_shading(shading))
        for name in ("ins", "del"):
            change = properties.find(f"{{*}}rPr/{{*}}{name}")
            if change is not None:
                self._count_change(attribute(change, "author"))
                paragraph.joins_next = name == "del"
        self._number_paragraph(properties, style_id)

    def _number_paragraph(self, properties: Any, style_id: str) -> None:
        number, level = value_of(properties, "{*}numPr/{*}numId"), value_of(properties, "{*}numPr/{*}ilvl")
        by_style = self._styles.numbering(style_id)
        if not self._paragraphs[-1].joins_next:
            self._paragraphs[-1].number = self._lists.next(number or by_style[0], level or by_style[1] or "0")

    def _end_paragraph(self, element: Any) -> None:
        if not self._paragraphs:
            return
        element.clear()
        paragraph = self._paragraphs.pop()
        self._fields = [state for state in self._fields if state != "code"]
        if paragraph.joins_next and not self._paragraphs:
            paragraph.joins_next = False
            self._carried = paragraph
            return
        self._deliver(paragraph)

    def _deliver(self, paragraph: Paragraph) -> None:
        self._sinks[-1].append(paragraph.piece)
        self._sinks[-1] += paragraph.boxes

    def _start_run(self, _element: Any) -> None:
        self._runs.append(Look())

    def _run_states(self, properties: Any) -> None:
        if self._runs:
            self._runs[-1] = look_of(properties).over(self._styles.look(value_of(properties, "{*}rStyle")))

    def _end_run(self, _element: Any) -> None:
        self._runs.pop()

    # tables and text boxes: what is inside them is collected apart

    def _start_table(self, _element: Any) -> None:
        self._table_count += 1
        self._tables.append(Table(number=self._table_count))

    def _table_states(self, properties: Any) -> None:
        if self._tables:
            self._tables[-1].shaded = self._styles.shades(value_of(properties, "{*}tblStyle"))

    def _end_table(self, element: Any) -> None:
        self._tables.pop()
        element.clear()

    def _start_row(self, _element: Any) -> None:
        if self._tables:
            self._tables[-1].rows += 1
            self._tables[-1].row = Row()

    def _row_states(self, properties: Any) -> None:
        for name in ("ins", "del"):
            change = properties.find(f"{{*}}{name}")
            if change is not None and self._tables:
                self._start_change(change)
                self._tables[-1].row.change = self._changes[-1]

    def _end_row(self, element: Any) -> None:
        if not self._tables:
            return
        table = self._tables[-1]
        if table.row.change is not None:
            self._changes.remove(table.row.change)
        line, inner = row_line(table.row.cells)
        self._sinks[-1].append(Piece(line=line, kind="table row", label=f"table {table.number}, row {table.rows}"))
        self._sinks[-1] += inner
        element.clear()

    def _start_cell(self, _element: Any) -> None:
        cell: list[Piece] = []
        if self._tables:
            self._tables[-1].row.cells.append(cell)
        self._sinks.append(cell)
        self._cell_changes.append(None)
        self._grounds.append(self._grounds[-1] or any(table.shaded for table in self._tables))

    def _cell_states(self, properties: Any) -> None:
        shading = properties.find("{*}shd")
        if shading is not None and is_shading(shading):
            self._grounds[-1] = True
        for name, kind in (("cellIns", FindingKind.INSERTED), ("cellDel", FindingKind.DELETED)):
            change = properties.find(f"{{*}}{name}")
            if change is not None and self._cell_changes:
                self._begin_change(change, kind)
                self._cell_changes[-1] = self._changes[-1]

    def _end_cell(self, _element: Any) -> None:
        self._end_sink()
        self._grounds.pop()
        change = self._cell_changes.pop() if self._cell_changes else None
        if change is not None:
            self._changes.remove(change)

    def _start_box(self, _element: Any) -> None:
        """What lies behind the letters of a box is not looked into."""
        self._sinks.append([])
        self._grounds.append(True)

    def _end_box(self, _element: Any) -> None:
        pieces = self._end_sink()
        self._grounds.pop()
        for piece in pieces:
            piece.kind = "text box" if piece.kind in ("paragraph", "heading") else piece.kind
        if self._paragraphs:
            self._paragraphs[-1].boxes += pieces
        else:
            self._sinks[-1] += pieces

"""Walks one slide of a PowerPoint presentation, its notes, or the comments on it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from r3con_core.documents import FindingKind
from r3con_core.readers.marks import Line, Note
from r3con_core.readers.ooxml import Event, Package, Relation, attributes
from r3con_core.readers.ooxml_drawings import DRAWN, drawn_text

_SHAPES = frozenset(("sp", "graphicFrame", "pic", "cxnSp", "contentPart"))
_COUNTED = frozenset(("sldNum", "hdr", "dt"))
"""Placeholders of notes and slides that hold only numbers and dates."""
_LEAST_SIZE = 200
"""In hundredths of a point; smaller letters are specks."""
_DRAWN = {"chart": "chart", "relIds": "diagram"}
"""Elements that refer to a chart or diagram, and what it is."""


Drawn = Callable[[str, Sequence[str]], Line]
"""Gives the text of a chart or diagram, by its kind and the ids by which a slide may refer to it."""


@dataclass(slots=True, kw_only=True)
class Slide:
    """What a slide shows."""

    line: Line = field(default_factory=Line)
    title: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment on a slide."""

    author: str = ""
    """An id, whose name stands elsewhere."""
    date: str = ""
    text: str = ""


@dataclass(slots=True, kw_only=True)
class _Shape:
    placeholder: str | None = None
    """None when it is none."""
    hidden: str = ""
    grouped: bool = False
    at: tuple[int, int] | None = None
    lines: list[Line] = field(default_factory=list)
    cells: list[Line] = field(default_factory=list)


class _Walk:
    """Collects the text of the shapes of one slide from its XML events."""

    def __init__(self, size: tuple[int, int], drawn: Drawn, *, placeholders: bool) -> None:
        self.slide = Slide()
        self._drawn = drawn
        self._size, self._placeholders = size, placeholders
        self._shapes: list[_Shape] = []
        self._groups = self._skipping = 0
        self._line = Line()
        self._cell: Line | None = None
        self._tiny = ""

    def take(self, event: str, name: str, element: Any) -> None:
        """One event."""
        if name == "Fallback":
            self._skipping += 1 if event == "start" else -1
        elif self._skipping:
            return
        elif event == "start":
            self._start(name, element)
        else:
            self._end(name, element)

    def _start(self, name: str, element: Any) -> None:
        stated = attributes(element)
        if name in _SHAPES:
            self._shapes.append(_Shape(grouped=self._groups > 0))
        elif name == "grpSp":
            self._groups += 1
        elif name == "sld":
            self.slide.hidden = stated.get("show") in ("0", "false")
        elif name == "tc":
            self._cell = Line()
        elif name == "br":
            self._add("\n")
        elif name in ("r", "rPr"):
            self._tiny = _why_tiny(stated.get("sz", ""))
        elif self._shapes:
            self._shape_states(name, stated, element)

    def _shape_states(self, name: str, stated: Mapping[str, str], element: Any) -> None:
        shape = self._shapes[-1]
        if name == "ph":
            shape.placeholder = stated.get("type", "body")
        elif name == "cNvPr" and stated.get("hidden") in ("1", "true"):
            shape.hidden = "a hidden shape"
        elif name == "off":
            shape.at = (_number(stated.get("x", "")), _number(stated.get("y", "")))
        elif name == "ext" and shape.at is not None and "cx" in stated:
            self._place(shape, _number(stated["cx"]), _number(stated.get("cy", "")))
        elif name in _DRAWN:
            shape.lines.append(self._drawn(_DRAWN[name], [str(value) for value in element.attrib.values()]))

    def _place(self, shape: _Shape, width: int, height: int) -> None:
        """Notes when a shape lies wholly off the slide; where shapes in groups lie is not worked out."""
        x, y = shape.at or (0, 0)
        shape.at = None
        if self._size == (0, 0) or shape.grouped:
            return
        if x >= self._size[0] or y >= self._size[1] or x + width <= 0 or y + height <= 0:
            shape.hidden = shape.hidden or "off the slide"

    def _end(self, name: str, element: Any) -> None:
        if name == "t":
            self._add(element.text or "")
        elif name == "p":
            self._end_paragraph()
        elif name == "tc" and self._cell is not None and self._shapes:
            self._shapes[-1].cells.append(self._cell)
            self._cell = None
        elif name == "tr" and self._shapes:
            self._end_row()
        elif name == "grpSp":
            self._groups -= 1
        elif name in _SHAPES and self._shapes:
            self._end_shape(self._shapes.pop())

    def _add(self, text: str) -> None:
        why = (self._shapes[-1].hidden if self._shapes else "") or self._tiny
        self._line.add(text, Note(kind=FindingKind.UNSEEN, detail=why) if why else None)

    def _end_paragraph(self) -> None:
        line, self._line = self._line, Line()
        if self._cell is not None:
            self._cell.extend(line.stripped(), between=" ")
        elif self._shapes:
            self._shapes[-1].lines.append(line)

    def _end_row(self) -> None:
        row = Line()
        for number, cell in enumerate(self._shapes[-1].cells):
            if number:
                row.add(" | ")
            row.extend(cell)
        filled = any(cell.has_text or cell.aside for cell in self._shapes[-1].cells)
        if filled:
            self._shapes[-1].lines.append(row)
        self._shapes[-1].cells = []

    def _end_shape(self, shape: _Shape) -> None:
        if shape.placeholder in _COUNTED or (shape.placeholder is not None and not self._placeholders):
            return
        text = Line()
        for line in shape.lines:
            text.extend(line.stripped(), between="\n")
        if shape.placeholder in ("title", "ctrTitle") and not self.slide.title:
            self.slide.title = text.text
        self.slide.line.extend(text, between="\n")


def walk_slide(
    package: Package, part: str, relations: Sequence[Relation], size: tuple[int, int], *, placeholders: bool = True
) -> Slide:
    """What a slide, the notes of one, or a master shows; `size` is that of a slide, or (0, 0) where it is not known."""

    def drawn(kind: str, ids: Sequence[str]) -> Line:
        found = next((one for one in relations if one.id in ids and DRAWN.get(one.kind) == kind), None)
        return Line() if found is None else drawn_text(package, found.target, kind)

    data = package.read(part)
    walk = _Walk(size, drawn, placeholders=placeholders)
    for event, name, element in package.events(data, part) if data is not None else ():
        walk.take(event, name, element)
    return walk.slide


def read_comments(events: Iterable[Event]) -> Iterator[Comment]:
    """The comments of one slide and the answers to them, in order, in the older form and the newer."""
    held: list[Comment] = []
    for event, name, element in events:
        if event == "start" and name in ("cm", "reply"):
            stated = attributes(element)
            held.append(Comment(author=stated.get("authorId", ""), date=stated.get("dt") or stated.get("created", "")))
        elif event == "end" and held and name in ("t", "text"):
            held[-1] = replace(held[-1], text=held[-1].text + (element.text or ""))
        elif event == "end" and held and name == "p":
            held[-1] = replace(held[-1], text=held[-1].text + "\n")
    yield from held


def _number(digits: str) -> int:
    return int(digits) if digits.lstrip("-").isdecimal() and len(digits) < 15 else 0


def _why_tiny(size: str) -> str:
    return f"letters of {int(size) / 100:g} points" if size.isdecimal() and int(size) < _LEAST_SIZE else ""

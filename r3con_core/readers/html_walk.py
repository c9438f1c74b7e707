"""Goes through a web page from start to end, and collects the lines that its reader sees and those he does not."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from r3con_core.documents import Finding, FindingKind
from r3con_core.readers.html_looks import PLAIN, Look, Looks
from r3con_core.readers.html_selectors import Place
from r3con_core.readers.text import Block, clean, has_words

Event = tuple[Literal["start", "end", "text", "comment", "frame"], Any]
"""An element begins or ends, or words, a comment or a frame come."""
INSTEAD = "shown only where a frame or object cannot be"

BLANKS = re.compile(r"[ \t\r\n\f\v\xa0]+")
NEVER_TEXT = frozenset(("script", "style", "head", "title", "datalist"))
_ASIDE = {
    "template": "a template",
    "noscript": "shown only where scripts are off",
    **dict.fromkeys(("iframe", "noframes", "object"), INSTEAD),
}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = _HEADINGS.union(
    ("html", "body", "p", "div", "li", "tr", "table", "section", "article", "aside", "header", "footer", "nav", "main"),
    ("blockquote", "pre", "dl", "dt", "dd", "ul", "ol", "form", "fieldset", "figure", "figcaption", "address"),
    ("caption", "option", "hr", "details", "summary", "dialog", "legend", "textarea", "center"),
)
_KINDS = {"li": "list item", "tr": "table row", **dict.fromkeys(_HEADINGS, "heading")}
_SHOWN_INPUTS = frozenset(("", "text", "search", "url", "tel", "email", "number", "date", "time", "button", "submit"))
_ROW_ON_ONE_LINE = 1_000
"""Characters of a table row that is kept on one line although its cells hold paragraphs."""
_TAGS = re.compile(r"<[^<>]*>|\[(?:if|endif)[^\]]*\]>?|<!|-->")


@dataclass(slots=True, eq=False)
class Tag:
    """An element of a page that lxml has not read."""

    tag: str
    attrib: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame whose page is written into it."""

    element: Any
    blocks: Sequence[Block]
    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class _Level:
    """An open element."""

    element: Any
    look: Look
    aside: str = ""
    """Why it is set aside though its look does not say so; "never" when it is not even that."""
    place: Place | None = None


class Walk:
    """Collects lines along the start and end of each element."""

    def __init__(self, looks: Looks) -> None:
        self.blocks: list[Block] = []
        self.findings: list[Finding] = []
        """Set aside, in the order of the page."""
        self._looks = looks
        self._levels = [_Level(None, PLAIN)]
        self._line: list[str] = []
        self._kinds = ["paragraph"]
        self._numbers: dict[str, int] = {}
        self._verbatim = 0
        self._row: Any = None
        """The table row being kept on one line."""
        self._unseen: list[str] = []
        self._why = ""

    def over(self, events: Iterable[Event]) -> None:
        """Go through all events."""
        for event, held in events:
            if event == "text":
                self._text(held)
            elif event == "start":
                self._start(held)
            elif event == "end":
                self._end()
            elif event == "frame":
                self._frame(held)
            else:
                self._comment(held)
        self._set_aside()
        self._end_line()

    def _start(self, element: Any) -> None:
        around = self._levels[-1]
        if around.aside == "never" or element.tag in NEVER_TEXT:
            self._levels.append(_Level(element, around.look, "never"))
            return
        place = self._looks.place(element, around.place)
        look = self._looks.look(element, around.look, place)
        self._levels.append(_Level(element, look, around.aside or _ASIDE.get(element.tag, ""), place))
        self._open(element)
        if element.tag == "input" and element.attrib.get("type", "").lower() in _SHOWN_INPUTS:
            self._text(element.attrib.get("value", ""))

    def _end(self) -> None:
        level = self._levels.pop()
        if level.aside == "never":
            return
        around = self._levels[-1]
        if self._unseen and (around.aside or around.look.why_unseen) != self._why:
            self._set_aside()
        self._close(level.element)

    def _text(self, text: str) -> None:
        if not text:
            return
        level = self._levels[-1]
        if level.aside == "never":
            return
        why = level.aside or level.look.why_unseen
        if not why:
            if self._unseen and not text.isspace():
                self._set_aside()
            self._add(text)
        elif self._unseen and why != self._why:
            self._set_aside()
            self._why, self._unseen = why, [text]
        else:
            self._why = why
            self._unseen.append(text)

    def _frame(self, frame: Frame) -> None:
        around = self._levels[-1]
        if around.aside == "never":
            return
        self._set_aside()
        place = self._looks.place(frame.element, around.place)
        why = around.aside or self._looks.look(frame.element, around.look, place).reason
        if why:
            self._find("\n".join(block.text for block in frame.blocks), why)
        else:
            self._row = None
            self._end_line()
            for block in frame.blocks:
                self._add_block(block.kind, block.text)
        self.findings += frame.findings

    def _comment(self, text: str) -> None:
        if self._levels[-1].aside != "never":
            self._find(_TAGS.sub(" ", text), "a comment in the page's source")

    def _set_aside(self) -> None:
        self._find("".join(self._unseen), self._why)
        self._unseen, self._why = [], ""

    def _find(self, text: str, detail: str) -> None:
        words = clean(BLANKS.sub(" ", text)).strip()
        if has_words(words):
            self.findings.append(Finding(kind=FindingKind.UNSEEN, text=words, detail=detail))

    def _open(self, element: Any) -> None:
        tag = element.tag
        if self._is_unseen:
            self._unseen += [" "] if self._unseen and tag in _BLOCKS else []
        elif tag == "br":
            self._line.append("\n")
        elif tag in ("td", "th") and any(piece.strip() for piece in self._line):
            self._line[-1] = self._line[-1].rstrip(" ")
            self._line.append(" | ")
        elif tag in _BLOCKS:
            self._break()
        if tag == "tr" and self._row is None and _fits_one_line(element):
            self._row = element
        if tag in _KINDS:
            self._kinds.append(_KINDS[tag])
        self._verbatim += tag == "pre"

    @property
    def _is_unseen(self) -> bool:
        level = self._levels[-1]
        return bool(level.aside or level.look.reason)

    def _close(self, element: Any) -> None:
        if element is self._row:
            self._row = None
        if element.tag in _BLOCKS:
            self._break()
        if element.tag in _KINDS:
            self._kinds.pop()
        self._verbatim -= element.tag == "pre"

    def _add(self, text: str) -> None:
        if not self._verbatim:
            text = BLANKS.sub(" ", text)
            if not self._line or self._line[-1].endswith((" ", "\n")):
                text = text.removeprefix(" ")
        if text:
            self._line.append(text)

    def _break(self) -> None:
        if self._row is None:
            self._end_line()
        elif self._line and not self._line[-1].endswith(" "):
            self._line.append(" ")

    def _end_line(self) -> None:
        if not self._line:
            return
        text = "".join(self._line)
        text = text.strip("\n") if self._verbatim else re.sub(r" *\n *", "\n", text).strip()
        self._line = []
        if text.strip():
            self._add_block(self._kinds[-1], text)

    def _add_block(self, kind: str, text: str) -> None:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        self.blocks.append(Block(kind=kind, label=str(self._numbers[kind]), text=text))


def _fits_one_line(row: Any) -> bool:
    if isinstance(row, Tag) or row.find(".//table") is not None or row.find(".//li") is not None:
        return False
    return sum(len(text) for text in row.itertext()) <= _ROW_ON_ONE_LINE

"""Web pages become documents: what a reader of the page sees, one line a block."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from r3con_core.documents import Document, make_document
from r3con_core.readers.encodings import decode
from r3con_core.readers.ledger import File
from r3con_core.readers.text import Block, encoding_warnings, excerpt, file_name, join_blocks, merged_units

_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f\v\xa0]+")
_UNSEEN = frozenset(("script", "style", "noscript", "template", "head", "iframe", "object", "datalist"))
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])", re.IGNORECASE
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = _HEADINGS.union(
    ("html", "body", "p", "div", "li", "tr", "table", "section", "article", "aside", "header", "footer", "nav", "main"),
    ("blockquote", "pre", "dl", "dt", "dd", "ul", "ol", "form", "fieldset", "figure", "figcaption", "address"),
    ("caption", "option", "hr", "details", "summary"),
)
_KINDS = {"li": "list item", "tr": "table row", **dict.fromkeys(_HEADINGS, "heading")}
_ROW_ON_ONE_LINE = 1_000
"""Characters of a table row that is kept on one line although its cells hold paragraphs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a reader of a web page sees."""

    title: str
    """Empty when the page has none."""
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...]


def read_html(file: File) -> Iterator[Document]:
    """A web page as one document; its blocks are units, and text hidden from its readers is only in a warning."""
    data = file.data()
    declared = _DECLARED.search(data[:4096])
    decoded = decode(data, declared=declared[1].decode("ascii") if declared else None)
    page = read_page(decoded.text)
    text, units = join_blocks(page.blocks)
    yield make_document(
        title=page.title or file_name(file.source),
        text=text,
        source=file.source,
        units=merged_units(units),
        warnings=(*encoding_warnings(decoded), *page.warnings),
    )


def read_page(markup: str) -> Page:
    """A page taken apart; nothing is fetched, and no entity is expanded but HTML's own characters."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    root = etree.fromstring(markup.replace("\x00", "\ufffd").encode("utf-8", "replace"), parser) if markup else None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        return _without_layout(markup)
    if root is None:
        return Page(title="", blocks=(), warnings=())
    title = root.find(".//title")
    walk = _Walk()
    walk.over(etree.iterwalk(root, events=("start", "end")))
    return Page(
        title=_BLANKS.sub(" ", "".join(title.itertext())).strip() if title is not None else "",
        blocks=tuple(walk.blocks),
        warnings=_hidden_warnings(walk.hidden),
    )


def _hidden_warnings(hidden: list[str]) -> tuple[str, ...]:
    return (f"Text that readers of the page do not see was left out: {excerpt(hidden)}",) if hidden else ()


def _without_layout(markup: str) -> Page:
    """All text between tags: libxml2 gives up at 256 levels and would lose the rest of the page without a word."""
    text = re.sub(r"(?is)<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", " ", markup)
    lines = (_BLANKS.sub(" ", html.unescape(line)).strip() for line in re.sub(r"<[^<>]*>", "\n", text).split("\n"))
    numbered = enumerate(filter(None, lines), 1)
    return Page(
        title="",
        blocks=tuple(Block(kind="paragraph", label=str(number), text=line) for number, line in numbered),
        warnings=("The page is nested too deeply to follow its layout; all its text was taken, hidden text included.",),
    )


class _Walk:
    """Collects lines along the start and end of each element."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.hidden: list[str] = []
        self._line: list[str] = []
        self._kinds = ["paragraph"]
        self._numbers: dict[str, int] = {}
        self._verbatim = 0
        self._row: Any = None
        """The table row being kept on one line."""

    def over(self, events: Any) -> None:
        """Walk elements as `lxml.etree.iterwalk` gives them; lxml has no types of its own."""
        for event, element in events:
            if event == "start":
                if self._is_unseen(element):
                    self._keep_hidden(element)
                    events.skip_subtree()
                else:
                    self._open(element)
                    self._add(element.text)
            else:
                if not self._is_unseen(element):
                    self._close(element)
                self._add(element.tail)
        self._end_line()

    def _is_unseen(self, element: Any) -> bool:
        if element.tag in _UNSEEN:
            return True
        hides = "hidden" in element.attrib or _HIDING.search(element.get("style", ""))
        return bool(hides) and element.tag not in ("html", "body")

    def _keep_hidden(self, element: Any) -> None:
        words = _BLANKS.sub(" ", "".join(element.itertext())).strip()
        if words and element.tag not in _UNSEEN:
            self.hidden.append(words)

    def _open(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
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

    def _close(self, element: Any) -> None:
        if element is self._row:
            self._row = None
        if element.tag in _BLOCKS:
            self._break()
        if element.tag in _KINDS:
            self._kinds.pop()
        self._verbatim -= element.tag == "pre"

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if not self._verbatim:
            text = _BLANKS.sub(" ", text)
            if not self._line or self._line[-1].endswith((" ", "\n")):
                text = text.removeprefix(" ")
        self._line.append(text)

    def _break(self) -> None:
        if self._row is None:
            self._end_line()
        elif self._line and not self._line[-1].endswith(" "):
            self._line.append(" ")

    def _end_line(self) -> None:
        text = "".join(self._line)
        text = text.strip("\n") if self._verbatim else re.sub(r" *\n *", "\n", text).strip()
        self._line = []
        if text.strip():
            kind = self._kinds[-1]
            self._numbers[kind] = self._numbers.get(kind, 0) + 1
            self.blocks.append(Block(kind=kind, label=str(self._numbers[kind]), text=text))


def _fits_one_line(row: Any) -> bool:
    if row.find(".//table") is not None or row.find(".//li") is not None:
        return False
    return sum(len(text) for text in row.itertext()) <= _ROW_ON_ONE_LINE

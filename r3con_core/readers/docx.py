"""Word documents become documents: text, tables, page headers, notes and comments, with tracked changes accepted."""

import re
import zipfile
from collections.abc import Iterator
from typing import Any

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.archive import unpack
from r3con_core.readers.ledger import File, Member
from r3con_core.readers.text import Block, excerpt, file_name, join_blocks, merged_units, one_line

_PARTS = (
    ("header", re.compile(r"word/header\d*\.xml")),
    ("", re.compile(r"word/document\.xml")),
    ("footer", re.compile(r"word/footer\d*\.xml")),
    ("footnote", re.compile(r"word/footnotes\.xml")),
    ("endnote", re.compile(r"word/endnotes\.xml")),
    ("comment", re.compile(r"word/comments\.xml")),
)
"""Kind of unit and name of the part, in the order of the text; the empty kind is the body."""
_EMBEDDED = re.compile(r"word/embeddings/.+|word/[^/]+\.(?:html?|mht|mhtml|rtf|txt|docx)", re.IGNORECASE)
_HEADING = re.compile(r"(?i)(?:title|heading\d*)")
_WITHOUT_TEXT = frozenset(
    ("pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "sdtPr", "sdtEndPr", "instrText", "Fallback")
)
_GONE = frozenset(("del", "moveFrom"))
_COME = frozenset(("ins", "moveTo"))
_AS_TEXT = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}


def read_docx(file: File) -> Iterator[Document | Member]:
    """A Word document as one document, then the files embedded in it.

    Inserted text is in, deleted and hidden text only in a warning; comments stand at the end under their author.
    """
    try:
        archive = zipfile.ZipFile(file.content.open())
    except zipfile.BadZipFile as fault:
        raise CorpusError("a damaged or incomplete Word document") from fault
    with archive:
        walk = _Walk()
        for kind, part in _PARTS:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if part.fullmatch(info.filename):
                    walk.part(_tree(unpack(archive, info)), kind)
        text, units = join_blocks(walk.blocks)
        yield make_document(
            title=walk.title or file_name(file.source),
            text=text,
            source=file.source,
            units=merged_units(units),
            warnings=walk.warnings(),
        )
        for info in archive.infolist():
            if _EMBEDDED.fullmatch(info.filename):
                yield Member(name=info.filename.removeprefix("word/"), data=unpack(archive, info))


def _tree(xml: bytes) -> Any:
    """The root of a part; lxml has no types of its own."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    root = etree.fromstring(xml, parser)
    if root.getroottree().docinfo.doctype:
        raise CorpusError("it defines XML entities, which Word never does; such files can be harmful and are not read")
    return root


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _attribute(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


class _Walk:
    """Collects the blocks of a Word document, and what its changes and hidden runs leave out."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self._paragraphs = 0
        self._tables = 0
        self._comments = 0
        self._authors: set[str] = set()
        self._deleted: list[str] = []
        self._hidden: list[str] = []

    def warnings(self) -> tuple[str, ...]:
        """What readers of the text should know."""
        said = []
        if self._authors:
            names = ", ".join(sorted(self._authors))
            said.append(f"It has tracked changes by {names}; what was inserted is in the text.")
        if self._deleted:
            said.append(f"Deleted text was left out: {excerpt(self._deleted)}")
        if self._hidden:
            said.append(f"Hidden text was left out: {excerpt(self._hidden)}")
        if self._comments:
            comments = "one comment" if self._comments == 1 else f"{self._comments} comments"
            said.append(f"It has {comments}, read at the end of the text.")
        return tuple(said)

    def part(self, root: Any, kind: str) -> None:
        """Add the blocks of one XML part; `kind` is empty for the body."""
        if not kind:
            self._body(root)
            return
        items = [root] if kind in ("header", "footer") else list(root)
        number = 0
        for item in items:
            text = "\n".join(filter(None, map(self._paragraph, self._paragraphs_of(item)))).strip()
            if not text or (items == [root] and any(block.text == text for block in self.blocks)):
                continue  # first, even and odd pages often have the same header
            number += 1
            if kind == "comment":
                self._comments += 1
                text = f"Comment by {_attribute(item, 'author') or 'unknown'}: {text}"
            elif kind not in ("header", "footer"):
                text = f"{kind.capitalize()} {number}: {text}"
            self.blocks.append(Block(kind=kind, label=str(number), text=text))

    def _body(self, parent: Any) -> None:
        for child in parent:
            match _name(child):
                case "p":
                    self._add_paragraph(child)
                case "tbl":
                    self._add_table(child)
                case name if name in _GONE or name in _WITHOUT_TEXT:
                    pass
                case _:
                    self._body(child)

    def _add_paragraph(self, paragraph: Any) -> None:
        text = self._paragraph(paragraph)
        if not text:
            return
        self._paragraphs += 1
        style = paragraph.find("{*}pPr/{*}pStyle")
        is_heading = style is not None and _HEADING.match(_attribute(style, "val")) is not None
        if is_heading and not self.title:
            self.title = one_line(text)
        self.blocks.append(Block(kind="heading" if is_heading else "paragraph", label=str(self._paragraphs), text=text))

    def _add_table(self, table: Any) -> None:
        self._tables += 1
        rows = (row for row in table.iter("{*}tr") if not _inside_a_cell(row, table))
        for number, row in enumerate(rows, 1):
            own_cells = (cell for cell in row.iter("{*}tc") if not _inside_a_cell(cell, row))
            cells = [" ".join(filter(None, map(self._paragraph, self._paragraphs_of(cell)))) for cell in own_cells]
            if any(cells):
                label = f"table {self._tables}, row {number}"
                self.blocks.append(Block(kind="table row", label=label, text=" | ".join(cells)))

    def _paragraphs_of(self, element: Any) -> Iterator[Any]:
        """The outermost paragraphs; those of text boxes come with the paragraph that anchors the box."""
        for child in element:
            if _name(child) == "p":
                yield child
            elif _name(child) not in _WITHOUT_TEXT:
                yield from self._paragraphs_of(child)

    def _paragraph(self, paragraph: Any) -> str:
        return "".join(self._pieces(paragraph)).strip()

    def _pieces(self, element: Any) -> Iterator[str]:
        for child in element:
            name = _name(child)
            if name == "t":
                yield child.text or ""
            elif name in _AS_TEXT:
                yield _AS_TEXT[name]
            elif name == "txbxContent":
                yield "".join(f"\n{self._paragraph(inner)}" for inner in self._paragraphs_of(child))
            elif name not in _WITHOUT_TEXT and self._stays(child):
                yield from self._pieces(child)

    def _stays(self, element: Any) -> bool:
        """Whether the words of an element are in the text; notes its author if it is a tracked change."""
        name = _name(element)
        if name in _GONE or name in _COME:
            self._authors.add(_attribute(element, "author") or "unknown")
        if name in _GONE:
            self._deleted.append("".join(element.itertext("{*}delText", "{*}t")))
            return False
        if name == "r" and _is_hidden(element):
            self._hidden.append("".join(element.itertext("{*}t")))
            return False
        return True


def _inside_a_cell(element: Any, outer: Any) -> bool:
    """Whether a table cell lies between the two: the element belongs to a table within the table."""
    for ancestor in element.iterancestors():
        if ancestor is outer:
            return False
        if _name(ancestor) == "tc":
            return True
    return False


def _is_hidden(run: Any) -> bool:
    vanish = run.find("{*}rPr/{*}vanish")
    return vanish is not None and _attribute(vanish, "val") not in ("0", "false", "off")

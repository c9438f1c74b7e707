"""What a place in an RTF file is like: its font, its colours, its changes, and what it belongs to."""

import codecs
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field

from r3con_core.readers.marks import Line, Piece, row_line

CHARSETS: Mapping[int, str] = {
    0: "cp1252",
    2: "symbol",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Encodings of a font's letters, by what RTF calls its character set."""
_CODE_PAGES = {936: "gb18030", 10000: "mac_roman", 1361: "johab", 65001: "utf-8", 42: "symbol"}

SIGNS: Mapping[str, str] = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "qmspace": "\u2005",
    "~": "\u00a0",
    "_": "-",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
    "\\": "\\",
    "{": "{",
    "}": "}",
}
"""What control words and symbols for single letters stand for."""

STORIES: Mapping[str, str] = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
    "footnote": "footnote",
    "dptxbxtext": "text box",
    "annotation": "comment",
    "shptxt": "text box",
}
"""Groups whose text stands apart from the body."""

TAKEN = frozenset(
    ("info", "title", "author", "atnauthor", "atndate", "revtbl", "fonttbl", "colortbl", "creatim", "revtim")
)
"""Groups that are not text but state something."""

PASSED_OVER = frozenset(
    (
        "sp",
        "stylesheet",
        "pict",
        "fldinst",
        "listtable",
        "listoverridetable",
        "shprslt",
        "nonesttables",
        "filetbl",
        "xe",
    )
) | frozenset(("tc", "nonshppict", "private", "operator", "keywords", "subject", "doccomm", "company", "manager"))
"""Groups that hold no text of the document; so does every group marked as optional, but for those of OPTIONAL_TEXT."""

OPTIONAL_TEXT = frozenset(("shppict", "shpinst", "nesttableprops", "do", "dptxbxtext", "objdata"))


def code_page(number: int) -> str:
    """Python's name of a Windows code page; windows-1252 when there is none of this number."""
    name = _CODE_PAGES.get(number, f"cp{number}")
    try:
        return name if name == "symbol" else codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def date_of(packed: int) -> str:
    """The day in a date that RTF packs in 32 bits; empty when it is none."""
    month, day, year = packed >> 16 & 15, packed >> 11 & 31, 1900 + (packed >> 20 & 511)
    return f"{year}-{month:02d}-{day:02d}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


@dataclass(slots=True)
class Frame:
    """Where text goes: the body, a note, a comment, a page header, or something stated."""

    kind: str = ""
    piece: Piece = field(default_factory=lambda: Piece(line=Line()))
    """The paragraph under way."""
    boxes: list[Piece] = field(default_factory=list)
    """Text boxes to come after it."""
    pieces: list[Piece] = field(default_factory=list)
    cell: list[Piece] = field(default_factory=list)
    cells: list[list[Piece]] = field(default_factory=list)
    inner: list[list[Piece]] = field(default_factory=list)
    """Cells of a table within a cell."""
    table: int = 0
    rows: int = 0
    table_open: bool = False
    author: str = ""
    date: str = ""
    anchor: Piece | None = None
    number: int = 0
    values: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All its text, for what is stated rather than read."""
        return "\n".join(piece.line.text for piece in [*self.pieces, self.piece])

    def end_paragraph(self, *, in_cell: bool) -> None:
        """Put the paragraph under way where it belongs, unless there is nothing in it."""
        if self.piece.line.size or self.piece.line.aside:
            (self.cell if in_cell else self.pieces).append(self.piece)
            self.piece = Piece(line=Line())
        (self.cell if in_cell else self.pieces).extend(self.boxes)
        self.boxes = []
        self.table_open = self.table_open and in_cell

    def end_cell(self) -> None:
        """Put the paragraphs of a cell in its row."""
        self.end_paragraph(in_cell=True)
        self.cells.append(self.cell)
        self.cell = []

    def end_row(self) -> None:
        """Put the cells so far in the text as one row."""
        if self.piece.line.has_text or self.cell:
            self.end_cell()
        if not self.table_open:
            self.table, self.rows, self.table_open = self.table + 1, 0, True
        self.rows += 1
        line, inner = row_line(self.cells)
        self.pieces += [Piece(line=line, kind="table row", label=f"table {self.table}, row {self.rows}"), *inner]
        self.cells = []

    def end_inner_cell(self) -> None:
        """Put a paragraph in a row of a table within a cell."""
        self.inner.append([self.piece])
        self.piece = Piece(line=Line())

    def end_inner_row(self) -> None:
        """Put the cells of a table within a cell in that cell, as one row."""
        line, _ = row_line(self.inner)
        self.cell.append(Piece(line=line, kind="table row", label=f"table {self.table + 1}, inner row"))
        self.inner = []

    def finish(self) -> None:
        """Put whatever is left in the text."""
        if self.inner:
            self.end_inner_cell()
            self.end_inner_row()
        self.end_paragraph(in_cell=False)
        if self.cells or self.cell:
            self.end_row()


@dataclass(slots=True)
class State:
    """What holds from here to the end of the group."""

    frame: Frame
    skipped: bool = False
    optional: bool = False
    """The group begins with a mark that readers may pass it over."""
    fallback: int = 1
    """How many letters follow each Unicode letter for readers that do not know Unicode."""
    font: int | None = None
    hidden: bool = False
    half_points: int = 24
    colour: int = 0
    ground: int = 0
    marked: int = 0
    in_table: bool = False
    change: str = ""
    """revised or deleted."""
    authors: tuple[int, int] = (0, 0)
    """Of an insertion and of a deletion, as numbers in the table of authors."""
    dates: tuple[int, int] = (0, 0)
    data: list[str] | None = None
    """Collects the hexadecimal digits of an embedded object."""

    def within(self) -> "State":
        """What holds at the beginning of a group inside this one."""
        inner = copy.copy(self)
        inner.optional = False
        return inner

    def plain(self) -> None:
        """Letters look as they do by themselves."""
        self.hidden, self.half_points, self.colour, self.change = False, 24, 0, ""
        self.ground = self.marked = 0

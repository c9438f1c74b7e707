"""Load files of e-discovery productions: tables of documents (DAT, CSV) and lists of page pictures (OPT, LFP).

Concordance's DAT has a line for each document, þ around a value, the control character 20 between values, and ® where
a value has a line end; other signs and plain CSV are found by the header. Paths in load files are only words here.
"""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from r3con_core.readers.content import Content
from r3con_core.readers.encodings import utf16_by_its_zeros
from r3con_core.readers.kinds import suffix_of

MAX_BYTES = 256 * 2**20
"""Of a load file; ten million pages fit."""
_QUOTE, _BETWEEN, _LINE_END = "\xfe", "\x14", "\xae"
_SEPARATORS = (_BETWEEN, "|", "\t", ";", ",")
_QUOTED = re.compile(r"^(\xfe|\W)[\w /.#()-]+\1(.)\1")
_TABLES = frozenset((".dat", ".csv", ".tsv", ".txt", ".tab"))
_MOST_LINES = 2_000
"""Lines that one row of a DAT may go over."""


class Role(StrEnum):
    """What a column is for, where it is more than something said of the document."""

    BEGIN = "first Bates number"
    END = "last Bates number"
    FAMILY = "first Bates number of the family"
    FAMILY_END = "last Bates number of the family"
    PARENT = "parent"
    CHILDREN = "attachments"
    TEXT = "text"
    NATIVE = "native"
    PICTURE = "picture"
    SOURCE_PATH = "path at the source"
    """A native's path in some productions, what the path was at its owner's in others."""
    HASH = "hash"


_ROLES = {
    Role.BEGIN: "BEGBATES BEGDOC BEGNO BEGINBATES BEGINNINGBATES BEGINNINGBATESNUMBER BATESBEG BATESBEGIN BATESSTART "
    "BATESRANGEBEGIN STARTBATES FIRSTBATES PRODBEG PRODBEGBATES BEGPROD PRODBEGDOC PRODUCTIONBEGBATES BEGDOCNO "
    "BEGINDOC BEGDOCUMENT BEGCONTROL BEGDOCID BATES BATESNUMBER BATESNO DOCID DOCUMENTID CONTROLNUMBER CONTROLID",
    Role.END: "ENDBATES ENDDOC ENDNO ENDINGBATES ENDINGBATESNUMBER BATESEND BATESRANGEEND LASTBATES PRODEND PRODENDBATES "
    "ENDPROD PRODENDDOC PRODUCTIONENDBATES ENDDOCNO ENDDOCUMENT ENDCONTROL ENDDOCID",
    Role.FAMILY: "BEGATTACH BEGATT BEGATTACHMENT BEGINATTACH BEGINATTACHMENT BEGINNINGATTACHMENT ATTACHBEG ATTACHBEGIN "
    "BATESBEGATTACH PRODBEGATTACH BEGBATESATTACH FAMILYBEG BEGFAMILY BEGRANGE FIRSTATTACH ATTACHRANGE "
    "ATTACHMENTRANGE FAMILYRANGE GROUPRANGE PRODUCTIONBEGATTACH",
    Role.FAMILY_END: "ENDATTACH ENDATT ENDATTACHMENT ENDINGATTACHMENT ATTACHEND BATESENDATTACH PRODENDATTACH "
    "ENDBATESATTACH FAMILYEND ENDFAMILY ENDRANGE LASTATTACH PRODUCTIONENDATTACH",
    Role.PARENT: "PARENTDOCID PARENTID PARENT PARENTBATES PARENTBATESBEG PARENTBEGBATES PARENTBEGDOC PARENTDOCUMENTID",
    Role.CHILDREN: "ATTACHDOCIDS ATTACHIDS ATTACHMENTIDS ATTCHIDS ATTACHMENTDOCIDS CHILDIDS CHILDDOCIDS ATTACHBATES",
    Role.TEXT: "TEXTPATH TEXTLINK TEXTFILE TEXTFILEPATH OCRPATH OCRLINK OCRFILE OCRTEXTPATH FULLTEXTPATH FULLTEXT "
    "EXTRACTEDTEXTPATH EXTRACTEDTEXTLINK EXTRACTEDTEXT TXTPATH TEXTPRECEDENCE OCRTEXT OCR TEXT EXTTEXT DOCTEXT",
    Role.NATIVE: "NATIVELINK NATIVEPATH NATIVEFILE NATIVEFILEPATH NATIVEFILELINK NATIVE DOCLINK FILELINK PRODNATIVE "
    "NATIVELOCATION",
    Role.PICTURE: "IMAGEPATH IMAGELINK IMAGEFILE IMAGEFILEPATH IMGPATH IMGLINK PDFPATH PDFLINK TIFFPATH",
    Role.SOURCE_PATH: "FILEPATH FOLDERPATH ORIGINALPATH SOURCEPATH ORIGPATH ORIGINALFILEPATH",
    Role.HASH: "MD5HASH MD5 SHA1 SHA1HASH SHA256 SHA256HASH HASH HASHVALUE DEDUPHASH",
}
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names.split()}
_SURE = frozenset(_ROLES[Role.BEGIN].split()) - frozenset(
    "BATES BATESNUMBER BATESNO DOCID DOCUMENTID CONTROLNUMBER CONTROLID".split()
)
"""Names that no table but a load file has for its first Bates numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a load file says of one document: (column, value), only those with a value, in its order."""

    fields: tuple[tuple[str, str], ...]

    def get(self, role: Role) -> str:
        """The first value of a column with this role; empty when there is none."""
        return next(iter(self.all(role)), "")

    def all(self, role: Role) -> list[str]:
        """All of them; of the numbers of a document those first whose columns are certainly meant."""
        found = [(bare(column) not in _SURE, value) for column, value in self.fields if role_of(column) is role]
        return [value for _, value in sorted(found, key=lambda one: one[0])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A load file's documents in its order."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    sure: bool
    """It can be nothing but a load file; other tables may have a column called "DocID" too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page picture that a load file lists."""

    bates: str
    path: str
    first: bool
    """A document begins with it."""


@lru_cache(maxsize=1024)
def bare(column: str) -> str:
    """A column's name as capital letters and digits only."""
    return re.sub(r"[^A-Z0-9]", "", column.upper())


def role_of(column: str) -> Role | None:
    """What a column is for; None when it just says something of the document."""
    return _ROLE_OF.get(bare(column))


def read_table_of_documents(path: str, content: Content) -> Table | None:
    """The documents that a load file lists; None when this is no load file. Opens nothing but a few first bytes then."""
    if suffix_of(path) not in _TABLES or not 0 < content.size <= MAX_BYTES:
        return None
    head = _decoded(content.head(), whole=False)
    signs = _signs(_first_line(head))
    if signs is None:
        return None
    lines = iter(_rows(_decoded(content.data(), whole=True), signs))
    columns = tuple(column.strip() for column in next(lines, ()))
    rows = tuple(_row(columns, values) for values in lines if any(value.strip() for value in values))
    roles = {role_of(column) for column in columns}
    named = any(bare(column) in _SURE for column in columns) and Role.END in roles
    return Table(columns=columns, rows=rows, sure=signs.quote == _QUOTE or (named and suffix_of(path) == ".dat"))


def read_list_of_pages(path: str, content: Content) -> tuple[Page, ...]:
    """The page pictures that an Opticon (.opt) or IPRO (.lfp) file lists, in its order; none when it is neither."""
    read = {".opt": _opticon_page, ".lfp": _ipro_page}.get(suffix_of(path))
    if read is None or content.size > MAX_BYTES:
        return ()
    lines = _decoded(content.data(), whole=True).splitlines()
    return tuple(page for line in lines if (page := read(line)) is not None)


def _opticon_page(line: str) -> Page | None:
    r"""From "NDHA-000101,VOL001,IMAGES\001\NDHA-000101.tif,Y,,,2"."""
    fields = [field.strip().strip('"') for field in line.split(",")]
    if len(fields) < 4 or not fields[0] or not fields[2]:
        return None
    return Page(bates=fields[0], path=fields[2], first=fields[3].upper() == "Y")


def _ipro_page(line: str) -> Page | None:
    r"""From "IM,NDHA-000101,D,0,@VOL001;IMAGES\001;NDHA-000101.tif;2,0"."""
    fields = line.split(",")
    if len(fields) < 5 or fields[0].strip() != "IM":
        return None
    _, folder, name, *_ = [*fields[4].split(";"), "", ""]
    return Page(bates=fields[1].strip(), path=f"{folder}\\{name}", first=fields[2].strip().upper() in ("D", "C"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """Around and between values."""

    quote: str
    between: str


def _first_line(text: str) -> str:
    return next((line for line in re.split(r"[\r\n]+", text) if line.strip()), "")


def _signs(header: str) -> _Signs | None:
    """The signs of a load file with this header; None when its columns are not those of one."""
    found = _QUOTED.match(header)
    if found and not found[1].isspace():
        candidates = [_Signs(quote=found[1], between=found[2])]
    else:
        candidates = [_Signs(quote='"', between=sign) for sign in _SEPARATORS if sign in header]
    for signs in candidates:
        roles = Counter(role_of(column.strip(signs.quote + " ")) for column in header.split(signs.between))
        if roles[Role.BEGIN] and len(roles) > 2:
            return signs
    return None


def _row(columns: Sequence[str], values: Sequence[str]) -> Row:
    named = ((columns[at] if at < len(columns) else f"Column {at + 1}", value) for at, value in enumerate(values))
    return Row(fields=tuple((column, value.strip()) for column, value in named if value.strip()))


def _rows(text: str, signs: _Signs) -> Iterable[Sequence[str]]:
    if signs.quote == '"':
        return csv.reader(text.splitlines(keepends=True), delimiter=signs.between)
    return _quoted_rows(text, signs)


def _quoted_rows(text: str, signs: _Signs) -> Iterator[Sequence[str]]:
    """The rows of a file whose signs do not occur in values, so that a row ends where it has all its columns."""
    pending: list[str] = []
    wanted = between = 0
    for line in re.split(r"\r\n|\r|\n", text):
        if not pending and not line.strip():
            continue
        pending.append(line)
        between += line.count(signs.between)
        wanted = wanted or between
        if (between >= wanted and line.rstrip().endswith(signs.quote)) or len(pending) >= _MOST_LINES:
            yield _values("\n".join(pending), signs)
            pending, between = [], 0
    if pending:
        yield _values("\n".join(pending), signs)


def _values(line: str, signs: _Signs) -> list[str]:
    values = [value.strip(" \n\ufeff").removeprefix(signs.quote) for value in line.split(signs.between)]
    plain = [value.removesuffix(signs.quote) for value in values]
    return [value.replace(_LINE_END, "\n") for value in plain] if signs.quote == _QUOTE else plain


def _decoded(data: bytes, *, whole: bool) -> str:
    """The text of a load file: by its mark, as UTF-16 or UTF-8 if it is that, else windows-1252."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if wide := utf16_by_its_zeros(data):
        return data.decode(wide, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=whole)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")

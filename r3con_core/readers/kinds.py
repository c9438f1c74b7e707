"""What kind of file some bytes are: by the bytes first, by the name where the bytes leave it open."""

import re
import struct
import zipfile
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from pathlib import PurePosixPath

from r3con_core.readers.content import Content
from r3con_core.readers.encodings import decode, wide_encoding

TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSON_LINES = "application/jsonl"
MAIL = "message/rfc822"
MAILBOX = "application/mbox"
OUTLOOK = "application/vnd.ms-outlook"
OUTLOOK_MAILBOX = "application/vnd.ms-outlook-pst"
TNEF = "application/ms-tnef"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DOC = "application/msword"
RTF = "application/rtf"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
PPT = "application/vnd.ms-powerpoint"
_ODF = "application/vnd.oasis.opendocument"
ODT = f"{_ODF}.text"
ODP = f"{_ODF}.presentation"
ODG = f"{_ODF}.graphics"
ODS = f"{_ODF}.spreadsheet"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLS = "application/vnd.ms-excel"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
XML = "application/xml"
EPUB = "application/epub+zip"
OLE = "application/x-ole-storage"
LOCKED_OFFICE = "application/encrypted-office"
ZIP = "application/zip"
TAR = "application/x-tar"
GZIP = "application/gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
ZSTANDARD = "application/zstd"
SEVEN_ZIP = "application/x-7z-compressed"
PRODUCTION_DOCUMENT = "application/x-production-document"
UNKNOWN = "application/octet-stream"

_BY_SUFFIX = {
    ".txt": TEXT,
    ".text": TEXT,
    ".log": TEXT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".json": JSON,
    ".geojson": JSON,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".eml": MAIL,
    ".mbox": MAILBOX,
    ".emlx": MAIL,
    ".mht": MAIL,
    ".mhtml": MAIL,
    ".pdf": PDF,
    ".docx": DOCX,
    ".docm": DOCX,
    ".dotx": DOCX,
    ".doc": DOC,
    ".rtf": RTF,
    ".pptx": PPTX,
    ".ppsx": PPTX,
    ".pptm": PPTX,
    ".ppt": PPT,
    ".pps": PPT,
    ".odt": ODT,
    ".odp": ODP,
    ".odg": ODG,
    ".ods": ODS,
    ".xlsx": XLSX,
    ".xlsm": XLSX,
    ".xltx": XLSX,
    ".xlsb": XLSB,
    ".xls": XLS,
    ".xml": XML,
    ".xbrl": XML,
    ".kml": XML,
    ".gpx": XML,
    ".rdf": XML,
    ".xsd": XML,
    ".svg": XML,
    ".epub": EPUB,
    ".zip": ZIP,
}
_NAMES = {HTML: "HTML", PDF: "PDF", DOCX: "a Word document", ZIP: "a ZIP archive", MAIL: "a mail", TEXT: "plain text"}
_NAMES |= {DOC: "a Word document of the old kind", RTF: "RTF", PPTX: "a PowerPoint presentation", EPUB: "an e-book"}
_NAMES |= {PPT: "a PowerPoint presentation of the old kind", ODT: "an OpenDocument text"}
_OFFICE = frozenset((DOC, RTF, PPTX, PPT, ODT, ODP, ODG, EPUB))
_WORKBOOKS = frozenset((XLS, XLSX, XLSB, ODS))

PNG = "image/png"
JPEG = "image/jpeg"
GIF = "image/gif"
TIFF = "image/tiff"
WEBP = "image/webp"
HEIC = "image/heic"
AVIF = "image/avif"
BMP = "image/bmp"
JPEG_2000 = "image/jp2"
_SOUND_OR_FILM = "audio/video"

NOT_YET = {
    _ODF: "OpenDocument files of this kind cannot be read yet; save it as PDF",
    _SOUND_OR_FILM: "sound and film cannot be read",
    "application/vnd.rar": "RAR archives cannot be opened yet; pack it as ZIP",
    "application/x-executable": "a program, not a document",
    "application/vnd.sqlite3": "a database, and databases cannot be read yet",
}
"""Kinds that are known and have no reader, and what to tell about them."""

_MAGIC = (
    (0, b"{\\rtf", RTF),
    (0, b"\x1f\x8b", GZIP),
    (4, b"1AY&SY", BZIP2),
    (0, b"\xfd7zXZ\x00", XZ),
    (0, b"\x28\xb5\x2f\xfd", ZSTANDARD),
    (0, b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", TAR),
    (0, b"!BDN", OUTLOOK_MAILBOX),
    (0, b"\x78\x9f\x3e\x22", TNEF),
    (0, b"\x89PNG\r\n\x1a\n", PNG),
    (0, b"\xff\xd8\xff", JPEG),
    (0, b"GIF8", GIF),
    (0, b"II*\x00", TIFF),
    (0, b"MM\x00*", TIFF),
    (8, b"WEBP", WEBP),
    (0, b"\x00\x00\x00\x0cjP  ", JPEG_2000),
    (4, b"ftyphei", HEIC),
    (4, b"ftyphev", HEIC),
    (4, b"ftypmif1", HEIC),
    (4, b"ftypavif", AVIF),
    (4, b"ftyp", _SOUND_OR_FILM),
    (0, b"ID3", _SOUND_OR_FILM),
    (0, b"OggS", _SOUND_OR_FILM),
    (0, b"fLaC", _SOUND_OR_FILM),
    (8, b"WAVE", _SOUND_OR_FILM),
    (8, b"AVI ", _SOUND_OR_FILM),
    (0, b"\x1aE\xdf\xa3", _SOUND_OR_FILM),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ\x90\x00", "application/x-executable"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", LOCKED_OFFICE),
    ("__properties_version1.0", OUTLOOK),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("Workbook", XLS),
)
_OLE_LOOK = 128 * 2**20
"""Bytes of an OLE file looked through for the names of its streams, whose list may lie anywhere in it."""
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_ZIPPED = frozenset((DOCX, PPTX, ODT, ODP, ODG, ODS, XLSX, XLSB, EPUB))
_STATED = (ODT, ODP, ODG, ODS)
_LONGEST_KIND = 100
_ZIP_PARTS = (
    ("word/document.xml", DOCX),
    ("word/document2.xml", DOCX),
    ("xl/workbook.xml", XLSX),
    ("xl/workbook.bin", XLSB),
    ("ppt/presentation.xml", PPTX),
    ("META-INF/container.xml", EPUB),
    ("META-INF/manifest.xml", _ODF),
)

_HTML_START = re.compile(
    r"(?is)\s*(?:<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*)*+<(?:!doctype\s+html|html|head|body|title|meta|table|div|p|h1)\b"
)
_MAIL_START = re.compile(r"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_MAILBOX_START = re.compile(
    r"From [^\n]*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d[^\n]*\n[A-Za-z][A-Za-z0-9-]*:"
)
_MAIL_ONLY = re.compile(r"(?im)^(?:message-id|mime-version|received|return-path|delivered-to):")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd\ue000-\uf8ff]")
"""More than two in a hundred of these are no text; the escape sign is left to ISO-2022-JP."""
_SAMPLE = 8192


_CLUTTER = frozenset(("thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx"))


_REORDERING = re.compile(r"\\u(?:202[a-e]|206[6-9])")
"""Bidirectional overrides as `ledger.shown_name` writes them."""


_NUMBERED = re.compile(r" \(\d+\)$")
"""What tells members of the same name apart, after it."""


def is_clutter(name: str) -> bool:
    """Whether a path leads to or through a hidden file or one that systems and office programs leave behind."""
    return any(
        part not in ("", ".", "..") and (part.startswith((".", "~$")) or part.lower() in _CLUTTER)
        for part in name.split("/")
    )


def suffix_of(name: str) -> str:
    """The last suffix of a name in small letters, with its dot; empty when it has none."""
    return PurePosixPath(_NUMBERED.sub("", name)).suffix.lower()


def detect(content: Content, name: str) -> str:
    """The media type of a file: one with a reader, one of NOT_YET, or UNKNOWN."""
    data = content.head()
    return _by_magic(data, content, name) or _as_text(data, name)


def _by_magic(data: bytes, content: Content, name: str) -> str | None:
    if data.startswith(_ZIP_MAGIC):
        return _in_zip(content, name)
    if data.startswith(_OLE_MAGIC):
        return _in_ole(content)
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        return BMP
    known = next((kind for place, magic, kind in _MAGIC if data.startswith(magic, place)), None)
    if known is None and is_old_tar(data):
        return TAR
    # After the containers, whose first member may be a PDF: what stands before the mark of one may be anything.
    return PDF if known is None and b"%PDF-" in data[:1024] else known


def is_old_tar(data: bytes) -> bool:
    """Whether the first bytes are the header of a tar archive without a mark: its checksum is right."""
    stated = data[148:156].strip(b" \x00")
    if len(data) < 512 or data[0] == 0 or not stated or stated.strip(b"01234567"):
        return False
    return int(stated, 8) == sum(data[:148]) + 8 * ord(" ") + sum(data[156:512])


def _in_ole(content: Content) -> str:
    from r3con_core.readers.olefiles import root_names

    names = root_names(content)
    if names:
        return next((kind for stream, kind in _OLE_STREAMS if stream in names), OLE)
    data = content.head(_OLE_LOOK)  # damaged: its reader will say so
    return next((kind for stream, kind in _OLE_STREAMS if stream.encode("utf-16-le") in data), OLE)


def _in_zip(content: Content, name: str) -> str:
    try:
        with content.open() as stream, zipfile.ZipFile(stream) as archive:
            names = {member.replace("\\", "/") for member in archive.namelist()}
            stated = _stated_kind(archive) if "mimetype" in names else None
    except (
        zipfile.BadZipFile,
        struct.error,
        ValueError,
        OverflowError,
        NotImplementedError,
    ):  # damaged: its reader will say so
        by_name = _BY_SUFFIX.get(suffix_of(name), ZIP)
        return by_name if by_name in _ZIPPED else ZIP
    return stated or next((kind for telling, kind in _ZIP_PARTS if telling in names), ZIP)


def _stated_kind(archive: zipfile.ZipFile) -> str | None:
    """The kind that OpenDocument files state in a member of their own; of templates, what they are templates of."""
    with archive.open("mimetype") as member:
        stated = member.read(_LONGEST_KIND).decode("latin-1").strip()
    return next((kind for kind in _STATED if stated == kind or stated.startswith(f"{kind}-")), None)


def _as_text(data: bytes, name: str) -> str:
    sample = data[:_SAMPLE]
    by_name = _BY_SUFFIX.get(suffix_of(name))
    # A guess of the encoding is not needed here: what tells the kinds apart is ASCII in all but the wide encodings.
    start = decode(sample).text if _is_wide(sample) else sample.removeprefix(BOM_UTF8).decode("latin-1")
    start = start.removeprefix("\ufeff").replace("\r\n", "\n")
    if len(_CONTROLS.findall(start)) * 50 > len(start):
        return UNKNOWN
    if by_name != MARKDOWN and _HTML_START.match(start):  # Markdown may begin with a tag of its own
        return HTML
    if _MAILBOX_START.match(start) or (start.startswith("From ") and _looks_like_mail(start)):
        return MAILBOX
    if by_name != MARKDOWN and start.lstrip().startswith("<?xml"):
        return XML
    if by_name in _WORKBOOKS:  # programs export tables of text under these names too
        return TSV
    if by_name in (None, TEXT, PDF, DOCX, ZIP) or by_name in _OFFICE:
        return MAIL if _looks_like_mail(start) else TEXT
    return by_name


def _looks_like_mail(start: str) -> bool:
    headers = _MAIL_START.match(start)
    return headers is not None and _MAIL_ONLY.search(headers[0]) is not None


def _is_wide(sample: bytes) -> bool:
    return wide_encoding(sample) is not None or sample.startswith((BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_BE))


def why_not(media_type: str, name: str) -> str:
    """What to tell about a kind of file that has no reader."""
    if media_type in NOT_YET:
        return NOT_YET[media_type]
    suffix = suffix_of(name)
    if suffix in _BY_SUFFIX:
        return f"damaged, or not what its name says: its bytes are not those of a {suffix} file"
    return f"this kind of file{f' ({suffix})' if suffix else ''} cannot be read yet"


def name_warnings(media_type: str, name: str) -> tuple[str, ...]:
    """What to tell when a name deceives: about the kind of file, or by letters that do not show."""
    suffix = suffix_of(name)
    promised = _BY_SUFFIX.get(suffix)
    warnings = []
    if promised not in (None, media_type) and {PDF, DOCX, ZIP, HTML} & {promised, media_type}:
        kind = _NAMES.get(media_type, media_type)
        warnings.append(f"The name ends in {suffix}, but this is {kind}, and was read as that.")
    if _REORDERING.search(name):
        warnings.append("The file's name holds hidden signs that turn letters around; they are shown as \\u codes.")
    return tuple(warnings)

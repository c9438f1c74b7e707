"""What kind of file some bytes are: by the bytes first, by the name where the bytes leave it open."""

import io
import re
import struct
import zipfile
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from pathlib import PurePosixPath

from r3con_core.readers.encodings import decode, utf16_by_its_zeros

TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSON_LINES = "application/jsonl"
MAIL = "message/rfc822"
MAILBOX = "application/mbox"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ZIP = "application/zip"
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
    ".pdf": PDF,
    ".docx": DOCX,
    ".docm": DOCX,
    ".zip": ZIP,
}
_NAMES = {HTML: "HTML", PDF: "PDF", DOCX: "a Word document", ZIP: "a ZIP archive", MAIL: "a mail", TEXT: "plain text"}

_OLD_WORD = "application/msword"
_OLD_EXCEL = "application/vnd.ms-excel"
_OLD_POWERPOINT = "application/vnd.ms-powerpoint"
_OUTLOOK = "application/vnd.ms-outlook"
_OLE = "application/x-ole-storage"
_LOCKED_OFFICE = "application/encrypted-office"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_ODF = "application/vnd.oasis.opendocument"
_EPUB = "application/epub+zip"
_RTF = "application/rtf"
_IMAGE = "image"
_SOUND_OR_FILM = "audio/video"

NOT_YET = {
    _OLD_WORD: "Word files of the old kind (.doc) cannot be read yet; save it as .docx or PDF",
    _OLD_EXCEL: "Excel files of the old kind (.xls) cannot be read yet; save it as CSV",
    _OLD_POWERPOINT: "PowerPoint files of the old kind (.ppt) cannot be read yet; save it as PDF",
    _OUTLOOK: "Outlook messages (.msg) cannot be read yet; save it as .eml",
    _OLE: "this kind of old Office file cannot be read yet",
    _LOCKED_OFFICE: "Password needed",
    _XLSX: "Excel workbooks (.xlsx) cannot be read yet; save its sheets as CSV",
    _PPTX: "PowerPoint files (.pptx) cannot be read yet; save it as PDF",
    _ODF: "OpenDocument files (.odt, .ods, .odp) cannot be read yet; save it as .docx or PDF",
    _EPUB: "e-books (.epub) cannot be read yet",
    _RTF: "RTF files cannot be read yet; save it as .docx or PDF",
    _IMAGE: "a picture, and text in pictures cannot be read yet",
    _SOUND_OR_FILM: "sound and film cannot be read",
    "application/vnd.ms-outlook-pst": "Outlook mailboxes (.pst, .ost) cannot be read yet; export its mails as .eml",
    "application/ms-tnef": "Outlook attachments of the kind winmail.dat cannot be read yet",
    "application/gzip": "gzip archives (.gz, .tgz) cannot be opened yet; pack it as ZIP",
    "application/x-bzip2": "bzip2 archives (.bz2) cannot be opened yet; pack it as ZIP",
    "application/x-xz": "xz archives (.xz) cannot be opened yet; pack it as ZIP",
    "application/x-7z-compressed": "7z archives cannot be opened yet; pack it as ZIP",
    "application/vnd.rar": "RAR archives cannot be opened yet; pack it as ZIP",
    "application/x-tar": "tar archives cannot be opened yet; pack it as ZIP",
    "application/x-executable": "a program, not a document",
    "application/vnd.sqlite3": "a database, and databases cannot be read yet",
}
"""Kinds that are known and have no reader, and what to tell about them."""

_MAGIC = (
    (0, b"{\\rtf", _RTF),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"!BDN", "application/vnd.ms-outlook-pst"),
    (0, b"\x78\x9f\x3e\x22", "application/ms-tnef"),
    (0, b"\x89PNG\r\n\x1a\n", _IMAGE),
    (0, b"\xff\xd8\xff", _IMAGE),
    (0, b"GIF8", _IMAGE),
    (0, b"II*\x00", _IMAGE),
    (0, b"MM\x00*", _IMAGE),
    (8, b"WEBP", _IMAGE),
    (4, b"ftypheic", _IMAGE),
    (4, b"ftypmif1", _IMAGE),
    (4, b"ftypavif", _IMAGE),
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
    ("EncryptedPackage", _LOCKED_OFFICE),
    ("__properties_version1.0", _OUTLOOK),
    ("WordDocument", _OLD_WORD),
    ("PowerPoint Document", _OLD_POWERPOINT),
    ("Workbook", _OLD_EXCEL),
)
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_ZIP_PARTS = (
    ("word/document.xml", DOCX),
    ("xl/workbook.xml", _XLSX),
    ("xl/workbook.bin", _XLSX),
    ("ppt/presentation.xml", _PPTX),
    ("META-INF/container.xml", _EPUB),
    ("META-INF/manifest.xml", _ODF),
)

_HTML_START = re.compile(
    r"(?is)\s*(?:<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*)*+<(?:!doctype\s+html|html|head|body|title|meta|table|div|p|h1)\b"
)
_MAIL_START = re.compile(r"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_MAIL_ONLY = re.compile(r"(?im)^(?:message-id|mime-version|received|return-path|delivered-to):")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd\ue000-\uf8ff]")
"""More than two in a hundred of these are no text; the escape sign is left to ISO-2022-JP."""
_SAMPLE = 8192


_CLUTTER = frozenset(("thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx"))


_REORDERING = re.compile(r"\\u(?:202[a-e]|206[6-9])")
"""Bidirectional overrides as `ledger.shown_name` writes them."""


def is_clutter(name: str) -> bool:
    """Whether a path leads to or through a hidden file or one that systems and office programs leave behind."""
    return any(
        part not in ("", ".", "..") and (part.startswith((".", "~$")) or part.lower() in _CLUTTER)
        for part in name.split("/")
    )


def suffix_of(name: str) -> str:
    """The last suffix of a name in small letters, with its dot; empty when it has none."""
    return PurePosixPath(name).suffix.lower()


def detect(data: bytes, name: str) -> str:
    """The media type of a file: one with a reader, one of NOT_YET, or UNKNOWN."""
    return _by_magic(data, name) or _as_text(data, name)


def _by_magic(data: bytes, name: str) -> str | None:
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(_ZIP_MAGIC):
        return _in_zip(data, name)
    if data.startswith(_OLE_MAGIC):
        return next((kind for stream, kind in _OLE_STREAMS if stream.encode("utf-16-le") in data), _OLE)
    return next((kind for place, magic, kind in _MAGIC if data.startswith(magic, place)), None)


def _in_zip(data: bytes, name: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (
        zipfile.BadZipFile,
        struct.error,
        ValueError,
        OverflowError,
        NotImplementedError,
    ):  # damaged: its reader will say so
        return DOCX if _BY_SUFFIX.get(suffix_of(name)) == DOCX else ZIP
    return next((kind for telling, kind in _ZIP_PARTS if telling in names), ZIP)


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
    if start.startswith("From ") and _looks_like_mail(start):
        return MAILBOX
    if by_name in (None, TEXT, PDF, DOCX, ZIP):
        return MAIL if _looks_like_mail(start) else TEXT
    return by_name


def _looks_like_mail(start: str) -> bool:
    headers = _MAIL_START.match(start)
    return headers is not None and _MAIL_ONLY.search(headers[0]) is not None


def _is_wide(sample: bytes) -> bool:
    return utf16_by_its_zeros(sample) is not None or sample.startswith((BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_BE))


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

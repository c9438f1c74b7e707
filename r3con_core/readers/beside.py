"""What a file says beside the text that becomes its document: properties, mail headers, comments in a page's source.

No model is shown any of it. It is looked through for passages to AI systems, since whoever plants one in a place that
nobody reads may have planted others.
"""

import html
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator

from r3con_core.documents import Finding, FindingKind
from r3con_core.readers import kinds
from r3con_core.readers.addressed import speaks_to_ai
from r3con_core.readers.ledger import File
from r3con_core.readers.mail_headers import split_headers, words
from r3con_core.readers.mail_letter import SHOWN_HEADERS

_MOST_BYTES = 262_144
"""Of one part, and of the head of a mail: properties are small."""
_PACKAGES = frozenset((kinds.DOCX, kinds.XLSX, kinds.PPTX, kinds.ODT, kinds.ODS, kinds.ODP, kinds.EPUB))
_PROPERTY_PARTS = re.compile(r"docProps/\w+\.xml|meta\.xml|.*\.opf")
_ELEMENT = re.compile(r"<([\w:.-]+)[^<>]*>([^<>]+)<")
_COMMENT = re.compile(r"<!--(.{1,5000}?)-->", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"\b(content|alt|title|aria-label)\s*=\s*(?:\"([^\"]{8,5000})\"|'([^']{8,5000})')", re.IGNORECASE
)
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    RuntimeError,
    NotImplementedError,
    EOFError,
    KeyError,
    ValueError,
)
"""What damaged and locked archives raise; what there is to read of them is read by their reader."""

Statement = tuple[str, str]
"""Where it is, as people say it, and its words."""


def addressed_beside(said: Iterable[Statement], but_for: str = "") -> tuple[Finding, ...]:
    """Those that speak to AI systems, set aside; `but_for` is the text that they may stand in too."""
    stated = tuple(dict.fromkeys(said))
    if not speaks_to_ai("\n\n".join(text for _, text in stated)):  # nearly always, and one look is quicker than forty
        return ()
    return tuple(
        Finding(kind=FindingKind.ADDRESSED, text=" ".join(text.split()), place=place, detail="not shown to readers")
        for place, text in stated
        if text not in but_for and speaks_to_ai(text)
    )


def stated_beside(file: File, media_type: str) -> Iterator[Statement]:
    """What the file states outside its text, in its order; nothing of damaged files."""
    if media_type in _PACKAGES:
        yield from _properties(file)
    elif media_type == kinds.MAIL:
        yield from _headers(file.content.head(_MOST_BYTES))
    elif media_type == kinds.HTML:
        yield from _source(file.content.head(4 * _MOST_BYTES).decode("utf-8", "replace"))


def _properties(file: File) -> Iterator[Statement]:
    try:
        with file.content.open() as stream, zipfile.ZipFile(stream) as archive:
            parts = [one for one in archive.infolist() if _PROPERTY_PARTS.fullmatch(one.filename)][:8]
            texts = [archive.read(one) for one in parts if one.file_size <= _MOST_BYTES]
    except _UNREADABLE:
        return
    for text in texts:
        for name, said in _ELEMENT.findall(text.decode("utf-8", "replace")):
            yield f"the file's properties: {name.rpartition(':')[2]}", html.unescape(said)


def _headers(data: bytes) -> Iterator[Statement]:
    headers, _ = split_headers(data, 0, len(data))
    shown = {name.casefold() for name in SHOWN_HEADERS}
    for name, value in headers.fields:
        if name not in shown:
            yield f"the mail's header {name}", words(value)


def _source(markup: str) -> Iterator[Statement]:
    for found in _COMMENT.finditer(markup):
        yield "a comment in the page's source", html.unescape(found[1])
    for found in _ATTRIBUTE.finditer(markup):
        yield f"the page's source: {found[1].lower()}", html.unescape(found[2] or found[3])

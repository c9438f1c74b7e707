"""What a file says beside the text that becomes its document: properties, mail headers, comments in a page's source.

No model is shown any of it. It is looked through for passages to AI systems, since whoever plants one in a place that
nobody reads may have planted others.
"""

import html
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from r3con_core.documents import Finding, FindingKind
from r3con_core.readers import kinds
from r3con_core.readers.addressed import speaks_to_ai
from r3con_core.readers.ledger import File
from r3con_core.readers.mail_headers import split_headers, words
from r3con_core.readers.mail_letter import SHOWN_HEADERS
from r3con_core.readers.pdf_file import packed

_MOST_BYTES = 262_144
"""Of the head of a mail, of a picture: what is stated beside stands in front."""
_MOST_OF_PART, _MOST_OF_PACKAGE = 4_000_000, 16_000_000
_LONGEST = 100_000
_PACKAGES = frozenset((kinds.DOCX, kinds.XLSX, kinds.PPTX, kinds.ODT, kinds.ODS, kinds.ODP, kinds.EPUB))
_PARTS = re.compile(r".*\.(?:xml|rels|opf|ncx|x?html?)")
_UNREAD_PARTS = re.compile(
    r"docProps/\w+\.xml|meta\.xml|.*\.opf|customXml/[^/]+\.xml|ppt/slide(?:Master|Layout)s/[^/]+\.xml"
)
"""Whose words stand in no document."""
_ELEMENT = re.compile(r"<([\w:.-]{1,60})(?![\w:.-])[^<>]*>([^<>]+)<")
_DESCRIBED = re.compile(r"<svg:(?:title|desc)[^<>]*>([^<>]+)<")
_DECLARATION = re.compile(r"<[!?](?!-|xml|doctype)([^<>]{16,5000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\s([\w:-]{1,60})\s{0,3}=\s{0,3}(?:\"([^\"<]{8,5000})\"|'([^'<]{8,5000})'|([^\s\"'<>]{16,5000}))"
)
_BLOCKS = (("<style", "</style"), ("application/ld+json", "</script"))
_DESTINATION = re.compile(
    r"\{(?:\\\*)?\\(title|subject|author|manager|company|operator|category|keywords|comment|doccomm|(?<=\*\\)[a-z]+)"
    r" ([^{}\\]{16,5000})"
)
_PART_HEADER = re.compile(
    r"^(content-[\w-]{1,60}|x-[\w-]{1,60}):[ \t]{0,3}(.{1,2000}(?:\r?\n[ \t].+)*)", re.MULTILINE | re.IGNORECASE
)
_BOUNDARY = re.compile(r"boundary=\"?([^\";\r\n]+)", re.IGNORECASE)
_STRING = re.compile(
    rb"\(((?:\xfe\xff[^()\\]|[\t\n\r -'*-\[\]-~\x80-\xff]|\\[()\\]|(?<=[\x00-~])\x00|\x00(?=[ -~])){16,5000})"
)
_WRITTEN = re.compile(rb"(?:\xff\xfe..)?((?:[ -~]|[\xc3-\xf4][\x80-\xbf]{1,3}){16,5000})", re.DOTALL)
"""Words among the points of a picture."""
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
    stated = tuple(dict.fromkeys((place, text) for place, text in said if len(_words_of(text).split()) > 2))
    if not speaks_to_ai("\n\n".join(_words_of(text) for _, text in stated)):
        return ()  # nearly always, and one look is quicker than forty
    return tuple(
        Finding(kind=FindingKind.ADDRESSED, text=" ".join(text.split()), place=place, detail="not shown to readers")
        for place, text in stated
        if text.strip() not in but_for and speaks_to_ai(_words_of(text))
    )


def _words_of(text: str) -> str:
    """Names have no blanks."""
    return text if " " in text.strip() else text.replace("_", " ").replace("-", " ").replace("%20", " ")


def stated_beside(file: File, media_type: str) -> Iterator[Statement]:
    """What the file states outside its text, in its order; nothing of damaged files."""
    if media_type in _PACKAGES:
        yield from _parts(file)
    elif media_type in _LOOKED_AT:
        most, look = _LOOKED_AT[media_type]
        yield from look(file.content.head(most))
    elif media_type.startswith("image/"):
        for found in _WRITTEN.finditer(file.content.head(_MOST_BYTES)):
            yield "a remark in the picture's file", found[1].decode("utf-8", "replace")


def _objects(data: bytes) -> Iterator[Statement]:
    """The strings of a PDF outside packed pages: bookmarks, names, tips, programs, descriptions; and its XMP."""
    for part in (data, *packed(data)):
        for found in _STRING.finditer(part):
            yield "a string in the file", _pdf_text(found[1])
    for packet in _between(data.decode("latin-1"), "<x:xmpmeta", "</x:xmpmeta"):
        for name, said in _ELEMENT.findall(packet.encode("latin-1").decode("utf-8", "replace")):
            yield f"the file's properties: {name.rpartition(':')[2]}", html.unescape(said)


def _pdf_text(string: bytes) -> str:
    said = re.sub(rb"\\([()\\])", rb"\1", string)
    return said.decode("utf-16", "replace") if said[:2] in (b"\xfe\xff", b"\xff\xfe") else said.decode("latin-1")


def _parts(file: File) -> Iterator[Statement]:
    """Properties, and of every part its attributes: alternative texts, names, tips, remarks."""
    try:
        with file.content.open() as stream, zipfile.ZipFile(stream) as archive:
            left = _MOST_OF_PACKAGE
            for one in archive.infolist():
                if not _PARTS.fullmatch(one.filename) or one.file_size > min(left, _MOST_OF_PART):
                    continue
                left -= one.file_size
                yield from _part(one.filename, archive.read(one).decode("utf-8", "replace"))
    except _UNREADABLE:
        return


def _part(name: str, text: str) -> Iterator[Statement]:
    if _UNREAD_PARTS.fullmatch(name):
        for element, said in _ELEMENT.findall(text):
            yield f"the file's properties: {element.rpartition(':')[2]}", html.unescape(said)
    for said in _DESCRIBED.findall(text):
        yield f"the file's part {name}: a picture's description", html.unescape(said)
    yield from _attributes(text, f"the file's part {name}")


def _attributes(text: str, place: str) -> Iterator[Statement]:
    for found in _ATTRIBUTE.finditer(text):
        yield f"{place}: {found[1].lower()}", html.unescape(found[2] or found[3] or found[4])


def _mail(data: bytes) -> Iterator[Statement]:
    headers, _ = split_headers(data, 0, len(data))
    shown = {name.casefold() for name in SHOWN_HEADERS}
    for name, value in headers.fields:
        if name not in shown:
            yield f"the mail's header {name}", words(value)
    text = data.replace(b"=\r\n", b"").replace(b"=\n", b"").replace(b"=3D", b"=").decode("utf-8", "replace")
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    for name, value in _PART_HEADER.findall(body):
        yield f"the mail's header {name.lower()}", value
    if boundary := _BOUNDARY.search(head):
        yield "the mail's boundary", boundary[1]
        yield "before the mail's parts", body.partition(f"--{boundary[1]}")[0]
        yield "after the mail's parts", body.partition(f"--{boundary[1]}--")[2]
    if "<" in body:
        yield from _source(body)


def _destinations(data: bytes) -> Iterator[Statement]:
    for name, said in _DESTINATION.findall(data.decode("latin-1")):
        yield f"the file's properties: {name}", said


def _page(data: bytes) -> Iterator[Statement]:
    yield from _source(data.decode("utf-8", "replace"))


def _source(markup: str) -> Iterator[Statement]:
    for said in (*_between(markup, "<!--", "-->"), *_DECLARATION.findall(markup)):
        yield "a comment in the page's source", html.unescape(said)
    yield from _attributes(markup, "the page's source")
    for start, end in _BLOCKS:
        for said in _between(markup, start, end):
            yield f"the page's source: {start.strip('<')}", said


def _between(text: str, start: str, end: str) -> Iterator[str]:
    """What stands between the two, in one pass, however often a hostile file begins and does not end."""
    at = text.find(start)
    while at >= 0 and (stop := text.find(end, at)) >= 0:
        yield text[at + len(start) : stop][:_LONGEST]
        at = text.find(start, stop)


_LOOKED_AT: Mapping[str, tuple[int, Callable[[bytes], Iterator[Statement]]]] = {
    kinds.MAIL: (_MOST_BYTES, _mail),
    kinds.HTML: (4 * _MOST_BYTES, _page),
    kinds.XML: (4 * _MOST_BYTES, _page),
    kinds.RTF: (4 * _MOST_BYTES, _destinations),
    kinds.PDF: (_MOST_OF_PACKAGE, _objects),
}
"""How much of a file of which kind is looked through, and how."""

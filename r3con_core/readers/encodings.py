"""Bytes become a string when nobody reliably says in which encoding they are.

An encoding is found by looking through all bytes once, and the bytes can then be decoded piece by piece.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from r3con_core.readers.content import HEAD, Content

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_OF_FILES = frozenset(("punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"))
"""Python's codecs that no file is in; a mail could name punycode, which takes quadratic time, to keep us busy."""
_STEP = 2**18
_SAMPLE = 100_000
"""Bytes of lines beyond ASCII that are looked at to guess an encoding."""
_LOOKED_AT = 8192
"""Bytes looked at to see whether characters are two or four bytes wide."""
_ROWS_OF_LETTERS = bytes((0x00, 0x03, 0x04, 0x05, 0x06, 0x0E))
"""First bytes in UTF-16 of Latin, Greek, Cyrillic, Hebrew, Arabic and Thai."""
_SMALL_LETTERS = b"abcdefghijklmnopqrstuvwxyz "
_ROWS_OF_MARKS = bytes((0x1E, 0x1F, 0x20, 0x21, 0x30, 0xFF))
_ROWS_OF_ASIA = bytes((*range(0x4E, 0xA0), *range(0xAC, 0xD8)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """What some bytes are in, and how that was found."""

    name: str
    """As Python names it."""
    guessed: bool = False
    """Whether nothing but the look of the bytes spoke for it."""
    declared: str = ""
    """What the bytes were said to be, where that was wrong."""
    lossy: bool = False
    """Whether some bytes are not valid in it; they become U+FFFD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A string and the encoding its bytes were in."""

    text: str
    encoding: str
    guessed: bool
    """Whether nothing but the look of the bytes spoke for the encoding."""
    declared: str = ""
    """What the bytes were said to be, where that was wrong."""
    lost: int = 0
    """How many signs could not be decoded and stand as U+FFFD."""


def decode(encoded: bytes, *, declared: str | None = None) -> Decoded:
    """The string in `encoded`, in the encoding that `find_encoding` finds; undecodable bytes become U+FFFD."""
    found = find_encoding(Content.held(encoded), declared=declared)
    text = encoded.decode(found.name, "replace")
    lost = text.count("\ufffd") if found.lossy else 0
    return Decoded(text=text, encoding=found.name, guessed=found.guessed, declared=found.declared, lost=lost)


def find_encoding(content: Content, *, declared: str | None = None) -> Encoding:
    """By byte order mark, as UTF-8 or UTF-16, as `declared`, else by the look of it.

    UTF-8 comes before what is declared because text that is valid UTF-8 is hardly ever anything else, whereas declared
    encodings are often wrong. All bytes are gone through, about a second a gigabyte for UTF-8, because a long file may
    have its first letter beyond ASCII anywhere.
    """
    head = content.head()
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name=name, lossy=not _is_valid(content, name))
    for name in _likely(head, declared):
        if _is_valid(content, name):
            return Encoding(name=name)
    from r3con_core.readers.encoding_guess import guess_encoding, is_broken_utf8

    sample = _telling_sample(content)
    if is_broken_utf8(sample):
        return Encoding(name="utf-8", lossy=True)
    name = guess_encoding(sample)
    lossy = not _is_valid(content, name)
    return Encoding(name=name, guessed=True, declared=declared or "", lossy=lossy)


def text_blocks(content: Content, encoding: Encoding) -> Iterator[str]:
    """The decoded text in blocks of about 256,000 characters, each line end one line feed, without a byte order mark.

    A character or a line end is never cut between two blocks.
    """
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    held = ""
    first = True
    with content.open() as stream:
        while piece := stream.read(_STEP):
            text = held + decoder.decode(piece)
            held = "\r" if text.endswith("\r") else ""
            text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
            if text:
                yield text.removeprefix("\ufeff") if first else text
                first = False
    rest = (held + decoder.decode(b"", final=True)).replace("\r\n", "\n").replace("\r", "\n")
    if rest:
        yield rest


def wide_encoding(head: bytes) -> str | None:
    """The UTF-16 or UTF-32 without a mark that a text beginning with `head` is in; None when its signs are narrow.

    Seen by where the zeros of ASCII are, by the few first bytes that an alphabet has, or by signs that are all Chinese,
    Japanese or Korean.
    """
    head = head[:_LOOKED_AT]
    whole = len(head) - len(head) % 4 if len(head) >= 8 else 0
    if whole and not any(head[3:whole:4]) and max(head[2:whole:4]) <= 0x10 and any(head[0:whole:4]):
        return "utf-32-le"
    if whole and not any(head[0:whole:4]) and max(head[1:whole:4]) <= 0x10 and any(head[3:whole:4]):
        return "utf-32-be"
    return utf16_by_its_zeros(head) or _utf16_by_its_rows(head)


def utf16_by_its_zeros(encoded: bytes) -> str | None:
    """The byte order of UTF-16 without a mark, seen by where the zeros of its ASCII characters are; else None."""
    head = encoded[:_LOOKED_AT]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    enough = len(head) // 8
    if odd > max(enough, 3 * even):
        return "utf-16-le"
    if even > max(enough, 3 * odd):
        return "utf-16-be"
    return None


def _utf16_by_its_rows(head: bytes) -> str | None:
    even, odd = head[0::2], head[1 : len(head) - len(head) % 2 : 2]
    for name, rows, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if _are_of_an_alphabet(rows) and not _are_of_an_alphabet(others) and _decodes(head, name):
            return name
    if len(head) < 8 or _decodes(head, "utf-8") or _count(head, _SMALL_LETTERS) > 0.4 * len(head):
        return None
    for name, rows, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if _are_asian(rows) and not _are_asian(others) and _decodes(head, name):
            return name
    return None


def _are_of_an_alphabet(rows: bytes) -> bool:
    """Whether these are nearly all first bytes of UTF-16 as Greek, Cyrillic, Hebrew, Arabic or Thai texts have them."""
    letters, marks = _count(rows, _ROWS_OF_LETTERS), _count(rows, _ROWS_OF_MARKS)
    return len(rows) > 3 and letters + marks >= 0.97 * len(rows) and letters >= 0.6 * len(rows)


def _are_asian(rows: bytes) -> bool:
    """The same of ideographs and hangul; nearly every text has punctuation or kana or blanks among them."""
    others = _count(rows, _ROWS_OF_LETTERS + _ROWS_OF_MARKS)
    asian = _count(rows, _ROWS_OF_ASIA)
    return others + asian >= 0.99 * len(rows) and others >= 0.02 * len(rows)


def _count(rows: bytes, wanted: bytes) -> int:
    """How many of the bytes are among those wanted."""
    return len(rows) - len(rows.translate(None, wanted))


def _decodes(head: bytes, name: str) -> bool:
    try:
        codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeError:
        return False
    return True


def _likely(head: bytes, declared: str | None) -> Iterator[str]:
    wide = wide_encoding(head)
    if wide:
        yield wide
    if b"\x1b$" in head:
        yield from ("iso2022_jp", "iso2022_jp_ext", "iso2022_kr")
    yield "utf-8"
    if declared:
        yield declared


def _is_valid(content: Content, name: str) -> bool:
    """Whether all bytes are valid in an encoding; False for what is none."""
    try:
        b"".decode(name)  # refuses Python's codecs that are no encodings of text, such as zlib
        if codecs.lookup(name).name.replace("-", "_") in _NOT_OF_FILES:
            return False
        decoder = codecs.getincrementaldecoder(name)()
        with content.open() as stream:
            while piece := stream.read(_STEP):
                decoder.decode(piece)
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError, ValueError):  # a mail may declare any word as its charset
        return False
    return True


def _telling_sample(content: Content) -> bytes:
    """Lines that hold bytes beyond ASCII, or the first bytes when lines do not show."""
    lines: list[bytes] = []
    size = 0
    with content.open() as stream:
        while size < _SAMPLE and (piece := stream.read(HEAD)):
            if piece.isascii():
                continue
            piece += stream.readline(HEAD)
            found = [line for line in piece.split(b"\n") if not line.isascii()]
            lines += found
            size += sum(map(len, found))
    return b"\n".join(lines)[:_SAMPLE]

"""The headers of a mail, whatever state they are in: their fields, words, parameters and dates.

Everything here takes time in proportion to the length of what it is given, because anybody may write a header.
"""

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime

from r3con_core.readers.encodings import Decoded, decode
from r3con_core.readers.text import one_line

MAX_FIELD = 2**20
"""Characters of one header that are read."""
_MAX_PARAMETERS = 8192
"""Characters of a header with parameters that are read; taking them apart takes quadratic time."""
_FIELD = re.compile(rb"([!-9;-~]{1,100})[ \t]*:(.*)", re.DOTALL)
_ENCODED_WORD = re.compile(r"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,40})?\?([bBqQ])\?([^?]*)\?=")
_SAME_AS = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
    "unicode-1-1-utf-7": "utf-7",
    "hz-gb-2312": "hz",
}
"""Encodings under the names mails give them, each as the wider one that mail programs mean by it."""
_IN_ASCII = frozenset(("utf-7", "hz", "iso-2022-kr"))
"""Encodings that write other letters in ASCII characters, and so look like ASCII text."""


def letters(encoded: bytes, charset: str | None) -> Decoded:
    """The text in `encoded`, which a mail says is in `charset`."""
    meant = meant_by(charset or "")
    if meant in _IN_ASCII:
        try:
            return Decoded(text=encoded.decode(meant), encoding=meant, guessed=False)
        except UnicodeDecodeError:  # not what it says: left to the look of the bytes
            pass
    if encoded.isascii() and b"\x1b" not in encoded and b"\x00" not in encoded:
        return Decoded(text=encoded.decode("ascii"), encoding="ascii", guessed=False)  # most of all mail
    return decode(encoded, declared=meant or None)


def meant_by(charset: str) -> str:
    """The encoding that is meant where one is named; a text said to be in ISO 8859-1 is in windows-1252."""
    named = charset.strip().strip("\"'").casefold()
    return _SAME_AS.get(named) or re.sub(r"^(?:windows-|x-windows-|cp-|x-cp)(\d+)$", r"cp\1", named)


def words(raw: str) -> str:
    """A header's value with RFC 2047's encoded words decoded, on one line."""
    pieces = list(_pieces(raw[:MAX_FIELD]))
    joined: list[tuple[bytes, str | None]] = []
    for piece, charset in pieces:
        if joined and charset is not None and joined[-1][1] == charset:
            joined[-1] = (joined[-1][0] + piece, charset)  # a letter may be cut in two between two words
        else:
            joined.append((piece, charset))
    return one_line("".join(letters(piece, charset).text for piece, charset in joined))


def _pieces(raw: str) -> Iterator[tuple[bytes, str | None]]:
    at = 0
    after_word = False
    for match in _ENCODED_WORD.finditer(raw):
        between = raw[at : match.start()]
        decoded = _word_bytes(match[2], match[3])
        if between and not (after_word and between.isspace() and decoded is not None):
            yield _bytes(between), None
        after_word = decoded is not None
        yield (_bytes(match[0]), None) if decoded is None else (decoded, match[1].casefold())
        at = match.end()
    if at < len(raw):
        yield _bytes(raw[at:]), None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _word_bytes(how: str, text: str) -> bytes | None:
    """What an encoded word stands for; None when it is not encoded as it says."""
    encoded = _bytes(text)
    if how in "qQ":
        return binascii.a2b_qp(encoded, header=True)
    try:
        return binascii.a2b_base64(encoded + b"=" * (-len(encoded) % 4))
    except binascii.Error:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The headers of a mail or of a part of one, in their order."""

    fields: tuple[tuple[str, str], ...] = ()
    """Names in small letters and values as they stand; bytes beyond ASCII that are not UTF-8 are lone surrogates."""

    def first(self, name: str) -> str:
        """The value of the first header of this name, as it stands; empty when there is none."""
        return next((value for key, value in self.fields if key == name), "")

    def readable(self, name: str) -> str:
        """All headers of this name in readable letters, joined by commas; empty when there is none."""
        return ", ".join(filter(None, (words(value) for key, value in self.fields if key == name)))

    def parameter(self, header: str, name: str) -> str:
        """A parameter such as the boundary of Content-Type, RFC 2231's kinds included; empty when it is missing."""
        value = self.first(header)[:_MAX_PARAMETERS]
        if not value:
            return ""
        raw = letters(_bytes(value), None).text
        parsed: Message[str, str] = Message()
        parsed[header] = " ".join(raw.split())
        try:
            if name == "filename":
                return words(parsed.get_filename("") or "")
            found = parsed.get_param(name, "", header)
            stated = found[2] if isinstance(found, tuple) else found
        except (ValueError, LookupError, TypeError):  # a charset that is none, a number that is too long
            return ""
        return words(str(stated))

    @property
    def media_type(self) -> str:
        """What Content-Type states, in small letters; plain text when it states nothing that can be one."""
        stated = self.first("content-type")[:_MAX_PARAMETERS].split(";")[0].strip().casefold()
        return stated if re.fullmatch(r"[^\s/]+/[^\s/]+", stated) else "text/plain"


def split_headers(data: bytes, start: int, end: int) -> tuple[Headers, int]:
    """The headers that `data` has from `start` on, and where after them the content begins."""
    fields: list[tuple[str, list[bytes]]] = []
    at = start
    while at < end:
        line_end = data.find(b"\n", at, end) + 1 or end
        line = data[at:line_end].rstrip(b"\r\n")
        if not line:
            return _headers(fields), line_end
        if line[:1] in (b" ", b"\t") and fields:
            fields[-1][1].append(line)
        elif match := _FIELD.fullmatch(line):
            fields.append((match[1].decode("ascii").casefold(), [match[2]]))
        elif not line.startswith((b"From ", b">From ")):  # the mark of a mailbox
            return _headers(fields), at  # a mail without an empty line before its content
        at = line_end
    return _headers(fields), end


def _headers(fields: list[tuple[str, list[bytes]]]) -> Headers:
    return Headers(
        fields=tuple((name, b"".join(lines)[:MAX_FIELD].decode("utf-8", "surrogateescape")) for name, lines in fields)
    )


def iso_date(stated: str) -> str | None:
    """A date as mails state it (RFC 5322) or as ISO 8601, with its zone where it states one; None when it is neither."""
    bare = one_line(stated)[:200]
    try:
        moment = parsedate_to_datetime(bare)
    except (ValueError, TypeError, OverflowError, IndexError):
        return _already_iso(bare)
    if moment.tzinfo is None and bare.endswith("-0000"):
        moment = moment.replace(tzinfo=UTC)  # RFC 5322: universal time, from a place that is not told
    return moment.isoformat()


def _already_iso(stated: str) -> str | None:
    try:
        return datetime.fromisoformat(stated).isoformat()
    except ValueError:
        return None

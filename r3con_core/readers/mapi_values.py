"""Outlook's properties: numbers that name them, types, and values in bytes."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from r3con_core.readers.mail_headers import letters

STRING8, UNICODE, BINARY, OBJECT, MOMENT, BOOLEAN = 0x1E, 0x1F, 0x102, 0x0D, 0x40, 0x0B
_WHOLE = {0x02: 2, 0x03: 4, 0x0A: 4, 0x0B: 2, 0x14: 8, 0x06: 8}
"""Types of whole numbers and their bytes."""
_START = datetime(1601, 1, 1, tzinfo=UTC)
_ENCODINGS = {
    65001: "utf-8",
    20127: "cp1252",
    28591: "cp1252",
    1200: "utf-16-le",
    50220: "iso2022_jp",
    50221: "iso2022_jp",
}
_BY_LANGUAGE = {
    0x04: "cp936",
    0x11: "cp932",
    0x12: "cp949",
    0x19: "cp1251",
    0x22: "cp1251",
    0x02: "cp1251",
    0x15: "cp1250",
    0x05: "cp1250",
    0x0E: "cp1250",
    0x08: "cp1253",
    0x1F: "cp1254",
    0x0D: "cp1255",
    0x01: "cp1256",
    0x1E: "cp874",
}
"""Code pages by the language of a locale, its lowest ten bits; all others are of Western Europe."""
_TRADITIONAL_CHINESE = (0x0404, 0x0C04, 0x1404)


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """The properties of a mail, a recipient or an attachment."""

    raw: Mapping[int, tuple[int, bytes]]
    """Number -> type and bytes; numbers from 0x8000 on are only names for `named`."""
    named: Mapping[int, tuple[int, bytes]] = field(default_factory=dict)
    """The same for properties that applications define, by the number they give them."""
    code_page: str = ""
    """Of text that is not Unicode, where the file states it in another place."""

    def text(self, *tags: int) -> str:
        """The first of these properties that is a text with something in it; empty when none is."""
        return next((text for tag in tags if (text := self._text(self.raw.get(tag)))), "")

    def named_text(self, number: int) -> str:
        """An application's property as text; empty when there is none."""
        return self._text(self.named.get(number))

    def _text(self, held: tuple[int, bytes] | None) -> str:
        kind, value = held or (0, b"")
        if kind == UNICODE:
            return value.decode("utf-16-le", "replace").split("\x00")[0]
        if kind == STRING8:
            return letters(value.split(b"\x00")[0], self.charset).text
        return ""

    def number(self, tag: int) -> int | None:
        """A whole number; None when there is none."""
        return _whole(self.raw.get(tag))

    def moment(self, tag: int) -> datetime | None:
        """A time in UTC; None when there is none."""
        return _moment(self.raw.get(tag))

    def named_moment(self, number: int) -> datetime | None:
        """An application's property as a time in UTC; None when there is none."""
        return _moment(self.named.get(number))

    def octets(self, tag: int) -> bytes:
        """The bytes as they are; empty when there are none."""
        return self.raw.get(tag, (0, b""))[1]

    @property
    def charset(self) -> str:
        """The encoding of text that is not Unicode: by PR_MESSAGE_CODEPAGE, PR_INTERNET_CPID, or the locale."""
        for tag in (0x3FFD, 0x3FDE):
            page = self.number(tag)
            if page and page not in (1200, 20127, 28591, 65001):
                return _encoding(page)
        locale = self.number(0x3FF1)
        if self.code_page or locale is None:
            return self.code_page or "cp1252"
        return "cp950" if locale in _TRADITIONAL_CHINESE else _BY_LANGUAGE.get(locale & 0x3FF, "cp1252")

    @property
    def page_charset(self) -> str:
        """The encoding of a message that is a page: by PR_INTERNET_CPID."""
        page = self.number(0x3FDE)
        return _encoding(page) if page else self.charset


def _encoding(page: int) -> str:
    return _ENCODINGS.get(page, f"iso-8859-{page - 28590}" if 28592 <= page <= 28605 else f"cp{page}")


def _whole(held: tuple[int, bytes] | None) -> int | None:
    kind, value = held or (0, b"")
    size = _WHOLE.get(kind)
    if size is None or len(value) < min(size, 1):
        return None
    return int.from_bytes(value[:size], "little", signed=kind != BOOLEAN)


def _moment(held: tuple[int, bytes] | None) -> datetime | None:
    """FILETIME: tenths of microseconds since 1601."""
    kind, value = held or (0, b"")
    if kind != MOMENT or len(value) < 8:
        return None
    (ticks,) = struct.unpack_from("<Q", value)
    try:
        moment = _START + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None
    return moment.replace(microsecond=0) if 1700 < moment.year < 4000 else None

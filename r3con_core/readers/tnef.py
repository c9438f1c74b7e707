"""Outlook's winmail.dat (TNEF, MS-OXTNEF) becomes a document, with the files and mails in it as members."""

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from r3con_core.documents import Document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.mail_letter import letter_found
from r3con_core.readers.mapi import MapiFile, MapiMail, letter_of
from r3con_core.readers.mapi_values import BINARY, MOMENT, OBJECT, STRING8, UNICODE, Properties

SIGNATURE = b"\x78\x9f\x3e\x22"
_FROM, _SUBJECT, _SENT, _CLASS, _MESSAGE_ID, _BODY = 0x8000, 0x8004, 0x8005, 0x8008, 0x8009, 0x800C
_DATA, _TITLE, _NEXT_FILE, _PROPERTIES, _RECIPIENTS, _FILE_PROPERTIES, _CODE_PAGE = (
    0x800F, 0x8010, 0x9002, 0x9003, 0x9004, 0x9005, 0x9007,
)  # fmt: skip
_AS_TEXT = {_SUBJECT: 0x0037, _CLASS: 0x001A, _MESSAGE_ID: 0x1035, _BODY: 0x1000}
"""Attributes of TNEF that are texts -> the properties they are."""
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x0A: 4, 0x0B: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x14: 8, 0x40: 8, 0x48: 16, 0x01: 0}
"""Bytes that values of a fixed length take up."""
_VARIABLE = (STRING8, UNICODE, BINARY, OBJECT)
_MANY = 0x1000
_MAX_VALUES = 100_000
_A_MESSAGE = bytes.fromhex("0703020000000000c000000000000046")
_START = datetime(1601, 1, 1, tzinfo=UTC)

_Raw = dict[int, tuple[int, bytes]]


def read_tnef(file: File) -> Iterator[Document | Member | LedgerLine]:
    """The message in a winmail.dat, where it has one, then the files and mails in it."""
    mail = _mail(file.data())
    letter = letter_of(mail)
    if letter.bodies or not letter.attached:
        yield from letter_found(letter, file.source)
        return
    found = letter_found(letter, file.source)
    next(found)  # nothing but a subject: it is a container
    yield from found


@dataclass(slots=True)
class _File:
    raw: _Raw = field(default_factory=dict)
    named: _Raw = field(default_factory=dict)
    data: bytes = b""


@dataclass(slots=True)
class _Open:
    """A TNEF under way."""

    raw: _Raw = field(default_factory=dict)
    named: _Raw = field(default_factory=dict)
    files: list[_File] = field(default_factory=list)
    recipients: list[_Raw] = field(default_factory=list)
    charset: str = "cp1252"

    def take(self, attribute: int, value: bytes) -> None:
        """Keep one attribute."""
        if attribute == _CODE_PAGE and len(value) >= 4:
            self.charset = f"cp{struct.unpack_from('<I', value)[0]}"
        elif attribute == _PROPERTIES:
            _Reader(value).properties(self.raw, self.named)
        elif attribute == _RECIPIENTS:
            self.recipients = _Reader(value).rows()
        elif attribute == _NEXT_FILE:
            self.files.append(_File())
        elif self.files:
            self._of_file(attribute, value)
        else:
            self._of_message(attribute, value)

    def _of_message(self, attribute: int, value: bytes) -> None:
        if attribute in _AS_TEXT:
            self.raw.setdefault(_AS_TEXT[attribute], (STRING8, value))
        elif attribute == _SENT:
            self.raw.setdefault(0x0039, (MOMENT, _ticks(value)))
        elif attribute == _FROM:
            self._sender(value)

    def _of_file(self, attribute: int, value: bytes) -> None:
        held = self.files[-1]
        if attribute == _DATA:
            held.data = value
        elif attribute == _TITLE:
            held.raw.setdefault(0x3704, (STRING8, value))
        elif attribute == _FILE_PROPERTIES:
            _Reader(value).properties(held.raw, held.named)

    def _sender(self, value: bytes) -> None:
        """A name and an address such as "SMTP:a@x.example", their lengths before them."""
        if len(value) < 8:
            return
        name_size, address_size = struct.unpack_from("<HH", value, 4)
        address = value[8 + name_size : 8 + name_size + address_size].split(b":", 1)[-1]
        self.raw.setdefault(0x0C1A, (STRING8, value[8 : 8 + name_size]))
        self.raw.setdefault(0x0C1F, (STRING8, address))


def _mail(data: bytes) -> MapiMail:
    if not data.startswith(SIGNATURE) or len(data) < 6:
        raise CorpusError("damaged, or no file of Outlook's kind winmail.dat")
    opened = _Open()
    at = 6
    while at + 11 <= len(data):
        attribute, size = struct.unpack_from("<HxxI", data, at + 1)
        value = data[at + 9 : at + 9 + size]
        opened.take(attribute, value)
        at += 11 + size
    if "cp" not in opened.charset:
        opened.charset = "cp1252"
    return MapiMail(
        properties=_bag(opened.raw, opened.named, opened.charset),
        recipients=[_bag(row, {}, opened.charset) for row in opened.recipients],
        attachments=[_attached(held, opened.charset) for held in opened.files],
    )


def _bag(raw: _Raw, named: _Raw, charset: str) -> Properties:
    return Properties(raw=raw, named=named, code_page=charset)


def _attached(held: _File, charset: str) -> MapiFile:
    kind, wrapped = held.raw.pop(0x3701, (0, b""))
    properties = _bag(held.raw, held.named, charset)
    if kind == OBJECT and wrapped.startswith(_A_MESSAGE):
        return MapiFile(properties=properties, take_out=bytes, mail=lambda: _mail(wrapped[16:]))
    data = held.data or (wrapped[16:] if kind == OBJECT else wrapped)
    return MapiFile(properties=properties, take_out=lambda: data, size=len(data))


def _ticks(value: bytes) -> bytes:
    """A date of six numbers as a count of tenths of microseconds since 1601; it has no zone, and is taken for UTC."""
    try:
        year, month, day, hour, minute, second = struct.unpack_from("<6H", value)
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except (struct.error, ValueError):
        return b""
    return struct.pack("<Q", max(int((moment - _START).total_seconds()), 0) * 10_000_000)


class _Reader:
    """Reads properties one after the other; what is cut off ends it."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _number(self) -> int:
        (value,) = struct.unpack_from("<I", self._data, self._at)
        self._at += 4
        return int(value)

    def _take(self, size: int) -> bytes:
        value = self._data[self._at : self._at + size]
        if len(value) < size:
            raise EOFError
        self._at += size + -size % 4
        return value

    def rows(self) -> list[_Raw]:
        """A table of recipients."""
        rows: list[_Raw] = []
        with suppress(struct.error, EOFError):  # cut off: what there is of it
            for _ in range(min(self._number(), _MAX_VALUES)):
                row: _Raw = {}
                rows.append(row)
                self._properties(row, {})
        return rows

    def properties(self, raw: _Raw, named: _Raw) -> None:
        """Read a list of them into the two."""
        with suppress(struct.error, EOFError):  # cut off: what there is of it
            self._properties(raw, named)

    def _properties(self, raw: _Raw, named: _Raw) -> None:
        for _ in range(min(self._number(), _MAX_VALUES)):
            kind, tag = struct.unpack_from("<HH", self._data, self._at)
            self._at += 4
            name = self._name() if tag >= 0x8000 else None
            value = self._value(kind)
            if kind == BINARY or not kind & _MANY:
                (raw if name is None else named)[tag if name is None else name] = (kind, value)

    def _name(self) -> int:
        """The number an application gives; -1 where it gives a word."""
        self._take(16)
        if self._number() == 0:
            return self._number()
        self._take(self._number())
        return -1

    def _value(self, kind: int) -> bytes:
        one = kind & ~_MANY
        if one in _VARIABLE:
            values = [self._take(self._number()) for _ in range(min(self._number(), _MAX_VALUES))]
        else:
            count = min(self._number(), _MAX_VALUES) if kind & _MANY else 1
            values = [self._take(_FIXED[one]) for _ in range(count)] if one in _FIXED else self._unknown(one)
        return values[0] if values else b""

    def _unknown(self, kind: int) -> list[bytes]:
        """A type that no reader knows has an unknown length: nothing after it can be read."""
        raise EOFError(f"type {kind}")

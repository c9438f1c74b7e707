"""Outlook messages (.msg, MS-OXMSG) become documents, with what is attached to them as members."""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from r3con_core.documents import Document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.mail_letter import letter_found
from r3con_core.readers.mapi import MapiFile, MapiMail, letter_of
from r3con_core.readers.mapi_values import Properties

_STREAM = re.compile(r"__substg1\.0_([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})")
_PROPERTIES = "__properties_version1.0"
_NAMES = "__nameid_version1.0"
_ATTACHED_DATA = 0x3701
_TOP, _EMBEDDED, _OTHER = 32, 24, 8
"""Bytes before the properties of a message, of one inside another, and of recipients and attachments."""
_MAX_STREAM = 128 * 2**20
_MAX_OBJECTS = 20_000
"""Recipients or attachments of one message."""

Path = tuple[str, ...]


def read_msg(file: File) -> Iterator[Document | Member | LedgerLine]:
    """An Outlook message, appointment or contact, then what is attached to it; attached messages as mails (.eml)."""
    import olefile

    stream = file.content.open()
    try:
        store = olefile.OleFileIO(stream)
    except (OSError, ValueError, IndexError, struct.error) as fault:
        stream.close()
        raise CorpusError("a damaged or incomplete Outlook message") from fault
    with stream, store:
        opened = _Store(ole=store, size=file.content.size)
        if (_PROPERTIES,) not in opened.entries:
            raise CorpusError("a damaged or incomplete Outlook message")
        yield from letter_found(letter_of(opened.mail((), _TOP)), file.source)


@dataclass(slots=True)
class _Store:
    """A compound file of storages and streams, as olefile opens it; olefile has no types of its own."""

    ole: Any
    size: int
    """Bytes of the whole file: no stream in it is larger, whatever it says of itself."""
    entries: frozenset[Path] = frozenset()
    below: dict[Path, list[str]] = field(default_factory=dict)
    """The names in each storage, in order."""
    names: Mapping[int, int] = field(default_factory=dict)
    """Numbers from 0x8000 on -> the numbers that applications give."""
    charset: str = ""

    def __post_init__(self) -> None:
        listed = [tuple(path) for path in self.ole.listdir(streams=True, storages=True)]
        self.entries = frozenset(listed)
        for path in sorted(listed):
            self.below.setdefault(path[:-1], []).append(path[-1])
        self.names = self._names()

    def stream(self, path: Path) -> bytes:
        """The bytes of a stream; empty when there is none, it is damaged, or it is beyond all measure."""
        if not 0 < self._size(path) <= min(self.size, _MAX_STREAM):
            return b""
        try:
            with self.ole.openstream(list(path)) as held:
                return bytes(held.read())
        except (OSError, ValueError, IndexError, TypeError, OverflowError, struct.error):
            return b""

    def _names(self) -> dict[int, int]:
        raw = self.stream((_NAMES, "__substg1.0_00030102"))
        entries = struct.iter_unpack("<IHH", raw[: len(raw) // 8 * 8])
        return {0x8000 + index: number for number, kind, index in entries if not kind & 1}

    def properties(self, storage: Path, header: int) -> Properties:
        """Those of one message, recipient or attachment, but for an attachment's bytes."""
        raw: dict[int, tuple[int, bytes]] = {}
        listed = self.stream((*storage, _PROPERTIES))[header:]
        for kind, number, value in struct.iter_unpack("<HH4x8s", listed[: len(listed) // 16 * 16]):
            raw[number] = (kind, value)
        for name in self.below.get(storage, ()):
            match = _STREAM.fullmatch(name)
            if match and int(match[1], 16) != _ATTACHED_DATA:
                raw[int(match[1], 16)] = (int(match[2], 16), self.stream((*storage, name)))
        named = {self.names[number]: value for number, value in raw.items() if number in self.names}
        return Properties(raw=raw, named=named, code_page=self.charset)

    def mail(self, storage: Path, header: int) -> MapiMail:
        """The message in a storage, with what belongs to it."""
        properties = self.properties(storage, header)
        self.charset = properties.charset
        names = self.below.get(storage, [])
        recipients = [name for name in names if name.startswith("__recip_version1.0_")][:_MAX_OBJECTS]
        attached = [name for name in names if name.startswith("__attach_version1.0_")][:_MAX_OBJECTS]
        return MapiMail(
            properties=properties,
            recipients=[self.properties((*storage, name), _OTHER) for name in recipients],
            attachments=[self._attached((*storage, name)) for name in attached],
        )

    def _attached(self, storage: Path) -> MapiFile:
        properties = self.properties(storage, _OTHER)
        data = (*storage, "__substg1.0_37010102")
        inner = (*storage, "__substg1.0_3701000D")
        if (*inner, _PROPERTIES) in self.entries:
            return MapiFile(properties=properties, take_out=bytes, mail=lambda: self.mail(inner, _EMBEDDED))
        if data not in self.entries and inner in self.entries:
            return MapiFile(properties=properties, take_out=lambda: self._wrapped(inner))
        return MapiFile(properties=properties, take_out=lambda: self.stream(data), size=self._size(data))

    def _size(self, path: Path) -> int:
        try:
            return int(self.ole.get_size(list(path))) if path in self.entries else 0
        except (OSError, TypeError):  # a storage, and no stream
            return 0

    def _wrapped(self, storage: Path) -> bytes:
        """The file that an embedded object wraps, as far as it is one stream."""
        names = ("Package", "CONTENTS", "Contents", "\x01Ole10Native", "EmbeddedOdf")
        return next((held for name in names if (held := self.stream((*storage, name)))), b"")

"""The binary PowerPoint format: its records, and which of them are current. Source: Microsoft's [MS-PPT]."""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from r3con_core.errors import CorpusError

_ENCRYPTED = 0xF3D1C4DF
_USER_EDIT, _PERSIST_DIRECTORY = 0x0FF5, 0x1772
_BINARY_TAG = 0x138B
"""Holds records although it does not say so."""
_MOST_EDITS = 10_000
_MOST_UNPACKED = 128 * 2**20
_MOST_RATIO = 200
_ALWAYS_ALLOWED = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record; those that hold others have no data of their own."""

    kind: int
    instance: int
    start: int
    """Byte behind its head."""
    end: int
    holds: bool
    data: bytes = b""


def records(main: bytes, start: int, end: int) -> Iterator[Record]:
    """All records in a stretch of bytes, each holder before what it holds; linear, whatever lengths they state."""
    at = start
    end = min(end, len(main))
    while at + 8 <= end:
        first, kind, size = struct.unpack_from("<HHI", main, at)
        holds = first & 0xF == 0xF or kind == _BINARY_TAG
        stop = min(at + 8 + size, end)
        data = b"" if holds else main[at + 8 : stop]
        yield Record(kind=kind, instance=first >> 4, start=at + 8, end=stop, holds=holds, data=data)
        at = at + 8 if holds else stop


def record_at(main: bytes, place: int) -> Record | None:
    """The record that begins at a byte."""
    return next(records(main, place, len(main)), None) if 0 <= place < len(main) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """The current objects of a presentation."""

    places: Mapping[int, int] = field(default_factory=dict)
    """Where each object begins, by its number."""
    document: int = 0
    """The number of the one that lists the slides."""


def is_encrypted(user: bytes) -> bool:
    """Whether the stream called Current User says that a password is needed."""
    return len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED


def current_objects(main: bytes, user: bytes) -> Objects:
    """The objects as last saved: a presentation keeps its earlier edits too. Raises CorpusError when it is damaged."""
    if len(user) < 20:
        raise CorpusError("a damaged or incomplete PowerPoint presentation")
    (place,) = struct.unpack_from("<I", user, 16)
    places: dict[int, int] = {}
    document = 0
    seen: set[int] = set()
    while place not in seen and len(seen) < _MOST_EDITS:
        seen.add(place)
        edit = record_at(main, place)
        if edit is None or edit.kind != _USER_EDIT or len(edit.data) < 20:
            break
        place, directory, number = struct.unpack_from("<III", edit.data, 8)
        document = document or number
        for known, at in _directory(main, directory):
            places.setdefault(known, at)
    if document not in places:
        raise CorpusError("a damaged or incomplete PowerPoint presentation")
    return Objects(places=places, document=document)


def _directory(main: bytes, place: int) -> Iterator[tuple[int, int]]:
    record = record_at(main, place)
    if record is None or record.kind != _PERSIST_DIRECTORY:
        return
    numbers = struct.unpack(f"<{len(record.data) // 4}I", record.data[: len(record.data) // 4 * 4])
    at = 0
    while at < len(numbers):
        first, count = numbers[at] & 0xFFFFF, numbers[at] >> 20
        for offset, start in enumerate(numbers[at + 1 : at + 1 + count]):
            yield first + offset, start
        at += 1 + count


def unpacked(record: Record) -> bytes:
    """The bytes of an embedded object; CorpusError when they unpack beyond measure, empty when they are damaged."""
    if record.instance != 1:
        return record.data
    most = min(max(_ALWAYS_ALLOWED, len(record.data) * _MOST_RATIO), _MOST_UNPACKED)
    try:
        plain = zlib.decompressobj().decompress(record.data[4:], most + 1)
    except zlib.error:
        return b""
    if len(plain) > most:
        raise CorpusError(f"an object in it unpacks to more than {_MOST_RATIO} times its size")
    return plain

"""The binary Word format: where its text lies and how its letters look. Source: Microsoft's [MS-DOC]."""

import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from r3con_core.errors import CorpusError

_FIRST_PAIR = 0x9A
"""Where the header's pairs of place and size begin."""
_PAGE = 512
_MOST_PAGES = 200_000
_BY_OPERAND = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
"""Bytes of what follows a property's code, by the code's top three bits; 6 states its own size."""
_LONG_OPERANDS = frozenset((0xD608, 0xD606))
_COUNTS = ("text", "footnote", "header", "macro", "comment", "endnote", "text box", "header box")
"""The stories of a document in the order of their characters."""
PAIRS: Mapping[str, int] = {
    "footnote marks": 2,
    "footnotes": 3,
    "comment marks": 4,
    "comments": 5,
    "headers": 11,
    "letters": 12,
    "paragraphs": 13,
    "pieces": 33,
    "comment authors": 36,
    "endnote marks": 46,
    "endnotes": 47,
    "authors": 51,
    "comment dates": 112,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the beginning of the main stream states."""

    version: int
    encrypted: bool
    obscured: bool
    """Locked in the way older than encryption."""
    second_table: bool
    counts: Mapping[str, int] = field(default_factory=dict)
    """Characters of each story."""


def read_header(main: bytes) -> Header:
    """The header of a Word file. Raises CorpusError when it is none."""
    if len(main) < _FIRST_PAIR or main[:2] not in (b"\xec\xa5", b"\xdc\xa5"):
        raise CorpusError("a damaged or incomplete Word document")
    (version,) = struct.unpack_from("<H", main, 2)
    (flags,) = struct.unpack_from("<H", main, 10)
    counts = struct.unpack_from("<8i", main, 0x4C)
    return Header(
        version=version,
        encrypted=bool(flags & 0x100),
        obscured=bool(flags & 0x8000),
        second_table=bool(flags & 0x200),
        counts={name: max(count, 0) for name, count in zip(_COUNTS, counts, strict=True)},
    )


def part(main: bytes, table: bytes, name: str) -> bytes:
    """The stretch of the table stream that the header calls by this name; empty when there is none."""
    place = _FIRST_PAIR + 8 * PAIRS[name]
    if place + 8 > len(main) or 8 * PAIRS[name] >= 8 * struct.unpack_from("<H", main, 0x98)[0]:
        return b""
    start, size = struct.unpack_from("<II", main, place)
    return table[start : start + size]


def plc(data: bytes, size: int) -> tuple[list[int], list[bytes]]:
    """Positions, one more than the items behind them, and the items of `size` bytes."""
    count = max((len(data) - 4) // (4 + size), 0)
    positions = list(struct.unpack_from(f"<{count + 1}I", data)) if len(data) >= 4 else []
    start = 4 * (count + 1)
    return positions, [data[start + size * number : start + size * (number + 1)] for number in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Characters that lie together in the file."""

    start: int
    """Its first character's number in the document."""
    end: int
    place: int
    """Byte of the main stream."""
    wide: bool
    """Two bytes a character; else one, of windows-1252."""
    properties: bytes = b""
    """That hold for all of it, on top of those of its letters."""


def stretches(pieces: bytes) -> Iterator[Stretch]:
    """Where the text lies, in its order, from the part called pieces."""
    at, shared = 0, []
    while at + 3 <= len(pieces) and pieces[at] == 1:
        (size,) = struct.unpack_from("<H", pieces, at + 1)
        shared.append(pieces[at + 3 : at + 3 + size])
        at += 3 + size
    positions, items = plc(pieces[at + 5 :], 8)
    for start, end, item in zip(positions, positions[1:], items, strict=False):
        _, place, modifier = struct.unpack("<HIH", item)
        narrow = bool(place & 0x40000000)
        place &= 0x3FFFFFFF
        number = modifier >> 1
        own = shared[number] if modifier & 1 and number < len(shared) else b""
        if start < end:
            yield Stretch(start=start, end=end, place=place // 2 if narrow else place, wide=not narrow, properties=own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Stretches of bytes of the main stream with equal properties, in order."""

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    properties: Sequence[bytes] = ()

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
        """The runs that cover the bytes from `start` to `end`, cut to them; gaps have no properties."""
        at = start
        number = max(bisect_right(self.starts, start) - 1, 0)
        while at < end and number < len(self.starts):
            run_start, run_end = self.starts[number], min(self.ends[number], end)
            if run_start > at:
                yield at, min(run_start, end), b""
                at = min(run_start, end)
            if at < run_end:
                yield at, run_end, self.properties[number]
                at = run_end
            number += 1
        if at < end:
            yield at, end, b""

    def at(self, place: int) -> bytes:
        """The properties of the run that a byte lies in."""
        number = bisect_right(self.starts, place) - 1
        return self.properties[number] if number >= 0 and place < self.ends[number] else b""


def letter_runs(main: bytes, letters: bytes) -> Runs:
    """Properties of letters, from the part called letters."""
    return _runs(main, letters, 1)


def paragraph_runs(main: bytes, paragraphs: bytes) -> Runs:
    """Properties of paragraphs, each with the two bytes of its style's number before them."""
    return _runs(main, paragraphs, 13)


def _runs(main: bytes, pages: bytes, size: int) -> Runs:
    found: list[tuple[int, int, bytes]] = []
    for number in plc(pages, 4)[1][:_MOST_PAGES]:
        start = (struct.unpack("<I", number)[0] & 0x3FFFFF) * _PAGE
        page = main[start : start + _PAGE]
        if len(page) == _PAGE:
            found += _page_runs(page, size)
    found.sort(key=lambda run: run[0])
    return Runs(
        starts=[start for start, _, _ in found],
        ends=[end for _, end, _ in found],
        properties=[properties for _, _, properties in found],
    )


def _page_runs(page: bytes, size: int) -> Iterator[tuple[int, int, bytes]]:
    count = page[_PAGE - 1]
    if 4 * (count + 1) + size * count >= _PAGE:
        return
    places = struct.unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        at = 2 * page[4 * (count + 1) + size * number]
        yield places[number], places[number + 1], _stated(page, at, size) if at else b""


def _stated(page: bytes, at: int, size: int) -> bytes:
    length = page[at]
    if size == 1:
        return page[at + 1 : at + 1 + length]
    if length:
        return page[at + 1 : at + 2 * length]
    return page[at + 2 : at + 2 + 2 * page[at + 1]] if at + 1 < _PAGE else b""


def values(properties: bytes) -> dict[int, bytes]:
    """The last value of each property, by its code."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 3 <= len(properties):
        (code,) = struct.unpack_from("<H", properties, at)
        at += 2
        size = _BY_OPERAND.get(code >> 13)
        if size is None:
            size = 1 + properties[at]
            if code in _LONG_OPERANDS and at + 2 <= len(properties):
                size = 1 + struct.unpack_from("<H", properties, at)[0]
        found[code] = properties[at : at + size]
        at += size
    return found


def names(data: bytes, *, counted: bool) -> list[str]:
    """Names, each behind its length; `counted` ones have three numbers before them."""
    at, found = 6 if counted else 0, []
    while at + 2 <= len(data):
        (length,) = struct.unpack_from("<H", data, at)
        found.append(data[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace"))
        at += 2 + 2 * length
    return found

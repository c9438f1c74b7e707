"""The pages of a SQLite file, read without SQLite: what it refuses to open may still hold most of what was kept.

Only reads, and believes nothing: every number found in a page is held against what it may be, and a cell that is not
exactly right is left out. See the file format at sqlite.org/fileformat2.html, sections 1.3 to 1.6, 2.1 and 4.
"""

import mmap
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from r3con_core.store.journals import read_journal
from r3con_core.store.shape import PAGE

Cell = str | bytes | int | float | None
Row = tuple[Cell, ...]
_MAGIC = b"SQLite format 3\x00"
_LEAF, _INTERIOR, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x05, 0x0A, 0x02
_DEEPEST = 20
_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
"""Bytes of a value by its serial type, up to 9."""


class BrokenPageError(Exception):
    """A page, or a cell of one, is not what it must be; never shown to anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One row as it lies in the file."""

    number: int
    row: Row


@dataclass(slots=True, kw_only=True)
class Walked:
    """What came of walking through a table: it grows on the way."""

    pages: set[int] = field(default_factory=set)
    broken: int = 0
    """Pages and cells that could not be read."""


class Pages:
    """The pages of one file, with what its journal holds of them, or without it."""

    def __init__(self, path: Path, *, journal: bool) -> None:
        """Of the file at `path`; OSError where it cannot be read. To be closed."""
        with path.open("rb") as file:
            empty = not path.stat().st_size
            self._data = mmap.mmap(-1, 1) if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        held = read_journal(path, PAGE)
        stale = held.is_stale(len(self._data) // PAGE)
        self._newer = held.pages if journal and not stale else {}
        self.count = max([len(self._data) // PAGE, *self._newer])

    def close(self) -> None:
        """Let go of the file."""
        self._data.close()

    def page(self, number: int) -> bytes:
        """One page, from 1; BrokenPageError when the file has none of this number."""
        if number in self._newer:
            return self._newer[number]
        page = self._data[(number - 1) * PAGE : number * PAGE]
        if number < 1 or len(page) != PAGE:
            raise BrokenPageError
        return page

    def free(self) -> set[int] | None:
        """The pages that hold nothing any more; None when that cannot be told."""
        try:
            head = self.page(1)
            trunk, told = struct.unpack_from(">II", head, 32)
            found: set[int] = set()
            while trunk:
                if trunk in found:
                    return None
                found.add(trunk)
                page = self.page(trunk)
                trunk, leaves = struct.unpack_from(">II", page)
                if leaves > PAGE // 4 - 2:
                    return None
                found.update(struct.unpack_from(f">{leaves}I", page, 8))
        except BrokenPageError:
            return None
        return found if len(found) == told and head.startswith(_MAGIC) else None

    def walk(self, root: int, walked: Walked) -> Iterator[Found]:
        """The rows of the table that begins at page `root`, in order, around what is broken."""
        yield from self._walk(root, walked, (-(2**63), 2**63), 0)

    def walk_index(self, number: int, walked: Walked, depth: int = 0) -> Iterator[Row]:
        """The rows of a table whose rows have no numbers, from page `number` on, in no order; around what is broken."""
        try:
            page = self._entered(number, walked, depth)
            inner = page[0] == _INDEX_INTERIOR
            _sure(inner or page[0] == _INDEX_LEAF)
            cells = self._pointers(page, 0, 12 if inner else 8)
        except BrokenPageError:
            walked.broken += 1
            return
        for at in cells:
            try:
                yield self._payload(page, at + 4 * inner, walked, most=(PAGE - 12) * 64 // 255 - 23)
            except BrokenPageError:
                walked.broken += 1
        for child in [*(page[at : at + 4] for at in cells), page[8:12]] if inner else []:
            yield from self.walk_index(int.from_bytes(child), walked, depth + 1)

    def _walk(self, number: int, walked: Walked, between: tuple[int, int], depth: int) -> Iterator[Found]:
        """Those below one page, whose numbers must lie above the first and up to the second of `between`."""
        try:
            page, start = self._entered(number, walked, depth), 100 if number == 1 else 0
            if page[start] == _LEAF:
                yield from self.leaf(number, walked, between)
                return
            children = self._children(page, start, between)
        except BrokenPageError:
            walked.broken += 1
            return
        for child, span in children:
            yield from self._walk(child, walked, span, depth + 1)

    def _entered(self, number: int, walked: Walked, depth: int) -> bytes:
        """A page that is come to for the first time, and not too deep."""
        _sure(number not in walked.pages and depth <= _DEEPEST)
        walked.pages.add(number)
        return self.page(number)

    def _children(self, page: bytes, start: int, between: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
        """The pages below an interior page, each with the span of its rows' numbers."""
        if page[start] != _INTERIOR:
            raise BrokenPageError
        pointers = self._pointers(page, start, 12)
        cells = [(int.from_bytes(page[at : at + 4]), _varint(page, at + 4)[0]) for at in pointers]
        keys = [between[0], *(key for _, key in cells), between[1]]
        if any(a > b for a, b in pairwise(keys)):
            raise BrokenPageError
        last = int.from_bytes(page[start + 8 : start + 12])
        return list(zip([*(child for child, _ in cells), last], pairwise(keys), strict=True))

    def _pointers(self, page: bytes, start: int, head: int) -> list[int]:
        """Where the cells of a page begin."""
        cells = int.from_bytes(page[start + 3 : start + 5])
        first = start + head
        if first + 2 * cells > PAGE:
            raise BrokenPageError
        pointers = list(struct.unpack_from(f">{cells}H", page, first))
        if any(not first + 2 * cells <= at <= PAGE - 4 for at in pointers):
            raise BrokenPageError
        return pointers

    def leaf(self, number: int, walked: Walked, between: tuple[int, int]) -> Iterator[Found]:
        """The rows of one leaf of a table; those that are not in order, or not whole, are left out."""
        page, start = self.page(number), 100 if number == 1 else 0
        before, highest = between
        for at in self._pointers(page, start, 8):
            try:
                found = self._cell(page, at, walked)
                _sure(before < found.number <= highest)
            except BrokenPageError:
                walked.broken += 1
                continue
            before = found.number
            yield found

    def leaves(self) -> Iterator[int]:
        """The pages that look like leaves of tables."""
        for number in range(2, self.count + 1):
            with suppress(BrokenPageError):
                if self.page(number)[0] == _LEAF:
                    yield number

    def _cell(self, page: bytes, at: int, walked: Walked) -> Found:
        _, key = _varint(page, at)
        number, after = _varint(page, key)
        number -= (number >> 63) << 64
        return Found(number=number, row=self._payload(page, at, walked, most=PAGE - 35, skip=after - key))

    def _payload(self, page: bytes, at: int, walked: Walked, *, most: int, skip: int = 0) -> Row:
        """The values of a cell at `at`, of which up to `most` bytes lie in the page itself, `skip` after the length."""
        length, at = _varint(page, at)
        at += skip
        here = _here(length, most)
        if length < 1 or at + here > PAGE:
            raise BrokenPageError
        payload = page[at : at + here]
        if here < length:
            payload += self._overflow(int.from_bytes(page[at + here : at + here + 4]), length - here, walked)
        return _record(payload)

    def _overflow(self, number: int, length: int, walked: Walked) -> bytes:
        """The rest of a long payload, from its chain of pages, which ends just where it must."""
        room = PAGE - 4
        if length > self.count * room:
            raise BrokenPageError
        pieces, chain = [], set[int]()
        while length > 0:
            if number in walked.pages or number in chain:
                raise BrokenPageError
            chain.add(number)
            page = self.page(number)
            pieces.append(page[4 : 4 + min(length, room)])
            number, length = int.from_bytes(page[:4]), length - room
        if number:
            raise BrokenPageError
        walked.pages |= chain
        return b"".join(pieces)


def _sure(holds: bool) -> None:  # noqa: FBT001 - it is an assertion about a file
    if not holds:
        raise BrokenPageError


def _here(length: int, most: int) -> int:
    """How much of a payload of this length lies in its page itself."""
    if length <= most:
        return length
    least = (PAGE - 12) * 32 // 255 - 23
    here = least + (length - least) % (PAGE - 4)
    return here if here <= most else least


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of up to nine bytes at `at`, and where it ends; BrokenPageError where the data ends before it."""
    value = 0
    for step, byte in enumerate(data[at : at + 8], start=1):
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step
    if at + 8 >= len(data):
        raise BrokenPageError
    return value << 8 | data[at + 8], at + 9


def _record(payload: bytes) -> Row:
    """The values of a payload that is used up to its last byte."""
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end:
        raise BrokenPageError
    values = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise BrokenPageError
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Cell, int]:
    if kind in (10, 11):
        raise BrokenPageError
    width = _WIDTHS[kind] if kind < len(_WIDTHS) else (kind - 12) // 2
    piece = payload[at : at + width]
    if len(piece) != width:
        raise BrokenPageError
    return _read(piece, kind), at + width


def _read(piece: bytes, kind: int) -> Cell:
    match kind:
        case 0:
            return None
        case 7:
            (number,) = struct.unpack(">d", piece)
            return float(number)
        case 8 | 9:
            return kind - 8
        case _ if kind < len(_WIDTHS):
            return int.from_bytes(piece, signed=True)
        case _ if kind % 2 == 0:
            return piece
    try:
        return piece.decode()
    except UnicodeDecodeError as error:
        raise BrokenPageError from error

"""What SQLite's journal (the file that ends in -wal) holds: pages that are newer than those of the file beside it.

See sqlite.org/fileformat2.html, section 4. A transaction counts when it is whole, and all before it are.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_WAL_HEAD, _FRAME_HEAD = 32, 24
_MASK = 0xFFFFFFFF
_OLDER = bytes.fromhex("d9d505f920a163d7")
"""What a journal of the older kind begins with when it is to be played back."""
_OLDER_HEAD = 28
VERSIONS, NEWER = slice(18, 20), b"\2\2"
"""Where a store file says which kind it is written with, and what it says of the newer."""
_MAGIC = (0x377F0682, 0x377F0683)
"""Checksums over little-endian words, and over big-endian ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What a journal holds, up to its last transaction that is whole."""

    pages: Mapping[int, bytes]
    length: int
    """Pages that the file has after that transaction; 0 where the journal holds none."""

    def is_stale(self, pages: int) -> bool:
        """Whether a file of so many pages is newer than the journal: no file of ours ever becomes shorter."""
        return 0 < self.length < pages


_NONE = Journal(pages={}, length=0)


def read_journal(path: Path, size: int) -> Journal:
    """The journal of the store file `path`, whose pages have `size` bytes; an empty one where there is none."""
    beside = path.with_name(f"{path.name}-wal")
    return _read(beside.read_bytes(), size) if beside.is_file() and not beside.is_symlink() else _NONE


def acts_on(path: Path, size: int) -> bool:
    """Whether a journal of SQLite's older kind would take back what is kept when the store file `path` is opened.

    Ours are written with the newer kind alone. One that is just being changed to it has a journal of its own, which
    makes it no shorter.
    """
    beside = path.with_name(f"{path.name}-journal")
    if not beside.is_file():
        return False
    with beside.open("rb") as journal, path.open("rb") as file:
        head, versions = journal.read(_OLDER_HEAD), file.read(VERSIONS.stop)[VERSIONS]
    if len(head) < _OLDER_HEAD or not head.startswith(_OLDER):
        return False
    (length,) = struct.unpack_from(">I", head, 16)
    return versions == NEWER or int(length) < path.stat().st_size // size


def _read(data: bytes, size: int) -> Journal:
    if len(data) < _WAL_HEAD:
        return _NONE
    magic, _, told, _, *salts = struct.unpack_from(">8I", data)
    if magic not in _MAGIC or told != size:
        return _NONE
    order = ">" if magic & 1 else "<"
    sums = _summed(data[:24], (0, 0), order)
    if sums != tuple(salts[2:]):
        return _NONE
    length = 0
    kept: dict[int, bytes] = {}
    fresh: dict[int, bytes] = {}
    for at in range(_WAL_HEAD, len(data) - _FRAME_HEAD - size + 1, _FRAME_HEAD + size):
        number, commit, *rest = struct.unpack_from(">6I", data, at)
        page = data[at + _FRAME_HEAD : at + _FRAME_HEAD + size]
        sums = _summed(page, _summed(data[at : at + 8], sums, order), order)
        if rest != [*salts[:2], *sums] or not number:
            break
        fresh[number] = page
        if commit:
            kept |= fresh
            fresh, length = {}, commit
    return Journal(pages=kept, length=length)


def _summed(data: bytes, before: tuple[int, int], order: str) -> tuple[int, int]:
    """SQLite's running checksum after some more data."""
    one, two = before
    for a, b in struct.iter_unpack(f"{order}II", data):
        one = one + a + two & _MASK
        two = two + b + one & _MASK
    return one, two

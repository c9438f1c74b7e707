"""7z archives give their members, within limits, through py7zr (LGPL), which is an extra."""

import lzma
import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO

from r3con_core.errors import CorpusError
from r3con_core.readers.archives_members import (
    DAMAGED,
    INSTALL,
    LINK,
    LOCKED,
    MAX_HELD_BYTES,
    MAX_MEMBER_BYTES,
    PART_NAME,
    SPLIT,
    Tally,
    TooLargeError,
    check_size,
)
from r3con_core.readers.archives_packed import MAX_TRIED
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, LockedError, Member, Outcome, Progress
from r3con_core.readers.limits import USUAL_LIMITS

MAX_UNPACKED_BYTES = 20 * 2**30
"""Bytes taken out of one archive."""
_BATCH = 64 * 2**20
_ROUNDS = 20
"""Times the unpacking goes on after a damaged block."""


def read_seven_zip(file: File) -> Iterator[Member | LedgerLine | Progress]:
    """The members of a 7z archive in its order, folders left out; a line for each that is not taken out."""
    try:
        import py7zr  # noqa: F401 - whether it is there
    except ImportError as fault:
        raise CorpusError(f"7z archives need one more package. Install it with: {INSTALL}") from fault
    tried = file.settings.passwords[:MAX_TRIED]
    for number, password in enumerate((None, *tried)):
        yield Progress(done=number, total=len(tried) + 1, what="password")
        with file.content.open() as stream, tempfile.TemporaryDirectory(prefix="r3con-") as folder:
            unpacking = _Unpacking(file=file, stream=stream, folder=Path(folder), password=password)
            if unpacking.opens():
                yield from unpacking.all()
                return
    raise LockedError(f"{LOCKED}: none of those given opens it" if tried else LOCKED)


def _faults() -> tuple[type[Exception], ...]:
    """What damaged or locked archives make the unpacker raise."""
    from py7zr import exceptions

    ours = (lzma.LZMAError, struct.error, EOFError, OSError, ValueError, TypeError, LookupError, ArithmeticError)
    return (exceptions.ArchiveError, exceptions.PasswordRequired, AssertionError, AttributeError, *ours)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A file of an archive, and the name under which py7zr hands out its bytes."""

    info: Any
    name: str
    """With forward slashes."""
    key: str


class _Unpacking:
    """Takes the members out of one archive under one password."""

    def __init__(self, *, file: File, stream: BinaryIO, folder: Path, password: str | None) -> None:
        self._file, self._stream, self._password = file, stream, password
        self._spool = folder / "members"
        """All that was unpacked, one after the other."""
        self._tally = Tally(source=file.source)
        self._out: dict[str, _Stretch] = {}
        """Where each member lies that was unpacked, by its key."""

    def opens(self) -> bool:
        """Whether the archive is open now: without a password, or with this one."""
        from py7zr import exceptions

        try:
            with self._archive() as archive:
                locked = archive.needs_password()
                files = [info for info in archive.files if not info.is_directory and not info.emptystream]
            if self._password is None or not files:
                return not (locked and files)
            smallest = min(files, key=lambda info: info.uncompressed)
            return smallest.uncompressed > MAX_HELD_BYTES or self._unpack([smallest.filename])
        except exceptions.PasswordRequired:
            return False
        except exceptions.UnsupportedCompressionMethodError as fault:
            raise CorpusError("packed in a way that cannot be unpacked here") from fault
        except _faults() as fault:
            if self._password is not None:
                return False
            split = PART_NAME.search(self._file.source.path)
            raise CorpusError(SPLIT if split else "a damaged or incomplete 7z archive") from fault

    def all(self) -> Iterator[Member | LedgerLine | Progress]:
        """The members, and the lines of those that stay in."""
        entries = self._entries()
        if not entries:
            path = self._file.source.path
            yield LedgerLine(path=path, outcome=Outcome.NOTHING_IN_IT, reason="the archive is empty")
        untouched = {entry.key: line for entry in entries if (line := self._untouched(entry))}
        wanted = [entry for entry in entries if entry.key not in untouched]
        for batch in _batches(wanted):
            yield Progress(done=len(self._out), total=len(wanted), what="file")
            USUAL_LIMITS.check_room(self._spool.parent, sum(entry.info.uncompressed or 0 for entry in batch))
            self._unpack_all(batch)
        for entry in entries:
            yield untouched.get(entry.key) or self._member(entry)
        yield from self._tally.notes()

    def _archive(self) -> Any:
        import py7zr

        self._stream.seek(0)
        return py7zr.SevenZipFile(self._stream, password=self._password)

    def _entries(self) -> list[_Entry]:
        with self._archive() as archive:
            files = [info for info in archive.files if not info.is_directory]
        names = [info.filename for info in files]
        seen: Counter[str] = Counter()
        entries = []
        for info, name in zip(files, names, strict=True):
            key = str(PurePath(*(part for part in PurePath(name).parts if part != ".")))
            entries.append(_Entry(info=info, name=name.replace("\\", "/"), key=_numbered(key, seen[name])))
            seen[name] += 1
        return entries

    def _untouched(self, entry: _Entry) -> LedgerLine | None:
        info, packed = entry.info, self._file.content.size
        special = LINK if info.is_symlink or info.is_junction else "" if info.is_file else "not an ordinary file"
        if line := self._tally.not_taken(entry.name, special=special):
            return line
        try:
            check_size(info.uncompressed or 0, packed=packed)
        except TooLargeError as fault:
            name = self._tally.apart(entry.name)
            return self._tally.too_large(name, fault, ratio=round(info.uncompressed / (info.compressed or packed)))
        return None

    def _unpack_all(self, entries: Sequence[_Entry]) -> None:
        """Unpack all; after a damage go on with the blocks that are not damaged."""
        left = list(entries)
        for _ in range(_ROUNDS):
            if not left or self._unpack([entry.info.filename for entry in left]):
                return
            left = [entry for entry in left if not self._is_whole(entry)]
            left = [entry for entry in left if entry.info.folder is not left[0].info.folder]

    def _unpack(self, names: Sequence[str]) -> bool:
        """Unpack the named members into the spool; whether that went well to the end."""
        try:
            with self._archive() as archive, self._spool.open("ab") as spool:
                archive.extract(targets=names, factory=_Writers(spool, self._out))
        except _faults():
            return False
        return True

    def _is_whole(self, entry: _Entry) -> bool:
        stretch = self._out.get(entry.key)
        if stretch is None:
            return False
        checksum = entry.info.crc32
        return stretch.size == (entry.info.uncompressed or 0) and checksum in (None, stretch.checksum)

    def _member(self, entry: _Entry) -> Member | LedgerLine:
        name = self._tally.apart(entry.name)
        if not self._is_whole(entry):
            return self._tally.line(name, Outcome.NOT_READABLE, DAMAGED)
        out = self._out[entry.key]
        return Member(name=name, stretch=Content.on_disk(self._spool, start=out.start, size=out.size))


def _batches(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """The same entries, in stretches of about _BATCH unpacked bytes; what is packed in one block stays together."""
    batch: list[_Entry] = []
    size = 0
    for entry in entries:
        if size > _BATCH and entry.info.folder is not batch[-1].info.folder:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry.info.uncompressed or 0
    if batch:
        yield batch


def _numbered(name: str, times_before: int) -> str:
    return name if times_before == 0 else f"{name}_{times_before - 1}"


@dataclass(slots=True)
class _Stretch:
    """Where in the spool a member lies."""

    start: int
    size: int = 0
    checksum: int = 0


class _Writer:
    """Where py7zr writes one member: to the end of the spool. It has the methods of py7zr's own `Py7zIO`."""

    def __init__(self, spool: IO[bytes], stretch: _Stretch) -> None:
        self._spool, self._stretch = spool, stretch

    def write(self, block: bytes | bytearray) -> int:
        self._stretch.size += len(block)
        self._stretch.checksum = zlib.crc32(block, self._stretch.checksum)
        if self._stretch.size > MAX_MEMBER_BYTES or self._stretch.start + self._stretch.size > MAX_UNPACKED_BYTES:
            raise ValueError("more than one archive may hold")
        return self._spool.write(block)

    def read(self, size: int | None = None) -> bytes:  # noqa: ARG002 - py7zr only writes when it unpacks
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:  # noqa: ARG002
        return 0

    def flush(self) -> None:
        self._spool.flush()

    def size(self) -> int:
        return self._stretch.size

    def close(self) -> None:
        self._spool.flush()


class _Writers:
    """What py7zr asks where to write."""

    def __init__(self, spool: IO[bytes], out: dict[str, _Stretch]) -> None:
        self._spool, self._out = spool, out

    def create(self, filename: str) -> _Writer:
        self._out[filename] = _Stretch(start=self._spool.seek(0, 2))
        return _Writer(self._spool, self._out[filename])

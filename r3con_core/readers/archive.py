"""ZIP archives give their members, within limits; no name in them is ever used to open or write anything."""

import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from r3con_core.errors import CorpusError
from r3con_core.readers.archives_members import (
    DAMAGED,
    LINK,
    MAX_HELD_BYTES,
    PART_NAME,
    SPLIT,
    Tally,
    TooLargeError,
    blocks_of,
    counted,
    gathered,
    taken_out,
)
from r3con_core.readers.archives_names import zip_names
from r3con_core.readers.archives_packed import (
    FAULTS,
    MAX_SLOW_BYTES,
    is_slow,
    unlocked,
    unpacked_otherwise,
)
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, Progress
from r3con_core.readers.limits import RoomError

_END = b"PK\x05\x06"
_LONGEST_END = 22 + 65_535
"""Bytes of the record at an archive's end with the longest comment."""
_ORDINARY = (0, stat.S_IFREG, stat.S_IFDIR)


def read_zip(file: File) -> Iterator[Member | LedgerLine | Progress]:
    """The members of a ZIP archive in its order, folders left out; a line for each that is not taken out."""
    with file.content.open() as stream:
        if _is_part(stream, file.source.path):
            raise CorpusError(SPLIT)
        try:
            archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, struct.error, ValueError, OverflowError, NotImplementedError) as fault:
            raise CorpusError("a damaged or incomplete ZIP archive") from fault
        with archive:
            yield from _Members(file=file, stream=stream, archive=archive).all()


def unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of one member; CorpusError when it unpacks to more than the limits allow to be in memory."""
    return gathered(counted(_blocks(archive, info), packed=info.compress_size, limit=MAX_HELD_BYTES))


def _blocks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as packed:
        yield from blocks_of(packed)  # type: ignore[arg-type]


def _is_part(stream: BinaryIO, path: str) -> bool:
    """Whether this is one of the files of an archive in parts: by its mark, its last record, or name and lack of it."""
    if stream.read(4) == b"PK\x07\x08":
        return True
    size = stream.seek(0, 2)
    stream.seek(max(size - _LONGEST_END, 0))
    last = stream.read()
    stream.seek(0)
    end = last.rfind(_END)
    if end < 0:
        return PART_NAME.search(path) is not None
    disks = last[end + 4 : end + 8]
    return disks not in (b"\0\0\0\0", b"\xff\xff\xff\xff") and len(disks) == 4


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.orig_filename.endswith(("/", "\\")) and info.file_size == 0


def _special(info: zipfile.ZipInfo) -> str:
    """What kind of entry a member is, if it is no ordinary file."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return LINK
    return "" if kind in _ORDINARY or info.create_system != 3 else "not an ordinary file"


class _Members:
    """Takes the members out of one archive, one after the other."""

    def __init__(self, *, file: File, stream: BinaryIO, archive: zipfile.ZipFile) -> None:
        self._stream, self._archive = stream, archive
        self._passwords = file.settings.passwords
        self._tally = Tally(source=file.source)
        self._packed_left = file.content.size
        self._slow_left = MAX_SLOW_BYTES

    def all(self) -> Iterator[Member | LedgerLine | Progress]:
        files = [info for info in self._archive.infolist() if not _is_folder(info)]
        if not files:
            path = self._tally.source.path
            yield LedgerLine(path=path, outcome=Outcome.NOTHING_IN_IT, reason="the archive is empty")
        for done, (info, name) in enumerate(zip(files, zip_names(files), strict=True)):
            if info.flag_bits & 0x1 and self._passwords:
                yield Progress(done=done, total=len(files), what="locked file")
            if untouched := self._tally.not_taken(name, special=_special(info)):
                yield untouched
            else:
                yield from self._take(info, self._tally.apart(name))
        yield from self._tally.notes()

    def _take(self, info: zipfile.ZipInfo, name: str) -> Iterator[Member | LedgerLine | Progress]:
        try:
            if info.flag_bits & 0x1:
                yield self._unlocked(info, name)
            else:
                yield from taken_out(name, counted(self._unpacked(info), packed=info.compress_size))
        except TooLargeError as fault:
            yield self._tally.too_large(name, fault, ratio=round(info.file_size / max(info.compress_size, 1)))
        except RoomError:
            raise
        except CorpusError as fault:
            yield self._tally.line(name, Outcome.NOT_READABLE, str(fault))
        except FAULTS:
            yield self._tally.line(name, Outcome.NOT_READABLE, DAMAGED)

    def _unpacked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        self._packed_left -= info.compress_size
        if self._packed_left < 0:
            raise CorpusError("overlaps other files of its archive, as in archives made to do harm")
        try:
            yield from _blocks(self._archive, info)
        except NotImplementedError:
            yield from unpacked_otherwise(self._stream, info)

    def _unlocked(self, info: zipfile.ZipInfo, name: str) -> Member | LedgerLine:
        if self._passwords and is_slow(info):
            self._slow_left -= info.compress_size
            if self._slow_left < 0:
                limit = f"{MAX_SLOW_BYTES // 2**20} MB"
                raise CorpusError(f"locked in an old way that takes long to undo (over {limit}); unlock it yourself")
        data = unlocked(self._stream, info, self._passwords)
        return self._tally.locked(name, tried=len(self._passwords)) if data is None else Member(name=name, data=data)

"""Files packed by themselves (gzip, bzip2, xz, Zstandard) give what they hold; a packed tar archive gives its members."""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, BinaryIO

from r3con_core.errors import CorpusError
from r3con_core.readers import kinds
from r3con_core.readers.archives_members import STEP, Tally, TooLargeError, counted, taken_out
from r3con_core.readers.archives_names import decoded_name
from r3con_core.readers.archives_packed import zstandard
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Member, Progress
from r3con_core.readers.tar import Unpacking, tar_members
from r3con_core.readers.text import file_name

_NAMES = {kinds.GZIP: "gzip", kinds.BZIP2: "bzip2", kinds.XZ: "xz", kinds.ZSTANDARD: "Zstandard"}
_SUFFIX = re.compile(r"(?i)\.(?:gz|gzip|bz2|xz|zst)$")
_TAR_SUFFIX = re.compile(r"(?i)\.t(?:gz|bz2|bz|xz|zst)$")
_TAR_NAME = re.compile(r"(?i)\.(?:tar\.\w+|t(?:gz|bz2|bz|xz|zst))$")
_FAULTS = (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
_HAS_EXTRA, _HAS_NAME = 4, 8
"""Flags of a gzip header (RFC 1952)."""


def read_compressed(file: File) -> Iterator[Member | LedgerLine | Progress]:
    """What a packed file holds, as one member; of a packed tar archive its members.

    Of a damaged file what can be unpacked is given, and its line says so.
    """
    kind = _NAMES[file.source.media_type]
    with file.content.open() as packed, closing(_unpacker(packed, file.source.media_type)) as stream:
        try:
            head = stream.read(512)
        except _FAULTS as fault:
            raise CorpusError(f"a damaged or incomplete {kind} archive") from fault
    with file.content.open() as packed, closing(_unpacker(packed, file.source.media_type)) as stream:
        if _is_tar(head, file.source.path):
            yield from tar_members(Unpacking(stream.read1, packed=file.content.size), file)
        else:
            yield from _single(stream, file)


def _is_tar(head: bytes, path: str) -> bool:
    """Whether a tar archive begins so; an empty one is nothing but zeros, and known by its name."""
    if head[257:262] == b"ustar" or kinds.is_old_tar(head):
        return True
    return len(head) == 512 and not head.strip(b"\x00") and _TAR_NAME.search(path) is not None


def _unpacker(packed: BinaryIO, media_type: str) -> Any:
    match media_type:
        case kinds.GZIP:
            return gzip.GzipFile(fileobj=packed)
        case kinds.BZIP2:
            return bz2.BZ2File(packed)
        case kinds.XZ:
            return lzma.LZMAFile(packed)
    return _Zstandard(packed)


class _Zstandard:
    """Its stream, whose own kind of error becomes the one that the others raise."""

    def __init__(self, packed: BinaryIO) -> None:
        self._module = zstandard()
        self._file = self._module.ZstdFile(packed)

    def read(self, size: int = -1) -> bytes:
        """As of any file."""
        return self._whole(self._file.read, size)

    def read1(self, size: int = -1) -> bytes:
        """As of any file."""
        return self._whole(self._file.read1, size)

    def close(self) -> None:
        """Let go of what it holds."""
        self._file.close()

    def _whole(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            return read(size)
        except self._module.ZstdError as fault:
            raise EOFError(str(fault)) from fault


def _single(stream: Any, file: File) -> Iterator[Member | LedgerLine | Progress]:
    tally = Tally(source=file.source)
    name = _member_name(file)
    unpacked = _Unpacked(stream)
    try:
        yield from taken_out(name, counted(unpacked.blocks(), packed=file.content.size))
    except TooLargeError as fault:
        yield tally.too_large(name, fault)
    yield from tally.notes()
    if unpacked.fault:
        yield tally.fault(f"damaged or incomplete: only its first {unpacked.size:,} bytes could be unpacked")


class _Unpacked:
    """What a stream gives, up to where it is damaged."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.size = 0
        self.fault = False

    def blocks(self) -> Iterator[bytes]:
        """Blocks that are not filled up, so that a damage costs nothing that comes before it."""
        try:
            while block := self._stream.read1(STEP):
                self.size += len(block)
                yield block
        except _FAULTS as fault:
            if not self.size:
                raise CorpusError("a damaged or incomplete archive") from fault
            self.fault = True


def _member_name(file: File) -> str:
    """The name stored in a gzip file, without its folders, else the file's own without the suffix of its packing."""
    stored = _stored_name(file.content) if file.source.media_type == kinds.GZIP else ""
    own = file_name(file.source)
    return stored or _SUFFIX.sub("", _TAR_SUFFIX.sub(".tar", own)) or "unnamed"


def _stored_name(content: Content) -> str:
    head = content.head(4096)
    at = 10 + (2 + int.from_bytes(head[10:12], "little") if head[3:4] and head[3] & _HAS_EXTRA else 0)
    if not head[3:4] or not head[3] & _HAS_NAME or b"\x00" not in head[at:]:
        return ""
    name = decoded_name(head[at:].split(b"\x00", 1)[0])
    last = re.split(r"[/\\]", name)[-1].strip()
    return "" if last in (".", "..") else last

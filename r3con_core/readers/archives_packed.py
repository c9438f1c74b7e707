"""Members of ZIP archives that Python's own unpacker does not open: locked ones, and rarer ways of packing."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO

from r3con_core.errors import CorpusError
from r3con_core.readers.archives_members import MAX_HELD_BYTES, blocks_of, counted, gathered, install_first

MAX_SLOW_BYTES = 16 * 2**20
"""Packed bytes under the old ZIP cipher that are unlocked in one archive: Python needs a second for 1.6 MB."""
MAX_TRIED = 20
"""Passwords tried on one member."""
_AES = 99
_DEFLATE64, _ZSTANDARD = 9, 93
_METHODS = {1: "Shrink", 6: "Implode", 9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd"}
_HEADER = struct.Struct("<4s22xHH")
"""A local file header (APPNOTE 4.3.7): its mark, and how long the name and the extra fields after it are."""
_STEP = 4096
"""Packed bytes unpacked at once: each may become a thousand."""

FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError)
"""What damaged members make the unpackers raise."""


def is_slow(info: zipfile.ZipInfo) -> bool:
    """Whether a locked member is under the old ZIP cipher, which Python undoes byte by byte."""
    return info.compress_type != _AES


def unlocked(stream: BinaryIO, info: zipfile.ZipInfo, passwords: Sequence[str]) -> bytes | None:
    """The bytes of a locked member under the first password that opens it; None when none does.

    Raises CorpusError when it is packed in a way that is not known here, or expands too far, BadZipFile when a password
    fits and what it opens is damaged.
    """
    damaged = False
    for password in passwords[:MAX_TRIED]:
        for encoded in dict.fromkeys((password.encode(), password.encode("cp1252", "replace"))):
            blocks = _open_old(stream, info, encoded) if is_slow(info) else _open_aes(stream, info, encoded)
            try:
                return gathered(counted(blocks, packed=info.compress_size, limit=MAX_HELD_BYTES))
            except NotImplementedError as fault:
                raise CorpusError("locked or packed in a way that cannot be opened here") from fault
            except RuntimeError:  # not this password
                continue
            except FAULTS:
                damaged = not is_slow(info)  # one wrong password in 256 passes the check of the old cipher
    if damaged:
        raise zipfile.BadZipFile("damaged")
    return None


def _open_old(stream: BinaryIO, info: zipfile.ZipInfo, password: bytes) -> Iterator[bytes]:
    with zipfile.ZipFile(stream) as archive, archive.open(info, pwd=password) as member:
        yield from blocks_of(member)  # type: ignore[arg-type]


def _open_aes(stream: BinaryIO, info: zipfile.ZipInfo, password: bytes) -> Iterator[bytes]:
    import pyzipper

    try:
        with pyzipper.AESZipFile(stream) as archive:
            [same, *_] = [one for one in archive.infolist() if one.header_offset == info.header_offset]
            with archive.open(same, pwd=password) as member:
                yield from blocks_of(member)
    except (pyzipper.BadZipFile, LookupError) as fault:  # its own class, not Python's
        raise zipfile.BadZipFile("damaged") from fault


def unpacked_otherwise(stream: BinaryIO, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The blocks of a member that is packed by a method Python's zipfile does not know.

    Raises CorpusError naming the method when there is no unpacker for it here.
    """
    if info.compress_type == _DEFLATE64:
        blocks = _inflated64(_packed(stream, info))
    elif info.compress_type == _ZSTANDARD:
        blocks = _zstandard(_packed(stream, info))
    else:
        method = _METHODS.get(info.compress_type)
        raise CorpusError(f"packed {f'as {method}' if method else 'in a way'} that cannot be unpacked here")
    yield from _checked(blocks, info)


def _checked(blocks: Iterator[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The same blocks; BadZipFile in the end when they are not those that the archive states."""
    checksum, size = 0, 0
    for block in blocks:
        checksum, size = zlib.crc32(block, checksum), size + len(block)
        yield block
    if checksum != info.CRC or size != info.file_size:
        raise zipfile.BadZipFile("not the bytes that were packed")


def _packed(stream: BinaryIO, info: zipfile.ZipInfo) -> Iterator[bytes]:
    stream.seek(info.header_offset)
    mark, name, extra = _HEADER.unpack(stream.read(_HEADER.size))
    if mark != b"PK\x03\x04":
        raise zipfile.BadZipFile("no header where one should be")
    stream.seek(name + extra, io.SEEK_CUR)
    left = info.compress_size
    while left > 0 and (block := stream.read(min(left, _STEP))):
        left -= len(block)
        yield block


def _inflated64(packed: Iterator[bytes]) -> Iterator[bytes]:
    try:
        import inflate64
    except ImportError as fault:
        raise CorpusError(install_first("Deflate64")) from fault
    inflater = inflate64.Inflater()
    for block in packed:
        yield inflater.inflate(block)


def _zstandard(packed: Iterator[bytes]) -> Iterator[bytes]:
    zstd = zstandard()
    unpacker = zstd.ZstdDecompressor()
    for block in packed:
        if unpacker.eof:
            return
        try:
            yield unpacker.decompress(block)
        except zstd.ZstdError as fault:
            raise zipfile.BadZipFile("damaged") from fault


def zstandard() -> Any:
    """The module that unpacks Zstandard: Python's own from 3.14 on. CorpusError when there is none."""
    for name in ("compression.zstd", "backports.zstd"):
        if find_spec(name.split(".", maxsplit=1)[0]) and find_spec(name):
            return import_module(name)
    raise CorpusError(install_first("Zstandard"))

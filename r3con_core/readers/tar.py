"""TAR archives, packed or not, give their members, within limits; no link is followed and no device made."""

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from r3con_core.errors import CorpusError
from r3con_core.readers.archives_members import (
    LINK,
    MAX_RATIO,
    STEP,
    ExpandsError,
    Tally,
    TooLargeError,
    blocks_of,
    check_size,
    counted,
    taken_out,
)
from r3con_core.readers.archives_names import decoded_name
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, Progress

_BLOCK = tarfile.BLOCKSIZE


def read_tar(file: File) -> Iterator[Member | LedgerLine | Progress]:
    """The members of a tar archive in its order, folders left out; a line for each that is not taken out."""
    with file.content.open() as stream:
        whole = Unpacking(stream.read, packed=file.content.size)
        yield from tar_members(whole, file, on_disk=file.content if file.content.path else None)


def tar_members(
    stream: "Unpacking", file: File, *, on_disk: Content | None = None
) -> Iterator[Member | LedgerLine | Progress]:
    """The members of the tar archive that `stream` gives; `on_disk` is the archive where it lies there unpacked."""
    tally = Tally(source=file.source)
    found = False
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
            for info in archive:
                found = found or not info.isdir()
                if not info.isdir():
                    yield from _taken(archive, info, tally, file=file, on_disk=on_disk)
            rest = _has_more(archive.fileobj)
        yield from tally.notes()
        if rest:
            yield tally.fault("damaged or joined: more follows after its last readable file, and was not read")
        elif found and stream.tail.strip(b"\x00"):
            yield tally.fault("it has no end mark, so files may be missing at its end")
        elif not found:
            yield LedgerLine(path=file.source.path, outcome=Outcome.NOTHING_IN_IT, reason="the archive is empty")
    except (tarfile.TarError, EOFError, OSError, ValueError) as fault:
        yield from _broken_off(tally, found=found, fault=fault)
    except TooLargeError as fault:
        yield from tally.notes()
        yield LedgerLine(path=file.source.path, outcome=Outcome.REFUSED, reason=f"{fault}; the rest was not read")


def _broken_off(tally: Tally, *, found: bool, fault: Exception) -> Iterator[LedgerLine]:
    if not found:
        raise CorpusError("a damaged or incomplete tar archive") from fault
    yield from tally.notes()
    yield tally.fault("damaged or incomplete: it breaks off, and what comes after its last file here was not read")


def _has_more(stream: IO[bytes] | None) -> bool:
    """Whether anything but zeros follows after the end that was read."""
    while stream is not None and (block := stream.read(STEP)):
        if block.strip(b"\x00"):
            return True
    return False


def _taken(
    archive: tarfile.TarFile, info: tarfile.TarInfo, tally: Tally, *, file: File, on_disk: Content | None
) -> Iterator[Member | LedgerLine | Progress]:
    name = decoded_name(info.name.encode("utf-8", "surrogateescape"))
    special = LINK if info.issym() or info.islnk() else "" if info.isreg() else "not an ordinary file"
    if untouched := tally.not_taken(name, special=special):
        yield untouched
        return
    own = tally.apart(name)
    try:
        if on_disk and on_disk.path and not info.issparse():
            yield _where_it_lies(info, own, archive=on_disk, path=on_disk.path)
            return
        packed = file.content.size if info.issparse() else info.size
        with archive.extractfile(info) as member:  # type: ignore[union-attr]
            yield from taken_out(own, counted(blocks_of(member), packed=packed))  # type: ignore[arg-type]
    except TooLargeError as fault:
        yield tally.too_large(own, fault)


def _where_it_lies(info: tarfile.TarInfo, name: str, *, archive: Content, path: Path) -> Member:
    """The member as a stretch of the archive on disk."""
    if info.size > archive.size - info.offset_data:
        raise tarfile.ReadError("it ends before its last file does")
    check_size(info.size, packed=info.size)
    start = archive.start + info.offset_data
    return Member(name=name, stretch=Content.on_disk(path, start=start, size=info.size))


class Unpacking:
    """What `read` gives, from front to back; raises ExpandsError when far too much comes out of `packed` bytes."""

    def __init__(self, read: Callable[[int], bytes], *, packed: int) -> None:
        self._read = read
        self._left = max(packed * MAX_RATIO, 16 * STEP)
        self.tail = b""
        """The last bytes that came out of it so far."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        block = self._read(size)
        self.tail = (self.tail + block[-_BLOCK:])[-_BLOCK:]
        self._left -= len(block)
        if self._left < 0:
            raise ExpandsError(f"unpacks to more than {MAX_RATIO} times its size, as archives made to do harm do")
        return block

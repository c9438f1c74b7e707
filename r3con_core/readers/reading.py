"""Reading one file: what it holds, as a stream of events, whatever it does.

The same code reads in this process and in a reader process (`isolation`). Nothing here knows the other files.
"""

import errno
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from r3con_core.documents import Document, Source
from r3con_core.errors import CorpusError, StoppedError
from r3con_core.readers import kinds
from r3con_core.readers.beside import stated_beside
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import (
    File,
    LedgerLine,
    LockedError,
    Member,
    Outcome,
    Progress,
    ReadSettings,
    shown_name,
)
from r3con_core.readers.limits import STREAMED, Limits, RoomError, memory_fault
from r3con_core.readers.noticing import notice
from r3con_core.readers.registry import READERS

_HELD_BYTES = 64 * 2**20
"""Of the members of one container that are kept in memory; what comes after them goes to disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A file, a member or a document of a production: what one reading is of."""

    key: tuple[int, ...]
    """Its number among the files, its number in the container there, and so on: orders all nodes as the ledger is."""
    path: str
    """As in `Source.path`."""
    content: Content
    sha256: str
    depth: int = 0
    """Containers it lies in."""
    media_type: str = ""
    """Empty when it is to be told from the bytes."""
    companions: tuple[tuple[str, Content], ...] = ()
    """As in `File.companions`."""
    on_disk: Path | None = None
    """The file of the analyst that it is; None for members and uploads."""
    changed: int | None = None
    """When that file was changed last, in nanoseconds, as it was when its hash was taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What kind of file it is; comes first."""

    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A member that was taken out of its container."""

    name: str
    content: Content
    sha256: str


Event = Kind | Document | Taken | LedgerLine | Progress


class Pack:
    """Where the bytes of one container's members go: to memory, then to one file."""

    def __init__(self, path: Path, limits: Limits, *, held: int = _HELD_BYTES) -> None:
        """`path` is made when more than `held` bytes are to be kept; the caller removes it."""
        self._path, self._limits = path, limits
        self._memory_left = held
        self._file: BinaryIO | None = None
        self._size = 0

    def take(self, member: Member, container: Content) -> Taken:
        """Keep a member; one that stands in the container as it is stays there. Raises RoomError."""
        content = member.content
        if content.path is None or content.path != container.path:
            content = self._held(content) if self._fits(content.size) else self._written(content)
        return Taken(name=member.name, content=content, sha256=member.content.sha256())

    def close(self) -> None:
        """Write down what is still on its way; what was taken stays."""
        if self._file is not None:
            self._file.close()

    def _fits(self, size: int) -> bool:
        self._memory_left -= size
        return self._memory_left >= 0

    def _held(self, content: Content) -> Content:
        return content if content.path is None else Content.held(content.data())

    def _written(self, content: Content) -> Content:
        self._limits.check_room(self._path.parent, content.size)
        if self._file is None:
            self._file = self._path.open("wb")
        start = self._size
        with content.open() as stream:
            while block := stream.read(2**20):
                self._size += self._file.write(block)
        self._file.flush()
        return Content.on_disk(self._path, start=start, size=self._size - start)


def take_file(path: Path) -> tuple[Content, str, int | None]:
    """The bytes of a file as they are now, their SHA-256, and when it was changed last. Raises OSError."""
    before, digest, size = path.stat(), hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
            size += len(block)
    ordinary = size == before.st_size
    return Content.on_disk(path, size=size), digest.hexdigest(), before.st_mtime_ns if ordinary else None


def findings(node: Node, settings: ReadSettings, limits: Limits, pack: Pack) -> Iterator[Event]:
    """What a file holds; whatever goes wrong is a ledger line of the file, after what was found before."""
    try:
        yield from _read(node, settings, limits, pack)
    except LockedError as fault:
        yield LedgerLine(path=node.path, outcome=Outcome.NOT_READABLE, reason=str(fault), locked=True)
    except CorpusError as fault:
        yield _not_readable(node, str(fault))
    except StoppedError:
        raise
    except MemoryError:
        yield _not_readable(node, memory_fault())
    except Exception as fault:  # noqa: BLE001 - a hostile file may raise anything, and must not stop the other files
        yield _not_readable(node, _why(fault, node))
    if _has_changed(node):
        yield _not_readable(node, "the file was changed or removed while it was read; import it again")


def _read(node: Node, settings: ReadSettings, limits: Limits, pack: Pack) -> Iterator[Event]:
    media_type = node.media_type or kinds.detect(node.content, node.path)
    yield Kind(media_type=media_type)
    if media_type not in READERS:
        yield _not_readable(node, kinds.why_not(media_type, node.path))
        return
    if node.content.size > limits.file_bytes and media_type not in STREAMED:
        reason = f"larger than {limits.file_bytes // 2**20} MB"
        yield LedgerLine(path=node.path, outcome=Outcome.REFUSED, reason=reason)
        return
    source = Source(path=node.path, sha256=node.sha256, media_type=media_type)
    file = File(content=node.content, source=source, settings=settings, companions=node.companions)
    members_left, bytes_left = limits.members_of(media_type), limits.unpacked_bytes
    beside = tuple(stated_beside(file, media_type))
    for found in READERS[media_type](file):
        if isinstance(found, Document):
            yield notice(found, beside)
            beside = ()
            continue
        if isinstance(found, Member) or (isinstance(found, LedgerLine) and found.path != node.path):
            members_left -= 1
            bytes_left -= found.content.size if isinstance(found, Member) else 0
            if members_left < 0 or bytes_left < 0:
                raise CorpusError(limits.beyond(media_type))
        yield pack.take(found, node.content) if isinstance(found, Member) else found


def _not_readable(node: Node, reason: str) -> LedgerLine:
    return LedgerLine(path=node.path, outcome=Outcome.NOT_READABLE, reason=reason)


def _why(fault: Exception, node: Node) -> str:
    if isinstance(fault, OSError):
        if fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return str(RoomError())
        if fault.filename is not None and str(fault.filename) == str(node.content.path):
            return f"cannot be opened: {fault.strerror}"
    return f"damaged, or not what it seems to be ({type(fault).__name__}: {shown_name(str(fault))[:150]})"


def _has_changed(node: Node) -> bool:
    if node.on_disk is None or node.changed is None:
        return False
    try:
        now = node.on_disk.stat()
    except OSError:
        return True
    return (now.st_mtime_ns, now.st_size) != (node.changed, node.content.size)

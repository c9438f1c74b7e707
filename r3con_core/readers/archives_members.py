"""What the readers of archives share: limits counted while unpacking, which names are safe, and what to tell.

No name from an archive is ever used to open or write anything.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from r3con_core.documents import Source
from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content
from r3con_core.readers.kinds import is_clutter
from r3con_core.readers.ledger import LedgerLine, Member, Outcome, Progress, member_path, shown_name
from r3con_core.readers.limits import USUAL_LIMITS

MAX_HELD_BYTES = 256 * 2**20
"""Of a member that is unpacked into memory whole."""
MAX_MEMBER_BYTES = 8 * 2**30
"""Of a member that goes to disk while it is unpacked, such as a mailbox."""
MAX_RATIO = 200
"""Times its packed size that a member may unpack to; an honest workbook reached 170."""
ALWAYS_ALLOWED = 10 * 2**20
"""Unpacked bytes below which the ratio does not matter."""
STEP = 2**20
INSTALL = "pip install 'r3con-analyst[archives]'"
"""What gives the unpackers that are not part of Python."""

SPLIT = (
    "one part of an archive that was split over several files; join them with the program that made them, "
    "and add the archive"
)
PART_NAME = re.compile(r"(?i)\.(?:z\d\d|\d{3})$")
"""How the names of such parts end."""
LINK = "a link; links are not followed"
LOCKED = "Password needed"
DAMAGED = "damaged inside the archive"
_IN_MEMORY = 16 * 2**20
"""Bytes of a member that are kept in memory while it is unpacked."""
_SIGN = 64 * 2**20
"""Bytes unpacked between two signs of life."""
_NAMED = 3
"""Members that expand too far and are named in the line of their archive; the rest are only counted."""


class TooLargeError(CorpusError):
    """What is packed would be larger than one file may be."""


class ExpandsError(TooLargeError):
    """What is packed expands to more than MAX_RATIO times its packed size."""


def check_size(size: int, *, packed: int, limit: int = MAX_MEMBER_BYTES) -> None:
    """Raise TooLargeError when `packed` bytes may not unpack to `size` bytes."""
    if size > max(ALWAYS_ALLOWED, packed * MAX_RATIO):
        raise ExpandsError(f"unpacks to more than {MAX_RATIO} times its size, as archives made to do harm do")
    if size > limit:
        raise TooLargeError(f"unpacks to more than {limit // 2**20:,} MB, the limit for one file")


def counted(blocks: Iterable[bytes], *, packed: int, limit: int = MAX_MEMBER_BYTES) -> Iterator[bytes]:
    """The same blocks; TooLargeError as soon as they are more than `packed` bytes may unpack to.

    What comes out is counted, because the sizes that a header states may be lies.
    """
    unpacked = 0
    for block in blocks:
        unpacked += len(block)
        check_size(unpacked, packed=packed, limit=limit)
        yield block


def taken_out(name: str, blocks: Iterator[bytes]) -> Iterator[Progress | Member]:
    """The member that the blocks are; a large one lies in a temporary file, which is gone when the next is asked for.

    Raises what the blocks raise, and RoomError when the disk is full.
    """
    held = bytearray()
    for block in blocks:
        held += block
        if len(held) > _IN_MEMORY:
            break
    else:
        yield Member(name=name, data=bytes(held))
        return
    with tempfile.TemporaryDirectory(prefix="r3con-") as folder:
        path = Path(folder) / "member"
        with path.open("wb") as out:
            size = out.write(held)
            held.clear()
            for block in blocks:
                size += out.write(block)
                if size % _SIGN < len(block):
                    USUAL_LIMITS.check_room(path.parent, 0)
                    yield Progress(done=size // 2**20, total=0, what="MB")
        yield Member(name=name, stretch=Content.on_disk(path))


def blocks_of(stream: BinaryIO) -> Iterator[bytes]:
    """All that a stream gives, in blocks."""
    while block := stream.read(STEP):
        yield block


def gathered(blocks: Iterable[bytes]) -> bytes:
    """The blocks as one."""
    unpacked = bytearray()
    for block in blocks:
        unpacked += block
    return bytes(unpacked)


def is_unsafe(name: str) -> bool:
    """Whether a member's name points outside the archive, here or on a computer where backslashes part folders."""
    name = name.replace("\\", "/")
    return name.startswith("/") or re.match(r"[A-Za-z]:", name) is not None or ".." in name.split("/")


def install_first(method: str) -> str:
    """The reason for what is packed by `method`, when its unpacker is not installed."""
    return f"packed as {method}, which needs one more package. Install it with: {INSTALL}"


@dataclass(slots=True)
class Tally:
    """Counts what an archive holds and is not read, and keeps its members' names apart."""

    source: Source
    refused: int = 0
    junk: int = 0
    expanding: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def apart(self, name: str) -> str:
        """The name, with " (2)" and so on after it when another member has it already; "unnamed" for an empty one."""
        plain = name.removeprefix("./").strip("/") or "unnamed"
        own, number = plain, 1
        while own in self.taken:
            number += 1
            own = f"{plain} ({number})"
        self.taken.add(own)
        return own

    def line(self, name: str, outcome: Outcome, reason: str) -> LedgerLine:
        """What became of a member that was not taken out."""
        return LedgerLine(path=member_path(self.source, name), outcome=outcome, reason=reason)

    def locked(self, name: str, *, tried: int) -> LedgerLine:
        """The line of a member that none of the `tried` passwords opens."""
        reason = f"{LOCKED}: none of those given opens it" if tried else LOCKED
        path = member_path(self.source, name)
        return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason=reason, locked=True)

    def not_taken(self, name: str, *, special: str = "") -> LedgerLine | None:
        """The line of a member that is not to be touched, because it is `special`, unsafe or junk; else None."""
        reason = special or ("an unsafe name that points outside the archive" if is_unsafe(name) else "")
        if reason:
            self.refused += 1
            path = f"{self.source.path} > {shown_name(name)}"
            return LedgerLine(path=path, outcome=Outcome.REFUSED, reason=reason)
        if is_clutter(name):
            self.junk += 1
            return self.line(name, Outcome.SKIPPED, "a hidden or system file")
        return None

    def too_large(self, name: str, fault: TooLargeError, *, ratio: int = 0) -> LedgerLine:
        """The line of a member that expands beyond the limits; `ratio` is what its archive states, 0 if nothing."""
        expands = f"{ratio}:1" if ratio > MAX_RATIO else f"more than {MAX_RATIO}:1"
        how = f"expands {expands} beyond the limit" if isinstance(fault, ExpandsError) else str(fault)
        self.expanding.append(f"{shown_name(name)} skipped: {how}")
        return self.line(name, Outcome.REFUSED, str(fault))

    def notes(self) -> Iterator[LedgerLine]:
        """What the archive's own line adds about its members."""
        yield from map(self.fault, self.expanding[:_NAMED])
        if len(self.expanding) > _NAMED:
            yield self.fault(f"{len(self.expanding) - _NAMED} more skipped: they expand beyond the limit")
        if self.refused:
            yield self.fault(f"{_number(self.refused, 'entry', 'entries')} refused: unsafe path or link")
        if self.junk:
            reason = f"{_number(self.junk, 'junk file', 'junk files')} skipped"
            yield LedgerLine(path=self.source.path, outcome=Outcome.READ, reason=reason)

    def fault(self, reason: str) -> LedgerLine:
        """A warning of the archive as a whole."""
        return LedgerLine(path=self.source.path, outcome=Outcome.READ_WITH_WARNINGS, reason=reason)


def _number(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"

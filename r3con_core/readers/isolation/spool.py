"""A queue of what was found that goes on in a file when it is long, so that a reader never waits for its listener."""

from collections import deque
from pathlib import Path
from typing import BinaryIO

from r3con_core.documents import Document
from r3con_core.readers.isolation import protocol
from r3con_core.readers.reading import Event, Node, Taken

_IN_MEMORY = 2**20
"""Bytes, about."""


class Spool:
    """First in, first out; of one node, whose members lie in `pack`."""

    def __init__(self, node: Node, pack: Path, file: Path) -> None:
        """`file` is made when memory does not suffice."""
        self._node, self._pack, self._path = node, pack, file
        self._held: deque[tuple[Event, int]] = deque()
        self._left = _IN_MEMORY
        self._file: BinaryIO | None = None
        self._read_at = self._written_to = 0

    def put(self, event: Event) -> None:
        """Add one."""
        size = _weight(event)
        if self._read_at == self._written_to and size <= self._left:
            self._left -= size
            self._held.append((event, size))
            return
        if self._file is None:
            self._file = self._path.open("w+b")
        self._file.seek(self._written_to)
        protocol.write_frame(self._file, *protocol.encode(event, self._pack))
        self._written_to = self._file.tell()

    def get(self) -> Event | None:
        """Take the first; None when there is none now."""
        if self._held:
            event, size = self._held.popleft()
            self._left += size
            return event
        if self._file is None or self._read_at == self._written_to:
            return None
        self._file.seek(self._read_at)
        frame = protocol.read_frame(self._file)
        assert frame is not None
        self._read_at = self._file.tell()
        if self._read_at == self._written_to:
            self._file.truncate(0)
            self._read_at = self._written_to = 0
        said = protocol.decode(*frame, node=self._node, pack=self._pack)
        assert not isinstance(said, protocol.Begun | protocol.Ended)
        return said

    def close(self) -> None:
        """Forget everything."""
        self._held.clear()
        if self._file is not None:
            self._file.close()
            self._path.unlink(missing_ok=True)


def _weight(event: Event) -> int:
    """About how many bytes an event takes in memory."""
    if isinstance(event, Document):
        return 1_000 + 2 * len(event.text) + 300 * (len(event.units) + len(event.findings))
    return 1_000 if isinstance(event, Taken) else 500

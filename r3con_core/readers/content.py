"""The bytes of a file or member, in memory or on disk, so that a large one need never be in memory whole."""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_STEP = 2**20
HEAD = 65_536
"""Bytes looked at to tell what a file is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Bytes that can be read again and again; made by `held` or `on_disk`."""

    size: int
    memory: bytes | None = None
    path: Path | None = None
    start: int = 0
    """Where in the file at `path` they begin."""

    @classmethod
    def held(cls, data: bytes) -> "Content":
        """Bytes in memory."""
        return cls(size=len(data), memory=data)

    @classmethod
    def on_disk(cls, path: Path, *, start: int = 0, size: int | None = None) -> "Content":
        """A file, or `size` bytes of it from `start`. Raises OSError when it cannot be looked at."""
        whole = path.stat().st_size - start if size is None else size
        return cls(size=whole, path=path.absolute(), start=start)

    def open(self) -> BinaryIO:
        """A stream of just these bytes, that can seek; the caller closes it."""
        if self.path is None:
            return io.BytesIO(self.memory or b"")
        stream = self.path.open("rb")
        whole = self.start == 0 and self.size == self.path.stat().st_size
        return stream if whole else io.BufferedReader(_Stretch(stream, self.start, self.size))

    def data(self) -> bytes:
        """All of them."""
        if self.memory is not None:
            return self.memory
        with self.open() as stream:
            return stream.read()

    def head(self, size: int = HEAD) -> bytes:
        """The first of them."""
        if self.memory is not None:
            return self.memory[:size]
        with self.open() as stream:
            return stream.read(size)

    def sha256(self) -> str:
        """Their SHA-256 in hexadecimal; about a second a gigabyte."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while block := stream.read(_STEP):
                digest.update(block)
        return digest.hexdigest()


class _Stretch(io.RawIOBase):
    """A part of an open file, read as if it were all there is."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._stream, self._start, self._size = stream, start, size
        self._at = 0
        stream.seek(start)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        self._stream.seek(self._start + self._at)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._stream.read(max(min(len(buffer), self._size - self._at), 0))
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)

    def close(self) -> None:
        self._stream.close()
        super().close()

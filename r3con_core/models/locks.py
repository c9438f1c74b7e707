"""One process at a time: an operating-system lock that dies with its holder, so that none is ever stale."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from r3con_core.errors import ModelFileError

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def only_one(path: Path, *, doing: str) -> Iterator[None]:
    """Hold the lock file `path` for the block; ModelFileError at once if another process holds it."""
    with path.open("ab") as file:
        try:
            _take(file)
        except OSError as fault:
            raise ModelFileError(f"Another process is already {doing}. Wait for it to finish.") from fault
        yield

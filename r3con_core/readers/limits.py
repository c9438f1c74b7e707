"""How much reading one file may cost."""

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from r3con_core.errors import CorpusError
from r3con_core.readers import kinds

_MB, _GB = 2**20, 2**30
_PST = "application/vnd.ms-outlook-pst"

STREAMED = frozenset(
    {
        kinds.TEXT,
        kinds.MARKDOWN,
        kinds.CSV,
        kinds.TSV,
        kinds.JSON_LINES,
        kinds.MAILBOX,
        kinds.ZIP,
        kinds.TAR,
        kinds.GZIP,
        kinds.BZIP2,
        kinds.XZ,
        kinds.ZSTANDARD,
        kinds.SEVEN_ZIP,
        _PST,
    }
)
"""Kinds of files whose readers hold a part of them in memory at a time, so that they may be of any size."""
MAIL_STORES = frozenset({kinds.MAILBOX, _PST})
"""Kinds of files that may have more members than others."""
MAX_FILE_BYTES = 512 * _MB
MOST_PROCESSES = 4


class RoomError(CorpusError):
    """The disk has too little room left to unpack more."""

    def __init__(self) -> None:
        super().__init__("the disk has too little room to unpack it; the rest was not read")


def default_processes() -> int:
    """One for each physical core this process may use, at most MOST_PROCESSES."""
    if sys.platform != "linux":
        return max(1, min(MOST_PROCESSES, (os.cpu_count() or 2) // (1 if sys.platform == "darwin" else 2)))
    cores = set()
    for number in os.sched_getaffinity(0):
        siblings = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        cores.add(siblings.read_text("ascii").strip() if siblings.exists() else str(number))
    return max(1, min(MOST_PROCESSES, len(cores)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Beyond them a file, or the rest of it, is left unread, and its ledger line says so."""

    seconds: float = 60
    """Without anything found and without a sign of life; of files read in processes of their own."""
    memory: int = 4 * _GB
    """Bytes of address space of a reader's process, and of each program it starts; where the system can limit it."""
    file_bytes: int = MAX_FILE_BYTES
    """Of one file that is not STREAMED."""
    members: int = 100_000
    """Taken out of one file, at any depth."""
    mails: int = 1_000_000
    """Taken out of one file of MAIL_STORES."""
    unpacked_bytes: int = 20 * _GB
    """Taken out of one file, at any depth."""
    free_bytes: int = _GB
    """Left free on the disk that members are unpacked to."""
    depth: int = 10
    """Containers inside each other."""
    processes: int = field(default_factory=default_processes)
    """That read files at the same time."""

    def members_of(self, media_type: str) -> int:
        """How many members a file of this kind may have."""
        return self.mails if media_type in MAIL_STORES else self.members

    def beyond(self, media_type: str) -> str:
        """What to tell of a container that holds more."""
        size = f"{self.unpacked_bytes / _GB:.3g} GB"
        return f"it holds more than {self.members_of(media_type):,} files or {size}; the rest was not read"

    def check_room(self, folder: Path, needed: int) -> None:
        """Raises RoomError when the disk with `folder` has no room for `needed` bytes more."""
        if shutil.disk_usage(folder).free < needed + self.free_bytes:
            raise RoomError


USUAL_LIMITS = Limits()


def memory_fault() -> str:
    """What to tell of a file that needs more memory than this process is given."""
    if sys.platform != "win32":
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            return f"needs more memory than {limit / _GB:.3g} GB"
    return "needs more memory than there is"

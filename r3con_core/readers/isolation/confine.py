"""What a reader process gives up before it opens anything: memory, the right to leave dumps, its parent's output."""

import os
import re
import signal
import sys
from pathlib import Path
from typing import BinaryIO


def limit_process(*, memory: int) -> None:
    """Limit the address space to `memory` bytes and leave no core dumps, where the system can; `memory` 0 is no limit."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory and sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def limit_files(size: int) -> None:
    """Let no file that this process writes grow beyond `size` bytes, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def take_output() -> BinaryIO:
    """The pipe to the importer, for frames alone; what libraries print goes nowhere from now on."""
    pipe = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return pipe


def alarm(seconds: float) -> None:
    """Have the system end this process after so long, in case that the importer is no more; 0 calls it off."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def end_at_once() -> None:
    """End this process and the programs it has started, where the system can."""
    if sys.platform == "win32":
        os._exit(1)
    os.killpg(0, signal.SIGKILL)


def memory_used() -> int:
    """The most bytes this process has held at a time; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    if sys.platform == "linux":
        # What getrusage says begins with the size of the process that started this one, however large that was.
        stated = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii", "replace"))
        return int(stated[1]) * 1024 if stated else 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024

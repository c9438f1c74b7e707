"""Memory of a process and all it started, while it runs."""

import time
from dataclasses import dataclass

import psutil

EVERY_SECONDS = 0.1
USS_EVERY = 5
"""Each so many looks: it takes the system a while to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """Bytes, at their highest, of a process and its children together."""

    rss: int = 0
    """Resident; what two of them share is counted twice."""
    uss: int = 0
    """Theirs alone: what would be free without them."""


def follow(pid: int) -> Peak:
    """Look at process `pid` until it ends."""
    rss = uss = looks = 0
    root = psutil.Process(pid)
    while _is_running(root):
        tree = _tree(root)
        rss = max(rss, sum(_rss(process) for process in tree))
        if looks % USS_EVERY == 0:
            uss = max(uss, sum(_uss(process) for process in tree))
        looks += 1
        time.sleep(EVERY_SECONDS)
    return Peak(rss=rss, uss=uss)


def wait_for(pid: int) -> None:
    """Until process `pid`, a child of ours, has ended."""
    try:
        psutil.Process(pid).wait()
    except psutil.NoSuchProcess:
        return


def _is_running(process: psutil.Process) -> bool:
    try:
        process.wait(timeout=0)
    except psutil.TimeoutExpired:
        return True
    except psutil.NoSuchProcess:
        return False
    return False


def _tree(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _uss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0

"""Signs of life of processes, by a clock that nobody sets: no change of the time of day makes the living look dead.

The clock runs from the start of the computer, and is one for all its processes (seen so in CPython on Linux, macOS and
Windows). It stands still while a computer sleeps, so that nobody is found dead on waking.
"""

import time

HEARTBEAT_LIMIT = 60.0
"""Seconds without a sign of life after which a process counts as dead."""


def steady() -> float:
    """Seconds since this computer was started, or a little before or after that."""
    return time.monotonic()


def shows_life(heartbeat: float | None) -> bool:
    """Whether a sign of life is a fresh one; one of another computer, or from before this one was started, is not."""
    return heartbeat is not None and 0 <= steady() - heartbeat < HEARTBEAT_LIMIT

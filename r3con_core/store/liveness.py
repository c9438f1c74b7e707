"""Signs of life of processes, by a clock that nobody sets: no change of the time of day makes the living look dead.

The clock runs from the start of the computer, and is one for all its processes (seen so in CPython on Linux, macOS and
Windows). It stands still while a computer sleeps, so that nobody is found dead on waking.
"""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

HEARTBEAT_LIMIT = 60.0
"""Seconds without a sign of life after which a process counts as dead."""


def steady() -> float:
    """Seconds since this computer was started, or a little before or after that."""
    return time.monotonic()


def shows_life(heartbeat: float | None) -> bool:
    """Whether a sign of life is a fresh one; one of another computer, or from before this one was started, is not."""
    return heartbeat is not None and 0 <= steady() - heartbeat < HEARTBEAT_LIMIT


def runs_and_holders(store: Path) -> tuple[tuple[str, ...], set[int]]:
    """Ids of a project's runs, and numbers of processes that have shown life of late; none where it cannot be read.

    The file is opened for reading only, and nothing that acts in it is trusted: it may be a stranger's.
    """
    holders = " union all ".join(f"select pid, heartbeat from {table}" for table in ("runs", "imports", "errands"))
    try:
        with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("pragma trusted_schema = off")
            runs = tuple(str(run) for (run,) in db.execute("select id from runs"))
            found = db.execute(holders).fetchall()
    except sqlite3.Error:
        return (), set()
    return runs, {pid for pid, beat in found if isinstance(pid, int) and isinstance(beat, float) and shows_life(beat)}

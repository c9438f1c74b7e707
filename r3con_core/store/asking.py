"""Who asks a model what just now, so that no prompt is asked twice at once: by two threads, or by two runs."""

import os
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from r3con_core.errors import StoreError
from r3con_core.processes import is_alive
from r3con_core.store.liveness import shows_life, steady
from r3con_core.store.project import Project

_UNDER_WAY: set[tuple[Path, str]] = set()
"""Store and key of each prompt that a thread of this process asks just now: a claim with our process number that is not
here was left by an earlier process that had the same number. Changed within transactions on that store only, so that
it goes with the rows."""


def claim(project: Project, key: str) -> bool:
    """Claim the prompt `key` for the caller, who must then keep its reply or `release` it.

    False while another thread or a living process is at it, or when its reply is there by now.
    """
    if _is_claimed(project, project.db, key):
        return False
    with project.change() as db:
        answered = db.execute("select 1 from calls where key = ?", (key,)).fetchone()
        if answered or _is_claimed(project, db, key):
            return False
        db.execute("insert or replace into asking values (?, ?, ?)", (key, os.getpid(), steady()))
        _UNDER_WAY.add(_name(project, key))
        return True


def forget_claim(project: Project, db: Connection, key: str) -> None:
    """The prompt is no longer asked, in the caller's transaction."""
    _UNDER_WAY.discard(_name(project, key))
    db.execute("delete from asking where key = ?", (key,))


def release(project: Project, key: str) -> None:
    """Give up a claim of the caller's without a reply."""
    try:
        with project.change() as db:
            forget_claim(project, db, key)
    except StoreError:
        _UNDER_WAY.discard(_name(project, key))  # its row stays, and no longer counts
        raise


def _is_claimed(project: Project, db: Connection, key: str) -> bool:
    row = db.execute("select pid, since from asking where key = ?", (key,)).fetchone()
    if row is None:
        return False
    if row["pid"] == os.getpid():
        return _name(project, key) in _UNDER_WAY
    return is_alive(row["pid"]) and (shows_life(row["since"]) or _is_working(db, row["pid"]))


def _is_working(db: Connection, pid: int) -> bool:
    """A run's worker with this number shows signs of life: numbers of ended processes are given out again."""
    beats = db.execute("select heartbeat from runs where pid = ?", (pid,)).fetchall()
    return any(shows_life(beat) for (beat,) in beats)


def _name(project: Project, key: str) -> tuple[Path, str]:
    return _whole(project.path), key


@cache
def _whole(path: Path) -> Path:
    """The path that is the same for every way to name the file."""
    return path.resolve()

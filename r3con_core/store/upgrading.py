"""Projects of earlier versions are brought to this one's shape; a copy is kept until that has gone well."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.store.connection import may_write
from r3con_core.store.migrations import MIGRATIONS, migrate
from r3con_core.store.shape import check_shape, steps_of

COPY = "before-upgrade"
"""How copies end, after the name of the file and a number."""
_ROOM = 3
"""How often the file must find room on the disk: for its copy, and for what the steps write."""


def bring_up_to_date(db: sqlite3.Connection, path: Path) -> None:
    """Apply the steps the file has not had; StoreError where there is no room for a copy, or they do not go well."""
    if len(steps_of(db)) == len(MIGRATIONS):
        return
    _check_place(path)
    copy = path.with_name(f"{path.name}.{os.getpid()}.{COPY}")
    try:
        _copy(db, copy)
        migrate(db)
        check_shape(db, path)
    except (sqlite3.Error, StoreError) as error:
        where = f" A copy of it as it was is {copy.name} beside it." if copy.exists() else ""
        raise StoreError(f"{path} could not be brought to the shape of this version: {error}.{where}") from error
    _drop(copy)


def _check_place(path: Path) -> None:
    if not may_write(path):
        raise StoreError(
            f"{path} was made by an earlier version of R3Con Analyst and may not be written, so it cannot be brought to "
            "this one's shape. Copy its folder to a place that may be written."
        )
    needed, free = _ROOM * path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreError(
            f"{path} was made by an earlier version of R3Con Analyst. To bring it to this one's shape, "
            f"{(needed >> 20) + 1:,} MB must be free on its disk, and {free >> 20:,} MB are. Make room and open it again."
        )


def _copy(db: sqlite3.Connection, copy: Path) -> None:
    try:
        with closing(sqlite3.connect(copy)) as target:
            db.backup(target)
    except sqlite3.Error:
        _drop(copy)  # half a copy is none
        raise


def _drop(copy: Path) -> None:
    """Remove a copy; one that another program holds stays, and goes with the project."""
    with suppress(OSError):
        copy.unlink(missing_ok=True)

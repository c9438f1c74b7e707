"""Connections to a project's file, on which SQLite's errors come as sentences a person can act on."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from r3con_core.errors import StoreError

_JOURNAL_BYTES = 4 << 20
"""What SQLite's journal shrinks to after it has grown larger."""
_WAIT_SECONDS = 20
_RESCUE = "Save what can be saved with: r3con rescue FOLDER"


def _in_words(method: Any) -> Any:
    @wraps(method)
    def told(self: "Cursor", *given: Any) -> Any:
        try:
            return method(self, *given)
        except sqlite3.Error as error:
            if (fault := _fault(self.connection.path, error)) is None:
                raise
            raise fault from error

    return told


class Cursor(sqlite3.Cursor):
    """As SQLite's own, but reading that fails says why in words, wherever that is noticed."""

    connection: "Connection"
    execute = _in_words(sqlite3.Cursor.execute)
    executemany = _in_words(sqlite3.Cursor.executemany)
    __next__ = _in_words(sqlite3.Cursor.__next__)
    fetchone = _in_words(sqlite3.Cursor.fetchone)
    fetchall = _in_words(sqlite3.Cursor.fetchall)


class Connection(sqlite3.Connection):
    """A connection that knows which file it is to."""

    path: Path = Path()

    def cursor(self, factory: Any = Cursor) -> Any:
        """One whose errors are told in words."""
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        """As SQLite's own, with such a cursor."""
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any) -> Any:
        """As SQLite's own, with such a cursor."""
        return self.cursor().executemany(sql, parameters)


def connect(path: Path) -> Connection:
    """A connection to a file that is there, in autocommit; where it may not be written, it can be read.

    The file is never made, so that a project that was removed does not come back empty.
    """
    with explained(path):
        if may_write(path):
            return _for_writing(path)
        return _for_reading(path)


def may_write(path: Path) -> bool:
    """Whether the file and its folder may be written; SQLite needs both."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def keep_journal(db: sqlite3.Connection) -> None:
    """See to it that the file is written with a journal beside it, so that it can be read meanwhile."""
    db.execute("pragma journal_mode = wal")


def _for_writing(path: Path) -> Connection:
    db = _opened(path, "mode=rw")
    db.execute("pragma synchronous = normal")
    db.execute(f"pragma journal_size_limit = {_JOURNAL_BYTES}")
    db.execute("pragma foreign_keys = on")
    return db


def _for_reading(path: Path) -> Connection:
    """What cannot change needs no journal; where one lies beside it, the file alone is not the whole."""
    journal = path.with_name(f"{path.name}-wal")
    if journal.exists() and journal.stat().st_size:
        raise StoreError(
            f"{path.parent} may not be written, and the newest changes are not in the project's file yet. "
            "Copy the whole folder to a place that may be written, and open it there."
        )
    return _opened(path, "mode=ro&immutable=1")


def _opened(path: Path, how: str) -> Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    db = sqlite3.connect(address, timeout=_WAIT_SECONDS, isolation_level=None, factory=Connection, uri=True)
    db.path = path
    db.row_factory = sqlite3.Row
    db.execute("pragma trusted_schema = off")
    db.execute("pragma cell_size_check = on")
    db.execute("pragma secure_delete = on")
    return db


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        if (fault := _fault(path, error)) is None:
            raise
        raise fault from error


def _fault(path: Path, error: sqlite3.Error) -> StoreError | None:
    """What to say in place of `error`; None where the program is at fault, not the file."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # Python's own complaint about a text that is none
        damaged = isinstance(error, sqlite3.OperationalError) and "decode" in str(error)
        return _damaged(path, error) if damaged else None
    return _told(path, code & 0xFF, error)


def _told(path: Path, code: int, error: sqlite3.Error) -> StoreError | None:
    """The sentence for one of SQLite's primary result codes; None for those that tell of the program."""
    match code:
        case sqlite3.SQLITE_FULL:
            return StoreError(f"The disk is full, so {path} could not be written. Make room, then resume.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreError(f"{path} may not be written. Check the folder's permissions, or copy it elsewhere.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(f"{path} is held by another program. Close it there and try again.")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT:
            return _damaged(path, error)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PROTOCOL:
            return StoreError(f"{path} cannot be used: {error}. Check that it is there, the disk, and the permissions.")
    return None


def _damaged(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(f"{path} is not a readable project file ({error}). {_RESCUE}")

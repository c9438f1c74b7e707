"""Imports: which files were asked for and how far reading them came; and where the files of documents lie."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from r3con_core.audit import Event
from r3con_core.errors import StoreError
from r3con_core.store.audit import note
from r3con_core.store.liveness import steady
from r3con_core.store.project import Project, now

ORIGINALS = "originals"
"""The folder of a project with the files that lie nowhere else: uploads, and members of containers."""


class ImportState(StrEnum):
    """How far an import has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """A process is at it, or about to be."""
        return self in (ImportState.QUEUED, ImportState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One reading of files and folders into the project."""

    id: int
    paths: tuple[str, ...]
    """As they were given, absolute; empty for uploads."""
    settings: str
    """Of reading, as JSON; never a password."""
    state: ImportState
    listing: str
    """A hash of the names of its files, by which a folder that changed is noticed on resuming; empty for uploads."""
    total: int
    """Files on disk, those in containers not counted."""
    done: int
    current: str
    """The path read last."""
    started: str
    """UTC, ISO 8601."""
    ended: str
    error: str


_COLUMNS = "id, paths, settings, state, listing, total, done, current, started, ended, error"


def create_import(project: Project, paths: Sequence[str], settings: str, total: int) -> int:
    """A new import that waits for a process; its number."""
    with project.change() as db:
        row = db.execute(
            "insert into imports (paths, settings, state, total, started) values (?, ?, ?, ?, ?)",
            (json.dumps(list(paths)), settings, ImportState.QUEUED.value, total, now()),
        )
        note(db, Event.IMPORT_BEGUN, import_=row.lastrowid, paths=list(paths), files=total)
        return int(row.lastrowid or 0)


def start_over(project: Project, import_id: int, listing: str, total: int) -> None:
    """Make an import begin with its first file again, because there are other files now."""
    with project.change() as db:
        db.execute("update imports set listing = ?, total = ?, done = 0 where id = ?", (listing, total, import_id))


def list_imports(project: Project) -> tuple[Import, ...]:
    """All of them, oldest first."""
    return tuple(map(_import, project.db.execute(f"select {_COLUMNS} from imports order by id")))


def load_import(project: Project, import_id: int) -> Import:
    """One import; StoreError when there is none of this number."""
    row = project.db.execute(f"select {_COLUMNS} from imports where id = ?", (import_id,)).fetchone()
    if row is None:
        raise StoreError(f"This project has no import {import_id}.")
    return _import(row)


def _import(row: sqlite3.Row) -> Import:
    stated = dict(row)
    return Import(**{**stated, "paths": tuple(json.loads(stated["paths"])), "state": ImportState(stated["state"])})


def claim_import(project: Project, import_id: int, pid: int) -> bool:
    """Take a waiting import for this process; False when another has it or it is at its end."""
    with project.change() as db:
        taken = db.execute(
            "update imports set state = ?, pid = ?, heartbeat = ?, stop = 0, error = '', ended = '' "
            "where id = ? and state = ?",
            (ImportState.RUNNING.value, pid, steady(), import_id, ImportState.QUEUED.value),
        )
    return taken.rowcount == 1


def set_import_state(project: Project, import_id: int, state: ImportState, error: str = "") -> None:
    """The state the import is in now, with what went wrong."""
    ended = "" if state.active else now()
    with project.change() as db:
        db.execute(
            "update imports set state = ?, error = ?, ended = ?, pid = null, heartbeat = null, stop = 0 where id = ?",
            (state.value, error, ended, import_id),
        )
        if not state.active:
            note(db, Event.IMPORT_ENDED, import_=import_id, state=state.value)


def beat_import(project: Project, import_id: int, current: str | None = None) -> None:
    """Say that the process is alive, and what it reads if that is another file than before."""
    with project.change() as db:
        db.execute(
            "update imports set heartbeat = ?, current = coalesce(?, current) where id = ?",
            (steady(), current, import_id),
        )


def withdraw_import(project: Project, import_id: int) -> bool:
    """Stop an import that no process has taken yet; False when one has, or it is at its end."""
    with project.change() as db:
        withdrawn = db.execute(
            "update imports set state = ?, ended = ? where id = ? and state = ?",
            (ImportState.STOPPED.value, now(), import_id, ImportState.QUEUED.value),
        )
    return withdrawn.rowcount == 1


def ask_import_to_stop(project: Project, import_id: int) -> None:
    """Ask its process to stop."""
    with project.change() as db:
        db.execute("update imports set stop = 1 where id = ?", (import_id,))


def import_stop_asked(project: Project, import_id: int) -> bool:
    """Whether somebody asked it to stop."""
    row = project.db.execute("select stop from imports where id = ?", (import_id,)).fetchone()
    return bool(row and row["stop"])


def import_holder(project: Project, import_id: int) -> tuple[int | None, float | None]:
    """The process that has it, and its last sign of life by the steady clock."""
    row = project.db.execute("select pid, heartbeat from imports where id = ?", (import_id,)).fetchone()
    return row["pid"], row["heartbeat"]


def note_upload(project: Project, import_id: int, number: int, upload: tuple[str, str]) -> None:
    """Remember the hash and the name of an upload."""
    with project.change() as db:
        db.execute("insert into uploads values (?, ?, ?, ?)", (import_id, number, *upload))


def upload_of(project: Project, import_id: int, number: int) -> tuple[str, str]:
    """The hash and the name of an upload; StoreError when there is none."""
    row = project.db.execute(
        "select sha256, name from uploads where import_id = ? and file_number = ?", (import_id, number)
    ).fetchone()
    if row is None:
        raise StoreError("The project has no copy of this upload. Add the file again.")
    return row["sha256"], row["name"]


def keep_place(project: Project, sha256: str, place: str, path: str) -> None:
    """Remember where the bytes of a document lie: an absolute path, or ORIGINALS for the project's own folder."""
    with project.change() as db:
        db.execute("insert or replace into originals values (?, ?, ?)", (sha256, place, path))


def place_of(project: Project, sha256: str) -> Path | None:
    """Where the bytes with this hash lie, if the project knows; they may have been changed or moved since."""
    row = project.db.execute("select place from originals where sha256 = ?", (sha256,)).fetchone()
    if row is None:
        return None
    return original_path(project, sha256) if row["place"] == ORIGINALS else Path(row["place"])


def copies_of(project: Project) -> tuple[str, ...]:
    """Hashes of the files that lie in the project's own folder."""
    rows = project.db.execute("select sha256 from originals where place = ?", (ORIGINALS,))
    return tuple(sha256 for (sha256,) in rows)


def original_path(project: Project, sha256: str) -> Path:
    """Where the project keeps bytes with this hash."""
    return project.folder / ORIGINALS / sha256[:2] / sha256

"""Errands as rows: small pieces of model work beside a run, who holds them, and what came of them."""

import sqlite3
import uuid
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.errors import StoreError
from r3con_core.processes import is_alive
from r3con_core.store.liveness import shows_life, steady
from r3con_core.store.project import Project, now

HEARTBEAT_LIMIT = 60.0
"""Seconds without a sign of life after which an errand counts as dead."""


class ErrandState(StrEnum):
    """Where an errand stands."""

    QUEUED = "queued"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def active(self) -> bool:
        """A process is, or should be, at work."""
        return self in (ErrandState.QUEUED, ErrandState.WORKING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandRow:
    """One errand as it is kept."""

    id: str
    run_id: str
    kind: str
    asked: str
    """What is to be done, as JSON of its kind."""
    state: ErrandState
    result: str
    """What has come of it so far, as JSON of its kind; empty before anything has."""
    error: str
    """Why it failed or was stopped, in a plain sentence."""
    created: str
    """UTC, ISO 8601."""
    ended: str


def add_errand(project: Project, run_id: str, kind: str, asked: str) -> str:
    """A queued errand; its id. StoreError while another of the run is not done."""
    errand_id = f"errand-{uuid.uuid4().hex[:12]}"
    active = (ErrandState.QUEUED.value, ErrandState.WORKING.value)
    with project.change() as db:
        if db.execute("select 1 from errands where run_id = ? and state in (?, ?)", (run_id, *active)).fetchone():
            raise StoreError("The model is still at work beside this run. Wait until that is done, or stop it.")
        db.execute(
            "insert into errands (id, run_id, kind, asked, state, created, heartbeat) values (?, ?, ?, ?, ?, ?, ?)",
            (errand_id, run_id, kind, asked, ErrandState.QUEUED.value, now(), steady()),
        )
    return errand_id


def load_errand(project: Project, errand_id: str) -> ErrandRow:
    """One errand; StoreError when the project has none with this id."""
    row = project.db.execute("select * from errands where id = ?", (errand_id,)).fetchone()
    if row is None:
        raise StoreError(f"This project has no errand {errand_id!r}.")
    return _errand(row)


def list_errands(project: Project, run_id: str) -> tuple[ErrandRow, ...]:
    """All errands of a run, newest first."""
    rows = project.db.execute("select * from errands where run_id = ? order by rowid desc", (run_id,))
    return tuple(map(_errand, rows))


def _errand(row: sqlite3.Row) -> ErrandRow:
    return ErrandRow(
        id=row["id"],
        run_id=row["run_id"],
        kind=row["kind"],
        asked=row["asked"],
        state=ErrandState(row["state"]),
        result=row["result"],
        error=row["error"],
        created=row["created"],
        ended=row["ended"],
    )


def claim_errand(project: Project, errand_id: str, pid: int) -> bool:
    """Make process `pid` the one that runs it; False when it is not queued any more."""
    with project.change() as db:
        claimed = db.execute(
            "update errands set state = ?, pid = ?, heartbeat = ? where id = ? and state = ?",
            (ErrandState.WORKING.value, pid, steady(), errand_id, ErrandState.QUEUED.value),
        )
        return claimed.rowcount == 1


def keep_result(project: Project, errand_id: str, result: str) -> None:
    """What has come of it so far."""
    with project.change() as db:
        db.execute("update errands set result = ?, heartbeat = ? where id = ?", (result, steady(), errand_id))


def end_errand(project: Project, errand_id: str, state: ErrandState, error: str = "") -> None:
    """It has come to its end; one that has done so before stays as it is."""
    with project.change() as db:
        db.execute(
            "update errands set state = ?, error = ?, ended = ?, pid = null where id = ? and state in ('queued', 'working')",
            (state.value, error, now(), errand_id),
        )


def beat(project: Project, errand_id: str) -> None:
    """Its process lives."""
    with project.change() as db:
        db.execute("update errands set heartbeat = ? where id = ?", (steady(), errand_id))


def ask_to_stop(project: Project, errand_id: str) -> None:
    """Raise the flag that its process looks at between calls; one that no process has begun is stopped at once."""
    with project.change() as db:
        db.execute("update errands set stop = 1 where id = ?", (errand_id,))
        db.execute(
            "update errands set state = ?, error = 'Stopped.', ended = ? where id = ? and state = ? and pid is null",
            (ErrandState.STOPPED.value, now(), errand_id, ErrandState.QUEUED.value),
        )


def stop_asked(project: Project, errand_id: str) -> bool:
    """Whether that flag is up."""
    return bool(project.db.execute("select stop from errands where id = ?", (errand_id,)).fetchone()[0])


def end_the_dead(project: Project, run_id: str, why: str) -> None:
    """Fail the errands of a run whose process has died or shows no life."""
    rows = project.db.execute(
        "select id, pid, heartbeat from errands where run_id = ? and state in ('queued', 'working')", (run_id,)
    ).fetchall()
    for row in rows:
        quiet = row["heartbeat"] is not None and not shows_life(row["heartbeat"])
        if quiet or (row["pid"] is not None and not is_alive(row["pid"])):
            end_errand(project, row["id"], ErrandState.FAILED, why)

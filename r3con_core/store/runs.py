"""Runs as rows: their state, the worker that holds them, and what changed since when."""

import json
import secrets
import sqlite3
import time
import uuid
from collections.abc import Mapping

from r3con_core.audit import Event
from r3con_core.errors import StoreError
from r3con_core.processes import is_alive
from r3con_core.runs import TRANSITIONS, Run, RunSettings, RunState
from r3con_core.store.audit import note
from r3con_core.store.codec import dump, load
from r3con_core.store.liveness import shows_life, steady
from r3con_core.store.project import Project, now
from r3con_core.tasks import Task


def create_run(  # noqa: PLR0913 - the columns of one row, by name
    project: Project,
    *,
    task: Task,
    document_ids: tuple[str, ...],
    settings: RunSettings,
    waits: tuple[bool, bool],
    endpoints: Mapping[str, str],
    origin: tuple[str, str] = ("", ""),
) -> Run:
    """A queued run. It `waits` for a person between rounds, with its schema, or not.

    `endpoints` says how to reach the models again, never a key; `origin` is the run it begins from, and what it is to it.
    """
    run_id = f"run-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"
    host = endpoints.get("host", "")
    columns = {
        "id": run_id,
        "task_id": task.id,
        "document_ids": json.dumps(document_ids),
        "settings": dump(settings, RunSettings),
        "between_rounds": waits[0],
        "straight_through": not waits[1],
        "state": RunState.QUEUED.value,
        "created": now(),
        "host": host,
        "endpoints": json.dumps(dict(endpoints)),
        "parent": origin[0],
        "relation": origin[1],
    }
    with project.change() as db:
        db.execute("insert or ignore into tasks values (?, ?)", (task.id, task.text))
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        db.execute(f"insert into runs ({names}) values ({marks})", tuple(columns.values()))
        note(db, Event.RUN_MADE, run=run_id, question=task.text, documents=len(document_ids), host=host)
    return load_run(project, run_id)


def seal_for(project: Project, parent: str = "") -> str:
    """The seal of the run it begins from, or else of the project's runs, so that they share prompts; a new one before.

    Secret from all who write documents.
    """
    row = project.db.execute(
        "select json_extract(settings, '$.seal') from runs where json_extract(settings, '$.seal') != ''"
        " order by id = ? desc, rowid",
        (parent,),
    ).fetchone()
    return row[0] if row else secrets.token_hex(16)


_SELECT = "select runs.*, tasks.text as task_text from runs join tasks on tasks.id = runs.task_id"


def load_run(project: Project, run_id: str) -> Run:
    """One run; StoreError when the project has none with this id."""
    row = project.db.execute(f"{_SELECT} where runs.id = ?", (run_id,)).fetchone()
    if row is None:
        raise StoreError(f"This project has no run {run_id!r}.")
    return _run(row)


def list_runs(project: Project) -> tuple[Run, ...]:
    """All runs, newest first."""
    rows = project.db.execute(f"{_SELECT} order by runs.rowid desc")
    return tuple(_run(row) for row in rows)


def _run(row: sqlite3.Row) -> Run:
    return Run(
        id=row["id"],
        task=Task(id=row["task_id"], text=row["task_text"]),
        document_ids=tuple(json.loads(row["document_ids"])),
        settings=load(row["settings"], RunSettings),
        straight_through=bool(row["straight_through"]),
        state=RunState(row["state"]),
        created=row["created"],
        error=row["error"],
        host=row["host"],
        between_rounds=bool(row["between_rounds"]),
        parent=row["parent"],
        relation=row["relation"],
        walls=row["walls"],
    )


def endpoints_of(project: Project, run_id: str) -> dict[str, str]:
    """How the run's models are reached."""
    (text,) = project.db.execute("select endpoints from runs where id = ?", (run_id,)).fetchone()
    return dict(json.loads(text))


def set_state(project: Project, run_id: str, state: RunState, *, error: str = "") -> None:
    """Move a run to `state`; StoreError when that may not follow its present one. One that is queued is to stop no more."""
    with project.change() as db:
        (current,) = db.execute("select state from runs where id = ?", (run_id,)).fetchone()
        if state not in TRANSITIONS[RunState(current)]:
            raise StoreError(f"A run that is {current!r} cannot become {state.value!r}.")
        db.execute(
            "update runs set state = ?, error = ?, note = '', seq = seq + 1, heartbeat = ?, stop = iif(?, 0, stop)"
            " where id = ?",
            (state.value, error, steady(), state is RunState.QUEUED, run_id),
        )
        note(db, Event.RUN_STATE, run=run_id, state=state.value)


def set_walls(project: Project, run_id: str, walls: str) -> None:
    """Keep what encloses the run's code, in words."""
    with project.change() as db:
        db.execute("update runs set walls = ? where id = ?", (walls, run_id))


def claim_run(project: Project, run_id: str, pid: int) -> bool:
    """Make process `pid` the run's one worker; False when another live one holds it."""
    with project.change() as db:
        state, holder, beat = db.execute("select state, pid, heartbeat from runs where id = ?", (run_id,)).fetchone()
        held = holder not in (None, pid) and shows_life(beat) and is_alive(holder)
        if state != RunState.QUEUED.value or held:
            return False
        db.execute("update runs set pid = ?, heartbeat = ?, error = '' where id = ?", (pid, steady(), run_id))
        return True


def release_run(project: Project, run_id: str) -> None:
    """No worker holds the run any more."""
    with project.change() as db:
        db.execute("update runs set pid = null where id = ?", (run_id,))


def beat(project: Project, run_id: str) -> None:
    """The worker lives; what it has kept so far, replies that were paid for too, outlives a power failure."""
    with project.change() as db:
        db.execute("update runs set heartbeat = ? where id = ?", (steady(), run_id))
    project.settle()


def holder(project: Project, run_id: str) -> tuple[int | None, float | None]:
    """The worker's process number and the time of its last heartbeat, by the steady clock."""
    row = project.db.execute("select pid, heartbeat from runs where id = ?", (run_id,)).fetchone()
    return row["pid"], row["heartbeat"]


def ask_to_stop(project: Project, run_id: str) -> None:
    """Raise the flag that the worker looks at between calls."""
    with project.change() as db:
        db.execute("update runs set stop = 1 where id = ?", (run_id,))
        note(db, Event.STOP_ASKED, run=run_id)


def stop_asked(project: Project, run_id: str) -> bool:
    """Whether that flag is up."""
    return bool(project.db.execute("select stop from runs where id = ?", (run_id,)).fetchone()[0])


def set_note(project: Project, run_id: str, note: str) -> None:
    """What the worker is doing just now, in a few words for the screen."""
    with project.change() as db:
        db.execute("update runs set note = ?, seq = seq + 1 where id = ?", (note, run_id))


def note_of(project: Project, run_id: str) -> str:
    """The last such note, empty after each change of state."""
    return str(project.db.execute("select note from runs where id = ?", (run_id,)).fetchone()[0])


def next_seq(db: sqlite3.Connection, run_id: str) -> int:
    """The run's next sequence number, taken in the caller's transaction."""
    (seq,) = db.execute("update runs set seq = seq + 1 where id = ? returning seq", (run_id,)).fetchone()
    return int(seq)


def latest_seq(project: Project, run_id: str) -> int:
    """The run's newest sequence number."""
    return int(project.db.execute("select seq from runs where id = ?", (run_id,)).fetchone()[0])

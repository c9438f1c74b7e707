"""Runs that wait for their turn in one process, which carries several one after the other."""

from r3con_core.audit import Event
from r3con_core.errors import StoppedError
from r3con_core.runs import RunState
from r3con_core.store.audit import note
from r3con_core.store.liveness import steady
from r3con_core.store.project import Project
from r3con_core.store.runs import claim_run

IN_LINE = "waiting for the runs before it"
"""The note of a run that waits; every screen shows it."""


def wait_in_line(project: Project, run_id: str, pid: int) -> bool:
    """Make process `pid` the one that will carry a queued run in its turn; False where another live one holds it."""
    if not claim_run(project, run_id, pid):
        return False
    with project.change() as db:
        db.execute("update runs set note = ?, seq = seq + 1 where id = ?", (IN_LINE, run_id))
    return True


def take_turn(project: Project, run_id: str) -> bool:
    """The run waits no more and is carried now; False where it was taken out of the line."""
    with project.change() as db:
        done = db.execute(
            "update runs set note = '', seq = seq + 1 where id = ? and state = ? and note = ?",
            (run_id, RunState.QUEUED.value, IN_LINE),
        )
        return bool(done.rowcount)


def leave_line(project: Project, run_id: str) -> bool:
    """Take a run that waits out of its line, and count it as stopped; False where it does not wait in one."""
    with project.change() as db:
        done = db.execute(
            "update runs set state = ?, error = ?, note = '', pid = null, heartbeat = ?, seq = seq + 1"
            " where id = ? and state = ? and note = ?",
            (RunState.STOPPED.value, str(StoppedError()), steady(), run_id, RunState.QUEUED.value, IN_LINE),
        )
        if done.rowcount:
            note(db, Event.STOP_ASKED, run=run_id)
            note(db, Event.RUN_STATE, run=run_id, state=RunState.STOPPED.value)
        return bool(done.rowcount)


def others_of(project: Project, run_id: str) -> tuple[str, ...]:
    """Ids of the runs that wait for the process which holds this one, in the order in which they were made."""
    rows = project.db.execute(
        "select id from runs where note = ? and state = ? and id != ? and pid = (select pid from runs where id = ?)"
        " order by rowid",
        (IN_LINE, RunState.QUEUED.value, run_id, run_id),
    )
    return tuple(id_ for (id_,) in rows)

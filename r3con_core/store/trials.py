"""Code that people tried on the data of a run, as rows: kept with what came of it, never as the answer."""

import sqlite3
from dataclasses import dataclass

from r3con_core.answers import Execution, Proposed
from r3con_core.store.answers import execution_of
from r3con_core.store.codec import dump
from r3con_core.store.project import Project, now


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One piece of a person's code with what came of it."""

    number: int
    """Of the project, in the order in which they were run."""
    step: int
    """The step whose code was edited; 0: code of the person's own."""
    begun_with: int
    """How many of the run's steps were run before it, in the same session."""
    code: str
    execution: Execution
    earlier: str
    """Which of those steps ended in an error that it did not end in before, in a sentence; mostly empty."""
    author: str
    note: str
    made: str
    """UTC, ISO 8601."""


def add_trial(project: Project, run_id: str, trial: Trial) -> Trial:
    """Keep a trial, which gets its number and time."""
    said = trial.execution
    made = now()
    with project.change() as db:
        added = db.execute(
            "insert into trials (run_id, step, begun_with, code, output, fault, proposed, seconds, earlier, author, note,"
            " made) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                trial.step,
                trial.begun_with,
                trial.code,
                said.output,
                said.fault,
                dump(said.proposed, Proposed) if said.proposed else None,
                said.seconds,
                trial.earlier,
                trial.author,
                trial.note,
                made,
            ),
        )
        row = db.execute("select * from trials where number = ?", (added.lastrowid,)).fetchone()
    return _trial(row)


def list_trials(project: Project, run_id: str) -> tuple[Trial, ...]:
    """All trials of a run, the newest first."""
    rows = project.db.execute("select * from trials where run_id = ? order by number desc", (run_id,))
    return tuple(_trial(row) for row in rows)


def _trial(row: sqlite3.Row) -> Trial:
    return Trial(
        number=row["number"],
        step=row["step"],
        begun_with=row["begun_with"],
        code=row["code"],
        execution=execution_of(row),
        earlier=row["earlier"],
        author=row["author"],
        note=row["note"],
        made=row["made"],
    )

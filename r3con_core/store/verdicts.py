"""Right answers of questions, and what judges said of runs, as rows: one for each run that judges."""

import sqlite3

from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project, now
from r3con_core.store.runs import load_run
from r3con_core.tasks import Task
from r3con_core.verdicts import Gold, Judged, Verdict


def save_gold(project: Project, task: Task, gold: Gold) -> None:
    """Keep what is right for a question, in place of what was kept for it; verdicts keep theirs."""
    with project.change() as db:
        db.execute("insert or ignore into tasks values (?, ?)", (task.id, task.text))
        db.execute("insert or replace into golds values (?, ?)", (task.id, dump(gold, Gold)))


def load_gold(project: Project, task_id: str) -> Gold | None:
    """What is kept as right for a question."""
    row = project.db.execute("select gold from golds where task_id = ?", (task_id,)).fetchone()
    return load(row["gold"], Gold) if row else None


def begin_judging(project: Project, judged_by: str, run_id: str, answer: str, gold: Gold) -> None:
    """Keep what the run `judged_by` is to judge, the answer of another, and against what."""
    with project.change() as db:
        db.execute(
            "insert into verdicts (judged_by, run_id, gold, answer) values (?, ?, ?, ?)",
            (judged_by, run_id, dump(gold, Gold), answer),
        )


def to_judge(project: Project, judged_by: str) -> tuple[str, Gold] | None:
    """Which answer that run judges, and against what; None where it judges none."""
    row = project.db.execute("select answer, gold from verdicts where judged_by = ?", (judged_by,)).fetchone()
    return (row["answer"], load(row["gold"], Gold)) if row else None


def save_verdict(project: Project, judged_by: str, verdict: Verdict) -> None:
    """Keep what it says, in place of what it said before."""
    with project.change() as db:
        db.execute(
            "update verdicts set verdict = ?, made = ? where judged_by = ?", (dump(verdict, Verdict), now(), judged_by)
        )


_SELECT = (
    "select verdicts.* from verdicts join answers on answers.run_id = verdicts.run_id"
    " where verdict != '' and answers.text = verdicts.answer"
)
"""Not those on an answer that is another by now."""


def load_verdict(project: Project, run_id: str) -> Judged | None:
    """The newest verdict on a run; None before there is one."""
    row = project.db.execute(
        f"{_SELECT} and verdicts.run_id = ? order by verdicts.rowid desc limit 1", (run_id,)
    ).fetchone()
    return _judged(row) if row else None


def verdict_by(project: Project, judged_by: str) -> Verdict | None:
    """What that run says; None before it has come to it."""
    row = project.db.execute("select verdict from verdicts where judged_by = ?", (judged_by,)).fetchone()
    return load(row["verdict"], Verdict) if row and row["verdict"] else None


def check_judged(project: Project, run_id: str) -> None:
    """Read back all that is kept of a run in a project of its own, as screens will; what cannot be read raises."""
    load_gold(project, load_run(project, run_id).task.id)
    to_judge(project, run_id)
    for row in project.db.execute("select * from verdicts where verdict != ''"):
        _judged(row)


def _judged(row: sqlite3.Row) -> Judged:
    return Judged(
        verdict=load(row["verdict"], Verdict),
        gold=load(row["gold"], Gold),
        judged_by=row["judged_by"],
        made=row["made"],
    )

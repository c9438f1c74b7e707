"""The agent's steps and the answer as rows, and the graph's places."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

from r3con_core.answers import Answer, Execution, Mode, Proposed, Sentence, Step
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project, now
from r3con_core.store.runs import next_seq

Sentences = tuple[Sentence, ...]


def save_step(project: Project, run_id: str, step: Step) -> None:
    """One step of the agent, as soon as it has run."""
    execution = step.execution
    with project.change() as db:
        db.execute(
            "insert or replace into steps values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                step.number,
                step.thought,
                step.code,
                execution.output,
                execution.fault,
                dump(execution.proposed, Proposed) if execution.proposed else None,
                execution.seconds,
                next_seq(db, run_id),
            ),
        )


def clear_steps(project: Project, run_id: str) -> None:
    """Forget the steps, before the agent begins."""
    with project.change() as db:
        db.execute("delete from steps where run_id = ?", (run_id,))
        db.execute("update runs set walls = '' where id = ?", (run_id,))


def load_steps(project: Project, run_id: str) -> tuple[Step, ...]:
    """All steps in order."""
    rows = project.db.execute("select * from steps where run_id = ? order by number", (run_id,))
    return tuple(_step(row) for row in rows)


def _step(row: sqlite3.Row) -> Step:
    return Step(
        number=row["number"],
        thought=row["thought"],
        code=row["code"],
        execution=execution_of(row),
    )


def execution_of(row: sqlite3.Row) -> Execution:
    """What came of running code, from the columns that keep it."""
    return Execution(
        output=row["output"],
        fault=row["fault"],
        proposed=load(row["proposed"], Proposed) if row["proposed"] else None,
        seconds=row["seconds"],
    )


def save_answer(project: Project, run_id: str, answer: Answer, given: Sequence[str] = ()) -> None:
    """The run's answer; its steps are kept apart. `given`: ids of the records of people that it was reasoned with."""
    with project.change() as db:
        db.execute(
            "insert or replace into answers (run_id, text, sentences, mode, unknown_citations, finished, given)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                answer.text,
                dump(answer.sentences, Sentences),
                answer.mode.value,
                json.dumps(answer.unknown_citations, ensure_ascii=False),
                now(),
                json.dumps(given),
            ),
        )
        next_seq(db, run_id)


def clear_answer(project: Project, run_id: str) -> None:
    """Forget steps and answer before the run reasons again: records stand without regard to them then."""
    with project.change() as db:
        for table in ("steps", "answers"):
            db.execute(f"delete from {table} where run_id = ?", (run_id,))
        next_seq(db, run_id)


def given_before(project: Project, run_id: str) -> tuple[str, ...]:
    """Ids of the records of people that the answer was reasoned with, in their order; none before there is one."""
    row = project.db.execute("select given from answers where run_id = ?", (run_id,)).fetchone()
    return tuple(json.loads(row["given"])) if row else ()


def load_answer(project: Project, run_id: str) -> Answer | None:
    """The answer with its steps, or None before there is one."""
    row = project.db.execute("select * from answers where run_id = ?", (run_id,)).fetchone()
    if row is None:
        return None
    return Answer(
        text=row["text"],
        sentences=load(row["sentences"], Sentences),
        mode=Mode(row["mode"]),
        steps=load_steps(project, run_id),
        unknown_citations=tuple(json.loads(row["unknown_citations"])),
    )


def answer_time(project: Project, run_id: str) -> str:
    """When the answer was written, UTC, ISO 8601; "" before there is one."""
    row = project.db.execute("select finished from answers where run_id = ?", (run_id,)).fetchone()
    return str(row["finished"]) if row else ""


def save_places(project: Project, run_id: str, places: Mapping[str, tuple[float, float]]) -> None:
    """Where the graph's nodes stand."""
    with project.change() as db:
        db.execute("delete from graph_places where run_id = ?", (run_id,))
        db.executemany(
            "insert into graph_places values (?, ?, ?, ?)", [(run_id, node, x, y) for node, (x, y) in places.items()]
        )


def load_places(project: Project, run_id: str) -> dict[str, tuple[float, float]]:
    """The same; empty before they are computed."""
    rows = project.db.execute("select node, x, y from graph_places where run_id = ?", (run_id,))
    return {row["node"]: (row["x"], row["y"]) for row in rows}

"""How far a run is with people's steering of its rounds: what of it is taken in, and past which rounds they let it go."""

from collections.abc import Iterable

from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq


def taken_in(project: Project, run_id: str) -> tuple[str, ...]:
    """Marks of the changes that the rounds were read with."""
    (marks,) = project.db.execute("select steered from runs where id = ?", (run_id,)).fetchone()
    return tuple(str(marks).split())


def save_taken_in(project: Project, run_id: str, marks: Iterable[str]) -> None:
    """The rounds are read with the changes of these marks."""
    with project.change() as db:
        db.execute("update runs set steered = ? where id = ?", (" ".join(marks), run_id))
        next_seq(db, run_id)


def rounds_passed(project: Project, run_id: str) -> int:
    """The newest round past which a person let the run go; 0 before the first."""
    return int(project.db.execute("select rounds_passed from runs where id = ?", (run_id,)).fetchone()[0])


def pass_round(project: Project, run_id: str, number: int) -> None:
    """Let the run go past this round, and all before it."""
    with project.change() as db:
        db.execute("update runs set rounds_passed = max(rounds_passed, ?) where id = ?", (number, run_id))

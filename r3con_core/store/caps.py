"""What a run may use before it pauses, as a row."""

from r3con_core.runs import Caps
from r3con_core.store.project import Project


def save_caps(project: Project, run_id: str, caps: Caps) -> None:
    """Keep what a run may use, instead of what was kept before."""
    with project.change() as db:
        db.execute(
            "insert or replace into caps (run_id, money, currency, tokens) values (?, ?, ?, ?)",
            (run_id, caps.money, caps.currency, caps.tokens),
        )


def load_caps(project: Project, run_id: str) -> Caps:
    """What a run may use; no limits where none were kept."""
    row = project.db.execute("select money, currency, tokens from caps where run_id = ?", (run_id,)).fetchone()
    return Caps() if row is None else Caps(money=row["money"], currency=row["currency"], tokens=row["tokens"])

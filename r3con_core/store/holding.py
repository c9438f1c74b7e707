"""The project's list of what holds a document back from every model: domains, names and phrases."""

from collections.abc import Iterable

from r3con_core.audit import Event
from r3con_core.store.audit import note
from r3con_core.store.project import Project


def list_holding(project: Project) -> dict[str, tuple[str, ...]]:
    """The values of each kind, such as "domain": ("lawfirm.example",), in order of their letters."""
    kinds: dict[str, list[str]] = {}
    for row in project.db.execute("select kind, value from holding order by kind, value"):
        kinds.setdefault(row["kind"], []).append(row["value"])
    return {kind: tuple(values) for kind, values in kinds.items()}


def replace_holding(project: Project, kind: str, values: Iterable[str]) -> None:
    """Make these the values of a kind; blank ones are left out."""
    kept = sorted({" ".join(value.split()) for value in values} - {""})
    with project.change() as db:
        db.execute("delete from holding where kind = ?", (kind,))
        db.executemany("insert into holding values (?, ?)", [(kind, value) for value in kept])
        note(db, Event.NEVER_SENT, kind=kind, values=kept)

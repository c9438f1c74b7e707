"""The project's list of what holds a document back from every model: domains, names and phrases."""

import json
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


def replace_holding(project: Project, kind: str, values: Iterable[str], *, author: str = "") -> None:
    """Make these the values of a kind; blank ones are left out. `author`: of the audit log's entry, "" for the system's."""
    kept = sorted({" ".join(value.split()) for value in values} - {""})
    with project.change() as db:
        db.execute("delete from holding where kind = ?", (kind,))
        db.executemany("insert into holding values (?, ?)", [(kind, value) for value in kept])
        note(db, Event.NEVER_SENT, author, kind=kind, values=kept)


def places_read(project: Project) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each document's id with every path it was read at, and what the analyst had read there: a copy has several."""
    lines = project.db.execute(
        "select document_id, path, coalesce((select paths from imports where id = import_id), '[]') from ledger "
        "where document_id != '' union select id, path, '[]' from documents"
    )
    return tuple((of, path, tuple(json.loads(paths))) for of, path, paths in lines)

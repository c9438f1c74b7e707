"""What people changed of runs, as rows: added, taken back and put back, never deleted."""

import sqlite3
from collections.abc import Sequence

from r3con_core.audit import Event
from r3con_core.changes import Change, Entry
from r3con_core.errors import StoreError
from r3con_core.store.audit import note as note_act
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project, now
from r3con_core.store.runs import next_seq


def add_change(project: Project, run_id: str, change: Change, *, author: str, note: str = "") -> Entry:
    """Keep one change; the entry as kept."""
    return add_changes(project, run_id, (change,), author=author, note=note)[0]


def add_changes(
    project: Project, run_id: str, changes: Sequence[Change], *, author: str, note: str = ""
) -> tuple[Entry, ...]:
    """Keep several changes at once, all or none."""
    made = now()
    with project.change() as db:
        seq = next_seq(db, run_id)
        (version,) = db.execute("select coalesce(accepted_version, 0) from runs where id = ?", (run_id,)).fetchone()
        numbers = [
            db.execute(
                "insert into changes (run_id, kind, change, schema_version, author, note, made, seq)"
                " values (?, ?, ?, ?, ?, ?, ?, ?)",
                (run_id, type(change).__name__, dump(change, type(change)), version, author, note, made, seq),
            ).lastrowid
            for change in changes
        ]
        kinds = [type(change).__name__ for change in changes]
        note_act(db, Event.CHANGED, author, run=run_id, changes=numbers, kinds=kinds, why=note)
    return tuple(
        Entry(
            number=number or 0,
            run_id=run_id,
            change=change,
            author=author,
            note=note,
            made=made,
            schema_version=version,
        )
        for number, change in zip(numbers, changes, strict=True)
    )


def undo_change(project: Project, run_id: str, number: int, *, author: str) -> None:
    """Take one change back; StoreError when the run has none of that number that counts."""
    _mark(project, run_id, number, counts=True, undone=now(), by=author)


def redo_change(project: Project, run_id: str, number: int) -> None:
    """Let a change count again that was taken back; StoreError when the run has none of that number."""
    _mark(project, run_id, number, counts=False, undone="", by="")


def _mark(  # noqa: PLR0913 - the columns of one row, by name
    project: Project, run_id: str, number: int, *, counts: bool, undone: str, by: str
) -> None:
    with project.change() as db:
        marked = db.execute(
            f"update changes set undone = ?, undone_by = ?, seq = ? where run_id = ? and number = ?"
            f" and undone {'=' if counts else '!='} ''",
            (undone, by, next_seq(db, run_id), run_id, number),
        ).rowcount
        if not marked:
            raise StoreError(f"This run has no change {number} that could be {'taken' if counts else 'put'} back.")
        note_act(db, Event.UNDONE if counts else Event.REDONE, by, run=run_id, change=number)


def list_changes(project: Project, run_id: str) -> tuple[Entry, ...]:
    """All changes of a run, oldest first, those taken back too."""
    rows = project.db.execute("select * from changes where run_id = ? order by number", (run_id,))
    return tuple(map(_entry, rows))


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        number=row["number"],
        run_id=row["run_id"],
        change=load(row["change"], _KINDS[row["kind"]]),
        author=row["author"],
        note=row["note"],
        made=row["made"],
        schema_version=row["schema_version"],
        undone=row["undone"],
        undone_by=row["undone_by"],
    )


_KINDS: dict[str, type] = {kind.__name__: kind for kind in Change.__args__}

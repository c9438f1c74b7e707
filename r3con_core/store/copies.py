"""One run with all it rests on, copied from one project's file to another's; whether a strange file is one of ours."""

import sqlite3
from contextlib import closing
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.runs import RunState
from r3con_core.store.audit import copy_acts
from r3con_core.store.connection import explained
from r3con_core.store.migrations import migrate
from r3con_core.store.numbering import joined, read_ranges
from r3con_core.store.project import Project
from r3con_core.store.shape import is_newer, names, objects, ours, steps_of

_OF_RUN = "run_id = :run"
_IS_READ = "in (select value from source.runs, json_each(source.runs.document_ids) where source.runs.id = :run)"
_WHOLE = (
    "(select count(*) from source.documents)"
    " = (select json_array_length(document_ids) from source.runs where id = :run)"
)
_ORDER = {"sights": "stage, round"}
"""Of tables without row numbers."""
COPIED: dict[str, str] = {
    "documents": f"id {_IS_READ}",
    "ledger": f"document_id {_IS_READ} or (document_id = '' and {_WHOLE})",
    "decisions": f"document_id {_IS_READ}",
    "texts": "exists (select 1 from temp.texts_used where source.texts.id between first and last)",
    "tasks": "id = (select task_id from source.runs where id = :run)",
    "runs": "id = :run",
    "calls": "key in (select key from source.run_calls where run_id = :run)",
    "run_calls": _OF_RUN,
    "focus": _OF_RUN,
    "caps": _OF_RUN,
    "snippets": _OF_RUN,
    "digests": _OF_RUN,
    "sights": _OF_RUN,
    "unread": _OF_RUN,
    "schemas": _OF_RUN,
    "records": _OF_RUN,
    "parsed": _OF_RUN,
    "steps": _OF_RUN,
    "answers": _OF_RUN,
    "graph_places": _OF_RUN,
    "built": _OF_RUN,
    "vectors": "call in (select key from source.run_calls where run_id = :run)",
    "changes": _OF_RUN,
    "errands": _OF_RUN,
    "trials": _OF_RUN,
    "egress": _OF_RUN,
    "golds": "task_id = (select task_id from source.runs where id = :run)",
    "verdicts": "judged_by = :run",
}
"""Table -> which of its rows belong to a run, parents before children.

Not copied are `imports`, `uploads`, `originals` and `holding`, which tell of this computer's folders and of the whole
project, `asking`, which tells of its processes, and the `search_` tables, which are made anew at the first search.
"""


def copy_run(source: Path, target: Project, run_id: str) -> None:
    """Copy a run, its documents and calls from the store file `source` into `target`, which must not have them yet.

    The copy has no worker: one that was at work there counts as interrupted here.
    """
    active = [state.value for state in RunState if state.active]
    with explained(source):
        target.db.execute("attach database ? as source", (str(source),))
        try:
            with target.change() as db:
                _note_texts(db, run_id)
                for table, belongs in COPIED.items():
                    rows = f"select * from source.{table} where {belongs} order by {_ORDER.get(table, 'rowid')}"
                    db.execute(f"insert into main.{table} {rows}", {"run": run_id})
                copy_acts(db, run_id)
                db.execute("update runs set pid = null, heartbeat = null, stop = 0, note = ''")
                db.execute(
                    f"update runs set state = ? where state in ({', '.join('?' * len(active))})",
                    (RunState.INTERRUPTED.value, *active),
                )
        finally:
            target.db.execute("detach database source")


def _note_texts(db: sqlite3.Connection, run_id: str) -> None:
    """Note which texts the run's calls name, as ranges of their numbers that do not overlap."""
    named: set[tuple[int, int]] = set()
    calls = db.execute(f"select pieces, shape from source.calls where {COPIED['calls']}", {"run": run_id})
    for pieces, shape in calls:
        for said in pieces.split():
            named.update(read_ranges(said.partition(":")[2]))
        if shape and shape.isdecimal():
            named.update(read_ranges(shape))
    db.execute("create temp table if not exists texts_used (first integer not null, last integer not null)")
    db.execute("delete from temp.texts_used")
    db.executemany("insert into temp.texts_used values (?, ?)", joined(named))


def close_for_copying(project: Project) -> None:
    """Put all of the project into its one file, and close it."""
    with explained(project.path):
        project.db.execute("pragma wal_checkpoint(truncate)")
        project.db.execute("pragma journal_mode = delete")
        project.close()


def check_store(path: Path) -> None:
    """StoreError unless the file is a whole SQLite file with our tables and nothing else: no trigger, no view.

    Only reads; a file of an earlier shape is held against that shape.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            db.execute("pragma trusted_schema = off")
            _check_shape(db)
            (verdict,) = db.execute("pragma integrity_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError("The project inside this file is damaged, so it was not opened. Get another copy.") from error
    if verdict != "ok":
        raise StoreError("The project inside this file is damaged, so it was not opened. Get another copy.")


def _check_shape(db: sqlite3.Connection) -> None:
    steps = steps_of(db)
    if is_newer(steps):
        raise StoreError("This file was made by a newer version of R3Con Analyst. Update this one to open it.")
    if not steps or steps != names(len(steps)) or objects(db) != ours(len(steps)):
        raise StoreError("This file holds other things than a run of R3Con Analyst, so it was not opened.")


def bring_up_to_date(path: Path) -> None:
    """Apply the migrations that a checked file has not had."""
    with explained(path), closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db)

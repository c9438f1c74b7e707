"""Runs that begin from another: what still holds of that one is copied, row by row, so that nothing of it is asked again.

A copied row is the same but for its run and its sequence number; records, steps and calls are never shared between runs.
"""

import json
import sqlite3
from collections.abc import Sequence

from r3con_core.exchange import Stage
from r3con_core.relations import Kept
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.store.records import KEPT
from r3con_core.store.runs import next_seq


def copy_kept(project: Project, parent: Run, run: Run, kept: Kept) -> None:
    """Give `run` what it keeps of `parent`, for the documents that both have. All or nothing."""
    shared = [i for i in parent.document_ids if i in set(run.document_ids)]
    with project.change() as db:
        seq = next_seq(db, run.id)
        db.execute("update runs set shared = ? where id = ?", (len(shared), run.id))
        copier = _Copier(db, parent.id, run.id, seq, json.dumps(shared))
        if kept.snippets:
            copier.snippets()
            if run.document_ids[: len(parent.document_ids)] == parent.document_ids:
                copier.by_number()
        if kept.schema:
            copier.schemas(accepted=kept.accepted)
        if kept.records:
            copier.records(context=KEPT if kept.fixed else None)
        copier.changes([kind.__name__ for kind in kept.changes], accepted=kept.accepted)
        if kept.out_at_once:
            copier.leave_out_at_once()


class _Copier:
    """Copies of rows of one run for another, within one transaction."""

    def __init__(self, db: sqlite3.Connection, parent: str, run: str, seq: int, documents: str) -> None:
        self._db = db
        self._values = {"parent": parent, "run": run, "seq": seq, "documents": documents}

    def snippets(self) -> None:
        """Rounds, what could not be read in them, and what readers looked for."""
        self._copy("focus", [])
        self._copy("snippets", ["document_id in (select value from json_each(:documents))"])
        self._unread(Stage.RELEVANCE)
        self._db.execute(
            "update runs set (rounds_passed, steered) = (select rounds_passed, steered from runs where id = :parent)"
            " where id = :run",
            self._values,
        )

    def by_number(self) -> None:
        """Digests and sights, which name documents by their numbers; not where a document has gone, with all it said."""
        for table in ("digests", "sights"):
            self._copy(table, [])

    def schemas(self, *, accepted: bool) -> None:
        """All versions up to the accepted one, or all where none is accepted."""
        until = "(select coalesce(accepted_version, 1000000) from runs where id = :parent)"
        self._copy("schemas", [f"version <= {until}"])
        if accepted:
            self._db.execute(
                "update runs set accepted_version = (select accepted_version from runs where id = :parent)"
                " where id = :run",
                self._values,
            )

    def records(self, *, context: str | None) -> None:
        """Records, which documents were parsed into them, with which relevant context, and which could not be."""
        for table in ("records", "parsed"):
            self._copy(table, ["document_id in (select value from json_each(:documents))"])
        self._db.execute(
            "update parsed set version = (select coalesce(accepted_version, 0) from runs where id = :run),"
            " context = coalesce(:context, context) where run_id = :run",
            {**self._values, "context": context},
        )
        self._unread(Stage.PARSING)

    def changes(self, kinds: Sequence[str], *, accepted: bool) -> None:
        """Those of these kinds that count, in the order they were made, by whom and when they were."""
        version = "schema_version" if accepted else "0"
        self._db.execute(
            "insert into changes (run_id, kind, change, schema_version, author, note, made, seq)"
            f" select :run, kind, change, {version}, author, note, made, :seq from changes"
            " where run_id = :parent and undone = '' and kind in (select value from json_each(:kinds)) order by number",
            {**self._values, "kinds": json.dumps(list(kinds))},
        )

    def leave_out_at_once(self) -> None:
        """Documents that people took out after some round are left out from the beginning."""
        self._db.execute(
            "update changes set change = json_set(change, '$.round', 0) where run_id = :run and kind = 'ExcludeDocument'",
            self._values,
        )

    def _unread(self, stage: Stage) -> None:
        self._copy("unread", [f"stage = '{stage.value}'", "document_id in (select value from json_each(:documents))"])

    def _copy(self, table: str, conditions: Sequence[str]) -> None:
        columns = [row["name"] for row in self._db.execute(f"select name from pragma_table_info('{table}')")]
        taken = ", ".join({"run_id": ":run", "seq": ":seq"}.get(column, column) for column in columns)
        where = " and ".join(["run_id = :parent", *conditions])
        self._db.execute(
            f"insert into {table} ({', '.join(columns)}) select {taken} from {table} where {where}", self._values
        )


def records_stand(project: Project, run_id: str) -> bool:
    """Whether every document of a run is parsed under the accepted schema, is known not to give records, or is left out."""
    (missing,) = project.db.execute(
        """
        select count(*) from runs, json_each(runs.document_ids) as document where runs.id = :run
        and document.value not in (
            select document_id from parsed where run_id = :run and version = coalesce(runs.accepted_version, 0)
                and to_ask = '[]'
            union select document_id from unread where run_id = :run and stage = :stage
            union select json_extract(change, '$.document_id') from changes
                where run_id = :run and kind = 'ExcludeDocument' and undone = ''
        )
        """,
        {"run": run_id, "stage": Stage.PARSING.value},
    ).fetchone()
    return bool(missing == 0)


def documents_before(project: Project, run: Run) -> frozenset[str]:
    """Ids of the documents of the run that this one begins from.

    Where that run is not in the project, since this one came alone from another: those that both have.
    """
    row = project.db.execute("select document_ids from runs where id = ?", (run.parent,)).fetchone()
    if row is not None:
        return frozenset(json.loads(row["document_ids"]))
    (shared,) = project.db.execute("select shared from runs where id = ?", (run.id,)).fetchone()
    return frozenset(run.document_ids[:shared])


def runs_from(project: Project, run_id: str) -> tuple[str, ...]:
    """Ids of the runs that begin from this one, oldest first."""
    rows = project.db.execute("select id from runs where parent = ? order by created, rowid", (run_id,))
    return tuple(row["id"] for row in rows)

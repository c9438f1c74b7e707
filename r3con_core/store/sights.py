"""What each call was shown of a round's snippets, as rows: documents are ranges of their numbers in the run."""

import json
import sqlite3
from collections.abc import Iterable, Iterator

from r3con_core.exchange import Stage
from r3con_core.snippets import Sight, SightCounts
from r3con_core.store.numbering import count_ranges, document_numbers, read_documents, write_documents
from r3con_core.store.project import Project


def save_sight(project: Project, run_id: str, stage: Stage, round_number: int, sight: Sight) -> None:
    """What `stage` showed when it read one document, in place of what it showed before.

    Screens learn of it with what came of the call, so it is no change of the run in itself.
    """
    numbers = document_numbers(project, run_id)
    shown = tuple(write_documents(numbers, ids) for ids in (sight.whole, sight.shortened, sight.digested))
    place = (run_id, stage.value, round_number, sight.document_id)
    row = project.db.execute(f"select whole, shortened, digested from sights where {_PLACE}", place).fetchone()
    if row is None or tuple(row) != shown:
        with project.change() as db:
            db.execute("insert or replace into sights values (?, ?, ?, ?, ?, ?, ?)", (*place, *shown))


_PLACE = "run_id = ? and stage = ? and round = ? and document_id = ?"


def load_sight(
    project: Project, run_id: str, stage: Stage, round_number: int, *, document_id: str = ""
) -> Sight | None:
    """What `stage` showed when it read this document; None where all was shown or it has not been read."""
    place = (run_id, stage.value, round_number, document_id)
    row = project.db.execute(f"select * from sights where {_PLACE}", place).fetchone()
    return None if row is None else _sight(tuple(document_numbers(project, run_id)), row)


def load_sights(project: Project, run_id: str, stage: Stage, round_number: int) -> dict[str, Sight]:
    """Document id -> what `stage` showed when it read it; "" for a stage that reads no single document."""
    rows = project.db.execute(
        "select * from sights where run_id = ? and stage = ? and round = ?", (run_id, stage.value, round_number)
    )
    ids = tuple(document_numbers(project, run_id))
    return {row["document_id"]: _sight(ids, row) for row in rows}


def count_sights(
    project: Project, run_id: str, stage: Stage, round_number: int, document_ids: Iterable[str]
) -> dict[str, SightCounts]:
    """Document id -> how many snippets its reader was shown, of those documents of which that is known."""
    rows = project.db.execute(
        "select * from sights where run_id = ? and stage = ? and round = ?"
        " and document_id in (select value from json_each(?))",
        (run_id, stage.value, round_number, json.dumps(list(document_ids))),
    )
    return {
        row["document_id"]: SightCounts(
            whole=count_ranges(row["whole"]),
            shortened=count_ranges(row["shortened"]),
            digested=count_ranges(row["digested"]),
        )
        for row in rows
    }


def iter_sights(project: Project, run_id: str) -> Iterator[Sight]:
    """What all calls of a run were shown, one by one."""
    ids = tuple(document_numbers(project, run_id))
    rows = project.db.execute("select * from sights where run_id = ?", (run_id,))
    return (_sight(ids, row) for row in rows.fetchall())


def _sight(ids: tuple[str, ...], row: sqlite3.Row) -> Sight:
    return Sight(
        document_id=row["document_id"],
        whole=read_documents(ids, row["whole"]),
        shortened=read_documents(ids, row["shortened"]),
        digested=read_documents(ids, row["digested"]),
    )

"""Records as rows."""

import json
import sqlite3

from r3con_core.evidence import Evidence
from r3con_core.exchange import Stage
from r3con_core.records import Certainty, Record, StructuredData
from r3con_core.schemas import Schema
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq
from r3con_core.store.snippets import load_unread

Evidences = tuple[Evidence, ...]


def save_parse(project: Project, run_id: str, document_id: str, records: tuple[Record, ...]) -> None:
    """What one document gave, in place of what it gave before."""
    with project.change() as db:
        seq = next_seq(db, run_id)
        db.execute("delete from records where run_id = ? and document_id = ?", (run_id, document_id))
        db.execute(
            "insert or replace into parsed (run_id, document_id, seq) values (?, ?, ?)", (run_id, document_id, seq)
        )
        db.execute(
            "delete from unread where run_id = ? and stage = ? and document_id = ?",
            (run_id, Stage.PARSING.value, document_id),
        )
        db.executemany(
            "insert into records values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(run_id, *_row(record, position), seq) for position, record in enumerate(records)],
        )


def _row(record: Record, position: int) -> tuple[object, ...]:
    return (
        record.id,
        position,
        record.type,
        record.document_id,
        json.dumps(record.values, ensure_ascii=False),
        dump(record.evidence, Evidences),
        record.said_by,
        record.certainty.value,
        json.dumps(record.unsupported, ensure_ascii=False),
    )


def load_records(project: Project, run_id: str, schema: Schema, document_ids: tuple[str, ...]) -> StructuredData:
    """All records so far, in the order of `document_ids`, then as parsed."""
    rows = project.db.execute("select * from records where run_id = ?", (run_id,)).fetchall()
    order = {document_id: place for place, document_id in enumerate(document_ids)}
    rows.sort(key=lambda row: (order[row["document_id"]], row["position"]))
    return StructuredData(
        schema=schema,
        records=tuple(map(_record, rows)),
        unread=load_unread(project, run_id, Stage.PARSING),
    )


def _record(row: sqlite3.Row) -> Record:
    return Record(
        id=row["id"],
        type=row["type"],
        document_id=row["document_id"],
        values=json.loads(row["field_values"]),
        evidence=load(row["evidence"], Evidences),
        said_by=row["said_by"],
        certainty=Certainty(row["certainty"]),
        unsupported=tuple(json.loads(row["unsupported"])),
    )


def count_parsed(project: Project, run_id: str) -> int:
    """How many documents have been parsed."""
    return int(project.db.execute("select count(*) from parsed where run_id = ?", (run_id,)).fetchone()[0])


def clear_parses(project: Project, run_id: str) -> None:
    """Forget records, steps and answer, as before parsing; the call log keeps every reply."""
    with project.change() as db:
        for table in ("records", "parsed", "steps", "answers", "graph_places"):
            db.execute(f"delete from {table} where run_id = ?", (run_id,))
        db.execute("delete from unread where run_id = ? and stage = ?", (run_id, Stage.PARSING.value))
        next_seq(db, run_id)

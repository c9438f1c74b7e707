"""Records as rows."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from r3con_core.evidence import Evidence
from r3con_core.exchange import Stage
from r3con_core.records import Certainty, Record, StructuredData
from r3con_core.schema.changes import carry_record, needs_of, types_to_ask
from r3con_core.schema.history import SchemaChange
from r3con_core.schemas import Schema
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq
from r3con_core.store.snippets import load_unread

Evidences = tuple[Evidence, ...]
KEPT = "kept"
"""Stands for the relevant context of documents that keep their records whatever it says: see `store.derived`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Where one document stands with its records."""

    version: int
    """Of the schema that its records are of; 0 in projects from before versions were kept here."""
    context: str
    """The relevant context that it was parsed with, as a hash; "" in such projects."""
    to_ask: tuple[str, ...] = ()
    """Record types that it is still to be asked for, since the schema changed; all others are as they should be."""


def save_parse(  # noqa: PLR0913 - what a parse is of, by name
    project: Project,
    run_id: str,
    document_id: str,
    records: tuple[Record, ...],
    *,
    only: tuple[str, ...] = (),
    context: str = "",
) -> None:
    """What one document gave, in place of what it gave before; with `only`, in place of its records of these types."""
    with project.change() as db:
        seq = next_seq(db, run_id)
        kept = _rows_of(db, run_id, document_id) if only else []
        db.execute("delete from records where run_id = ? and document_id = ?", (run_id, document_id))
        db.execute(
            "insert or replace into parsed (run_id, document_id, seq, version, context)"
            " values (?, ?, ?, (select coalesce(accepted_version, 0) from runs where id = ?), ?)",
            (run_id, document_id, seq, run_id, context),
        )
        db.execute(
            "delete from unread where run_id = ? and stage = ? and document_id = ?",
            (run_id, Stage.PARSING.value, document_id),
        )
        _insert(db, run_id, in_place(kept, records, only) if only else records, seq)


def _rows_of(db: sqlite3.Connection, run_id: str, document_id: str) -> list[Record]:
    rows = db.execute(
        "select * from records where run_id = ? and document_id = ? order by position", (run_id, document_id)
    )
    return list(map(_record, rows))


def in_place(before: Sequence[Record], fresh: Sequence[Record], types: tuple[str, ...]) -> tuple[Record, ...]:
    """`before` with the records of `types` replaced by `fresh` ones, each type where its first record was."""
    merged: list[Record] = []
    placed: set[str] = set()
    for record in before:
        if record.type not in types:
            merged.append(record)
        elif record.type not in placed:
            placed.add(record.type)
            merged += [one for one in fresh if one.type == record.type]
    merged += [one for one in fresh if one.type not in placed]
    return tuple({record.id: record for record in merged}.values())


def _insert(db: sqlite3.Connection, run_id: str, records: Iterable[Record], seq: int) -> None:
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


def records_mark(project: Project, run_id: str) -> tuple[int, ...]:
    """What changes whenever that of `load_records` does, but for people's corrections and steering, which it knows nothing of."""
    row = project.db.execute(
        "select (select accepted_version from runs where id = :run),"
        " count(*), coalesce(max(seq), 0), coalesce(sum(seq), 0), sum(source)"
        " from (select seq, 0 as source from parsed where run_id = :run"
        " union all select seq, 1 from unread where run_id = :run and stage = :stage)",
        {"run": run_id, "stage": Stage.PARSING.value},
    ).fetchone()
    return tuple(int(each or 0) for each in row)


def _record(row: sqlite3.Row) -> Record:
    return Record(
        id=row["id"],
        type=row["type"],
        document_id=row["document_id"],
        values=json.loads(row["field_values"]),
        evidence=load(row["evidence"], Evidences),
        said_by=row["said_by"],
        certainty=Certainty(row["certainty"]),
        unsupported=() if row["unsupported"] == "[]" else tuple(json.loads(row["unsupported"])),
    )


def count_parsed(project: Project, run_id: str) -> int:
    """How many documents have all the records that the accepted schema asks for."""
    counted = "select count(*) from parsed where run_id = ? and to_ask = '[]'"
    return int(project.db.execute(counted, (run_id,)).fetchone()[0])


def parsed_documents(project: Project, run_id: str) -> dict[str, Parsed]:
    """Where each document stands that has been parsed."""
    rows = project.db.execute("select * from parsed where run_id = ?", (run_id,))
    return {
        row["document_id"]: Parsed(
            version=row["version"], context=row["context"], to_ask=tuple(json.loads(row["to_ask"]))
        )
        for row in rows
    }


def records_by_document(db: sqlite3.Connection, run_id: str) -> dict[str, list[Record]]:
    """What models said, each document's records as parsed; documents without any are left out."""
    found: dict[str, list[Record]] = {}
    for row in db.execute("select * from records where run_id = ? order by document_id, position", (run_id,)):
        found.setdefault(row["document_id"], []).append(_record(row))
    return found


def records_of_document(project: Project, run_id: str, document_id: str) -> tuple[Record, ...]:
    """What models said of one document, as parsed."""
    return tuple(_rows_of(project.db, run_id, document_id))


def carry_over(db: sqlite3.Connection, run_id: str, change: SchemaChange, version: int) -> None:
    """Turn all records of a run into those of the schema `version`, in the caller's transaction.

    What a document is to be asked for is noted with it. Steps and answer go: they were made from the records before.
    """
    seq, needs, records = next_seq(db, run_id), needs_of(change), records_by_document(db, run_id)
    db.execute("delete from records where run_id = ?", (run_id,))
    parsed = db.execute("select document_id, to_ask from parsed where run_id = ?", (run_id,)).fetchall()
    for document_id, waiting in parsed:
        held = records.get(document_id, [])
        known = [change.type_names[name] for name in json.loads(waiting) if name in change.type_names]
        asked = dict.fromkeys((*known, *types_to_ask(change, needs, held)))
        db.execute(
            "update parsed set version = ?, to_ask = ?, seq = ? where run_id = ? and document_id = ?",
            (version, json.dumps(list(asked), ensure_ascii=False), seq, run_id, document_id),
        )
        _insert(db, run_id, filter(None, (carry_record(change, record) for record in held)), seq)
    clear_conclusions(db, run_id)


def clear_conclusions(db: sqlite3.Connection, run_id: str) -> None:
    """Forget steps, answer and the graph's places, in the caller's transaction."""
    for table in ("steps", "answers", "graph_places"):
        db.execute(f"delete from {table} where run_id = ?", (run_id,))


def begin_parsing(project: Project, run_id: str, whole: Iterable[str]) -> None:
    """Forget what was concluded before, and all records of the documents `whole`; the call log keeps every reply."""
    with project.change() as db:
        clear_conclusions(db, run_id)
        db.execute("delete from unread where run_id = ? and stage = ?", (run_id, Stage.PARSING.value))
        of = [(run_id, document_id) for document_id in whole]
        for table in ("records", "parsed"):
            db.executemany(f"delete from {table} where run_id = ? and document_id = ?", of)
        next_seq(db, run_id)

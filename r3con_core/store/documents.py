"""Documents and the ledger of what was loaded, as rows."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from r3con_core.documents import Corpus, Document, Source, Unit, estimate_tokens
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project, now


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """What became of one file or container member."""

    path: str
    outcome: str
    reason: str
    document_id: str
    loaded: str = ""
    """UTC, ISO 8601; set by the store."""


def add_documents(project: Project, documents: Sequence[Document], ledger: Sequence[LedgerEntry]) -> int:
    """Append the documents the project does not have yet, and all ledger lines; how many documents were new."""
    with project.change() as db:
        position = db.execute("select coalesce(max(position) + 1, 0) from documents").fetchone()[0]
        fresh = 0
        for document in documents:
            added = db.execute(
                "insert or ignore into documents values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _row(document, position + fresh),
            )
            fresh += added.rowcount
        db.executemany(
            "insert into ledger (path, outcome, reason, document_id, loaded) values (?, ?, ?, ?, ?)",
            [(e.path, e.outcome, e.reason, e.document_id, now()) for e in ledger],
        )
    return fresh


def _row(document: Document, position: int) -> tuple[object, ...]:
    return (
        document.id,
        position,
        document.title,
        document.source.path,
        document.source.sha256,
        document.source.media_type,
        document.text,
        document.words,
        estimate_tokens(document.text),
        dump(document.units, tuple[Unit, ...]),
        document.date,
        document.author,
        json.dumps(document.warnings, ensure_ascii=False),
    )


def load_corpus(project: Project, ids: Sequence[str] | None = None) -> Corpus:
    """All documents of the project in order, or those with `ids` in that order."""
    rows = project.db.execute("select * from documents order by position").fetchall()
    documents = {row["id"]: _document(row) for row in rows}
    if ids is None:
        return Corpus(documents=tuple(documents.values()))
    return Corpus(documents=tuple(documents[i] for i in ids if i in documents))


def load_document(project: Project, document_id: str) -> Document | None:
    """One document, or None when the project has none with this id."""
    row = project.db.execute("select * from documents where id = ?", (document_id,)).fetchone()
    return _document(row) if row else None


def _document(row: sqlite3.Row) -> Document:
    return Document(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        source=Source(path=row["path"], sha256=row["sha256"], media_type=row["media_type"]),
        units=load(row["units"], tuple[Unit, ...]),
        date=row["date"],
        author=row["author"],
        warnings=tuple(json.loads(row["warnings"])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLine:
    """A document as lists show it, without its text."""

    id: str
    number: int
    title: str
    path: str
    media_type: str
    words: int
    tokens: int
    """Estimated."""
    date: str | None
    warnings: tuple[str, ...]


def list_documents(project: Project) -> tuple[DocumentLine, ...]:
    """All documents in order."""
    rows = project.db.execute(
        "select id, title, path, media_type, words, tokens, date, warnings from documents order by position"
    )
    return tuple(
        DocumentLine(
            id=row["id"],
            number=number,
            title=row["title"],
            path=row["path"],
            media_type=row["media_type"],
            words=row["words"],
            tokens=row["tokens"],
            date=row["date"],
            warnings=tuple(json.loads(row["warnings"])),
        )
        for number, row in enumerate(rows, start=1)
    )


def list_ledger(project: Project) -> tuple[LedgerEntry, ...]:
    """Every line, oldest first."""
    rows = project.db.execute("select path, outcome, reason, document_id, loaded from ledger order by number")
    return tuple(LedgerEntry(**dict(row)) for row in rows)


def remove_documents(project: Project, ids: Sequence[str]) -> None:
    """Take documents out of the project; those a run has used stay, so that its answer can still be checked."""
    used = {i for (text,) in project.db.execute("select document_ids from runs") for i in json.loads(text)}
    with project.change() as db:
        db.executemany("delete from documents where id = ?", [(i,) for i in ids if i not in used])


def documents_in_runs(project: Project) -> frozenset[str]:
    """Ids of documents that some run has used."""
    return frozenset(i for (text,) in project.db.execute("select document_ids from runs") for i in json.loads(text))


def contents(project: Project) -> dict[tuple[str, int], str]:
    """The paths of all documents by what they were read from: SHA-256 of the file or member, and number of words."""
    rows = project.db.execute("select sha256, words, path from documents")
    return {(row["sha256"], row["words"]): row["path"] for row in rows}

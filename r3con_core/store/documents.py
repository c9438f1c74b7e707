"""Documents and the ledger of what was loaded, as rows."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from r3con_core.documents import Corpus, Document, Finding, Source, Unit, estimate_tokens
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
    sha256: str = ""
    size: int | None = None
    """Bytes."""
    media_type: str = ""
    locked: bool = False
    """It needs a password, or another one than was given."""
    pages: int = 0
    pages_read: int = 0
    import_id: int = 0
    """The import it belongs to; 0 for what was added without one."""
    file_number: int = 0
    """Which file of the import it is or lies in, from 1."""


def add_documents(project: Project, documents: Sequence[Document], ledger: Sequence[LedgerEntry]) -> int:
    """Append the documents the project does not have yet, and all ledger lines; how many documents were new."""
    with project.change() as db:
        position = db.execute("select coalesce(max(position) + 1, 0) from documents").fetchone()[0]
        fresh = 0
        for document in documents:
            added = db.execute(
                f"insert or ignore into documents ({_COLUMNS}) values ({', '.join('?' * 18)})",
                _row(document, position + fresh),
            )
            fresh += added.rowcount
        db.executemany(
            f"insert into ledger ({_LEDGER}) values ({', '.join('?' * 13)})",
            [_ledger_row(entry) for entry in ledger],
        )
    return fresh


_COLUMNS = (
    "id, position, title, path, sha256, media_type, text, words, tokens, units, date, author, warnings, "
    "language, pages, unread_pages, parent, findings"
)
_LEDGER = (
    "path, outcome, reason, document_id, loaded, sha256, size, media_type, locked, pages, pages_read, import_id, "
    "file_number"
)


def _ledger_row(entry: LedgerEntry) -> tuple[object, ...]:
    return (
        entry.path,
        entry.outcome,
        entry.reason,
        entry.document_id,
        entry.loaded or now(),
        entry.sha256,
        entry.size,
        entry.media_type,
        entry.locked,
        entry.pages,
        entry.pages_read,
        entry.import_id,
        entry.file_number,
    )


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
        document.language,
        document.pages,
        json.dumps(document.unread_pages),
        document.parent,
        dump(document.findings, tuple[Finding, ...]),
    )


def load_corpus(project: Project, ids: Sequence[str] | None = None) -> Corpus:
    """All documents of the project in order but those held back, or those with `ids` in that order."""
    if ids is None:
        rows = project.db.execute("select * from documents where held = '' order by position")
        return Corpus(documents=tuple(map(_document, rows)))
    found = (load_document(project, document_id) for document_id in dict.fromkeys(ids))
    return Corpus(documents=tuple(document for document in found if document is not None))


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
        language=row["language"],
        pages=row["pages"],
        unread_pages=tuple(json.loads(row["unread_pages"])),
        parent=row["parent"],
        findings=load(row["findings"], tuple[Finding, ...]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLine:
    """A document as lists show it, without its text."""

    id: str
    number: int
    """Among those that are not held back, from 1; 0 when it is held back."""
    title: str
    path: str
    media_type: str
    words: int
    tokens: int
    """Estimated."""
    date: str | None
    warnings: tuple[str, ...]
    language: str = ""
    pages: int = 0
    unread_pages: tuple[int, ...] = ()
    parent: str = ""
    findings: int = 0
    """How many."""
    held: str = ""
    """Why it is held back from every model; empty when it is not."""


def list_documents(project: Project) -> tuple[DocumentLine, ...]:
    """All documents in order."""
    rows = project.db.execute(
        "select id, title, path, media_type, words, tokens, date, warnings, language, pages, unread_pages, parent, "
        "json_array_length(findings) as findings, held from documents order by held != '', position"
    )
    return tuple(
        DocumentLine(
            id=row["id"],
            number=0 if row["held"] else number,
            title=row["title"],
            path=row["path"],
            media_type=row["media_type"],
            words=row["words"],
            tokens=row["tokens"],
            date=row["date"],
            warnings=tuple(json.loads(row["warnings"])),
            language=row["language"],
            pages=row["pages"],
            unread_pages=tuple(json.loads(row["unread_pages"])),
            parent=row["parent"],
            findings=row["findings"],
            held=row["held"],
        )
        for number, row in enumerate(rows, start=1)
    )


def list_ledger(project: Project) -> tuple[LedgerEntry, ...]:
    """Every line, oldest first."""
    rows = project.db.execute(f"select {_LEDGER} from ledger order by number")
    return tuple(LedgerEntry(**{**dict(row), "locked": bool(row["locked"])}) for row in rows)


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

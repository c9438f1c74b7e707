"""Documents and the ledger of what was loaded, as rows."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from r3con_core.audit import Event
from r3con_core.documents import Corpus, Document, Finding, Source, Unit, estimate_tokens
from r3con_core.store.audit import note
from r3con_core.store.codec import dump, load
from r3con_core.store.index import index_documents, unindex
from r3con_core.store.liveness import steady
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is kept at once, all or none of it."""

    documents: Sequence[Document] = ()
    ledger: Sequence[LedgerEntry] = ()
    held: Mapping[str, str] = field(default_factory=dict)
    """Document id -> why it is held back from models."""
    import_id: int = 0
    done: int | None = None
    """How many files of the import are done when this is kept; None when that does not change."""


def add_documents(project: Project, documents: Sequence[Document], ledger: Sequence[LedgerEntry]) -> int:
    """Append the documents the project does not have yet, and all ledger lines; how many documents were new."""
    return add_batch(project, Batch(documents=documents, ledger=ledger))


def add_batch(project: Project, batch: Batch) -> int:
    """Append the documents the project does not have yet, and all ledger lines; how many documents were new."""
    with project.change() as db:
        position = db.execute("select coalesce(max(position) + 1, 0) from documents").fetchone()[0]
        fresh = 0
        for document in batch.documents:
            added = db.execute(
                f"insert or ignore into documents ({_COLUMNS}) values ({', '.join('?' * 19)})",
                (*_row(document, position + fresh), batch.held.get(document.id, "")),
            )
            fresh += added.rowcount
        index_documents(db, batch.documents)
        if fresh:
            note(db, Event.DOCUMENTS_ADDED, documents=[document.id for document in batch.documents])
        db.executemany(
            f"insert into ledger ({_LEDGER}) values ({', '.join('?' * 13)})",
            [_ledger_row(entry) for entry in batch.ledger],
        )
        if batch.done is not None:
            db.execute(
                "update imports set done = ?, heartbeat = ? where id = ?", (batch.done, steady(), batch.import_id)
            )
    return fresh


_COLUMNS = (
    "id, position, title, path, sha256, media_type, text, words, tokens, units, date, author, warnings, "
    "language, pages, unread_pages, parent, findings, held"
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


def iter_documents(project: Project) -> Iterator[Document]:
    """All documents in order, those held back too, one at a time."""
    ids = [document_id for (document_id,) in project.db.execute("select id from documents order by position")]
    found = (load_document(project, document_id) for document_id in ids)
    return (document for document in found if document is not None)


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


def free_documents(project: Project) -> tuple[str, ...]:
    """Ids of the documents that are not held back, in order."""
    return tuple(each for (each,) in project.db.execute("select id from documents where held = '' order by position"))


def list_ledger(project: Project) -> tuple[LedgerEntry, ...]:
    """Every line: by import, and as the files lie in it."""
    return tuple(map(_entry, project.db.execute(f"select {_LEDGER} from ledger {_ORDER}")))


_ORDER = "order by import_id, file_number, number"


def _entry(row: sqlite3.Row) -> LedgerEntry:
    return LedgerEntry(**{**dict(row), "locked": bool(row["locked"])})


def remove_documents(project: Project, ids: Sequence[str]) -> None:
    """Take documents out of the project; those a run has used stay, so that its answer can still be checked."""
    used = documents_in_runs(project)
    going = [document_id for document_id in ids if document_id not in used]
    with project.change() as db:
        unindex(db, going)
        note(db, Event.DOCUMENTS_REMOVED, documents=going)
        db.executemany("delete from documents where id = ?", [(document_id,) for document_id in going])


def documents_in_runs(project: Project) -> frozenset[str]:
    """Ids of documents that some run has used."""
    return frozenset(i for (text,) in project.db.execute("select document_ids from runs") for i in json.loads(text))


def first_read(project: Project, key: str) -> LedgerEntry | None:
    """The line read first of the bytes with this SHA-256, or of the document with this id; None when none was."""
    row = project.db.execute(
        f"select {_LEDGER} from ledger where (sha256 = :key or document_id = :key) "
        "and outcome in ('read', 'read with warnings', 'held back') order by number limit 1",
        {"key": key},
    ).fetchone()
    return _entry(row) if row else None


def ledger_of_import(project: Project, import_id: int) -> tuple[LedgerEntry, ...]:
    """The lines of one import."""
    rows = project.db.execute(f"select {_LEDGER} from ledger where import_id = ? {_ORDER}", (import_id,))
    return tuple(map(_entry, rows))


def locked_files(project: Project) -> tuple[LedgerEntry, ...]:
    """The lines of files and members that need a password."""
    return tuple(map(_entry, project.db.execute(f"select {_LEDGER} from ledger where locked {_ORDER}")))


def ledger_of_document(project: Project, document_id: str) -> tuple[LedgerEntry, ...]:
    """The lines that name a document: of what it was read from, and of everything equal to that."""
    rows = project.db.execute(f"select {_LEDGER} from ledger where document_id = ? {_ORDER}", (document_id,))
    return tuple(map(_entry, rows))


def forget_files(project: Project, import_id: int, *, first: int, last: int | None = None) -> None:
    """Delete the lines of files `first` to `last` of an import, to read them again; their documents stay."""
    with project.change() as db:
        db.execute(
            "delete from ledger where import_id = ? and file_number between ? and ?",
            (import_id, first, 2**62 if last is None else last),
        )


def held_documents(project: Project) -> frozenset[str]:
    """Ids of the documents that are held back; an index holds just these, so that it can be asked before every sending."""
    return frozenset(each for (each,) in project.db.execute("select id from documents where held != ''"))


def held_paths(project: Project) -> set[str]:
    """The paths of the documents that are held back."""
    return {path for (path,) in project.db.execute("select path from documents where held != ''")}


def documents_with_findings(project: Project) -> tuple[tuple[str, str, str, tuple[Finding, ...]], ...]:
    """Id, title, path and findings of the documents that have any, in order."""
    rows = project.db.execute(
        "select id, title, path, findings from documents where findings != '[]' order by position"
    )
    return tuple((row["id"], row["title"], row["path"], load(row["findings"], tuple[Finding, ...])) for row in rows)


def ledger_mark(project: Project) -> tuple[int, ...]:
    """Another one whenever a line of the ledger is added or taken out, or a decision is made about a document."""
    return tuple(
        project.db.execute(
            "select count(*), coalesce(max(number), 0), (select count(*) from decisions) from ledger"
        ).fetchone()
    )


def count_recognised(project: Project, document_ids: Sequence[str]) -> int:
    """How many stretches of these documents were recognised in pictures."""
    row = project.db.execute(
        "select count(*) from documents, json_each(documents.units) as unit where documents.id in "
        "(select value from json_each(?)) and json_extract(unit.value, '$.confidence') is not null",
        (json.dumps(list(document_ids)),),
    ).fetchone()
    return int(row[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of what was given could be read."""

    documents: int
    pages: int
    """In all documents that have pages."""
    pages_read: int
    files: int
    """Files and members in the ledger."""
    unread: int
    """Of these: not readable or refused."""
    held: int
    """Documents held back from models."""


def coverage(project: Project, document_ids: Sequence[str]) -> Coverage:
    """How many pages of these documents were read, and what of the whole project was not."""
    chosen = json.dumps(list(document_ids))
    pages = project.db.execute(
        "select count(*) as documents, coalesce(sum(pages), 0) as pages, "
        "coalesce(sum(pages - json_array_length(unread_pages)), 0) as pages_read "
        "from documents where id in (select value from json_each(?))",
        (chosen,),
    ).fetchone()
    files = project.db.execute(
        "select count(*) as files, coalesce(sum(outcome in ('not readable', 'refused')), 0) as unread, "
        "coalesce(sum(outcome = 'held back'), 0) as held from ledger"
    ).fetchone()
    return Coverage(**dict(pages), **dict(files))

"""All that people changed of a run, from wherever it is kept, as one list: newest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pages.widgets.evidence import Found
from pages.widgets.words import moment_of
from r3con_core.changes import (
    AddRecord,
    Correction,
    CorrectRecord,
    Entry,
    KeepApart,
    Look,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
    Steer,
)
from r3con_core.documents import Corpus, Document, Source
from r3con_core.exports.changed import ChangeLine, change_lines
from r3con_core.exports.contents import RunContents
from r3con_core.records import Record
from r3con_core.runs import Run
from r3con_core.schema.history import Difference, differences
from r3con_core.snippets import Author, RelevantContext
from r3con_core.store.changes import list_changes
from r3con_core.store.decisions import list_decisions
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.schemas import change_of, schema_versions


class Kind(StrEnum):
    """What was changed."""

    RECORDS = "records"
    NAMES = "names"
    SNIPPETS = "snippets and rounds"
    SCHEMA = "schema"
    LOOKS = "documents looked at"
    DOCUMENTS = "documents held or released"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One change as the page shows it."""

    kind: Kind
    when: str
    """UTC, ISO 8601."""
    who: str
    what: str
    about: str
    before: str
    after: str
    note: str
    taken_back: str = ""
    """Who took it back and when; empty while it counts."""
    entry: Entry | None = None
    """In the journal; None for what cannot be taken back here."""

    @property
    def text(self) -> str:
        """All its words, folded for search."""
        return " ".join((self.what, self.about, self.before, self.after, self.note, self.who)).casefold()


COLUMNS = ("when (UTC)", "who", "what", "about", "before", "after", "why", "taken back")


def cells(line: Line) -> dict[str, object]:
    """The line as a table shows it."""
    told = (moment_of(line.when), line.who, line.what, line.about, line.before, line.after, line.note, line.taken_back)
    return dict(zip(COLUMNS, told, strict=True))


def record_of(line: Line) -> Record | None:
    """The record that a change is about, the first of several; None where it is about none."""
    match line.entry and line.entry.change:
        case CorrectRecord(of=of) | RejectRecord(of=of) | SplitRecord(of=of) | AddRecord(record=of):
            return of
        case MergeRecords(of=several):
            return several[0]
        case _:
            return None


def lines_of(project: Project, run: Run, found: Found | None) -> tuple[Line, ...]:
    """Every change, newest first."""
    lines = [*_journal(project, run, found), *_schema(project, run), *_decisions(project)]
    return tuple(sorted(lines, key=lambda line: (line.when, line.entry.number if line.entry else 0), reverse=True))


def _journal(project: Project, run: Run, found: Found | None) -> Iterator[Line]:
    entries = list_changes(project, run.id)
    told = change_lines(_contents(project, run, found, entries))
    for entry, line in zip(entries, told, strict=True):
        yield _line(entry, line)


def _line(entry: Entry, line: ChangeLine) -> Line:
    return Line(
        kind=_kind(entry.change),
        when=entry.made,
        who=entry.author,
        what=line.what,
        about=line.about,
        before=line.before,
        after=line.after,
        note=entry.note,
        taken_back=f"{entry.undone_by}, {moment_of(entry.undone)}" if entry.undone else "",
        entry=entry,
    )


def _kind(change: Steer | Correction | Look) -> Kind:
    match change:
        case Look():
            return Kind.LOOKS
        case MergeNames() | KeepApart():
            return Kind.NAMES
        case _:
            return Kind.RECORDS if isinstance(change, Correction) else Kind.SNIPPETS


def _contents(project: Project, run: Run, found: Found | None, entries: tuple[Entry, ...]) -> RunContents:
    """What the words of changes need of a run: titles and labels, without the texts of the documents."""
    titles = {line.id: line.title for line in list_documents(project)}
    nowhere = Source(path="", sha256="", media_type="")
    documents = tuple(
        Document(id=document_id, title=titles.get(document_id, ""), text="", source=nowhere)
        for document_id in run.document_ids
    )
    return RunContents(
        run=run,
        corpus=Corpus(documents=documents),
        look_for=(),
        context=RelevantContext(rounds=()),
        data=found.data if found else None,
        answer=None,
        changes=entries,
    )


def _schema(project: Project, run: Run) -> Iterator[Line]:
    for version in schema_versions(project, run.id):
        if version.author is Author.HUMAN:
            told = (
                differences(change_of(project, run.id, version.version - 1, version.version))
                if version.version > 1
                else ()
            )
            yield Line(
                kind=Kind.SCHEMA,
                when=version.created,
                who=version.made_by or "a person",
                what=f"schema version {version.version}",
                about=", ".join(".".join(one.path) for one in told[:5]),
                before="; ".join(one.was for one in told if one.was),
                after="; ".join(_now(one) for one in told if _now(one)),
                note=version.reason,
            )


def _now(difference: Difference) -> str:
    return difference.now or difference.of.value


def _decisions(project: Project) -> Iterator[Line]:
    titles = {line.id: line.title for line in list_documents(project)}
    for decision in list_decisions(project):
        yield Line(
            kind=Kind.DOCUMENTS,
            when=decision.decided,
            who=decision.author,
            what=f"{decision.subject} {decision.decision}",
            about=titles.get(decision.document_id, decision.document_id),
            before="",
            after=decision.decision,
            note=decision.note,
        )

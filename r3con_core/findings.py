"""What the analyst decides about findings: text that was set aside stays out, or becomes a document that models read."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from r3con_core.documents import Document, Finding, Source, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.addressed import speaks_to_ai
from r3con_core.readers.noticing import spaced
from r3con_core.schemas import Choice, Field, ListOf, Schema, walk_fields
from r3con_core.store.decisions import INCLUDED, LEFT_OUT, Decision, add_decision, finding_subject, list_decisions
from r3con_core.store.documents import LedgerEntry, add_documents, documents_with_findings, load_document
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIn:
    """A finding with the document it is in and what was decided about it."""

    document_id: str
    title: str
    path: str
    index: int
    """Its place among the document's findings, from 0."""
    finding: Finding
    decision: Decision | None
    """The newest; None while nobody decided."""


def list_findings(project: Project) -> tuple[FoundIn, ...]:
    """All findings of all documents, in document order."""
    decided = newest_decisions(project)
    return tuple(
        FoundIn(
            document_id=document_id,
            title=title,
            path=path,
            index=index,
            finding=finding,
            decision=decided.get((document_id, finding_subject(index))),
        )
        for document_id, title, path, findings in documents_with_findings(project)
        for index, finding in enumerate(findings)
    )


def addressed_in(schema: Schema) -> tuple[str, ...]:
    """Names, meanings and choices of a schema that speak to AI systems: they may come from documents or a pasted text."""
    texts = (text for one in schema.record_types for text in (one.name, one.meaning, *_texts(one.fields)))
    return tuple(text for text in dict.fromkeys(texts) if speaks_to_ai(text) or speaks_to_ai(spaced(text)))


def _texts(fields: tuple[Field, ...]) -> Iterator[str]:
    for _, field in walk_fields(fields):
        kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
        yield from (field.name, field.meaning, *(kind.options if isinstance(kind, Choice) else ()))


def newest_decisions(project: Project) -> Mapping[tuple[str, str], Decision]:
    """The newest decision on each document and subject."""
    return {(one.document_id, one.subject): one for one in list_decisions(project)}


def include_finding(project: Project, document_id: str, index: int, *, author: str, note: str) -> str:
    """Make a document of a text that was set aside, so that models read it as what it is; its id.

    The document it was found in does not change. CorpusError when there is no such finding, or it is in the text.
    """
    document, finding = _finding(project, document_id, index)
    if not finding.set_aside:
        raise CorpusError(f"This passage is in the text of {document.title} already.")
    made = _document(document, finding, index)
    line = LedgerEntry(
        path=made.source.path, outcome="read with warnings", reason=made.warnings[0], document_id=made.id
    )
    add_documents(project, [made], [line])
    add_decision(project, _decision(document_id, index, INCLUDED, (author, note)))
    return made.id


def leave_out_finding(project: Project, document_id: str, index: int, *, author: str, note: str) -> None:
    """Write down that a text set aside stays out."""
    _finding(project, document_id, index)
    add_decision(project, _decision(document_id, index, LEFT_OUT, (author, note)))


def _finding(project: Project, document_id: str, index: int) -> tuple[Document, Finding]:
    document = load_document(project, document_id)
    if document is None or not 0 <= index < len(document.findings):
        raise CorpusError("This finding is not in the project any more.")
    return document, document.findings[index]


def _document(document: Document, finding: Finding, index: int) -> Document:
    where = (
        f" on {finding.place}" if finding.place.startswith("page") else f", {finding.place}" if finding.place else ""
    )
    source = Source(
        path=f"{document.source.path} > set aside {index + 1}",
        sha256=hashlib.sha256(finding.text.encode("utf-8", "surrogatepass")).hexdigest(),
        media_type="text/plain",
    )
    return make_document(
        title=f"{document.title}: {finding.kind.value}",
        text=finding.text,
        source=source,
        parent=document.source.path,
        language=document.language,
        warnings=(f"This is not what {document.title} shows its readers: it is {finding.kind.value}{where}.",),
    )


def _decision(document_id: str, index: int, decision: str, by: tuple[str, str]) -> Decision:
    author, note = by
    return Decision(
        document_id=document_id, subject=finding_subject(index), decision=decision, author=author, note=note
    )

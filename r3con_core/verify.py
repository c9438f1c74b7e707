"""Whether what a run shows is still what it rests on: documents, records and quotes, recomputed without a model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from r3con_core.documents import Corpus, Document, make_document
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded, find_quote
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.records import Record, StructuredData, record_id
from r3con_core.store.calls import iter_calls
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was checked, and what did not hold."""

    documents: int
    records: int
    quotes: int
    calls: int
    faults: tuple[str, ...]
    """One sentence each; empty when all holds."""


def verify_run(project: Project, run_id: str) -> Verification:
    """Recompute every id of a run from what it names, and look up every quote where it is said to stand."""
    contents = load_contents(project, run_id)
    data, corpus = contents.data, contents.corpus
    records = data.records if data else ()
    calls = _check_calls(project, contents)
    faults = [*_document_faults(contents), *filter(None, calls)]
    if data is not None:
        faults += [fault for record in records for fault in _record_faults(record, data, corpus)]
        faults += _answer_faults(contents, data)
    return Verification(
        documents=len(corpus.documents),
        records=len(records),
        quotes=sum(len(record.evidence) for record in records),
        calls=len(calls),
        faults=tuple(faults),
    )


def _document_faults(contents: RunContents) -> Iterator[str]:
    missing = len(contents.run.document_ids) - len(contents.corpus.documents)
    if missing:
        yield f"{missing} of the run's documents are missing."
    for number, document in enumerate(contents.corpus.documents, start=1):
        made = make_document(title=document.title, text=document.text, source=document.source)
        if made.id != document.id:
            yield f"Document {number} ({document.title}) is not the text that was read: its hash differs."


def _record_faults(record: Record, data: StructuredData, corpus: Corpus) -> Iterator[str]:
    label = data.label(record.id)
    quotes = [evidence.quote for evidence in record.evidence]
    made = record_id(record_type=record.type, document_id=record.document_id, values=record.values, quotes=quotes)
    if made != record.id:
        yield f"{label} was changed after it was parsed: its hash differs."
    for evidence in record.evidence:
        if not _holds(evidence, corpus):
            yield f"{label}: what is said of the quote {evidence.quote[:60]!r} does not hold in the documents."


def _holds(evidence: Evidence, corpus: Corpus) -> bool:
    """Whether a quote stands where it is said to stand, as closely as said; one not found must still not be found."""
    if evidence.document_id not in corpus:
        return False
    match evidence:
        case Grounded():
            return _stands(evidence, corpus.get(evidence.document_id))
        case Misplaced(found=found):
            return found.document_id in corpus and _stands(found, corpus.get(found.document_id))
        case Ungrounded():
            return find_quote(evidence.quote, corpus.get(evidence.document_id), None) is None
        case unreachable:
            assert_never(unreachable)


def _stands(evidence: Grounded, document: Document) -> bool:
    span = evidence.span
    if evidence.match is Match.EXACT:
        return document.text[span.start : span.end] == evidence.quote
    found = find_quote(evidence.quote, document, span)
    if found is None or found.match is not evidence.match:
        return False
    return found.span.start < span.end and span.start < found.span.end


def _check_calls(project: Project, contents: RunContents) -> tuple[str, ...]:
    """What is wrong with each call of the run, "" where all holds."""
    models = {contents.run.settings.model, contents.run.settings.reasoning_model}
    found = []
    for number, call in enumerate(iter_calls(project, contents.run.id), start=1):
        held = any(call.key == call.prompt.key(model) for model in models)
        said = f"The prompt of call {number} ({call.prompt.stage.value}) is not the one sent: its hash differs."
        found.append("" if held else said)
    return tuple(found)


def _answer_faults(contents: RunContents, data: StructuredData) -> Iterator[str]:
    if contents.answer is None:
        return
    known = {record.id for record in data.records}
    lost = sum(1 for record in contents.answer.record_ids if record not in known)
    if lost:
        yield f"The answer rests on {lost} records that are no longer there."

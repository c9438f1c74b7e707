"""Whether what a run shows is still what it rests on: documents, records and quotes, recomputed without a model."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from r3con_core.documents import Corpus, Document, make_document
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded, find_quote
from r3con_core.exchange import Stage
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.models import LOCAL_VECTORS
from r3con_core.records import Record, StructuredData, record_id
from r3con_core.runs import R3CON
from r3con_core.snippets import Author
from r3con_core.store.calls import iter_calls
from r3con_core.store.documents import list_ledger
from r3con_core.store.project import Project
from r3con_core.store.schemas import accepted_version
from r3con_core.store.vectors import models_used, vector_faults


class Outcome(StrEnum):
    """What came of one check."""

    HOLDS = "holds"
    BROKEN = "DOES NOT HOLD"
    OPEN = "could not be checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was checked, and what came of it."""

    what: str
    """In a sentence that is true when it holds."""
    faults: tuple[str, ...] = ()
    """What does not hold, a sentence each."""
    open: str = ""
    """Why it could not be checked; empty when it was."""

    @property
    def outcome(self) -> Outcome:
        """A fault counts before what could not be checked."""
        if self.faults:
            return Outcome.BROKEN
        return Outcome.OPEN if self.open else Outcome.HOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was checked, and what did not hold."""

    documents: int
    records: int
    quotes: int
    calls: int
    checks: tuple[Check, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """One sentence each; empty when all holds."""
        return faults_of(self.checks)


def faults_of(checks: Iterable[Check]) -> tuple[str, ...]:
    """What does not hold, of all of them."""
    return tuple(fault for check in checks for fault in check.faults)


def verify_run(project: Project, run_id: str) -> Verification:
    """Recompute every id of a run from what it names, and look up every quote where it is said to stand."""
    contents = load_contents(project, run_id)
    records = contents.data.records if contents.data else ()
    calls = _check_calls(project, contents)
    lost = tuple(filter(None, calls))
    checks = [
        Check(what="Every document is the text that was read.", faults=tuple(_document_faults(contents))),
        Check(what="The ledger names every document.", faults=tuple(_ledger_faults(project, contents))),
        Check(
            what="Every record has the hash of what the model said, or was carried over an edit of the schema.",
            faults=tuple(_identity_faults(contents, carried=accepted_version(project, run_id) > 1)),
        ),
        Check(what="Every quote stands where it is said to stand.", faults=tuple(_quote_faults(contents))),
        Check(what="Every prompt is the one that was sent.", faults=lost),
        *_vector_checks(project, run_id),
        Check(what="Every citation of the answer leads to a record.", faults=tuple(_answer_faults(contents))),
    ]
    return Verification(
        documents=len(contents.corpus.documents),
        records=len(records),
        quotes=sum(len(record.evidence) for record in records),
        calls=len(calls),
        checks=tuple(checks),
    )


def _vector_checks(project: Project, run_id: str) -> Iterator[Check]:
    if models_used(project, run_id):
        yield Check(what="Every vector of a text is the one that came.", faults=tuple(vector_faults(project, run_id)))


def _document_faults(contents: RunContents) -> Iterator[str]:
    missing = len(contents.run.document_ids) - len(contents.corpus.documents)
    if missing:
        yield f"{missing} of the run's documents are missing."
    for number, document in enumerate(contents.corpus.documents, start=1):
        made = make_document(title=document.title, text=document.text, source=document.source)
        if made.id != document.id:
            yield f"Document {number} ({document.title}) is not the text that was read: its hash differs."


def _ledger_faults(project: Project, contents: RunContents) -> Iterator[str]:
    lines = list_ledger(project)
    named = {line.document_id for line in lines}
    known = {line.path: line.sha256 for line in lines if line.sha256}
    for number, document in enumerate(contents.corpus.documents, start=1):
        name = f"Document {number} ({document.title})"
        if document.id not in named:
            yield f"{name} is in no line of the ledger."
        if known.get(document.source.path, document.source.sha256) != document.source.sha256:
            yield f"{name}: the ledger has another SHA-256 for its file."


def _identity_faults(contents: RunContents, *, carried: bool) -> Iterator[str]:
    """Records of the model that are not what their ids say; one that was `carried` over an edit keeps its id."""
    data = None if carried else contents.said
    for record in data.records if data is not None else ():
        quotes = [evidence.quote for evidence in record.evidence]
        named = (record.type, record.document_id)
        made = record_id(record_type=named[0], document_id=named[1], values=record.values, quotes=quotes)
        if made != record.id and record.author is Author.MODEL:
            assert data is not None
            yield f"{data.label(record.id)} was changed after it was parsed: its hash differs."


def _quote_faults(contents: RunContents) -> Iterator[str]:
    """Quotes that do not stand where they are said to, of the records as they are and as the model gave them."""
    seen: set[tuple[str, Evidence]] = set()
    for data in filter(None, (contents.data, contents.said)):
        for record in data.records:
            for evidence in record.evidence:
                if (record.id, evidence) not in seen and not _holds(evidence, contents.corpus):
                    yield _quote_fault(record, evidence, data)
                seen.add((record.id, evidence))


def _quote_fault(record: Record, evidence: Evidence, data: StructuredData) -> str:
    label = data.label(record.id)
    return f"{label}: what is said of the quote {evidence.quote[:60]!r} does not hold in the documents."


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
    settings = contents.run.settings
    models = {settings.model, settings.reasoning_model, settings.method}  # a program's calls go by its method's id
    found = []
    for number, call in enumerate(iter_calls(project, contents.run.id), start=1):
        asked = call.prompt.stage is Stage.EMBEDDING
        keys = {call.prompt.key(settings.embedding or LOCAL_VECTORS)} if asked else set[str]()
        held = call.key in keys or any(call.key == call.prompt.key(model, settings.repeat) for model in models)
        said = f"The prompt of call {number} ({call.prompt.stage.value}) is not the one sent: its hash differs."
        found.append("" if held else said)
    return tuple(found)


def _solid(text: str) -> str:
    """Without blanks: other methods than R3Con keep an answer's own lines, and its sentences apart."""
    return "".join(text.split())


def _answer_faults(contents: RunContents) -> Iterator[str]:
    answer, data = contents.answer, contents.data
    if answer is None or data is None:
        return
    known = {record.id for record in data.records}
    lost = sum(1 for record in answer.record_ids if record not in known)
    if lost:
        yield f"The answer rests on {lost} records that are no longer there."
    said = " ".join(sentence.text for sentence in answer.sentences)
    same = answer.text == said if contents.run.settings.method == R3CON else _solid(answer.text) == _solid(said)
    if not same:
        yield "The answer's text is not what its sentences say."

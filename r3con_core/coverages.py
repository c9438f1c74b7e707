"""How much of what was given stands behind an answer: what was read, and everything that was not."""

from dataclasses import dataclass

from r3con_core.changes import ExcludeDocument
from r3con_core.checks.elusion import silent_documents
from r3con_core.exchange import Stage
from r3con_core.figures import count_of
from r3con_core.overlay import context_of, data_of
from r3con_core.readers.ledger import Outcome
from r3con_core.records import StructuredData
from r3con_core.store.changes import list_changes
from r3con_core.store.documents import Coverage, LedgerEntry, count_recognised, coverage, list_documents, list_ledger
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.snippets import load_unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A document of the run that one stage could not read."""

    document_id: str
    stage: Stage
    round: int
    """0 for parsing."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCoverage:
    """What stands behind a run's answer, and what does not."""

    documents: int
    """Of the run."""
    counts: Coverage
    """Pages of the run's documents; files of the whole project."""
    failures: tuple[Failure, ...] = ()
    lost: tuple[LedgerEntry, ...] = ()
    """Files that could not be read or were refused."""
    excluded: tuple[str, ...] = ()
    """Ids of documents that a person took out of this run."""
    held: tuple[str, ...] = ()
    """Ids of documents held back from every model."""
    later: tuple[str, ...] = ()
    """Ids of documents that came into the project and are not in this run."""
    silent: tuple[str, ...] = ()
    """Ids of documents that gave no snippet in the last round and no record."""
    partly: tuple[str, ...] = ()
    """Ids of documents with pages that could not be read."""
    recognised: int = 0
    """Pages whose text was recognised in a picture (OCR)."""

    @property
    def unread(self) -> tuple[str, ...]:
        """Ids of the documents that some stage could not read, each once."""
        return tuple(dict.fromkeys(failure.document_id for failure in self.failures))

    @property
    def gaps(self) -> tuple[str, ...]:
        """What was not read, in words, such as "3 documents that a stage could not read"; empty when all was."""
        told = {
            "{} that a stage could not read": (self.unread, "document"),
            "{} with pages that could not be read": (self.partly, "document"),
            "{} that could not be read": (self.lost, "file"),
            "{} excluded by a person": (self.excluded, "document"),
            "{} held back": (self.held, "document"),
            "{} of the project not in this run": (self.later, "document"),
        }
        return tuple(words.format(count_of(len(these), noun)) for words, (these, noun) in told.items() if these)

    @property
    def complete(self) -> bool:
        """Everything in the project was read by every stage, to the last page."""
        return not self.gaps


def coverage_of(project: Project, run_id: str, data: StructuredData | None = None) -> RunCoverage:
    """What stands behind the answer of a run; `data`: its records as they stand, where they are at hand."""
    run = load_run(project, run_id)
    within, lines = set(run.document_ids), list_documents(project)
    data, context = data or data_of(project, run_id), context_of(project, run_id)
    excluded = {
        entry.change.document_id
        for entry in list_changes(project, run_id)
        if entry.counts and isinstance(entry.change, ExcludeDocument)
    }
    return RunCoverage(
        documents=len(run.document_ids),
        counts=coverage(project, run.document_ids),
        failures=_failures(project, run_id, max(run.settings.rounds_read, len(context.rounds))),
        lost=tuple(line for line in list_ledger(project) if line.outcome in _LOST),
        excluded=tuple(document_id for document_id in run.document_ids if document_id in excluded),
        held=tuple(line.id for line in lines if line.held),
        later=tuple(line.id for line in lines if line.id not in within and not line.held),
        silent=silent_documents(context, data) if data else (),
        partly=tuple(line.id for line in lines if line.id in within and line.unread_pages),
        recognised=count_recognised(project, run.document_ids),
    )


_LOST = (Outcome.NOT_READABLE, Outcome.REFUSED)


def _failures(project: Project, run_id: str, rounds: int) -> tuple[Failure, ...]:
    """What each stage of a run could not read, by round, then in parsing."""
    stages = [*((Stage.RELEVANCE, number) for number in range(1, rounds + 1)), (Stage.PARSING, 0)]
    return tuple(
        Failure(document_id=unread.document_id, stage=stage, round=number, reason=unread.reason)
        for stage, number in stages
        for unread in load_unread(project, run_id, stage, number)
    )

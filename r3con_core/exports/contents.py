"""All of one run at once, as exports and the command line read it."""

from dataclasses import dataclass
from typing import assert_never

from r3con_core.answers import Answer
from r3con_core.changes import Entry
from r3con_core.corrections.applying import Corrected
from r3con_core.documents import Corpus, Document, Span, Unit
from r3con_core.errors import StoreError
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded
from r3con_core.method.brief import Brief, make_brief, with_focus
from r3con_core.method.reasoning import session_names
from r3con_core.overlay import context_of, corrected_data
from r3con_core.records import Record, Representation, StructuredData
from r3con_core.runs import Run
from r3con_core.snippets import RelevantContext
from r3con_core.store.answers import load_answer
from r3con_core.store.changes import list_changes
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.runs import load_run
from r3con_core.store.snippets import load_focus


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContents:
    """One run, its documents, and what it has come to so far."""

    run: Run
    corpus: Corpus
    look_for: tuple[str, ...]
    context: RelevantContext
    """Without rounds before the first snippet."""
    data: StructuredData | None
    """As people corrected it; None before a schema is accepted."""
    answer: Answer | None
    changes: tuple[Entry, ...] = ()
    """What people changed, oldest first, those taken back too."""
    said: StructuredData | None = None
    """The records as the model gave them; None before a schema is accepted."""
    corrected: Corrected | None = None
    """What became of every change of the records; None before a schema is accepted."""

    @property
    def brief(self) -> Brief:
        """What the run's prompts shared."""
        return with_focus(make_brief(self.run.task, self.corpus, self.run.settings), self.look_for)

    def representation(self) -> Representation:
        """What reasoning got; StoreError before there are records."""
        if self.data is None:
            raise StoreError(f"The run {self.run.id} has no records yet: no schema has been accepted.")
        return Representation(relevant_context=self.context, structured_data=self.data)

    def session_names(self) -> dict[str, object]:
        """What the code of the run finds as `records` and `snippets`; StoreError before there are records."""
        return session_names(self.brief, self.representation())

    def model_said(self, record: Record) -> Record | None:
        """The record as the model gave it; None for one that a person gave."""
        try:
            return self.said.get(record.id) if self.said is not None else None
        except KeyError:
            return None


def load_contents(project: Project, run_id: str) -> RunContents:
    """All of a run; StoreError when the project has none with this id."""
    run = load_run(project, run_id)
    corrected, changes = corrected_data(project, run_id), list_changes(project, run_id)
    data = corrected.data if corrected is not None else None
    apart = data is not None and changes and run.settings.structure
    said = load_records(project, run_id, data.schema, run.document_ids) if data is not None and apart else data
    return RunContents(
        run=run,
        corpus=load_corpus(project, run.document_ids),
        look_for=load_focus(project, run_id),
        context=context_of(project, run_id),
        data=data,
        answer=load_answer(project, run_id),
        changes=changes,
        said=said,
        corrected=corrected,
    )


def place_of(document: Document, span: Span) -> str:
    """How the place of `span` is cited, such as "p. 1 (PDF page 3), NDHA-000103"; empty when it has no unit.

    That is the smallest unit that holds its beginning, and the page of its end where that is another one.
    """
    first, last = _unit_at(document, span.start), _unit_at(document, span.end - 1)
    if first is None:
        return ""
    if last is None or last.page is None or last.page == first.page:
        return first.citation
    return f"{first.citation} to {last.citation}"


def _unit_at(document: Document, offset: int) -> Unit | None:
    around = [unit for unit in document.units if unit.span.start <= offset < unit.span.end]
    return min(around, key=lambda unit: unit.span.end - unit.span.start, default=None)


def pages_text(corpus: Corpus) -> str:
    """How many pages of a corpus were read, in words; empty when none of its documents has pages."""
    pages = sum(document.pages for document in corpus.documents)
    unread = sum(len(document.unread_pages) for document in corpus.documents)
    return f"{pages - unread:,} of {pages:,} pages read" if pages else ""


def describe(evidence: Evidence, corpus: Corpus) -> str:
    """How and where a quote was found, in words."""
    match evidence:
        case Grounded(match=Match.EXACT):
            return "found exactly"
        case Grounded(match=Match.NORMALISED):
            return "found, with other typography"
        case Grounded(score=score):
            return f"found with small differences ({score:g} % alike)"
        case Misplaced(found=found):
            return f"found in another document ({corpus.get(found.document_id).title})"
        case Ungrounded():
            return "not found"
        case unreachable:
            assert_never(unreachable)


def found_at(evidence: Evidence) -> Grounded | None:
    """Where a quote was found, in its own document or in another; None where it was not."""
    return evidence if isinstance(evidence, Grounded) else evidence.found if isinstance(evidence, Misplaced) else None


def describe_with_place(evidence: Evidence, corpus: Corpus) -> str:
    """How and where a quote was found, such as "found exactly, p. 3, characters 120 to 164"."""
    found = found_at(evidence)
    if found is None:
        return describe(evidence, corpus)
    place = place_of(corpus.get(found.document_id), found.span)
    characters = f"characters {found.span.start:,} to {found.span.end:,}"
    return ", ".join(filter(None, (describe(evidence, corpus), place, characters)))


def quote_facts(evidence: Evidence, corpus: Corpus) -> dict[str, str | int]:
    """A quote with how and where it was found, by name, as programs read it; a quote not found has no place."""
    told: dict[str, str | int] = {"quote": evidence.quote, "found": describe(evidence, corpus)}
    found = found_at(evidence)
    if found is None:
        return told
    return told | {
        "document": corpus.number(found.document_id),
        "place": place_of(corpus.get(found.document_id), found.span),
        "start": found.span.start,
        "end": found.span.end,
    }

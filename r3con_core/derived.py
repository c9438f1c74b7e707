"""Runs that begin from another: second readings, follow-up questions, added documents, repeats and ablations.

A run is planned first, so that what it will ask can be shown, then made: what it keeps of the other is copied then.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.errors import CorpusError, StoreError
from r3con_core.estimates.derived import estimate_derived
from r3con_core.estimates.estimate import Estimate
from r3con_core.estimates.figures import Calibration
from r3con_core.jobs import ModelChoice, RunChoices, choices_of, create_run
from r3con_core.relations import Kept, Relation, kept_by
from r3con_core.run_relevance import relevance_stands
from r3con_core.runs import R3CON, Run, RunState
from r3con_core.store.derived import copy_kept, documents_before, runs_from
from r3con_core.store.documents import free_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accepted_version
from r3con_core.store.usage import document_tokens

_NEW_QUESTION = (Relation.SAME_RECORDS, Relation.READ_AGAIN)
_ADDS = (Relation.ALL_AGAIN, Relation.ADDED_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """A run that is to begin from another, not made yet."""

    parent: Run
    relation: Relation
    question: str
    choices: RunChoices
    document_ids: tuple[str, ...]
    """Those of the other run first, in its order; documents held back since are left out."""
    shared: int
    """How many of them are the other run's."""
    left_out: int = 0
    """How many of the other run's are held back since."""

    @property
    def kept(self) -> Kept:
        """What it has of the other run from the beginning."""
        return kept_by(self.relation)


def choices_again(project: Project, run_id: str) -> RunChoices:
    """The choices that a run was made with, its limits aside."""
    run = load_run(project, run_id)
    reading, reasoning = choices_of(project, run_id)
    return RunChoices(
        reading=reading,
        reasoning=reasoning,
        rounds=run.settings.rounds,
        mode=run.settings.mode,
        straight_through=run.straight_through,
        between_rounds=run.between_rounds,
        layout=run.settings.layout,
        relevance=run.settings.relevance,
        structure=run.settings.structure,
        repeat=run.settings.repeat,
    )


def why_not(project: Project, parent: Run, relation: Relation) -> str:
    """Why a run of that relation cannot begin from this one yet, in a sentence; empty when it can."""
    if parent.settings.method != R3CON:
        return (
            "That run is of another method than R3Con: nothing of it can be carried on. Start anew from the question."
        )
    return _why_not(project, parent, relation)


def _why_not(project: Project, parent: Run, relation: Relation) -> str:
    """The same for a run of R3Con."""
    kept, settings = kept_by(relation), parent.settings
    if (kept.snippets or kept.records) and parent.state is not RunState.DONE:
        return "This needs a run that is done: its snippets and records are kept."
    if kept.snippets and settings.relevance and not relevance_stands(project, parent):
        return (
            "People changed what is read since that run was done. Let it go on first, so that its records are of that."
        )
    if kept.records and not settings.structure:
        return "That run made no records, so there are none to keep."
    if kept.accepted and settings.structure and not accepted_version(project, parent.id):
        return "That run has no accepted schema yet."
    if relation in _ADDS and not added_documents(project, parent):
        return "No documents were added since."
    if relation is Relation.WITHOUT_STRUCTURE and not settings.relevance:
        return "That run left relevance out; without structure too, nothing would be left to reason from."
    if relation is Relation.WITHOUT_RELEVANCE and not (settings.structure and settings.relevance):
        return "That run leaves a stage out already."
    return ""


def plan_second_reading(
    project: Project, parent_id: str, *, reasoning: ModelChoice | None = None, mode: Mode | None = None
) -> PlannedRun:
    """The same question over the same records; another model or another mode reasons anew. None: as it was."""
    choices = choices_again(project, parent_id)
    choices = replace(choices, reasoning=reasoning or choices.reasoning, mode=mode or choices.mode)
    return _plan(project, parent_id, Relation.SECOND_READING, choices)


def plan_follow_up(project: Project, parent_id: str, question: str, relation: Relation) -> PlannedRun:
    """Another question: SAME_RECORDS, or READ_AGAIN, which offers the schema for the analyst to change first."""
    assert relation in _NEW_QUESTION
    again = relation is Relation.READ_AGAIN
    choices = replace(choices_again(project, parent_id), straight_through=not again, repeat=0)
    return replace(_plan(project, parent_id, relation, choices), question=question)


def plan_added(project: Project, parent_id: str, relation: Relation) -> PlannedRun:
    """The same question with the documents added since: ALL_AGAIN or ADDED_ONLY. The accepted schema stays."""
    assert relation in _ADDS
    choices = replace(choices_again(project, parent_id), straight_through=True, between_rounds=False)
    planned = _plan(project, parent_id, relation, choices)
    return replace(planned, document_ids=(*planned.document_ids, *added_documents(project, planned.parent)))


def plan_repeats(project: Project, parent_id: str, number: int) -> tuple[PlannedRun, ...]:
    """So many repeats of a run, each with its number: one more than the highest so far."""
    origin = load_run(project, parent_id)
    while origin.relation == Relation.REPEAT:
        origin = load_run(project, origin.parent)
    used = [load_run(project, run_id).settings.repeat for run_id in runs_from(project, origin.id)]
    first = max([origin.settings.repeat, *used]) + 1
    choices = replace(choices_again(project, origin.id), straight_through=True, between_rounds=False)
    return tuple(
        _plan(project, origin.id, Relation.REPEAT, replace(choices, repeat=repeat))
        for repeat in range(first, first + number)
    )


def plan_ablation(project: Project, parent_id: str, relation: Relation) -> PlannedRun:
    """The same question with a stage left out: WITHOUT_RELEVANCE or WITHOUT_STRUCTURE."""
    choices = replace(choices_again(project, parent_id), straight_through=True, between_rounds=False)
    match relation:
        case Relation.WITHOUT_RELEVANCE:
            choices = replace(choices, relevance=False)
        case Relation.WITHOUT_STRUCTURE:
            choices = replace(choices, structure=False)
        case _:
            raise AssertionError(relation)
    return _plan(project, parent_id, relation, choices)


def _plan(project: Project, parent_id: str, relation: Relation, choices: RunChoices) -> PlannedRun:
    parent = load_run(project, parent_id)
    if fault := why_not(project, parent, relation):
        raise StoreError(fault)
    free = frozenset(free_documents(project))
    document_ids = tuple(document_id for document_id in parent.document_ids if document_id in free)
    if not document_ids:
        raise CorpusError("All documents of that run are held back from models now. Release those that may be read.")
    return PlannedRun(
        parent=parent,
        relation=relation,
        question=parent.task.text,
        choices=choices,
        document_ids=document_ids,
        shared=len(document_ids),
        left_out=len(parent.document_ids) - len(document_ids),
    )


def added_documents(project: Project, run: Run) -> tuple[str, ...]:
    """Ids of the documents that the run did not know, in order; those held back are none."""
    known = set(run.document_ids)
    return tuple(document_id for document_id in free_documents(project) if document_id not in known)


def estimate_planned(project: Project, planned: PlannedRun, known: Calibration) -> Estimate:
    """What a planned run will ask; `known`: of its reading model."""
    tokens = document_tokens(project, planned.document_ids)
    return estimate_derived(planned.relation, tokens, planned.shared, planned.choices.settings(), known)


def make_planned(project: Project, planned: PlannedRun, *, home: Path | None = None) -> Run:
    """The queued run, with all it keeps."""
    origin = (planned.parent.id, planned.relation.value)
    run = create_run(project, planned.question, planned.choices, planned.document_ids, home=home, origin=origin)
    copy_kept(project, planned.parent, run, planned.kept)
    return run


_TOLD = {
    Relation.SECOND_READING: "The same question over the same {shared} documents' snippets and records; only the answer "
    "was asked anew.",
    Relation.SAME_RECORDS: "Another question over the records of the {shared} documents, which were read for the earlier "
    "one and not again.",
    Relation.READ_AGAIN: "All {all} documents were read for this question; the schema began as that of the earlier run.",
    Relation.ALL_AGAIN: "{added} documents were added; all {all} were read with what the added ones say.",
    Relation.ADDED_ONLY: "{added} documents were added and read. The other {shared} kept their snippets and records: they "
    "were not read again with what the added ones say.",
    Relation.REPEAT: "Every prompt was asked anew, under the same schema.",
    Relation.WITHOUT_RELEVANCE: "An experiment: no document was read for relevance.",
    Relation.WITHOUT_STRUCTURE: "An experiment: no records were made; the answer comes from the snippets alone.",
}


def begun_from(project: Project, run: Run) -> str:
    """What a run has of the one it began from, in sentences for whoever weighs its answer; empty without one."""
    if run.relation not in set(Relation):
        return ""
    before = documents_before(project, run)
    shared = sum(document_id in before for document_id in run.document_ids)
    whole = len(run.document_ids)
    return _TOLD[Relation(run.relation)].format(all=f"{whole:,}", shared=f"{shared:,}", added=f"{whole - shared:,}")


def repeats_of(runs: Iterable[Run], run: Run) -> tuple[Run, ...]:
    """The run that `run` repeats, or itself, and all its repeats, by number; those that are done."""
    known = {one.id: one for one in runs}
    origin = run
    while origin.relation == Relation.REPEAT and origin.parent in known:
        origin = known[origin.parent]
    repeats = [one for one in known.values() if one.parent == origin.id and one.relation == Relation.REPEAT]
    done = [one for one in (origin, *repeats) if one.state is RunState.DONE]
    return tuple(sorted(done, key=lambda one: one.settings.repeat))

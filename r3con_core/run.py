"""The one path from documents to an answer: whole in memory, and over a project that keeps and resumes it."""

from dataclasses import dataclass
from functools import partial

from r3con_core.answers import Answer
from r3con_core.documents import Corpus
from r3con_core.errors import HeldRecordError
from r3con_core.exchange import Ask
from r3con_core.method.brief import Brief, make_brief, sealed
from r3con_core.overlay import context_of, data_of
from r3con_core.records import NO_STRUCTURE, Representation, StructuredData
from r3con_core.relations import keeps
from r3con_core.run_judging import run_judging
from r3con_core.run_method import Equipment, run_method
from r3con_core.run_parsing import run_parsing
from r3con_core.run_relevance import load_relevance, may_be_shown, run_relevance
from r3con_core.runs import R3CON, Run, RunSettings, RunState
from r3con_core.schemas import Schema
from r3con_core.snippets import Author, RelevantContext
from r3con_core.stages import Models, OpenSandbox, Watch, focus_reading, parse, propose, reason, surface_relevance
from r3con_core.store import answers as answer_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store.derived import records_stand
from r3con_core.store.documents import held_documents, load_corpus
from r3con_core.store.project import Project
from r3con_core.tasks import make_task
from r3con_core.verdicts import JUDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that a question gave, for callers from Python."""

    relevant_context: RelevantContext
    structured_data: StructuredData
    answer: Answer


def answer_question(question: str, corpus: Corpus, models: Models, settings: RunSettings) -> Result:
    """The whole path in memory, with the schema as proposed. Nothing is stored; use a project to resume."""
    brief = make_brief(make_task(question), corpus, sealed(settings))
    context = RelevantContext(rounds=())
    if settings.relevance:
        brief = focus_reading(brief, models.reading)
        context = surface_relevance(brief, models)
    data = NO_STRUCTURE
    if settings.structure:
        data = parse(brief, propose(brief, context, models.reasoning).schema, context, models)
    representation = Representation(relevant_context=context, structured_data=data)
    return Result(
        relevant_context=context, structured_data=data, answer=reason(brief, representation, models.reasoning)
    )


def carry(project: Project, run_id: str, models: Models, equipment: Equipment = Equipment()) -> RunState:
    """Carry a queued run as far as it goes: to its answer, or to where it waits for a person: a round, the schema.

    Every finished call is in the log, so carrying a run again repeats none.
    """
    run = run_rows.load_run(project, run_id)
    if run.settings.method == JUDGE:
        run_judging(project, run, models)
        return _reach(project, run_id, RunState.DONE)
    if run.settings.method != R3CON:
        run_method(project, run, models, equipment)
        return _reach(project, run_id, RunState.DONE)
    brief = make_brief(run.task, load_corpus(project, run.document_ids), run.current_settings)
    read = _relevance(project, run, brief, models)
    if read is None:
        return _reach(project, run_id, RunState.BETWEEN)
    representation = _structure(project, run, read, models)
    if representation is None:
        return _reach(project, run_id, RunState.WAITING)
    _reasoning(project, run, read.brief, representation, (models.reasoning, equipment.sandbox))
    return _reach(project, run_id, RunState.DONE)


def _reach(project: Project, run_id: str, state: RunState) -> RunState:
    run_rows.set_state(project, run_id, state)
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What the relevance stage gave."""

    brief: Brief
    """With what readers look for."""
    context: RelevantContext
    afresh: bool
    """Something of it may be new, so that the schema is looked at again."""


def _relevance(project: Project, run: Run, brief: Brief, models: Models) -> _Read | None:
    """What the stage gives, or gave before; None when the run now waits for a person between two rounds."""
    if not run.settings.relevance:
        context = context_of(project, run.id).without(held_documents(project))
        return _Read(brief=brief, context=context, afresh=False)
    through = schema_rows.accepted_schema(project, run.id) is not None
    through = through or (not run.settings.structure and keeps(run.relation).snippets)
    if through and may_be_shown(project, run):
        brief, context = load_relevance(project, run, brief)
        return _Read(brief=brief, context=context, afresh=False)
    read = run_relevance(project, run, brief, models)
    return None if read is None else _Read(brief=read[0], context=read[1], afresh=True)


def _structure(project: Project, run: Run, read: _Read, models: Models) -> Representation | None:
    """What reasoning works on; None when the schema now waits for a person."""
    if not run.settings.structure:
        return Representation(relevant_context=read.context, structured_data=NO_STRUCTURE)
    schema = None if read.afresh else schema_rows.accepted_schema(project, run.id)
    schema = schema or _schema(project, run, read.brief, read.context, models.reasoning)
    if schema is None:
        return None
    if not read.afresh and _records_kept(project, run):
        answer_rows.clear_answer(project, run.id)
        data = data_of(project, run.id)
        assert data is not None, "its schema is accepted"
        return Representation(relevant_context=read.context, structured_data=data)
    return run_parsing(project, run, read.brief, read.context, (schema, models))


def _records_kept(project: Project, run: Run) -> bool:
    """Whether the records are those of the run it begins from, which its question need not have asked for."""
    kept = keeps(run.relation).records and records_stand(project, run.id)
    return kept and held_documents(project).isdisjoint(run.document_ids)


def _schema(project: Project, run: Run, brief: Brief, context: RelevantContext, ask: Ask) -> Schema | None:
    """The accepted schema when the run goes straight through, else None: a person decides."""
    run_rows.set_state(project, run.id, RunState.SCHEMA)
    if not schema_rows.schema_versions(project, run.id):
        proposal = propose(brief, context, ask)
        schema_rows.save_schema(
            project,
            run.id,
            proposal.schema,
            author=Author.MODEL,
            reason=proposal.reason,
            adjustments=proposal.adjustments,
        )
    if not run.straight_through:
        return None
    schema_rows.accept_schema(project, run.id)
    return schema_rows.accepted_schema(project, run.id)


def _reasoning(
    project: Project, run: Run, brief: Brief, representation: Representation, by: tuple[Ask, OpenSandbox]
) -> None:
    ask, sandbox = by
    if not held_documents(project).isdisjoint(representation.documents):
        raise HeldRecordError
    run_rows.set_state(project, run.id, RunState.REASONING)
    answer_rows.clear_steps(project, run.id)
    walls = partial(run_rows.set_walls, project, run.id)
    watch = Watch(walls=walls, step=partial(answer_rows.save_step, project, run.id))
    answer = reason(brief, representation, ask, watch, sandbox)
    records = representation.structured_data.records
    answer_rows.save_answer(project, run.id, answer, [one.id for one in records if one.author is Author.HUMAN])

"""The one path from documents to an answer: whole in memory, and over a project that keeps and resumes it."""

from dataclasses import dataclass, replace
from functools import partial

from r3con_core.answers import Answer
from r3con_core.documents import Corpus
from r3con_core.exchange import Ask
from r3con_core.method.brief import Brief, make_brief
from r3con_core.records import Representation, StructuredData
from r3con_core.run_parsing import run_parsing
from r3con_core.run_relevance import load_relevance, relevance_stands, run_relevance
from r3con_core.runs import PROMPTS, Run, RunSettings, RunState
from r3con_core.sandbox import open_sandbox
from r3con_core.schemas import Schema
from r3con_core.snippets import Author, RelevantContext
from r3con_core.stages import Models, OpenSandbox, Watch, focus_reading, parse, propose, reason, surface_relevance
from r3con_core.store import answers as answer_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import Project
from r3con_core.tasks import make_task


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that a question gave, for callers from Python."""

    relevant_context: RelevantContext
    structured_data: StructuredData
    answer: Answer


def answer_question(question: str, corpus: Corpus, models: Models, settings: RunSettings) -> Result:
    """The whole path in memory, with the schema as proposed. Nothing is stored; use a project to resume."""
    brief = focus_reading(make_brief(make_task(question), corpus, settings), models.reading)
    context = surface_relevance(brief, models)
    schema = propose(brief, context, models.reasoning).schema
    data = parse(brief, schema, context, models)
    representation = Representation(relevant_context=context, structured_data=data)
    return Result(
        relevant_context=context, structured_data=data, answer=reason(brief, representation, models.reasoning)
    )


def carry(project: Project, run_id: str, models: Models, sandbox: OpenSandbox = open_sandbox) -> RunState:
    """Carry a queued run as far as it goes: to its answer, or to where it waits for a person: a round, the schema.

    Every finished call is in the log, so carrying a run again repeats none.
    """
    run = run_rows.load_run(project, run_id)
    brief = make_brief(run.task, load_corpus(project, run.document_ids), replace(run.settings, prompts=PROMPTS))
    schema = schema_rows.accepted_schema(project, run_id)
    if schema is None or not relevance_stands(project, run):
        read = run_relevance(project, run, brief, models)
        if read is None:
            run_rows.set_state(project, run_id, RunState.BETWEEN)
            return RunState.BETWEEN
        brief, context = read
        schema = _schema(project, run, brief, context, models.reasoning)
        if schema is None:
            run_rows.set_state(project, run_id, RunState.WAITING)
            return RunState.WAITING
    else:
        brief, context = load_relevance(project, run, brief)
    representation = run_parsing(project, run, brief, context, (schema, models))
    _reasoning(project, run, brief, representation, (models.reasoning, sandbox))
    run_rows.set_state(project, run_id, RunState.DONE)
    return RunState.DONE


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
    run_rows.set_state(project, run.id, RunState.REASONING)
    answer_rows.clear_steps(project, run.id)
    watch = Watch(step=partial(answer_rows.save_step, project, run.id))
    answer = reason(brief, representation, ask, watch, sandbox)
    answer_rows.save_answer(project, run.id, answer)

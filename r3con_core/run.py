"""The one path from documents to an answer: whole in memory, and over a project that keeps and resumes it."""

from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from r3con_core.answers import Answer
from r3con_core.documents import Corpus, Unread
from r3con_core.exchange import Ask, Stage
from r3con_core.method.brief import Brief, make_brief, with_focus
from r3con_core.method.parsing import Parse
from r3con_core.records import Representation, StructuredData
from r3con_core.runs import PROMPTS, Run, RunSettings, RunState
from r3con_core.sandbox import open_sandbox
from r3con_core.schemas import Schema
from r3con_core.snippets import Author, Digest, RelevanceSnippet, RelevantContext
from r3con_core.stages import Models, OpenSandbox, Watch, focus_reading, parse, propose, reason, surface_relevance
from r3con_core.store import answers as answer_rows
from r3con_core.store import digests as digest_rows
from r3con_core.store import records as record_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store import sights as sight_rows
from r3con_core.store import snippets as snippet_rows
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
    """Carry a queued run as far as it goes: to its answer, or to the schema that waits for a person.

    Every finished call is in the log, so carrying a run again repeats none.
    """
    run = run_rows.load_run(project, run_id)
    brief = make_brief(run.task, load_corpus(project, run.document_ids), replace(run.settings, prompts=PROMPTS))
    schema = schema_rows.accepted_schema(project, run_id)
    if schema is None:
        brief, context = _relevance(project, run, brief, models)
        schema = _schema(project, run, brief, context, models.reasoning)
        if schema is None:
            run_rows.set_state(project, run_id, RunState.WAITING)
            return RunState.WAITING
    else:
        brief = with_focus(brief, snippet_rows.load_focus(project, run_id))
        context = snippet_rows.load_context(project, run_id, run.document_ids)
    representation = _parsing(project, run, brief, context, (schema, models))
    _reasoning(project, run, brief, representation, (models.reasoning, sandbox))
    run_rows.set_state(project, run_id, RunState.DONE)
    return RunState.DONE


def _relevance(project: Project, run: Run, brief: Brief, models: Models) -> tuple[Brief, RelevantContext]:
    run_rows.set_state(project, run.id, RunState.RELEVANCE)
    brief = focus_reading(brief, models.reading)
    snippet_rows.save_focus(project, run.id, brief.look_for)

    def keep(number: int, result: RelevanceSnippet | Unread) -> None:
        match result:
            case RelevanceSnippet():
                snippet_rows.save_snippet(project, run.id, number, result)
            case Unread():
                snippet_rows.save_unread(project, run.id, Stage.RELEVANCE, result, number)
            case unreachable:
                assert_never(unreachable)

    def begin_digests(number: int) -> None:
        note = f"making digests of the snippets of round {number}, which together are more than the model takes in"
        run_rows.set_note(project, run.id, note)

    def keep_digests(number: int, digests: tuple[Digest, ...]) -> None:
        digest_rows.save_digests(project, run.id, number, digests)
        run_rows.set_note(project, run.id, "")

    watch = Watch(
        snippet=keep,
        digesting=begin_digests,
        digests=keep_digests,
        sight=partial(sight_rows.save_sight, project, run.id),
    )
    return brief, surface_relevance(brief, models, watch)


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


def _parsing(
    project: Project, run: Run, brief: Brief, context: RelevantContext, by: tuple[Schema, Models]
) -> Representation:
    schema, models = by
    record_rows.clear_parses(project, run.id)  # before the state says so: old records must not meet a new schema
    run_rows.set_state(project, run.id, RunState.PARSING)

    def keep(result: Parse | Unread) -> None:
        match result:
            case Parse():
                record_rows.save_parse(project, run.id, result.document_id, result.records)
            case Unread():
                snippet_rows.save_unread(project, run.id, Stage.PARSING, result)
            case unreachable:
                assert_never(unreachable)

    watch = Watch(parse=keep, sight=partial(sight_rows.save_sight, project, run.id))
    data = parse(brief, schema, context, models, watch)
    return Representation(relevant_context=context, structured_data=data)


def _reasoning(
    project: Project, run: Run, brief: Brief, representation: Representation, by: tuple[Ask, OpenSandbox]
) -> None:
    ask, sandbox = by
    run_rows.set_state(project, run.id, RunState.REASONING)
    answer_rows.clear_steps(project, run.id)
    watch = Watch(step=partial(answer_rows.save_step, project, run.id))
    answer = reason(brief, representation, ask, watch, sandbox)
    answer_rows.save_answer(project, run.id, answer)

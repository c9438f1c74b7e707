"""The one path from documents to an answer, driven: stage by stage as plain functions, and whole over a project."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, assert_never

from r3con_core.answers import Answer, Conclude, Execution, Mode, RunCode, Step
from r3con_core.documents import Corpus, Document, Unread
from r3con_core.errors import NoUsableReplyError, RefusedError, ReplyError, SandboxError, WindowExceededError
from r3con_core.exchange import Ask, Exchange, Stage, converse
from r3con_core.method.parsing import Parse, parse_document
from r3con_core.method.query import choose_query
from r3con_core.method.reasoning import (
    answer_directly,
    conclude,
    conclude_from,
    make_step,
    next_prompt,
    read_action,
    record_variable,
    snippet_variable,
)
from r3con_core.method.relevance import Brief, find_focus, make_brief, with_focus, write_snippet
from r3con_core.method.schema import Proposal, propose_schema
from r3con_core.records import Representation, StructuredData, find_labels
from r3con_core.runs import SMALLEST_WINDOW, Run, RunSettings, RunState
from r3con_core.sandbox import Sandbox, open_sandbox
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round
from r3con_core.store import answers as answer_rows
from r3con_core.store import records as record_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import Project
from r3con_core.tasks import make_task

T = TypeVar("T")
SMALLER_WINDOWS = (1.0, 0.6, 0.35)
"""What is tried of the window when an endpoint says that a prompt is too long for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of one run: who reads documents, who proposes and reasons, how many may be asked at once."""

    reading: Ask
    reasoning: Ask
    workers: int = 1


def _ignore(*_: object) -> None:
    """For callers that watch nothing."""


def focus_reading(brief: Brief, ask: Ask) -> Brief:
    """The brief with the words readers look for; without any when the model gives no usable list."""
    try:
        return with_focus(brief, converse(find_focus(brief), ask))
    except NoUsableReplyError:
        return brief


def surface_relevance(
    brief: Brief, models: Models, on_snippet: Callable[[int, RelevanceSnippet | Unread], None] = _ignore
) -> RelevantContext:
    """All rounds: every document's snippet, each round seeing the other documents' snippets of the one before."""
    rounds: list[Round] = []
    for number in range(1, brief.settings.rounds + 1):
        previous = rounds[-1] if rounds else None
        results: list[RelevanceSnippet | Unread] = []
        read = partial(_snippet_or_unread, brief, previous, models.reading)
        for result in _each(read, brief.corpus.documents, models.workers):
            results.append(result)
            on_snippet(number, result)
        rounds.append(_round(number, results, brief.corpus))
    return RelevantContext(rounds=tuple(rounds))


def _round(number: int, results: Iterable[RelevanceSnippet | Unread], corpus: Corpus) -> Round:
    by_number = sorted(results, key=lambda result: corpus.number(result.document_id))
    return Round(
        number=number,
        snippets=tuple(r for r in by_number if isinstance(r, RelevanceSnippet)),
        unread=tuple(r for r in by_number if isinstance(r, Unread)),
    )


def _snippet_or_unread(brief: Brief, previous: Round | None, ask: Ask, document: Document) -> RelevanceSnippet | Unread:
    return _or_unread(brief, document, ask, lambda b: write_snippet(b, document, previous))


def _or_unread(brief: Brief, document: Document, ask: Ask, begin: Callable[[Brief], Exchange[T]]) -> T | Unread:
    """What the exchange about one document gives, or why it gives nothing; other documents go on."""
    for share in SMALLER_WINDOWS:
        window = max(int(brief.settings.window * share), SMALLEST_WINDOW)
        try:
            return converse(begin(replace(brief, settings=replace(brief.settings, window=window))), ask)
        except WindowExceededError as error:
            reason = str(error)
        except (NoUsableReplyError, RefusedError) as error:
            return Unread(document_id=document.id, reason=str(error))
    return Unread(document_id=document.id, reason=reason)


def _each(act: Callable[[Document], T], documents: Sequence[Document], workers: int) -> Iterable[T]:
    """`act` on every document, `workers` at a time, results in order; the first error ends it after those in flight."""
    if workers == 1:
        yield from map(act, documents)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(act, documents)
    finally:
        pool.shutdown(cancel_futures=True)


def propose(brief: Brief, context: RelevantContext, ask: Ask) -> Proposal:
    """The model's schema for the task; a general one, which says so, when it gives none that can be used."""
    try:
        return converse(propose_schema(brief, context), ask)
    except NoUsableReplyError as error:
        return Proposal(
            schema=GENERAL_SCHEMA,
            reason=f"{error} This general schema is offered instead; change it to fit the question.",
            adjustments=(),
        )


GENERAL_SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Event",
            meaning="one thing that happened or was said to happen",
            fields=(
                Field(name="what", meaning="what happened, in a few words", kind=Scalar()),
                Field(name="who", meaning="the person or thing that did it", kind=Scalar()),
                Field(name="to_whom", meaning="the person or thing it was done to", kind=Scalar()),
                Field(name="place", meaning="where", kind=Scalar()),
                Field(name="day", meaning="when", kind=Scalar(of=ScalarType.DATE)),
                Field(name="amount", meaning="how much or how many", kind=Scalar(of=ScalarType.NUMBER)),
                Field(name="unit", meaning="of what the amount is", kind=Scalar()),
            ),
        ),
    )
)


def parse(
    brief: Brief,
    schema: Schema,
    context: RelevantContext,
    models: Models,
    on_parse: Callable[[Parse | Unread], None] = _ignore,
) -> StructuredData:
    """Every document's records under the accepted schema."""
    results: list[Parse | Unread] = []

    def read(document: Document) -> Parse | Unread:
        return _or_unread(brief, document, models.reading, lambda b: parse_document(b, schema, context, document))

    for result in _each(read, brief.corpus.documents, models.workers):
        results.append(result)
        on_parse(result)
    results.sort(key=lambda result: brief.corpus.number(result.document_id))
    records = [record for result in results if isinstance(result, Parse) for record in result.records]
    return StructuredData(
        schema=schema, records=tuple(records), unread=tuple(r for r in results if isinstance(r, Unread))
    )


OpenSandbox = Callable[[dict[str, object]], AbstractContextManager[Sandbox]]


def reason(
    brief: Brief,
    representation: Representation,
    ask: Ask,
    on_step: Callable[[Step], None] = _ignore,
    sandbox: OpenSandbox = open_sandbox,
) -> Answer:
    """An answer over the representation: by the coding agent, or directly if that is the mode or code cannot run here."""
    if brief.settings.mode == Mode.DIRECT or not representation.structured_data.records:
        return converse(answer_directly(brief, representation), ask)
    variables: dict[str, object] = {
        "records": record_variable(brief, representation.structured_data),
        "snippets": snippet_variable(brief, representation),
    }
    try:
        opened = sandbox(variables)
    except SandboxError:
        return converse(answer_directly(brief, representation), ask)
    with opened as workshop:
        if brief.settings.small_reasoner:
            return _query(brief, representation, ask, workshop.execute, on_step)
        return _agent(brief, representation, ask, workshop.execute, on_step)


def _query(
    brief: Brief,
    representation: Representation,
    ask: Ask,
    execute: Callable[[str], Execution],
    on_step: Callable[[Step], None],
) -> Answer:
    """A small model's reasoning: it chooses a query, our code carries it out, and it answers from what that finds."""
    try:
        action = converse(choose_query(brief, representation), ask)
    except NoUsableReplyError:
        return converse(answer_directly(brief, representation), ask)
    step = make_step(action, execute(action.code), ())
    on_step(step)
    if step.execution.fault:
        return converse(answer_directly(brief, representation, (step,)), ask)
    return converse(conclude_from(brief, representation, (step,)), ask)


def _agent(
    brief: Brief,
    representation: Representation,
    ask: Ask,
    execute: Callable[[str], Execution],
    on_step: Callable[[Step], None],
) -> Answer:
    steps: tuple[Step, ...] = ()
    fault = ""
    data = representation.structured_data
    while len(steps) < brief.settings.max_steps:
        reply = ask(next_prompt(brief, representation, steps, fault))
        try:
            action = read_action(reply, steps)
        except ReplyError as error:
            action = RunCode(thought=reply.text.strip(), code="")
            execution = Execution(output="", fault=error.fault)
        else:
            if isinstance(action, Conclude):
                return conclude(action.text, action.cites, data, steps)
            execution = _checked(execute(action.code), data, brief.settings.max_steps - len(steps))
        step = make_step(action, execution, steps)
        steps = (*steps, step)
        on_step(step)
        fault = execution.fault or ""
        if execution.proposed and not fault:
            return conclude(execution.proposed.text, execution.proposed.cites, data, steps)
    return converse(answer_directly(brief, representation, steps), ask)


def _checked(execution: Execution, data: StructuredData, left: int) -> Execution:
    """An execution whose answer cites no known record is a fault while turns are left to mend it."""
    proposed = execution.proposed
    if proposed is None or execution.fault or left <= 2:
        return execution
    if not proposed.text.strip():
        return replace(execution, fault="the answer is empty")
    known = [label for label in (*proposed.cites, *find_labels(proposed.text)) if data.id_of(label.strip("[] "))]
    if known:
        return execution
    return replace(
        execution,
        fault="the answer names no record it rests on: write their labels, such as [R3], and list them in cites",
    )


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
    brief = make_brief(run.task, load_corpus(project, run.document_ids), run.settings)
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

    return brief, surface_relevance(brief, models, keep)


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

    data = parse(brief, schema, context, models, keep)
    return Representation(relevant_context=context, structured_data=data)


def _reasoning(
    project: Project, run: Run, brief: Brief, representation: Representation, by: tuple[Ask, OpenSandbox]
) -> None:
    ask, sandbox = by
    run_rows.set_state(project, run.id, RunState.REASONING)
    answer_rows.clear_steps(project, run.id)
    answer = reason(brief, representation, ask, partial(answer_rows.save_step, project, run.id), sandbox)
    answer_rows.save_answer(project, run.id, answer)

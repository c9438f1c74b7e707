"""The stages as plain functions: documents and a model in, snippets, a schema, records and an answer out.

Nothing here knows of a store. What comes of single documents is told to a `Watch` as it comes.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from r3con_core.answers import Answer, Conclude, Execution, Mode, RunCode, Step
from r3con_core.documents import Document, Unread
from r3con_core.errors import NoUsableReplyError, RefusedError, ReplyError, SandboxError, WindowExceededError
from r3con_core.exchange import Ask, Exchange, Stage, converse, holding
from r3con_core.method.brief import Brief, with_focus
from r3con_core.method.digest_tree import make_plan
from r3con_core.method.digests import DigestJob, cut_digest, jobs_of_level, write_digest
from r3con_core.method.layout import notes_room, schema_notes_room
from r3con_core.method.notes import Notes, make_notes, outgrows
from r3con_core.method.parsing import Parse, parse_document
from r3con_core.method.query import choose_query
from r3con_core.method.reasoning import (
    answer_directly,
    answer_from_notes,
    conclude,
    conclude_from,
    make_step,
    next_prompt,
    open_reasoning,
    read_action,
    session_names,
)
from r3con_core.method.relevance import find_focus, write_snippet
from r3con_core.method.schema import Proposal, propose_schema
from r3con_core.records import Representation, StructuredData, find_labels
from r3con_core.runs import SMALLEST_WINDOW
from r3con_core.sandbox import Sandbox, open_sandbox
from r3con_core.schema.general import GENERAL_SCHEMA
from r3con_core.schemas import Schema
from r3con_core.slices import work_through
from r3con_core.snippets import Digest, RelevanceSnippet, RelevantContext, Round, Sight
from r3con_core.steering import Said, Steering, round_of, settle_all, unsteered
from r3con_core.traces import Built

T = TypeVar("T")
GIVES_NOTHING = (NoUsableReplyError, RefusedError, WindowExceededError)
"""What one prompt may end in while others go on."""
SMALLER_WINDOWS = (0.6, 0.35)
"""What is tried of the window when an endpoint says that a prompt is too long for it, and not how long it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of one run: who reads documents, who proposes and reasons, how many may be asked at once."""

    reading: Ask
    reasoning: Ask
    workers: int = 1
    lead: bool = False
    """Parse the first document alone, so that the server has read what all share before the others come."""


def _ignore(*_: object) -> None:
    """For callers that watch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is told of a run as it comes, always by one thread."""

    snippet: Callable[[int, RelevanceSnippet | Unread], None] = _ignore
    """By round."""
    digesting: Callable[[int], None] = _ignore
    """By round, before its digests are written."""
    digests: Callable[[int, tuple[Digest, ...]], None] = _ignore
    """All of a round, once they are written."""
    parse: Callable[[Parse | Unread], None] = _ignore
    sight: Callable[[Stage, int, Sight], None] = _ignore
    """By stage and round, before what came of the document; round 0 for parsing."""
    walls: Callable[[str], None] = _ignore
    """What encloses generated code, in words, before any is run."""
    step: Callable[[Step], None] = _ignore
    built: Callable[[Built], None] = _ignore
    """Something that another method than R3Con built, whole or so far; again under its name when it has grown."""


def focus_reading(brief: Brief, ask: Ask) -> Brief:
    """The brief with the words readers look for; without any when the model gives no usable list."""
    try:
        return with_focus(brief, converse(find_focus(brief), holding(ask, tuple)))
    except (NoUsableReplyError, RefusedError):
        return brief  # one that is too long is no such case: what does not fit here fits nowhere


def surface_relevance(
    brief: Brief, models: Models, watch: Watch = Watch(), steering: Steering | None = None
) -> RelevantContext:
    """All rounds: every document's snippet, each round seeing the other documents' snippets of the one before.

    `steering` says how many there are, and where a person's word stands and no model is asked; None: nobody steers.
    """
    steering = steering or unsteered(brief.settings)
    rounds: list[Round] = []
    standing: dict[str, Said] = {}
    for number in range(1, steering.rounds + 1):
        there = [each for each in brief.corpus.documents if not steering.is_out(number, each.id)]
        settled = settle_all(steering, number, there, standing)
        for result in settled.values():
            watch.snippet(number, result)
        notes_for = _notes_by_window(rounds[-1]) if rounds else None
        reading = _Reading(number=number, notes_for=notes_for, hints=steering.hints.get(number, ()))
        to_read = [each for each in there if each.id not in settled]
        read = {each.document_id: each for each in _read_all(brief, models, watch, reading, to_read)}
        standing = {each.id: settled.get(each.id) or read[each.id] for each in there}
        rounds.append(_with_digests(brief, round_of(steering, number, standing.values()), models, watch))
    return RelevantContext(rounds=tuple(rounds), excluded=frozenset(steering.exclusions))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What the readers of one round share."""

    number: int
    notes_for: "NotesFor | None"
    """None in the first round."""
    hints: tuple[str, ...]


def _read_all(
    brief: Brief, models: Models, watch: Watch, reading: _Reading, documents: Sequence[Document]
) -> list[Said]:
    """What the model says of each document in this round, as it comes."""
    results: list[Said] = []
    read = partial(_read, brief, models.reading, reading)
    for result, sight in work_through(read, documents, models.workers):
        if sight:
            watch.sight(Stage.RELEVANCE, reading.number, sight)
        results.append(result)
        watch.snippet(reading.number, result)
    return results


NotesFor = Callable[[Brief], Notes]


def _notes_by_window(of: Round) -> NotesFor:
    """The notes of a round for the window a brief has, made once for each, whoever asks first."""
    made: dict[int, Notes] = {}
    lock = threading.Lock()

    def notes_for(brief: Brief) -> Notes:
        with lock:
            if brief.settings.window not in made:
                made[brief.settings.window] = make_notes(brief, of)
            return made[brief.settings.window]

    return notes_for


def _with_digests(brief: Brief, of: Round, models: Models, watch: Watch) -> Round:
    """The round, with digests of its snippets where they outgrow the window; each level waits for the one below it."""
    if not outgrows(brief, of):
        return of
    watch.digesting(of.number)
    plan = make_plan(brief.corpus, of.snippets, room=notes_room(brief))
    digests: list[Digest] = []
    below: tuple[Digest, ...] = ()
    for level in range(1, len(plan.levels) + 1):
        jobs = jobs_of_level(plan, of, level, below)
        written = work_through(partial(_digest_or_cut, brief, models.reading), jobs, models.workers)
        below = tuple(sorted(written, key=lambda digest: digest.number))
        digests += below
    watch.digests(of.number, tuple(digests))
    return replace(of, digests=tuple(digests))


def _digest_or_cut(brief: Brief, ask: Ask, job: DigestJob) -> Digest:
    try:
        return converse(write_digest(brief, job), holding(ask, lambda: job.group.covers))
    except GIVES_NOTHING:
        return cut_digest(brief, job)


def _read(brief: Brief, ask: Ask, reading: _Reading, document: Document) -> tuple[Said, Sight | None]:
    """A document's snippet, or why there is none, and what of the round before its reader saw."""
    seen: Sight | None = None

    def begin(within: Brief) -> Exchange[RelevanceSnippet]:
        nonlocal seen
        notes = reading.notes_for(within) if reading.notes_for else None
        seen = notes.others(document).sight if notes else None
        return write_snippet(within, document, notes, reading.hints)

    return _or_unread(brief, document, holding(ask, lambda: _held_with(document, seen)), begin), seen


def _held_with(document: Document, seen: Sight | None) -> tuple[str, ...]:
    """The documents of which the prompt to a reader holds something: its own, and those whose snippets it is shown."""
    return (document.id, *(seen.documents if seen else ()))


def _or_unread(brief: Brief, document: Document, ask: Ask, begin: Callable[[Brief], Exchange[T]]) -> T | Unread:
    """What the exchange about one document gives, or why it gives nothing; other documents go on."""
    try:
        return within_window(brief, brief.settings.window, lambda within: converse(begin(within), ask))
    except GIVES_NOTHING as error:
        return Unread(document_id=document.id, reason=str(error))


def within_window(brief: Brief, whole: int, act: Callable[[Brief], T]) -> T:
    """What `act` gives; tried with less than the `whole` window where the endpoint says that a prompt is too long for it.

    A document is cut into parts that fit then. The window that the endpoint names is tried before our guesses.
    """
    try:
        return act(brief)
    except WindowExceededError as error:
        refused = error
    guesses = [int(whole * share) for share in SMALLER_WINDOWS]
    known = [refused.window] if refused.window and refused.window < whole else []
    for window in (*known, *(guess for guess in guesses if not known or guess < known[0])):
        try:
            return act(brief.within(max(window, SMALLEST_WINDOW)))
        except WindowExceededError as error:
            refused = error
    raise refused


def propose(brief: Brief, context: RelevantContext, ask: Ask) -> Proposal:
    """The model's schema for the task; a general one, which says so, when it gives none that can be used."""
    ask = holding(ask, lambda: context.documents)

    def act(within: Brief) -> Proposal:
        notes = make_notes(within, context.last, schema_notes_room(within.reasoning_window, task=brief.task.text))
        return converse(propose_schema(within, notes), ask)

    try:
        return within_window(brief, brief.reasoning_window, act)
    except GIVES_NOTHING as error:
        return Proposal(
            schema=GENERAL_SCHEMA,
            reason=f"{error} This general schema is offered instead; change it to fit the question.",
            adjustments=(),
        )


def parse(  # noqa: PLR0913 - the stage's nouns, by name
    brief: Brief,
    schema: Schema,
    context: RelevantContext,
    models: Models,
    watch: Watch = Watch(),
    *,
    wanted: Mapping[str, tuple[str, ...]] | None = None,
) -> StructuredData:
    """Every document's records under the accepted schema, but for those that people took out.

    `wanted`: by document, the record types it is asked for, none for all; documents without an entry are left alone.
    """
    results: list[Parse | Unread] = []
    there = [document for document in brief.corpus.documents if document.id not in context.excluded]
    asked = there if wanted is None else [document for document in there if document.id in wanted]
    notes_for = _notes_by_window(context.last)

    def read(document: Document) -> tuple[Parse | Unread, Sight | None]:
        seen: Sight | None = None
        only = wanted[document.id] if wanted else ()

        def begin(within: Brief) -> Exchange[Parse]:
            nonlocal seen
            notes = notes_for(within)
            seen = notes.all_for(document).sight
            return parse_document(within, schema, notes, document, only)

        ask = holding(models.reading, lambda: _held_with(document, seen))
        return _or_unread(brief, document, ask, begin), seen

    for result, sight in work_through(read, asked, models.workers, lead=models.lead):
        if sight:
            watch.sight(Stage.PARSING, 0, sight)
        results.append(result)
        watch.parse(result)
    results.sort(key=lambda result: brief.corpus.number(result.document_id))
    records = [record for result in results if isinstance(result, Parse) for record in result.records]
    return StructuredData(
        schema=schema, records=tuple(records), unread=tuple(r for r in results if isinstance(r, Unread))
    )


OpenSandbox = Callable[[dict[str, object]], AbstractContextManager[Sandbox]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Workshop:
    """What the reasoning model works with."""

    brief: Brief
    representation: Representation
    ask: Ask
    execute: Callable[[str], Execution]
    on_step: Callable[[Step], None]


def reason(
    brief: Brief,
    representation: Representation,
    ask: Ask,
    watch: Watch = Watch(),
    sandbox: OpenSandbox = open_sandbox,
) -> Answer:
    """An answer over the representation: by the coding agent, or directly if that is the mode or code cannot run here."""
    ask = holding(ask, lambda: representation.documents)

    def act(within: Brief) -> Answer:
        if not within.settings.structure:
            return converse(answer_from_notes(within, representation), ask)
        if within.settings.mode == Mode.DIRECT or not representation.structured_data.records:
            return converse(answer_directly(within, representation), ask)
        try:
            opened = sandbox(session_names(within, representation))
        except SandboxError:
            return converse(answer_directly(within, representation), ask)
        with opened as code:
            watch.walls(code.walls)
            shop = _Workshop(
                brief=within, representation=representation, ask=ask, execute=code.execute, on_step=watch.step
            )
            return _query(shop) if within.settings.small_reasoner else _agent(shop)

    return within_window(brief, brief.reasoning_window, act)


def _query(shop: _Workshop) -> Answer:
    """A small model's reasoning: it chooses a query, our code carries it out, and it answers from what that finds."""
    brief, representation = shop.brief, shop.representation
    try:
        action = converse(choose_query(brief, representation), shop.ask)
    except NoUsableReplyError:
        return converse(answer_directly(brief, representation), shop.ask)
    step = make_step(action, shop.execute(action.code), ())
    shop.on_step(step)
    if step.execution.fault:
        return converse(answer_directly(brief, representation, (step,)), shop.ask)
    return converse(conclude_from(brief, representation, (step,)), shop.ask)


def _agent(shop: _Workshop) -> Answer:
    steps: tuple[Step, ...] = ()
    fault = ""
    brief, data = shop.brief, shop.representation.structured_data
    opening = open_reasoning(brief, shop.representation)
    while len(steps) < brief.settings.max_steps:
        reply = shop.ask(next_prompt(brief, opening, steps, fault))
        try:
            action = read_action(reply, steps)
        except ReplyError as error:
            action = RunCode(thought=reply.text.strip(), code="")
            execution = Execution(output="", fault=error.fault)
        else:
            if isinstance(action, Conclude):
                return conclude(action.text, action.cites, data, steps)
            execution = _checked(shop.execute(action.code), data, brief.settings.max_steps - len(steps))
        step = make_step(action, execution, steps)
        steps = (*steps, step)
        shop.on_step(step)
        fault = execution.fault or ""
        if execution.proposed and not fault:
            return conclude(execution.proposed.text, execution.proposed.cites, data, steps)
    return converse(answer_directly(brief, shop.representation, steps), shop.ask)


def _checked(execution: Execution, data: StructuredData, left: int) -> Execution:
    """An execution whose answer cites no known record is a fault while turns are left to mend it."""
    proposed = execution.proposed
    if proposed is None or execution.fault or left <= 2:
        return execution
    if not proposed.text.strip():
        return replace(execution, fault="the answer is empty")
    known = [label for label in (*proposed.cites, *find_labels(proposed.text)) if data.id_of(label.strip("[] "))]
    fault = "the answer names no record it rests on: write their labels, such as [R3], and list them in cites"
    return execution if known else replace(execution, fault=fault)

"""A run carried once more over its own call log, with a model that refuses to be asked: does the same come of it?

The strongest check there is without a model: every snippet, schema, record, step and sentence is made anew from the
kept documents, prompts and replies, and held against what the run says. It works on a copy; the run stays as it is.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from r3con_core.answers import Answer, Mode
from r3con_core.changes import Steer
from r3con_core.errors import HELD_BACK, HeldBackError, R3ConError, RefusedError, StoreError, WindowExceededError
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.method.brief import make_brief
from r3con_core.overlay import context_as, context_of
from r3con_core.records import Record, StructuredData
from r3con_core.relations import keeps
from r3con_core.run import carry
from r3con_core.run_parsing import context_mark, run_parsing
from r3con_core.run_relevance import load_relevance
from r3con_core.runs import PROMPTS, R3CON, Run, RunState
from r3con_core.sandbox import code_can_run
from r3con_core.schema.general import GENERAL_SCHEMA
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.stages import Models
from r3con_core.steering import UNDER_WAY, differ, marks_of
from r3con_core.store.calls import find_reply, iter_calls
from r3con_core.store.changes import list_changes
from r3con_core.store.project import Project
from r3con_core.store.records import KEPT, load_records, parsed_documents
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import SchemaVersion, newest_schema, schema_versions
from r3con_core.store.steering import taken_in
from r3con_core.verdicts import JUDGE
from r3con_core.verify.replay_copy import CopiedRun, copy_bare
from r3con_core.verify.replay_faults import answer_faults, record_faults, round_faults
from r3con_core.verify.replay_judging import replay_judging
from r3con_core.verify.replay_method import replay_method
from r3con_core.verify.runs import Check

SNIPPETS = "The kept replies, read again, give every snippet of every round."
SCHEMA = "The kept reply, read again, gives the schema that was proposed."
RECORDS = "The kept replies, read again, give every record."
OUTGROWN = "The run was steered after this was made and is not through with it. Let it go on, then check it again."
ANSWER = "The kept replies, read again, and the code, run again, give every step and the answer."


class UnkeptError(StoreError):
    """The replay wants a reply that the run does not have."""

    def __init__(self, stage: Stage) -> None:
        """Of this stage."""
        super().__init__(f"A prompt of the {stage.value} stage has no kept reply: it is not one that this run sent.")


@dataclass(slots=True, kw_only=True)
class _Log:
    """The replies of a run, which all its models are answered from; it notes which were used."""

    project: Project
    run: Run
    unread: dict[tuple[str, int, str], str]
    """Stage, round and document -> why a document was not read, as the run says."""
    asked: set[tuple[str, int, str]]
    """Stage, round and document of all kept calls."""
    general: bool
    """The run fell back on the general schema: its model refused to propose one, or gave none that could be used."""
    focused: bool
    used: set[str] = field(default_factory=set)

    def answering(self, model: str) -> Callable[[Prompt], Reply]:
        """The model that only repeats what it said."""

        def ask(prompt: Prompt) -> Reply:
            if self.unread.get(_about(prompt)) == HELD_BACK:
                raise HeldBackError  # it was held back after it had been read
            key = prompt.key(model, self.run.settings.repeat)
            reply = find_reply(self.project, key)
            if reply is None:
                raise self._refusal(prompt)
            self.used.add(key)
            return reply

        return ask

    def _refusal(self, prompt: Prompt) -> R3ConError:
        """How a prompt without a reply ended when it was asked: calls that gave none are not kept."""
        about = _about(prompt)
        if about in self.unread:
            return RefusedError(self.unread[about])
        if prompt.about.document_id and about in self.asked:
            return WindowExceededError(None)  # then it was asked again within a smaller window
        gave_none = prompt.about.document_id or prompt.stage is Stage.DIGEST
        gave_none = gave_none or (prompt.stage is Stage.FOCUS and not self.focused)
        if gave_none or (prompt.stage is Stage.SCHEMA and self.general):
            return RefusedError("There is no kept reply.")
        return UnkeptError(prompt.stage)


def _about(prompt: Prompt) -> tuple[str, int, str]:
    return prompt.stage.value, prompt.about.round, prompt.about.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replay:
    """The run, and the bare copy that is carried again."""

    project: Project
    contents: RunContents
    copy: CopiedRun
    log: _Log
    models: Models

    @property
    def run(self) -> Run:
        return self.contents.run


def replay_run(project: Project, run_id: str) -> tuple[Check, ...]:
    """What came of carrying the run again, stage by stage; what cannot be told so is left open, with why."""
    contents = load_contents(project, run_id)
    if contents.run.settings.method == JUDGE:
        return replay_judging(project, run_id)
    if contents.run.settings.method != R3CON:
        return replay_method(project, run_id)
    if contents.run.settings.prompts != PROMPTS:
        made = f"The run was made with prompts {contents.run.settings.prompts}, which this version no longer writes."
        return tuple(Check(what=what, open=made) for what in (SNIPPETS, SCHEMA, RECORDS, ANSWER))
    with tempfile.TemporaryDirectory(prefix="r3con-replay-") as folder:
        copy = copy_bare(project, run_id, Path(folder), keeps(contents.run.relation))
        contents = _as_taken_in(project, contents, copy)
        try:
            checks = _stages(_begin(project, contents, copy))
            outgrown = _outgrown(project, contents)
            return tuple(
                Check(what=one.what, open=OUTGROWN) if one.faults and one.what in outgrown else one for one in checks
            )
        finally:
            copy.project.close()


def _as_taken_in(project: Project, contents: RunContents, copy: CopiedRun) -> RunContents:
    """The run without the changes of its rounds that it has not gone on with yet; the copy is made so too."""
    marks = taken_in(project, contents.run.id)
    if UNDER_WAY in marks or not differ(marks, contents.changes):
        return contents
    waiting, numbers = Counter(marks), set[int]()
    for entry in contents.changes:
        for mark in marks_of([replace(entry, undone="")]):
            if waiting[mark] > 0:
                waiting[mark] -= 1
                numbers.add(entry.number)
    copy.keep_steers(frozenset(numbers))
    entries = [entry for entry in list_changes(copy.project, contents.run.id) if entry.number in numbers]
    return replace(contents, context=context_as(project, contents.run, entries))


def _outgrown(project: Project, contents: RunContents) -> tuple[str, ...]:
    """What need not come of what the run read last, since people steered it and it has not gone on to its end."""
    run, mark = contents.run, context_mark(contents.context)
    if not any(isinstance(entry.change, Steer) for entry in contents.changes):
        return ()
    if UNDER_WAY in taken_in(project, run.id):
        return SNIPPETS, RECORDS, ANSWER
    parsed = parsed_documents(project, run.id).values()
    behind = run.state is RunState.BETWEEN or any(one.context not in (mark, KEPT) for one in parsed)
    return (RECORDS, ANSWER) if behind else ()


def _begin(project: Project, contents: RunContents, copy: CopiedRun) -> _Replay:
    run = contents.run
    versions = schema_versions(project, run.id)
    unread = {
        (row["stage"], row["round"], row["document_id"]): row["reason"]
        for row in project.db.execute("select * from unread where run_id = ?", (run.id,))
    }
    calls = (call.prompt for call in iter_calls(project, run.id))
    log = _Log(
        project=copy.project,
        run=run,
        unread=unread,
        asked={(prompt.stage.value, prompt.about.round, prompt.about.document_id) for prompt in calls},
        general=bool(versions) and versions[0].schema == GENERAL_SCHEMA,
        focused=bool(contents.look_for),
    )
    reading = log.answering(run.settings.model)
    reasoning = log.answering(run.settings.reasoning_model or run.settings.model)
    return _Replay(
        project=project, contents=contents, copy=copy, log=log, models=Models(reading=reading, reasoning=reasoning)
    )


def _stages(replay: _Replay) -> Iterator[Check]:
    settings = replay.run.settings
    ended = "" if replay.copy.kept.snippets else _carried(replay)
    if settings.relevance and replay.contents.context.rounds:
        yield _snippets(replay, ended)
    if settings.structure and schema_versions(replay.project, replay.run.id):
        yield _proposal(replay)
    if settings.structure and replay.contents.said is not None:
        yield _records(replay)
    if replay.contents.answer is not None:
        yield _answer(replay, replay.contents.answer)


def _carried(replay: _Replay) -> str:
    """Carry the copy to where its schema is proposed; why it did not get past reading, "" where it did."""
    try:
        carry(replay.copy.project, replay.run.id, replay.models)
    except R3ConError as error:
        reading = load_run(replay.copy.project, replay.run.id).state is RunState.RELEVANCE
        return str(error) if reading else ""
    return ""


def _from_parent(replay: _Replay, what: str) -> Check:
    return Check(what=what, open=f"They are those of the run {replay.run.parent}, which it began from.")


def _snippets(replay: _Replay, ended: str) -> Check:
    if replay.copy.kept.snippets:
        return _from_parent(replay, SNIPPETS)
    found = context_of(replay.copy.project, replay.run.id)
    faults = tuple(round_faults(replay.contents.context, found, replay.contents.corpus))
    return Check(what=SNIPPETS, faults=(*faults, *([ended] if ended else [])))


def _proposal(replay: _Replay) -> Check:
    told = schema_versions(replay.project, replay.run.id)[0]
    if replay.copy.kept.schema or told.author is not Author.MODEL:
        return Check(what="The schema was given, not proposed: no reply is needed for it.")
    found = schema_versions(replay.copy.project, replay.run.id) or _proposed_before(replay, told.created)
    if not found:
        return Check(what=SCHEMA, faults=("The proposal of a schema does not come of the kept replies.",))
    same = found[0].schema == told.schema
    return Check(what=SCHEMA, faults=() if same else ("The first version of the schema is not what the reply says.",))


def _proposed_before(replay: _Replay, created: str) -> tuple[SchemaVersion, ...]:
    """The proposal as it came before people steered the rounds again, which leaves a schema as it is."""
    for number, changes in enumerate(replay.copy.steers(created)):
        with tempfile.TemporaryDirectory(prefix="r3con-replay-") as folder:
            earlier = copy_bare(replay.project, replay.run.id, Path(folder) / str(number), replay.copy.kept)
            earlier.keep_steers(changes)
            _carried(replace(replay, copy=earlier))
            found = schema_versions(earlier.project, replay.run.id)
            earlier.project.close()
        if found:
            return found
    return ()


def _records(replay: _Replay) -> Check:
    """Parsed again; through earlier versions of the schema too, where that alone gives the records."""
    if replay.copy.kept.records:
        return _from_parent(replay, RECORDS)
    said = replay.contents.said
    assert said is not None, "there are records to compare"
    faults: tuple[str, ...] = ()
    for versions in _ways(replay):
        found = _parse(replay, versions)
        tried = tuple(record_faults(said, found))
        faults = faults or tried
        if not tried:
            return Check(what=RECORDS)
    return Check(what=RECORDS, faults=faults)


def _ways(replay: _Replay) -> Iterator[tuple[int, ...]]:
    """Through which accepted versions of the schema the records may have come, the likeliest first."""
    last = replay.copy.accepted
    yield (last,)
    if last > 1:
        yield 1, last
    if last > 2:
        yield tuple(range(1, last + 1))


def _parse(replay: _Replay, versions: Sequence[int]) -> StructuredData:
    project, run_id = replay.copy.project, replay.run.id
    replay.copy.forget_records()
    schema: Schema | None = None
    for version in versions:
        replay.copy.accept(version)
        schema = newest_schema(project, run_id)
        run = load_run(project, run_id)
        brief, context = load_relevance(
            project, run, make_brief(run.task, replay.contents.corpus, run.current_settings)
        )
        run_parsing(project, run, brief, context, (schema, replay.models))
    assert schema is not None, "some version was accepted"
    found = load_records(project, run_id, schema, replay.run.document_ids)
    said = replay.contents.said
    if said is None or replay.contents.answer is not None:
        return found
    return replace(found, records=tuple(_parsed_so_far(replay, found.records)), unread=said.unread)


def _parsed_so_far(replay: _Replay, records: Iterable[Record]) -> Iterator[Record]:
    """Without those that only a preview asked for, while the run was broken off before it came to them."""
    parsed = parsed_documents(replay.project, replay.run.id)
    for record in records:
        if record.document_id in parsed and record.type not in parsed[record.document_id].to_ask:
            yield record


def _answer(replay: _Replay, told: Answer) -> Check:
    """Reasoned again, over the records with all corrections, with none, and as they were when it was reasoned."""
    if told.mode is Mode.CODING and (cannot := code_can_run()):
        return Check(what=ANSWER, open=cannot)
    tried: list[tuple[str, ...]] = []
    refused: list[tuple[str, ...]] = []
    for keep in replay.copy.corrections():
        try:
            tried.append(_reason(replay, keep, told))
        except R3ConError as error:
            refused.append((str(error),))
        if () in tried:
            return Check(what=ANSWER)
    return Check(what=ANSWER, faults=(*tried, *refused)[0])


def _reason(replay: _Replay, changes: frozenset[int], told: Answer) -> tuple[str, ...]:
    replay.copy.queue(changes)
    carry(replay.copy.project, replay.run.id, replay.models)
    found = load_contents(replay.copy.project, replay.run.id).answer
    return tuple(answer_faults(told, found))

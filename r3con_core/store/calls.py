"""The call log: every prompt, reply, usage and time. A reply kept for a prompt is given back, which is resume and replay.

A row names the pieces of its messages by their numbers in `texts`: `pieces` is "system:1 user:2-13,40" for a system
message of piece 1 and a user message of pieces 2 to 13 and 40. The JSON schema of a reply is such a piece too: `shape`
is its number. Rows of projects from before have the messages and the schema themselves as JSON instead.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from r3con_core.exchange import About, Ask, Finish, Message, Prompt, Reply, Stage, Usage
from r3con_core.store.asking import claim, forget_claim, release
from r3con_core.store.project import Project, now
from r3con_core.store.texts import TextReader, gather, keep_texts, remember_texts
from r3con_core.store.usage import summed


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A prompt with its reply, as kept."""

    key: str
    """Hash of the model's name and the prompt."""
    prompt: Prompt
    """Without lane and marks, which are not kept."""
    reply: Reply
    host: str
    answered: str
    reused: bool = False
    """In this run the reply came from the log."""


def _moment() -> None:
    time.sleep(0.2)


def remembering(  # noqa: PLR0913 - what a kept call needs, and how to wait for one
    project: Project,
    run_id: str,
    model: str,
    host: str,
    ask: Ask,
    *,
    wait: Callable[[], None] = _moment,
    repeat: int = 0,
) -> Ask:
    """`ask`, but a prompt this project has a reply to is answered from the log, and every new reply is kept.

    No prompt is asked twice: one that another thread or another run's process is asking just now is waited for, with
    `wait` between looks; what `wait` raises ends that. Where the other ends without a reply, this one asks.
    Replies kept for one `repeat` of a run are not given to another.
    """

    def remember(prompt: Prompt) -> Reply:
        key = prompt.key(model, repeat)
        while (kept := _reuse(project, run_id, key)) is None:
            if claim(project, key):
                return asked(key, prompt)
            wait()
        return kept

    def asked(key: str, prompt: Prompt) -> Reply:
        try:
            reply = ask(prompt)
            keep_call(project, run_id, Call(key=key, prompt=prompt, reply=reply, host=host, answered=now()))
        except BaseException:
            release(project, key)
            raise
        return reply

    return remember


def _reuse(project: Project, run_id: str, key: str) -> Reply | None:
    """The reply kept under `key`, if any, which the run has then used."""
    kept = find_reply(project, key)
    if kept is None:
        return None
    used = "select 1 from run_calls where run_id = ? and key = ?"
    if project.db.execute(used, (run_id, key)).fetchone() is None:
        with project.change() as db:
            db.execute("insert or ignore into run_calls values (?, ?, 1)", (run_id, key))
    return kept


def find_reply(project: Project, key: str) -> Reply | None:
    """The reply kept under `key`, if any."""
    row = project.db.execute("select * from calls where key = ?", (key,)).fetchone()
    return None if row is None else _reply(row)


def _nothing(_: sqlite3.Connection) -> None:
    """Nothing more is kept."""


def keep_call(
    project: Project, run_id: str, call: Call, along: Callable[[sqlite3.Connection], None] = _nothing
) -> None:
    """Write one finished call of a run; a call already kept stays as it is. A claim of its prompt ends with it.

    What `along` writes is kept in the same transaction.
    """
    prompt = call.prompt
    shape = None if prompt.shape is None else json.dumps(prompt.shape, ensure_ascii=False)
    pieces = chain.from_iterable(message.pieces for message in prompt.messages)
    gathered = gather(project, chain(pieces, () if shape is None else (shape,)))
    with project.change() as db:
        keep_texts(db, gathered)
        numbers = gathered.written(prompt.messages), None if shape is None else gathered.number(shape)
        db.execute(_INSERT, _row(call, *numbers))
        db.execute("insert or ignore into run_calls values (?, ?, ?)", (run_id, call.key, call.reused))
        forget_claim(project, db, call.key)
        along(db)
    remember_texts(project, gathered)


_INSERT = """
insert or ignore into calls (
    key, model, host, stage, document_id, round, part, step, attempt, messages, pieces, shape, max_tokens, temperature,
    reply, thinking, finish, prompt_tokens, cached_tokens, written_tokens, output_tokens, counted,
    seconds, answered
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _row(call: Call, pieces: str, shape: int | None) -> tuple[object, ...]:
    prompt, reply, about = call.prompt, call.reply, call.prompt.about
    asked = (call.key, reply.model, call.host, prompt.stage.value)
    of = (about.document_id, about.round, about.part, about.step, prompt.attempt)
    said = (pieces, shape, prompt.max_tokens, prompt.temperature, reply.text, reply.thinking)
    used = reply.usage
    usage = (used.prompt, used.cached, used.written, used.output, used.counted)
    return (*asked, *of, *said, reply.finish.value, *usage, reply.seconds, call.answered)


def list_calls(project: Project, run_id: str, stage: Stage | None = None) -> tuple[Call, ...]:
    """The calls of one run in the order they were answered, of one stage if given."""
    return tuple(iter_calls(project, run_id, stage))


def iter_calls(project: Project, run_id: str, stage: Stage | None = None) -> Iterator[Call]:
    """The same one by one, for whoever needs no two at once."""
    keys = project.db.execute(
        "select key, reused from run_calls join calls using (key) where run_id = ? and stage like ? order by calls.rowid",
        (run_id, "%" if stage is None else stage.value),
    ).fetchall()
    texts = TextReader(project)
    for key, reused in keys:
        row = project.db.execute("select * from calls where key = ?", (key,)).fetchone()
        yield call_of_row(row, texts, reused=bool(reused))


def call_of_row(row: sqlite3.Row, texts: TextReader, *, reused: bool) -> Call:
    """The call that a whole row of `calls` keeps."""
    return Call(
        key=row["key"],
        prompt=_prompt(row, texts),
        reply=_reply(row),
        host=row["host"],
        answered=row["answered"],
        reused=reused,
    )


def _prompt(row: sqlite3.Row, texts: TextReader) -> Prompt:
    return Prompt(
        stage=Stage(row["stage"]),
        about=About(document_id=row["document_id"], round=row["round"], part=row["part"], step=row["step"]),
        attempt=row["attempt"],
        messages=_old_messages(row["messages"]) if row["messages"] else texts.messages(row["pieces"]),
        shape=_shape(row["shape"], texts) if row["shape"] else None,
        max_tokens=row["max_tokens"],
        temperature=row["temperature"],
    )


def _old_messages(written: str) -> tuple[Message, ...]:
    return tuple(Message(role=said["role"], pieces=(said["content"],)) for said in json.loads(written))


def _shape(written: str, texts: TextReader) -> Mapping[str, Any]:
    shape = json.loads(written)
    if isinstance(shape, int):
        (text,) = texts.texts(written)
        shape = json.loads(text)
    return dict(shape)


def _reply(row: sqlite3.Row) -> Reply:
    return Reply(
        text=row["reply"],
        finish=Finish(row["finish"]),
        usage=Usage(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            written=row["written_tokens"],
            output=row["output_tokens"],
            counted=bool(row["counted"]),
        ),
        model=row["model"],
        seconds=row["seconds"],
        thinking=row["thinking"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUsage:
    """What one stage of a run has used so far."""

    stage: Stage
    calls: int
    reused: int
    """Of `calls`, those answered from the log."""
    usage: Usage
    """Of the calls that were asked in this run."""
    seconds: float


def usage_by_stage(project: Project, run_id: str) -> tuple[StageUsage, ...]:
    """One line per stage that has calls, in the order of the stages."""
    rows = project.db.execute(
        """
        select stage, count(*) as calls, sum(reused) as reused,
               sum(iif(reused, 0, prompt_tokens)) as prompt, sum(iif(reused, 0, cached_tokens)) as cached,
               sum(iif(reused, 0, written_tokens)) as written, sum(iif(reused, 0, output_tokens)) as output,
               min(reused or counted) as counted,
               sum(iif(reused, 0, seconds)) as seconds
        from calls join run_calls using (key) where run_id = ? group by stage
        """,
        (run_id,),
    ).fetchall()
    found = {
        row["stage"]: StageUsage(
            stage=Stage(row["stage"]),
            calls=row["calls"],
            reused=row["reused"],
            usage=summed(row),
            seconds=row["seconds"],
        )
        for row in rows
    }
    return tuple(found[stage.value] for stage in Stage if stage.value in found)

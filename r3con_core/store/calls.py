"""The call log: every prompt, reply, usage and time. A reply kept for a prompt is given back, which is resume and replay."""

import json
from dataclasses import dataclass

from r3con_core.exchange import About, Ask, Finish, Message, Prompt, Reply, Stage, Usage
from r3con_core.store.project import Project, now


def remembering(project: Project, run_id: str, model: str, host: str, ask: Ask) -> Ask:
    """`ask`, but a prompt this project has a reply to is answered from the log, and every new reply is kept.

    Two threads that ask the same prompt at once may both ask; the first reply stays.
    """

    def remember(prompt: Prompt) -> Reply:
        key = prompt.key(model)
        kept = find_reply(project, key)
        if kept is None:
            kept = ask(prompt)
            keep_call(project, key, prompt, kept, host)
            reused = False
        else:
            reused = True
        with project.change() as db:
            db.execute("insert or ignore into run_calls values (?, ?, ?)", (run_id, key, reused))
        return kept

    return remember


def find_reply(project: Project, key: str) -> Reply | None:
    """The reply kept under `key`, if any."""
    row = project.db.execute("select * from calls where key = ?", (key,)).fetchone()
    if row is None:
        return None
    return Reply(
        text=row["reply"],
        finish=Finish(row["finish"]),
        usage=Usage(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            output=row["output_tokens"],
            counted=bool(row["counted"]),
        ),
        model=row["model"],
        seconds=row["seconds"],
        thinking=row["thinking"],
    )


def keep_call(project: Project, key: str, prompt: Prompt, reply: Reply, host: str) -> None:
    """Write one finished call; a call already kept stays as it is."""
    about = prompt.about
    with project.change() as db:
        db.execute(
            "insert or ignore into calls values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'')",
            (
                key,
                reply.model,
                host,
                prompt.stage.value,
                about.document_id,
                about.round,
                about.part,
                about.step,
                prompt.attempt,
                json.dumps([{"role": m.role, "content": m.content} for m in prompt.messages], ensure_ascii=False),
                json.dumps(prompt.shape, ensure_ascii=False) if prompt.shape is not None else None,
                prompt.max_tokens,
                prompt.temperature,
                reply.text,
                reply.thinking,
                reply.finish.value,
                reply.usage.prompt,
                reply.usage.cached,
                reply.usage.output,
                reply.usage.counted,
                reply.seconds,
                now(),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A prompt with its reply, as kept."""

    key: str
    """Hash of the model's name and the prompt."""
    prompt: Prompt
    reply: Reply
    host: str
    answered: str
    reused: bool
    """In this run the reply came from the log."""


def list_calls(project: Project, run_id: str, stage: Stage | None = None) -> tuple[Call, ...]:
    """The calls of one run in the order they were answered, of one stage if given."""
    rows = project.db.execute(
        "select calls.*, run_calls.reused from calls join run_calls using (key) where run_id = ? order by calls.rowid",
        (run_id,),
    )
    return tuple(
        Call(
            key=row["key"],
            prompt=Prompt(
                stage=Stage(row["stage"]),
                about=About(document_id=row["document_id"], round=row["round"], part=row["part"], step=row["step"]),
                attempt=row["attempt"],
                messages=tuple(Message(role=m["role"], pieces=(m["content"],)) for m in json.loads(row["messages"])),
                shape=json.loads(row["shape"]) if row["shape"] else None,
                max_tokens=row["max_tokens"],
                temperature=row["temperature"],
            ),
            reply=Reply(
                text=row["reply"],
                finish=Finish(row["finish"]),
                usage=Usage(
                    prompt=row["prompt_tokens"],
                    cached=row["cached_tokens"],
                    output=row["output_tokens"],
                    counted=bool(row["counted"]),
                ),
                model=row["model"],
                seconds=row["seconds"],
                thinking=row["thinking"],
            ),
            host=row["host"],
            answered=row["answered"],
            reused=bool(row["reused"]),
        )
        for row in rows
        if stage is None or row["stage"] == stage.value
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
               sum(iif(reused, 0, output_tokens)) as output, min(counted) as counted,
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
            usage=Usage(prompt=row["prompt"], cached=row["cached"], output=row["output"], counted=bool(row["counted"])),
            seconds=row["seconds"],
        )
        for row in rows
    }
    return tuple(found[stage.value] for stage in Stage if stage.value in found)

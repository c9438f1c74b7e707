"""What the calls of a run used, in sums: for bills, for forecasts, and to learn how a model and its endpoint are."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from r3con_core.exchange import Stage, Usage
from r3con_core.store.project import Project


def summed(row: sqlite3.Row) -> Usage:
    """The usage of a row of sums over calls."""
    return Usage(
        prompt=row["prompt"],
        cached=row["cached"],
        written=row["written"],
        output=row["output"],
        counted=bool(row["counted"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The calls of one stage of a run, or one round of it."""

    stage: Stage
    round: int
    first: int
    """Prompts asked for the first time, answers from the log included."""
    again: int
    """Those asked again with what was wrong."""
    asked: int
    """Of both, those that this run asked itself; only these have used anything."""
    usage: Usage
    opening: Usage
    """Of those asked for the first time."""
    opened: int
    """How many these were."""
    reply_tokens: float
    """Of the replies to these, about: three bytes of JSON or code are a token."""


def tallies(project: Project, run_id: str) -> tuple[Tally, ...]:
    """One line per stage and round that has calls."""
    rows = project.db.execute(
        """
        select stage, round, sum(attempt = 1) as first, sum(attempt > 1) as again, sum(not reused) as asked,
               sum(iif(reused, 0, prompt_tokens)) as prompt, sum(iif(reused, 0, cached_tokens)) as cached,
               sum(iif(reused, 0, written_tokens)) as written, sum(iif(reused, 0, output_tokens)) as output,
               min(reused or counted) as counted, sum(not reused and attempt = 1) as opened,
               sum(iif(reused or attempt > 1, 0, prompt_tokens)) as opening_prompt,
               sum(iif(reused or attempt > 1, 0, cached_tokens)) as opening_cached,
               sum(iif(reused or attempt > 1, 0, output_tokens)) as opening_output,
               sum(iif(reused or attempt > 1, 0, length(cast(reply as blob)))) / 3.0 as reply_tokens
        from run_calls join calls using (key) where run_id = ? group by stage, round
        """,
        (run_id,),
    )
    return tuple(
        Tally(
            stage=Stage(row["stage"]),
            round=row["round"],
            first=row["first"],
            again=row["again"],
            asked=row["asked"],
            usage=summed(row),
            opening=Usage(prompt=row["opening_prompt"], cached=row["opening_cached"], output=row["opening_output"]),
            opened=row["opened"],
            reply_tokens=row["reply_tokens"],
        )
        for row in rows
    )


def usage_by_length(project: Project, run_id: str, bounds: Sequence[int]) -> tuple[tuple[Stage, int, Usage], ...]:
    """The usage of the calls that a run asked itself, by stage and by which of the ascending `bounds` they exceed.

    The number beside it is a length that all prompts of the line have at least: some prices rise with it.
    """
    band = " + ".join(["0", *(f"(prompt_tokens > {int(bound)})" for bound in bounds)])
    rows = project.db.execute(
        f"""
        select stage, {band} as band, sum(prompt_tokens) as prompt, sum(cached_tokens) as cached,
               sum(written_tokens) as written, sum(output_tokens) as output, min(counted) as counted
        from run_calls join calls using (key) where run_id = ? and not reused group by stage, band
        """,
        (run_id,),
    )
    return tuple(
        (
            Stage(row["stage"]),
            bounds[row["band"] - 1] + 1 if row["band"] else 0,
            summed(row),
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Sums over the calls of one model in a run, of fresh prompt tokens, output tokens and seconds."""

    calls: int
    fresh: float
    output: float
    seconds: float
    fresh_fresh: float
    fresh_output: float
    output_output: float
    fresh_seconds: float
    output_seconds: float


def timing(project: Project, run_id: str, stages: Sequence[Stage]) -> Timing:
    """Those of the calls that this run asked at these stages."""
    marks = ", ".join("?" * len(stages))
    row = project.db.execute(
        f"""
        with own as (
            select prompt_tokens - cached_tokens as f, output_tokens as o, seconds as s
            from run_calls join calls using (key) where run_id = ? and not reused and stage in ({marks})
        )
        select count(*), total(f), total(o), total(s), total(f * f), total(f * o), total(o * o), total(f * s),
               total(o * s) from own
        """,
        (run_id, *(stage.value for stage in stages)),
    ).fetchone()
    return Timing(
        calls=row[0],
        fresh=row[1],
        output=row[2],
        seconds=row[3],
        fresh_fresh=row[4],
        fresh_output=row[5],
        output_output=row[6],
        fresh_seconds=row[7],
        output_seconds=row[8],
    )


def snippets_of(project: Project, run_id: str) -> dict[str, str]:
    """The newest snippet of each document of a run."""
    rows = project.db.execute("select document_id, text from snippets where run_id = ? order by round", (run_id,))
    return {row["document_id"]: row["text"] for row in rows}


def document_tokens(project: Project, document_ids: Sequence[str]) -> tuple[int, ...]:
    """How long these documents are in our tokens, in the given order; 0 for one that is gone."""
    held = dict(project.db.execute("select id, tokens from documents").fetchall())
    return tuple(int(held.get(document_id, 0)) for document_id in document_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What a sample of a project's documents comes to."""

    tokens: int
    letters: int
    bytes: int


def sample_sizes(project: Project, most: int = 50) -> Sizes:
    """Sizes of at most about `most` documents from all over the project; long ones by their first 4,000 letters."""
    row = project.db.execute(
        """
        select total(tokens * min(1.0, 4000.0 / max(length(text), 1))), total(length(substr(text, 1, 4000))),
               total(length(cast(substr(text, 1, 4000) as blob)))
        from documents where position % max(1, (select count(*) from documents) / ?) = 0
        """,
        (most,),
    ).fetchone()
    return Sizes(tokens=int(row[0]), letters=int(row[1]), bytes=int(row[2]))

"""Focus, rounds and what could not be read, as rows."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round
from r3con_core.store.digests import load_digests
from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq


def save_focus(project: Project, run_id: str, look_for: tuple[str, ...]) -> None:
    """What readers look for in this run."""
    with project.change() as db:
        db.execute("insert or replace into focus values (?, ?)", (run_id, json.dumps(look_for, ensure_ascii=False)))
        next_seq(db, run_id)


def load_focus(project: Project, run_id: str) -> tuple[str, ...]:
    """The same; empty before it is known."""
    row = project.db.execute("select look_for from focus where run_id = ?", (run_id,)).fetchone()
    return tuple(json.loads(row["look_for"])) if row else ()


def save_snippet(project: Project, run_id: str, number: int, snippet: RelevanceSnippet) -> None:
    """One snippet of round `number`; a fault noted earlier for this document and round is taken back."""
    with project.change() as db:
        db.execute(
            "delete from unread where run_id = ? and stage = ? and round = ? and document_id = ?",
            (run_id, Stage.RELEVANCE.value, number, snippet.document_id),
        )
        same = db.execute(
            "select 1 from snippets where run_id = ? and round = ? and document_id = ? and text = ?",
            (run_id, number, snippet.document_id, snippet.text),
        ).fetchone()
        if same:
            return
        db.execute(
            "insert or replace into snippets values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                number,
                snippet.document_id,
                snippet.text,
                snippet.author.value,
                json.dumps(snippet.foreign, ensure_ascii=False),
                json.dumps(snippet.left_out, ensure_ascii=False),
                next_seq(db, run_id),
                snippet.carried,
            ),
        )


def save_unread(project: Project, run_id: str, stage: Stage, unread: Unread, number: int = 0) -> None:
    """A document that `stage` (in round `number`) could not use."""
    with project.change() as db:
        db.execute(
            "insert or replace into unread values (?, ?, ?, ?, ?, ?)",
            (run_id, stage.value, number, unread.document_id, unread.reason, next_seq(db, run_id)),
        )


def load_unread(project: Project, run_id: str, stage: Stage, number: int = 0) -> tuple[Unread, ...]:
    """The documents that `stage` (in round `number`) could not use."""
    rows = project.db.execute(
        "select document_id, reason from unread where run_id = ? and stage = ? and round = ? order by seq",
        (run_id, stage.value, number),
    )
    return tuple(Unread(document_id=row["document_id"], reason=row["reason"]) for row in rows)


def load_context(project: Project, run_id: str, document_ids: tuple[str, ...]) -> RelevantContext:
    """All rounds so far, snippets in the order of `document_ids`."""
    rows = project.db.execute("select * from snippets where run_id = ? order by round", (run_id,)).fetchall()
    order = {document_id: position for position, document_id in enumerate(document_ids)}
    rounds = []
    for number in sorted({row["round"] for row in rows}):
        found = sorted((r for r in rows if r["round"] == number), key=lambda r: order[r["document_id"]])
        rounds.append(
            Round(
                number=number,
                snippets=tuple(map(_snippet, found)),
                unread=load_unread(project, run_id, Stage.RELEVANCE, number),
                digests=load_digests(project, run_id, number),
            )
        )
    return RelevantContext(rounds=tuple(rounds))


def load_snippets(
    project: Project, run_id: str, document_ids: Iterable[str]
) -> dict[tuple[int, str], RelevanceSnippet]:
    """Round and document id -> snippet, of these documents alone."""
    rows = project.db.execute(
        "select * from snippets where run_id = ? and document_id in (select value from json_each(?))",
        (run_id, json.dumps(list(document_ids))),
    )
    return {(row["round"], row["document_id"]): _snippet(row) for row in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCounts:
    """How many documents a round is through with, by what came of them."""

    said: int = 0
    """Documents with a snippet that says something."""
    silent: int = 0
    """Read, with nothing to say on the task."""
    failed: int = 0


def count_rounds(project: Project, run_id: str) -> dict[int, RoundCounts]:
    """Number -> counts of each round that has begun, without reading a snippet."""
    rows = project.db.execute(
        """
        select round, sum(said) as said, sum(silent) as silent, sum(failed) as failed from (
            select round, text != '' as said, text = '' as silent, 0 as failed from snippets where run_id = :run
            union all
            select round, 0, 0, 1 from unread where run_id = :run and stage = :stage
        ) group by round
        """,
        {"run": run_id, "stage": Stage.RELEVANCE.value},
    )
    return {row["round"]: RoundCounts(said=row["said"], silent=row["silent"], failed=row["failed"]) for row in rows}


def _snippet(row: sqlite3.Row) -> RelevanceSnippet:
    return RelevanceSnippet(
        document_id=row["document_id"],
        text=row["text"],
        author=Author(row["author"]),
        foreign=tuple(json.loads(row["foreign_terms"])),
        left_out=tuple(json.loads(row["left_out"])),
        carried=bool(row["carried"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One change of a run's snippets, for live screens."""

    seq: int
    round: int
    document_id: str
    text: str
    fault: str
    """Why there is no snippet; empty when there is one."""


def changes_since(project: Project, run_id: str, seq: int) -> tuple[Delta, ...]:
    """Snippets and faults written after `seq`, oldest first."""
    rows = project.db.execute(
        """
        select seq, round, document_id, text, '' as fault from snippets where run_id = :run and seq > :seq
        union all
        select seq, round, document_id, '', reason from unread
        where run_id = :run and stage = :stage and seq > :seq
        order by seq
        """,
        {"run": run_id, "seq": seq, "stage": Stage.RELEVANCE.value},
    )
    return tuple(Delta(**dict(row)) for row in rows)

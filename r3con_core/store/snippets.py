"""Focus, rounds and what could not be read, as rows."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
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
        _put(db, run_id, number, snippet)


def save_settled(project: Project, run_id: str, number: int, result: RelevanceSnippet | Unread) -> None:
    """What stands in round `number` without asking the model, unless what came of asking it there is kept."""
    place = (run_id, number, result.document_id)
    with project.change() as db:
        by_model = db.execute(
            "select 1 from snippets where (run_id, round, document_id, author, carried) = (?, ?, ?, ?, 0)"
            " union select 1 from unread where (run_id, round, document_id, stage) = (?, ?, ?, ?)",
            (*place, Author.MODEL.value, *place, Stage.RELEVANCE.value),
        ).fetchone()
        if by_model:
            return
        if isinstance(result, RelevanceSnippet):
            _put(db, run_id, number, result)
        else:
            _put_unread(db, (run_id, Stage.RELEVANCE.value, number), result)


def _put(db: sqlite3.Connection, run_id: str, number: int, snippet: RelevanceSnippet) -> None:
    """The row of one snippet, which is no change where it says the same already."""
    place = (run_id, number, snippet.document_id)
    said = (snippet.text, snippet.author.value, snippet.carried)
    same = db.execute(
        "select 1 from snippets where (run_id, round, document_id, text, author, carried) = (?, ?, ?, ?, ?, ?)",
        (*place, *said),
    ).fetchone()
    if same:
        return
    foreign, left_out = (json.dumps(terms, ensure_ascii=False) for terms in (snippet.foreign, snippet.left_out))
    row = (*place, snippet.text, snippet.author.value, foreign, left_out, next_seq(db, run_id), snippet.carried)
    db.execute("insert or replace into snippets values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def save_unread(project: Project, run_id: str, stage: Stage, unread: Unread, number: int = 0) -> None:
    """A document that `stage` (in round `number`) could not use; a snippet of an earlier reading is forgotten."""
    with project.change() as db:
        if stage is Stage.RELEVANCE:
            place = (run_id, number, unread.document_id)
            db.execute("delete from snippets where (run_id, round, document_id) = (?, ?, ?)", place)
        _put_unread(db, (run_id, stage.value, number), unread)


def _put_unread(db: sqlite3.Connection, place: tuple[str, str, int], unread: Unread) -> None:
    row = (*place, unread.document_id, unread.reason, next_seq(db, place[0]))
    db.execute("insert or replace into unread values (?, ?, ?, ?, ?, ?)", row)


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


def tells_of_held(project: Project, run_id: str) -> bool:
    """Whether a snippet is kept of a document that is held back by now, so that the others' readers were shown it."""
    found = project.db.execute(
        "select 1 from snippets where run_id = ? and text != '' "
        "and document_id in (select id from documents where held != '') limit 1",
        (run_id,),
    ).fetchone()
    return found is not None


def last_round(project: Project, run_id: str) -> int:
    """The newest round that has a snippet; 0 before the first."""
    return int(
        project.db.execute("select coalesce(max(round), 0) from snippets where run_id = ?", (run_id,)).fetchone()[0]
    )


def snippets_mark(project: Project, run_id: str, number: int) -> int:
    """Grows when a snippet of round `number`, or of one before it, is written."""
    mark = "select coalesce(max(seq), 0) from snippets where run_id = ? and round <= ?"
    return int(project.db.execute(mark, (run_id, number)).fetchone()[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCounts:
    """How many documents a round is through with, by what came of them."""

    said: int = 0
    """Documents with a snippet that says something."""
    silent: int = 0
    """Read, with nothing to say on the task."""
    failed: int = 0


def count_rounds(project: Project, run_id: str, excluded: Mapping[str, int] | None = None) -> dict[int, RoundCounts]:
    """Number -> counts of each round that has begun, without reading a snippet.

    `excluded`: document id -> the round after which the document is no longer counted.
    """
    rows = project.db.execute(
        """
        select round, sum(said) as said, sum(silent) as silent, sum(failed) as failed from (
            select round, document_id, text != '' as said, text = '' as silent, 0 as failed
            from snippets where run_id = :run
            union all
            select round, document_id, 0, 0, 1 from unread where run_id = :run and stage = :stage
        ) left join json_each(:excluded) as gone on gone.key = document_id
        where gone.value is null or round <= gone.value group by round
        """,
        {"run": run_id, "stage": Stage.RELEVANCE.value, "excluded": json.dumps(dict(excluded or {}))},
    )
    return {row["round"]: RoundCounts(said=row["said"], silent=row["silent"], failed=row["failed"]) for row in rows}


def count_read(project: Project, run_id: str) -> dict[int, int]:
    """Round -> how many documents a model has read in it or could not read, of each round with a snippet."""
    rows = project.db.execute(
        """
        select round, count(distinct document_id) from (
            select round, document_id, 1 as given from snippets where run_id = :run and not carried and author = :model
            union all
            select round, document_id, 0 from unread where run_id = :run and stage = :stage
        ) group by round having max(given)
        """,
        {"run": run_id, "model": Author.MODEL.value, "stage": Stage.RELEVANCE.value},
    )
    return {row[0]: row[1] for row in rows}


def _texts(kept: str) -> tuple[str, ...]:
    return () if kept == "[]" else tuple(json.loads(kept))


def _snippet(row: sqlite3.Row) -> RelevanceSnippet:
    return RelevanceSnippet(
        document_id=row["document_id"],
        text=row["text"],
        author=Author(row["author"]),
        foreign=_texts(row["foreign_terms"]),
        left_out=_texts(row["left_out"]),
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


def changes_since(
    project: Project, run_id: str, seq: int, document_id: str = "", *, most: int = -1
) -> tuple[Delta, ...]:
    """Snippets and faults written after `seq`, oldest first; of one document if given, and at `most` so many."""
    rows = project.db.execute(
        """
        select seq, round, document_id, text, '' as fault from snippets
        where run_id = :run and seq > :seq and :doc in ('', document_id)
        union all
        select seq, round, document_id, '', reason from unread
        where run_id = :run and stage = :stage and seq > :seq and :doc in ('', document_id)
        order by seq limit :most
        """,
        {"run": run_id, "seq": seq, "stage": Stage.RELEVANCE.value, "doc": document_id, "most": most},
    )
    return tuple(Delta(**dict(row)) for row in rows)

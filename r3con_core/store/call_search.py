"""The calls of a run as a list, and words found in their prompts and replies.

Pieces of prompts are kept once and named by many calls, so each is looked through once, however many calls name it.
A word or phrase must stand within one piece, or within the reply. Only the call that is opened is put together.
"""

import json
import re
import sqlite3
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from r3con_core.exchange import About, Finish, Stage, Usage
from r3con_core.folding import fold, fold_signs
from r3con_core.store.calls import Call, call_of_row
from r3con_core.store.numbering import joined
from r3con_core.store.project import Project
from r3con_core.store.terms import Query, Term, read_query
from r3con_core.store.texts import TextReader, unpack

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_BATCH = 100
"""Texts that a thread looks through at once."""
_THREADS = 4
"""Unpacking leaves Python's lock alone, so that texts are unpacked while others are looked through."""
Ranges = list[tuple[int, int]]
_Batch = list[tuple[int, str | bytes]]
"""Numbers of texts, and what is kept of them."""


class Where(StrEnum):
    """In which side of a call words are looked for."""

    BOTH = "prompts and replies"
    PROMPTS = "prompts"
    REPLIES = "replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """A call without its texts."""

    key: str
    number: int
    """From 1, in the order in which the calls of the run were answered."""
    stage: Stage
    about: About
    attempt: int
    model: str
    finish: Finish
    usage: Usage
    seconds: float
    answered: str
    reused: bool
    """In this run the reply came from the log."""


_COLUMNS = """
calls.rowid as place, run_calls.reused as reused, key, model, stage, document_id, round, part, step, attempt, finish,
prompt_tokens, cached_tokens, written_tokens, output_tokens, counted, seconds, answered
"""


def call_lines(project: Project, run_id: str) -> tuple[CallLine, ...]:
    """The calls of a run in the order they were answered."""
    rows = project.db.execute(
        f"select {_COLUMNS} from run_calls join calls using (key) where run_id = ?", (run_id,)
    ).fetchall()
    rows.sort(key=lambda row: row["place"])
    return tuple(_line(number, row) for number, row in enumerate(rows, start=1))


def _line(number: int, row: sqlite3.Row) -> CallLine:
    return CallLine(
        key=row["key"],
        number=number,
        stage=Stage(row["stage"]),
        about=About(document_id=row["document_id"], round=row["round"], part=row["part"], step=row["step"]),
        attempt=row["attempt"],
        model=row["model"],
        finish=Finish(row["finish"]),
        usage=Usage(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            written=row["written_tokens"],
            output=row["output_tokens"],
            counted=bool(row["counted"]),
        ),
        seconds=row["seconds"],
        answered=row["answered"],
        reused=bool(row["reused"]),
    )


def count_calls(project: Project, run_id: str) -> int:
    """How many calls a run has; they only ever grow in number, so what was found among so many still holds."""
    return int(project.db.execute("select count(*) from run_calls where run_id = ?", (run_id,)).fetchone()[0])


def count_calls_about(project: Project, run_id: str, stage: Stage, about: About) -> int:
    """How many calls of a run a stage made about a document, a round and a step; 0 of `about` stands for any."""
    row = project.db.execute(
        "select count(*) from calls where stage = ? and document_id = ? and (? = 0 or round = ?)"
        " and (? = 0 or step = ?) and exists (select 1 from run_calls where run_id = ? and run_calls.key = calls.key)",
        (stage.value, about.document_id, about.round, about.round, about.step, about.step, run_id),
    ).fetchone()
    return int(row[0])


def load_call(project: Project, run_id: str, key: str) -> Call | None:
    """One call of a run, whole; None when the run has none of that key."""
    row = project.db.execute(
        "select calls.*, run_calls.reused as reused from calls join run_calls using (key) where run_id = ? and key = ?",
        (run_id, key),
    ).fetchone()
    return None if row is None else call_of_row(row, TextReader(project), reused=bool(row["reused"]))


def shared_by(project: Project, run_id: str, key: str) -> tuple[tuple[int, ...], ...]:
    """For each message of a call, how many calls of the run have each of its pieces: 1 is this call alone.

    Calls of older projects keep no pieces: their messages are one piece each, of this call.
    """
    row = project.db.execute("select messages, pieces from calls where key = ?", (key,)).fetchone()
    if row is None:
        return ()
    if row["messages"]:
        return tuple((1,) for _ in json.loads(row["messages"]))
    counts = _Counts(ranges for _, ranges in _named_texts(project, run_id))
    return tuple(
        tuple(counts.of(number) for first, last in _ranges(said) for number in range(first, last + 1))
        for said in row["pieces"].split()
    )


class _Counts:
    """How many of many lists of ranges cover a number."""

    def __init__(self, lists: Iterator[Ranges]) -> None:
        steps: dict[int, int] = {}
        for ranges in lists:
            for first, last in joined(ranges):
                steps[first] = steps.get(first, 0) + 1
                steps[last + 1] = steps.get(last + 1, 0) - 1
        self._bounds = sorted(steps)
        self._heights = list(accumulate(steps[bound] for bound in self._bounds))

    def of(self, number: int) -> int:
        return self._heights[bisect_right(self._bounds, number) - 1]


def find_calls(project: Project, run_id: str, words: str, where: Where = Where.BOTH) -> frozenset[str]:
    """The keys of a run's calls in which all of `words` stand.

    "A phrase", OR and -word as in the search of documents; words without any letter find every call.
    """
    query = read_query(words)
    terms = tuple(dict.fromkeys((*query.terms, *query.without)))
    named = list(_named_texts(project, run_id))
    named_somewhere = {pair for _, ranges in named for pair in ranges}
    looked = joined(named_somewhere) if terms and where is not Where.REPLIES else []
    places = _find_texts(project, looked, terms)
    replies = _find_rows(project, run_id, terms, where)
    found = []
    for key, ranges in named:
        held = replies[key] | {term for term in terms if places[term].touches(ranges)}
        if _holds(query, held):
            found.append(key)
    return frozenset(found)


def _holds(query: Query, held: set[Term]) -> bool:
    return all(any(term in held for term in group) for group in query.groups) and not held.intersection(query.without)


def _named_texts(project: Project, run_id: str) -> Iterator[tuple[str, Ranges]]:
    """Key of each call of the run, and the numbers of its pieces as ranges in the order they stand."""
    rows = project.db.execute("select key, pieces from run_calls join calls using (key) where run_id = ?", (run_id,))
    for key, pieces in rows:
        yield key, _ranges(pieces)


def _ranges(pieces: str) -> Ranges:
    """All ranges of numbers in a row of `calls.pieces`, whose roles hold no digits."""
    return [(int(first), int(last or first)) for first, last in _RANGE.findall(pieces)]


class _Places:
    """Numbers of texts that hold a term."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = sorted(numbers)

    def touches(self, ranges: Ranges) -> bool:
        """Whether one of the ranges has one of the numbers."""
        numbers = self._numbers
        if not numbers:
            return False
        return any(bisect_right(numbers, last) > bisect_right(numbers, first - 1) for first, last in ranges)


def _find_texts(project: Project, ranges: Ranges, terms: Sequence[Term]) -> dict[Term, _Places]:
    """For each term the texts, of those in `ranges`, that hold it."""
    tests = {term: _test(term) for term in terms}

    def look(batch: _Batch) -> list[tuple[Term, int]]:
        found = []
        for number, kept in batch:
            text = fold_signs(unpack(kept))
            found += [(term, number) for term, holds in tests.items() if holds(text)]
        return found

    numbers: dict[Term, list[int]] = {term: [] for term in terms}
    for term, number in _looked_through(look, _batches(project, ranges)):
        numbers[term].append(number)
    return {term: _Places(held) for term, held in numbers.items()}


def _looked_through(
    look: Callable[[_Batch], list[tuple[Term, int]]], batches: Iterator[_Batch]
) -> Iterator[tuple[Term, int]]:
    """What `look` finds in each batch, a few of them at once: all together might not fit into memory."""
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting: deque[Future[list[tuple[Term, int]]]] = deque()
        for batch in batches:
            waiting.append(pool.submit(look, batch))
            if len(waiting) > 2 * _THREADS:
                yield from waiting.popleft().result()
        for last in waiting:
            yield from last.result()


def _batches(project: Project, ranges: Ranges) -> Iterator[_Batch]:
    batch: _Batch = []
    for first, last in ranges:
        for number, kept in project.db.execute("select id, text from texts where id between ? and ?", (first, last)):
            batch.append((number, kept))
            if len(batch) == _BATCH:
                yield batch
                batch = []
    yield batch


def _test(term: Term) -> Callable[[str], bool]:
    """Whether a text folded but for its blanks holds the term; a phrase may run over a line end."""
    first, *more = term.text.split()
    pattern = term.pattern()
    exact = term.whole or term.indexed_whole

    def holds(text: str) -> bool:
        if first not in text or not all(word in text for word in more):
            return False
        if more:
            return pattern.search(fold(text)) is not None
        return not exact or pattern.search(text) is not None

    return holds


def _find_rows(project: Project, run_id: str, terms: Sequence[Term], where: Where) -> dict[str, set[Term]]:
    """For each call, the terms that its reply or thinking holds; or the messages of a call of an older project."""
    columns = {
        Where.BOTH: "reply || char(10) || thinking || char(10) || messages",
        Where.PROMPTS: "messages",
        Where.REPLIES: "reply || char(10) || thinking",
    }
    tests = {term: _test(term) for term in terms}
    rows = project.db.execute(
        f"select key, {columns[where]} from run_calls join calls using (key) where run_id = ?", (run_id,)
    )
    held = {}
    for key, said in rows:
        text = fold_signs(said)
        held[key] = {term for term, holds in tests.items() if holds(text)}
    return held

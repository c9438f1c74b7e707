"""Full-text search over the documents of a project.

A word is found inside longer words too, in any script and whatever its case, accents, width or line breaks; a "phrase"
and a word of one or two letters are found as whole words. The index names candidates, and the texts themselves decide:
what is found is there, and what is there is found.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from r3con_core.documents import Span, Unit
from r3con_core.store.codec import load
from r3con_core.store.filters import ALL, Count, Facets, Filters, facets_of, filtered
from r3con_core.store.index import index_documents, index_missing, unindex
from r3con_core.store.matching import NOWHERE, Matcher, all_places, merged, most_together
from r3con_core.store.project import Project
from r3con_core.store.terms import Query, Term, read_query

__all__ = [
    "Count",
    "Facets",
    "Filters",
    "Found",
    "Hit",
    "find_in",
    "index_documents",
    "index_missing",
    "search",
    "unindex",
]

_PASSAGE = 240
"""Characters of a document that are shown around a place."""
_LEAD = 60
"""Of these, before the first place."""
_MOST_PIECES = 250
"""Of one document that are read to count places: two million characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document found."""

    document_id: str
    number: int
    """As everywhere, from 1; 0 when it is held back."""
    title: str
    path: str
    media_type: str
    date: str | None
    place: str
    """The place in the document as people cite it; empty when it has none."""
    span: Span | None
    """Where in `Document.text` what was looked for stands; None when only filters or -words were given."""
    passage: str
    """The text around it, each line end or tabulator as a blank."""
    marks: tuple[Span, ...]
    """In `passage`, in order."""
    count: int
    """How often it occurs in the document."""
    counted_all: bool
    """False when the document is so long that only the likely first two million characters were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search gives."""

    hits: tuple[Hit, ...]
    """Those asked for, in the order of the documents."""
    total: int
    """How many documents were found."""
    facets: Facets


def search(project: Project, query: str, *, filters: Filters = ALL, limit: int = 20, offset: int = 0) -> Found:
    """The documents that hold all words of `query` and pass `filters`: hits `offset` to `offset + limit`, and counts.

    "A phrase", one OR another, and -word may be written; OR binds closer than its neighbours. Anything else is looked
    for as it stands. An empty query finds all documents. Documents without an index are given theirs first.
    """
    index_missing(project)
    wanted = read_query(query)
    with _one_moment(project) as db:
        matcher = Matcher(db, wanted)
        numbers = list(matcher.documents(filtered(db, filters)))
        return Found(
            hits=tuple(_hit(db, matcher, wanted, number) for number in numbers[offset : offset + limit]),
            total=len(numbers),
            facets=facets_of(db, numbers, folder=filters.folder),
        )


def find_in(text: str, query: str) -> tuple[Span, ...]:
    """Every place in one text where a word or phrase of `query` stands, in order, for a viewer to mark."""
    return all_places(text, read_query(query))


@contextmanager
def _one_moment(project: Project) -> Iterator[sqlite3.Connection]:
    """The store as it is now, whatever is written meanwhile."""
    db = project.db
    if db.in_transaction:
        yield db
        return
    db.execute("begin")
    try:
        yield db
    finally:
        db.execute("rollback")


def _hit(db: sqlite3.Connection, matcher: Matcher, query: Query, number: int) -> Hit:
    row = db.execute(
        "select id, title, path, media_type, date, units, text, case when held != '' then 0 else (select count(*) "
        "from documents as before where before.held = '' and before.position <= documents.position) end as number "
        "from search_texts join documents on id = document_id where search_texts.number = ?",
        (number,),
    ).fetchone()
    found = matcher.occurrences(number, most=_MOST_PIECES) if query.terms else NOWHERE
    best = _best(found.places)
    passage, marks = _passage(row["text"], best, [span for span, _ in found.places])
    return Hit(
        document_id=row["id"],
        number=row["number"],
        title=row["title"],
        path=row["path"],
        media_type=row["media_type"],
        date=row["date"],
        place=_citation(row["units"], best.start) if best else "",
        span=best,
        passage=passage,
        marks=marks,
        count=found.count,
        counted_all=found.counted_all,
    )


def _best(found: Sequence[tuple[Span, Term]]) -> Span | None:
    """The first place with the most different terms near it."""
    if not found:
        return None
    return found[most_together([(span.start, span.end, term) for span, term in found])[1]][0]


def _passage(text: str, best: Span | None, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    start = _word_start(text, max(0, best.start - _LEAD)) if best else 0
    end = min(len(text), max(start + _PASSAGE, best.end if best else 0))
    shown = "".join(" " if sign.isspace() else sign for sign in text[start:end])
    inside = [span for span in spans if span.start < end and span.end > start]
    marks = merged(Span(start=max(span.start, start) - start, end=min(span.end, end) - start) for span in inside)
    return shown, marks


def _word_start(text: str, place: int) -> int:
    """The next place after a blank, when there is one near."""
    if place == 0:
        return 0
    after = next((at for at in range(place, min(place + _LEAD // 2, len(text))) if text[at].isspace()), None)
    return place if after is None else after + 1


def _citation(units: str, place: int) -> str:
    read: tuple[Unit, ...] = load(units, tuple[Unit, ...])
    index = bisect_right([unit.span.start for unit in read], place) - 1
    return read[index].citation if index >= 0 and place < read[index].span.end else ""

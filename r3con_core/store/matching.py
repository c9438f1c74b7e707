"""Which texts hold a term: candidates from the index, then the texts themselves, piece by piece."""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r3con_core.documents import Span
from r3con_core.folding import fold, fold_with_places, is_plain, pieces
from r3con_core.store.index import OVERLAP, PIECE, PIECE_BITS
from r3con_core.store.terms import Query, Term

_LOOKED_UP = OVERLAP - 8
"""Folded characters at the beginning of a term that the index is asked for."""
_TAIL_BYTES = 400
"""Read after a piece at first, for what stands across its end."""
_MOST_GROUPS = 5_000
"""Groups of three characters that a search for one or two signs is carried out over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Where a term may be."""

    pieces: Mapping[int, Sequence[int]]
    """Text number -> numbers of pieces in order; empty when any of its pieces may hold it."""
    sure: bool
    """Each of these texts holds it."""


def candidates_of(db: sqlite3.Connection, term: Term) -> Candidates:
    """The texts and pieces that may hold a term; no other does."""
    if term.indexed_whole:
        rows = db.execute("select rowid from search_words where search_words match ?", (_quoted(term.text),))
        return Candidates(pieces=dict.fromkeys((number for (number,) in rows), ()), sure=True)
    if len(term.text) < 3:
        groups = _groups_beginning_with(db, term.text)
        match = " OR ".join(map(_quoted, groups))
    else:
        head = term.text[:_LOOKED_UP]
        match = " AND ".join(dict.fromkeys(_quoted(head[at : at + 3]) for at in range(len(head) - 2)))
    found: dict[int, list[int]] = {}
    if match:
        for (row,) in db.execute("select rowid from search_grams where search_grams match ?", (match,)):
            found.setdefault(row >> PIECE_BITS, []).append(row & ((1 << PIECE_BITS) - 1))
    return Candidates(pieces=found, sure=False)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _groups_beginning_with(db: sqlite3.Connection, text: str) -> list[str]:
    db.execute("create virtual table if not exists temp.search_groups using fts5vocab(main, search_grams, row)")
    rows = db.execute(
        "select term from temp.search_groups where term >= ? and term < ? limit ?",
        (text, text + "\U0010ffff", _MOST_GROUPS),
    )
    return [term for (term,) in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences:
    """Where terms stand in one text."""

    places: tuple[tuple[Span, Term], ...]
    """In the part of the text where most of the terms stand together, in order."""
    count: int
    """In the whole text, overlapping ones once."""
    counted_all: bool


NOWHERE = Occurrences(places=(), count=0, counted_all=True)
NEAR = 180
"""Characters within which terms stand together."""


def _apart(found: Sequence[tuple[int, int, Term]]) -> int:
    """How many places there are, of places in order, when overlapping ones count once."""
    count = reached = 0
    for start, end, _ in found:
        count += start >= reached
        reached = max(reached, end)
    return count


def most_together(found: Sequence[tuple[int, int, Term]]) -> tuple[int, int]:
    """Of places in order: how many different terms stand together at most, and the first index where they begin."""
    most = len({term for _, _, term in found})
    inside: Counter[Term] = Counter()
    best, first = (0, 0), 0
    for start, _, term in found:
        inside[term] += 1
        while found[first][0] < start - NEAR:
            inside[found[first][2]] -= 1
            if not inside[found[first][2]]:
                del inside[found[first][2]]
            first += 1
        if len(inside) > best[0]:
            best = (len(inside), first)
            if best[0] == most:
                break
    return best


class StoredText:
    """One document's text in the store, read in pieces without loading all of it."""

    def __init__(self, db: sqlite3.Connection, number: int) -> None:
        """`number` is the text's number in the index; LookupError when it is not there."""
        row = db.execute(
            "select documents.rowid, starts from search_texts join documents on id = document_id where number = ?",
            (number,),
        ).fetchone()
        if row is None:
            raise LookupError(number)
        self._blob = db.blobopen("documents", "text", row[0], readonly=True)
        self._starts = array("q", row[1])

    def close(self) -> None:
        """Let go of the row."""
        self._blob.close()

    @property
    def count(self) -> int:
        """How many pieces it has."""
        return len(self._starts) - 1

    def piece(self, number: int, *, beyond: int) -> str:
        """A piece and enough after it to fold to `beyond` characters or more."""
        start, end = self._starts[number], self._starts[number + 1]
        reach = end + _TAIL_BYTES + 8 * beyond
        while True:
            self._blob.seek(start)
            read = self._blob.read(min(reach, len(self._blob)) - start)
            tail = read[end - start :].decode("utf-8", "ignore")
            if reach >= len(self._blob) or len(fold(tail[: 4 * beyond])) >= beyond or len(fold(tail)) >= beyond:
                return read[: end - start].decode("utf-8") + tail
            reach += reach - end


class Matcher:
    """Decides over candidates by reading their texts."""

    def __init__(self, db: sqlite3.Connection, query: Query) -> None:
        """Looks up the candidates of all terms of `query`."""
        self._db, self._query = db, query
        self._candidates = {term: candidates_of(db, term) for term in (*query.terms, *query.without)}
        self._patterns = {term: term.pattern() for term in self._candidates}

    def documents(self, numbers: Iterable[int]) -> Iterator[int]:
        """Those of `numbers`, in their order, whose texts are as the query says."""
        kept = [number for number in numbers if self._may_match(number)]
        for number in kept:
            if self._matches(number):
                yield number

    def _may_match(self, number: int) -> bool:
        return all(any(number in self._candidates[term].pieces for term in group) for group in self._query.groups)

    def _matches(self, number: int) -> bool:
        reading = _Reading(self._db, number)
        try:
            return all(any(self._holds(reading, term) for term in group) for group in self._query.groups) and not any(
                self._holds(reading, term) for term in self._query.without
            )
        finally:
            reading.close()

    def _holds(self, reading: "_Reading", term: Term) -> bool:
        candidates = self._candidates[term]
        if reading.number not in candidates.pieces:
            return False
        if candidates.sure:
            return True
        numbers = candidates.pieces[reading.number]
        return any(self._in_piece(reading.piece(piece, beyond=len(term.text)), term) for piece in numbers)

    def _in_piece(self, text: str, term: Term) -> bool:
        # Folding takes longer than reading, and most pieces can be decided without.
        there = term.text in text.lower()
        if there and not term.whole:
            return True
        if not there and " " not in term.text and is_plain(text):
            return False
        return self._patterns[term].search(fold(text)) is not None

    def occurrences(self, number: int, *, most: int) -> "Occurrences":
        """Where the terms stand in one text, of which the first `most` pieces that may have some are read."""
        terms = [term for term in self._query.terms if number in self._candidates[term].pieces]
        beyond = max(len(term.text) for term in terms)
        text = StoredText(self._db, number)
        try:
            chosen = self._numberswith(terms, number, text.count)
            best, count = (0, 0, ""), 0
            for piece in chosen[:most]:
                read = text.piece(piece, beyond=beyond)
                own = len(fold(read[:PIECE]))
                found = [match for match in self._in_folded(fold(read), terms) if match[0] < own]
                count += _apart(found)
                if (together := most_together(found)[0]) > best[0]:
                    best = (together, piece, read)
        finally:
            text.close()
        places = self._densest(best[2], terms, offset=best[1] * PIECE)
        return Occurrences(places=tuple(places), count=count, counted_all=len(chosen) <= most)

    def _densest(self, text: str, terms: Sequence[Term], *, offset: int) -> list[tuple[Span, Term]]:
        """The places in the part of a piece where most of the terms stand together: finding places takes time."""
        around = 2 * NEAR + max(len(term.text) for term in terms)
        parts = pieces(text, size=3 * NEAR, overlap=around)
        best = max(parts, key=lambda part: most_together(self._in_folded(fold(part.text), terms))[0])
        low = max(0, best.start - NEAR)
        return places_in(text[low : best.start + len(best.text)], terms, offset=offset + low, own=len(text))

    def _in_folded(self, folded: str, terms: Sequence[Term]) -> list[tuple[int, int, Term]]:
        found = [(*match.span(), term) for term in terms for match in self._patterns[term].finditer(folded)]
        return sorted(found, key=lambda match: match[:2])

    def _numberswith(self, terms: Sequence[Term], number: int, count: int) -> list[int]:
        known = [self._candidates[term].pieces[number] for term in terms]
        return sorted({piece for found in known for piece in found or range(count)})


class _Reading:
    """A text that is opened when it is first needed, and the piece of it that was read last."""

    def __init__(self, db: sqlite3.Connection, number: int) -> None:
        self.number = number
        self._db = db
        self._text: StoredText | None = None
        self._last: tuple[int, int] = (-1, 0)
        self._piece = ""

    def piece(self, number: int, *, beyond: int) -> str:
        if self._last != (number, beyond):
            if self._text is None:
                self._text = StoredText(self._db, self.number)
            self._piece, self._last = self._text.piece(number, beyond=beyond), (number, beyond)
        return self._piece

    def close(self) -> None:
        if self._text is not None:
            self._text.close()


def places_in(text: str, terms: Sequence[Term], *, offset: int = 0, own: int = PIECE) -> list[tuple[Span, Term]]:
    """Where `terms` stand in a piece of a text, in order; what begins after its `own` characters is left out.

    `offset` is where the piece begins in the text.
    """
    folded = fold(text)
    patterns = {term: pattern for term in terms if (pattern := term.pattern()).search(folded)}
    if not patterns:
        return []
    mapped = fold_with_places(text)
    found = [
        (mapped.span(match.start(), match.end()), term)
        for term, pattern in patterns.items()
        for match in pattern.finditer(mapped.text)
    ]
    return sorted(
        ((Span(start=offset + s.start, end=offset + s.end), term) for s, term in found if s.start < own),
        key=lambda place: place[0],
    )


def all_places(text: str, query: Query) -> tuple[Span, ...]:
    """Every place in `text` where one of the query's terms stands, in order, overlapping ones as one."""
    if not query.terms:
        return ()
    longest = max(len(term.text) for term in query.terms)
    found = (
        span
        for piece in pieces(text, size=PIECE, overlap=longest)
        for span, _ in places_in(piece.text, query.terms, offset=piece.start)
    )
    return merged(found)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order of start, those that overlap as one."""
    kept: list[Span] = []
    for span in spans:
        if kept and span.start < kept[-1].end:
            kept[-1] = Span(start=kept[-1].start, end=max(kept[-1].end, span.end))
        else:
            kept.append(span)
    return tuple(kept)

"""Where in the documents a quote is found.

A quote is looked for as it stands, then on copies of both texts without typographic differences
(case kept; quotation marks, dashes, ligatures, blanks, soft and line-end hyphens levelled), then as the nearest
stretch with a stated score; then in the other documents.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from rapidfuzz import fuzz

from r3con_core.documents import Document, Span

NEAR_SCORE = 90.0
"""Of 100; below it two sentences often state different facts (an inserted "not" in a 60-letter quote scores 93-97,
so near matches are always shown as "found with small differences", never as exact)."""
NEAR_MIN_LETTERS = 20
"""Shorter quotes match by chance."""


class Match(StrEnum):
    """How closely a quote was found."""

    EXACT = "exact"
    NORMALISED = "normalised"
    """The same words; only typography differs."""
    NEAR = "near"
    """A few letters differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """A quote found in its document."""

    quote: str
    document_id: str
    span: Span
    match: Match
    score: float = 100.0
    """100 but for near matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """A quote found in another document than the one it was taken from."""

    quote: str
    document_id: str
    """Where it should have been."""
    found: Grounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungrounded:
    """A quote that no document holds."""

    quote: str
    document_id: str


Evidence = Grounded | Misplaced | Ungrounded


def locate(quote: str, document: Document, others: Iterable[Document] = (), within: Span | None = None) -> Evidence:
    """Where `quote` stands: in `document` (inside `within` first, if given), else in one of `others`, else nowhere."""
    quote = quote.strip()
    found = find_quote(quote, document, within)
    if found is not None:
        return found
    longest = max(re.findall(r"[^\W_]+", quote), key=len, default="")
    for other in others:
        if other.id == document.id or longest not in other.text:
            continue  # levelling every document of a large corpus for each quote would take seconds
        if (elsewhere := find_quote(quote, other, None, finders=SURE)) is not None:
            return Misplaced(quote=quote, document_id=document.id, found=elsewhere)
    return Ungrounded(quote=quote, document_id=document.id)


Finder = Callable[[str, Document, Span | None], Grounded | None]


def find_quote(
    quote: str, document: Document, within: Span | None, finders: tuple[Finder, ...] | None = None
) -> Grounded | None:
    """The first place of the closest kind of match, or None."""
    if not quote:
        return None
    for finder in finders or _ALL:
        found = finder(quote, document, within) or (finder(quote, document, None) if within else None)
        if found is not None:
            return found
    return None


def _find_exact(quote: str, document: Document, within: Span | None) -> Grounded | None:
    low, high = (within.start, within.end) if within else (0, len(document.text))
    start = document.text.find(quote, low, high)
    if start < 0:
        return None
    return _grounded(quote, document, Span(start=start, end=start + len(quote)), Match.EXACT)


def _find_normalised(quote: str, document: Document, within: Span | None) -> Grounded | None:
    level, places = _level_document(document.text)
    wanted = _level(quote)[0].strip()
    if not wanted:
        return None
    low = _first_at_or_after(places, within.start) if within else 0
    start = level.find(wanted, low)
    if start < 0:
        return None
    end = start + len(wanted)
    span = Span(start=places[start], end=places[end - 1] + 1)
    return _grounded(quote, document, span, Match.NORMALISED)


def _find_near(quote: str, document: Document, within: Span | None) -> Grounded | None:
    wanted = _level(quote)[0].strip()
    if len(wanted) < NEAR_MIN_LETTERS:
        return None
    level, places = _level_document(document.text)
    low = _first_at_or_after(places, within.start) if within else 0
    high = _first_at_or_after(places, within.end) if within else len(level)
    if len(wanted) > high - low:
        return None
    best = fuzz.partial_ratio_alignment(wanted, level[low:high], score_cutoff=NEAR_SCORE)
    if best is None or best.dest_end <= best.dest_start:
        return None
    start, end = _whole_words(level, low + best.dest_start, low + best.dest_end)
    if _numbers(level[start:end]) != _numbers(wanted):
        return None
    span = Span(start=places[start], end=places[end - 1] + 1)
    return _grounded(quote, document, span, Match.NEAR, round(best.score, 1))


SURE: tuple[Finder, ...] = (_find_exact, _find_normalised)
"""Of the words as they are, but for typography."""
_ALL: tuple[Finder, ...] = (*SURE, _find_near)


def _grounded(quote: str, document: Document, span: Span, match: Match, score: float = 100.0) -> Grounded:
    return Grounded(quote=quote, document_id=document.id, span=span, match=match, score=score)


def _numbers(text: str) -> list[str]:
    """A near match may not differ in a figure: 400 and 4,000 are one letter apart."""
    return re.findall(r"\d+", text)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


_MARKS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "\u2026": "...",
}
_DROPPED = re.compile(r"-[ \t]*\n[ \t]*(?=[a-z\u00df-\u00ff])|[_*]")
"""A word's hyphen at a line end, and the marks of emphasis that text files carry."""


@lru_cache(maxsize=64)
def _level_document(text: str) -> tuple[str, list[int]]:
    return _level(text)


def _level(text: str) -> tuple[str, list[int]]:
    """`text` without typographic differences, and for each of its characters the place it came from."""
    dropped = {place for match in _DROPPED.finditer(text) for place in range(match.start(), match.end())}
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if place in dropped:
            continue
        for levelled in _MARKS.get(letter) if letter in _MARKS else unicodedata.normalize("NFKC", letter):  # type: ignore[union-attr]
            blank = levelled.isspace()
            if blank and letters and letters[-1] == " ":
                continue
            letters.append(" " if blank else levelled)
            places.append(place)
    return "".join(letters), places


def _first_at_or_after(places: list[int], place: int) -> int:
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        if places[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low

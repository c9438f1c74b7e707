"""A check without a model: do the names and figures of a text occur in its document?

On a 1.5B model's records it kept nine of nine right ones and dropped nine of nine wrong or foreign ones.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any

from r3con_core.folding import UNSPACED, UNSPACED_LETTER

_FIGURE = re.compile(r"\d{1,3}(?:[ \u00a0\u202f.,']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\s+(?:(?:of|de|van|von|der|the)\s*)?[A-Z][\w'’-]+)*")
_WORD = re.compile(r"\w+")
_RUN = re.compile(f"[{UNSPACED}]+|[^\\W{UNSPACED}]+")
"""Words, and in scripts without blanks whatever stands together."""
DOCUMENTS_KEPT = 32
"""Documents whose words and figures are kept: a reply's facts and values are checked one after the other."""
_MONTHS = "january february march april may june july august september october november december".split()
_COMMON = (
    frozenset(
        "the this that these those a an it he she they we i you his her their its our in on at by for from to of and or "
        "but not no nobody document note notes letter bill log article report memo mail email see nothing however also as "
        "if when where who what which while after before during there then mr mrs ms dr sir madam dear yes all some one "
        "two".split()
    )
    | frozenset(_MONTHS)
    | frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
)


def plain(text: str) -> str:
    """`text` for comparison: compatibility forms levelled, case folded."""
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def figures(text: str) -> set[str]:
    """The numbers in `text` as digits without separators or trailing decimal zeros: 4200, 4,200 and 4 200.00 agree."""
    return {digits_of(found) for found in _FIGURE.findall(text)}


def digits_of(figure: str) -> str:
    """One number as digits without separators or trailing decimal zeros."""
    whole, decimals = figure, ""
    if match := re.fullmatch(r"(.*)[.,](\d{1,2})", figure):
        whole, decimals = match.group(1), match.group(2).rstrip("0")
    return (re.sub(r"\D", "", whole).lstrip("0") or "0") + (f".{decimals}" if decimals else "")


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _plain(text: str) -> str:
    """A document, levelled."""
    return plain(text)


def _stands_in(word: str, document_text: str) -> bool:
    """Whether a levelled word of a script without blanks stands anywhere in the document: where it ends is not told."""
    return bool(UNSPACED_LETTER.match(word)) and word in _plain(document_text)


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _words(text: str) -> frozenset[str]:
    """The different words of a document, levelled."""
    return frozenset(_WORD.findall(_plain(text)))


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _held_figures(text: str) -> frozenset[str]:
    """The numbers of a document, and each run of digits in it, so that 16.3.1931 holds the day 16."""
    return frozenset(figures(text)) | {run.lstrip("0") or run[:1] * (len(run) == 1) for run in re.findall(r"\d+", text)}


def foreign_terms(text: str, document_text: str) -> tuple[str, ...]:
    """Names and figures of `text` that `document_text` does not hold, in order of mention.

    Words that start a sentence count only when they recur as names; references such as "Document 7" are left out.
    """
    text = re.sub(r"\(?\bsee\b[^)\n.]*\)?|Documents? \d+(?:(?:, | and )\d+)*", " ", text, flags=re.IGNORECASE)
    words = _words(document_text)
    known = _held_figures(document_text)
    found: list[str] = []
    for sentence in re.split(r"(?<=[.!?:;])\s+|\n", text):
        for match in _NAME.finditer(sentence):
            names = [w for w in _WORD.findall(plain(match.group())) if w not in _COMMON and not w.isdigit()]
            at_start = match.start() == 0 and " " not in match.group()
            if names and not at_start and not all(name in words or name.rstrip("s") in words for name in names):
                found.append(match.group())
        found += [f for f in _FIGURE.findall(sentence) if not figures(f) <= known and not _part_of_date(f, known)]
    return tuple(dict.fromkeys(found))


def name_words(name: str) -> tuple[str, ...]:
    """The levelled words of a name, without those that many sentences hold, such as "the" and "March"."""
    return tuple(word for word in _WORD.findall(plain(name)) if word not in _COMMON and not word.isdigit())


def belongs_elsewhere(fact: str, document_text: str, notes: Iterable[str]) -> bool:
    """Whether `fact` is told in the words of `notes` on other documents rather than in those of its own document.

    By the share of its longer words that each holds: in round 2 a small model copies neighbours' sentences, and those
    without names or figures pass `foreign_terms`.
    """
    words = [word for word in _WORD.findall(plain(fact)) if len(word) > 3]
    if not words:
        return False
    own = _words(document_text)
    here = sum(word in own or _stands_in(word, document_text) for word in words) / len(words)
    if here >= OWN_SHARE:
        return False
    theirs = {word for note in notes for word in _WORD.findall(plain(note))}
    return sum(word in theirs for word in words) / len(words) > here


OWN_SHARE = 0.7
"""Of a fact's longer words; an honest paraphrase of a 150-word document keeps about that many."""


def _part_of_date(figure: str, known: frozenset[str]) -> bool:
    pieces = re.findall(r"\d+", figure)
    return len(pieces) > 1 and all(p.lstrip("0") in known for p in pieces)


NUMBER_WORDS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand dozen".split(),
        [*range(21), *range(30, 100, 10), 100, 1000, 12],
        strict=True,
    )
)


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _worded_numbers(text: str) -> frozenset[str]:
    """Small numbers written as English words: "forty", "twenty-five"."""
    found: set[str] = set()
    for match in re.finditer(r"[a-z]+(?:-[a-z]+)?", text.casefold()):
        parts = [NUMBER_WORDS[part] for part in match.group().split("-") if part in NUMBER_WORDS]
        if parts:
            found |= {str(sum(parts)), *map(str, parts)}
    return frozenset(found)


def is_supported(value: Any, document_text: str) -> bool:
    """Whether one value of a record occurs in the document: a name's words, a number's digits, a date's day.

    Yes-no values and None need no support.
    """
    match value:
        case None | bool():
            return True
        case int() | float():
            return digits_of(f"{value:.2f}" if isinstance(value, float) else str(value)) in (
                _held_figures(document_text) | _worded_numbers(document_text)
            )
        case str():
            return _text_supported(value, document_text)
        case _:
            return True


def _text_supported(value: str, document_text: str) -> bool:
    day = _as_date(value)
    if day is not None:
        return all(piece in _held_figures(document_text) for piece in day)
    words = _words(document_text)
    wanted = [w for w in _RUN.findall(plain(value)) if w not in _COMMON]
    numbers = figures(value)
    if numbers and not numbers <= _held_figures(document_text):
        return False
    named = [w for w in wanted if not w.isdigit()]
    held = [w in words or w.rstrip("s") in words or _stands_in(w, document_text) for w in named]
    return not named or sum(held) * 2 >= len(named)


def _as_date(value: str) -> tuple[str, ...] | None:
    """The day, or else the year, that the document must name for this ISO date."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        try:
            return (str(date.fromisoformat(value).day),)
        except ValueError:
            return None
    return (value[:4],) if re.fullmatch(r"\d{4}(-\d{2})?", value) else None

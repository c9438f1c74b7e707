"""Facts that an answer rests on, looked for in what a method built: where was each kept, and where lost?

No model is asked: a fact is in a text when words for each of its parts stand there, near enough to belong together.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from r3con_core.traces import Built, Trace

NEAR = 400
"""Characters within which all parts of a fact must stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that must be known to come to the right answer."""

    id: str
    says: str
    """In a plain sentence, such as "The corpse at the wheel is the captain."."""
    parts: tuple[tuple[str, ...], ...]
    """What must be said, each part in one of several ways: words or their beginnings, such as ("helm", "wheel").
    A number counts only as a whole one, and so does a way that ends in a blank ("thin ", which "think" is not)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A fact in one thing that a method built."""

    built: str
    """Its name."""
    items: tuple[str, ...]
    """Ids of the items that hold it; none: it is not there."""
    chosen: tuple[str, ...]
    """Of these, those that went on to the next stage."""


def is_in(fact: Fact, text: str) -> bool:
    """Whether `text` says it: a way of saying each part stands within some `NEAR` characters."""
    return _says(fact, _plain(text))


def facts_in(facts: Sequence[Fact], text: str) -> tuple[Fact, ...]:
    """Those that `text` says."""
    plain = _plain(text)
    return tuple(fact for fact in facts if _says(fact, plain))


def trace_fact(fact: Fact, trace: Trace) -> tuple[Sighting, ...]:
    """Where it is in each thing that was built, in order."""
    (sightings,) = trace_facts((fact,), trace)
    return sightings


def trace_facts(facts: Sequence[Fact], trace: Trace) -> tuple[tuple[Sighting, ...], ...]:
    """Of each fact, where it is in each thing that was built; both in order."""
    found = [_sightings(facts, built) for built in trace]
    return tuple(tuple(row) for row in zip(*found, strict=True)) if found else ((),) * len(facts)


def _sightings(facts: Sequence[Fact], built: Built) -> list[Sighting]:
    texts = [_plain(f"{item.text}\n{item.shown}") for item in built.items]
    sightings = []
    for fact in facts:
        found = [item for item, text in zip(built.items, texts, strict=True) if _says(fact, text)]
        sightings.append(
            Sighting(
                built=built.name,
                items=tuple(item.id for item in found),
                chosen=tuple(item.id for item in found if item.chosen),
            )
        )
    return sightings


_MARKS = re.compile(r"[\s_*|]+")
_ISO = re.compile(r"(?<![\d-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_MONTHS = "January February March April May June July August September October November December".split()


def _plain(text: str) -> str:
    """In small letters, with line breaks and marks of emphasis and tables as single blanks, and days of records in words too."""
    return _MARKS.sub(" ", _ISO.sub(_in_words, text.replace("’", "'"))).lower()


def _in_words(day: re.Match[str]) -> str:
    """Such as "1931-03-03 (3 March 1931)": R3Con keeps days in this form, and the ways of saying a fact are in words."""
    return f"{day[0]} ({int(day[3])} {_MONTHS[int(day[2]) - 1]} {day[1]})"


def _says(fact: Fact, plain: str) -> bool:
    places = []
    for part in fact.parts:
        found = sorted(place for way in part for place in _places(plain, way.lower()))
        if not found:
            return False
        places.append(found)
    return any(all(_is_soon_after(first, found) for found in places) for found in places for first in found)


def _is_soon_after(first: int, places: Sequence[int]) -> bool:
    at = bisect_left(places, first)
    return at < len(places) and places[at] <= first + NEAR


def _places(plain: str, way: str) -> Iterator[int]:
    """Where a word begins with `way`; where just this word or number stands if it ends in a blank or is a number."""
    word = way.rstrip()
    at = plain.find(word)
    while at >= 0:
        before, after = plain[max(at - 2, 0) : at][::-1], plain[at + len(word) : at + len(word) + 2]
        longer = before[:1].isalnum() or (word != way and after[:1].isalnum())
        if not longer and not _goes_on(word, before) and not _goes_on(word[::-1], after):
            yield at
        at = plain.find(word, at + 1)


def _goes_on(way: str, beside: str) -> bool:
    """Whether a number at the beginning of `way` goes on in the characters beside it; both read away from each other.

    After a decimal point a comma ends a number, as between the fields of a line.
    """
    if not way[0].isdigit() or not beside:
        return False
    marks = "." if "." in way else ".,"
    return beside[0].isdigit() or (beside[0] in marks and beside[1:].isdigit())

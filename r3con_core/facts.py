"""Facts that an answer rests on, looked for in what a method built: where was each kept, and where lost?

No model is asked: a fact is in a text when words for each of its parts stand there, near enough to belong together.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

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
    """What must be said, each part in one of several ways: words or their beginnings, such as ("helm", "wheel")."""


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
    places = [sorted(found.start() for found in _pattern(part).finditer(text)) for part in fact.parts]
    if not all(places):
        return False
    return any(all(any(abs(at - first) <= NEAR for at in other) for other in places[1:]) for first in places[0])


@cache
def _pattern(ways: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<!\w){re.escape(way)}" for way in ways), re.IGNORECASE)


def trace_fact(fact: Fact, trace: Trace) -> tuple[Sighting, ...]:
    """Where it is in each thing that was built, in order."""
    return tuple(_sighting(fact, built) for built in trace)


def _sighting(fact: Fact, built: Built) -> Sighting:
    found = [item for item in built.items if is_in(fact, f"{item.text}\n{item.shown}")]
    return Sighting(
        built=built.name,
        items=tuple(item.id for item in found),
        chosen=tuple(item.id for item in found if item.chosen),
    )


def facts_in(facts: Sequence[Fact], text: str) -> tuple[Fact, ...]:
    """Those that `text` says."""
    return tuple(fact for fact in facts if is_in(fact, text))

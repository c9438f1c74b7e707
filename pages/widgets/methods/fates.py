"""What became of each expected fact in each method: how far it came, and after which stage it was lost. No screen here."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from r3con_core.facts import Fact, Sighting, is_in, trace_facts
from r3con_core.traces import Built, Trace


class Reach(Enum):
    """How far a fact came, the farthest first."""

    ANSWER = "in the answer"
    READ = "read, not said"
    BUILT = "lost on the way"
    NEVER = "never held"
    UNKNOWN = "no answer yet"


SIGNS = {Reach.ANSWER: "✓", Reach.READ: "◑", Reach.BUILT: "◔", Reach.NEVER: "✗", Reach.UNKNOWN: "…"}
"""One for each, so that colour is not needed to tell them apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """One fact in one method."""

    fact: Fact
    reach: Reach
    sightings: tuple[Sighting, ...]
    """For each thing that was built, in order."""
    last: str = ""
    """The last thing that held it; empty where none did."""

    @property
    def in_words(self) -> str:
        """Such as "◔ lost after Summaries"."""
        match self.reach:
            case Reach.BUILT:
                return f"{SIGNS[self.reach]} lost after “{self.last}”"
            case Reach.READ:
                return f"{SIGNS[self.reach]} read in “{self.last}”, not said"
            case reach:
                return f"{SIGNS[reach]} {reach.value}"


def fates_of(facts: Sequence[Fact], trace: Trace, answer: str | None) -> tuple[Fate, ...]:
    """What became of each fact; `answer`: its text, None where there is none yet."""
    found = trace_facts(facts, trace)
    return tuple(_fate(fact, row, trace, answer) for fact, row in zip(facts, found, strict=True))


def _fate(fact: Fact, sightings: Sequence[Sighting], trace: Trace, answer: str | None) -> Fate:
    held = [(built, seen) for built, seen in zip(trace, sightings, strict=True) if seen.items]
    read = [built.name for built, seen in held if built.read and (seen.chosen or not _chooses(built))]
    last = held[-1][0].name if held else ""
    if answer is not None and is_in(fact, answer):
        reach = Reach.ANSWER
    elif answer is None:
        reach = Reach.UNKNOWN
    elif read:
        reach, last = Reach.READ, read[-1]
    else:
        reach = Reach.BUILT if held else Reach.NEVER
    return Fate(fact=fact, reach=reach, sightings=tuple(sightings), last=last)


def _chooses(built: Built) -> bool:
    return any(item.chosen for item in built.items)


def cell_of(built: Built, seen: Sighting) -> str:
    """A fact in one thing that was built, such as "● 3, 1 went on" or "–"."""
    if not seen.items:
        return "–"
    if not _chooses(built):
        return f"● {len(seen.items):,}"
    if not seen.chosen:
        return f"○ {len(seen.items):,} left behind"
    return f"● {len(seen.chosen):,} of {len(seen.items):,} went on" if len(seen.items) > 1 else "● went on"


def share_in_answer(fates: Sequence[Fate]) -> float | None:
    """How many of the facts the answer says, from 0 to 1; None for no facts or no answer."""
    if not fates or any(fate.reach is Reach.UNKNOWN for fate in fates):
        return None
    return sum(fate.reach is Reach.ANSWER for fate in fates) / len(fates)

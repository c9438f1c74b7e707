"""Which records a step of code touched, as far as what it left behind can tell. Pure.

Code that loops over all records reads every one of them, so reading tells nothing. What tells is which records it
picked out: those it named when it handed over an answer, those named in what it printed or in the code itself, and
those of which a value that few records have stands in what it printed. The last is a sign, not a proof, and is told
only where no record with that value is named.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from r3con_core.answers import Step
from r3con_core.records import Record, StructuredData, Value

MOST_SHARING = 3
"""Records that may have a value in common for it to point to them."""
SHORTEST = 4
"""Letters of a text that may point to a record."""
SHORTEST_NUMBER = 3
"""Digits of a number that may."""
_LABEL = re.compile(r"(?<!\w)R\d+(?!\w)")
_WORD = re.compile(r"\w+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


class Touch(StrEnum):
    """How a record shows in what a step left behind, surest first."""

    HANDED = "named in the answer it handed over"
    PRINTED = "named in what it printed"
    WRITTEN = "named in its code"
    VALUE = "a value of it stands in what it printed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A record that a step touched."""

    record_id: str
    how: Touch
    """The surest way in which it shows."""
    value: str = ""
    """The value that stands in the output, where that is how."""


@dataclass(frozen=True, kw_only=True)
class Touching:
    """Finds the records that steps touched, of one data."""

    data: StructuredData

    def by(self, step: Step) -> tuple[Touched, ...]:
        """The records that a step touched, each once, surest first, then in the order of the data."""
        said = step.execution
        found: dict[str, Touched] = {}
        handed = (*said.proposed.cites, said.proposed.text) if said.proposed else ()
        for how, text in ((Touch.HANDED, "\n".join(handed)), (Touch.PRINTED, said.output), (Touch.WRITTEN, step.code)):
            for record_id in self._labelled(text):
                found.setdefault(record_id, Touched(record_id=record_id, how=how))
        named = frozenset(found)
        for value, record_ids in self._values_in(said.output):
            if named.isdisjoint(record_ids):
                for record_id in record_ids:
                    found.setdefault(record_id, Touched(record_id=record_id, how=Touch.VALUE, value=value))
        ways = list(Touch)
        return tuple(sorted(found.values(), key=lambda one: (ways.index(one.how), self._place(one.record_id))))

    def _place(self, record_id: str) -> int:
        return int(self.data.label(record_id)[1:])

    def _labelled(self, text: str) -> Iterator[str]:
        for label in dict.fromkeys(_LABEL.findall(text)):
            record_id = self.data.id_of(label)
            if record_id is not None:
                yield record_id

    def _values_in(self, output: str) -> Iterator[tuple[str, list[str]]]:
        said = _THOUSANDS.sub("", _levelled(output))
        begun = [one for word in set(_WORD.findall(said)) for one in self._by_first_word.get(word, ())]
        for _, value in sorted(begun):
            if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said):
                yield value, self._telling[value]

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[int, str]]]:
        """First word -> the telling values that begin with it, each with its place among all."""
        found: dict[str, list[tuple[int, str]]] = {}
        for place, value in enumerate(self._telling):
            if first := _WORD.search(value):
                found.setdefault(first[0], []).append((place, value))
        return found

    @cached_property
    def _telling(self) -> dict[str, list[str]]:
        """Value -> the few records that have it."""
        owners: dict[str, list[str]] = {}
        for record in self.data.records:
            if record.counts:
                for value in dict.fromkeys(_values(record)):
                    owners.setdefault(value, []).append(record.id)
        return {value: ids for value, ids in owners.items() if len(ids) <= MOST_SHARING}


def _levelled(text: str) -> str:
    return " ".join(text.casefold().split())


def _values(record: Record) -> Iterator[str]:
    for value in record.values.values():
        yield from _told(value)


def _told(value: Value) -> Iterator[str]:
    """The values long enough to point to a record, as output would show them."""
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _told(item)
    elif isinstance(value, str):
        if len(told := _levelled(value)) >= SHORTEST:
            yield told
    elif isinstance(value, int | float) and len(told := f"{value:.15g}".lstrip("-")) >= SHORTEST_NUMBER:
        yield told

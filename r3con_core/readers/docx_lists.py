"""The numbers that Word counts up for its lists and clauses, which readers see and the paragraphs do not hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from r3con_core.readers.ooxml import Event, attribute

_LEVELS = 9
_LARGEST = 10_000
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How one level of a list is numbered."""

    start: int = 1
    form: str = "decimal"
    """decimal, lowerLetter, upperRoman, bullet, none, ..."""
    text: str = ""
    """With %1 to %9 for the numbers of the levels, as in "%1.%2"."""


@dataclass(slots=True, kw_only=True)
class Lists:
    """The lists of a document, counted up as its paragraphs come."""

    abstract: Mapping[str, Mapping[int, Level]] = field(default_factory=dict)
    """The levels of each kind of list."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The kind of each list, by its number."""
    starts: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """Where a list begins if not where its kind does."""
    _counts: dict[str, list[int | None]] = field(default_factory=dict)
    _begun: set[tuple[str, int]] = field(default_factory=set)

    def next(self, number: str, level: str) -> str:
        """The label of the next paragraph on a level of a list; empty for bullets and outside lists."""
        kind = self.kinds.get(number, "")
        levels = self.abstract.get(kind, {})
        place = int(level) if level.isdecimal() else 0
        if place not in levels or place >= _LEVELS:
            return ""
        counts = self._counts.setdefault(kind, [None] * _LEVELS)
        self._count(number, place, levels, counts)
        counts[place + 1 :] = [None] * (_LEVELS - place - 1)
        stated = levels[place]
        if stated.form in ("bullet", "none"):
            return ""
        label = stated.text
        for position in range(place + 1):
            count = counts[position]
            shown = levels.get(position, Level())
            value = shown.start if count is None else count
            label = label.replace(f"%{position + 1}", numeral(value, shown.form))
        return label.strip()

    def _count(self, number: str, place: int, levels: Mapping[int, Level], counts: list[int | None]) -> None:
        restart = self.starts.get((number, place))
        if restart is not None and (number, place) not in self._begun:
            self._begun.add((number, place))
            counts[place] = restart
            return
        count = counts[place]
        counts[place] = levels[place].start if count is None else min(count + 1, _LARGEST)


def numeral(value: int, form: str) -> str:
    """A number as a list shows it; forms that are not known here are shown in digits."""
    if form.startswith(("lower", "upper")) and 0 < value < _LARGEST:
        letters = _roman(value) if form.endswith("Roman") else ""
        if form.endswith("Letter"):
            letters = chr(ord("a") + (value - 1) % 26) * min(1 + (value - 1) // 26, 40)
        if letters:
            return letters.upper() if form.startswith("upper") else letters
    return f"{value:02d}" if form == "decimalZero" else str(value)


def _roman(value: int) -> str:
    letters = ""
    for worth, sign in _ROMAN:
        letters += sign * (value // worth)
        value %= worth
    return letters


def read_lists(events: Iterable[Event]) -> Lists:
    """The lists that a document's part for them defines."""
    abstract: dict[str, dict[int, Level]] = {}
    kinds: dict[str, str] = {}
    starts: dict[tuple[str, int], int] = {}
    for event, name, element in events:
        if event != "end":
            continue
        if name == "abstractNum":
            levels = element.iterfind("{*}lvl")
            abstract[attribute(element, "abstractNumId")] = {_whole(level, "ilvl"): _level(level) for level in levels}
        elif name == "num":
            number = attribute(element, "numId")
            kinds[number] = _value(element, "abstractNumId")
            for override in element.iterfind("{*}lvlOverride"):
                if start := _value(override, "startOverride"):
                    starts[number, _whole(override, "ilvl")] = int(start) if start.isdecimal() else 1
    return Lists(abstract=abstract, kinds=kinds, starts=starts)


def _level(element: Any) -> Level:
    start = _value(element, "start")
    return Level(
        start=int(start) if start.isdecimal() and len(start) < 6 else 1,
        form=_value(element, "numFmt") or "decimal",
        text=_value(element, "lvlText"),
    )


def _value(element: Any, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return "" if found is None else attribute(found, "val")


def _whole(element: Any, name: str) -> int:
    value = attribute(element, name)
    return int(value) if value.isdecimal() and len(value) < 3 else 0

"""Which elements of a page a style sheet's rule is about: tags, classes and ids, alone or within others."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(r"(?:(?P<tag>[a-z][a-z0-9]*)|\*)?(?P<rest>(?:[.#][\w-]+)*)", re.IGNORECASE)
_PART = re.compile(r"([.#])([\w-]+)")
_BETWEEN = re.compile(r"\s*>\s*|\s+")
_MOST_STEPS = 8
"""Elements within each other in one selector that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an element is in its page."""

    tag: str
    own: frozenset[str]
    """Its classes and its id, as selectors write them."""
    parent: "Place | None" = None
    depth: int = 0
    names: frozenset[str] = frozenset()
    """The classes and ids of all elements it lies in."""

    def above(self) -> Iterator["Place"]:
        """The elements it lies in, from the inside out."""
        place = self.parent
        while place is not None:
            yield place
            place = place.parent


def place_of(tag: str, attributes: Mapping[str, str], parent: Place | None) -> Place:
    """The place of an element right in `parent`."""
    own = _own_names(attributes) if attributes else frozenset()
    if parent is None:
        return Place(tag=tag, own=own)
    names = parent.names if parent.own <= parent.names else parent.names | parent.own
    return Place(tag=tag, own=own, parent=parent, depth=parent.depth + 1, names=names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """One element of a selector."""

    tag: str
    """Empty for any."""
    needs: frozenset[str]
    """Classes as ".name" and ids as "#name" that an element must all have."""

    def is_of(self, place: Place) -> bool:
        """Whether an element with the tag, the classes and the id at this place is meant."""
        return self.needs <= place.own and self.tag in (place.tag, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """An element, and the elements it must lie in."""

    last: Simple
    above: tuple[tuple[bool, Simple], ...]
    """From the inside out; True where it must be the element right above."""
    needs_above: frozenset[str]
    """Classes and ids of those."""
    strength: int
    """What decides between rules that contradict each other."""

    def lies_so(self, place: Place) -> bool:
        """Whether an element that is `last` lies in the others; in time of the depth of its page."""
        places = [place]
        for direct, simple in self.above:
            over = (one.parent for one in places) if direct else places[0].above()
            places = [one for one in over if one is not None and simple.is_of(one)]
            if not places:
                return False
        return True


def _own_names(attributes: Mapping[str, str]) -> frozenset[str]:
    names = [f".{name}" for name in attributes.get("class", "").split()[:50]]
    if name := attributes.get("id", "").strip():
        names.append(f"#{name}")
    return frozenset(names)


def read_selector(written: str) -> Selector | None:
    """The selector as it is written; None for one that is not followed."""
    tokens = _BETWEEN.split(written)
    signs = [">" in sign for sign in _BETWEEN.findall(written)]
    if not written or len(tokens) > _MOST_STEPS or not all(tokens):
        return None
    steps = [step for token in tokens if (step := _simple(token)) is not None]
    if len(steps) < len(tokens):
        return None
    last = steps.pop()
    everything = (last, *steps)
    strength = sum(100 if need[0] == "#" else 10 for one in everything for need in one.needs)
    strength += sum(bool(one.tag) for one in everything)
    return Selector(
        last=last,
        above=tuple(zip(reversed(signs), reversed(steps), strict=True)),
        needs_above=frozenset(need for one in steps for need in one.needs),
        strength=strength,
    )


def _simple(token: str) -> Simple | None:
    found = _TOKEN.fullmatch(token)
    if not found:
        return None
    needs = frozenset(f"{sign}{name}" for sign, name in _PART.findall(found["rest"]))
    return Simple(tag=(found["tag"] or "").lower(), needs=needs)

"""What views make of a run's records, made once for as long as the records stay the same."""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from pages.widgets.evidence import Found

MOST_KEPT = 40
"""Results of filters among them; the oldest goes first."""
T = TypeVar("T")


def once(found: Found, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` makes; the same object again for the same records and key."""
    held = found.worked_out
    if key in held:
        held[key] = kept = held.pop(key)  # the last in line
        return cast(T, kept)
    made = held[key] = make()
    while len(held) > MOST_KEPT:
        held.pop(next(iter(held)), None)
    return made

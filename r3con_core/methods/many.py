"""Many exchanges of one kind carried at once, each to its result or to why there is none."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from r3con_core.exchange import Exchange, converse, holding
from r3con_core.methods.seam import Tools
from r3con_core.slices import work_through
from r3con_core.stages import GIVES_NOTHING

A = TypeVar("A")
T = TypeVar("T")


def carry_all(
    tools: Tools,
    items: Sequence[A],
    begin: Callable[[A], Exchange[T]],
    holds: Callable[[A], tuple[str, ...]],
) -> Iterator[tuple[int, T | Exception]]:
    """What comes of each of `items`, with its place, as it comes; the exception where a model gives nothing usable.

    `holds`: ids of the documents of which an item's prompts hold anything. The reading model is asked.
    """

    def carry(place: int) -> tuple[int, T | Exception]:
        item = items[place]
        ask = holding(tools.models.reading, lambda: holds(item))
        try:
            return place, converse(begin(item), ask)
        except GIVES_NOTHING as error:
            return place, error

    return work_through(carry, range(len(items)), tools.models.workers)


_TELLINGS = 40
"""What grows is written down whole each time."""


def is_told(done: int, of: int) -> bool:
    """Whether what has grown from `done` of so many parts is told: after each of few, of many some forty times in all."""
    return done == of or done % max(of // _TELLINGS, 1) == 0


def in_order(results: Iterator[tuple[int, T | Exception]]) -> list[T | Exception]:
    """All of them, in the order of their items."""
    return [result for _, result in sorted(results, key=lambda pair: pair[0])]

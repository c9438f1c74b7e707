"""Items above others, level by level: what each was made from, and what of it went on."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.methods import drawing
from pages.widgets.methods.drawing import Picture
from pages.widgets.methods.items import Look
from pages.widgets.words import count
from r3con_core.traces import Built, Item, Link

MOST_ABREAST = 80
"""Items of one level that are drawn: more are not told apart."""
MOST_NAMED = 6
"""Items of one level whose names have room beside them."""


def show(built: Built, look: Look) -> None:
    """The tree, its root above; of a wide level, those that went on and the first ones."""
    levels = by_level(built.items)
    drawn = {level: _kept(items, look) for level, items in levels.items()}
    hidden = sum(len(levels[level]) - len(drawn[level]) for level in levels)
    told = " · ".join(f"{'leaves' if not level else f'level {level}'}: {len(levels[level]):,}" for level in levels)
    more = f" {count(hidden, 'piece')} of wide levels are not drawn." if hidden else ""
    st.caption(f"From below: {told}. Each line leads from a piece up to one that was made from it.{more}")
    items = [item for level in drawn.values() for item in level]
    there = {item.id for item in items}
    links = [Link(source=child, target=item.id) for item in items for child in item.children if child in there]
    close = frozenset(item.id for level in drawn.values() if len(level) > MOST_NAMED for item in level)
    picture = Picture(items=items, links=links, places=tree_places(drawn), arrows=False, unnamed=close)
    drawing.show(picture, look, key=built.name, height=min(520, 160 + 90 * len(drawn)))


def by_level(items: Sequence[Item]) -> dict[int, list[Item]]:
    """Items of each level, leaves first."""
    levels: dict[int, list[Item]] = {}
    for item in sorted(items, key=lambda item: item.level):
        levels.setdefault(item.level, []).append(item)
    return levels


def _kept(items: list[Item], look: Look) -> list[Item]:
    if len(items) <= MOST_ABREAST:
        return items
    wanted = sorted(items, key=lambda item: not (item.chosen or look.holds(item)))[:MOST_ABREAST]
    ids = {item.id for item in wanted}
    return [item for item in items if item.id in ids]


def tree_places(levels: Mapping[int, Sequence[Item]]) -> dict[str, tuple[float, float]]:
    """Leaves evenly along the bottom in their order; each other level evenly, in the order of what it was made from."""
    places: dict[str, tuple[float, float]] = {}
    for level, items in sorted(levels.items()):
        ordered = sorted(enumerate(items), key=lambda pair: (_middle(pair[1], places), pair[0]))
        for rank, (_, item) in enumerate(ordered):
            places[item.id] = ((rank + 0.5) / len(items), -float(level))
    return places


def _middle(item: Item, places: Mapping[str, tuple[float, float]]) -> float:
    under = [places[child][0] for child in item.children if child in places]
    return sum(under) / len(under) if under else 0.0

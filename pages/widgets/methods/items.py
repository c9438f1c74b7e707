"""One thing that a method built, as it is shown everywhere: its text, what became of it, and where it is from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets import state
from pages.widgets.compare.answers import marked
from pages.widgets.data.record_list import short
from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.documents import Span
from r3con_core.facts import Fact, is_in
from r3con_core.traces import Item, Place

PAGE = 8
"""Items on one page of a list."""
LONG = 1_200
"""Characters of an item that are shown; the rest is in its document."""
MOST_PLACES = 6
WENT_ON = ":green-badge[:material/arrow_forward: went on]"
HOLDS = ":orange-badge[:material/flag: holds the fact]"
WENT_ON_HELP = "What went on was used by the next stage, such as the prompt that answers; all else was left behind."


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How items are looked at."""

    titles: Mapping[str, str]
    """Of documents, with their numbers, by id."""
    fact: Fact | None = None
    """To be marked wherever it stands."""
    key: str = "built"
    """Tells the parts of a page apart."""

    def holds(self, item: Item) -> bool:
        """Whether the item says the fact that is looked for."""
        return self.fact is not None and is_in(self.fact, f"{item.text}\n{item.shown}")


def show_items(items: Sequence[Item], look: Look, *, key: str) -> None:
    """All of them in their order, a page at a time; those with the fact first, where one is looked for."""
    if look.fact is not None:
        items = sorted(items, key=lambda item: not look.holds(item))
    pages = -(-len(items) // PAGE)
    page = 1
    if pages > 1:
        page = int(st.number_input(f"Page, of {pages:,}", 1, pages, key=f"{look.key}-{key}-page", width=160))
    for item in items[(page - 1) * PAGE : page * PAGE]:
        show_item(item, look)


def show_item(item: Item, look: Look) -> None:
    """One item in a box."""
    with st.container(border=True, gap="xsmall"):
        st.markdown(" ".join([f"**{plain(item.title)}**", *badges(item, look)]))
        if item.fault:
            st.markdown(f":orange[:material/error: Nothing could be made of it: {plain(item.fault)}]")
        if item.text:
            st.markdown(told(item.text, look.fact))
        if item.shown:
            st.caption("What came of it")
            st.markdown(told(item.shown, look.fact))
        if item.places:
            st.caption(places_in_words(item.places, look.titles))


def badges(item: Item, look: Look) -> list[str]:
    """What became of the item, as signs with words."""
    found = [f":gray-badge[{plain(item.kind)}]"] if item.kind and item.kind != item.title.casefold() else []
    found += [WENT_ON] if item.chosen else []
    found += [HOLDS] if look.holds(item) else []
    return found


def told(text: str, fact: Fact | None = None, most: int = LONG) -> str:
    """`text` as Markdown, line by line, cut where it is long, with the words of the fact marked."""
    spans = words_of(fact, text) if fact is not None and is_in(fact, text) else ()
    start = max(0, spans[0].start - most // 3) if spans and spans[0].start > most // 2 else 0
    cut = text[start : start + most]
    lines, at = [], start
    for line in cut.split("\n"):
        lines.append(marked(line, _within(spans, at, at + len(line))) if line.strip() else "")
        at += len(line) + 1
    before, after = ("… " if start else ""), (" …" if start + most < len(text) else "")
    return before + "  \n".join(lines) + after


def _within(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """The parts of spans between two places, counted from the first of these."""
    cut = ((max(one.start, start) - start, min(one.end, end) - start) for one in spans)
    return tuple(Span(start=first, end=last) for first, last in cut if first < last)


def words_of(fact: Fact, text: str) -> tuple[Span, ...]:
    """Where the words of a fact stand, each up to its end, in order and without overlap."""
    ways = sorted({way for part in fact.parts for way in part}, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(way)}\w*" for way in ways)
    return tuple(Span(start=found.start(), end=found.end()) for found in re.finditer(pattern, text, re.IGNORECASE))


def places_in_words(places: Sequence[Place], titles: Mapping[str, str]) -> str:
    """Links to where something is from, as Markdown."""
    links = []
    for document_id, first in {one.document_id: one for one in reversed(places)}.items():
        span = (first.span.start, first.span.end) if first.span else (None, None)
        links.append(
            f"[{plain(short(titles.get(document_id, 'a document'), 50))}]({state.document_url(document_id, *span)})"
        )
    links.reverse()
    more = f" and {count(len(links) - MOST_PLACES, 'more document')}" if len(links) > MOST_PLACES else ""
    return f"From {' · '.join(links[:MOST_PLACES])}{more}"


def label_of(item: Item, most: int = 40) -> str:
    """What an item is called in a picture: its own few words where it has no more, such as an entity's name."""
    return (
        short(item.text, most)
        if item.text and len(item.text) <= most and "\n" not in item.text
        else short(item.title, most)
    )

"""A text that was rewritten again and again, state by state, with the words that came and went."""

import streamlit as st

from pages.widgets.compare.answers import marked
from pages.widgets.data import charts
from pages.widgets.errors import plain
from pages.widgets.methods.items import Look, badges, places_in_words
from r3con_core.differences import compare
from r3con_core.documents import estimate_tokens
from r3con_core.traces import Built, Item


def show(built: Built, look: Look) -> None:
    """How long each state is, one of them beside the one before it, and where a fact came and went."""
    items = built.items
    _lengths(built, look)
    at = len(items) - 1
    if len(items) > 1:
        at = _choose(built, look)
    item, before = items[at], items[at - 1] if at else None
    _pair(item, before, look)
    if item.places:
        st.caption(f"It had just read this. {places_in_words(item.places, look.titles)}")


def _choose(built: Built, look: Look) -> int:
    held = [place for place, item in enumerate(built.items) if look.holds(item)]
    if held:
        last = held[-1]
        lost = f" and is gone after “{plain(built.items[last].title)}”" if last < len(built.items) - 1 else " and stays"
        st.caption(f":material/flag: The fact first stands in “{plain(built.items[held[0]].title)}”{lost}.")
    chosen = st.select_slider(
        "State",
        list(range(len(built.items))),
        value=len(built.items) - 1,
        format_func=lambda place: f"{place + 1}: {built.items[place].title}",
        key=f"{look.key}-{built.name}-state",
    )
    return int(chosen)


def _pair(item: Item, before: Item | None, look: Look) -> None:
    """The state, and what the one before had that it lacks."""
    found = compare(before.text, item.text) if before else None
    left, right = st.columns(2)
    with left.container(border=True):
        st.markdown(f"**Before:** {plain(before.title)}" if before else "**Before**")
        text = _lines(before.text, found.removed if found else ()) if before else ":gray[(nothing yet)]"
        st.markdown(text or ":gray[(empty)]")
    with right.container(border=True):
        st.markdown(" ".join([f"**Now:** {plain(item.title)}", *badges(item, look)]))
        if item.fault:
            st.markdown(f":orange[:material/error: {plain(item.fault)}]")
        st.markdown(_lines(item.text, found.added if found else ()) or ":gray[(empty)]")
    if before:
        st.caption("Marked on the left: what was dropped or rewritten. Marked on the right: what is new.")


def _lines(text: str, spans: tuple[object, ...]) -> str:
    return marked(text, spans)  # type: ignore[arg-type]


def _lengths(built: Built, look: Look) -> None:
    tokens = [estimate_tokens(item.text) for item in built.items]
    if len(tokens) < 2:
        return
    bars = {
        "type": "bar",
        "x": list(range(1, len(tokens) + 1)),
        "y": tokens,
        "marker": {"color": [charts.ACCENT if look.holds(item) else charts.COLOURS[0] for item in built.items]},
        "hovertext": [charts.letters(item.title) for item in built.items],
        "hovertemplate": "%{hovertext}<br>%{y} tokens<extra></extra>",
    }
    axes = {
        "xaxis": {"title": {"text": "state"}, "dtick": max(1, len(tokens) // 20)},
        "yaxis": {"title": {"text": "tokens"}},
    }
    charts.show(
        [bars], {"height": 170, **axes}, key=f"{look.key}-{built.name}-lengths", alt="Length of each state in tokens"
    )

"""What an agent did, step by step: what it wrote or used, and what came of it."""

import streamlit as st

from pages.widgets.answer.step_outputs import show_code, show_text
from pages.widgets.errors import plain
from pages.widgets.methods.items import Look, badges, places_in_words
from r3con_core.traces import Built, Item

FIRST_OPEN = 3


def show(built: Built, look: Look) -> None:
    """All steps in order; the first few, and those with the fact, are open."""
    for place, item in enumerate(built.items):
        marks = [*badges(item, look), *([":orange-badge[:material/error: error]"] if item.fault else [])]
        with st.expander(" ".join([plain(item.title), *marks]), expanded=place < FIRST_OPEN or look.holds(item)):
            _step(item, look)


def _step(item: Item, look: Look) -> None:
    if item.text.strip():
        show_code(item.text)
    if item.shown.strip():
        st.caption("What came of it")
        show_text(item.shown)
    elif not item.fault:
        st.caption("Nothing came of it.")
    if item.fault:
        st.markdown(":orange[:material/error: It ended in an error:]")
        show_text(item.fault)
    if item.places:
        st.caption(places_in_words(item.places, look.titles))

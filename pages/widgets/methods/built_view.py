"""One thing that a method built, drawn in the way that fits it."""

from collections.abc import Callable

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.methods import drawn_graph, drawn_tree, ranking, states, steps, tables
from pages.widgets.methods.items import WENT_ON_HELP, Look, show_items
from pages.widgets.words import count
from r3con_core.traces import Built, View

READ = ":green-badge[:material/edit_note: the answer was written from this]"
VIEWS: dict[View, Callable[[Built, Look], None]] = {
    View.TEXTS: lambda built, look: show_items(built.items, look, key=built.name),
    View.STATES: states.show,
    View.TREE: drawn_tree.show,
    View.GRAPH: drawn_graph.show,
    View.TABLES: tables.show,
    View.RANKING: ranking.show,
    View.STEPS: steps.show,
}


def show(built: Built, look: Look) -> None:
    """What it is and what it is for, how much of it there is, and the thing itself."""
    st.markdown(" ".join([f"**{plain(built.name)}**", *([READ] if built.read else [])]))
    st.markdown(plain(built.says))
    if not built.items:
        st.info("There is nothing in it.", icon=":material/inbox:")
        return
    st.caption(in_words(built, look), help=WENT_ON_HELP)
    VIEWS[built.view](built, look)


def in_words(built: Built, look: Look) -> str:
    """How much there is, how much went on and failed, and how much holds the fact."""
    chosen, faults = sum(item.chosen for item in built.items), sum(bool(item.fault) for item in built.items)
    parts = [count(len(built.items), "piece")]
    parts += [count(len(built.links), "link")] if built.links else []
    parts += [f"{chosen:,} went on"] if chosen else []
    parts += (
        [f"{faults:,} {'ended in an error' if built.view is View.STEPS else 'could not be made'}"] if faults else []
    )
    if look.fact is not None:
        parts.append(f"the fact stands in {sum(map(look.holds, built.items)):,}")
    return " · ".join(parts)

"""Items with a score, the best first, with those that went on."""

import streamlit as st

from pages.widgets.data import records
from pages.widgets.data.record_list import short
from pages.widgets.methods.items import Look, show_item
from r3con_core.traces import Built, Item

TALL = 12
"""Rows that are seen at once."""


def show(built: Built, look: Look) -> None:
    """The ranking as a table with bars, and the item that is chosen in it."""
    items = sorted(built.items, key=lambda item: -(item.score or 0.0))
    most = max((item.score or 0.0 for item in items), default=0.0) or 1.0
    event = st.dataframe(
        records.arrow([_line(place, item, look) for place, item in enumerate(items, start=1)]),
        key=f"{look.key}-{built.name}-ranking",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=35 * (min(len(items), TALL) + 1) + 3,
        alt="Every item with its score, best first; choose one to read it below",
        column_config={
            "Rank": st.column_config.NumberColumn(width=60),
            "Score": st.column_config.ProgressColumn(format="%.3g", min_value=0.0, max_value=float(most), width=130),
            "Went on": st.column_config.TextColumn(width=80),
            "Fact": st.column_config.TextColumn(width=60),
            "Text": st.column_config.TextColumn(width=420),
        },
    )
    cells = event["selection"]["cells"]
    if cells and cells[0][0] < len(items):
        show_item(items[cells[0][0]], look)
    else:
        st.caption("Choose a row to read it in full.")


def _line(place: int, item: Item, look: Look) -> dict[str, object]:
    fact = {"Fact": "⚑" if look.holds(item) else ""} if look.fact is not None else {}
    return {
        "Rank": place,
        "Score": item.score,
        "Went on": "✓" if item.chosen else "",
        **fact,
        "Item": item.title,
        "Text": short(item.text, 200),
    }

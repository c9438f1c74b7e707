"""What all plotly charts share. Plotly comes with Streamlit and is served from here; nothing is fetched elsewhere."""

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.widgets.data.record_list import short

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"], "scrollZoom": False}
CERTAIN, UNCERTAIN = "certain", "uncertain"
ACCENT = "#c4621b"
"""What is chosen; dark enough on white and light enough on black."""
COLOURS = ("#2a8c9c", "#d9772f", "#8473cf", "#4f9a58", "#c4568a", "#a08f35", "#5b87bd", "#8a8a8a")
"""Told apart on white and on black, and never alone: marks have shapes and names too."""


def letters(text: str, most: int = 60) -> str:
    """`text` for a chart, letter by letter: plotly makes markup and links of tags."""
    return html.escape(short(text, most), quote=False)


def show(
    data: Sequence[Mapping[str, Any]],
    layout: Mapping[str, Any],
    *,
    key: str,
    alt: str,
    on_point: Callable[[Any], None] | None = None,
) -> None:
    """A chart; `on_point` is told the custom data of the point that was pressed."""

    def pressed() -> None:
        points = st.session_state[key]["selection"]["points"]
        told = points[0].get("customdata") if points else None
        if told is not None and on_point is not None:
            on_point(told[0] if isinstance(told, list | tuple) else told)

    shape = {"margin": {"l": 8, "r": 8, "t": 24, "b": 8}, "dragmode": "pan", **layout}
    figure = {"data": list(data), "layout": shape}
    if on_point is None:
        st.plotly_chart(figure, key=key, config=CONFIG, alt=alt)
    else:
        st.plotly_chart(figure, key=key, config=CONFIG, alt=alt, on_select=pressed, selection_mode="points")

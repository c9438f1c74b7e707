"""Items joined by links, placed by attraction and repulsion; the same as a table."""

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.data import records
from pages.widgets.methods import drawing
from pages.widgets.methods.drawing import Picture
from pages.widgets.methods.items import Look, label_of
from pages.widgets.words import count
from r3con_core.traces import Built, Item, Link
from r3con_core.views.graphs import Edge, Graph, Node, place_nodes

MOST_DRAWN, MOST_LINKS, MOST_ROWS = 150, 500, 5_000
ROW_OF_SINGLES = 30
"""Pieces without a link stand below the others, so many in a row."""


def show(built: Built, look: Look) -> None:
    """The graph, or of a large one what went on and what has most links; and all links as a table."""
    items = most_telling(built, look)
    there = {item.id for item in items}
    links = sorted(
        (link for link in built.links if link.source in there and link.target in there), key=lambda link: -link.weight
    )[:MOST_LINKS]
    if len(items) < len(built.items):
        st.caption(
            f"{len(items):,} of {count(len(built.items), 'piece')} are drawn: those that hold the fact, went on, "
            "score highest or have most links."
        )
    places = places_of(tuple(item.id for item in items), tuple((link.source, link.target) for link in links))
    drawing.show(Picture(items=items, links=links, places=places), look, key=built.name, height=460)
    with st.expander(f"The same as a table: {count(len(built.links), 'link')}", icon=":material/table_rows:"):
        names = {item.id: label_of(item, 80) for item in built.items}
        st.dataframe(
            records.arrow([_row(link, names) for link in built.links[:MOST_ROWS]]),
            hide_index=True,
            alt="Every link",
            key=f"{look.key}-{built.name}-links",
        )


def most_telling(built: Built, look: Look) -> list[Item]:
    """At most so many as can be drawn, in their order."""
    if len(built.items) <= MOST_DRAWN:
        return list(built.items)
    degrees = Counter(end for link in built.links for end in (link.source, link.target))

    def rank(item: Item) -> tuple[bool, bool, float, int]:
        return (not look.holds(item), not item.chosen, -(item.score or 0.0), -degrees[item.id])

    kept = {item.id for item in sorted(built.items, key=rank)[:MOST_DRAWN]}
    return [item for item in built.items if item.id in kept]


@st.cache_data(max_entries=24, show_spinner="Placing what is drawn")
def places_of(ids: Sequence[str], ends: Sequence[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Where each stands, y down: linked ones by attraction and repulsion, those without a link in rows below them.

    Attraction holds no single one: it would drift far away, and the others be drawn tiny to have it in the picture.
    """
    linked = {end for pair in ends if pair[0] != pair[1] for end in pair}
    nodes = tuple(Node(id=one, type="", label=one) for one in ids if one in linked)
    edges = tuple(Edge(source=source, target=target, field="", record_ids=()) for source, target in ends)
    places = place_nodes(Graph(nodes=nodes, edges=tuple(edge for edge in edges if edge.source in linked)))
    return places | _rows_below(places, [one for one in ids if one not in linked])


def _rows_below(places: Mapping[str, tuple[float, float]], singles: Sequence[str]) -> dict[str, tuple[float, float]]:
    across, down = [x for x, _ in places.values()] or [0.0], [y for _, y in places.values()] or [0.0]
    width = (max(across) - min(across)) or float(len(singles))
    step = width / min(max(len(singles), 1), ROW_OF_SINGLES)
    return {
        one: (
            min(across) + (at % ROW_OF_SINGLES + 0.5) * step,
            max(down) + (at // ROW_OF_SINGLES + 1) * width / ROW_OF_SINGLES,
        )
        for at, one in enumerate(singles)
    }


def _row(link: Link, names: dict[str, str]) -> dict[str, object]:
    return {
        "From": names.get(link.source, link.source),
        "How": link.label,
        "To": names.get(link.target, link.target),
        "Weight": link.weight,
    }

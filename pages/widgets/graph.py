"""The graph that reference fields make of the records: to pan, zoom and click, and the same as a list of links."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.widgets import evidence
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from pages.widgets.words import count
from r3con_core.graphs import Edge, Graph, Node, build_graph, keep_linked, place_nodes
from r3con_core.records import Record
from r3con_core.store.answers import load_places, save_places
from r3con_core.store.project import Project
from r3con_core.tables import weakest_proof

MOST_NODES = 300
"""Drawn at once; ECharts pans 500 nodes at 30 frames a second, and people read fewer."""
MOST_NAMED_EDGES = 40
"""Links that have their field's name beside them all the time; with more it shows on pointing."""
MOST_LABELS = 60
"""Things that have their name beside them all the time."""
SHAPES = ("circle", "rect", "triangle", "diamond", "roundRect", "pin")
"""One for each record type, so that colour is not alone in telling them apart."""
WIDTH, HEIGHT = 680, 320
"""Of the drawing within its margins; other windows keep its proportions."""
_PALE = {"opacity": 0.45, "borderColor": "#808080", "borderWidth": 2, "borderType": "dashed"}
"""How a thing is drawn that is only named; on any ground."""
_NODE = "graph-node"


def show(project: Project, run_id: str, found: Found) -> None:
    """The graph, what was chosen in it, and the links as a table."""
    if not any(found.data.schema.references()):
        st.info(
            "No field of this schema refers to another record type, so the records make no graph. "
            "To get one, give a field the kind 'refers to' on the Schema page and parse again.",
            icon=":material/hub:",
        )
        return
    with_aside = st.toggle("With records that are set aside", key="graph-aside", help=evidence.ASIDE_HELP)
    records = tuple(record for record in found.data.records if with_aside or not record.set_aside)
    whole = build_graph(replace(found.data, records=records))
    graph = keep_linked(whole, MOST_NODES)
    if not graph.edges:
        st.info("No record refers to another one here.", icon=":material/hub:")
        return
    _say_what_is_shown(whole, graph)
    _draw(project, run_id, graph)
    node = _choose(graph)
    if node is not None:
        _show_node(found, graph, node)
    with st.expander(f"The same as a table: {count(len(graph.edges), 'link')}", icon=":material/table_rows:"):
        _show_links(found, graph)


def _say_what_is_shown(whole: Graph, graph: Graph) -> None:
    degrees = whole.degrees()
    lone = sum(not degrees[node.id] for node in whole.nodes)
    hidden = len(whole.nodes) - len(graph.nodes) - lone
    told = [f"{count(len(graph.nodes), 'thing')} and {count(len(graph.edges), 'link')}."]
    if lone:
        told.append(f"{count(lone, 'thing')} without a link {'is' if lone == 1 else 'are'} not drawn.")
    if hidden:
        told.append(f"The {len(graph.nodes):,} with the most links are drawn, {hidden:,} others are not.")
    told.append(
        "Drag to move, scroll to zoom, click a thing to see its records. "
        "Pale with a dashed edge: only named, no record tells of it."
    )
    st.caption(" ".join(told))


def _draw(project: Project, run_id: str, graph: Graph) -> None:
    places = load_places(project, run_id)
    if places.keys() != {node.id for node in graph.nodes}:
        places = place_nodes(graph)
        save_places(project, run_id, places)
    key = f"graph-{len(graph.nodes)}-{len(graph.edges)}"

    def clicked() -> None:
        for group in st.session_state[key]["selection"]["selected"]:
            if group["data_type"] == "node" and group["data_indices"]:
                st.session_state[_NODE] = graph.nodes[group["data_indices"][0]].id

    st.echarts_chart(
        chart(graph, places),
        key=key,
        height=400,
        on_select=clicked,
        alt=f"Graph of {len(graph.nodes)} things and {len(graph.edges)} links; the table below says the same",
    )


def chart(graph: Graph, places: Mapping[str, tuple[float, float]]) -> dict[str, object]:
    """The graph as ECharts draws it."""
    types = list(dict.fromkeys(node.type for node in graph.nodes))
    shapes = {name: SHAPES[at % len(SHAPES)] for at, name in enumerate(types)}
    degrees = graph.degrees()
    spread = spread_out(places)
    return {
        "animation": False,
        "tooltip": {"formatter": "{b}"},
        "legend": {"data": [{"name": name, "icon": shapes[name]} for name in types], "top": 0},
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "preserveAspect": True,
                "top": 50,
                "bottom": 30,
                "left": 70,
                "right": 70,
                "roam": True,
                "selectedMode": "single",
                "categories": [{"name": name, "symbol": shapes[name]} for name in types],
                "data": [
                    {
                        "id": node.id,
                        "name": _short(node.label, 60),
                        "x": spread[node.id][0],
                        "y": spread[node.id][1],
                        "category": types.index(node.type),
                        "symbol": shapes[node.type],
                        "symbolSize": _size(degrees[node.id], crowded=len(graph.nodes) > MOST_LABELS),
                        "itemStyle": _PALE if node.named_only else {},
                        "label": {"formatter": _short(node.label, 26)},
                    }
                    for node in graph.nodes
                ],
                "links": [_link(edge, named=len(graph.edges) <= MOST_NAMED_EDGES) for edge in graph.edges],
                "label": {"show": len(graph.nodes) <= MOST_LABELS, "position": "bottom", "fontSize": 12},
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 8,
                "lineStyle": {"width": 1.5, "opacity": 0.7},
                "emphasis": {"focus": "adjacency", "label": {"show": True}},
                "select": {"itemStyle": {"borderWidth": 4, "borderColor": "#c4621b"}, "label": {"show": True}},
            }
        ],
    }


def spread_out(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Places stretched to the picture's own proportions, which waste no room."""
    (left, right), (top, bottom) = ((min(along), max(along)) for along in zip(*places.values(), strict=True))
    width, height = right - left or 1.0, bottom - top or 1.0
    return {node: ((x - left) / width * WIDTH, (y - top) / height * HEIGHT) for node, (x, y) in places.items()}


def _link(edge: Edge, *, named: bool) -> dict[str, object]:
    more = f" ×{len(edge.record_ids)}" if len(edge.record_ids) > 1 else ""
    return {
        "source": edge.source,
        "target": edge.target,
        "name": edge.field,
        "label": {"show": named, "formatter": f"{edge.field}{more}", "fontSize": 11},
        "lineStyle": {"width": min(1 + len(edge.record_ids) / 2, 5)},
    }


def _size(links: int, *, crowded: bool) -> int:
    return min(9 + links, 22) if crowded else min(14 + 3 * links, 42)


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _choose(graph: Graph) -> Node | None:
    """The chosen thing; for those who do not click in pictures, from a list."""
    nodes = {node.id: node for node in sorted(graph.nodes, key=lambda node: (node.type, node.label.casefold()))}
    if st.session_state.get(_NODE) not in nodes:
        st.session_state[_NODE] = None
    chosen = st.selectbox(
        "Look at",
        list(nodes),
        index=None,
        format_func=lambda node_id: f"{_short(nodes[node_id].label, 70)} ({nodes[node_id].type})",
        key=_NODE,
        placeholder="Click a thing above, or choose it here",
    )
    return nodes.get(chosen) if chosen else None


def _show_node(found: Found, graph: Graph, node: Node) -> None:
    naming = [edge for edge in graph.edges if edge.target == node.id]
    if node.named_only:
        st.markdown(f"No record tells of **{plain(node.label)}**; it is only named by others.")
    else:
        told = count(len(node.record_ids), "record")
        st.markdown(f"{told} {'tells' if len(node.record_ids) == 1 else 'tell'} of **{plain(node.label)}**:")
        _record_buttons(found, node.record_ids, "own")
    if naming:
        st.markdown("Named by:")
        _record_buttons(found, tuple(dict.fromkeys(i for edge in naming for i in edge.record_ids)), "naming")


def _record_buttons(found: Found, record_ids: Sequence[str], part: str) -> None:
    with st.container(horizontal=True, gap="xsmall"):
        for record_id in record_ids[:40]:
            record = found.data.get(record_id)
            st.button(
                f"{found.data.label(record_id)} {_name(record, found)}",
                key=f"graph-{part}-{record_id}",
                icon=LOOKS[weakest_proof(record)].icon,
                on_click=evidence.show_record,
                args=(record_id,),
            )
        if len(record_ids) > 40:
            st.caption(f"and {len(record_ids) - 40:,} more; the tables have them all")


def _name(record: Record, found: Found) -> str:
    value = record.values.get(found.data.schema.get(record.type).label)
    return plain(_short(str(value), 40)) if value is not None else plain(record.type)


def _show_links(found: Found, graph: Graph) -> None:
    names = {node.id: node for node in graph.nodes}
    lines = [
        {
            "From": names[edge.source].label,
            "Type": names[edge.source].type,
            "Field": edge.field,
            "To": names[edge.target].label,
            "Type of that": names[edge.target].type + (" (only named)" if names[edge.target].named_only else ""),
            "Records": ", ".join(map(found.data.label, edge.record_ids)),
        }
        for edge in graph.edges
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True, alt="Every link of the graph with the records that state it")

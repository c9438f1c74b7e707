"""The graph of what records name: to pan, zoom and click, to filter, with communities and paths, and as a table."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from pages.widgets.data import graph_filters, graph_paths, record_list, records
from pages.widgets.data.graph_chart import Look, chart
from pages.widgets.data.record_list import short
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.exports.graphml import graphml
from r3con_core.runs import Run
from r3con_core.store.answers import load_places, save_places
from r3con_core.store.project import Project
from r3con_core.views.graph_search import GraphFilter, graph_of, narrowed
from r3con_core.views.graphs import (
    Graph,
    Node,
    find_communities,
    keep_linked,
    keep_strongest,
    place_nodes,
    relation_types,
)

MOST_NODES = 500
"""Drawn at once; ECharts pans them at 30 frames a second, and people read fewer."""
MOST_LINKS = 1_500
"""Drawn between them: of more nothing is seen, and the browser stutters."""
BY_TYPE, BY_GROUP = "record type", "community"
COMMUNITY_HELP = (
    "Communities are groups of things with more links among themselves than to others, worked out from the links alone. "
    "They are a hint where to look, not a finding. Each has a number, and the eight largest a colour."
)
_NODE = "graph-node"


def show(project: Project, run: Run, found: Found) -> None:
    """The graph with its filters, a path in it, what was chosen in it, and the links as a table."""
    if not any(found.data.schema.references()):
        st.info(
            "No field of this schema refers to another record type, so the records make no graph. "
            "To get one, give a field the kind 'refers to' on the Schema page and parse again.",
            icon=":material/hub:",
        )
        return
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        kept, links = graph_filters.ask(found)
        colour = _ask_colour()
    whole = _whole(found, kept, links)
    graph = once(found, ("drawn", kept, links), lambda: keep_linked(whole, MOST_NODES))
    with bar:
        _download(found, whole, run)
    if not graph.edges:
        st.info("No record that these filters keep links two things.", icon=":material/hub:")
        return
    _say_what_is_shown(whole, graph)
    picture = st.container()
    node = _choose(graph)
    path = graph_paths.choose(found, whole, graph)
    groups = once(found, ("communities", kept, links), lambda: find_communities(graph)) if colour == BY_GROUP else {}
    look = Look(places=_places(project, run.id, found, graph), communities=groups, path=path)
    with picture:
        _draw(once(found, ("thin", kept, links), lambda: keep_strongest(graph, MOST_LINKS)), look)
    if node is not None:
        _show_node(found, whole, node)
    with st.expander(f"The same as a table: {count(len(graph.edges), 'link')}", icon=":material/table_rows:"):
        st.dataframe(
            once(found, ("links", kept, links, bool(groups)), lambda: records.arrow(_links(found, graph, groups))),
            hide_index=True,
            alt="Every link of the graph with the records that state it",
        )


def _ask_colour() -> str:
    return st.segmented_control(
        "Colour by",
        [BY_TYPE, BY_GROUP],
        default=BY_TYPE,
        required=True,
        key="graph-colour",
        label_visibility="collapsed",
        help=COMMUNITY_HELP,
        persist_state="session",
    )


def _whole(found: Found, kept: GraphFilter, links: frozenset[str]) -> Graph:
    """All that the filter keeps; records are made a graph once, whatever names and links are looked for in it."""
    base = replace(kept, types=frozenset(), fields=frozenset(), words="")
    made = once(found, ("graph", base, links), lambda: graph_of(found.data, base, links))
    return made if base == kept else once(found, ("narrowed", kept, links), lambda: narrowed(made, kept))


def _download(found: Found, whole: Graph, run: Run) -> None:
    st.download_button(
        "GraphML",
        partial(graphml, whole, found.data, dict(found.numbers)),
        f"{run.id}.graphml",
        "application/graphml+xml",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
        help="All things and links that the filters keep, drawn or not, with their records and documents, for Gephi, "
        "yEd, Cytoscape or networkx.",
    )


def _say_what_is_shown(whole: Graph, graph: Graph) -> None:
    degrees = whole.degrees()
    lone = sum(not degrees[node.id] for node in whole.nodes)
    hidden = len(whole.nodes) - len(graph.nodes) - lone
    told = [f"{count(len(graph.nodes), 'thing')} and {count(len(graph.edges), 'link')}."]
    if lone:
        told.append(f"{count(lone, 'thing')} without a link {'is' if lone == 1 else 'are'} not drawn.")
    if hidden:
        told.append(f"The {len(graph.nodes):,} with the most links are drawn, {hidden:,} others are not.")
    if len(graph.edges) > MOST_LINKS:
        told.append(f"Of the links, the {MOST_LINKS:,} with the most records are drawn.")
    told.append(
        "Drag to move, scroll to zoom, point at a link to see what it is, click a thing to see its records. "
        "Pale with a dashed edge: only named, no record tells of it."
    )
    st.caption(" ".join(told))


def _places(project: Project, run_id: str, found: Found, graph: Graph) -> Mapping[str, tuple[float, float]]:
    """Where things stand: as in the run's whole graph, whose places are kept, so that a filter moves nothing."""
    known = once(found, "places", lambda: _whole_places(project, run_id, found))
    if all(node.id in known for node in graph.nodes):
        return {node.id: known[node.id] for node in graph.nodes}
    return once(found, ("places", frozenset(node.id for node in graph.nodes)), lambda: place_nodes(graph))


def _whole_places(project: Project, run_id: str, found: Found) -> dict[str, tuple[float, float]]:
    graph = keep_linked(_whole(found, GraphFilter(), frozenset(relation_types(found.data.schema))), MOST_NODES)
    places = load_places(project, run_id)
    if places.keys() != {node.id for node in graph.nodes}:
        places = place_nodes(graph)
        save_places(project, run_id, places)
    return places


def _draw(graph: Graph, look: Look) -> None:
    key = f"graph-{len(graph.nodes)}-{len(graph.edges)}"

    def clicked() -> None:
        for group in st.session_state[key]["selection"]["selected"]:
            if group["data_type"] == "node" and group["data_indices"]:
                st.session_state[_NODE] = graph.nodes[group["data_indices"][0]].id

    st.echarts_chart(
        chart(graph, look),
        key=key,
        height=400,
        on_select=clicked,
        alt=f"Graph of {len(graph.nodes)} things and {len(graph.edges)} links; the table below says the same",
    )


def _choose(graph: Graph) -> Node | None:
    """The chosen thing; for those who do not click in pictures, from a list."""
    nodes = graph_paths.by_name(graph)
    if st.session_state.get(_NODE) not in nodes:
        st.session_state[_NODE] = None
    chosen = st.selectbox(
        "Look at",
        list(nodes),
        index=None,
        format_func=lambda node_id: graph_paths.told(nodes[node_id]),
        key=_NODE,
        placeholder="Click a thing above, or choose it here",
    )
    return nodes.get(chosen) if chosen else None


def _show_node(found: Found, graph: Graph, node: Node) -> None:
    """The records that tell of a thing, and those that name it."""
    why = dict.fromkeys(node.record_ids, "tells of it")
    for edge in graph.edges:
        if node.id in (edge.source, edge.target):
            for record_id in edge.record_ids:
                why.setdefault(record_id, edge.field)
    if node.named_only:
        st.markdown(f"No record tells of **{plain(node.label)}**; it is only named by {count(len(why), 'record')}:")
    else:
        own = len(node.record_ids)
        told = f"{count(own, 'record')} {'tells' if own == 1 else 'tell'} of **{plain(node.label)}**"
        others = f", {len(why) - own:,} more name it" if len(why) > own else ""
        st.markdown(f"{told}{others}:")
    record_list.show(found, list(why), key="graph-records", why=why)


def _links(found: Found, graph: Graph, groups: Mapping[str, int]) -> list[dict[str, object]]:
    names = {node.id: node for node in graph.nodes}
    return [
        {
            "From": names[edge.source].label,
            "Type": names[edge.source].type,
            "Field": edge.field,
            "To": names[edge.target].label,
            "Type of that": names[edge.target].type + (" (only named)" if names[edge.target].named_only else ""),
            **({"Groups": f"{groups[edge.source]} to {groups[edge.target]}"} if groups else {}),
            "Records": short(", ".join(map(found.data.label, edge.record_ids[:40])), 200),
        }
        for edge in graph.edges
    ]

"""How two names hang together: a shortest path through the graph, each step with its records and quotes."""

from collections.abc import Mapping

import streamlit as st

from pages.widgets.data import record_list
from pages.widgets.data.record_list import short
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from r3con_core.views.graph_search import Hop, find_path
from r3con_core.views.graphs import Edge, Graph, Node

_FROM, _TO = "path-from", "path-to"
PATH_HELP = (
    "The fewest links that lead from one thing to the other, whichever way each link points. Links rest on records; read "
    "their quotes before you conclude anything from the path."
)


def by_name(graph: Graph) -> Mapping[str, Node]:
    """The things of a graph by id, in the order of types and names."""
    return {node.id: node for node in sorted(graph.nodes, key=lambda node: (node.type, node.label.casefold()))}


def told(node: Node) -> str:
    """A thing for a list to choose from."""
    return f"{short(node.label, 70)} ({node.type})"


def choose(found: Found, whole: Graph, drawn: Graph) -> tuple[Hop, ...]:
    """The path between the two things that are chosen; () without one."""
    nodes = by_name(drawn)
    for key in (_FROM, _TO):
        if st.session_state.get(key) not in nodes:
            st.session_state[key] = None
    with st.expander("How do two names hang together?", icon=":material/route:"):
        left, right = st.columns(2)
        ends = [
            column.selectbox(
                label,
                list(nodes),
                index=None,
                format_func=lambda node_id: told(nodes[node_id]),
                key=key,
                placeholder="Choose a name",
                help=PATH_HELP,
            )
            for column, label, key in ((left, "From", _FROM), (right, "To", _TO))
        ]
        source, target = ends
        if source is None or target is None:
            st.caption("Choose two names to see the shortest way from one to the other.")
            return ()
        path = find_path(whole, source, target)
        if path is None:
            st.info("No chain of records that the filters keep links them.", icon=":material/link_off:")
            return ()
        _tell(found, whole, path)
        return path


def _tell(found: Found, whole: Graph, path: tuple[Hop, ...]) -> None:
    """Every step in words, and the records it rests on."""
    if not path:
        st.caption("These are one and the same.")
        return
    names = {node.id: node.label for node in whole.nodes}
    st.caption(f"{count(len(path), 'step')}. Choose a record to see its proof below.")
    for number, hop in enumerate(path, start=1):
        ways = "; ".join(_way(edge, hop) for edge in hop.edges)
        st.markdown(f"{number}. **{plain(names[hop.source])}** and **{plain(names[hop.target])}** ({plain(ways)})")
        records = dict.fromkeys(record_id for edge in hop.edges for record_id in edge.record_ids)
        record_list.show(found, list(records), key=f"path-{number}")


def _way(edge: Edge, hop: Hop) -> str:
    return edge.field if edge.source == hop.source else f"{edge.field}, the other way"

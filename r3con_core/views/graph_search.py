"""What to keep of a graph, and how two of its nodes hang together.

Pure.
"""

from collections import deque
from collections.abc import Set
from dataclasses import dataclass, replace

from r3con_core.records import Certainty, Record, StructuredData
from r3con_core.views.graphs import Edge, Graph, build_graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One step of a path: every link between two nodes, in either direction."""

    source: str
    target: str
    edges: tuple[Edge, ...]


def find_path(graph: Graph, source: str, target: str) -> tuple[Hop, ...] | None:
    """A shortest path from one node to another along links in either direction, the first in data order; None: none.

    () from a node to itself.
    """
    beside: dict[str, dict[str, list[Edge]]] = {}
    for edge in graph.edges:
        beside.setdefault(edge.source, {}).setdefault(edge.target, []).append(edge)
        if edge.source != edge.target:
            beside.setdefault(edge.target, {}).setdefault(edge.source, []).append(edge)
    before: dict[str, str] = {source: source}
    coming = deque([source])
    while coming and target not in before:
        here = coming.popleft()
        for node in beside.get(here, ()):
            if node not in before:
                before[node] = here
                coming.append(node)
    if target not in before:
        return None
    hops = []
    while target != source:
        hops.append(Hop(source=before[target], target=target, edges=tuple(beside[before[target]][target])))
        target = before[target]
    return tuple(reversed(hops))


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFilter:
    """What to keep of a graph; whatever is empty keeps all."""

    types: frozenset[str] = frozenset()
    """Of things."""
    fields: frozenset[str] = frozenset()
    """Of links."""
    documents: frozenset[str] = frozenset()
    """Ids."""
    certainties: frozenset[Certainty] = frozenset()
    words: str = ""
    """Things whose name holds each of them stay, and what they are linked to."""
    with_all: bool = False
    """Records that are set aside, or that people took out, count too."""


def graph_of(data: StructuredData, kept: GraphFilter, as_links: Set[str] = frozenset()) -> Graph:
    """The graph of the records that `kept` keeps; what it says of things and links comes after, with `narrowed`."""
    records = tuple(record for record in data.records if _keeps(kept, record))
    return build_graph(replace(data, records=records), as_links)


def narrowed(graph: Graph, kept: GraphFilter) -> Graph:
    """The things and links that `kept` keeps; no link is without its ends."""
    words = kept.words.casefold().split()
    typed = {node.id for node in graph.nodes if not kept.types or node.type in kept.types}
    named = {n.id for n in graph.nodes if n.id in typed and all(word in n.label.casefold() for word in words)}
    edges = tuple(edge for edge in graph.edges if _fits(edge, kept, typed, named))
    staying = named | {end for edge in edges for end in (edge.source, edge.target)}
    return Graph(nodes=tuple(node for node in graph.nodes if node.id in staying), edges=edges)


def _fits(edge: Edge, kept: GraphFilter, typed: Set[str], named: Set[str]) -> bool:
    ends = {edge.source, edge.target}
    return (not kept.fields or edge.field in kept.fields) and ends <= typed and bool(ends & named)


def _keeps(kept: GraphFilter, record: Record) -> bool:
    return (
        (kept.with_all or record.counts)
        and (not kept.documents or record.document_id in kept.documents)
        and (not kept.certainties or record.certainty in kept.certainties)
    )

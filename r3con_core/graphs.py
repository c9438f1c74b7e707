"""The graph that reference fields make of records: things as nodes, named links as edges, and where they stand.

Pure. A node is what records of one type call by one name; two documents that name the Petrel share her node.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from r3con_core.method.grounding import plain
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, Group, ListOf, Reference

LAYOUT_TURNS = 120
"""Of the layout; 500 nodes take about a second on one core, and later turns move little."""
LAYOUT_SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing that records tell of or name."""

    id: str
    """Made of the record type and the levelled name, so the same in every graph of the same records."""
    type: str
    label: str
    """As the first record writes it."""
    record_ids: tuple[str, ...] = ()
    """The records about it, in data order; empty when other records only name it."""

    @property
    def named_only(self) -> bool:
        """No record is about it; it is only referred to."""
        return not self.record_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One link: the records that state it, by one field."""

    source: str
    target: str
    field: str
    """The path of the reference field, such as "launch" or "goods.owner"."""
    record_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes in data order, those that are only named last; edges in data order."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def get(self, node_id: str) -> Node | None:
        """The node with this id, or None."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def degrees(self) -> Counter[str]:
        """How many edges begin or end at each node that has any."""
        return Counter(end for edge in self.edges for end in (edge.source, edge.target))


def level_name(name: str) -> str:
    """A name for comparison: case, typography, blanks, outer marks and a leading article make no difference."""
    words = plain(name).split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words).strip("\"'.,;:()[] ")


def build_graph(data: StructuredData) -> Graph:
    """All records as nodes, and an edge for every reference they hold. A record without a name is a node by itself."""
    names = {record_type.name: record_type.label for record_type in data.schema.record_types}
    labels: dict[str, Node] = {}
    told: dict[str, list[str]] = {}
    links: dict[tuple[str, str, str], dict[str, None]] = {}
    node_of: dict[str, str] = {}
    for record in data.records:
        value = record.values.get(names[record.type])
        name = "" if value is None else str(value)
        level = level_name(name)
        identity = f"{record.type}: {level or record.id}"
        node_of[record.id] = identity
        label = name if level else f"{record.type} without a name"
        labels.setdefault(identity, Node(id=identity, type=record.type, label=label))
        told.setdefault(identity, []).append(record.id)
    for record in data.records:
        for field, target_type, name in references(record, data):
            target = f"{target_type}: {level_name(name)}"
            labels.setdefault(target, Node(id=target, type=target_type, label=name))
            links.setdefault((node_of[record.id], target, field), {})[record.id] = None
    return Graph(
        nodes=tuple(replace(node, record_ids=tuple(told.get(node.id, ()))) for node in labels.values()),
        edges=tuple(
            Edge(source=source, target=target, field=field, record_ids=tuple(records))
            for (source, target, field), records in links.items()
        ),
    )


def references(record: Record, data: StructuredData) -> Iterator[tuple[str, str, str]]:
    """Every reference that a record holds: the field's path, the record type meant, the name written."""
    yield from _references(data.schema.get(record.type).fields, record.values, "")


def _references(fields: tuple[Field, ...], values: Mapping[str, Value], above: str) -> Iterator[tuple[str, str, str]]:
    for field in fields:
        value = values.get(field.name)
        kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
        for item in value if isinstance(value, list) else [value]:
            if isinstance(kind, Group) and isinstance(item, dict):
                yield from _references(kind.fields, item, f"{above}{field.name}.")
            elif isinstance(kind, Reference) and item is not None and level_name(str(item)):
                yield f"{above}{field.name}", kind.record_type, str(item)


def keep_linked(graph: Graph, limit: int) -> Graph:
    """At most `limit` nodes, each with a link to another of them: those of the most linked first; the edges between."""
    degrees = graph.degrees()
    kept: set[str] = set()
    for edge in sorted(graph.edges, key=lambda edge: -degrees[edge.source] - degrees[edge.target]):
        ends = {edge.source, edge.target} - kept
        if len(kept) + len(ends) <= limit:
            kept |= ends
    return Graph(
        nodes=tuple(node for node in graph.nodes if node.id in kept),
        edges=tuple(edge for edge in graph.edges if edge.source in kept and edge.target in kept),
    )


def place_nodes(graph: Graph) -> dict[str, tuple[float, float]]:
    """Where each node stands, by attraction and repulsion; the same for the same graph."""
    import networkx as nx

    drawn = nx.Graph()
    drawn.add_nodes_from(node.id for node in graph.nodes)
    drawn.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    if len(drawn) < 2:
        return dict.fromkeys(drawn, (0.0, 0.0))
    places = nx.forceatlas2_layout(drawn, max_iter=LAYOUT_TURNS, seed=LAYOUT_SEED)  # type: ignore[misc]  # its stubs
    return {node: (float(x), float(y)) for node, (x, y) in places.items()}

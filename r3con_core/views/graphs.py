"""The graph that reference fields make of records: things as nodes, named links as edges, and where they stand.

Pure. A node is what records of one type call by one name; two documents that name the Petrel share her node.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from r3con_core.method.grounding import plain
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, Group, ListOf, Reference, Schema, walk_fields

if TYPE_CHECKING:
    import networkx as nx

LAYOUT_TURNS = 120
"""Of the layout; 500 nodes take about a second on one core, and later turns move little."""
LAYOUT_SEED = 7
SEVERAL = 2
"""Things that a record must name to tell how they hang together."""


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


@lru_cache(maxsize=100_000)
def level_name(name: str) -> str:
    """A name for comparison: case, typography, blanks, outer marks and a leading article make no difference."""
    words = plain(name).split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    return " ".join(words).strip("\"'.,;:()[] \u201c\u201d\u201e\u2018\u2019\u00ab\u00bb")


def relation_types(schema: Schema) -> tuple[str, ...]:
    """Record types that tell how things hang together: they name two or more others, and no field refers to them."""
    named = {reference.record_type for _, reference in schema.references()}
    most = {t.name: sum(_most_names(field) for _, field in walk_fields(t.fields)) for t in schema.record_types}
    return tuple(name for name, count in most.items() if count >= SEVERAL and name not in named)


def _most_names(field: Field) -> int:
    """How many things one record names in this field, where a list counts as two."""
    match field.kind:
        case Reference():
            return 1
        case ListOf(item=Reference()):
            return SEVERAL
        case _:
            return 0


def build_graph(data: StructuredData, as_links: Set[str] = frozenset()) -> Graph:
    """All records as nodes, and an edge for every reference they hold. A record without a name is a node by itself.

    A record of a type in `as_links` that names two things or more is no node: it links the first of them to the others.
    """
    making = _Making()
    named = {record.id: _names_in(record, data) for record in data.records}
    links = {i for i, names in named.items() if len(names) >= SEVERAL and data.get(i).type in as_links}
    label_of = {record_type.name: record_type.label for record_type in data.schema.record_types}
    node_of = {r.id: making.tell(r, r.values.get(label_of[r.type])) for r in data.records if r.id not in links}
    for record in data.records:
        ends = [(making.name(kind, name), field) for field, kind, name in named[record.id]]
        if record.id in node_of:
            for target, field in ends:
                making.link((node_of[record.id], target, field), record.id)
        else:
            (source, begin), *others = ends
            for target, field in others:
                making.link((source, target, f"{record.type}: {begin} to {field}"), record.id)
    return making.graph()


def _names_in(record: Record, data: StructuredData) -> list[tuple[str, str, str]]:
    """Its references, each thing once and by its first field."""
    found = {(kind, level_name(name), field): (field, kind, name) for field, kind, name in references(record, data)}
    return list(found.values())


@dataclass(slots=True)
class _Making:
    """A graph as it grows."""

    nodes: dict[str, Node] = field(default_factory=dict)
    told: dict[str, list[str]] = field(default_factory=dict)
    links: dict[tuple[str, str, str], dict[str, None]] = field(default_factory=dict)

    def tell(self, record: Record, value: Value) -> str:
        """The node that a record tells of."""
        name = "" if value is None else str(value)
        level = level_name(name)
        identity = f"{record.type}: {level or record.id}"
        label = name if level else f"{record.type} without a name"
        self.nodes.setdefault(identity, Node(id=identity, type=record.type, label=label))
        self.told.setdefault(identity, []).append(record.id)
        return identity

    def name(self, kind: str, name: str) -> str:
        """The node of a thing that a record names."""
        identity = f"{kind}: {level_name(name)}"
        self.nodes.setdefault(identity, Node(id=identity, type=kind, label=name))
        return identity

    def link(self, link: tuple[str, str, str], record_id: str) -> None:
        """One record states a link: source, target, field."""
        self.links.setdefault(link, {})[record_id] = None

    def graph(self) -> Graph:
        """What it has come to."""
        return Graph(
            nodes=tuple(replace(node, record_ids=tuple(self.told.get(node.id, ()))) for node in self.nodes.values()),
            edges=tuple(
                Edge(source=source, target=target, field=field, record_ids=tuple(records))
                for (source, target, field), records in self.links.items()
            ),
        )


def references(record: Record, data: StructuredData) -> Iterator[tuple[str, str, str]]:
    """Every reference that a record holds: the field's path, the record type meant, the name written."""
    yield from _references(data.schema.get(record.type).fields, record.values, "")


def _references(fields: tuple[Field, ...], values: Mapping[str, Value], above: str) -> Iterator[tuple[str, str, str]]:
    for one in fields:
        value = values.get(one.name)
        kind = one.kind.item if isinstance(one.kind, ListOf) else one.kind
        for item in value if isinstance(value, list) else [value]:
            if isinstance(kind, Group) and isinstance(item, dict):
                yield from _references(kind.fields, item, f"{above}{one.name}.")
            elif isinstance(kind, Reference) and item is not None and level_name(str(item)):
                yield f"{above}{one.name}", kind.record_type, str(item)


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


def keep_strongest(graph: Graph, limit: int) -> Graph:
    """All nodes, and of the edges the one with most records of each node and the strongest others up to `limit`."""
    order = sorted(range(len(graph.edges)), key=lambda at: -len(graph.edges[at].record_ids))
    kept: set[int] = set()
    seen: set[str] = set()
    for at in order:
        ends = {graph.edges[at].source, graph.edges[at].target}
        if not ends <= seen:
            kept.add(at)
            seen |= ends
    others = [at for at in order if at not in kept]
    kept.update(others[: max(0, limit - len(kept))])
    return Graph(nodes=graph.nodes, edges=tuple(edge for at, edge in enumerate(graph.edges) if at in kept))


def place_nodes(graph: Graph) -> dict[str, tuple[float, float]]:
    """Where each node stands, by attraction and repulsion; the same for the same graph."""
    import networkx as nx

    drawn = _drawn(graph)
    if len(drawn) < SEVERAL:
        return {node.id: (0.0, 0.0) for node in graph.nodes}
    places = nx.forceatlas2_layout(drawn, max_iter=LAYOUT_TURNS, seed=LAYOUT_SEED)  # type: ignore[misc]  # its stubs
    return {node.id: (float(places[at][0]), float(places[at][1])) for at, node in enumerate(graph.nodes)}


def find_communities(graph: Graph) -> dict[str, int]:
    """Node -> the number of its community, a group with more links within than to others; 1 is the largest.

    Louvain's method with a fixed seed, so that the same graph has the same communities each time.
    """
    import networkx as nx

    found = nx.community.louvain_communities(_drawn(graph), seed=LAYOUT_SEED) if graph.nodes else []
    groups = sorted((sorted(group) for group in found), key=lambda group: (-len(group), group[0]))
    return {graph.nodes[at].id: number for number, group in enumerate(groups, start=1) for at in group}


def _drawn(graph: Graph) -> "nx.Graph":
    """Nodes by their place: numbers, unlike texts, have the same order in sets in every process."""
    import networkx as nx

    at = {node.id: place for place, node in enumerate(graph.nodes)}
    drawn = nx.Graph()
    drawn.add_nodes_from(at.values())
    drawn.add_edges_from((at[edge.source], at[edge.target]) for edge in graph.edges if edge.source != edge.target)
    return drawn

"""Relations as links, communities, shortest paths, filters, and the graph as GraphML."""

from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.exports.graphml import as_networkx, graphml
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.schemas import Field, ListOf, RecordType, Reference, Scalar, Schema
from r3con_core.views.graph_search import GraphFilter, Hop, find_path, graph_of, narrowed
from r3con_core.views.graphs import Edge, Graph, Node, build_graph, find_communities, relation_types

PERSON = Reference(record_type="Person")
SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Payment",
            meaning="",
            fields=(
                Field(name="what", meaning="", kind=Scalar()),
                Field(name="payer", meaning="", kind=PERSON),
                Field(name="payee", meaning="", kind=PERSON),
            ),
        ),
        RecordType(
            name="Meeting",
            meaning="",
            fields=(
                Field(name="what", meaning="", kind=Scalar()),
                Field(name="people", meaning="", kind=ListOf(item=PERSON)),
            ),
        ),
        RecordType(
            name="Person",
            meaning="",
            fields=(Field(name="name", meaning="", kind=Scalar()), Field(name="boss", meaning="", kind=PERSON)),
        ),
    )
)


def record(identity: str, record_type: str, document: str = "doc-1", **values: Value) -> Record:
    quote = Grounded(quote="q", document_id=document, span=Span(start=0, end=1), match=Match.EXACT)
    return Record(id=identity, type=record_type, document_id=document, values=values, evidence=(quote,))


def data(*records: Record) -> StructuredData:
    return StructuredData(schema=SCHEMA, records=records)


def test_types_that_name_two_others_and_are_not_named_are_relations() -> None:
    assert relation_types(SCHEMA) == ("Payment", "Meeting")


def test_a_relation_links_the_first_thing_it_names_to_the_others() -> None:
    found = data(
        record("a", "Payment", what="p", payer="Ada", payee="Ben"),
        record("b", "Meeting", what="m", people=["Ada", "Cleo", "the Ada"]),
        record("c", "Payment", what="half told", payer="Ben", payee=None),
    )
    graph = build_graph(found, frozenset({"Payment", "Meeting"}))
    assert [(edge.source, edge.target, edge.field, edge.record_ids) for edge in graph.edges] == [
        ("Person: ada", "Person: ben", "Payment: payer to payee", ("a",)),
        ("Person: ada", "Person: cleo", "Meeting: people to people", ("b",)),
        ("Payment: half told", "Person: ben", "payer", ("c",)),
    ]


def ring(*groups: int) -> Graph:
    """Groups in which all are linked, in a row by one link each."""
    nodes = [f"{group}-{at}" for group, size in enumerate(groups) for at in range(size)]
    pairs = [(a, b) for a in nodes for b in nodes if a < b and a.split("-")[0] == b.split("-")[0]]
    pairs += [(f"{group}-0", f"{group + 1}-0") for group in range(len(groups) - 1)]
    return Graph(
        nodes=tuple(Node(id=one, type="T", label=one, record_ids=(one,)) for one in nodes),
        edges=tuple(Edge(source=a, target=b, field="f", record_ids=(a,)) for a, b in pairs),
    )


def test_communities_are_numbered_by_size_and_the_same_each_time() -> None:
    graph = ring(4, 6, 5)
    found = find_communities(graph)
    assert found == find_communities(graph)
    assert {node: number for node, number in found.items() if node.endswith("-1")} == {"1-1": 1, "2-1": 2, "0-1": 3}
    assert find_communities(Graph(nodes=(), edges=())) == {}


def test_a_path_tells_every_link_of_each_of_its_steps() -> None:
    there = Edge(source="1", target="2", field="f", record_ids=("a",))
    back = Edge(source="2", target="1", field="g", record_ids=("b",))
    on = Edge(source="3", target="2", field="f", record_ids=("c",))
    graph = Graph(nodes=tuple(Node(id=i, type="T", label=i) for i in "1234"), edges=(there, back, on))
    assert find_path(graph, "1", "3") == (
        Hop(source="1", target="2", edges=(there, back)),
        Hop(source="2", target="3", edges=(on,)),
    )
    assert find_path(graph, "1", "4") is None
    assert find_path(graph, "1", "1") == ()


graphs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14).map(
    lambda pairs: Graph(
        nodes=tuple(Node(id=str(i), type="T" if i % 2 else "U", label=f"n{i}", record_ids=(str(i),)) for i in range(8)),
        edges=tuple(
            Edge(source=str(a), target=str(b), field=f"f{a % 2}", record_ids=(f"{at}",))
            for at, (a, b) in enumerate(dict.fromkeys(pairs))
        ),
    )
)


@given(graphs, st.integers(0, 7), st.integers(0, 7))
def test_no_path_is_shorter(graph: Graph, source: int, target: int) -> None:
    whole = nx.Graph()
    whole.add_nodes_from(node.id for node in graph.nodes)
    whole.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    path = find_path(graph, str(source), str(target))
    if path is None:
        assert str(target) not in nx.single_source_shortest_path_length(whole, str(source))
        return
    assert len(path) == nx.shortest_path_length(whole, str(source), str(target))
    assert [hop.target for hop in path[:-1]] == [hop.source for hop in path[1:]]
    assert all({edge.source, edge.target} == {hop.source, hop.target} for hop in path for edge in hop.edges)


@given(graphs, st.sampled_from(["", "n1", "n2"]), st.sampled_from([frozenset(), frozenset({"T"})]))
def test_what_a_filter_leaves_is_part_of_the_graph_with_both_ends_of_every_link(
    graph: Graph, words: str, types: frozenset[str]
) -> None:
    kept = narrowed(graph, GraphFilter(words=words, types=types))
    ids = {node.id for node in kept.nodes}
    assert set(kept.nodes) <= set(graph.nodes)
    assert set(kept.edges) <= set(graph.edges)
    assert all({edge.source, edge.target} <= ids for edge in kept.edges)


def test_records_that_do_not_count_make_no_graph_unless_asked_for() -> None:
    gone = replace(record("a", "Payment", what="p", payer="Ada", payee="Ben"), standing=Standing.REJECTED)
    found = data(gone)
    assert graph_of(found, GraphFilter(), frozenset({"Payment"})).edges == ()
    assert len(graph_of(found, GraphFilter(with_all=True), frozenset({"Payment"})).edges) == 1


@pytest.mark.parametrize(
    ("kept", "edges"),
    [
        (GraphFilter(documents=frozenset({"doc-2"})), ["Meeting: people to people"]),
        (GraphFilter(certainties=frozenset({Certainty.DENIED})), []),
        (GraphFilter(fields=frozenset({"Payment: payer to payee"})), ["Payment: payer to payee"]),
        (GraphFilter(words="BEN"), ["Payment: payer to payee"]),
    ],
)
def test_a_filter_keeps_what_it_names(kept: GraphFilter, edges: list[str]) -> None:
    found = data(
        record("a", "Payment", what="p", payer="Ada", payee="Ben"),
        record("b", "Meeting", "doc-2", what="m", people=["Ada", "Cleo"]),
    )
    graph = narrowed(graph_of(found, kept, frozenset({"Payment", "Meeting"})), kept)
    assert [edge.field for edge in graph.edges] == edges


def reopened(file: bytes) -> nx.MultiDiGraph:
    made = nx.parse_graphml(file.decode("utf-8"), force_multigraph=True)
    assert isinstance(made, nx.MultiDiGraph)
    return made


def test_graphml_opens_again_as_the_same_graph_and_nothing_in_it_is_markup() -> None:
    found = data(
        record("a", "Payment", what="p", payer='</data><node id="x"/>&amp;<!--', payee="Ben\x00 \r\n]]>"),
        record("b", "Person", "doc-2", name="Ben\x00 \r\n]]>", boss=None),
    )
    graph = build_graph(found, frozenset({"Payment"}))
    numbers = {"doc-1": 1, "doc-2": 2}
    made = as_networkx(graph, found, numbers)
    back = reopened(graphml(graph, found, numbers))
    assert dict(back.nodes(data=True)) == dict(made.nodes(data=True))
    assert list(back.edges(keys=True, data=True)) == list(made.edges(keys=True, data=True))
    assert [node["label"] for _, node in back.nodes(data=True)] == [
        "Ben\ufffd  \n]]>",
        '</data><node id="x"/>&amp;<!--',
    ]
    assert [(edge["records"], edge["documents"]) for *_, edge in back.edges(data=True)] == [("R1", "1")]


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_any_names_survive_graphml_but_for_letters_that_xml_cannot_hold(names: list[str]) -> None:
    found = data(*(record(str(at), "Person", name=name, boss="Ada") for at, name in enumerate(names)))
    graph = build_graph(found)
    made = as_networkx(graph, found, {"doc-1": 1})
    back = reopened(graphml(graph, found, {"doc-1": 1}))
    assert sorted(back.nodes) == sorted(made.nodes)
    assert sorted((a, b) for a, b in back.edges()) == sorted((a, b) for a, b in made.edges())
    assert {i: node.get("label", "") for i, node in back.nodes(data=True)} == dict(made.nodes(data="label"))

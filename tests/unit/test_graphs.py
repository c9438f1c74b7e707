"""The graph that reference fields make: what is one thing, what links to what, and that it always looks the same."""

import math

import pytest

from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, Group, ListOf, RecordType, Reference, Scalar, Schema
from r3con_core.views.graphs import Edge, Graph, Node, build_graph, keep_linked, keep_strongest, level_name, place_nodes


def field(name: str, kind: object = Scalar()) -> Field:
    return Field(name=name, meaning="", kind=kind)  # type: ignore[arg-type]


SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Landing",
            meaning="one landing",
            fields=(
                field("what"),
                field("launch", Reference(record_type="Launch")),
                field("crew", ListOf(item=Reference(record_type="Person"))),
                field(
                    "goods", ListOf(item=Group(fields=(field("kind"), field("owner", Reference(record_type="Person")))))
                ),
            ),
        ),
        RecordType(name="Launch", meaning="one launch", fields=(field("name"),)),
        RecordType(name="Person", meaning="one person", fields=(field("name"),)),
    )
)


def record(identity: str, record_type: str, **values: Value) -> Record:
    quote = Grounded(quote="q", document_id="doc-1", span=Span(start=0, end=1), match=Match.EXACT)
    return Record(id=identity, type=record_type, document_id="doc-1", values=values, evidence=(quote,))


def graph_of(*records: Record) -> Graph:
    return build_graph(StructuredData(schema=SCHEMA, records=records))


def test_records_that_share_a_name_are_one_node() -> None:
    graph = graph_of(record("a", "Launch", name="The  Petrel"), record("b", "Launch", name="PETREL."))
    assert graph == Graph(
        nodes=(Node(id="Launch: petrel", type="Launch", label="The  Petrel", record_ids=("a", "b")),), edges=()
    )


def test_a_name_without_a_record_is_a_node_that_is_only_named() -> None:
    graph = graph_of(record("a", "Landing", what="a landing", launch="Petrel"))
    assert [(node.id, node.named_only) for node in graph.nodes] == [
        ("Landing: a landing", False),
        ("Launch: petrel", True),
    ]
    assert graph.edges == (
        Edge(source="Landing: a landing", target="Launch: petrel", field="launch", record_ids=("a",)),
    )


def test_references_in_lists_and_groups_are_edges_with_their_path() -> None:
    landing = record(
        "a",
        "Landing",
        what="a landing",
        launch=None,
        crew=["Ida Sorrel", "Mr. Quill"],
        goods=[{"kind": "lamp glass", "owner": "Josiah Venn"}, {"kind": "tea", "owner": None}],
    )
    assert [(edge.target, edge.field) for edge in graph_of(landing).edges] == [
        ("Person: ida sorrel", "crew"),
        ("Person: mr. quill", "crew"),
        ("Person: josiah venn", "goods.owner"),
    ]


def test_an_edge_names_every_record_that_states_it() -> None:
    same = {"what": "a landing", "launch": "Petrel"}
    (edge,) = graph_of(record("a", "Landing", **same), record("b", "Landing", **same)).edges
    assert edge.record_ids == ("a", "b")


def test_records_without_a_name_stay_apart() -> None:
    graph = graph_of(record("a", "Launch", name=None), record("b", "Launch", name=" "))
    assert [(node.label, node.record_ids) for node in graph.nodes] == [
        ("Launch without a name", ("a",)),
        ("Launch without a name", ("b",)),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [("the Petrel", "Petrel"), ("“Petrel”", "petrel"), ("O’Hara", "O'HARA"), ("Große  Straße", "grosse strasse")],
)
def test_names_that_differ_in_writing_only_are_equal(one: str, other: str) -> None:
    assert level_name(one.replace("“", '"').replace("”", '"')) == level_name(other)


def test_an_article_alone_is_a_name() -> None:
    assert level_name("The") == "the"


def star(count: int) -> Graph:
    nodes = tuple(Node(id=f"n{i}", type="T", label=f"n{i}", record_ids=(str(i),)) for i in range(count))
    edges = tuple(Edge(source=f"n{i}", target="n0", field="f", record_ids=(str(i),)) for i in range(1, count - 1))
    return Graph(nodes=nodes, edges=edges)


def test_only_linked_nodes_are_kept_and_the_most_linked_first() -> None:
    kept = keep_linked(star(6), limit=3)
    assert [node.id for node in kept.nodes] == ["n0", "n1", "n2"]
    assert [edge.source for edge in kept.edges] == ["n1", "n2"]
    assert len(keep_linked(star(6), limit=100).nodes) == 5


def test_no_node_is_kept_without_the_other_end_of_a_link() -> None:
    far = tuple(Node(id=name, type="T", label=name, record_ids=(name,)) for name in ("a", "b"))
    pair = Edge(source="a", target="b", field="f", record_ids=("a",))
    graph = Graph(nodes=(*far, *star(6).nodes), edges=(pair, *star(6).edges))
    assert [node.id for node in keep_linked(graph, limit=6).nodes] == ["n0", "n1", "n2", "n3", "n4"]


def test_of_many_links_the_strongest_stay_and_no_node_loses_its_last_one() -> None:
    nodes = tuple(Node(id=name, type="T", label=name, record_ids=(name,)) for name in "abcd")
    weights = {("a", "b"): 9, ("a", "c"): 5, ("b", "c"): 7, ("c", "d"): 1, ("d", "a"): 2}
    edges = tuple(
        Edge(source=a, target=b, field="f", record_ids=tuple(map(str, range(weight))))
        for (a, b), weight in weights.items()
    )
    kept = [edge.source + edge.target for edge in keep_strongest(Graph(nodes=nodes, edges=edges), limit=4).edges]
    assert kept == ["ab", "ac", "bc", "da"]
    assert len(keep_strongest(star(6), limit=1).edges) == 4


def test_a_layout_is_the_same_each_time_and_every_node_has_its_own_place() -> None:
    graph = star(30)
    places = place_nodes(graph)
    assert places == place_nodes(graph)
    assert len(set(places.values())) == 30
    assert all(math.isfinite(x) and math.isfinite(y) for x, y in places.values())


@pytest.mark.parametrize("count", [0, 1, 2])
def test_small_graphs_have_a_layout(count: int) -> None:
    assert len(place_nodes(star(count))) == count

import networkx as nx
import numpy as np
import pytest

from r3con_core.embedding import WordVectors
from r3con_core.methods.ranking import above, best, name_floor, near_pairs, page_rank, question_floor, stretched


def weighted() -> nx.Graph:
    """Two triangles joined by a weak edge, a loop, and a node without edges."""
    graph = nx.Graph()
    for a, b, weight in [
        ("a", "b", 1.0),
        ("b", "c", 2.0),
        ("c", "a", 0.5),
        ("c", "d", 0.1),
        ("d", "e", 1.0),
        ("e", "f", 3.0),
        ("f", "d", 1.0),
        ("f", "f", 2.0),
    ]:
        graph.add_edge(a, b, weight=weight)
    graph.add_node("alone")
    return graph


@pytest.mark.parametrize("seeds", [{}, {"a": 1.0}, {"a": 3.0, "e": 1.0}, {"alone": 1.0, "d": 0.2}])
@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_personalised_page_rank_is_that_of_networkx(seeds: dict[str, float], damping: float) -> None:
    ours = page_rank(weighted(), seeds, damping)
    theirs = nx.pagerank(weighted(), alpha=damping, personalization=seeds or None, tol=1e-14, max_iter=1000)
    assert list(ours) == list(theirs)
    assert [ours[node] for node in ours] == pytest.approx([theirs[node] for node in ours], abs=1e-9)


def test_a_walk_that_begins_at_one_node_of_a_path_ranks_as_worked_out_by_hand() -> None:
    path = nx.Graph([("a", "b"), ("b", "c")])
    # a = 1/2 + b/4, b = a/2 + c/2, c = b/4
    assert page_rank(path, {"a": 7.0}, 0.5) == pytest.approx({"a": 7 / 12, "b": 1 / 3, "c": 1 / 12})


def test_a_graph_without_nodes_has_no_ranks() -> None:
    assert page_rank(nx.Graph(), {}, 0.5) == {}


def test_likeness_counts_from_what_unrelated_texts_have_in_common() -> None:
    assert above([0.7, 0.8, 0.9, 1.0], 0.8).tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0])
    assert name_floor(WordVectors()) == pytest.approx(0.0, abs=0.05)
    assert question_floor(WordVectors()) < 0.25


def test_pairs_are_near_from_the_threshold_on_and_each_is_found_once() -> None:
    vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    assert [(a, b, round(score, 6)) for a, b, score in near_pairs(vectors, 0.0, 0.8)] == [(0, 1, 0.8)]
    assert [pair[:2] for pair in near_pairs(vectors, 0.0, 0.6)] == [(0, 1), (1, 2)]
    assert near_pairs(vectors, 0.5, 0.7) == []


def test_of_equal_scores_the_earlier_comes_first_and_equal_ones_stretch_to_one() -> None:
    assert best([0.2, 0.9, 0.9, 0.1], 3) == [1, 2, 0]
    assert stretched([2.0, 4.0, 3.0]).tolist() == [0.0, 1.0, 0.5]
    assert stretched([3.0, 3.0]).tolist() == [1.0, 1.0]

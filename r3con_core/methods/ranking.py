"""Ranking by vectors and by links: what methods that search have in common.

Similarities are cosines. Some models give any two texts a high one, so that a threshold from a paper means nothing
there; `floor` measures what unrelated texts have in common, and `above` counts from that.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from r3con_core.embedding import Embed, Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

_NAMES = ("Granite Street", "Violin", "Thursday", "Maria Okafor", "Cooking oil", "Glacier", "Tax office", "Penguin")
_SENTENCES = (
    "The cook bought two pounds of butter.",
    "Glaciers move a few metres a year.",
    "The committee will meet on Thursday.",
    "A violin has four strings.",
    "He parked the car behind the station.",
)
_QUESTIONS = (
    "Who repaired the roof of the school?",
    "How many students passed the exam?",
    "When did the king leave the city?",
)
_ROUNDS, _ENOUGH = 300, 1e-10
_ROWS = 256
"""Compared with all others at once: 40 MB for 20,000 names."""


def name_floor(embed: Embed) -> float:
    """The mean cosine of names that have nothing to do with each other."""
    import numpy as np

    vectors = embed(_NAMES, holds=())
    pairs = (vectors @ vectors.T)[np.triu_indices(len(_NAMES), 1)]
    return float(np.clip(pairs.mean(), 0.0, 0.99))


def question_floor(embed: Embed) -> float:
    """The mean cosine of questions and sentences that have nothing to do with each other."""
    import numpy as np

    cosines = embed(_QUESTIONS, side=Side.QUERY, holds=()) @ embed(_SENTENCES, holds=()).T
    return float(np.clip(cosines.mean(), 0.0, 0.99))


def above(cosines: Any, floor: float) -> "Scores":
    """Cosines counted from `floor`: 0 there and below it, 1 for texts that are the same."""
    import numpy as np

    scores: Scores = np.clip((np.asarray(cosines, dtype=np.float64) - floor) / (1 - floor), 0.0, 1.0)
    return scores


def stretched(scores: Any) -> "Scores":
    """Scores stretched to lie between 0 and 1; all of them 1 where they are equal."""
    import numpy as np

    values = np.asarray(scores, dtype=np.float64)
    if values.size == 0 or np.ptp(values) < 1e-12:
        return np.ones_like(values)
    stretched_: Scores = (values - values.min()) / np.ptp(values)
    return stretched_


def best(scores: Any, count: int) -> list[int]:
    """The places of the `count` highest scores, the best first; of equal ones the earlier first."""
    import numpy as np

    values = np.asarray(scores, dtype=np.float64)
    return [int(place) for place in np.lexsort((np.arange(values.size), -values.round(9)))[:count]]


def near_pairs(vectors: Any, floor: float, threshold: float) -> list[tuple[int, int, float]]:
    """All pairs of rows (the lower place first) whose cosine `above` the floor is `threshold` or more, with that."""
    import numpy as np

    found: list[tuple[int, int, float]] = []
    for start in range(0, len(vectors), _ROWS):
        scores = above(vectors[start : start + _ROWS] @ vectors.T, floor)
        rows, columns = np.nonzero(scores >= threshold)
        found += [
            (start + int(row), int(column), float(scores[row, column]))
            for row, column in zip(rows, columns, strict=True)
            if start + row < column
        ]
    return found


def page_rank(graph: Any, seeds: Mapping[str, float], damping: float) -> dict[str, float]:
    """Personalised PageRank of an undirected networkx graph with weights: node -> rank; all of them come to 1.

    `seeds`: node -> how often a walk begins there, to any sum; all nodes alike where there are none. `damping`: how
    often a walk goes on. As `networkx.pagerank` has it, which needs SciPy and stops at an error that grows with the
    graph: here the ranks are exact to about 1e-10 whatever its size.
    """
    import numpy as np

    nodes: Sequence[str] = list(graph)
    if not nodes:
        return {}
    place = {node: number for number, node in enumerate(nodes)}
    source, target, weight = _both_ways(graph, place)
    out = np.bincount(source, weights=weight, minlength=len(nodes))
    start = np.array([max(seeds.get(node, 0.0), 0.0) for node in nodes])
    start = start / start.sum() if start.sum() > 0 else np.full(len(nodes), 1 / len(nodes))
    share = weight / out[source]
    rank = start
    for _ in range(_ROUNDS):
        spread = np.bincount(target, weights=rank[source] * share, minlength=len(nodes))
        after = damping * (spread + rank[out == 0].sum() * start) + (1 - damping) * start
        change = np.abs(after - rank).sum()
        rank = after
        if change < _ENOUGH:
            break
    return {node: float(rank[place[node]]) for node in nodes}


def _both_ways(graph: Any, place: Mapping[str, int]) -> "tuple[NDArray[np.intp], NDArray[np.intp], Scores]":
    """Every edge in both directions, a loop once: from which place, to which, with what weight."""
    import numpy as np

    edges = [(place[a], place[b], float(weight)) for a, b, weight in graph.edges(data="weight", default=1.0)]
    edges += [(b, a, weight) for a, b, weight in edges if a != b]
    edges = [edge for edge in edges if edge[2] > 0]
    source = np.array([edge[0] for edge in edges], dtype=np.intp)
    target = np.array([edge[1] for edge in edges], dtype=np.intp)
    return source, target, np.array([edge[2] for edge in edges], dtype=np.float64)

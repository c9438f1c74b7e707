"""The graph of phrases and passages that triples make, and the ranking of passages over it. Nothing here asks a model."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r3con_core.method.grounding import figures
from r3con_core.methods.chunks import Chunk
from r3con_core.methods.ranking import page_rank
from r3con_core.methods.triples import Triple
from r3con_core.traces import Built, Item, Link, View

if TYPE_CHECKING:
    import networkx as nx

LINKED = 5
"""Triples that are looked at for the task, and phrases that a walk may begin at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """All that is built before the task is known."""

    passages: tuple[Chunk, ...]
    triples: tuple[Triple, ...]
    names: Mapping[str, str]
    """Node of a phrase -> the phrase as it was first written."""
    synonyms: tuple[tuple[str, str, float], ...] = ()
    """Pairs of phrases that mean the same, with their likeness."""

    def passages_of(self) -> dict[str, set[int]]:
        """Phrase -> places of the passages it is in."""
        found: dict[str, set[int]] = defaultdict(set)
        for triple in self.triples:
            for key in triple.keys:
                found[key].add(triple.passage)
        return found


def synonyms_of(
    names: Mapping[str, str], pairs: Sequence[tuple[int, int, float]]
) -> tuple[tuple[str, str, float], ...]:
    """Pairs of places in `names` as pairs of its keys; names with other figures are no synonyms, however near."""
    keys = list(names)
    return tuple(
        (keys[a], keys[b], score) for a, b, score in pairs if figures(names[keys[a]]) == figures(names[keys[b]])
    )


def seed_phrases(index: Index, kept: Sequence[tuple[int, float]]) -> dict[str, float]:
    """Phrases of the kept triples with the weight at which a walk begins there: at most `LINKED`, the heaviest.

    The mean score of the kept triples a phrase is in, divided by the number of passages it is in.
    """
    within = index.passages_of()
    scores: dict[str, list[float]] = defaultdict(list)
    for place, score in kept:
        for key in dict.fromkeys(index.triples[place].keys):
            scores[key].append(score)
    weights = {key: sum(of) / len(of) / len(within[key]) for key, of in scores.items()}
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:LINKED])


def build_graph(index: Index) -> "nx.Graph":
    """Phrases ("e:" and key) and passages ("p" and number): triples, synonyms and what stands where, with weights."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(f"e:{key}" for key in index.names)
    graph.add_nodes_from(f"p{passage.number}" for passage in index.passages)
    edges: Counter[tuple[str, str]] = Counter()
    for triple in index.triples:
        subject, object_ = triple.keys
        if subject != object_:
            edges[min(subject, object_), max(subject, object_)] += 1
    graph.add_edges_from((f"e:{a}", f"e:{b}", {"weight": float(count)}) for (a, b), count in edges.items())
    for a, b, likeness in index.synonyms:
        before = graph.get_edge_data(f"e:{a}", f"e:{b}", {"weight": 0.0})["weight"]
        graph.add_edge(f"e:{a}", f"e:{b}", weight=max(before, likeness))
    for key, places in index.passages_of().items():
        graph.add_edges_from((f"p{index.passages[at].number}", f"e:{key}", {"weight": 1.0}) for at in sorted(places))
    return graph


def rank_passages(
    index: Index, phrases: Mapping[str, float], likeness: Sequence[float], *, weight: float, damping: float
) -> list[float]:
    """The PageRank of each passage, walks beginning at `phrases` and, `weight` times their likeness, at passages.

    Without phrases the likeness itself: nothing tells where in the graph to begin.
    """
    if not phrases:
        return list(likeness)
    seeds = {f"e:{key}": score for key, score in phrases.items()}
    seeds |= {f"p{one.number}": weight * score for one, score in zip(index.passages, likeness, strict=True)}
    ranks = page_rank(build_graph(index), seeds, damping)
    return [ranks[f"p{passage.number}"] for passage in index.passages]


def built_of_graph(index: Index, phrases: Mapping[str, float]) -> Built:
    """The graph as it is looked at; `phrases`: those where the search begins, with their weights."""
    within = index.passages_of()
    nodes = tuple(
        Item(
            id=f"e:{key}",
            title=f"Phrase {number}",
            kind="entity",
            text=name,
            places=tuple(index.passages[at].place for at in sorted(within[key])),
            score=phrases.get(key),
            chosen=key in phrases,
        )
        for number, (key, name) in enumerate(index.names.items(), start=1)
    )
    passages = tuple(
        Item(id=f"p{one.number}", title=one.title, kind="passage", places=(one.place,)) for one in index.passages
    )
    said = [Link(source=f"e:{a}", target=f"e:{b}", label=t.relation) for t in index.triples for a, b in (t.keys,)]
    alike = [Link(source=f"e:{a}", target=f"e:{b}", label="synonym", weight=w) for a, b, w in index.synonyms]
    stands = [
        Link(source=f"p{index.passages[at].number}", target=f"e:{key}", label="says")
        for key, places in within.items()
        for at in sorted(places)
    ]
    return Built(
        name="Graph of phrases and passages",
        says="Every phrase and every passage. Triples join phrases, passages are joined to what they say, and phrases "
        "that mean nearly the same are joined as synonyms. The search begins at those marked.",
        view=View.GRAPH,
        items=(*nodes, *passages),
        links=(*said, *alike, *stands),
    )

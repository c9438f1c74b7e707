"""The graph of LinearRAG: entities, sentences and passages; activation of entities over it, and ranking of passages.

Nothing here asks a model or makes vectors.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from r3con_core.methods.chunks import Chunk
from r3con_core.methods.entities import SentenceAt, Usage, entities_in, entity_key, sentences_of, usage_of
from r3con_core.methods.ranking import page_rank
from r3con_core.traces import Built, Item, Link, View

if TYPE_CHECKING:
    import networkx as nx

DAMPING = 0.5
PASSAGE_WEIGHT = 0.05
"""How much passages count as beginnings of a walk, beside entities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriGraph:
    """Entities, sentences and passages, and which is in which."""

    passages: tuple[Chunk, ...]
    sentences: tuple[SentenceAt, ...]
    mentions: tuple[tuple[str, ...], ...]
    """For each sentence the keys of its entities, in order, each as often as it stands there."""
    names: Mapping[str, str]
    """Key of an entity -> as it was first written."""
    usage: Usage

    def counts(self) -> list[Counter[str]]:
        """For each passage, how often it has each entity."""
        found: list[Counter[str]] = [Counter() for _ in self.passages]
        for sentence, keys in zip(self.sentences, self.mentions, strict=True):
            found[sentence.chunk].update(keys)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Activated:
    """An entity that the search came to."""

    key: str
    score: float
    """0 to 1."""
    level: int
    """1 where the task names it; one more for each sentence on the way to it."""
    sentence: int | None = None
    """Place of the sentence that weighs most of those it was reached over."""


def make_graph(passages: Sequence[Chunk]) -> TriGraph:
    """The graph of all passages."""
    sentences = sentences_of(passages)
    usage = usage_of([sentence.text for sentence in sentences])
    names: dict[str, str] = {}
    mentions: list[tuple[str, ...]] = []
    for sentence in sentences:
        found = [(key, name) for name in entities_in(sentence.text, usage) if (key := entity_key(name))]
        mentions.append(tuple(key for key, _ in found))
        for key, name in found:
            names.setdefault(key, name)
    return TriGraph(passages=tuple(passages), sentences=sentences, mentions=tuple(mentions), names=names, usage=usage)


def activate(
    graph: TriGraph, named: Mapping[str, float], relevance: Sequence[float], *, threshold: float, steps: int
) -> dict[str, Activated]:
    """Entities that the task's own lead to, in the order they were reached.

    Each step: a sentence takes up the activation of the entities that were new in the step before, times its own
    relevance, and gives it to all its entities. One that has less than `threshold` by then is pruned; one that has more
    than it had keeps the higher score, 1 at most.
    """
    found = {key: Activated(key=key, score=score, level=1) for key, score in named.items() if score >= threshold}
    within = _sentences_of(graph)
    new: Sequence[str] = tuple(found)
    for level in range(2, steps + 2):
        given, over = _spread(graph, {key: found[key].score for key in new}, within, relevance)
        new = sorted(
            (key for key, score in given.items() if key not in found and score >= threshold), key=_first(given)
        )
        for key in sorted(given, key=_first(given)):
            score = min(given[key], 1.0)
            if key in found and score > found[key].score:
                before = found[key]
                found[key] = Activated(key=key, score=score, level=before.level, sentence=before.sentence)
        found |= {key: Activated(key=key, score=min(given[key], 1.0), level=level, sentence=over[key]) for key in new}
        if not new:
            break
    return found


def _first(given: Mapping[str, float]) -> Any:
    """The highest first, of equal ones by name."""
    return lambda key: (-given[key], key)


def _spread(
    graph: TriGraph, source: Mapping[str, float], within: Mapping[str, Sequence[int]], relevance: Sequence[float]
) -> tuple[dict[str, float], dict[str, int]]:
    """What each entity but the sources of it is given over all sentences, and the sentence that gave most."""
    places = sorted({place for key in source for place in within[key]})
    given: dict[str, float] = defaultdict(float)
    most: dict[str, tuple[float, int]] = {}
    for place in places:
        keys = set(graph.mentions[place])
        for key in keys:
            amount = relevance[place] * sum(source[other] for other in sorted(keys & source.keys()) if other != key)
            if amount > 0:
                given[key] += amount
                most[key] = max(most.get(key, (0.0, -place)), (amount, -place))
    return dict(given), {key: -place for key, (_, place) in most.items()}


def _sentences_of(graph: TriGraph) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {key: [] for key in graph.names}
    for place, keys in enumerate(graph.mentions):
        for key in dict.fromkeys(keys):
            found[key].append(place)
    return found


def build_graph(graph: TriGraph) -> "nx.Graph":
    """Entities ("e:" and key) and passages ("p" and number); an edge weighs how much of a passage's mentions it is."""
    import networkx as nx

    built = nx.Graph()
    built.add_nodes_from(f"e:{key}" for key in graph.names)
    built.add_nodes_from(f"p{passage.number}" for passage in graph.passages)
    for passage, counts in zip(graph.passages, graph.counts(), strict=True):
        whole = sum(counts.values())
        built.add_edges_from((f"p{passage.number}", f"e:{key}", {"weight": n / whole}) for key, n in counts.items())
    return built


def importance(
    counts: Mapping[str, int], activated: Mapping[str, Activated], likeness: float, *, balance: float
) -> float:
    """How likely a walk begins at a passage: its likeness to the task, and the activated entities it has.

    Such an entity counts the more the more often it stands there, and the less the longer the way to it was.
    """
    bonus = sum(one.score * math.log1p(counts[key]) / one.level for key, one in activated.items() if counts.get(key, 0))
    return PASSAGE_WEIGHT * (balance * likeness + math.log1p(bonus))


def rank_passages(
    graph: TriGraph, activated: Mapping[str, Activated], likeness: Sequence[float], *, balance: float
) -> list[float]:
    """The PageRank of each passage; the likeness itself where nothing was activated."""
    if not activated:
        return list(likeness)
    seeds = {f"e:{key}": one.score for key, one in activated.items()}
    for passage, counts, like in zip(graph.passages, graph.counts(), likeness, strict=True):
        seeds[f"p{passage.number}"] = importance(counts, activated, like, balance=balance)
    ranks = page_rank(build_graph(graph), seeds, DAMPING)
    return [ranks[f"p{passage.number}"] for passage in graph.passages]


def built_of_graph(graph: TriGraph) -> Built:
    """The graph as it is looked at; of sentences those that mention an entity."""
    return Built(
        name="Graph of entities, sentences and passages",
        says="Names and days, the sentences that mention them and the passages they are in. No model wrote any of it, and "
        "nothing says how two names hang together but the sentence they share.",
        view=View.GRAPH,
        items=tuple(_items_of(graph)),
        links=tuple(_links_of(graph)),
    )


def _items_of(graph: TriGraph) -> Iterator[Item]:
    within = _sentences_of(graph)
    for number, (key, name) in enumerate(graph.names.items(), start=1):
        yield Item(
            id=f"e:{key}",
            title=f"Entity {number}",
            kind="entity",
            text=name,
            places=tuple(graph.sentences[at].place for at in within[key]),
        )
    for at, sentence in enumerate(graph.sentences):
        if graph.mentions[at]:
            yield Item(
                id=f"s{at + 1}",
                title=f"Sentence {at + 1}, {graph.passages[sentence.chunk].title}",
                kind="sentence",
                text=sentence.text,
                places=(sentence.place,),
            )
    for one in graph.passages:
        yield Item(id=f"p{one.number}", title=one.title, kind="passage", places=(one.place,))


def _links_of(graph: TriGraph) -> Iterator[Link]:
    for at, keys in enumerate(graph.mentions):
        for key in dict.fromkeys(keys):
            yield Link(source=f"s{at + 1}", target=f"e:{key}", label="mentions")
    for passage, counts in zip(graph.passages, graph.counts(), strict=True):
        for key, count in counts.items():
            yield Link(source=f"p{passage.number}", target=f"e:{key}", label="contains", weight=float(count))


def built_of_activated(graph: TriGraph, activated: Mapping[str, Activated]) -> Built:
    """What was activated, the most first."""

    def item(one: Activated) -> Item:
        over = None if one.sentence is None else graph.sentences[one.sentence]
        return Item(
            id=f"e:{one.key}",
            title="Named by the question" if over is None else f"Reached in step {one.level - 1}",
            kind="entity",
            text=graph.names[one.key],
            shown="" if over is None else over.text,
            places=() if over is None else (over.place,),
            score=one.score,
            chosen=True,
        )

    ordered = sorted(activated.values(), key=lambda one: (-one.score, one.level, one.key))
    return Built(
        name="Names the question leads to",
        says="Names of the question, and those that sentences near the question lead to from there, each with the "
        "sentence that says most of it.",
        view=View.RANKING,
        items=tuple(item(one) for one in ordered),
    )

"""RAPTOR: a tree of summaries over clusters of passages, searched at all its levels at once (Sarthi et al., ICLR 2024)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from r3con_core.answers import Answer
from r3con_core.documents import estimate_tokens
from r3con_core.embedding import Side
from r3con_core.errors import CorpusError
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.figures import StageEstimate, exactly, figure
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.method.shortening import share_out, shorten
from r3con_core.methods.chunks import cut
from r3con_core.methods.clustering import soft_clusters
from r3con_core.methods.many import carry_all, in_order
from r3con_core.methods.planning import AROUND, answers, embeds
from r3con_core.methods.seam import Met, Method, Needs, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import answer_from, block, prompt, write
from r3con_core.traces import Built, Item, Place, View

if TYPE_CHECKING:
    from r3con_core.embedding import Vectors

_SUMMARISE = "You sum up passages that belong together by what they are about. Some are summaries themselves."
_READ = "You answer a task from passages of a collection of documents, and from summaries of such passages."
_LABEL = 40
"""Tokens of marks and title around a passage."""
TREE, FOUND = "Tree of summaries", "What the question found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A passage, or a summary of nodes below it."""

    id: str
    title: str
    text: str
    level: int
    """0 for passages."""
    places: tuple[Place, ...]
    children: tuple[str, ...] = ()
    fault: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of those that it tells of."""
        return tuple(dict.fromkeys(place.document_id for place in self.places))

    def item(self, *, chosen: bool = False, score: float | None = None) -> Item:
        """As it is shown."""
        return Item(
            id=self.id,
            title=self.title,
            text=self.text,
            places=self.places,
            children=self.children,
            level=self.level,
            kind="summary" if self.level else "passage",
            score=score,
            chosen=chosen,
            fault=self.fault,
        )


def run(brief: Brief, tools: Tools) -> Answer:
    """Leaves, layers of summaries up to one root, and an answer from the nodes nearest to the task."""
    import numpy as np

    layer = _leaves(brief)
    if not layer:
        raise CorpusError("The documents hold no text, so there is nothing to build a tree from.")
    vectors = _embedded(tools, layer)
    nodes, all_vectors = list(layer), [vectors]
    _tell(tools, nodes)
    while len(layer) > 1:
        layer = _layer_above(brief, tools, layer, vectors)
        vectors = _embedded(tools, layer)
        nodes += layer
        all_vectors.append(vectors)
        _tell(tools, nodes)
    query = tools.embed([brief.task.text], side=Side.QUERY, holds=())[0]
    scores = [float(score) for score in np.concatenate(all_vectors) @ query]
    chosen = _retrieve(brief, nodes, scores)
    _tell(tools, nodes, frozenset(node.id for node in chosen))
    tools.watch.built(_ranking(nodes, scores, chosen))
    material = [block(brief, "passage", node.text, node.title) for node in chosen]
    holds = tuple(dict.fromkeys(id_ for node in chosen for id_ in node.documents))
    return converse(answer_from(brief, material, guide=_READ), holding(tools.models.reasoning, lambda: holds))


def _leaves(brief: Brief) -> list[Node]:
    most = min(int(brief.settings.option("leaf")), _room(brief, 2) // 2 - _LABEL)
    return [
        Node(id=f"0.{chunk.number}", title=chunk.title, text=chunk.text, level=0, places=(chunk.place,))
        for chunk in cut(brief.corpus, most)
        if chunk.text.strip()
    ]


def _embedded(tools: Tools, layer: Sequence[Node]) -> "Vectors":
    holds = tuple(dict.fromkeys(id_ for node in layer for id_ in node.documents))
    return tools.embed([node.text for node in layer], holds=holds)


def _room(brief: Brief, texts: int) -> int:
    """Tokens that the texts of one prompt for a summary may have."""
    reply = 2 * int(brief.settings.option("summary"))
    return max(room_beside(brief.settings.window, reply, task="") - texts, 2 * _LABEL + 2)


def _layer_above(brief: Brief, tools: Tools, layer: Sequence[Node], vectors: "Vectors") -> list[Node]:
    """A summary of each cluster of `layer`: at most half as many, rounded up, and so one at last."""
    ceiling = min(int(brief.settings.option("ceiling")), _room(brief, 0))
    lengths = [estimate_tokens(node.text) + _LABEL for node in layer]
    groups = soft_clusters(vectors, lengths, ceiling)
    clusters = [[layer[row] for row in group] for group in groups]
    numbered = list(enumerate(clusters, start=1))
    written = in_order(
        carry_all(
            tools,
            numbered,
            lambda item: _summary(brief, *item),
            lambda item: _documents(item[1]),
        )
    )
    return [_node(brief, number, of, text) for (number, of), text in zip(numbered, written, strict=True)]


def _documents(nodes: Sequence[Node]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for node in nodes for id_ in node.documents))


def _summary(brief: Brief, number: int, of: Sequence[Node]) -> Exchange[str]:
    tokens = int(brief.settings.option("summary"))
    rooms = share_out([estimate_tokens(node.text) for node in of], _room(brief, _LABEL * len(of)))
    texts = [
        node.text if estimate_tokens(node.text) <= room else shorten(node.text, max(room, 1))
        for node, room in zip(of, rooms, strict=True)
    ]
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(part=of[0].level + 1, step=number),
        guide=_SUMMARISE,
        material=[block(brief, "passage", text, node.title) for text, node in zip(texts, of, strict=True)],
        request="Sum up what they say in one text, and keep as many of the details that matter as you can: who, what, "
        f"when, where, how much. Use about {max(tokens * 3 // 4, 20)} words. Write the summary alone.",
        max_tokens=2 * tokens,
    )
    return write(asked)


def _node(brief: Brief, number: int, of: Sequence[Node], text: str | Exception) -> Node:
    fault = ""
    if isinstance(text, Exception):
        fault = f"There is no summary, so the beginnings of its passages stand here. {text}"
        text = shorten("\n".join(" ".join(node.text.split()) for node in of), int(brief.settings.option("summary")))
    level = of[0].level + 1
    places = tuple(Place(document_id=id_) for id_ in _documents(of))
    children = tuple(node.id for node in of)
    title = f"Summary {number} of layer {level}"
    return Node(
        id=f"{level}.{number}", title=title, text=text, level=level, places=places, children=children, fault=fault
    )


def _retrieve(brief: Brief, nodes: Sequence[Node], scores: Sequence[float]) -> list[Node]:
    """The nodes nearest to the task from all layers, up to so many and so many tokens, the best first."""
    room = room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text)
    budget = min(int(brief.settings.option("budget")), room)
    places = collapsed(
        scores,
        [estimate_tokens(node.text) + _LABEL for node in nodes],
        most=int(brief.settings.option("top")),
        budget=budget,
    )
    if places:
        return [nodes[place] for place in places]
    best = nodes[max(range(len(nodes)), key=lambda place: scores[place])]
    return [replace(best, text=shorten(best.text, max(budget - _LABEL, 1)))]


def collapsed(scores: Sequence[float], lengths: Sequence[int], *, most: int, budget: int) -> tuple[int, ...]:
    """Places of the best `scores`, best first: at most `most`, and none after the first that outgrows `budget` tokens."""
    ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:most]
    taken: list[int] = []
    for place in ranked:
        budget -= lengths[place]
        if budget < 0:
            break
        taken.append(place)
    return tuple(taken)


def _tell(tools: Tools, nodes: Sequence[Node], chosen: frozenset[str] = frozenset()) -> None:
    tools.watch.built(
        Built(
            name=TREE,
            says="At the bottom stand passages of the documents. Those that are about the same are summed up together, "
            "and so are the summaries, layer by layer up to one. It is made without knowing the question.",
            view=View.TREE,
            items=tuple(node.item(chosen=node.id in chosen) for node in nodes),
        )
    )


def _ranking(nodes: Sequence[Node], scores: Sequence[float], chosen: Sequence[Node]) -> Built:
    taken = {node.id: node for node in chosen}
    ranked = sorted(range(len(nodes)), key=lambda place: (-scores[place], place))[: max(2 * len(taken), 20)]
    return Built(
        name=FOUND,
        says="Passages and summaries of all layers, those nearest to the question first. The answer is written from the "
        "chosen ones alone.",
        view=View.RANKING,
        items=tuple(
            taken.get(nodes[at].id, nodes[at]).item(chosen=nodes[at].id in taken, score=scores[at]) for at in ranked
        ),
        read=True,
    )


_SMALL, _LARGE = (100, 3500, 100, 10, 3500), (2000, 40_000, 400, 20, 16_000)
"""Leaf, ceiling, summary, top, budget: in RAPTOR's released program, and as the R3Con paper's runs scaled them."""


def _settings(size: Size) -> tuple[Setting, ...]:
    room = room_beside(size.window, 800, task="") - size.task
    wanted = min(max(size.tokens / 25, _SMALL[0]), _LARGE[0])
    share = (wanted - _SMALL[0]) / (_LARGE[0] - _SMALL[0])
    leaf, ceiling, summary, top, budget = (
        round(small + share * (large - small)) for small, large in zip(_SMALL, _LARGE, strict=True)
    )
    ceiling, budget = min(ceiling, room), min(budget, room)
    return (
        _setting("leaf", "Tokens of a passage", min(leaf, max(ceiling // 4, 50)), 50, 8000, "100; 2,000 at scale"),
        _setting("ceiling", "Tokens of a cluster", ceiling, 200, 200_000, "3,500; 40,000 at scale"),
        _setting("summary", "Tokens of a summary", min(summary, max(ceiling // 8, 40)), 40, 2000, "100; 400 at scale"),
        _setting("top", "Passages and summaries read", top, 1, 200, "10; 20 at scale"),
        _setting("budget", "Tokens read for the answer", budget, 200, 200_000, "3,500; 16,000 at scale"),
    )


def _setting(name: str, label: str, value: float, *rest: object) -> Setting:
    least, most, paper = rest
    assert isinstance(least, int)
    assert isinstance(most, int)
    says = f"The most there may be. The papers' programs had {paper}; here it is scaled to documents and window."
    return Setting(name=name, label=label, value=min(max(value, least), most), least=least, most=most, says=says)


def _plan(size: Size, options: Options) -> tuple[StageEstimate, ...]:
    leaf, summary = options["leaf"], options["summary"]
    least = sum(max(1.0, tokens / leaf) for tokens in size.documents)
    most = sum(max(1.0, 4 * tokens / leaf) for tokens in size.documents)
    likely = sum(max(1.0, 1.4 * tokens / leaf) for tokens in size.documents)
    calls = figure(0 if most < 2 else 1, likely / 4 + 1, most + 2)
    sent = figure(size.tokens * 0.8, size.tokens * 1.3 + calls.likely * AROUND, size.tokens * 2.5 + calls.high * AROUND)
    written = figure(0, calls.likely * summary, calls.high * 2 * summary)
    building = StageEstimate(
        stage=Stage.BUILDING, calls=calls, first=calls, prompt=sent, cached=exactly(0), fresh=sent, output=written
    )
    texts = likely + calls.likely + 1
    read = min(options["budget"], options["top"] * (leaf + summary) / 2, size.tokens * 1.2)
    return building, embeds(size.tokens * 1.2 + size.task, max(texts, least)), answers(read + size.task)


RAPTOR = Method(
    id="raptor",
    name="RAPTOR",
    family="Retrieval",
    says="Passages that are about the same are summed up together, and the summaries again, up to one. The question finds "
    "passages and summaries of any layer, and the model answers from those.",
    paper="Sarthi et al., RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval, ICLR 2024, "
    "arXiv 2401.18059",
    deviations=(
        "Vectors are reduced by the eigenvectors of their graph of nearest neighbours (Laplacian eigenmaps), not by UMAP.",
        "Each variance of a mixture has a floor, and there are at most half as many clusters as texts.",
        "A text always belongs to its likeliest cluster, also where no cluster has a tenth of a chance.",
        "Layers are built up to a single root; RAPTOR's own program stops at eleven nodes or five layers.",
        "A cluster that grouping leaves above its ceiling of tokens is halved in order.",
        "Passages end with their document, at natural breaks, and prompts name the document and part of each.",
        "Where a model gives no summary, the beginnings of the passages stand in for it.",
        "Vectors come from the model that was chosen; RAPTOR used SBERT, the R3Con paper text-embedding-3-small.",
        "Lengths are by our estimate of tokens and scaled to the corpus between RAPTOR's program and the R3Con paper's runs.",
        "RAPTOR's paper reads 2,000 tokens for the answer, its released program 3,500, as here for small corpora.",
        "Prompts are our own.",
    ),
    principles=Principles(
        task_specific=Met.NO,
        enactive=Met.YES,
        flexible=Met.NO,
        why="Summaries are written without knowing the task. Each layer is made from what the layer below says. The form "
        "is always a tree of summaries.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
    needs=frozenset({Needs.EMBEDDING, Needs.CLUSTERING}),
)

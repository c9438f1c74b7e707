"""LinearRAG: a graph of entities, sentences and passages without relations; no model is asked before the reader.

Indexing: entities are found by rules; a sentence mentions entities, a passage contains them. Asking: the entities of
the task activate those of the graph that are nearest to them ("semantic bridging"): an activated entity activates, over
each sentence that mentions it, all others there, the more the nearer the sentence is to the task; what stays below a
threshold is pruned, and it goes on from what is new. Then passages are ranked by a personalised PageRank over entities
and passages that begins at activated entities and at passages near the task or full of such entities.

Worked from the paper's description alone.
"""

from collections.abc import Sequence

from r3con_core.answers import Answer
from r3con_core.embedding import Side
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.methods.entities import entities_in, entity_key
from r3con_core.methods.passages import (
    Ranked,
    answer_from_best,
    count_passages,
    cut_passages,
    documents_of,
    likeness,
    passage_setting,
    reading_setting,
)
from r3con_core.methods.planning import answers, embeds
from r3con_core.methods.ranking import above, best, name_floor, question_floor
from r3con_core.methods.seam import Met, Method, Needs, Options, Principles, Setting, Size, Tools
from r3con_core.methods.trigraph import (
    TriGraph,
    activate,
    built_of_activated,
    built_of_graph,
    make_graph,
    rank_passages,
)


def run(brief: Brief, tools: Tools) -> Answer:
    """Index, search, read."""
    options = dict(brief.settings.options)
    graph = make_graph(cut_passages(brief, options["passage"]))
    tools.watch.built(built_of_graph(graph))
    activated = activate(
        graph,
        _named(brief, tools, graph),
        _relevance(brief, tools, graph),
        threshold=options["threshold"],
        steps=int(options["steps"]),
    )
    if activated:
        tools.watch.built(built_of_activated(graph, activated))
    scores = rank_passages(graph, activated, likeness(brief, tools, graph.passages), balance=options["balance"])
    ranked = [Ranked(chunk=graph.passages[at], score=scores[at]) for at in best(scores, len(scores))]
    how = "by PageRank from those names" if activated else "by likeness to the task alone, since it names nothing known"
    return answer_from_best(brief, tools, ranked, count=options["read"], how=how)


def _named(brief: Brief, tools: Tools, graph: TriGraph) -> dict[str, float]:
    """For each entity that the task names, the nearest of the graph, with how near it is."""
    wanted = list(dict.fromkeys(entities_in(brief.task.text, graph.usage)))
    if not wanted or not graph.names:
        return {}
    keys = list(graph.names)
    vectors = tools.embed(tuple(graph.names.values()), holds=documents_of(graph.passages))
    scores = above(tools.embed(wanted, holds=()) @ vectors.T, name_floor(tools.embed))
    found: dict[str, float] = {}
    for name, row in zip(wanted, scores, strict=True):
        same = entity_key(name) in graph.names
        key = entity_key(name) if same else keys[best(row, 1)[0]]
        score = 1.0 if same else float(row[keys.index(key)])
        if score > 0:
            found[key] = max(score, found.get(key, 0.0))
    return found


def _relevance(brief: Brief, tools: Tools, graph: TriGraph) -> list[float]:
    """How near each sentence is to the task; 0 is what any two have in common."""
    if not graph.sentences:
        return []
    vectors = tools.embed(tuple(sentence.text for sentence in graph.sentences), holds=documents_of(graph.passages))
    task = tools.embed((brief.task.text,), side=Side.QUERY, holds=())
    return [float(score) for score in above(vectors @ task.T, question_floor(tools.embed))[:, 0]]


def _settings(size: Size) -> tuple[Setting, ...]:
    return (
        passage_setting(
            size,
            at_million=2000,
            says="Shorter passages tell the reader less beside the point. The R3Con paper does not say what it took.",
        ),
        reading_setting(),
        Setting(
            name="threshold",
            label="Least activation",
            value=0.4,
            least=0.01,
            most=1.0,
            says="Names that are activated less are dropped, so a low value leads further and to more that is beside the "
            "point. Its authors had 0.1 to 0.5, by data set.",
        ),
        Setting(
            name="steps",
            label="Steps from name to name",
            value=3.0,
            least=0.0,
            most=10.0,
            says="How many sentences may lie between the question and a name. It ends earlier where nothing new is found. Its "
            "authors had 3 or 5.",
        ),
        Setting(
            name="balance",
            label="Weight of likeness",
            value=1.5,
            least=0.0,
            most=10.0,
            says="How much a passage's likeness to the question counts beside the activated names in it. Its authors had "
            "0.05 to 2, by data set.",
        ),
    )


def _plan(size: Size, options: Options) -> Sequence[StageEstimate]:
    each = size.tokens / max(count_passages(size, options["passage"]).likely, 1)
    sentences = size.tokens / 25
    return (
        embeds(2.2 * size.tokens, 1.5 * sentences + size.tokens / max(each, 1)),
        answers(min(options["read"] * each, size.tokens, size.window)),
    )


LINEARRAG = Method(
    id="linearrag",
    name="LinearRAG",
    family="Graphs",
    says="Names, sentences and passages make a graph, without any model. The names of the question lead over sentences to "
    "others, and PageRank from these finds the passages that are read.",
    paper="Zhuang, Chen, Xiao, Zhou, Zhang, Chen, Zhang, Huang, LinearRAG: Linear Graph Retrieval Augmented Generation on "
    "Large-scale Corpora, ICLR 2026, arXiv 2510.10114",
    deviations=(
        "Entities are found by rules (capitals, days) in place of spaCy's models.",
        "In scripts without capitals, words that recur are taken for entities.",
        "Vectors come from the embedding model of this run.",
        "The paper uses a sentence encoder, the R3Con paper text-embedding-3-small.",
        "Likeness is counted from what unrelated texts have in common in that model: its threshold means the same for all.",
        "An entity of the task that the graph has under the same name is that one, whatever the vectors say.",
        "An activation is 1 at most, and an entity does not activate itself.",
        "All sentences of an entity pass its activation on, as in the paper; its released program takes the nearest few.",
        "An entity's link to a passage weighs its share of what the passage mentions; in the paper all links weigh the same.",
        "Passages that follow each other are not linked, as they are in its released program.",
        "The damping of PageRank is 0.5, as in its released program; the paper has 0.85.",
        "One threshold and one weight of likeness serve for all; its authors set them for each data set.",
        "The reader's prompt is our own.",
    ),
    principles=Principles(
        task_specific=Met.NO,
        enactive=Met.LIMITED,
        flexible=Met.NO,
        why="The graph is built without the task. Passages share one graph, but what it holds does not change how any of "
        "them is read. It is always entities, sentences and passages.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
    needs=frozenset({Needs.EMBEDDING}),
)

"""HippoRAG 2: triples of every passage make one graph; the task's triples are where PageRank over it begins.

Indexing: a model lists the named entities of each passage, then what is said of them as triples. Phrases (subjects and
objects) and passages are the nodes of one graph: a triple joins its phrases, a passage all phrases of its triples, and
phrases whose vectors are near are joined as synonyms. Asking: the triples nearest to the task are found by vectors, a
model says which of them help, their phrases and all passages by their likeness to the task are the seeds of a
personalised PageRank, and the best passages go to a reader.
"""

from collections.abc import Sequence
from dataclasses import replace

from r3con_core.answers import Answer
from r3con_core.embedding import Side
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.methods.chunks import Chunk
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
from r3con_core.methods.phrases import LINKED, Index, built_of_graph, rank_passages, seed_phrases, synonyms_of
from r3con_core.methods.planning import AROUND, about, answers, asks, embeds, figure
from r3con_core.methods.ranking import best, name_floor, near_pairs, stretched
from r3con_core.methods.seam import Met, Method, Needs, Options, Principles, Setting, Size, Tools
from r3con_core.methods.triples import Triple, extract_triples
from r3con_core.methods.writing import block, fill_in, prompt, task_text
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, View

_KEEP_GUIDE = (
    "You choose which facts a search should begin at. You are given numbered facts from an index of a collection. Keep "
    "those that help with the task or lead towards what does; drop the others, all of them if none helps."
)
_KEEP_REQUEST = 'Reply with JSON: {"keep": [numbers of the facts to keep, the most helpful first]}.'


def run(brief: Brief, tools: Tools) -> Answer:
    """Index, then search, then read."""
    options = dict(brief.settings.options)
    passages = cut_passages(brief, options["passage"])
    triples = extract_triples(brief, tools, passages)
    index = _join(tools, passages, triples, options["synonym"])
    near = _near_triples(brief, tools, index)
    kept = _recognise(brief, tools, index, near)
    like = likeness(brief, tools, passages)
    phrases = seed_phrases(index, [pair for pair in near if pair[0] in kept])
    tools.watch.built(built_of_graph(index, phrases))
    scores = rank_passages(index, phrases, like, weight=options["weight"], damping=options["damping"])
    ranked = [Ranked(chunk=passages[at], score=scores[at]) for at in best(scores, len(scores))]
    how = "by PageRank from those facts" if phrases else "by likeness to the task alone, since no fact was kept"
    return answer_from_best(brief, tools, ranked, count=options["read"], how=how)


def _join(tools: Tools, passages: Sequence[Chunk], triples: Sequence[Triple], threshold: float) -> Index:
    """The index, with phrases that are near each other joined as synonyms."""
    names: dict[str, str] = {}
    for triple in triples:
        for key, name in zip(triple.keys, (triple.subject, triple.object), strict=True):
            names.setdefault(key, name)
    index = Index(passages=tuple(passages), triples=tuple(triples), names=names)
    if not names:
        return index
    vectors = tools.embed(tuple(names.values()), holds=documents_of(passages))
    pairs = near_pairs(vectors, name_floor(tools.embed), threshold)
    return Index(passages=index.passages, triples=index.triples, names=names, synonyms=synonyms_of(names, pairs))


def _near_triples(brief: Brief, tools: Tools, index: Index) -> list[tuple[int, float]]:
    """Places of the triples nearest to the task, the best first, with scores of 0 to 1 among all triples."""
    if not index.triples:
        return []
    texts = tuple(triple.text for triple in index.triples)
    vectors = tools.embed(texts, holds=documents_of(index.passages))
    task = tools.embed((brief.task.text,), side=Side.QUERY, holds=())
    scores = stretched((vectors @ task.T)[:, 0])
    found: dict[str, int] = {}
    for place in best(scores, len(scores)):
        found.setdefault(texts[place].casefold(), place)
        if len(found) == LINKED:
            break
    return [(place, float(scores[place])) for place in found.values()]


def _recognise(brief: Brief, tools: Tools, index: Index, near: Sequence[tuple[int, float]]) -> frozenset[int]:
    """Places of those triples that a model finds helpful ("recognition memory"); all where it gives nothing usable."""
    kept: Sequence[int] = ()
    fault = ""
    if near:
        triples = [index.triples[place] for place, _ in near]
        ids = tuple(dict.fromkeys(index.passages[triple.passage].document_id for triple in triples))
        try:
            kept = converse(_keep(brief, triples), holding(tools.models.reasoning, lambda: ids))
        except GIVES_NOTHING:
            kept, fault = range(1, len(near) + 1), "The model gave no usable choice, so all of them are kept."
    chosen = frozenset(near[number - 1][0] for number in kept)
    tools.watch.built(_built_near(index, near, chosen, fault))
    return chosen


def _keep(brief: Brief, triples: Sequence[Triple]) -> Exchange[list[int]]:
    shape = {
        "type": "object",
        "properties": {
            "keep": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": len(triples)}},
        },
        "required": ["keep"],
    }
    facts = "\n".join(f"{number}. {triple.text}" for number, triple in enumerate(triples, start=1))
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=1),
        guide=_KEEP_GUIDE,
        material=(block(brief, "facts", facts),),
        request=f"{task_text(brief)}\n\n{_KEEP_REQUEST}",
        max_tokens=200,
        shape=shape,
        window=brief.reasoning_window,
    )
    said = yield from fill_in(asked)
    return list(dict.fromkeys(map(int, said["keep"])))


def _built_near(index: Index, near: Sequence[tuple[int, float]], chosen: frozenset[int], fault: str) -> Built:
    items = tuple(
        Item(
            id=f"t{place + 1}",
            title=f"Fact {number}, from {index.passages[index.triples[place].passage].title}",
            kind="triple",
            text=index.triples[place].text,
            shown=fault,
            places=(index.passages[index.triples[place].passage].place,),
            score=score,
            chosen=place in chosen,
        )
        for number, (place, score) in enumerate(near, start=1)
    )
    return Built(
        name="Facts near the question",
        says="The triples whose vectors are nearest to the question. The model kept those marked; the search begins there.",
        view=View.RANKING,
        items=items,
    )


def _settings(size: Size) -> tuple[Setting, ...]:
    return (
        passage_setting(
            size,
            at_million=8000,
            says="Each passage costs two calls. The R3Con paper took about 3,000 for Loong and 8,000 for CorpusQA.",
        ),
        reading_setting(),
        Setting(
            name="synonym",
            label="Likeness of synonyms",
            value=0.8,
            least=0.3,
            most=1.0,
            says="Phrases at least so alike are joined; 1 is the same, 0 what any two phrases have in common. 0.8 in the "
            "paper.",
        ),
        Setting(
            name="weight",
            label="Weight of passages",
            value=0.05,
            least=0.0,
            most=1.0,
            says="How much a passage's own likeness to the question counts beside the facts kept. 0.05 in the paper.",
        ),
        Setting(
            name="damping",
            label="Damping of PageRank",
            value=0.5,
            least=0.05,
            most=0.95,
            says="How far the search walks from where it begins: near 0 it stays, near 1 it forgets. 0.5 in the paper.",
        ),
    )


def _plan(size: Size, options: Options) -> Sequence[StageEstimate]:
    passages = count_passages(size, options["passage"])
    each = size.tokens / max(passages.likely, 1)
    written = max(each / 3, 60)
    vectors = figure(size.tokens, 1.8 * size.tokens, 3 * size.tokens)  # passages, and triples and phrases of them
    return (
        asks(
            Stage.BUILDING,
            figure(2 * passages.low, 2 * passages.likely, 3 * passages.high),
            about(each + AROUND + 80, 0.5, 1.8),
            about(written, 0.1, 3.0),
        ),
        replace(embeds(size.tokens, 12 * passages.likely), prompt=vectors, fresh=vectors),
        asks(Stage.REASONING, figure(0, 1, 3), about(AROUND + size.task + 40 * LINKED), about(25, 0.2, 4.0)),
        answers(min(options["read"] * each, size.tokens, size.window)),
    )


HIPPORAG2 = Method(
    id="hipporag2",
    name="HippoRAG 2",
    family="Graphs",
    says="A model writes down what each passage says as triples. They become one graph, and PageRank from the facts "
    "near the question finds the passages that are read.",
    paper="Gutiérrez, Shu, Qi, Zhou, Su, From RAG to Memory: Non-Parametric Continual Learning for Large Language "
    "Models, ICML 2025, arXiv 2502.14802",
    deviations=(
        "Vectors come from the embedding model of this run.",
        "The paper uses NV-Embed-v2, the R3Con paper text-embedding-3-small.",
        "Likeness of synonyms is counted from what unrelated names have in common in that model: 0.8 means the same for all.",
        "Phrases with different figures, such as two dates, are never synonyms.",
        "Short phrases may have synonyms too, and a phrase any number of them; the released program limits both.",
        "Phrases that differ in capitals, accents or a title such as Mr are one.",
        "A link between two phrases counts once; the released program keeps it in both directions, and so twice.",
        "Of a triple and a likeness between the same phrases the heavier counts; in the released program the likeness.",
        "The model keeps facts by their numbers instead of writing them again, and any number of the five.",
        "Where it gives no usable choice all five are kept; the released program then searches by likeness alone.",
        "The instruction for search that the paper's embedding model takes is left out.",
        "Passages are stretches of one document cut at natural breaks; what does not fit the window is not read.",
        "Prompts are our own, and the reader answers without a chain of thought of its own.",
    ),
    principles=Principles(
        task_specific=Met.NO,
        enactive=Met.LIMITED,
        flexible=Met.NO,
        why="The graph is built without the task. Each passage joins what others say of the same things, but none is "
        "read again in that light. It is always a graph of triples.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
    needs=frozenset({Needs.EMBEDDING}),
)

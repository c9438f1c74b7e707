"""The whole corpus in one prompt (paper section B.4): what a long context window can do by itself."""

from r3con_core.answers import Answer
from r3con_core.exchange import converse, holding
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.methods.planning import answers
from r3con_core.methods.seam import Met, Method, Principles, Size, Tools
from r3con_core.methods.writing import answer_from, block
from r3con_core.traces import Built, Item, Place, View

_GUIDE = "You answer a task from all documents of a collection, which you are given in full."


def run(brief: Brief, tools: Tools) -> Answer:
    """One prompt with every document in corpus order."""
    documents = brief.corpus.documents
    titles = [f"Document {number}" for number in range(1, len(documents) + 1)]
    items = tuple(
        Item(id=one.id, title=title, text=one.text, places=(Place(document_id=one.id),), chosen=True)
        for one, title in zip(documents, titles, strict=True)
    )
    tools.watch.built(
        Built(
            name="The prompt",
            says="Every document in full, one after the other. Nothing is built: the model reads all of it at once.",
            view=View.TEXTS,
            items=items,
            read=True,
        )
    )
    material = [
        block(brief, "document", one.text, f"{title}: {one.title}")
        for one, title in zip(documents, titles, strict=True)
    ]
    ask = holding(tools.models.reasoning, lambda: tuple(one.id for one in documents))
    return converse(answer_from(brief, material, guide=_GUIDE), ask)


def _why_not(size: Size) -> str:
    room = room_beside(size.window, ANSWER_TOKENS, task="") - size.task
    needed = size.tokens + 20 * len(size.documents)
    if needed <= room:
        return ""
    return (
        f"The documents have about {size.tokens:,} tokens, and the model takes in {size.window:,} at once. "
        "Choose a model with a longer context window."
    )


WHOLE = Method(
    id="whole",
    name="Whole corpus in context",
    family="Context",
    says="Every document goes into one prompt, and the model answers at once.",
    paper="Theologitis et al., Realize What Matters, arXiv 2609.27173, 2026, section B.4",
    deviations=(),
    principles=Principles(
        task_specific=Met.NOT_APPLICABLE,
        enactive=Met.NOT_APPLICABLE,
        flexible=Met.NOT_APPLICABLE,
        why="Nothing is built: what matters, and how it hangs together, is left to the model's one reading.",
    ),
    run=run,
    plan=lambda size, _: (answers(size.tokens + 20 * len(size.documents)),),
    why_not=_why_not,
)

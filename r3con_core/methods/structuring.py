"""What StructRAG puts documents into: the structure that a model chooses for the task, and each document in it."""

from collections.abc import Sequence
from enum import StrEnum

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.shortening import shorten
from r3con_core.methods.chunks import Chunk, cut
from r3con_core.methods.many import carry_all, in_order
from r3con_core.methods.seam import Tools
from r3con_core.methods.writing import block, fill_in, prompt, task_text, write
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, Place, View


class Structure(StrEnum):
    """What documents may be put into."""

    TABLE = "table"
    GRAPH = "graph"
    CATALOGUE = "catalogue"
    ALGORITHM = "algorithm"
    CHUNK = "chunk"


_SUITS = {
    Structure.TABLE: "comparing, counting or computing over things that have the same attributes",
    Structure.GRAPH: "following relations from one thing to the next",
    Structure.CATALOGUE: "summing up or covering what many places say, topic by topic",
    Structure.ALGORITHM: "planning or working out steps in an order",
    Structure.CHUNK: "one or a few facts that stand in one place; the text stays as it is",
}
_FORMS = {
    Structure.TABLE: "Write one or more tables in Markdown: one row for each thing, a column for each attribute.",
    Structure.GRAPH: "Write one relation a line, as: head | relation | tail. Keep dates and numbers in the relation.",
    Structure.CATALOGUE: "Write numbered headings (1, 1.1, 1.1.1 ...) with what is said under each in a sentence.",
    Structure.ALGORITHM: "Write numbered steps in order, with the conditions and the figures that they need.",
}
_ROUTE = "You choose in which structure the documents of a collection will serve a task best. You see how each begins."
_BUILD = "You put what a document holds for a task into a given structure. Keep names, days and numbers as they stand."
_CHOICE = {
    "type": "object",
    "properties": {"structure": {"type": "string", "enum": [one.value for one in Structure]}},
    "required": ["structure"],
    "additionalProperties": False,
}
LABEL = 30
"""Tokens of marks and title around a text."""


def within(text: str, tokens: int) -> str:
    """The text, shortened where it is longer."""
    return text if estimate_tokens(text) <= tokens else shorten(text, tokens)


def documents_in(items: Sequence[Item]) -> tuple[str, ...]:
    """Ids of the documents that these tell of, each once."""
    return tuple(dict.fromkeys(place.document_id for item in items for place in item.places))


def choose(brief: Brief, tools: Tools) -> Structure:
    """The router. Where it says nothing usable, the text is kept as it is."""
    documents = brief.corpus.documents
    room = room_beside(brief.reasoning_window, 64, task=brief.task.text) - 200
    shown = documents[: max(room // (2 * LABEL), 1)]
    core = min(int(brief.settings.option("core")), max(room // len(shown) - LABEL, 4))
    kinds = "\n".join(f"- {kind.value}: {use}" for kind, use in _SUITS.items())
    asked = prompt(
        brief,
        stage=Stage.REASONING,  # as a schema is proposed: asked of, and priced as, the model that reasons
        about=About(),
        guide=_ROUTE,
        material=[block(brief, "beginning", shorten(one.text[: core * 12], core), one.title) for one in shown],
        request=f"{task_text(brief)}\n\nStructures, and what each is for:\n{kinds}\n\nWhich one serves this task?",
        max_tokens=64,
        shape=_CHOICE,
        window=brief.reasoning_window,
    )
    fault, chosen = "", Structure.CHUNK
    try:
        ids = tuple(one.id for one in shown)
        chosen = Structure(converse(fill_in(asked), holding(tools.models.reasoning, lambda: ids))["structure"])
    except GIVES_NOTHING as error:
        fault = f"{error} The documents stay as they are."
    tools.watch.built(_choice_built(chosen, fault, left_out=len(documents) - len(shown)))
    return chosen


def _choice_built(chosen: Structure, fault: str, *, left_out: int) -> Built:
    unseen = f" {left_out} documents did not fit into the prompt that chose." if left_out else ""
    return Built(
        name="The choice",
        says=f"The structure that the model chose for this task, from the task and how the documents begin.{unseen}",
        view=View.TEXTS,
        items=tuple(
            Item(
                id=kind.value,
                title=kind.value.capitalize(),
                text=f"For {use}.",
                kind=kind.value,
                chosen=kind is chosen,
                fault=fault if kind is chosen else "",
            )
            for kind, use in _SUITS.items()
        ),
    )


def in_structure(brief: Brief, tools: Tools, chosen: Structure) -> tuple[Item, ...]:
    """Each document, or part of one too long for a prompt, in the chosen structure."""
    reply = int(brief.settings.option("structure"))
    room = room_beside(brief.settings.window, reply, task=brief.task.text) - 2 * LABEL
    chunks = cut(brief.corpus, max(min(room, brief.settings.window - 2 * reply), 100))
    if chosen is Structure.CHUNK:
        items = [_item(chunk, chosen, chunk.text) for chunk in chunks]
    else:
        results = carry_all(
            tools, chunks, lambda chunk: _build(brief, chunk, chosen, reply), lambda chunk: (chunk.document_id,)
        )
        items = [_item(chunk, chosen, one) for chunk, one in zip(chunks, in_order(results), strict=True)]
    tools.watch.built(
        Built(
            name="Structured documents",
            says=f"Each document by itself, put into the chosen structure ({chosen.value}). What is left out here is "
            "lost to all that follows.",
            view=View.TABLES,
            items=tuple(items),
        )
    )
    return tuple(items)


def _item(chunk: Chunk, chosen: Structure, text: str | Exception) -> Item:
    return Item(
        id=str(chunk.number),
        title=chunk.title,
        text="" if isinstance(text, Exception) else text,
        kind=chosen.value,
        places=(Place(document_id=chunk.document_id, span=chunk.span),),
        fault=str(text) if isinstance(text, Exception) else "",
    )


def _build(brief: Brief, chunk: Chunk, chosen: Structure, reply: int) -> Exchange[str]:
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(document_id=chunk.document_id, part=chunk.number, step=2),
        guide=_BUILD,
        material=[block(brief, "document", chunk.text, chunk.title)],
        request=f"{task_text(brief)}\n\nStructure: {chosen.value}. {_FORMS[chosen]} "
        "Begin with one line that says what it shows.",
        max_tokens=reply,
    )
    return (yield from write(asked))

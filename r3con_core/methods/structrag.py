"""StructRAG (Li et al. 2025): a structure is chosen for the task, each document is put into it, and parts are asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

from r3con_core.answers import Answer
from r3con_core.documents import estimate_tokens
from r3con_core.errors import R3ConError
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.method.shortening import share_out, shorten
from r3con_core.methods.chunks import Chunk, cut
from r3con_core.methods.many import carry_all, in_order
from r3con_core.methods.planning import AROUND, answers, asks, figure
from r3con_core.methods.seam import Met, Method, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import answer_from, block, fill_in, prompt, task_text, write
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
_DECOMPOSE = "You split a task into the simplest questions that can be asked of structured notes, each by itself."
_EXTRACT = "You take from structured notes exactly what answers a question. Say so in a word where they hold nothing."
_ANSWER = "You answer a task from what was found for each of the questions that it was split into."
_CHOICE = {
    "type": "object",
    "properties": {"structure": {"type": "string", "enum": [one.value for one in Structure]}},
    "required": ["structure"],
    "additionalProperties": False,
}
_FOUND_TOKENS = 400
_LABEL = 30
"""Tokens of marks and title around a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, asked of as many structured texts as fit a prompt."""

    question: int
    """From 1."""
    text: str
    group: int
    items: tuple[Item, ...]


def run(brief: Brief, tools: Tools) -> Answer:
    """Choose, structure, split, extract, answer."""
    chosen = _choose(brief, tools)
    items = _texts(brief, tools, chosen)
    usable = tuple(item for item in items if not item.fault)
    if not usable:
        raise R3ConError("The model could put none of the documents into the structure it chose. Try another model.")
    questions = _questions(brief, tools, usable, chosen)
    found = _extract(brief, tools, questions, usable)
    tools.watch.built(
        Built(
            name="What was found",
            says="The task was split into questions; this is what the structured texts say to each. It is all that the "
            "answer was written from.",
            view=View.TEXTS,
            items=found,
            read=True,
        )
    )
    told = [item for item in found if not item.fault]
    if not told:
        raise R3ConError("The model found nothing usable in the structured texts. Try another model.")
    room = room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text) - len(told) * 2 * _LABEL
    rooms = share_out([estimate_tokens(item.shown) for item in told], max(room, len(told)))
    material = [
        block(brief, "finding", _within(item.shown, tokens), item.text)
        for item, tokens in zip(told, rooms, strict=True)
    ]
    ask = holding(tools.models.reasoning, lambda: _documents(usable))
    return converse(answer_from(brief, material, guide=_ANSWER, step=3), ask)


def _within(text: str, tokens: int) -> str:
    return text if estimate_tokens(text) <= tokens else shorten(text, tokens)


def _documents(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.document_id for item in items for place in item.places))


def _choose(brief: Brief, tools: Tools) -> Structure:
    """The router. Where it says nothing usable, the text is kept as it is."""
    documents = brief.corpus.documents
    room = room_beside(brief.reasoning_window, 64, task=brief.task.text) - 200
    shown = documents[: max(room // (2 * _LABEL), 1)]
    core = min(int(brief.settings.option("core")), max(room // len(shown) - _LABEL, 4))
    kinds = "\n".join(f"- {kind.value}: {use}" for kind, use in _SUITS.items())
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(step=1),
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


def _texts(brief: Brief, tools: Tools, chosen: Structure) -> tuple[Item, ...]:
    """Each document, or part of one too long for a prompt, in the chosen structure."""
    reply = int(brief.settings.option("structure"))
    room = room_beside(brief.settings.window, reply, task=brief.task.text) - 2 * _LABEL
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


def _questions(brief: Brief, tools: Tools, items: Sequence[Item], chosen: Structure) -> tuple[str, ...]:
    """What the task is split into; the task itself where nothing usable is said."""
    most = int(brief.settings.option("questions"))
    room = room_beside(brief.reasoning_window, 300, task=brief.task.text)
    shown = items[: max(room // (2 * _LABEL), 1)]
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=1),
        guide=_DECOMPOSE,
        material=[block(brief, "description", shorten(one.text.split("\n")[0], _LABEL), one.title) for one in shown],
        request=f"{task_text(brief)}\n\nThe notes are of this kind: {chosen.value}. Give at most {most} questions.",
        max_tokens=300,
        shape={
            "type": "object",
            "properties": {
                "questions": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}
            },
            "required": ["questions"],
            "additionalProperties": False,
        },
        window=brief.reasoning_window,
    )
    ids = _documents(shown)
    try:
        said = converse(fill_in(asked), holding(tools.models.reasoning, lambda: ids))["questions"]
    except GIVES_NOTHING:
        said = []
    kept = tuple(dict.fromkeys(shorten(one, 100) for one in said if one.strip()))
    return kept[:most] or (brief.task.text,)


def groups(items: Sequence[Item], room: int) -> tuple[tuple[Item, ...], ...]:
    """`items` in order, in as few groups as fit `room` tokens each; one that is longer by itself is cut."""
    found: list[list[Item]] = []
    left = 0
    for item in items:
        text = _within(item.text, max(room - _LABEL, 1))
        size = estimate_tokens(text) + _LABEL
        if not found or size > left:
            found.append([])
            left = room
        found[-1].append(replace(item, text=text))
        left -= size
    return tuple(map(tuple, found))


def _extract(brief: Brief, tools: Tools, questions: Sequence[str], items: Sequence[Item]) -> tuple[Item, ...]:
    room = room_beside(brief.reasoning_window, _FOUND_TOKENS, task=brief.task.text) - 150
    parts = groups(items, max(room, 2 * _LABEL))
    asked = [
        Asked(question=number, text=text, group=group, items=part)
        for number, text in enumerate(questions, start=1)
        for group, part in enumerate(parts, start=1)
    ]
    reasoning = replace(tools, models=replace(tools.models, reading=tools.models.reasoning))
    results = carry_all(reasoning, asked, lambda one: _find(brief, one), lambda one: _documents(one.items))
    return tuple(_finding(one, text) for one, text in zip(asked, in_order(results), strict=True))


def _find(brief: Brief, asked: Asked) -> Exchange[str]:
    material = [block(brief, "notes", item.text, item.title) for item in asked.items]
    return (
        yield from write(
            prompt(
                brief,
                stage=Stage.REASONING,
                about=About(round=asked.question, part=asked.group, step=2),
                guide=_EXTRACT,
                material=[*material, block(brief, "question", asked.text)],
                request=f"{task_text(brief)}\n\nWhat do the notes say to the question?",
                max_tokens=_FOUND_TOKENS,
                window=brief.reasoning_window,
            )
        )
    )


def _finding(asked: Asked, text: str | Exception) -> Item:
    return Item(
        id=f"{asked.question}.{asked.group}",
        title=f"Question {asked.question}, group {asked.group} of the texts",
        text=asked.text,
        shown="" if isinstance(text, Exception) else text,
        places=tuple(place for item in asked.items for place in item.places),
        chosen=not isinstance(text, Exception),
        fault=str(text) if isinstance(text, Exception) else "",
    )


def _settings(size: Size) -> tuple[Setting, ...]:
    structure = max(min(32_768, size.window // 4), 256)
    return (
        Setting(
            name="core",
            label="Tokens of each document shown when choosing",
            value=80,
            least=10,
            most=400,
            says="The beginning of each document, from which the structure is chosen.",
        ),
        Setting(
            name="structure",
            label="Tokens of a structured document",
            value=structure,
            least=128,
            most=max(structure, 256),
            says="The R3Con paper has 32,768, so that models that think first can finish; fewer in a small window.",
        ),
        Setting(
            name="questions",
            label="Questions at most",
            value=5,
            least=1,
            most=10,
            says="Into how many questions the task is split; the paper has no bound.",
        ),
    )


def _plan(size: Size, options: Options) -> Sequence[StageEstimate]:
    reply, most = options["structure"], options["questions"]
    room = max(min(room_beside(size.window, int(reply), task="") - 2 * _LABEL, size.window - 2 * reply), 100)
    texts = sum(max(ceil(one * 1.2 / room), 1) for one in size.documents)
    calls = figure(1, texts + 1, 6 * texts + 3)
    each = size.tokens / max(texts, 1)
    written = figure(5, min(each * 0.3 + 60, reply), reply)
    first = asks(Stage.BUILDING, calls, figure(60, each + AROUND, 1.2 * size.window), written)
    ask_room = max(room_beside(size.window, _FOUND_TOKENS, task="") - 150 - size.task, 2 * _LABEL)
    in_groups = ceil(texts * (written.likely + _LABEL) / ask_room)
    most_groups = ceil(2 * max(size.tokens * 1.3, texts * reply) / ask_room) + 1
    later = figure(1 + 1, 1 + 0.7 * most * in_groups, 3 * (1 + most * most_groups))
    filled = texts * (written.likely + _LABEL) / in_groups
    second = asks(Stage.REASONING, later, figure(60, filled + AROUND, size.window), figure(2, 150, _FOUND_TOKENS))
    return (first, second, answers(most * in_groups * 150))


STRUCTRAG = Method(
    id="structrag",
    name="StructRAG",
    family="Structures",
    says="A structure is chosen for the task; each document is put into it; the task is split into questions, which are "
    "asked of the structured documents.",
    paper="Li et al., StructRAG: boosting knowledge intensive reasoning of LLMs via inference-time hybrid information "
    "structurization, ICLR 2025, arXiv 2410.08815",
    deviations=(
        "The model itself chooses the structure; the paper trains a router for it.",
        "A document too long for a prompt is structured in parts.",
        "The task is split into a bounded number of questions.",
        "Structured texts that do not fit one prompt are asked in groups.",
        "Chunks are all asked in order, without a search for the nearest ones.",
    ),
    principles=Principles(
        task_specific=Met.YES,
        enactive=Met.NO,
        flexible=Met.YES,
        why="The structure is chosen for the task, among several. But each document is put into it by itself and never "
        "read again in the light of the others.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
)

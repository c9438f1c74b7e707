"""StructRAG (Li et al. 2025): a structure is chosen for the task, each document is put into it, and parts are asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from r3con_core.methods.many import carry_all, in_order
from r3con_core.methods.planning import AROUND, answers, asks, figure
from r3con_core.methods.seam import Met, Method, Options, Principles, Setting, Size, Tools
from r3con_core.methods.structuring import LABEL, Structure, choose, documents_in, in_structure, within
from r3con_core.methods.writing import answer_from, block, fill_in, prompt, task_text, write
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, View

_DECOMPOSE = "You split a task into the simplest questions that can be asked of structured notes, each by itself."
_EXTRACT = "You take from structured notes exactly what answers a question. Say so in a word where they hold nothing."
_ANSWER = "You answer a task from what was found for each of the questions that it was split into."
_FOUND_TOKENS = 400


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
    chosen = choose(brief, tools)
    items = in_structure(brief, tools, chosen)
    usable = tuple(item for item in items if not item.fault)
    if not usable:
        raise R3ConError("The model could put none of the documents into the structure it chose. Try another model.")
    questions = _questions(brief, tools, usable, chosen)
    found = _extract(brief, tools, questions or (brief.task.text,), usable)
    tools.watch.built(_found_built(found, split=bool(questions)))
    told = [item for item in found if not item.fault]
    if not told:
        raise R3ConError("The model found nothing usable in the structured texts. Try another model.")
    room = room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text) - len(told) * 2 * LABEL
    rooms = share_out([estimate_tokens(item.shown) for item in told], max(room, len(told)))
    material = [
        block(brief, "finding", within(item.shown, tokens), item.text) for item, tokens in zip(told, rooms, strict=True)
    ]
    ask = holding(tools.models.reasoning, lambda: documents_in(usable))
    return converse(answer_from(brief, material, guide=_ANSWER, step=3), ask)


def _found_built(found: tuple[Item, ...], *, split: bool) -> Built:
    """The findings as they are looked at. `split`: the task was split into questions, not asked itself."""
    asked = (
        "The task was split into questions; this is what the structured texts say to each."
        if split
        else "The model split the task into no usable questions, so the task itself was asked. This is what the structured "
        "texts say to it."
    )
    return Built(
        name="What was found",
        says=f"{asked} It is all that the answer was written from.",
        view=View.TEXTS,
        items=found,
        read=True,
    )


def _questions(brief: Brief, tools: Tools, items: Sequence[Item], chosen: Structure) -> tuple[str, ...]:
    """What the task is split into; none where nothing usable is said."""
    most = int(brief.settings.option("questions"))
    room = room_beside(brief.reasoning_window, 300, task=brief.task.text)
    shown = items[: max(room // (2 * LABEL), 1)]
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=1),
        guide=_DECOMPOSE,
        material=[block(brief, "description", shorten(one.text.split("\n")[0], LABEL), one.title) for one in shown],
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
    ids = documents_in(shown)
    try:
        said = converse(fill_in(asked), holding(tools.models.reasoning, lambda: ids))["questions"]
    except GIVES_NOTHING:
        said = []
    kept = tuple(dict.fromkeys(shorten(one, 100) for one in said if one.strip()))
    return kept[:most]


def groups(items: Sequence[Item], room: int) -> tuple[tuple[Item, ...], ...]:
    """`items` in order, in as few groups as fit `room` tokens each; one that is longer by itself is cut."""
    found: list[list[Item]] = []
    left = 0
    for item in items:
        text = within(item.text, max(room - LABEL, 1))
        size = estimate_tokens(text) + LABEL
        if not found or size > left:
            found.append([])
            left = room
        found[-1].append(replace(item, text=text))
        left -= size
    return tuple(map(tuple, found))


def _extract(brief: Brief, tools: Tools, questions: Sequence[str], items: Sequence[Item]) -> tuple[Item, ...]:
    room = room_beside(brief.reasoning_window, _FOUND_TOKENS, task=brief.task.text) - 150
    parts = groups(items, max(room, 2 * LABEL))
    asked = [
        Asked(question=number, text=text, group=group, items=part)
        for number, text in enumerate(questions, start=1)
        for group, part in enumerate(parts, start=1)
    ]
    reasoning = replace(tools, models=replace(tools.models, reading=tools.models.reasoning))
    results = carry_all(reasoning, asked, lambda one: _find(brief, one), lambda one: documents_in(one.items))
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
    room = max(min(room_beside(size.window, int(reply), task="") - 2 * LABEL, size.window - 2 * reply), 100)
    texts = sum(max(ceil(one * 1.2 / room), 1) for one in size.documents)
    calls = figure(0, texts, 6 * texts)
    each = size.tokens / max(texts, 1)
    written = figure(5, min(each * 0.3 + 60, reply), reply)
    first = asks(Stage.BUILDING, calls, figure(60, each + AROUND, 1.2 * size.window), written)
    ask_room = max(room_beside(size.window, _FOUND_TOKENS, task="") - 150 - size.task, 2 * LABEL)
    in_groups = ceil(texts * (written.likely + LABEL) / ask_room)
    most_groups = ceil(2 * max(size.tokens * 1.3, texts * reply) / ask_room) + 1
    later = figure(2 + 1, 2 + 0.7 * most * in_groups, 3 * (2 + most * most_groups))
    filled = texts * (written.likely + LABEL) / in_groups
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
        "The model itself chooses the structure, as in the R3Con paper; the paper trains a router for it.",
        "It chooses among all five; the prompt of the released program, which the R3Con paper ran, offers three.",
        "It sees how each document begins; in the released program it sees their titles.",
        "A graph may hold any relations; the released program asks for which paper cites which.",
        "A document too long for a prompt is structured in parts.",
        "The task is split into a bounded number of questions.",
        "Structured texts that do not fit one prompt are asked in groups.",
        "Chunks are asked one question at a time, in groups; the released program asks each by itself, all questions at once.",
        "Prompts are our own.",
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

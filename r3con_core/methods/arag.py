"""A-RAG: an agent with three ways to look things up: by keywords, by meaning, and by reading a chunk in full.

The model chooses one tool a step, sees what came of it, and goes on until it answers or its steps are used up, after
which it must answer from what it has. A chunk that was read once is not given again ("context tracker").
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r3con_core.answers import Answer
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.figures import StageEstimate, figure
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.methods.lookups import Library, Lookup, make_library
from r3con_core.methods.passages import count_passages, cut_passages, passage_setting
from r3con_core.methods.planning import AROUND, about, answers, asks, embeds
from r3con_core.methods.seam import Met, Method, Needs, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import answer_from, answer_of, block, fill_in, prompt, task_text
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, View

_GUIDE = """You answer a task over a collection of documents that you cannot see at once. It is cut into numbered chunks. \
Look things up with one tool a step:
- keyword_search: chunks that hold the given "keywords" as they are written, with the sentences that do. Short and \
distinctive words find most: names, places, terms.
- semantic_search: chunks with sentences near in meaning to a "query", for what may be said in other words.
- read_chunk: the full text of the given "chunks" (numbers). Searches show single sentences only, so read what looks \
relevant before you rely on it, and the chunks before and after it where a text goes on.
- answer: the final "answer", once what you read settles the task.
Break a task with several parts into its parts and look for each. If a search finds nothing, try other words."""
_LAST_GUIDE = (
    "You answer a task from what an agent looked up in a collection of documents: sentences that its searches showed, and "
    "chunks that it read in full. Do not add what they do not say."
)
_REQUEST = """Reply with JSON: {{"thought": "...", "tool": "...", "keywords": [...], "query": "...", "chunks": [...], \
"answer": "..."}}. Leave out what the tool does not take. This is step {step} of {steps}."""
_SHAPE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "tool": {"enum": ["keyword_search", "semantic_search", "read_chunk", "answer"]},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "query": {"type": "string"},
        "chunks": {"type": "array", "items": {"type": "integer"}},
        "answer": {"type": "string"},
    },
    "required": ["thought", "tool"],
}
_LABEL = 30
"""Tokens of heading and marks of what one step found."""


def run(brief: Brief, tools: Tools) -> Answer:
    """Steps until the model answers, or until they are used up."""
    options = dict(brief.settings.options)
    library = make_library(cut_passages(brief, options["passage"]), tools.embed, int(options["found"]))
    done: list[Lookup] = []
    for step in range(1, int(options["steps"]) + 1):
        shown = _shown(brief, done)
        try:
            said = converse(_next(brief, shown, step, int(options["steps"])), _holding(tools, library, shown))
        except GIVES_NOTHING as error:
            tools.watch.built(_steps(library, (*done, Lookup(step=step, action="(none)", fault=str(error)))))
            break
        if said["tool"] == "answer" and str(said.get("answer", "")).strip():
            tools.watch.built(_steps(library, done))
            tools.watch.built(_read(library, done, shown))
            return answer_of(str(said["answer"]))
        done.append(library.look_up(step, said, shown, room=_room(brief) - _LABEL))
        tools.watch.built(_steps(library, done))
    shown = _shown(brief, done)
    tools.watch.built(_read(library, done, shown))
    material = tuple(_material(brief, shown))
    return converse(
        answer_from(brief, material, guide=_LAST_GUIDE, step=int(options["steps"]) + 1), _holding(tools, library, shown)
    )


def _holding(tools: Tools, library: Library, shown: Sequence[Lookup]) -> Any:
    ids = library.documents_of(chunk for one in shown for chunk in one.chunks)
    return holding(tools.models.reasoning, lambda: ids)


def _next(brief: Brief, shown: Sequence[Lookup], step: int, steps: int) -> Exchange[dict[str, Any]]:
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=step),
        guide=_GUIDE,
        material=tuple(_material(brief, shown)),
        request=f"{task_text(brief)}\n\n{_REQUEST.format(step=step, steps=steps)}",
        max_tokens=ANSWER_TOKENS,
        shape=_SHAPE,
        window=brief.reasoning_window,
    )
    return (yield from fill_in(asked))


def _room(brief: Brief) -> int:
    """Tokens for all that was looked up."""
    return room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text)


def _shown(brief: Brief, done: Sequence[Lookup]) -> tuple[Lookup, ...]:
    """What a prompt shows of what was looked up, in order: the latest in full, earlier ones as far as there is room."""
    room = _room(brief)
    shown: list[Lookup] = []
    for one in reversed(done):
        room -= one.tokens + _LABEL
        if room < 0:
            break
        shown.append(one)
    return tuple(reversed(shown))


def _material(brief: Brief, shown: Sequence[Lookup]) -> Iterator[str]:
    for one in shown:
        yield block(brief, "step", one.found or "Nothing was found.", f"Step {one.step}: {one.action}")


def _steps(library: Library, done: Sequence[Lookup]) -> Built:
    return Built(
        name="Steps of the agent",
        says="What the model looked up, step by step, and what it was shown.",
        view=View.STEPS,
        items=tuple(
            Item(
                id=str(one.step),
                title=f"Step {one.step}",
                text=one.action,
                shown=f"{one.thought}\n\n{one.found}".strip(),
                places=library.places_of(one.chunks),
                fault=one.fault,
            )
            for one in done
        ),
    )


def _read(library: Library, done: Sequence[Lookup], shown: Sequence[Lookup]) -> Built:
    """What each step found, as the prompt that answers has it; earlier ones are left out where the window is full."""
    return Built(
        name="What the answer was written from",
        says="All that the agent was shown. What is not marked had to be left out of the last prompt, which was full.",
        view=View.TEXTS,
        items=tuple(
            Item(
                id=f"found-{one.step}",
                title=f"Found in step {one.step}",
                text=one.found,
                places=library.places_of(one.chunks),
                chosen=one in shown,
            )
            for one in done
        ),
        read=True,
    )


def _settings(size: Size) -> tuple[Setting, ...]:
    return (
        passage_setting(
            size,
            at_million=1000,
            says="Of about so many tokens is what is read at once. About 1,000 in the paper.",
        ),
        Setting(
            name="steps",
            label="Steps",
            value=15.0,
            least=1.0,
            most=100.0,
            says="After so many lookups the model must answer. The paper's own default is 15.",
        ),
        Setting(
            name="found",
            label="Chunks a search shows",
            value=5.0,
            least=1.0,
            most=20.0,
            says="Each with the sentences that match. 5 in the paper.",
        ),
    )


def _plan(size: Size, options: Options) -> Sequence[StageEstimate]:
    steps, passage = options["steps"], min(options["passage"], size.tokens)
    each = min(2 * passage, size.tokens)
    shown = min(steps * each / 2, room_beside(size.window, ANSWER_TOKENS, task=""))
    sentences = size.tokens / 25
    return (
        embeds(1.2 * size.tokens, sentences + count_passages(size, options["passage"]).likely),
        asks(
            Stage.REASONING,
            figure(1, min(steps, 8), 3 * steps),
            about(shown / 2 + 3 * AROUND, 0.3, 2.2),
            about(80, 0.5, 3.0),
        ),
        answers(shown),
    )


ARAG = Method(
    id="arag",
    name="A-RAG",
    family="Agents",
    says="An agent that searches by keywords and by meaning and reads chunks, as it sees fit, until it can answer.",
    paper="Du, Xu, Zhu, Wang, Wang, Wang, Mao, A-RAG: Scaling Agentic Retrieval-Augmented Generation via Hierarchical "
    "Retrieval Interfaces, arXiv 2602.03442, 2026",
    deviations=(
        "Vectors come from the embedding model of this run.",
        "The paper uses Qwen3-Embedding-0.6B, the R3Con paper text-embedding-3-small.",
        "Tools are called by JSON in the reply, so that models without an interface for tools can be used.",
        "One tool is called a step; the released program lets the model call several at once.",
        "How many chunks a search shows is a setting; in the released program the model may ask for up to 20.",
        "Each step is a prompt of its own; when the window is full, what was looked up first is left out of it.",
        "A chunk that had to be left out may be read again.",
        "The same search is not carried out twice, and capitals and accents make no difference to keywords.",
        "The budget is in steps alone, not in tokens.",
        "Prompts are our own.",
    ),
    principles=Principles(
        task_specific=Met.NO,
        enactive=Met.NO,
        flexible=Met.NO,
        why="The agent is free in what it looks up, but what it looks things up in is an index of chunks, made without the "
        "task, each chunk by itself.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
    needs=frozenset({Needs.EMBEDDING}),
)

"""MemAgent (Yu et al. 2026): the corpus streams by in chunks, and a bounded memory is rewritten after each."""

from collections.abc import Sequence

from r3con_core.answers import Answer
from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.errors import R3ConError, ReplyError
from r3con_core.exchange import About, Exchange, Finish, Prompt, Reply, Stage, converse, holding
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reading import ask_until_read
from r3con_core.method.shortening import shorten
from r3con_core.methods.chunks import Chunk, cut
from r3con_core.methods.many import is_told
from r3con_core.methods.planning import AROUND, about, answers, asks, figure
from r3con_core.methods.seam import Met, Method, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import answer_from, block, prompt, task_text
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, View

_GUIDE = (
    "You read a long collection of documents once, section by section, and keep a memory of what helps with a task. "
    "You see the memory and the next section. Write the memory anew: keep what still helps, add what the section tells "
    "that helps, leave out the rest. What you leave out is gone."
)
_ANSWER = "You have read a collection of documents section by section. All you have now is the memory that you kept."
_NOTHING_YET = "Nothing yet."

Section = tuple[Chunk, ...]


def sections(corpus: Corpus, tokens: int) -> tuple[Section, ...]:
    """The stream of all documents in order, as sections of at most about `tokens`; a section may hold several."""
    found: list[list[Chunk]] = []
    room = 0
    for chunk in cut(corpus, tokens):
        size = estimate_tokens(chunk.text)
        if not found or size > room:
            found.append([])
            room = tokens
        found[-1].append(chunk)
        room -= size
    return tuple(map(tuple, found))


def run(brief: Brief, tools: Tools) -> Answer:
    """One prompt for each section, each with the memory so far; then one with the memory alone."""
    most = int(brief.settings.option("memory"))
    stream = sections(brief.corpus, int(brief.settings.option("chunk")))
    memory, states, seen = "", [], dict[str, None]()
    for number, section in enumerate(stream, start=1):
        seen |= dict.fromkeys(chunk.document_id for chunk in section)
        state = _state(brief, tools, section, memory, number, most, tuple(seen))
        memory = memory if state.fault else state.text
        states.append(state)
        if is_told(number, len(stream)):
            tools.watch.built(_built(states, done=number == len(stream)))
    if not memory:
        raise R3ConError("The model wrote nothing usable about any section of the documents. Try another model.")
    ask = holding(tools.models.reasoning, lambda: tuple(seen))
    return converse(answer_from(brief, [block(brief, "memory", memory)], guide=_ANSWER), ask)


def _state(  # noqa: PLR0913 - what one step of the stream rests on
    brief: Brief, tools: Tools, section: Section, memory: str, number: int, most: int, seen: tuple[str, ...]
) -> Item:
    asked = _prompt(brief, section, memory, number, most)
    text, fault = memory, ""
    try:
        text = converse(rewrite(asked, most), holding(tools.models.reading, lambda: seen))
    except GIVES_NOTHING as error:
        fault = f"{error} The memory stays as it was."
    return Item(
        id=str(number),
        title=f"Memory after section {number}",
        text=text,
        places=tuple(chunk.place for chunk in section),
        fault=fault,
    )


def _prompt(brief: Brief, section: Section, memory: str, number: int, most: int) -> Prompt:
    material = [block(brief, "memory", memory or _NOTHING_YET)]
    material += [block(brief, "section", chunk.text, chunk.title) for chunk in section]
    return prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(step=number),
        guide=_GUIDE,
        material=material,
        request=f"{task_text(brief)}\n\nWrite the new memory, in at most {most} tokens, about {most * 3 // 4} words.",
        max_tokens=most + most // 2,
    )


def rewrite(asked: Prompt, most: int) -> Exchange[str]:
    """The new memory, never over `most` tokens by our estimate: a longer one is refused once, then cut."""
    refused: list[str] = []

    def read(reply: Reply) -> str:
        text = reply.text.strip()
        if not text:
            raise ReplyError("it is empty")
        too_long = reply.finish is Finish.CUT_OFF or estimate_tokens(text) > most
        if too_long and not refused:
            refused.append(text)
            raise ReplyError(f"it is longer than {most} tokens; write a shorter memory")
        return text if estimate_tokens(text) <= most else shorten(text, most)

    return (yield from ask_until_read(asked, read))


def _built(states: Sequence[Item], *, done: bool) -> Built:
    *before, last = states
    shown = (
        *before,
        Item(id=last.id, title=last.title, text=last.text, places=last.places, chosen=True, fault=last.fault),
    )
    return Built(
        name="The memory",
        says="The one text that the model keeps while it reads, after each section. What it drops it never sees again.",
        view=View.STATES,
        items=shown if done else tuple(states),
        read=done,
    )


def _settings(size: Size) -> tuple[Setting, ...]:
    room = room_beside(size.window, 0, task="") - size.task
    memory = max(min(1024, room // 6, max(size.tokens // 10, 160)), 64)
    chunk = max(min(5000, room - 3 * memory, max(size.tokens // 6, 200)), 100)
    return (
        Setting(
            name="chunk",
            label="Tokens of a section",
            value=chunk,
            least=50,
            most=max(chunk, room - 3 * memory),
            says="How much is read at once. MemAgent has 5,000; fewer for a small corpus.",
        ),
        Setting(
            name="memory",
            label="Tokens of the memory",
            value=memory,
            least=32,
            most=max(memory, min(4096, room // 6)),
            says="The memory is never longer. MemAgent has 1,024; fewer for a small corpus.",
        ),
    )


def _plan(size: Size, options: Options) -> Sequence[StageEstimate]:
    chunk, memory = options["chunk"], options["memory"]
    likely = max(size.tokens * 1.3 / chunk, 1)
    calls = figure(max(size.tokens * 0.8 / chunk, 1), likely, 4 * likely + len(size.documents) + 3)
    read = figure(size.tokens / calls.high, size.tokens / likely, chunk * 1.2)
    sent = figure(AROUND + read.low, AROUND + read.likely + memory * 0.8 + size.task, AROUND + read.high + 2.5 * memory)
    return (asks(Stage.BUILDING, calls, sent, about(memory * 0.7, 0.05, 2.2)), answers(memory + size.task))


MEMAGENT = Method(
    id="memagent",
    name="MemAgent",
    family="Memory",
    says="The model reads everything once, section by section, and rewrites one short memory; it answers from that alone.",
    paper="Yu et al., MemAgent: reshaping long-context LLM with multi-conv RL-based memory agent, ICLR 2026, "
    "arXiv 2507.02259",
    deviations=(
        "Any model keeps the memory; the paper and the R3Con paper use one that was trained for it by reinforcement.",
        "Sections end at natural breaks and say of which document they are.",
        "A memory over its bound is refused once and then cut, where the paper only limits the length of the reply.",
        "Sections and memory are smaller than 5,000 and 1,024 tokens where corpus or window are small.",
        "Prompts are our own.",
    ),
    principles=Principles(
        task_specific=Met.YES,
        enactive=Met.LIMITED,
        flexible=Met.NO,
        why="The memory is kept for the task and changes as more is read. But each section is read once and never again "
        "in the light of later ones, and the form is fixed: one bounded text.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
)

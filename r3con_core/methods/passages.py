"""The end of every method that ranks passages: the best of them go to a reader, as many as its window takes in."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from r3con_core.answers import Answer
from r3con_core.documents import estimate_tokens
from r3con_core.embedding import Side
from r3con_core.errors import CorpusError
from r3con_core.exchange import converse, holding
from r3con_core.figures import Figure, figure
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.method.shortening import shorten
from r3con_core.methods.chunks import Chunk, cut
from r3con_core.methods.ranking import stretched
from r3con_core.methods.seam import Setting, Size, Tools
from r3con_core.methods.writing import answer_from, block
from r3con_core.traces import Built, Item, View

READ = 5
"""Passages that the reader gets, in both papers."""
_AROUND = 24
"""Tokens of title and marks of a passage."""
SHOWN = 200
"""Passages of a ranking that are kept; nobody looks further down."""
LAST = 2
"""The step of the reader's prompt; what is asked before it, over the task, is step 1."""
_GUIDE = (
    "You answer a task from passages that a search found in a collection of documents. The best match comes first. "
    "Passages may be incomplete or beside the point: use what bears on the task, and do not add what they do not say."
)


def cut_passages(brief: Brief, tokens: float) -> tuple[Chunk, ...]:
    """The passages of the corpus, numbered from 1, as the window takes them in. CorpusError where there is no text."""
    room = room_beside(brief.settings.window, ANSWER_TOKENS, task="") - _AROUND
    held = (chunk for chunk in cut(brief.corpus, int(min(tokens, room))) if chunk.text.strip())
    chunks = tuple(replace(chunk, number=number) for number, chunk in enumerate(held, start=1))
    if not chunks:
        raise CorpusError("The documents hold no text that could be searched.")
    return chunks


def reading_setting() -> Setting:
    """How many passages the reader gets."""
    return Setting(
        name="read",
        label="Passages read",
        value=float(READ),
        least=1.0,
        most=100.0,
        says="The best passages go to the model that answers, as many of them as its window takes in. The papers have 5.",
    )


def passage_setting(size: Size, *, at_million: int, says: str) -> Setting:
    """How long a passage is: `at_million` tokens for a corpus of a million, less for smaller ones and small windows."""
    room = room_beside(size.window, ANSWER_TOKENS, task="") - size.task
    most = max(room // READ - _AROUND, 64)
    wanted = at_million * math.sqrt(size.tokens / 1_000_000)
    return Setting(
        name="passage",
        label="Tokens of a passage",
        value=float(round(min(max(wanted, 128), at_million, most))),
        least=64.0,
        most=float(max(room - _AROUND, 64)),
        says=says,
    )


def count_passages(size: Size, tokens: float) -> Figure:
    """How many passages there will be: documents are halved until their parts are short enough."""
    longs = [length / max(tokens, 1) for length in size.documents if length]
    low = sum(math.ceil(one) for one in longs)
    likely = sum(2 ** math.ceil(math.log2(max(one, 1))) for one in longs)
    return figure(low, likely, 2 * likely)


def documents_of(passages: Sequence[Chunk]) -> tuple[str, ...]:
    """Ids of the documents that passages are from, each once."""
    return tuple(dict.fromkeys(passage.document_id for passage in passages))


def likeness(brief: Brief, tools: Tools, passages: Sequence[Chunk]) -> list[float]:
    """How near each passage is to the task by its vector, stretched to 0 to 1."""
    vectors = tools.embed(tuple(passage.text for passage in passages), holds=documents_of(passages))
    task = tools.embed((brief.task.text,), side=Side.QUERY, holds=())
    return [float(score) for score in stretched((vectors @ task.T)[:, 0])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A passage with what the search made of it."""

    chunk: Chunk
    score: float


def answer_from_best(brief: Brief, tools: Tools, ranked: Sequence[Ranked], *, count: float, how: str) -> Answer:
    """The answer that a reader gives from the first `count` of `ranked`, as far as they fit. The ranking is told.

    `how` it was made: "by PageRank".
    """
    texts = _fitting(brief, ranked[: int(count)])
    items = tuple(_item(place, one, texts) for place, one in enumerate(ranked[:SHOWN]))
    which = "All passages" if len(ranked) <= SHOWN else f"The best {SHOWN} of {len(ranked):,} passages"
    says = f"{which}, ranked {how}. The best go to the reader."
    tools.watch.built(Built(name="Ranking of passages", says=says, view=View.RANKING, items=items, read=True))
    read = [(ranked[place].chunk, text) for place, text in texts.items()]
    ids = documents_of([chunk for chunk, _ in read])
    titles = [f"{chunk.title}: {brief.corpus.get(chunk.document_id).title}" for chunk, _ in read]
    material = [block(brief, "passage", text, title) for (_, text), title in zip(read, titles, strict=True)]
    ask = holding(tools.models.reasoning, lambda: ids)
    return converse(answer_from(brief, material, guide=_GUIDE, step=LAST), ask)


def _fitting(brief: Brief, ranked: Sequence[Ranked]) -> dict[int, str]:
    """Place -> text of those that fit the window, the best first; the best is shortened where it does not by itself."""
    room = room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text)
    texts: dict[int, str] = {}
    for place, one in enumerate(ranked):
        text, needed = one.chunk.text, estimate_tokens(one.chunk.text) + _AROUND
        if needed > room and not texts:
            text = shorten(text, max(room - _AROUND, 1))
            needed = room
        if needed <= room:
            texts[place] = text
            room -= needed
    return texts


def _item(place: int, one: Ranked, texts: dict[int, str]) -> Item:
    text = texts.get(place, one.chunk.text)
    cut_short = "Only its beginning was read: the model takes in no more." if text != one.chunk.text else ""
    return Item(
        id=f"p{one.chunk.number}",
        title=one.chunk.title,
        kind="passage",
        text=text,
        shown=cut_short,
        places=(one.chunk.place,),
        score=one.score,
        chosen=place in texts,
    )

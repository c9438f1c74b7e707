"""How prompts are put together: in which order their parts stand, and what fits the window.

Servers with a prefix cache read the beginning that two prompts share once, so parts stand where calls share most:

- Rounds: the other documents' snippets in leave-one-out tree order. Going down from the whole corpus to one document,
  the half that does not hold it is appended at each level: neighbours share all but the last of it, and no document
  ever sees its own snippet.
- Documents longer than all snippets together come first, so that later rounds and parsing find them read.
- Stages that read all snippets have them first, before what is said of the stage.

The parts of a prompt are the same in every order. Simulated on Dracula: 0.36 M instead of 0.79 M fresh tokens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from r3con_core.documents import Document, Part, estimate_tokens, read_part, split_into_parts
from r3con_core.exchange import Message
from r3con_core.method.brief import Brief
from r3con_core.method.marks import one_line, without_mark
from r3con_core.method.prompts import fill
from r3con_core.runs import Guidance, Layout
from r3con_core.schema.views import types_outline
from r3con_core.schemas import RecordType

OVERHEAD = 1.15
"""Estimates may be that much too low."""
FIXED = 800
"""Tokens of instructions, task, schema outline and request in a prompt; 550 while reading, 600 to 900 while parsing."""
MOST_REPLY = 1200
LEAST_ROOM = 256
LABEL = 6
"""Tokens of "Document 12: " before a snippet."""
MOST_TITLE = 120
"""Letters."""
NOTE_FLOOR = 40
"""Tokens under which a snippet is not shortened: what is left would say nothing."""
LANES = 16
MARKED_LEVELS = 2
"""Of the tree of snippets that are marked as shared; with the instructions and the document endpoints take four."""


class Order(Enum):
    """Which part of a prompt comes when."""

    GUIDE_FIRST = "guide, snippets, document"
    """Snippets differ from call to call."""
    SNIPPETS_FIRST = "snippets, guide, document"
    """Snippets are the same in all calls of the stage and in other stages."""
    DOCUMENT_FIRST = "document, snippets, guide"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The parts of a prompt; "" and () are left out."""

    guide: str
    """What to do."""
    notes: tuple[str, ...] = ()
    """Snippets with their marks, in the order shown."""
    shared: tuple[int, ...] = ()
    """After how many of `notes` a prefix ends that other prompts share."""
    document: str = ""
    material: str = ""
    """What all prompts of the stage show beside snippets: names of records and fields, words to look for."""
    request: str = ""


def arrange(brief: Brief, blocks: Blocks, order: Order) -> tuple[Message, ...]:
    """The messages of a prompt: what all stages share as system message, then the parts in `order`.

    A system message holds our own words and the task only. What comes from documents, or from a reply over them, is in
    `notes`, `document` and `material`, between marks.
    """
    common = common_text(brief)
    if brief.settings.layout is Layout.PAPER:
        return (
            _message("system", (common, blocks.guide)),
            _message("user", (blocks.material, *blocks.notes, blocks.document, blocks.request)),
        )
    system: tuple[str, ...] = (common,)
    match order:
        case Order.GUIDE_FIRST:
            system, user = (common, blocks.guide), (blocks.material, *blocks.notes, blocks.document, blocks.request)
            marks = tuple(mark + bool(blocks.material) for mark in blocks.shared)
        case Order.SNIPPETS_FIRST:
            user = (*blocks.notes, blocks.material, blocks.guide, blocks.document, blocks.request)
            shared = len(blocks.notes)
            marks = (shared, shared + 1 + bool(blocks.material)) if blocks.notes else ()
        case Order.DOCUMENT_FIRST:
            user = (blocks.document, *blocks.notes, blocks.material, blocks.guide, blocks.request)
            marks = (1,)
    return _message("system", system, (len(system),)), _message("user", user, marks)


def _message(role: str, pieces: Sequence[str], marks: tuple[int, ...] = ()) -> Message:
    return Message(role=role, pieces=tuple(filter(None, pieces)), marks=marks)


def common_text(brief: Brief) -> str:
    """What every prompt over documents begins with."""
    task = brief.task.text if brief.settings.guidance is Guidance.TASK else ""
    return fill("common", brief.settings.prompts, "common", fence=brief.mark, task=task)


def words_block(brief: Brief) -> str:
    """The words that readers look for, between marks: a model named them; "" where there are none."""
    words = [one_line(word, brief.mark) for word in brief.look_for]
    return fill("common", brief.settings.prompts, "look_for", fence=brief.mark, words=words) if words else ""


def types_block(brief: Brief, types: Sequence[RecordType]) -> str:
    """Record types with their fields, between marks: names, meanings and choices may come from documents."""
    outline = without_mark(types_outline(tuple(types)), brief.mark)
    return fill("common", brief.settings.prompts, "outline", fence=brief.mark, outline=outline)


def document_block(brief: Brief, document: Document, part: Part) -> str:
    """One document, or a part of it, between its marks; the same in every stage, and wherever it stands in the corpus."""
    return fill(
        "common",
        brief.settings.prompts,
        "document",
        fence=brief.mark,
        title=one_line(document.title, brief.mark)[:MOST_TITLE],
        text=read_part(document, part),
        part=part.number,
        parts=part.count,
    )


def crowd(brief: Brief) -> int:
    """Documents of the corpus, rounded up to a power of two: one more document seldom changes any room."""
    return 1 << max(len(brief.corpus.documents) - 1, 0).bit_length()


def reply_room(brief: Brief) -> int:
    """Tokens of the window kept for a reply."""
    return min(MOST_REPLY, brief.settings.window // 6)


def _room(brief: Brief) -> int:
    """Tokens of the window, in our estimate, for a document and the snippets of the others together."""
    return room_beside(brief.settings.window, MOST_REPLY, task=brief.task.text)


def room_beside(window: int, reply: int, *, task: str) -> int:
    """Tokens of `window`, in our estimate, beside instructions, task and a reply, which gets a sixth of it at most."""
    around = FIXED + estimate_tokens(task)
    return max(2 * LEAST_ROOM, int((window - min(reply, window // 6)) / OVERHEAD) - around)


def left_in(window: int, messages: Sequence[Message]) -> int:
    """Tokens of `window` that `messages` leave; below zero where they outgrow it."""
    return window - int(OVERHEAD * sum(estimate_tokens(piece) for message in messages for piece in message.pieces))


def fitting_reply(window: int, messages: Sequence[Message], wanted: int) -> int:
    """Room for a reply: `wanted`, or less where that does not fit `window`: servers refuse what it might outgrow."""
    return min(wanted, max(left_in(window, messages), LEAST_ROOM))


def snippet_room(brief: Brief) -> int:
    """Tokens for one snippet: as the settings have it, less where so many documents would not fit the window."""
    most = brief.settings.snippet_tokens
    return max(min(most, NOTE_FLOOR), min(most, _room(brief) // 2 // crowd(brief) - LABEL))


def _expected_notes(brief: Brief) -> int:
    """Tokens that all snippets together may come to."""
    return min(crowd(brief) * (snippet_room(brief) + LABEL), _room(brief) // 2)


def document_room(brief: Brief) -> int:
    """Tokens of the longest stretch of a document that is read at once, the same in all stages."""
    return _room(brief) - _expected_notes(brief)


def notes_room(brief: Brief) -> int:
    """Tokens for the snippets of the other documents: what the longest document leaves."""
    return _room(brief) - min(brief.corpus.longest, document_room(brief))


def schema_notes_room(window: int, *, task: str) -> int:
    """Tokens for the snippets that a schema is proposed from."""
    return min(window // 2, room_beside(window, MOST_REPLY, task=task))


def parts_of(brief: Brief, document: Document) -> tuple[Part, ...]:
    """The parts in which `document` is read, the same in all stages."""
    return split_into_parts(document, tokens=document_room(brief))


def reads_document_first(brief: Brief, document: Document) -> bool:
    """Whether `document` is so long that it is cheaper to read the snippets anew each time than the document."""
    most = _expected_notes(brief)
    if len(document.text) <= most:
        return False
    beginning = document.text[: 8 * most]  # nearly always enough, and asked for each of a thousand parts
    return estimate_tokens(beginning) > most or estimate_tokens(document.text) > most


def tree_order(count: int, place: int) -> Iterator[range]:
    """All places but `place` of `count`, as ranges: at each halving the half without it, from the largest down."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if place < middle:
            yield range(middle, high)
            high = middle
        else:
            yield range(low, middle)
            low = middle


def lane(brief: Brief, stage: str, document: Document) -> str:
    """What neighbours of `document` have in common at `stage`: their prompts share a long prefix."""
    count = len(brief.corpus.documents)
    return f"{brief.task.id}-{stage}-{(brief.corpus.number(document.id) - 1) * LANES // count}"

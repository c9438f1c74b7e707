"""Stage 1: what each document contributes to the task, re-read in the light of the others (paper section 4.1)."""

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from r3con_core.documents import Document, Part
from r3con_core.exchange import About, Exchange, Finish, Message, Prompt, Reply, Stage
from r3con_core.folding import UNSPACED_LETTER
from r3con_core.method.brief import Brief
from r3con_core.method.grounding import belongs_elsewhere, foreign_terms
from r3con_core.method.layout import (
    Blocks,
    Order,
    arrange,
    document_block,
    lane,
    parts_of,
    reads_document_first,
    snippet_room,
    words_block,
)
from r3con_core.method.marks import one_line
from r3con_core.method.notes import NOTHING, Notes, Shown
from r3con_core.method.prompts import fill
from r3con_core.method.reading import MAX_ATTEMPTS, ask_until_read, decode_cut_object, decode_object
from r3con_core.snippets import RelevanceSnippet

MAX_FACTS = 6
TOKENS_PER_FACT = 18
_SNIPPET_SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "document_is": {"type": "string"},
        "facts": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_FACTS},
    },
    "required": ["document_is", "facts"],
    "additionalProperties": False,
}
_FOCUS_SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"look_for": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 6}},
    "required": ["look_for"],
    "additionalProperties": False,
}


def find_focus(brief: Brief) -> Exchange[tuple[str, ...]]:
    """One call: what kinds of facts a reader of any one document should write down.

    A 1.5B model given the task answers it in its snippets; given these words and kinds of facts it notes what is there.
    """
    version = brief.settings.prompts
    prompt = Prompt(
        stage=Stage.FOCUS,
        messages=(
            Message(role="system", pieces=(fill("focus", version, "system"),)),
            Message(role="user", pieces=(fill("focus", version, "request", task=brief.task.text),)),
        ),
        shape=_FOCUS_SHAPE,
        max_tokens=200,
        mark=brief.mark,
    )
    return (yield from ask_until_read(prompt, _read_focus))


def _read_focus(reply: Reply) -> tuple[str, ...]:
    wanted = (" ".join(item.split()) for item in decode_object(reply, _FOCUS_SHAPE)["look_for"])
    return tuple(dict.fromkeys(item for item in wanted if item))


def write_snippet(
    brief: Brief, document: Document, notes: Notes | None = None, hints: tuple[str, ...] = ()
) -> Exchange[RelevanceSnippet]:
    """The relevance snippet of one document, seeing the other documents' snippets in `notes` and never its own.

    A document too long for the window is read in parts, and its snippet is what the parts gave, in order. When a reply
    holds nothing but other documents' facts, the document is read once more without their snippets.
    Asked for as a list of facts: as one paragraph a 1.5B model wrote about the document ("it contains the number of
    cases") in 4 of 10 snippets, as facts in none. `hints` are what a person asks the readers of this round to mind.
    """
    shown = notes.others(document) if notes else NOTHING
    reading = _Reading(brief=brief, number=notes.round.number + 1 if notes else 1, hints=hints)
    texts: list[str] = []
    left_out: list[str] = []
    for part in parts_of(brief, document):
        prompt = _snippet_prompt(reading, shown, document, part)
        read = partial(_read_facts, document=document, notes=shown)
        said = yield from ask_until_read(prompt, read)
        left_out += said.foreign
        if said.foreign and not said.facts:
            alone = _snippet_prompt(reading, NOTHING, document, part)
            said = yield from ask_until_read(replace(alone, attempt=MAX_ATTEMPTS + 1), read)
        texts.append(" ".join([said.document_is, *said.facts]).strip() if said.facts else "")
    text = "\n".join(text for text in texts if text)
    return RelevanceSnippet(
        document_id=document.id,
        text=text,
        foreign=foreign_terms(text, document.text),
        left_out=tuple(dict.fromkeys(left_out)),
    )


def _guide(brief: Brief) -> str:
    room = snippet_room(brief)
    tight = room < brief.settings.snippet_tokens
    return fill(
        "snippet",
        brief.settings.prompts,
        "guide",
        facts=max(2, room // TOKENS_PER_FACT) if tight else MAX_FACTS,
        words=room * 3 // 4 if tight else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What all prompts of one round share."""

    brief: Brief
    number: int
    hints: tuple[str, ...]


def _request(reading: _Reading, document: Document, *, again: bool) -> str:
    """What is asked of the reader, after the hints of the round if it has any."""
    brief = reading.brief
    version = brief.settings.prompts
    asked = fill("snippet", version, "request", number=brief.corpus.number(document.id), again=again)
    if not reading.hints:
        return asked
    hints = [one_line(hint, brief.mark) for hint in reading.hints]
    return f"{fill('hint', version, 'hint', hints=hints)}\n\n{asked}"


def _snippet_prompt(reading: _Reading, shown: Shown, document: Document, part: Part) -> Prompt:
    brief = reading.brief
    blocks = Blocks(
        guide=_guide(brief),
        notes=shown.pieces,
        shared=shown.shared,
        document=document_block(brief, document, part),
        material=words_block(brief),
        request=_request(reading, document, again=bool(shown.pieces)),
    )
    order = Order.DOCUMENT_FIRST if reads_document_first(brief, document) else Order.GUIDE_FIRST
    return Prompt(
        stage=Stage.RELEVANCE,
        about=About(document_id=document.id, round=reading.number, part=part.number),
        messages=arrange(brief, blocks, order),
        shape=_SNIPPET_SHAPE,
        max_tokens=brief.settings.snippet_tokens * 2 + 60,
        lane=lane(brief, f"round-{reading.number}", document),
        mark=brief.mark,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    document_is: str
    facts: tuple[str, ...]
    foreign: tuple[str, ...]


def _read_facts(reply: Reply, document: Document, notes: Shown) -> _Said:
    """A reply's facts, each once, apart from those that are another document's. A cut reply loses its last fact.

    A fact is another's when it names no document it leans on, and holds names or figures that this document does not,
    or is told in the words of the notes.
    """
    value = _decode_cut(reply) if reply.finish is Finish.CUT_OFF else decode_object(reply, _SNIPPET_SHAPE)
    said = [sentence(fact) for fact in value["facts"] if _says_something(fact)]
    facts: list[str] = []
    foreign: list[str] = []
    for fact in dict.fromkeys(said):
        leans = "Document " in fact
        strange = foreign_terms(fact, document.text) or belongs_elsewhere(fact, document.text, notes.pieces)
        (foreign if strange and not leans else facts).append(fact)
    return _Said(
        document_is=_kind_of_document(value["document_is"], document),
        facts=tuple(facts[:MAX_FACTS]),
        foreign=tuple(foreign),
    )


def _decode_cut(reply: Reply) -> dict[str, Any]:
    """What a reply that was cut off said before, with however many facts."""
    whole = {"document_is": "", "facts": [], **decode_cut_object(reply)}
    facts = {"type": "array", "items": {"type": "string"}}
    shape = {**_SNIPPET_SHAPE, "properties": {**_SNIPPET_SHAPE["properties"], "facts": facts}}
    return decode_object(replace(reply, text=json.dumps(whole), finish=Finish.COMPLETE), shape)


def _says_something(fact: str) -> bool:
    """Whether it is more than a name: three words, or as much in a script without blanks."""
    return len(fact.split()) > 2 or len(UNSPACED_LETTER.findall(fact)) > 5


def _kind_of_document(text: str, document: Document) -> str:
    """What the document is, without its bare number and without names it does not hold."""
    text = re.sub(r"^Document \d+\b[\s.:,-]*(?:is\b\s*)?", "", " ".join(text.split()))
    return "" if foreign_terms(text, document.text) else sentence(text)


def sentence(text: str) -> str:
    """`text` on one line, with a full stop if it has no other end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?:。”\"'" else f"{text}."

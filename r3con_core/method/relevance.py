"""Stage 1: what each document contributes to the task, re-read in the light of the others (paper section 4.1)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from r3con_core.documents import Corpus, Document, Part, read_part, split_into_parts
from r3con_core.exchange import About, Exchange, Finish, Message, Prompt, Reply, Stage
from r3con_core.method.grounding import belongs_elsewhere, foreign_terms
from r3con_core.method.layout import (
    NOTES_SHARE,
    fence,
    notes_of,
    one_line,
    others_in_tree_order,
    room_for_document,
)
from r3con_core.method.prompts import fill
from r3con_core.method.reading import MAX_ATTEMPTS, ask_until_read, decode_cut_object, decode_object
from r3con_core.runs import Guidance, RunSettings
from r3con_core.snippets import RelevanceSnippet, Round
from r3con_core.tasks import Task

MAX_FACTS = 6
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What all prompts of one run share."""

    task: Task
    corpus: Corpus
    settings: RunSettings
    mark: str
    """Around every document and note; no document holds it."""
    look_for: tuple[str, ...] = ()


def make_brief(task: Task, corpus: Corpus, settings: RunSettings) -> Brief:
    """The shared part of a run's prompts, before the focus is known."""
    return Brief(task=task, corpus=corpus, settings=settings, mark=fence(task, corpus))


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
    )
    return (yield from ask_until_read(prompt, _read_focus))


def _read_focus(reply: Reply) -> tuple[str, ...]:
    wanted = (" ".join(item.split()) for item in decode_object(reply, _FOCUS_SHAPE)["look_for"])
    return tuple(dict.fromkeys(item for item in wanted if item))


def write_snippet(brief: Brief, document: Document, previous: Round | None) -> Exchange[RelevanceSnippet]:
    """The relevance snippet of one document, seeing the other documents' snippets of `previous` and never its own.

    A document too long for the window is read in parts, and its snippet is what the parts gave, in order. When a reply
    holds nothing but other documents' facts, the document is read once more without their snippets.
    Asked for as a list of facts: as one paragraph a 1.5B model wrote about the document ("it contains the number of
    cases") in 4 of 10 snippets, as facts in none.
    """
    others = _others(brief, document, previous)
    texts: list[str] = []
    left_out: list[str] = []
    for part in parts_for(brief, document, f"{_system(brief)}\n\n{others}"):
        prompt = _snippet_prompt(brief, others, (document, part), previous.number + 1 if previous else 1)
        read = partial(_read_facts, document=document, notes=others)
        said = yield from ask_until_read(prompt, read)
        left_out += said.foreign
        if said.foreign and not said.facts:
            alone = _snippet_prompt(brief, "", (document, part), prompt.about.round)
            said = yield from ask_until_read(replace(alone, attempt=MAX_ATTEMPTS + 1), read)
        texts.append(" ".join([said.document_is, *said.facts]).strip() if said.facts else "")
    text = "\n".join(text for text in texts if text)
    return RelevanceSnippet(
        document_id=document.id,
        text=text,
        foreign=foreign_terms(text, document.text),
        left_out=tuple(dict.fromkeys(left_out)),
    )


def parts_for(brief: Brief, document: Document, around: str) -> Sequence[Part]:
    """The parts in which `document` fits the window beside the text `around` it."""
    room = room_for_document(brief.settings.window, around=around, reply=brief.settings.snippet_tokens * 4)
    return split_into_parts(document, tokens=room)


def _system(brief: Brief) -> str:
    return fill(
        "snippet",
        brief.settings.prompts,
        "system",
        fence=brief.mark,
        task=brief.task.text if brief.settings.guidance == Guidance.TASK else "",
        look_for=brief.look_for,
    )


def _others(brief: Brief, document: Document, previous: Round | None) -> str:
    if previous is None:
        return ""
    said = {snippet.document_id: snippet for snippet in previous.others(document.id)}
    others = notes_of(
        brief.corpus,
        others_in_tree_order(brief.corpus, document.id, said),
        budget=int(brief.settings.window * NOTES_SHARE),
    )
    return fill("snippet", brief.settings.prompts, "others", fence=brief.mark, others=others) if others else ""


def document_block(brief: Brief, document: Document, part: Part, *, stage: str) -> str:
    """One document, or a part of it, between its marks."""
    return fill(
        stage,
        brief.settings.prompts,
        "document",
        fence=brief.mark,
        number=brief.corpus.number(document.id),
        title=one_line(document.title),
        text=read_part(document, part),
        part=part.number,
        parts=part.count,
    )


def _snippet_prompt(brief: Brief, others: str, of: tuple[Document, Part], number: int) -> Prompt:
    document, part = of
    request = fill(
        "snippet", brief.settings.prompts, "request", number=brief.corpus.number(document.id), again=bool(others)
    )
    blocks = [others, document_block(brief, document, part, stage="snippet"), request]
    return Prompt(
        stage=Stage.RELEVANCE,
        about=About(document_id=document.id, round=number, part=part.number),
        messages=(
            Message(role="system", pieces=(_system(brief),)),
            Message(role="user", pieces=("\n\n".join(block for block in blocks if block),)),
        ),
        shape=_SNIPPET_SHAPE,
        max_tokens=brief.settings.snippet_tokens * 2 + 60,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    document_is: str
    facts: tuple[str, ...]
    foreign: tuple[str, ...]


def _read_facts(reply: Reply, document: Document, notes: str) -> _Said:
    """A reply's facts, each once, apart from those that are another document's. A cut reply loses its last fact.

    A fact is another's when it names no document it leans on, and holds names or figures that this document does not,
    or is told in the words of the notes.
    """
    cut = reply.finish is Finish.CUT_OFF
    value = decode_cut_object(reply) if cut else decode_object(reply, _SNIPPET_SHAPE)
    said = [sentence(fact) for fact in value.get("facts", ()) if len(fact.split()) > 2]
    facts: list[str] = []
    foreign: list[str] = []
    for fact in dict.fromkeys(said):
        leans = "Document " in fact
        strange = foreign_terms(fact, document.text) or belongs_elsewhere(fact, document.text, notes)
        (foreign if strange and not leans else facts).append(fact)
    return _Said(
        document_is=_kind_of_document(value.get("document_is", ""), document),
        facts=tuple(facts[:MAX_FACTS]),
        foreign=tuple(foreign),
    )


def _kind_of_document(text: str, document: Document) -> str:
    """What the document is, without its bare number and without names it does not hold."""
    text = re.sub(r"^Document \d+\b[\s.:,-]*(?:is\b\s*)?", "", " ".join(text.split()))
    return "" if foreign_terms(text, document.text) else sentence(text)


def sentence(text: str) -> str:
    """`text` on one line, with a full stop if it has no other end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?:。”\"'" else f"{text}."


def with_focus(brief: Brief, look_for: tuple[str, ...]) -> Brief:
    """The brief with what readers look for."""
    return replace(brief, look_for=look_for)

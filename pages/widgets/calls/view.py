"""One call, opened: what was sent, message by message, what came back, and what it took."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from pages.widgets.documents.places import utf16_offsets
from pages.widgets.words import count
from r3con_core.exchange import Finish, Message, Prompt, Reply
from r3con_core.store.calls import Call
from r3con_core.store.search import find_in

_FRONTEND = Path(__file__).parents[1] / "frontend"
_COMPONENT = st.components.v2.component(
    "r3con_call",
    html=(_FRONTEND / "call.html").read_text("utf-8"),
    css=(_FRONTEND / "call.css").read_text("utf-8"),
    js=(_FRONTEND / "call.js").read_text("utf-8"),
)
ROLES = {
    "system": ("Instructions", "what the model is told it is"),
    "user": ("Asked", "what it was given and asked"),
    "assistant": ("Said before", "the model's own words, sent back to it"),
}
Turn = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """What of a call other calls of the run have too."""

    counts: Sequence[Sequence[int]] = ()
    """For each message, how many calls have each piece of it; empty where that is not known."""
    own: int = 1
    """How many calls the run has about the same document: what no more than these have is this document's own."""


def show(call: Call, sharing: Sharing, words: str) -> None:
    """The call's texts with `words` marked; what it shares with calls about other things is folded."""
    _COMPONENT(key="call", data={"shown": f"{call.key} {words}", "turns": turns_of(call, sharing, words)})


def turns_of(call: Call, sharing: Sharing, words: str) -> list[Turn]:
    """What the browser shows: the messages, then the reply."""
    messages = call.prompt.messages
    counts = sharing.counts or [(1,) * len(message.pieces) for message in messages]
    turns = [_message(message, of, sharing.own, words) for message, of in zip(messages, counts, strict=True)]
    return [*turns, _reply(call.prompt, call.reply, words)]


def _message(message: Message, counts: Sequence[int], own: int, words: str) -> Turn:
    title, note = ROLES.get(message.role, (message.role, ""))
    runs = groupby(zip(message.pieces, counts, strict=True), key=lambda pair: pair[1] > own)
    parts = [_part_of(list(pairs), words, shared=shared) for shared, pairs in runs]
    return {"title": title, "note": note, "reply": False, "parts": parts}


def _part_of(pairs: Sequence[tuple[str, int]], words: str, *, shared: bool) -> dict[str, Any]:
    text = "\n\n".join(piece for piece, _ in pairs)
    few, many = min(calls for _, calls in pairs), max(calls for _, calls in pairs)
    by = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    title = f"Shared by {by} calls of this run · {count(len(text), 'letter')} · begins: {_begin(text)}"
    return _part(title, text, words, is_open=not shared)


def _begin(text: str, letters: int = 60) -> str:
    line = " ".join(text[: 4 * letters].split())
    return line if len(line) <= letters else f"{line[:letters]}…"


def _part(title: str, text: str, words: str, *, is_open: bool = False) -> dict[str, Any]:
    spans = find_in(text, words) if words else ()
    utf16 = utf16_offsets(text, [end for span in spans for end in (span.start, span.end)])
    marks = [[utf16[span.start], utf16[span.end]] for span in spans]
    return {"title": title, "text": text, "marks": marks, "open": is_open}


def _reply(prompt: Prompt, reply: Reply, words: str) -> Turn:
    return {
        "title": "Replied",
        "note": "cut off at the limit of its length" if reply.finish is Finish.CUT_OFF else "the model's words",
        "reply": True,
        "parts": list(_reply_parts(prompt, reply, words)),
    }


def _reply_parts(prompt: Prompt, reply: Reply, words: str) -> Iterator[dict[str, Any]]:
    laid_out = readable(reply.text)
    yield _part("", laid_out or reply.text, words, is_open=True)
    if laid_out:
        yield _part("Just as it came", reply.text, "")
    if reply.thinking:
        yield _part("What the model thought before (kept, and never read by the app)", reply.thinking, words)
    if prompt.shape is not None:
        shape = json.dumps(prompt.shape, ensure_ascii=False, indent=2)
        yield _part("The form the reply had to have (a JSON schema)", shape, "")


def readable(reply: str) -> str:
    """A reply in JSON, laid out with a value a line; "" when it is none, or is laid out so already."""
    try:
        said = json.loads(reply)
    except (ValueError, RecursionError):
        return ""
    laid_out = json.dumps(said, ensure_ascii=False, indent=2)
    return laid_out if isinstance(said, dict | list) and laid_out != reply else ""

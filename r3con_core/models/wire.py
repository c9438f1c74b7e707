"""What goes over the wire: a Prompt as the bytes of a request; opens nothing.

Servers that call themselves OpenAI-compatible differ in field names and in what they refuse; `Dialect` is what has been
learnt about one of them.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from r3con_core.exchange import Message, Prompt
from r3con_core.models.caching import MOST_MARKS, Marking, lane_key, marking_of
from r3con_core.models.endpoint import Endpoint, JsonMode
from r3con_core.models.faults import Trouble

THINKING_ROOM = 4
"""A reasoning model's notes count against the limit of the reply: it gets this many times as much."""
MOST_ROOM = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one endpoint and model want to be asked. Every lesson moves it one way only, so learning ends."""

    mode: JsonMode = JsonMode.SCHEMA
    limit_field: str = "max_tokens"
    limit_cap: int | None = None
    """The longest reply the endpoint allows, in tokens, once it has said so."""
    temperature: bool = True
    stream_usage: bool = True
    """Whether a stream may be asked for its usage."""
    progress: bool = True
    """Whether llama.cpp's progress of reading may be asked for; others ignore it, strict ones refuse."""
    room: int = 1
    """How many times the length of a reply is asked for: more than 1 where the model thinks first."""
    lanes: bool = True
    """Whether servers known to take them are told lanes."""
    marks: bool = True
    """Whether servers known to want them get marks."""


_BLANK_LINE = rb"\n\n"
_CONTROL = re.compile(
    r"<(?=[|\uff5c][^<>\s]{1,60}[|\uff5c]>|/?(?:s|bos|eos|eod|pad|unk|sop|think|[a-z]+(?:_[a-z0-9]+){1,5})>)"
    r"|\[(?=/?(?:INST|IMG|IMG_\w{3,5}|THINK|SYSTEM_PROMPT|(?:AVAILABLE_)?TOOL\w{1,10}|gMASK|\|[a-z]{1,20}\|)\])",
    re.IGNORECASE,
)
"""The first sign of what chat templates set turns apart with, as ChatML, Llama, Mistral, Gemma and DeepSeek write it."""
_APART = "\u2060"
"""Does not show, and looking for quotes passes over it."""


def spelled_out(text: str) -> str:
    """`text` in which no server reads the end of a turn: most take what looks like one for one, wherever it stands."""
    return _CONTROL.sub(lambda sign: sign[0] + _APART, text)


class Encoder:
    """Text as JSON, in UTF-8; what many prompts share is encoded once. Serves any number of threads.

    Encoding half a million letters takes 5 ms; looking up the pieces they are made of, a tenth of one.
    """

    def __init__(self, room: int = 16_000_000) -> None:
        """`room` in bytes; when it is full, all is forgotten and shared pieces come back with the next prompt."""
        self._kept: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._left = self._room = room

    @property
    def held(self) -> int:
        """Bytes kept."""
        return self._room - self._left

    def text(self, pieces: Sequence[str]) -> list[bytes]:
        """`pieces` with a blank line between them, as the inside of a JSON string, in chunks that follow each other."""
        chunks: list[bytes] = []
        for piece in pieces:
            chunks += (_BLANK_LINE, self._kept.get(piece) or self._encoded(piece))
        return chunks[1:]

    def _encoded(self, piece: str) -> bytes:
        encoded = json.dumps(spelled_out(piece), ensure_ascii=False)[1:-1].encode("utf-8", "replace")
        # Damaged files hold lone surrogates, which UTF-8 cannot carry: they become question marks.
        with self._lock:
            if len(encoded) > self._left:
                self._kept, self._left = {}, self._room
            if len(encoded) <= self._left:
                self._kept[piece] = encoded
                self._left -= len(encoded)
        return encoded


def request_bytes(prompt: Prompt, endpoint: Endpoint, dialect: Dialect, encoder: Encoder) -> bytes:
    """The JSON that asks `prompt` of `endpoint` in its `dialect`."""
    marking = marking_of(endpoint) if dialect.marks else None
    messages = list(prompt.messages)
    if words := _in_words(prompt, dialect.mode):
        messages[-1] = replace(messages[-1], pieces=(*messages[-1].pieces, words))
    marks = _marked(messages) if marking else [()] * len(messages)
    chunks = [b'{"messages":']
    for number, message in enumerate(messages):
        chunks.append(b"," if number else b"[")
        chunks += _message(message, encoder, marks[number], marking.part if marking else {})
    fields = json.dumps(_fields(prompt, endpoint, dialect, marking), ensure_ascii=False, separators=(",", ":"))
    return b"".join((*chunks, b"],", fields[1:].encode("utf-8", "replace")))


def _fields(prompt: Prompt, endpoint: Endpoint, dialect: Dialect, marking: Marking | None) -> dict[str, Any]:
    """All but the messages."""
    limit = prompt.max_tokens * dialect.room
    fields: dict[str, Any] = {"model": endpoint.model, dialect.limit_field: min(limit, dialect.limit_cap or limit)}
    if dialect.temperature:
        fields["temperature"] = prompt.temperature
    if prompt.shape is not None and dialect.mode is JsonMode.SCHEMA:
        schema = {"name": prompt.stage.value, "strict": True, "schema": dict(prompt.shape)}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    if prompt.shape is not None and dialect.mode is JsonMode.OBJECT:
        fields["response_format"] = {"type": "json_object"}
    if lane := lane_key(endpoint, prompt.lane) if dialect.lanes else "":
        fields["prompt_cache_key"] = lane
    fields |= marking.request if marking else {}
    return fields | (_streamed(dialect) if endpoint.local else {})


def _streamed(dialect: Dialect) -> dict[str, Any]:
    usage = {"stream_options": {"include_usage": True}} if dialect.stream_usage else {}
    progress = {"return_progress": True} if dialect.progress else {}
    return {"stream": True, **usage, **progress}


def _in_words(prompt: Prompt, mode: JsonMode) -> str:
    """What is said of the shape where it is not enforced."""
    if prompt.shape is None or mode is JsonMode.SCHEMA:
        return ""
    shape = json.dumps(prompt.shape, ensure_ascii=False, separators=(",", ":"))
    if not prompt.mark:
        return f"Answer with one JSON object that satisfies this JSON schema: {shape}"
    mark, inside = prompt.mark, shape
    while mark in inside.lower():  # its names and choices may come from documents, and taking one out may leave another
        inside = re.sub(mark, "", inside, flags=re.IGNORECASE)
    return f"Answer with one JSON object that satisfies this JSON schema:\n<{mark} schema>\n{inside}\n</{mark}>"


def _marked(messages: Sequence[Message]) -> list[tuple[int, ...]]:
    """The marks of each message that are sent: the last ones, as many as one request may have."""
    found = [(i, mark) for i, message in enumerate(messages) for mark in _usable(message)]
    kept = found[-MOST_MARKS:]
    return [tuple(mark for i, mark in kept if i == number) for number in range(len(messages))]


def _usable(message: Message) -> list[int]:
    """Marks in order, each after something to read: servers refuse empty parts, and marks on what a model said."""
    if message.role == "assistant":
        return []
    marks = sorted({mark for mark in message.marks if 0 < mark <= len(message.pieces)})
    return [end for start, end in pairwise([0, *marks]) if any(piece.strip() for piece in message.pieces[start:end])]


def _message(message: Message, encoder: Encoder, marks: tuple[int, ...], part: Mapping[str, Any]) -> list[bytes]:
    """One message in chunks: its text whole, or where it is marked the same text cut into parts at its marks."""
    pieces, head = message.pieces, b'{"role":%b,"content":' % json.dumps(message.role).encode()
    if not marks:
        return [head, b'"', *encoder.text(pieces), b'"}']
    chunks, fields = [head], json.dumps(dict(part)).encode()[1:-1]
    for start, end in pairwise([0, *sorted({*marks, len(pieces)})]):
        joint = _BLANK_LINE if end < len(pieces) else b""
        marked = b"," + fields if end in marks else b""
        opening = b'%b{"type":"text","text":"' % (b"," if start else b"[")
        chunks += [opening, *encoder.text(pieces[start:end]), joint, b'"', marked, b"}"]
    return [*chunks, b"]}"]


_CAPS = (
    r"at most (\d+) (?:completion|output) tokens",
    r"> (\d+), which is the maximum allowed number of output tokens",
    r"max(?:_completion)?_tokens.{0,40}?\[1, ?(\d+)\]",
    r"max(?:_completion)?_tokens`? must be (?:less than or equal to|<=) `?(\d+)",
)
"""As OpenAI, Anthropic, DeepSeek and Qwen, and Groq say how long a reply may be."""
_SHAPES = r"response_?format|json_schema|json_object|json mode|grammar|structured"


def learn(dialect: Dialect, trouble: Trouble, *, shaped: bool) -> Dialect | None:
    """`dialect` without what the server refused in `trouble`, or None where that says nothing new."""
    if trouble.status not in (0, 400, 422, 500, 501):
        return None
    said = f"{trouble.param} {trouble.message}".lower()
    cap = next((int(found[1]) for pattern in _CAPS if (found := re.search(pattern, said))), None)
    if cap and cap < (dialect.limit_cap or cap + 1):
        return replace(dialect, limit_cap=cap)
    certain = trouble.status in (400, 422, 501) or "invalid" in trouble.code
    for name, simpler in _SIMPLER.items() if certain else ():
        changed = replace(dialect, **simpler)
        if re.search(name, said) and changed != dialect:
            return replace(changed, room=max(dialect.room, THINKING_ROOM if "max_completion_tokens" in said else 1))
    if shaped and re.search(f"{_SHAPES}|schema" if certain else _SHAPES, said):
        return step_down(dialect)
    return None


_SIMPLER: Mapping[str, Mapping[str, Any]] = {
    "max_tokens": {"limit_field": "max_completion_tokens"},
    "temperature": {"temperature": False},
    "stream_options": {"stream_usage": False},
    "return_progress": {"progress": False},
    "prompt_cache_key": {"lanes": False},
    "cache_control|prompt_cache_(?:breakpoint|options)": {"marks": False},
}
"""What a refusal names, and the dialect without it."""


def step_down(dialect: Dialect) -> Dialect | None:
    """`dialect` with the next looser way of asking for a shape, or None below the loosest."""
    lower = {JsonMode.SCHEMA: JsonMode.OBJECT, JsonMode.OBJECT: JsonMode.WORDS}.get(dialect.mode)
    return replace(dialect, mode=lower) if lower else None

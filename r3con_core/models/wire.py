"""What goes over the wire and what is heard from it: plain values in, plain values out; opens nothing.

Servers that call themselves OpenAI-compatible differ in field names, in what they refuse, and in where they put a
reasoning model's notes; `Dialect` is what has been learnt about one of them.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.errors import StoppedError
from r3con_core.exchange import Prompt, Usage
from r3con_core.models.endpoint import Endpoint, JsonMode
from r3con_core.models.faults import Trouble, Troubled, trouble_in

THINKING_ROOM = 4
"""A reasoning model's notes count against the limit of the reply: it gets this many times as much."""


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
    thinks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A reply as the server gave it, whole."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    finish: str = ""
    """As the server calls it; "" where it did not say."""
    usage: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""


def request_body(prompt: Prompt, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    """The JSON body that asks `prompt` of `endpoint` in its `dialect`."""
    limit = prompt.max_tokens * (THINKING_ROOM if dialect.thinks else 1)
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": _messages(prompt, dialect.mode),
        dialect.limit_field: min(limit, dialect.limit_cap or limit),
    }
    if dialect.temperature:
        body["temperature"] = prompt.temperature
    if prompt.shape is not None and dialect.mode is JsonMode.SCHEMA:
        schema = {"name": prompt.stage.value, "strict": True, "schema": dict(prompt.shape)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if prompt.shape is not None and dialect.mode is JsonMode.OBJECT:
        body["response_format"] = {"type": "json_object"}
    if endpoint.local:
        body["stream"] = True
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
        if dialect.progress:
            body["return_progress"] = True
    return body


def _messages(prompt: Prompt, mode: JsonMode) -> list[dict[str, str]]:
    messages = [{"role": message.role, "content": _sendable(message.content)} for message in prompt.messages]
    if prompt.shape is not None and mode is not JsonMode.SCHEMA:
        shape = json.dumps(prompt.shape, ensure_ascii=False, separators=(",", ":"))
        messages[-1]["content"] += f"\n\nAnswer with one JSON object that satisfies this JSON schema: {shape}"
    return messages


def _sendable(text: str) -> str:
    """`text` without lone surrogates, which damaged files hold and UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def learn(dialect: Dialect, trouble: Trouble, *, shaped: bool) -> Dialect | None:
    """`dialect` without what the server refused in `trouble`, or None where that says nothing new."""
    if trouble.status not in (400, 422, 501):
        return None
    said = f"{trouble.param} {trouble.message}".lower()
    cap = re.search(r"at most (\d+) (?:completion|output) tokens", said)
    if cap and dialect.limit_cap is None:
        return replace(dialect, limit_cap=int(cap[1]))
    if "max_tokens" in said and dialect.limit_field == "max_tokens":
        return replace(dialect, limit_field="max_completion_tokens", thinks="max_completion_tokens" in said)
    if "temperature" in said and dialect.temperature:
        return replace(dialect, temperature=False)
    if "stream_options" in said and dialect.stream_usage:
        return replace(dialect, stream_usage=False)
    if "return_progress" in said and dialect.progress:
        return replace(dialect, progress=False)
    if shaped and re.search(r"response_?format|json_schema|json_object|json mode|schema|grammar|structured", said):
        return step_down(dialect)
    return None


def step_down(dialect: Dialect) -> Dialect | None:
    """`dialect` with the next looser way of asking for a shape, or None below the loosest."""
    lower = {JsonMode.SCHEMA: JsonMode.OBJECT, JsonMode.OBJECT: JsonMode.WORDS}.get(dialect.mode)
    return replace(dialect, mode=lower) if lower else None


def read_whole(body: Any) -> Heard:
    """What a whole (not streamed) response says; Troubled when it holds no reply."""
    trouble = trouble_in(body)
    choices = _dicts(body.get("choices")) if isinstance(body, dict) else []
    if trouble or not choices:
        raise Troubled(trouble or Trouble(message="the response holds no reply"))
    choice = choices[0]
    if failed := trouble_in(choice):
        raise Troubled(failed)
    message = _dict(choice.get("message"))
    text, notes = _split_content(message.get("content"))
    return Heard(
        text=text,
        thinking=notes + _notes(message),
        refusal=message.get("refusal") or "",
        finish=choice.get("finish_reason") or "",
        usage=_dict(body.get("usage")),
        model=body.get("model") or "",
    )


def gather(chunks: Iterable[Any], should_stop: Callable[[], bool]) -> Heard:
    """What a stream of chunks says in all; StoppedError between two of them once the analyst has pressed stop."""
    texts: list[str] = []
    notes: list[str] = []
    heard = Heard()
    for chunk in chunks:
        if should_stop():
            raise StoppedError
        if trouble := trouble_in(chunk):
            raise Troubled(trouble)
        told = _dict(chunk)
        heard = replace(heard, usage=_dict(told.get("usage")) or heard.usage, model=told.get("model") or heard.model)
        for choice in _dicts(told.get("choices")):
            delta = _dict(choice.get("delta"))
            text, note = _split_content(delta.get("content"))
            texts.append(text)
            notes.append(note + _notes(delta))
            heard = replace(
                heard,
                refusal=heard.refusal + (delta.get("refusal") or ""),
                finish=choice.get("finish_reason") or heard.finish,
            )
    if not heard.finish:
        raise Troubled(Trouble(message="the connection closed in the middle of the reply"))
    return replace(heard, text="".join(texts), thinking="".join(notes))


def _dict(told: Any) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def _dicts(told: Any) -> list[dict[str, Any]]:
    return [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []


def _notes(message: Mapping[str, Any]) -> str:
    """A reasoning model's notes: named one way by llama.cpp, DeepSeek and LM Studio, another by vLLM and Ollama."""
    told = message.get("reasoning_content") or message.get("reasoning") or ""
    return told if isinstance(told, str) else ""


def _split_content(content: Any) -> tuple[str, str]:
    """Text and notes of a message's content, which is a string or, at a few providers, a list of typed parts."""
    if not isinstance(content, list):
        return str(content or ""), ""
    texts = [str(part.get("text", "")) for part in _dicts(content) if part.get("type") == "text"]
    notes = [str(part.get("thinking", "")) for part in _dicts(content) if part.get("type") == "thinking"]
    return "".join(texts), "".join(notes)


_OPENING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSING = re.compile(r"</(think|thinking|reasoning)>\s*", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """Reply and notes of a `text` that begins with notes between tags; all of it notes when they never end.

    Some chat templates write the opening tag into the prompt, so that only the closing one comes back.
    """
    opening, closing = _OPENING.match(text), _CLOSING.search(text)
    if opening is None and (closing is None or text.lstrip().startswith(("{", "["))):
        return text, ""
    start = opening.end() if opening else 0
    if closing is None:
        return "", text[start:].strip()
    return text[closing.end() :], text[start : closing.start()].strip()


def usage_of(heard: Heard, prompt: Prompt) -> Usage:
    """The tokens the server counted, or an estimate where it counted none."""
    told = heard.usage
    sent, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    if not sent or written is None:
        asked = sum(estimate_tokens(message.content) for message in prompt.messages)
        return Usage(prompt=asked, output=estimate_tokens(heard.text + heard.thinking), counted=False)
    details = _dict(told.get("prompt_tokens_details"))
    cached = _count(details.get("cached_tokens")) or _count(told.get("prompt_cache_hit_tokens")) or 0
    return Usage(prompt=sent, cached=min(cached, sent), output=written)


def _count(told: Any) -> int | None:
    return int(told) if isinstance(told, int | float) and told >= 0 else None


def thought(heard: Heard) -> bool:
    """Whether the model wrote notes, shown or hidden."""
    details = _dict(heard.usage.get("completion_tokens_details"))
    return bool(heard.thinking or details.get("reasoning_tokens"))

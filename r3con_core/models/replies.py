"""What is heard from a server: its reply, whole or streamed, as plain values; opens nothing.

Servers that call themselves OpenAI-compatible differ in where they put a reasoning model's notes and in what they call
the tokens they count.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.errors import StoppedError
from r3con_core.exchange import Prompt, Usage
from r3con_core.models.faults import Trouble, Troubled, trouble_in


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
        refusal=_said(message.get("refusal")),
        finish=_said(choice.get("finish_reason")),
        usage=_counts(body),
        model=_said(body.get("model")),
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
        heard = replace(heard, usage={**heard.usage, **_counts(told)}, model=_said(told.get("model")) or heard.model)
        for choice in _dicts(told.get("choices")):
            delta = _dict(choice.get("delta"))
            text, note = _split_content(delta.get("content"))
            texts.append(text)
            notes.append(note + _notes(delta))
            heard = replace(
                heard,
                refusal=heard.refusal + _said(delta.get("refusal")),
                finish=_said(choice.get("finish_reason")) or heard.finish,
            )
    if not heard.finish:
        raise Troubled(Trouble(message="the connection closed in the middle of the reply"))
    return replace(heard, text="".join(texts), thinking="".join(notes))


def _counts(body: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of a body or chunk; llama.cpp tells what its cache held beside them."""
    timings = {"timings": body["timings"]} if body.get("timings") else {}
    return {**_dict(body.get("usage")), **timings}


def _dict(told: Any) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def _dicts(told: Any) -> list[dict[str, Any]]:
    return [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []


def _said(told: Any) -> str:
    return told if isinstance(told, str) else ""


def _notes(message: Mapping[str, Any]) -> str:
    """A reasoning model's notes: named one way by llama.cpp, DeepSeek and LM Studio, another by vLLM and Ollama."""
    return _said(message.get("reasoning_content") or message.get("reasoning"))


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
    sent, output = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    if not sent or output is None:
        asked = sum(estimate_tokens(message.content) for message in prompt.messages)
        return Usage(prompt=asked, output=estimate_tokens(heard.text + heard.thinking), counted=False)
    cached, written = _first(told, _CACHED), _first(told, _WRITTEN)
    if cached + written > sent:  # counted beside the prompt, as Anthropic does
        sent += cached + written
    return Usage(prompt=sent, cached=cached, output=output, written=written)


_CACHED = (
    ("prompt_tokens_details", "cached_tokens"),
    ("cached_tokens",),
    ("prompt_cache_hit_tokens",),
    ("cache_read_input_tokens",),
    ("prompt_eval_cached_count",),
    ("timings", "cache_n"),
)
"""Tokens read from a cache: OpenAI and most, Moonshot, DeepSeek, Anthropic behind a proxy, Ollama, llama.cpp."""
_WRITTEN = (
    ("prompt_tokens_details", "cache_write_tokens"),
    ("prompt_tokens_details", "cache_creation_tokens"),
    ("cache_creation_input_tokens",),
)
"""Tokens written to one, where that is billed: OpenAI and OpenRouter, LiteLLM, Anthropic behind a proxy."""


def _first(told: Mapping[str, Any], paths: tuple[tuple[str, ...], ...]) -> int:
    """The first count above 0 that one of `paths` leads to."""
    for path in paths:
        here: Any = told
        for name in path:
            here = _dict(here).get(name)
        if count := _count(here):
            return count
    return 0


_MOST = 10**9
"""Tokens; a higher count is none. What SQLite adds up must stay below 2 ** 63."""


def _count(told: Any) -> int | None:
    return int(told) if isinstance(told, int | float) and 0 <= told <= _MOST else None


def thought(heard: Heard) -> bool:
    """Whether the model wrote notes, shown or hidden."""
    details = _dict(heard.usage.get("completion_tokens_details"))
    return bool(heard.thinking or details.get("reasoning_tokens"))


def is_refused(heard: Heard) -> bool:
    """Whether the model, or a filter behind it, would not answer."""
    return bool(heard.refusal) or re.match(_FILTERED, heard.finish.lower()) is not None


_FILTERED = r"content_?filter|safety|refusal|recitation|prohibited_content|blocklist|spii"
"""As OpenAI, Gemini and Anthropic call the end of a reply that was held back."""

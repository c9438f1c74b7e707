"""What passes between the method and a model.

A conversation with a model is a generator: it yields a `Prompt`, is sent a `Reply`, may yield again,
and returns its result. `converse` carries any of them; `Ask` is the only seam to models.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Stage(StrEnum):
    """The stages of a run that ask a model."""

    FOCUS = "focus"
    """One call before round 1: what kinds of facts would matter to the task."""
    RELEVANCE = "relevance"
    DIGEST = "digest"
    """After a round, where the snippets outgrow the window: what a group of them says in short."""
    SCHEMA = "schema"
    PARSING = "parsing"
    BUILDING = "building"
    """Of other methods than R3Con: whatever they make of the documents before they answer."""
    EMBEDDING = "embedding"
    """Texts become vectors; asked of another kind of model, and only where a method searches by meaning."""
    REASONING = "reasoning"
    JUDGING = "judging"
    """Whether an answer is right, against one that is known to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a prompt is about; part of its identity, since equal documents make equal prompts."""

    document_id: str = ""
    round: int = 0
    part: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of what a model is sent."""

    role: str
    """system, user or assistant."""
    pieces: tuple[str, ...]
    """What it says, in order. A piece that many prompts share is one string, kept once in memory and in the store."""
    marks: tuple[int, ...] = ()
    """After how many pieces a prefix ends that other prompts share: where endpoints that want it are told to cache."""

    @property
    def content(self) -> str:
        """The whole of it: the pieces with a blank line between them."""
        return "\n\n".join(self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """All that is sent to a model for one reply."""

    stage: Stage
    about: About = About()
    attempt: int = 1
    """From 1; a re-asked prompt must not be given its refused reply again."""
    messages: tuple[Message, ...]
    shape: Mapping[str, Any] | None = None
    """A JSON schema the reply must satisfy, or None for free text."""
    max_tokens: int = 512
    temperature: float = 0.0
    lane: str = ""
    """Prompts of one lane share a long prefix and are sent one after the other; "" where that is open."""
    holds: tuple[str, ...] | None = None
    """Ids of the documents of which it holds text, snippets or records; None: that may be any. No part of its key."""
    mark: str = ""
    """Stands around all that comes from documents; whoever adds to the prompt puts theirs between it too. "": none does."""

    def key(self, model: str, repeat: int = 0) -> str:
        """What is asked of which model, as a hash: a kept reply is found by it. Marks, lane and mark are no part of it.

        What a repeat of a run asks is asked anew: its number is part of the key, but for the run itself, 0.
        """
        said = [{"role": message.role, "content": message.content} for message in self.messages]
        prompt = {
            "stage": self.stage,
            "about": asdict(self.about),
            "attempt": self.attempt,
            "messages": said,
            "shape": self.shape,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
        }
        asked = json.dumps([model, prompt, *([repeat] if repeat else [])], sort_keys=True, ensure_ascii=False)
        return "call-" + hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the server counted them; an estimate where `counted` is False."""

    prompt: int = 0
    cached: int = 0
    """Those of `prompt` the server had already read."""
    output: int = 0
    counted: bool = True
    written: int = 0
    """Those of `prompt` the server put into its cache and bills at a price of their own."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            output=self.output + other.output,
            counted=self.counted and other.counted,
            written=self.written + other.written,
        )


class Finish(StrEnum):
    """Why the reply ended."""

    COMPLETE = "stop"
    CUT_OFF = "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    text: str
    finish: Finish = Finish.COMPLETE
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    seconds: float = 0.0
    thinking: str = ""
    """A reasoning model's own notes, kept for the record and never read."""


def whole_letters(text: str) -> str:
    """`text` as stores and files take it: halves of a letter that follow each other are joined, others are replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


Exchange = Generator[Prompt, Reply, T]
Ask = Callable[[Prompt], Reply]


def holding(ask: Ask, document_ids: Callable[[], tuple[str, ...]]) -> Ask:
    """`ask`, whose prompts say that they hold something of these documents, as they are when a prompt is made."""

    def said(prompt: Prompt) -> Reply:
        return ask(replace(prompt, holds=document_ids()))

    return said


def converse(exchange: Exchange[T], ask: Ask) -> T:
    """Carry `exchange` to its end, asking for each reply it wants. What `ask` raises rises, a `StopIteration` too."""
    advance: Callable[[], Prompt] = partial(next, exchange)
    while True:
        try:
            prompt = advance()
        except StopIteration as end:
            result: T = end.value
            return result
        advance = partial(exchange.send, ask(prompt))

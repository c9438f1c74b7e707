"""Inside the worker: how code asks a model something, by way of the host, which alone can reach one.

Code calls `llm_query(prompt)` or `llm_query_batched(prompts)`; a frame with the prompts goes to the host, which makes the
worker stand still, has them answered, and sends a frame with the replies. The step's clock stands still meanwhile. Like
all in the worker this is the code's to alter, so what comes of it is held to its limits by the host (hearing.py).

Frames are worker.py's: out {"nonce", "queries": [prompt, ...]}, in {"replies": [text, ...]} or {"fault": text}.
Loaded by path as worker.py is; standard library only.
"""

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol


class Channel(Protocol):
    """Frames from and to the host, as worker.py has them."""

    def receive(self) -> Any:
        """The next frame."""

    def send(self, frame: Mapping[str, object]) -> None:
        """Send one frame."""


class Asking:
    """The functions by which the code of one session asks."""

    def __init__(self, channel: Channel) -> None:
        """Over the worker's own channel; nothing can be asked before a step has begun."""
        self._channel = channel
        self._step: Mapping[str, Any] | None = None

    def begin(self, step: Mapping[str, Any]) -> dict[str, Callable[..., object]]:
        """Let the code of this step ask, if it may; the names to give it."""
        self._step = step if step.get("queries") else None
        return {"llm_query": self._one, "llm_query_batched": self._all} if self._step else {}

    def end(self) -> None:
        """The step is over: what it left behind cannot ask."""
        self._step = None

    def _one(self, prompt: str) -> str:
        """What a model replies to `prompt`, which is all that it sees."""
        return self._all([prompt])[0]

    def _all(self, prompts: Iterable[str]) -> list[str]:
        """What a model replies to each of `prompts`, in their order; each is asked by itself."""
        step = self._step
        if step is None:
            raise RuntimeError("A model can be asked only while a step runs.")
        given = [prompts] if isinstance(prompts, str) else list(prompts)
        most = step["queries"]["chars"]
        for prompt in given:
            if not isinstance(prompt, str):
                raise TypeError(f"A prompt must be text, not {type(prompt).__name__}.")
            if not prompt.strip():
                raise ValueError("A prompt must not be empty.")
            if len(prompt) > most:
                raise ValueError(
                    f"A prompt may have {most:,} characters, and this one has {len(prompt):,}. Split the text."
                )
        return [reply for part in _parts(given, step["queries"]) for reply in self._exchange(step, part)]

    def _exchange(self, step: Mapping[str, Any], prompts: list[str]) -> list[str]:
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            self._channel.send({"nonce": step["nonce"], "queries": prompts})
            told = self._channel.receive()
        finally:
            signal.setitimer(signal.ITIMER_REAL, left)
        if told.get("fault"):
            raise RuntimeError(told["fault"])
        replies: list[str] = told["replies"]
        return replies


def _parts(prompts: list[str], limits: Mapping[str, int]) -> Iterator[list[str]]:
    """`prompts` in as few frames as the host takes."""
    part: list[str] = []
    for prompt in prompts:
        if part and (len(part) == limits["at_once"] or sum(map(len, part)) + len(prompt) > limits["chars_at_once"]):
            yield part
            part = []
        part.append(prompt)
    if part:
        yield part

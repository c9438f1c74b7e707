"""A model that says what a function says: for tests, demonstrations and replays."""

import threading
from collections.abc import Callable

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import Prompt, Reply, Usage


class ScriptedModel:
    """An `Ask` that answers each prompt with `answer(prompt)` and remembers the prompts in the order they came.

    What `answer` raises is raised; tokens are estimated. Any number of threads may ask at once.
    """

    def __init__(self, answer: Callable[[Prompt], str]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._prompts: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> Reply:
        """The scripted reply to `prompt`."""
        with self._lock:
            self._prompts.append(prompt)
        text = self._answer(prompt)
        asked = sum(estimate_tokens(message.content) for message in prompt.messages)
        return Reply(
            text=text, usage=Usage(prompt=asked, output=estimate_tokens(text), counted=False), model="scripted"
        )

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Every prompt asked so far."""
        with self._lock:
            return tuple(self._prompts)

"""Vectors made once and kept: an `Embed` over a model, the project's store and the run's call log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r3con_core.documents import estimate_tokens
from r3con_core.embedding import Side, as_sent
from r3con_core.errors import ModelError, StoreError
from r3con_core.exchange import Ask, Message, Prompt, Stage, whole_letters
from r3con_core.slices import work_through
from r3con_core.store.asking import claim, release
from r3con_core.store.calls import Call, find_reply
from r3con_core.store.project import Project, now
from r3con_core.store.vectors import calls_used, find_vectors, keep_vectors, text_key

if TYPE_CHECKING:
    from r3con_core.embedding import Vectors

BATCH_TEXTS = 32
BATCH_TOKENS = 12_000
"""Texts and tokens, by our estimate, of one call; what the strictest of the known endpoints take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVectors:
    """An `Embed` whose vectors are kept by their texts: none is sent twice, whichever run wants it."""

    project: Project
    run_id: str
    name: str
    """Of the model."""
    host: str
    ask: Ask
    """The model, metered; replies as `models.embedding` has them."""
    workers: int
    check: Callable[[Prompt], None]
    """Raises where a prompt holds anything of a document that is held back by now."""
    wait: Callable[[], None]
    """Between looks at whether another has made what it is at."""

    def __call__(
        self, texts: Sequence[str], *, side: Side = Side.PASSAGE, holds: tuple[str, ...] | None = None
    ) -> "Vectors":
        """As `Embed` has it. ModelError when the model gave vectors of different lengths."""
        import numpy as np

        self.check(Prompt(stage=Stage.EMBEDDING, messages=(), holds=holds))
        sent = [whole_letters(as_sent(self.name, text, side)) for text in texts]
        keyed = {text_key(text): text for text in sent}
        found = find_vectors(self.project, self.name, list(keyed))
        missing = [text for key, text in keyed.items() if key not in found]
        for _ in work_through(lambda batch: self._make(batch, holds), batches(missing), self.workers):
            pass
        found |= find_vectors(self.project, self.name, list(map(text_key, missing)))
        calls_used(self.project, self.run_id, sorted({call for call, _ in found.values()}))
        if len({vector.size for _, vector in found.values()}) > 1:
            raise ModelError(f"{self.name} gave vectors of different lengths, which cannot be compared.")
        rows = [found[text_key(text)][1] for text in sent]
        return np.stack(rows) if rows else np.zeros((0, 1), dtype=np.float32)

    def _make(self, batch: Sequence[str], holds: tuple[str, ...] | None) -> None:
        """Ask for the vectors of these texts and keep them, unless another has them by now.

        StoreError where the call is kept and its vectors are not: it is asked only once.
        """
        prompt = prompt_for(batch, holds)
        key = prompt.key(self.name)
        while not claim(self.project, key):
            answered = find_reply(self.project, key) is not None
            if len(find_vectors(self.project, self.name, list(map(text_key, batch)))) == len(batch):
                return
            if answered:
                raise StoreError("Vectors of a kept call are missing.")
            self.wait()
        try:
            reply = self.ask(prompt)
            call = Call(key=key, prompt=prompt, reply=reply, host=self.host, answered=now())
            keep_vectors(self.project, self.run_id, self.name, call)
        except BaseException:
            release(self.project, key)
            raise


def prompt_for(texts: Sequence[str], holds: tuple[str, ...] | None) -> Prompt:
    """The prompt that asks for the vectors of texts."""
    message = Message(role="user", pieces=tuple(texts))
    return Prompt(stage=Stage.EMBEDDING, messages=(message,), max_tokens=0, holds=holds)


def batches(texts: Sequence[str]) -> list[list[str]]:
    """`texts` in order, in as few calls as the bounds allow; a text longer than them is alone."""
    made: list[list[str]] = []
    room = 0
    for text in texts:
        tokens = estimate_tokens(text)
        if not made or tokens > room or len(made[-1]) == BATCH_TEXTS:
            made.append([])
            room = BATCH_TOKENS
        made[-1].append(text)
        room -= tokens
    return made

"""What all prompts of one run share."""

import hashlib
import secrets
from dataclasses import dataclass, replace

from r3con_core.documents import Corpus
from r3con_core.method.marks import holds_mark, mark_of
from r3con_core.runs import RunSettings
from r3con_core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What all prompts of one run share."""

    task: Task
    corpus: Corpus
    settings: RunSettings
    mark: str
    """Around every document and all notes; no document holds it."""
    look_for: tuple[str, ...] = ()

    @property
    def reasoning_window(self) -> int:
        """Tokens that the model that proposes and reasons takes in at once."""
        return self.settings.reasoning_window or self.settings.window

    def within(self, window: int) -> "Brief":
        """The same with no window wider than that many tokens."""
        windows = (min(self.settings.window, window), min(self.settings.reasoning_window, window))
        return replace(self, settings=replace(self.settings, window=windows[0], reasoning_window=windows[1]))


def make_brief(task: Task, corpus: Corpus, settings: RunSettings) -> Brief:
    """The shared part of a run's prompts, before the focus is known."""
    return Brief(task=task, corpus=corpus, settings=settings, mark=fence(task, corpus, settings.seal))


def sealed(settings: RunSettings) -> RunSettings:
    """`settings` with a seal of their own where they have none."""
    return settings if settings.seal else replace(settings, seal=secrets.token_hex(16))


def with_focus(brief: Brief, look_for: tuple[str, ...]) -> Brief:
    """The brief with what readers look for."""
    return replace(brief, look_for=look_for)


def fence(task: Task, corpus: Corpus, seal: str) -> str:
    """A mark that no document of the corpus holds, in whatever letters; the same for all prompts of a task and seal.

    It is a hash that nobody tells without the seal. Where a document holds it nevertheless, the next ones hang on all
    documents too, so that none can hold them on purpose.
    """
    mark, attempt = mark_of(seal, task.id), 0
    while any(holds_mark(text, mark) for one in corpus.documents for text in (one.text, one.title, one.source.path)):
        attempt += 1
        held = hashlib.sha256("".join(one.id for one in corpus.documents).encode()).hexdigest()
        mark = mark_of(seal, task.id, held, str(attempt))
    return mark

"""What all prompts of one run share."""

import hashlib
from dataclasses import dataclass, replace

from r3con_core.documents import Corpus
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
    return Brief(task=task, corpus=corpus, settings=settings, mark=fence(task, corpus))


def with_focus(brief: Brief, look_for: tuple[str, ...]) -> Brief:
    """The brief with what readers look for."""
    return replace(brief, look_for=look_for)


def fence(task: Task, corpus: Corpus) -> str:
    """A mark that no document of the corpus holds, so that none can close it; the same for all prompts of a task."""
    for attempt in range(1000):
        mark = "doc-" + hashlib.sha256(f"{attempt}{task.id}".encode()).hexdigest()[:6]
        if not any(mark in document.text or mark in document.title for document in corpus.documents):
            return mark
    raise AssertionError("no document can hold a thousand hashes of one task")

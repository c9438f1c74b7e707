"""What the analyst wants to know."""

import hashlib
from dataclasses import dataclass

from r3con_core.errors import CorpusError


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task; the screen may call it a question."""

    id: str
    text: str


def make_task(text: str) -> Task:
    """A task with surrounding blanks removed; CorpusError when nothing is left."""
    text = text.strip()
    if not text:
        raise CorpusError("The question is empty. Write what you want to know before starting.")
    return Task(id=f"task-{hashlib.sha256(text.encode()).hexdigest()[:16]}", text=text)

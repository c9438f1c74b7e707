"""Relevance snippets, and the rounds that produce them (paper section 4.1)."""

from dataclasses import dataclass
from enum import StrEnum

from r3con_core.documents import Unread


class Author(StrEnum):
    """Who wrote a thing."""

    MODEL = "model"
    HUMAN = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceSnippet:
    """What one document contributes to the task, as written in one round."""

    document_id: str
    text: str
    """Empty when the document has nothing to say on the task: a real result."""
    author: Author = Author.MODEL
    foreign: tuple[str, ...] = ()
    """Names and numbers in the text that the document does not hold: another document's, or the model's own."""
    left_out: tuple[str, ...] = ()
    """Facts the model gave that are not this document's: their names or figures do not occur in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One pass in which every document gets a new snippet."""

    number: int
    """From 1."""
    snippets: tuple[RelevanceSnippet, ...]
    """In corpus order, one per document that could be read."""
    unread: tuple[Unread, ...] = ()

    def others(self, document_id: str) -> tuple[RelevanceSnippet, ...]:
        """All snippets that say something, but for the document's own."""
        return tuple(s for s in self.snippets if s.text and s.document_id != document_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantContext:
    """All rounds; the last one's snippets are what later stages get."""

    rounds: tuple[Round, ...]

    @property
    def snippets(self) -> tuple[RelevanceSnippet, ...]:
        """The last round's, in corpus order."""
        return self.rounds[-1].snippets

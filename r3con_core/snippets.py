"""Relevance snippets, and the rounds that produce them (paper section 4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    carried: bool = False
    """The round before's, since the document was not read again in this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What the snippets of a group of documents say in short, where all snippets together outgrow the window."""

    level: int
    """1: of snippets; 2: of digests of level 1; and so on."""
    number: int
    """Within its level, from 1, in corpus order."""
    covers: tuple[str, ...]
    """Ids of the documents whose snippets it tells, in corpus order."""
    text: str
    cut: bool = False
    """No model wrote it: it is the beginnings of what it covers, since the model gave no usable reply or no room was
    left for one."""


def digests_beside(digests: Sequence[Digest]) -> dict[str, tuple[Digest, ...]]:
    """Document id -> the digests its reader is shown: those beside the path to it, from the top level down.

    Documents that no digest tells of are left out: their readers are shown one whole level.
    """
    beside: dict[str, tuple[Digest, ...]] = {}
    above: dict[str, int] = {}
    for level in sorted({digest.level for digest in digests}, reverse=True):
        here = [digest for digest in digests if digest.level == level and digest.covers]
        for digest in here:
            first = digest.covers[0]
            others = (d for d in here if d is not digest and above.get(d.covers[0]) == above.get(first))
            beside |= dict.fromkeys(digest.covers, (*beside.get(first, ()), *others))
        above = {document_id: digest.number for digest in here for document_id in digest.covers}
    return beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One pass in which every document gets a new snippet."""

    number: int
    """From 1."""
    snippets: tuple[RelevanceSnippet, ...]
    """In corpus order, one per document that could be read."""
    unread: tuple[Unread, ...] = ()
    digests: tuple[Digest, ...] = ()
    """Of its snippets, by level and number; empty where the snippets fit the window."""

    def others(self, document_id: str) -> tuple[RelevanceSnippet, ...]:
        """All snippets that say something, but for the document's own."""
        return tuple(s for s in self.snippets if s.text and s.document_id != document_id)

    def without(self, document_ids: frozenset[str]) -> "Round":
        """The same without these documents; without digests where one of them tells of such a document."""
        told = any(not document_ids.isdisjoint(digest.covers) for digest in self.digests)
        kept = tuple(snippet for snippet in self.snippets if snippet.document_id not in document_ids)
        return replace(self, snippets=kept, digests=() if told else self.digests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the reader of one document was shown of the snippets of a round."""

    document_id: str
    """"" for a stage that reads no single document."""
    whole: tuple[str, ...]
    """Ids of the documents whose snippets were shown word for word."""
    shortened: tuple[str, ...] = ()
    """Of those whose snippets were cut to fit."""
    digested: tuple[str, ...] = ()
    """Of those shown only within a digest."""

    @property
    def documents(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.whole, *self.shortened, *self.digested)


@dataclass(frozen=True, slots=True, kw_only=True)
class SightCounts:
    """How many snippets the reader of one document was shown, by how."""

    whole: int = 0
    shortened: int = 0
    digested: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantContext:
    """All rounds; the last one's snippets are what later stages get."""

    rounds: tuple[Round, ...]
    excluded: frozenset[str] = frozenset()
    """Ids of documents that people took out: no later stage reads them."""

    @property
    def last(self) -> Round:
        """What later stages get; one without snippets where no round was read."""
        return self.rounds[-1] if self.rounds else Round(number=0, snippets=())

    @property
    def snippets(self) -> tuple[RelevanceSnippet, ...]:
        """The last round's, in corpus order."""
        return self.last.snippets

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents of which later stages are shown anything: a snippet that says something, or a digest."""
        said = [snippet.document_id for snippet in self.snippets if snippet.text.strip()]
        return tuple(dict.fromkeys((*said, *(each for digest in self.last.digests for each in digest.covers))))

    def without(self, document_ids: frozenset[str]) -> "RelevantContext":
        """The same without these documents: their snippets, and every digest of a round that tells of one of them."""
        if not document_ids:
            return self
        return replace(self, rounds=tuple(of.without(document_ids) for of in self.rounds))

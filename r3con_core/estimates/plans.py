"""One run among those that may come, in figures: into which parts documents are read, how long snippets are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import ceil, log2

from r3con_core.documents import Corpus, Document, Source
from r3con_core.estimates.prefixes import cut_to_fit, fresh_notes
from r3con_core.exchange import Stage
from r3con_core.method import layout
from r3con_core.method.brief import Brief
from r3con_core.method.digest_tree import DIGESTS_SHARE, make_plan
from r3con_core.runs import Layout, RunSettings
from r3con_core.snippets import RelevanceSnippet
from r3con_core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is supposed of the model, one number for each figure of a `Calibration` and of what is never known before."""

    ratio: float
    """Server's tokens for each of ours in documents, snippets and records."""
    fixed: float
    """The same in instructions."""
    snippets: float
    replies: float
    records: float
    digests: float
    single_again: float
    read_again: float
    parsed_again: float
    thinking: float
    wordy: float
    turns: float
    cuts: float
    """How much longer a part may seem than it is."""
    loose: float = 0.0
    """1: it writes as much where snippets are asked for shorter; 0: it does as it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one stage asks in that run, in tokens of the server."""

    stage: Stage
    round: int = 0
    calls: float = 0.0
    first: float = 0.0
    """Of those, not asked again."""
    prompt: float = 0.0
    shared: float = 0.0
    """Of the prompts, what an earlier one begins with too."""
    output: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """What is written of a round whose snippets outgrow the window."""

    levels: tuple[int, ...]
    """How many digests each level has, level 1 first."""
    tokens: int
    """Room for one."""
    beside: float
    """Tokens of those that one reader is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What prompts show of a round; lengths in our tokens."""

    lengths: list[float]
    """Of each document's snippet with its label, 0 where it says nothing."""
    total: float
    """All of them: what a prompt shows that shows all."""
    shortened: float | None
    """The length to which longer ones are cut so that all fit; None: all fit as they are."""
    digests: Digests | None
    """Where not even shortened snippets fit."""

    def others(self, place: int) -> float:
        """What the reader of the document at this place is shown."""
        return self.total - (0.0 if self.digests else self.lengths[place])

    def fresh(self, readers: Sequence[int], order: Layout) -> float:
        """Of what readers at these places in turn are shown, the part not shown to those before."""
        if self.digests is None:
            return fresh_notes(self.lengths, readers, order)
        groups = self.digests.levels[0] if self.digests.levels else 0
        return len(readers) * (self.total - self.digests.beside) + min(groups, len(readers)) * self.digests.beside / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the prompts of that run hold; lengths in our tokens."""

    settings: RunSettings
    case: Case
    documents: tuple[int, ...]
    """Length of each, in corpus order."""
    parts: tuple[int, ...]
    """How many prompts each takes in every stage."""
    first: frozenset[int]
    """Places of the documents that stand before the snippets in their prompts."""
    most: int
    """Room for one snippet; less than the settings give where so many documents would not fit the window."""
    snippets: tuple[float, ...]
    """Usual length of what each gives, all its parts together."""
    notes: Notes
    """What a prompt over one document shows of a round."""

    @property
    def readers(self) -> tuple[int, ...]:
        """Places of the documents with something to read that stand after the snippets."""
        return tuple(place for place, count in enumerate(self.parts) if count and place not in self.first)

    def calls(self, places: Sequence[int] | frozenset[int]) -> int:
        """Parts of the documents at these places."""
        return sum(self.parts[place] for place in places)

    def tokens(self, places: Sequence[int] | frozenset[int]) -> int:
        """Length of the documents at these places."""
        return sum(self.documents[place] for place in places)

    def notes_within(self, room: int) -> Notes:
        """What is shown of the snippets of a round by a prompt that has `room` for them and no digests."""
        return _notes(self.snippets, self.case, room)


def _notes(snippets: Iterable[float], case: Case, room: int) -> Notes:
    lengths, longest = cut_to_fit((usual * case.snippets for usual in snippets), room, layout.LABEL)
    return Notes(lengths=lengths, total=sum(lengths), shortened=longest, digests=None)


@dataclass(frozen=True, kw_only=True)
class _Lengths(Corpus):
    """Documents of which only the lengths are known."""

    most: int

    @property
    def longest(self) -> int:
        """Tokens of the longest."""
        return self.most


def plan_for(document_tokens: Sequence[int], settings: RunSettings, case: Case) -> Plan:
    """The plan for documents of these lengths."""
    brief = _brief(document_tokens, settings)
    room, notes_room = layout.document_room(brief), layout.notes_room(brief)
    most_notes = notes_room + min(brief.corpus.longest, room) - room
    shared = settings.layout is Layout.SHARED
    parts = tuple(_parts(tokens * case.cuts, room) for tokens in document_tokens)
    most = layout.snippet_room(brief)
    written = most + case.loose * (settings.snippet_tokens - most)
    snippets = tuple(
        min(count * written, 10 * count + _TOLD * tokens) if settings.relevance else 0.0
        for tokens, count in zip(document_tokens, parts, strict=True)
    )
    notes = _notes(snippets, case, notes_room)
    if notes.shortened is not None and notes.shortened < layout.NOTE_FLOOR:
        notes = replace(notes, digests=_digests(brief.corpus, parts, notes_room))
    return Plan(
        settings=settings,
        case=case,
        documents=tuple(document_tokens),
        parts=parts,
        first=frozenset(place for place, tokens in enumerate(document_tokens) if shared and tokens > most_notes),
        most=most,
        snippets=snippets,
        notes=notes,
    )


def _digests(corpus: Corpus, parts: Sequence[int], room: int) -> Digests:
    said = [
        RelevanceSnippet(document_id=document.id, text="x")
        for document, count in zip(corpus.documents, parts, strict=True)
        if count
    ]
    plan = make_plan(corpus, said, room=room)
    sizes = tuple(len(level) for level in plan.levels)
    beside = sum(size / above for size, above in pairwise([*sizes, 1]))
    shown = beside * (plan.tokens * _FILLED + _DIGEST_LABEL)
    return Digests(levels=sizes, tokens=plan.tokens, beside=min(shown, DIGESTS_SHARE * room))


_FILLED = 0.7
"""Of a digest's room, what is usually written."""
_DIGEST_LABEL = 13
_TOLD = 0.75
"""Of a short document, the share that its snippet tells."""


def _brief(document_tokens: Sequence[int], settings: RunSettings) -> Brief:
    """A stand-in with as many documents, of which the layout asks their number and the length of the longest."""
    corpus = _Lengths(documents=_stand_ins(len(document_tokens)), most=max(document_tokens, default=0))
    return Brief(task=Task(id="", text=""), corpus=corpus, settings=settings, mark="")


@lru_cache(maxsize=4)
def _stand_ins(number: int) -> tuple[Document, ...]:
    source = Source(path="", sha256="", media_type="")
    return tuple(Document(id=str(place), title="", text="", source=source) for place in range(number))


def _parts(tokens: float, room: int) -> int:
    """Into how many parts halving cuts a document so that each is within `room`; an empty one is not read."""
    if not tokens:
        return 0
    return 1 << max(0, ceil(log2(tokens / room)))

"""What of a run's snippets changed, as the live component reads it. Used by the routes, outside of any script."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from pages.widgets.relevance.sights import all_saw
from pages.widgets.relevance.steered import SaidOf, said_of
from pages.widgets.words import count
from r3con_core.differences import compare, find_terms, lay_marks
from r3con_core.documents import Span
from r3con_core.progress import Progress, progress_of
from r3con_core.snippet_changes import Lean
from r3con_core.snippets import RelevanceSnippet
from r3con_core.store.project import Project
from r3con_core.store.snippets import Delta, changes_since

MOST_AT_ONCE = 300
"""Changes in one answer, so that the first look at thousands of documents is drawn bit by bit."""
Pieces = list[tuple[str, str]]
"""Text and its marks, names separated by blanks: added, removed, foreign."""


class Leant(TypedDict):
    """Documents whose snippets a change leans on by the same words."""

    numbers: list[int]
    words: list[str]


class Change(TypedDict):
    """One document's result in one round, with what people changed of it laid over."""

    document: str
    round: int
    pieces: Pieces
    """The snippet; empty when the document has nothing to say."""
    before: Pieces | None
    """The snippet of the round before, with what was taken out of it marked, and what was new in it; None in the first
    round."""
    changed: bool
    """Against the round before."""
    foreign: list[str]
    """Names and figures that the document itself does not hold."""
    leftOut: list[str]
    """Sentences of the model that were set aside, being about another document."""
    fault: str
    """Why there is no snippet; "" when there is one."""
    saw: str
    """What of the round before its reader saw, in words; "" in the first round and where it is not known."""
    leans: list[Leant]
    people: list[str]
    """What people changed here, a sentence each, with who and when."""
    byModel: str
    """What the model said where a person's words stand; "" elsewhere."""
    hidden: bool
    """It is shown to no other reader."""
    carried: bool
    """It is the round before's."""


class Changes(TypedDict):
    """All that changed since a sequence number."""

    seq: int
    """To ask with the next time."""
    more: bool
    """There is more to ask for at once."""
    active: bool
    summary: str
    """One sentence, for those who hear the page."""
    changes: list[Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What changes are told by."""

    said: SaidOf
    saw: Mapping[tuple[int, str], str]
    """What the reader of a round and document saw, in words."""


def changes_of(project: Project, run_id: str, seq: int, document_id: str = "") -> Changes:
    """What was written after `seq`, oldest first, of one document if given, and how far the run is.

    StoreError when there is no such run.
    """
    progress = progress_of(project, run_id)
    deltas = changes_since(project, run_id, seq, document_id, most=MOST_AT_ONCE + 1)
    now, later = deltas[:MOST_AT_ONCE], deltas[MOST_AT_ONCE:]
    basis = _basis(project, run_id, now) if now else None
    return Changes(
        seq=now[-1].seq if now else seq,
        more=bool(later),
        active=progress.run.state.active,
        summary=summary_of(progress),
        changes=[_change(delta, basis) for delta in now] if basis else [],
    )


def _basis(project: Project, run_id: str, deltas: Sequence[Delta]) -> _Basis:
    by_round: defaultdict[int, list[str]] = defaultdict(list)
    for delta in deltas:
        by_round[delta.round].append(delta.document_id)
    saw = {
        (number, document_id): words
        for number, ids in by_round.items()
        for document_id, words in all_saw(project, run_id, number, ids).items()
    }
    return _Basis(said=said_of(project, run_id, {delta.document_id for delta in deltas}), saw=saw)


def _change(delta: Delta, basis: _Basis) -> Change:
    number, document_id = place = (delta.round, delta.document_id)
    said = basis.said
    snippet, earlier = said.shown(*place), said.shown(number - 1, document_id)
    text = snippet.text if snippet else ""
    own = said.is_read(*place)
    return Change(
        document=document_id,
        round=number,
        pieces=_marked(snippet, earlier, None),
        before=_marked(earlier, said.shown(number - 2, document_id), snippet) if earlier else None,
        changed=earlier is not None and earlier.text.split() != text.split(),
        foreign=list(snippet.foreign) if snippet else [],
        leftOut=list(snippet.left_out) if snippet and own else [],
        fault=said.fault(*place),
        saw=basis.saw.get(place, "") if snippet and own else "",
        leans=_leant(said, said.leans(*place)),
        people=list(said.people(*place)),
        byModel=said.by_model(*place),
        hidden=said.is_hidden(*place),
        carried=said.is_carried(*place),
    )


def _leant(said: SaidOf, leans: Sequence[Lean]) -> list[Leant]:
    by_words: dict[tuple[str, ...], list[int]] = {}
    for lean in leans:
        by_words.setdefault(lean.words, []).append(said.numbers[lean.document_id])
    return [Leant(numbers=sorted(numbers), words=list(words)) for words, numbers in by_words.items()]


def _marked(
    snippet: RelevanceSnippet | None, earlier: RelevanceSnippet | None, later: RelevanceSnippet | None
) -> Pieces:
    """A snippet with what is new against the round before marked, and what the next leaves out."""
    if snippet is None:
        return []
    marks: dict[str, Sequence[Span]] = {"foreign": find_terms(snippet.text, snippet.foreign)}
    if earlier and earlier.text and snippet.text:
        marks["added"] = compare(earlier.text, snippet.text).added
    if later and later.text and snippet.text:
        marks["removed"] = compare(snippet.text, later.text).removed
    return [(piece.text, " ".join(piece.marks)) for piece in lay_marks(snippet.text, marks)]


def summary_of(progress: Progress) -> str:
    """How far the rounds are, in one sentence."""
    begun = [found for found in progress.rounds if found.done] or progress.rounds[:1]
    if not begun:
        return "This run reads no rounds."
    current = begun[-1]
    counts = [
        f"Round {current.number} of {len(progress.rounds)}: {current.done:,} of {count(current.documents, 'document')} read"
    ]
    if current.silent:
        counts.append(f"{current.silent:,} with nothing to say")
    if current.failed:
        counts.append(f"{current.failed:,} failed")
    return ", ".join(counts) + "."

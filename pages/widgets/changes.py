"""What of a run's snippets changed, as the live component reads it. Used by the routes, outside of any script."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from pages.widgets.sights import all_saw
from r3con_core.differences import compare, find_terms, lay_marks
from r3con_core.documents import Span
from r3con_core.progress import Progress, progress_of
from r3con_core.snippets import RelevanceSnippet
from r3con_core.store.project import Project
from r3con_core.store.snippets import Delta, changes_since, load_snippets

MOST_AT_ONCE = 300
"""Changes in one answer, so that the first look at thousands of documents is drawn bit by bit."""
Pieces = list[tuple[str, str]]
"""Text and its marks, names separated by blanks: added, removed, foreign."""


class Change(TypedDict):
    """One document's result in one round."""

    document: str
    round: int
    pieces: Pieces
    """The snippet; empty when the document has nothing to say."""
    before: Pieces | None
    """The snippet of the round before, with what was taken out marked; None in the first round."""
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

    snippets: Mapping[tuple[int, str], RelevanceSnippet]
    """By round and document."""
    saw: Mapping[tuple[int, str], str]
    """What the reader of a round and document saw, in words."""


def changes_of(project: Project, run_id: str, seq: int) -> Changes:
    """What was written after `seq`, oldest first, and how far the run is. StoreError when there is no such run."""
    progress = progress_of(project, run_id)
    deltas = changes_since(project, run_id, seq)
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
    snippets = load_snippets(project, run_id, {delta.document_id for delta in deltas})
    return _Basis(snippets=snippets, saw=saw)


def _change(delta: Delta, basis: _Basis) -> Change:
    snippets = basis.snippets
    snippet = snippets.get((delta.round, delta.document_id))
    earlier = snippets.get((delta.round - 1, delta.document_id))
    foreign = snippet.foreign if snippet and not delta.fault else ()
    marks: dict[str, Sequence[Span]] = {"foreign": find_terms(delta.text, foreign)}
    before: Pieces | None = None
    if earlier is not None:
        old_marks: dict[str, Sequence[Span]] = {"foreign": find_terms(earlier.text, earlier.foreign)}
        if earlier.text and delta.text:
            difference = compare(earlier.text, delta.text)
            marks["added"], old_marks["removed"] = difference.added, difference.removed
        before = _pieces(earlier.text, old_marks)
    return Change(
        document=delta.document_id,
        round=delta.round,
        pieces=_pieces(delta.text, marks),
        before=before,
        changed=earlier is not None and earlier.text != delta.text,
        foreign=list(foreign),
        leftOut=list(snippet.left_out) if snippet and not delta.fault else [],
        fault=delta.fault,
        saw="" if delta.fault else basis.saw.get((delta.round, delta.document_id), ""),
    )


def _pieces(text: str, marks: dict[str, Sequence[Span]]) -> Pieces:
    return [(piece.text, " ".join(piece.marks)) for piece in lay_marks(text, marks)]


def summary_of(progress: Progress) -> str:
    """How far the rounds are, in one sentence."""
    begun = [found for found in progress.rounds if found.done] or progress.rounds[:1]
    current = begun[-1]
    counts = [
        f"Round {current.number} of {len(progress.rounds)}: {current.done:,} of {current.documents:,} documents read"
    ]
    if current.silent:
        counts.append(f"{current.silent:,} with nothing to say")
    if current.failed:
        counts.append(f"{current.failed:,} failed")
    return ", ".join(counts) + "."

"""How prompts are put together: the marks around documents, the order of notes, what fits the window.

Notes on the other documents come in leave-one-out tree order: going down from the whole corpus to one document,
the half that does not hold it is appended at each level. Calls on neighbouring documents then share the longest
prefixes, and no document ever sees its own note (simulation: 0.36 M instead of 0.79 M fresh tokens on Dracula).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.snippets import RelevanceSnippet
from r3con_core.tasks import Task

OVERHEAD = 1.15
"""Estimates may be that much too low."""
NOTES_SHARE = 0.45
"""Of the window, at most, for notes on other documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One document's snippet as other prompts show it."""

    number: int
    title: str
    text: str


def fence(task: Task, corpus: Corpus) -> str:
    """A mark that no document of the corpus holds, so that none can close it; the same for all prompts of a task."""
    for attempt in range(1000):
        mark = "doc-" + hashlib.sha256(f"{attempt}{task.id}".encode()).hexdigest()[:6]
        if not any(mark in document.text or mark in document.title for document in corpus.documents):
            return mark
    raise AssertionError("no document can hold a thousand hashes of one task")


def one_line(text: str) -> str:
    """A title as it may stand inside a mark: no quotation marks, brackets or line ends."""
    return " ".join(text.replace('"', "'").replace("<", "(").replace(">", ")").split())[:120]


def notes_of(corpus: Corpus, snippets: Sequence[RelevanceSnippet], *, budget: int) -> tuple[Note, ...]:
    """The snippets that say something as notes, in the given order, cut evenly when longer than `budget` tokens."""
    notes = [
        Note(number=corpus.number(s.document_id), title=one_line(corpus.get(s.document_id).title), text=s.text)
        for s in snippets
        if s.text
    ]
    total = sum(estimate_tokens(note.text) + 30 for note in notes)
    if total <= budget:
        return tuple(notes)
    share = budget / total
    return tuple(
        Note(number=n.number, title=n.title, text=_first_words(n.text, int(len(n.text) * share))) for n in notes
    )


def _first_words(text: str, letters: int) -> str:
    if len(text) <= letters:
        return text
    cut = text[: max(letters, 20)]
    return cut.rsplit(" ", 1)[0] + " …"


def others_in_tree_order(
    corpus: Corpus, document_id: str, snippets: Mapping[str, RelevanceSnippet]
) -> tuple[RelevanceSnippet, ...]:
    """All snippets but the document's own, ordered so that neighbours share the longest prefix."""
    ids = [document.id for document in corpus.documents]
    place, low, high = corpus.number(document_id) - 1, 0, len(ids)
    ordered: list[str] = []
    while high - low > 1:
        middle = (low + high) // 2
        if place < middle:
            ordered += ids[middle:high]
            high = middle
        else:
            ordered += ids[low:middle]
            low = middle
    return tuple(snippets[i] for i in ordered if i in snippets)


def room_for_document(window: int, *, around: str, reply: int) -> int:
    """Tokens left in `window` for a document beside the text `around` it and a reply; at least 256."""
    return max(256, int((window - reply - OVERHEAD * estimate_tokens(around) - 64) / OVERHEAD))

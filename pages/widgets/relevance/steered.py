"""Snippets as they stand, with whose words they are and what they lean on. Used by routes and pages alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pages.widgets.words import moment_of
from r3con_core.changes import EditSnippet, Entry, ExcludeDocument, PinSnippet, Steer, VetoSnippet
from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.overlay import context_of, steering_now
from r3con_core.snippet_changes import Lean, Sources
from r3con_core.snippets import Author, RelevanceSnippet
from r3con_core.steering import Said, Steering, lay_document, marks_of
from r3con_core.store.changes import list_changes
from r3con_core.store.documents import load_document
from r3con_core.store.numbering import document_numbers
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.snippets import last_round, load_snippets, load_unread, snippets_mark

Place = tuple[int, str]
"""Round and document id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOf:
    """Of some documents of a run, what stands for them in every round."""

    steering: Steering
    model: Mapping[str, Mapping[int, Said]]
    """By document and round, as kept."""
    standing: Mapping[str, Mapping[int, Said]]
    """The same with what people changed laid over, for the rounds that have begun."""
    numbers: Mapping[str, int]
    """Document id -> its number."""
    entries: Sequence[Entry]
    """The changes that count."""
    sources: Callable[[int], Sources]
    """The snippets of a round, which those of the next may lean on."""

    def shown(self, number: int, document_id: str) -> RelevanceSnippet | None:
        """The snippet of a round; of a vetoed one, or of one left behind by an exclusion, what it said before."""
        place = number, _ = (self._of(number, document_id), document_id)
        if place in self.steering.vetoes and place in self.steering.edits:
            return RelevanceSnippet(document_id=document_id, text=self.steering.edits[place])
        found = self.standing.get(document_id, {}).get(number)
        if place in self.steering.vetoes or self.steering.is_out(number, document_id):
            found = self.model.get(document_id, {}).get(number)
        return found if isinstance(found, RelevanceSnippet) else None

    def _of(self, number: int, document_id: str) -> int:
        """The round that a snippet is of: where a vetoed one is carried over, the round of the veto."""
        by, before = self.steering, number
        while by.is_carried(before, document_id) and not by.is_out(before, document_id):
            if (before, document_id) in by.vetoes or (before, document_id) in by.edits:
                break
            before -= 1
        return before if (before, document_id) in by.vetoes else number

    def is_carried(self, number: int, document_id: str) -> bool:
        """Whether what stands is that of the round before."""
        found = self.standing.get(document_id, {}).get(number)
        return isinstance(found, RelevanceSnippet) and found.carried

    def fault(self, number: int, document_id: str) -> str:
        """Why there is no snippet; "" when there is one."""
        found = self.standing.get(document_id, {}).get(number)
        return found.reason if isinstance(found, Unread) else ""

    def is_read(self, number: int, document_id: str) -> bool:
        """Whether the model's words of this round stand."""
        return self.steering.is_read(number, document_id)

    def is_hidden(self, number: int, document_id: str) -> bool:
        """Whether it is shown to nobody."""
        vetoed = (self._of(number, document_id), document_id) in self.steering.vetoes
        return vetoed or self.steering.is_hidden(number, document_id)

    def by_model(self, number: int, document_id: str) -> str:
        """What the model said where a person's words stand; "" elsewhere."""
        said = self.model.get(document_id, {}).get(number)
        edited = (number, document_id) in self.steering.edits
        model = isinstance(said, RelevanceSnippet) and said.author is Author.MODEL and not said.carried
        return said.text if edited and model and isinstance(said, RelevanceSnippet) else ""

    def leans(self, number: int, document_id: str) -> tuple[Lean, ...]:
        """The documents whose snippets of the round before the model's words lean on."""
        snippet = self.shown(number, document_id)
        if snippet is None or number < 2 or not self.is_read(number, document_id):
            return ()
        return self.sources(number - 1).leans(snippet)

    def people(self, number: int, document_id: str) -> tuple[str, ...]:
        """What people changed of this round's snippet, a sentence each, with who and when."""
        told = [sentence for entry in self.entries if (sentence := _sentence(entry, number, document_id))]
        vetoed = self._of(number, document_id)
        if vetoed != number:
            told += [
                f"Vetoed in round {vetoed} {_by(entry)}: shown to no other reader."
                for entry in self.entries
                if entry.change == VetoSnippet(document_id=document_id, round=vetoed)
            ]
        return tuple(told)


def _by(entry: Entry) -> str:
    return f"by {entry.author}, {moment_of(entry.made)}"


def _sentence(entry: Entry, number: int, document_id: str) -> str:
    change = entry.change
    by = _by(entry)
    because = f" {entry.note}" if entry.note else ""
    match change:
        case EditSnippet() if (change.round, change.document_id) == (number, document_id):
            return f"Written {by}.{because}"
        case VetoSnippet() if (change.round, change.document_id) == (number, document_id):
            return f"Vetoed {by}: shown to no other reader.{because}"
        case PinSnippet() if change.document_id == document_id and change.round <= number:
            kept = "Pinned" if change.round == number else f"Kept from round {change.round}: pinned"
            return f"{kept} {by}.{because}"
        case ExcludeDocument() if change.document_id == document_id and change.round <= number:
            return f"Document excluded {by}: neither read nor parsed from here on.{because}"
        case _:
            return ""


def said_of(project: Project, run_id: str, document_ids: Iterable[str]) -> SaidOf:
    """What stands for these documents, by round."""
    ids = tuple(document_ids)
    run = load_run(project, run_id)
    steering, entries = steering_now(project, run), list_changes(project, run_id)
    model: dict[str, dict[int, Said]] = {each: {} for each in ids}
    for (number, document_id), snippet in load_snippets(project, run_id, ids).items():
        model[document_id][number] = snippet
    for number in range(1, steering.rounds + 1):
        for unread in load_unread(project, run_id, Stage.RELEVANCE, number):
            if unread.document_id in model:
                model[unread.document_id][number] = unread
    edited = {document_id for _, document_id in steering.edits}
    texts = {each: found.text for each in edited & set(ids) if (found := load_document(project, each))}
    marks = marks_of(entries)
    begun = last_round(project, run_id)
    laid = {each: lay_document(steering, each, model[each], texts.get(each, "")) for each in ids}
    return SaidOf(
        steering=steering,
        model=model,
        standing={each: {n: said for n, said in by.items() if n <= begun} for each, by in laid.items()},
        numbers=document_numbers(project, run_id),
        entries=tuple(entry for entry in entries if entry.counts and isinstance(entry.change, Steer)),
        sources=lambda number: _sources(_Key.of(project, run_id, number, marks)),
    )


@dataclass(frozen=True, kw_only=True)
class _Key:
    """The snippets of one round as they stood at a moment."""

    folder: str
    run_id: str
    number: int
    latest: int
    """The newest of its rows."""
    marks: tuple[str, ...]
    project: Project = field(compare=False)

    @classmethod
    def of(cls, project: Project, run_id: str, number: int, marks: tuple[str, ...]) -> "_Key":
        latest = snippets_mark(project, run_id, number)
        folder = str(project.folder)
        return cls(folder=folder, run_id=run_id, number=number, latest=latest, marks=marks, project=project)


@lru_cache(maxsize=4)
def _sources(key: _Key) -> Sources:
    """Of 5,000 snippets it takes half a second, and each of the next round asks for it."""
    context = context_of(key.project, key.run_id)
    of = next((each for each in context.rounds if each.number == key.number), replace(context.last, snippets=()))
    return Sources(of, document_numbers(key.project, key.run_id))

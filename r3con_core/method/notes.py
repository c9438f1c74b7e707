"""The snippets of one round as other prompts show them: each on a line of its own, with its document's number.

Computed once for a round: prompts share the very same strings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from r3con_core.documents import estimate_tokens
from r3con_core.method.brief import Brief
from r3con_core.method.layout import LABEL, MARKED_LEVELS, NOTE_FLOOR, one_line, tree_order
from r3con_core.method.prompts import fill
from r3con_core.runs import Layout
from r3con_core.snippets import RelevanceSnippet, Round, Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one prompt shows of a round."""

    pieces: tuple[str, ...]
    """Between their marks; empty when no document said anything."""
    shared: tuple[int, ...]
    """After how many pieces a prefix ends that other prompts share."""
    sight: Sight


NOTHING = Shown(pieces=(), shared=(), sight=Sight(document_id="", whole=()))


@dataclass(frozen=True, kw_only=True)
class Notes:
    """One round's snippets, to be shown to readers."""

    brief: Brief
    round: Round
    room: int
    """Tokens they may take together in one prompt."""

    @cached_property
    def snippets(self) -> Mapping[str, RelevanceSnippet]:
        """Those that say something, by document."""
        return {s.document_id: s for s in self.round.snippets if s.text.strip()}

    @cached_property
    def _lengths(self) -> Mapping[str, int]:
        return {i: estimate_tokens(s.text) for i, s in self.snippets.items()}

    @cached_property
    def cap(self) -> int | None:
        """Tokens to which longer snippets are shortened so that all fit; None: none is."""
        lengths = list(self._lengths.values())
        room = self.room - LABEL * len(lengths)
        if sum(lengths) <= room:
            return None
        low, high = 0, max(lengths)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if sum(min(n, middle) for n in lengths) <= room else (low, middle - 1)
        return low

    @property
    def outgrown(self) -> bool:
        """All of them do not fit, however shortened: digests are needed."""
        return self.cap is not None and self.cap < NOTE_FLOOR

    @cached_property
    def _pieces(self) -> Mapping[str, str]:
        return {i: self._piece(s, self.cap) for i, s in self.snippets.items()}

    def _piece(self, snippet: RelevanceSnippet, cap: int | None) -> str:
        text = one_line(snippet.text, self.brief.mark)
        if cap is not None and self._lengths[snippet.document_id] > cap:
            text = first_words(text, len(text) * cap // self._lengths[snippet.document_id])
        return self._fill("note", number=self.brief.corpus.number(snippet.document_id), text=text)

    def _fill(self, section: str, **values: object) -> str:
        return fill("common", self.brief.settings.prompts, section, fence=self.brief.mark, **values)

    @property
    def _ids(self) -> list[str]:
        return [document.id for document in self.brief.corpus.documents]

    def others(self, document_id: str) -> Shown:
        """For the reader of one document in a round: the others' snippets, never its own."""
        ids = self._ids
        place = self.brief.corpus.number(document_id) - 1
        if self.brief.settings.layout is Layout.PAPER:
            levels: Sequence[Iterable[int]] = [[p for p in range(len(ids)) if p != place]]
        else:
            levels = list(tree_order(len(ids), place))
        groups = [[i for p in level if (i := ids[p]) in self.snippets] for level in levels]
        return self._show(document_id, groups, others=True)

    def all(self, document_id: str = "") -> Shown:
        """For a stage that reads all snippets, in corpus order; for the reader of one document if given."""
        return self._show(document_id, [[i for i in self._ids if i in self.snippets]], others=False)

    def _show(self, document_id: str, groups: Sequence[Sequence[str]], *, others: bool) -> Shown:
        ids = [i for group in groups for i in group]
        if not ids:
            return Shown(pieces=(), shared=(), sight=Sight(document_id=document_id, whole=()))
        cut = [i for i in ids if self.cap is not None and self._lengths[i] > self.cap]
        return Shown(
            pieces=(self._fill("notes", others=others), *(self._pieces[i] for i in ids), self._fill("end")),
            shared=_shared(groups),
            sight=Sight(
                document_id=document_id,
                whole=tuple(i for i in ids if i not in set(cut)) if cut else tuple(ids),
                shortened=tuple(cut),
            ),
        )


def _shared(groups: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Where to mark the end of a shared prefix: after the first and second third of the levels."""
    levels = [len(groups) * third // (MARKED_LEVELS + 1) for third in range(1, MARKED_LEVELS + 1)]
    ends = (1 + sum(map(len, groups[:level])) for level in levels)
    return tuple(dict.fromkeys(end for end in ends if end > 1))


def first_words(text: str, letters: int) -> str:
    """The beginning of `text`, at most about `letters` long, with a mark where it was cut."""
    if len(text) <= letters:
        return text
    cut = text[: max(letters, 20)]
    return cut.rsplit(" ", 1)[0] + " …"

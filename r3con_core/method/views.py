"""What one reader is shown of a round whose snippets outgrow the window, and which of them in what form.

Digests beside the path to the reader's own document; the snippets of its own group, shortened; and, word for word, the
snippets that bear on it. Every other document that says anything is in one of these, and its own snippet in none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from r3con_core.documents import Corpus, Document, estimate_tokens
from r3con_core.method.affinity import Index, make_index, rank, rank_for_task
from r3con_core.method.digest_tree import (
    DIGESTS_SHARE,
    MOST_IN_GROUP,
    NEAR_SHARE,
    Plan,
    digest_label,
    digest_numbers,
    snippet_label,
)
from r3con_core.method.layout import NOTE_FLOOR, tree_order
from r3con_core.method.shortening import share_out, shorten
from r3con_core.snippets import Digest, RelevanceSnippet, Round, Sight

MOST_FOR_DIGESTS = 0.65
"""Of the room, where it is smaller than planned and digests have to be shortened."""
WORTHWHILE = 24
"""Tokens; with less room than that no further snippet is looked for."""
MOST_MISSES = 20
"""Snippets that do not fit are passed over up to so many times."""
MOST_OF_ONE = 4
"""No snippet takes more than one part in so many of what is there for snippets word for word."""

T = TypeVar("T", RelevanceSnippet, Digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one reader is shown, in this order."""

    digests: tuple[tuple[Digest, ...], ...]
    """A tuple a level, from the top down. Readers within a group share all of its levels down to it."""
    near: tuple[RelevanceSnippet, ...]
    """Of the reader's own group, shortened, in leave-one-out tree order."""
    chosen: tuple[RelevanceSnippet, ...]
    """Those that bear on the reader's document or task, in corpus order."""
    sight: Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Generic[T]):
    """A snippet or digest as it may be shown, with its estimated tokens: each is counted once for all readers."""

    shown: T
    tokens: int
    """Of its text."""
    label: int
    """Of what stands before it on its line, and the line end."""
    whole: bool = True
    """Nothing of its text is cut."""

    @property
    def cost(self) -> int:
        """Of the whole line."""
        return self.tokens + self.label

    def within(self, tokens: int) -> "Line[T]":
        """It itself when its text takes no more than `tokens`, else shortened to that."""
        if self.tokens <= tokens:
            return self
        text = shorten(self.shown.text, tokens)
        return replace(self, shown=replace(self.shown, text=text), tokens=estimate_tokens(text), whole=False)


Snippets = list[Line[RelevanceSnippet]]
Digests = tuple[tuple[Line[Digest], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookout:
    """A round with its digests, ready to be shown; made once, used by all readers."""

    corpus: Corpus
    plan: Plan
    places: Mapping[str, int]
    """By document, where it stands in `plan.ids`."""
    index: Index
    said: Mapping[str, Line[RelevanceSnippet]]
    """By document, those that say something."""
    short: Mapping[str, Line[RelevanceSnippet]]
    """The same within the floor."""
    written: Mapping[tuple[int, int], Line[Digest]]
    """The digests by level and number."""

    def others(self, document: Document, room: int) -> View:
        """For the reader of `document` in a round: its own snippet is in nothing of it. At most `room` tokens."""
        place = self.places.get(document.id)
        if place is None:
            return self.all_for(document, room)
        path = self.plan.path(place)
        near = self._near(place, path[0], room)
        return self._view(document.id, self._beside(path), near, self._ranked(document, room), room)

    def all_for(self, document: Document, room: int) -> View:
        """For the reader of `document` in a stage that reads all snippets; the digests are the same for all documents."""
        return self._view(document.id, self._finest(room), [], self._ranked(document, room), room)

    def all(self, room: int) -> View:
        """For a stage that reads no single document: all digests of a level, and what bears most on the task."""
        return self._view("", self._finest(room), [], rank_for_task(self.index, most=_most(room)), room)

    def _ranked(self, document: Document, room: int) -> list[str]:
        return rank(self.index, document, self.corpus.number(document.id), most=_most(room))

    def _beside(self, path: Sequence[int]) -> Digests:
        """The digests beside a path, from the top down, each level in leave-one-out tree order."""
        shown: list[tuple[Line[Digest], ...]] = []
        places = range(len(self.plan.levels[-1]))
        for groups, place in zip(reversed(self.plan.levels), reversed(path), strict=True):
            order = (places[p] for run in tree_order(len(places), place - places.start) for p in run)
            shown.append(tuple(self.written[groups[p].level, groups[p].number] for p in order))
            places = groups[place].below
        return tuple(shown)

    def _near(self, place: int, leaf: int, room: int) -> Snippets:
        """The other members of the reader's group, each within the floor, or less where `room` is less than planned."""
        group = self.plan.levels[0][leaf].below
        order = [group[p] for run in tree_order(len(group), place - group.start) for p in run]
        return _fit([self.short[self.plan.ids[p]] for p in order], int(NEAR_SHARE * room))

    def _finest(self, room: int) -> Digests:
        """All digests of the finest level that fits its share of the room, or else of the top."""
        level: tuple[Line[Digest], ...] = ()
        for groups in self.plan.levels:
            level = tuple(self.written[group.level, group.number] for group in groups)
            if sum(line.cost for line in level) <= DIGESTS_SHARE * room:
                break
        return (level,) if level else ()

    def _view(self, reader: str, digests: Digests, near: Snippets, ranked: Iterable[str], room: int) -> View:
        digests = _within_room(digests, room)
        left = room - sum(line.cost for level in digests for line in level) - sum(line.cost for line in near)
        chosen = self._choose(ranked, left, {line.shown.document_id: line for line in near})
        near = [line for line in near if line.shown.document_id not in chosen]
        in_order = [chosen[i] for i in self._in_order(chosen)]
        shown = {line.shown.document_id: line.whole for line in (*near, *in_order)}
        covered = (i for level in digests for line in level for i in line.shown.covers if i not in shown)
        return View(
            digests=tuple(tuple(line.shown for line in level) for level in digests),
            near=tuple(line.shown for line in near),
            chosen=tuple(line.shown for line in in_order),
            sight=Sight(
                document_id=reader,
                whole=self._in_order(i for i, whole in shown.items() if whole),
                shortened=self._in_order(i for i, whole in shown.items() if not whole),
                digested=self._in_order(covered),
            ),
        )

    def _choose(
        self, ranked: Iterable[str], left: int, near: Mapping[str, Line[RelevanceSnippet]]
    ) -> dict[str, Line[RelevanceSnippet]]:
        """As many as fit in `left` tokens, the best first; one shown whole instead of shortened gives its room back."""
        most = max(left // MOST_OF_ONE, NOTE_FLOOR)
        chosen: dict[str, Line[RelevanceSnippet]] = {}
        misses = 0
        for i in ranked:
            if left < WORTHWHILE or misses == MOST_MISSES:
                break
            if i in near and near[i].whole:
                continue
            line = self.said[i].within(most)
            cost = line.cost - (near[i].cost if i in near else 0)
            if cost > left:
                misses += 1
                continue
            chosen[i] = line
            left -= cost
        return chosen

    def _in_order(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(ids, key=self.corpus.number))


def make_lookout(corpus: Corpus, plan: Plan, of: Round, *, task: str) -> Lookout:
    """The round `of`, with its digests written, ready to be shown.

    2,000 documents of 1,500 words take some 4 s, nearly all of it to learn which terms are rare.
    """
    saying = [snippet for snippet in of.snippets if snippet.text.strip()]
    said = {
        snippet.document_id: _line(snippet, snippet_label(corpus.number(snippet.document_id))) for snippet in saying
    }
    return Lookout(
        corpus=corpus,
        plan=plan,
        places={document_id: place for place, document_id in enumerate(plan.ids)},
        index=make_index(corpus, saying, task=task),
        said=said,
        short={i: line.within(NOTE_FLOOR) for i, line in said.items()},
        written={
            (digest.level, digest.number): _line(digest, digest_label(digest_numbers(corpus, digest.covers)))
            for digest in of.digests
        },
    )


def _line(shown: T, label: str) -> Line[T]:
    return Line(shown=shown, tokens=estimate_tokens(shown.text), label=estimate_tokens(label) + 1)


def _within_room(digests: Digests, room: int) -> Digests:
    """As they are, but for rooms smaller than they were planned for."""
    fitting = iter(_fit([line for level in digests for line in level], int(MOST_FOR_DIGESTS * room)))
    return tuple(tuple(next(fitting) for _ in level) for level in digests)


def _fit(lines: list[Line[T]], room: int) -> list[Line[T]]:
    """`lines`, the longer ones shortened so that all take at most `room` tokens."""
    rooms = share_out([line.tokens for line in lines], max(room - sum(line.label for line in lines), 0))
    return [line.within(tokens) for line, tokens in zip(lines, rooms, strict=True)]


def _most(room: int) -> int:
    """More snippets than fit are never ranked."""
    return room // WORTHWHILE + MOST_MISSES + MOST_IN_GROUP

"""The snippets of one round as other prompts show them: each on a line of its own, with its document's number.

Made once for a round: prompts share the very same strings. Where the snippets outgrow the room there is for them, a
reader is shown digests and a choice of them: see `views`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from r3con_core.documents import Document, estimate_tokens
from r3con_core.method.brief import Brief
from r3con_core.method.digest_tree import digest_label, digest_numbers, make_plan, plan_of, snippet_label
from r3con_core.method.digests import cut_digest, jobs_of_level
from r3con_core.method.layout import LABEL, MARKED_LEVELS, NOTE_FLOOR, notes_room, tree_order
from r3con_core.method.marks import note_text, one_line
from r3con_core.method.prompts import fill
from r3con_core.method.shortening import share_out, shorten
from r3con_core.method.views import Lookout, View, make_lookout
from r3con_core.runs import Layout
from r3con_core.snippets import Digest, RelevanceSnippet, Round, Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one prompt shows of a round."""

    pieces: tuple[str, ...]
    """Between their marks; empty when no document said anything."""
    shared: tuple[int, ...]
    """After how many pieces a prefix ends that other prompts share."""
    sight: Sight


NOTHING = Shown(pieces=(), shared=(), sight=Sight(document_id="", whole=()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """One round's snippets, ready to be shown to readers."""

    brief: Brief
    round: Round
    room: int
    """Tokens they may take together in one prompt."""
    pieces: Mapping[str, str]
    """By document that says something: its snippet's line, shortened where all would not fit."""
    shortened: frozenset[str]
    """Documents whose line is not their whole snippet."""
    lookout: Lookout | None
    """Chooses what is shown where all lines outgrow the room."""

    def others(self, document: Document) -> Shown:
        """For the reader of one document in a round: the others' snippets, never its own."""
        if self.lookout:
            return self._of_view(self.lookout.others(document, self.room), others=True)
        ids = [each.id for each in self.brief.corpus.documents]
        place = self.brief.corpus.number(document.id) - 1
        levels: Iterable[Iterable[int]] = tree_order(len(ids), place)
        if self.brief.settings.layout is Layout.PAPER:
            levels = [[p for p in range(len(ids)) if p != place]]
        groups = [[i for p in level if (i := ids[p]) in self.pieces] for level in levels]
        return self._of_lines(document.id, groups, others=True)

    def all_for(self, document: Document) -> Shown:
        """For the reader of one document in a stage that reads all snippets: in corpus order."""
        if self.lookout:
            return self._of_view(self.lookout.all_for(document, self.room), others=False)
        return self._of_lines(document.id, [list(self.pieces)], others=False)

    def all(self) -> Shown:
        """For a stage that reads no single document: in corpus order."""
        if self.lookout:
            return self._of_view(self.lookout.all(self.room), others=False)
        return self._of_lines("", [list(self.pieces)], others=False)

    def _of_lines(self, reader: str, groups: Sequence[Sequence[str]], *, others: bool) -> Shown:
        ids = [i for group in groups for i in group]
        sight = Sight(
            document_id=reader,
            whole=tuple(i for i in ids if i not in self.shortened),
            shortened=tuple(i for i in ids if i in self.shortened),
        )
        levels = [[self.pieces[i] for i in group] for group in groups]
        return self._shown(levels, sight, others=others)

    def _of_view(self, view: View, *, others: bool) -> Shown:
        levels = [[self._digest_line(digest) for digest in level] for level in view.digests]
        lines = [self._line(snippet) for snippet in (*view.near, *view.chosen)]
        return self._shown([*levels, lines], view.sight, others=others)

    def _shown(self, levels: Sequence[Sequence[str]], sight: Sight, *, others: bool) -> Shown:
        lines = [line for level in levels for line in level]
        if not lines:
            return replace(NOTHING, sight=sight)
        pieces = (_common(self.brief, "notes", others=others), *lines, _common(self.brief, "end"))
        return Shown(pieces=pieces, shared=_shared(levels), sight=sight)

    def _line(self, snippet: RelevanceSnippet) -> str:
        return note_line(self.brief, snippet.document_id, snippet.text)

    def _digest_line(self, digest: Digest) -> str:
        label = digest_label(digest_numbers(self.brief.corpus, digest.covers))
        return f"{label} {one_line(digest.text, self.brief.mark)}"


def make_notes(brief: Brief, of: Round, room: int | None = None) -> Notes:
    """The notes of a round within `room` tokens, by default those that the documents leave in the window.

    Where they outgrow it and the round has no digests, the beginnings of its snippets stand in for them.
    """
    room = notes_room(brief) if room is None else room
    said = {snippet.document_id: snippet for snippet in of.snippets if snippet.text.strip()}
    rooms = _rooms(said.values(), room)
    shortened = {i for i, snippet in said.items() if rooms[i] < estimate_tokens(snippet.text)}
    lines = {
        i: note_line(brief, i, shorten(snippet.text, rooms[i]) if i in shortened else snippet.text)
        for i, snippet in said.items()
    }
    return Notes(
        brief=brief,
        round=of,
        room=room,
        pieces=lines,
        shortened=frozenset(shortened),
        lookout=_lookout(brief, of, room) if any(rooms[i] < NOTE_FLOOR for i in shortened) else None,
    )


def outgrows(brief: Brief, of: Round) -> bool:
    """Whether the snippets of a round do not fit the window, however shortened: digests are needed."""
    said = [snippet for snippet in of.snippets if snippet.text.strip()]
    rooms = _rooms(said, notes_room(brief))
    return any(rooms[s.document_id] < min(NOTE_FLOOR, estimate_tokens(s.text)) for s in said)


def _rooms(said: Iterable[RelevanceSnippet], room: int) -> dict[str, int]:
    """Tokens for each snippet, by document: all of it, or an even share of `room`."""
    lengths = {snippet.document_id: estimate_tokens(snippet.text) for snippet in said}
    shares = share_out(list(lengths.values()), max(room - LABEL * len(lengths), 0))
    return dict(zip(lengths, shares, strict=True))


def _lookout(brief: Brief, of: Round, room: int) -> Lookout:
    digested = of if of.digests else replace(of, digests=_beginnings(brief, of, room))
    return make_lookout(brief.corpus, plan_of(digested.digests), digested, task=brief.task.text)


def _beginnings(brief: Brief, of: Round, room: int) -> tuple[Digest, ...]:
    plan = make_plan(brief.corpus, of.snippets, room=room)
    digests: list[Digest] = []
    below: tuple[Digest, ...] = ()
    for level in range(1, len(plan.levels) + 1):
        below = tuple(cut_digest(brief, job) for job in jobs_of_level(plan, of, level, below))
        digests += below
    return tuple(digests)


def note_line(brief: Brief, document_id: str, text: str) -> str:
    """One snippet as prompts show it."""
    return f"{snippet_label(brief.corpus.number(document_id))} {note_text(text, brief.mark)}"


def _common(brief: Brief, section: str, **values: object) -> str:
    return fill("common", brief.settings.prompts, section, fence=brief.mark, **values)


def _shared(levels: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Where to mark the end of a shared prefix: after the first and second third of the levels."""
    thirds = [len(levels) * third // (MARKED_LEVELS + 1) for third in range(1, MARKED_LEVELS + 1)]
    ends = (1 + sum(map(len, levels[:level])) for level in thirds)
    return tuple(dict.fromkeys(end for end in ends if end > 1))

"""How the snippets of a round are grouped for digests when all of them together outgrow the window.

Neighbours in corpus order form a group, neighbouring groups a group of the next level. A reader goes down from the top
to its own document and is shown, at each level, the digests beside its path: together they tell every other document's
snippet and never its own. Nothing here depends on what a snippet says, only on which documents say anything.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.method.layout import NOTE_FLOOR
from r3con_core.snippets import Digest, RelevanceSnippet

MOST_IN_GROUP = 16
BRANCHES = (16, 8, 4, 2)
"""Groups in a group; fewer where the room is so small that digests beside a path of wide levels do not fit."""
MOST_TOKENS = 120
AIMS = ((48, NOTE_FLOOR), (24, NOTE_FLOOR), (20, 20), (8, 12))
"""Tokens of a digest, and of a shortened snippet of the reader's own group: the first that the room allows. Before it is
given up, groups have fewer groups in them and there are more levels, so that fewer digests stand beside a path."""
DIGESTS_SHARE = 0.5
NEAR_SHARE = 0.3
"""Of the room for notes: for digests, and for the shortened snippets of the reader's own group. The rest, and what they
leave, is for snippets word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What one digest tells."""

    level: int
    """1: of snippets; 2: of digests of level 1; and so on."""
    number: int
    """Within its level, from 1, in corpus order."""
    covers: tuple[str, ...]
    """Ids of documents that say something, in corpus order."""
    below: range
    """Places of what it is made of: in `Plan.ids` for level 1, else in the level below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The digests to be written for one round."""

    ids: tuple[str, ...]
    """Documents that say something, in corpus order; all others are in no group."""
    levels: tuple[tuple[Group, ...], ...]
    """Level 1 first; a level is written when the one below it is. Empty when no document says anything."""
    tokens: int
    """Room for one digest's text."""
    room: int
    """Tokens that what one reader is shown of the round may take."""

    def path(self, place: int) -> tuple[int, ...]:
        """For the document at `place` in `ids`: the place, within its level, of its group at each level from 1 up."""
        found: list[int] = []
        for level in self.levels:
            place = _holder(level, place)
            found.append(place)
        return tuple(found)


def _holder(level: tuple[Group, ...], place: int) -> int:
    """Groups of a level differ by one in size at most, so the right one is near where its share says."""
    guess = min(place * len(level) // level[-1].below.stop, len(level) - 1)
    while place < level[guess].below.start:
        guess -= 1
    while place >= level[guess].below.stop:
        guess += 1
    return guess


def snippet_label(number: int) -> str:
    """What stands before a snippet in a prompt."""
    return f"Document {number}:"


def digest_numbers(corpus: Corpus, covers: tuple[str, ...]) -> str:
    """The documents a digest tells, as a reader is told: "17-32". Those among them that say nothing are not told apart."""
    first, last = corpus.number(covers[0]), corpus.number(covers[-1])
    return str(first) if first == last else f"{first}-{last}"


def digest_label(numbers: str) -> str:
    """What stands before a digest in a prompt."""
    return f"Documents {numbers} in short:"


def make_plan(corpus: Corpus, snippets: Iterable[RelevanceSnippet], *, room: int) -> Plan:
    """The digests of the snippets that say something, such that what one reader is shown takes at most `room` tokens.

    `room` is best 500 or more; with less, and hundreds of documents, the labels alone can take more than it.
    """
    ids = tuple(snippet.document_id for snippet in snippets if snippet.text.strip())
    if not ids:
        return Plan(ids=(), levels=(), tokens=0, room=room)
    sizes, tokens = _choose_sizes(len(ids), room, highest=len(corpus.documents))
    return Plan(ids=ids, levels=_levels(ids, sizes), tokens=tokens, room=room)


def _choose_sizes(count: int, room: int, *, highest: int) -> tuple[list[int], int]:
    """How many groups of `count` snippets each level has, level 1 first, and the tokens of a digest."""
    near_label = estimate_tokens(snippet_label(highest)) + 1
    label = estimate_tokens(digest_label(f"{highest}-{highest}")) + 1
    for least, near in AIMS:
        in_group = max(2, min(MOST_IN_GROUP, int(NEAR_SHARE * room / (near + near_label)) + 1))
        for branch in BRANCHES:
            for sizes in _heights(-(-count // in_group), branch):
                tokens = int(DIGESTS_SHARE * room) // _beside(sizes, branch) - label
                if tokens >= least:
                    return sizes, min(tokens, MOST_TOKENS)
    return sizes, AIMS[-1][0]


def _heights(leaves: int, branch: int) -> Iterator[list[int]]:
    """Ever higher trees, until the top level has no more groups than any other has beside a path."""
    sizes = [leaves]
    yield sizes
    while sizes[-1] > branch:
        sizes = [*sizes, -(-sizes[-1] // branch)]
        yield sizes


def _beside(sizes: list[int], branch: int) -> int:
    """How many digests stand beside a path, at most."""
    return sizes[-1] + (len(sizes) - 1) * (branch - 1)


def _levels(ids: tuple[str, ...], sizes: list[int]) -> tuple[tuple[Group, ...], ...]:
    levels: list[tuple[Group, ...]] = []
    for level, size in enumerate(sizes, start=1):
        below = levels[-1] if levels else ()
        groups: list[Group] = []
        for number, places in enumerate(_divide(len(below) or len(ids), size), start=1):
            covers = (
                tuple(i for place in places for i in below[place].covers) if below else ids[places.start : places.stop]
            )
            groups.append(Group(level=level, number=number, covers=covers, below=places))
        levels.append(tuple(groups))
    return tuple(levels)


def _divide(count: int, into: int) -> list[range]:
    """`count` places in `into` runs that differ by one at most."""
    ends = [count * number // into for number in range(into + 1)]
    return [range(start, end) for start, end in pairwise(ends)]


def plan_of(digests: Sequence[Digest]) -> Plan:
    """The plan that written digests, by level and number, came of; what is left to be written is unknown to it."""
    levels: list[tuple[Group, ...]] = []
    for number in sorted({digest.level for digest in digests}):
        start, groups = 0, list[Group]()
        for digest in (each for each in digests if each.level == number):
            end = _covered(levels[-1], start, len(digest.covers)) if levels else start + len(digest.covers)
            groups.append(Group(level=number, number=digest.number, covers=digest.covers, below=range(start, end)))
            start = end
        levels.append(tuple(groups))
    ids = tuple(i for group in levels[0] for i in group.covers) if levels else ()
    return Plan(ids=ids, levels=tuple(levels), tokens=0, room=0)


def _covered(level: Sequence[Group], start: int, count: int) -> int:
    """Where the groups of `level` from `start` on end that together cover `count` documents."""
    end = start
    while count > 0:
        count -= len(level[end].covers)
        end += 1
    return end

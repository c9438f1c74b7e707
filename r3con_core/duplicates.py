"""Documents that are the same text in other files, or nearly so: shown with their differences, never merged.

Files with the same bytes are in the ledger. Here are those whose texts agree: a letter as PDF and as text, a contract
and its earlier version. Sketches name candidates (`store.sketches`), and the shingles of their texts decide.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Any

from r3con_core.differences import Difference, compare
from r3con_core.documents import Span
from r3con_core.store.index import index_missing
from r3con_core.store.project import Project
from r3con_core.store.sketches import BINS, shingles

NEARLY = 0.8
"""Of all shingles of two texts, how many they have in common at least to be told as nearly the same."""
_WORTH_A_LOOK = 0.65
"""What a sketch estimates is off by 0.04 or so."""
_BAND = 4
"""Neighbouring bins that two sketches must agree in to be compared; of a thousand pairs of NEARLY none is lost so."""


class Likeness(StrEnum):
    """How two documents are alike."""

    SAME = "the same text"
    """But for blanks, line ends, case, accents and typography."""
    NEARLY = "nearly the same text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Documents that are alike, in the order of the project."""

    likeness: Likeness
    document_ids: tuple[str, ...]
    """Two or more. Of documents with the same text, a group of nearly the same ones names the first."""
    similarities: tuple[float, ...]
    """To the first document, 0 to 1: the share of shingles in common. One for each document, the first one's is 1."""

    @property
    def similarity(self) -> float:
        """Of the least similar one to the first."""
        return min(self.similarities)


def groups(project: Project) -> tuple[Group, ...]:
    """All documents that are alike: the same text first, then nearly the same. Seconds for 5,000 documents."""
    index_missing(project)
    rows = project.db.execute(
        "select id, same, sketch from documents join search_texts on id = document_id where same != '' order by position"
    ).fetchall()
    same: dict[str, list[str]] = defaultdict(list)
    sketches: dict[str, bytes] = {}
    for row in rows:
        same[row["same"]].append(row["id"])
        if len(same[row["same"]]) == 1 and row["sketch"]:
            sketches[row["id"]] = row["sketch"]
    alike = [
        Group(likeness=Likeness.SAME, document_ids=tuple(ids), similarities=(1.0,) * len(ids))
        for ids in same.values()
        if len(ids) > 1
    ]
    return (*alike, *_nearly_same(project, sketches))


def _nearly_same(project: Project, sketches: dict[str, bytes]) -> Iterator[Group]:
    ids = list(sketches)
    texts = _Shingled(project)
    joined = _Joined(len(ids))
    for one, other in _candidates(list(sketches.values())):
        joined.join(one, other)
    for members in joined.groups():
        yield from _like_the_first(texts, [ids[member] for member in members])


def _like_the_first(texts: "_Shingled", ids: Sequence[str]) -> Iterator[Group]:
    """Groups of those that are nearly the same as the first, then of the others likewise; what is like none is left."""
    left = list(ids)
    while len(left) > 1:
        similarities = {other: texts.similarity(left[0], other) for other in left[1:]}
        alike = [other for other in left[1:] if similarities[other] >= NEARLY]
        if alike:
            yield Group(
                likeness=Likeness.NEARLY,
                document_ids=(left[0], *alike),
                similarities=(1.0, *(similarities[other] for other in alike)),
            )
        left = [other for other in left[1:] if similarities[other] < NEARLY]


def _candidates(sketches: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Places of sketches that agree in a band, and enough in all bins; of many in one band, each with two others."""
    import numpy as np

    if not sketches:
        return
    minima = np.frombuffer(b"".join(sketches), dtype="<u4").reshape(len(sketches), BINS)
    width = 4 * _BAND
    seen: set[tuple[int, int]] = set()
    for start in range(0, 4 * BINS, width):
        buckets: dict[bytes, list[int]] = defaultdict(list)
        for place, sketch in enumerate(sketches):
            bucket = buckets[sketch[start : start + width]]
            pairs = {(bucket[0], place), (bucket[-1], place)} - seen if bucket else set()
            bucket.append(place)
            seen |= pairs
            yield from (pair for pair in sorted(pairs) if (minima[pair[0]] == minima[pair[1]]).mean() >= _WORTH_A_LOOK)


class _Joined:
    """Which of some things belong together (union-find); the first of each group stands for it."""

    def __init__(self, count: int) -> None:
        self._before = list(range(count))

    def first(self, place: int) -> int:
        while self._before[place] != place:
            self._before[place] = self._before[self._before[place]]
            place = self._before[place]
        return place

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.first(one), self.first(other)))
        self._before[high] = low

    def groups(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for place in range(len(self._before)):
            found[self.first(place)].append(place)
        return [members for members in found.values() if len(members) > 1]


class _Shingled:
    """The shingles of a project's documents; those of the last few are kept."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._shingles = lru_cache(maxsize=32)(self._read)

    def _read(self, document_id: str) -> Any:
        row = self._project.db.execute("select text from documents where id = ?", (document_id,)).fetchone()
        return shingles(row[0] if row else "")

    def similarity(self, one: str, other: str) -> float:
        """The share of all shingles of both that both have (Jaccard)."""
        import numpy as np

        first, second = self._shingles(one), self._shingles(other)
        common = int(np.intersect1d(first, second, assume_unique=True).size)
        return float(common / max(1, first.size + second.size - common))


# Differences of two long texts

_WORD = re.compile(r"\w+|[^\w\s]")
_ANCHOR = 6
"""Words in a row that each text has once: there they run together."""
_LONGEST_COMPARED = 3_000
"""Words between two anchors that are compared one by one; longer stretches differ as a whole."""


def differences(before: str, after: str) -> Difference:
    """Where two texts differ, word by word, as `compare` gives it; texts of 60,000 words take a second or so."""
    old, new = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    removed: list[Span] = []
    added: list[Span] = []
    anchors = [(-_ANCHOR, -_ANCHOR), *_anchors(old, new), (len(old), len(new))]
    for (a, b), (next_a, next_b) in pairwise(anchors):
        low_a, low_b = min(a + _ANCHOR, next_a), min(b + _ANCHOR, next_b)
        if (low_a, low_b) == (next_a, next_b):
            continue
        one, other = _stretch(old, low_a, next_a), _stretch(new, low_b, next_b)
        removed_here, added_here = _compared(before, after, one, other)
        removed += removed_here
        added += added_here
    return Difference(removed=tuple(removed), added=tuple(added))


def _anchors(old: Sequence[re.Match[str]], new: Sequence[re.Match[str]]) -> list[tuple[int, int]]:
    """Places, in words of both, where the same _ANCHOR words stand that each text has once; rising in both."""
    ours, theirs = _once(old), _once(new)
    kept: list[tuple[int, int]] = []
    for place, other in _longest_rising([(at, theirs[words]) for words, at in ours.items() if words in theirs]):
        step, other_step = (place - kept[-1][0], other - kept[-1][1]) if kept else (_ANCHOR, _ANCHOR)
        if step == other_step or min(step, other_step) >= _ANCHOR:  # else the words of two anchors overlap in one text
            kept.append((place, other))
    return kept


def _once(words: Sequence[re.Match[str]]) -> dict[tuple[str, ...], int]:
    runs = [tuple(word.group() for word in words[at : at + _ANCHOR]) for at in range(len(words) - _ANCHOR + 1)]
    counts = Counter(runs)
    return {run: at for at, run in enumerate(runs) if counts[run] == 1}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs`, which rise in the first number, that rises in the second too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        ends[at : at + 1], last[at : at + 1] = [place], [index]
        before.append(last[at - 1] if at else -1)
    chosen: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def _stretch(words: Sequence[re.Match[str]], low: int, high: int) -> tuple[int, int, int]:
    """Where the words `low` up to `high` begin and end, and how many they are."""
    return (words[low].start(), words[high - 1].end(), high - low) if low < high else (0, 0, 0)


def _compared(
    before: str, after: str, one: tuple[int, int, int], other: tuple[int, int, int]
) -> tuple[list[Span], list[Span]]:
    if max(one[2], other[2]) > _LONGEST_COMPARED or not (one[2] and other[2]):
        return _whole(one), _whole(other)
    found = compare(before[one[0] : one[1]], after[other[0] : other[1]])
    return _moved(found.removed, one[0]), _moved(found.added, other[0])


def _whole(stretch: tuple[int, int, int]) -> list[Span]:
    return [Span(start=stretch[0], end=stretch[1])] if stretch[2] else []


def _moved(spans: Sequence[Span], by: int) -> list[Span]:
    return [Span(start=span.start + by, end=span.end + by) for span in spans]

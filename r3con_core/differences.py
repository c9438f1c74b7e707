"""What changed between two texts, word by word or line by line; and marks laid over a text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher, unified_diff
from itertools import pairwise

from r3con_core.documents import Span

_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")
_SHORTEST_KEPT = 3
"""Words and marks: fewer that stayed between two changes are counted as changed too, since they stay by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where a text and its later version differ; neighbouring words that changed share one span."""

    removed: tuple[Span, ...]
    """In the earlier text, in order."""
    added: tuple[Span, ...]
    """In the later text, in order."""


def compare(before: str, after: str) -> Difference:
    """The difference in words and marks; blanks and line breaks do not count."""
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    matcher = SequenceMatcher(None, [t.group() for t in old], [t.group() for t in new], autojunk=False)
    kept = [block for block in matcher.get_matching_blocks() if _stays(block, len(old), len(new))]
    removed, added = [], []
    for last, block in pairwise([Match(0, 0, 0), *kept, Match(len(old), len(new), 0)]):
        removed += _span(old[last.a + last.size : block.a])
        added += _span(new[last.b + last.size : block.b])
    return Difference(removed=tuple(removed), added=tuple(added))


def _stays(block: Match, old: int, new: int) -> bool:
    """Whether a stretch that is in both texts, of `old` and `new` words, is long enough or at an end of both."""
    at_start = block.a == 0 and block.b == 0
    at_end = block.a + block.size == old and block.b + block.size == new
    return block.size >= _SHORTEST_KEPT or (block.size > 0 and (at_start or at_end))


def _span(words: Sequence[re.Match[str]]) -> list[Span]:
    return [Span(start=words[0].start(), end=words[-1].end())] if words else []


def changed_lines(before: str, after: str) -> str:
    """Each line that went with "- " before it, each new one with "+ ", and those about them; "" when all is the same.

    Places with nothing between them that changed are parted by an empty line.
    """
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))[2:]
    return "\n".join("" if line.startswith("@@") else f"{line[:1]} {line[1:]}".rstrip() for line in lines).strip("\n")


def find_terms(text: str, terms: Sequence[str]) -> tuple[Span, ...]:
    """Every place where one of `terms` stands as whole words, in order, longer terms first where they overlap."""
    wanted = sorted({term for term in terms if term}, key=len, reverse=True)
    if not wanted:
        return ()
    pattern = "|".join(rf"(?<!\w){re.escape(term)}(?!\w)" for term in wanted)
    return tuple(Span(start=match.start(), end=match.end()) for match in re.finditer(pattern, text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a text with the names of the marks that lie over all of it."""

    text: str
    marks: tuple[str, ...] = ()


def lay_marks(text: str, marks: Mapping[str, Sequence[Span]]) -> tuple[Piece, ...]:
    """`text` cut wherever a mark begins or ends; the pieces joined are the text, and marks may overlap."""
    ends = {0, len(text)} | {end for spans in marks.values() for span in spans for end in (span.start, span.end)}
    cuts = sorted(ends)
    return tuple(
        Piece(
            text=text[start:end],
            marks=tuple(name for name, spans in marks.items() if any(s.start <= start and end <= s.end for s in spans)),
        )
        for start, end in pairwise(cuts)
    )

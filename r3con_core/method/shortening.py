"""Texts cut to a number of tokens, in any script."""

import re
from collections.abc import Sequence

from r3con_core.documents import estimate_tokens
from r3con_core.folding import UNSPACED_LETTER

CUT = " …"
_LONGEST_WORD = 24
"""Letters; a cut goes back to the last blank only within that, and not at all in scripts without blanks."""
_LEAST_OF_LINE = 12
"""Tokens; of shorter beginnings of many lines nobody learns anything."""
_TRIES, _NEARLY = 6, 0.95
"""Counting tokens is what shortening costs: a size that uses so much of the room is taken."""
_CLINGING = re.compile(
    "[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u17b6-\u17d3\u200d\ufe0f]"
)
"""Signs that belong to the letter before them."""


def shorten(text: str, tokens: int) -> str:
    """The beginning of `text`, or of each of its lines, within `tokens` by our estimate, on one line.

    A text that fits is given back on one line and otherwise as it is; of one that does not, at least a word stays.
    """
    lines = text.split("\n")
    lengths = [estimate_tokens(line) for line in lines]
    if sum(lengths) <= tokens:
        return " ".join(text.split())
    if len(lines) == 1 or tokens < _LEAST_OF_LINE * len(lines):
        return _beginning(" ".join(text.split()), tokens)
    rooms = share_out(lengths, tokens)
    return " ".join(shorten(line, room) for line, room in zip(lines, rooms, strict=True) if line.strip())


def share_out(lengths: Sequence[int], room: int) -> list[int]:
    """What each may take of `room` when shorter ones take what they need and longer ones share the rest evenly."""
    if sum(lengths) <= room:
        return list(lengths)
    low, high = 0, max(lengths)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length, middle) for length in lengths) <= room:
            low = middle
        else:
            high = middle - 1
    return [min(length, low) for length in lengths]


def _beginning(text: str, tokens: int) -> str:
    size = _fitting(text, tokens - estimate_tokens(CUT))
    if size >= len(text):
        return text
    while size > 1 and _CLINGING.match(text[size]):
        size -= 1
    blank = text.rfind(" ", max(size - _LONGEST_WORD, 1), size + 1)
    back = blank > 0 and not UNSPACED_LETTER.search(text, blank, size + 1)
    return text[: blank if back else size].rstrip() + CUT


def _fitting(text: str, tokens: int) -> int:
    """How many characters of `text`, one at the least, are within `tokens`: nearly as many as there can be."""
    fitting, size = 1, len(text)
    for _ in range(_TRIES):
        found = estimate_tokens(text[:size])
        if found <= tokens:
            fitting = max(fitting, size)
            if found >= tokens * _NEARLY or size == len(text):
                break
        size = min(max(int(size * tokens / max(found, 1)), 1), len(text))
    return fitting

"""How much of a prompt its server has read before: what the notes of consecutive readers have in common, in tokens.

Readers come in corpus order. A server with a prefix cache reads what a prompt adds to those before it.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from r3con_core.runs import Layout


def fresh_notes(notes: Sequence[float], readers: Sequence[int], layout: Layout) -> float:
    """Tokens of the others' snippets that readers at these places of the corpus, in order, find not read before.

    `notes`: tokens of each document's snippet, 0 where it says nothing. Every reader is shown all but its own.
    """
    if not readers:
        return 0.0
    before = [0.0, *accumulate(notes)]
    shown = sum(before[-1] - notes[place] for place in readers)
    return shown - sum(_shared(before, first, second, layout) for first, second in pairwise(readers))


def _shared(before: Sequence[float], first: int, second: int, layout: Layout) -> float:
    """What the prompts of two readers begin with in common; `before`: tokens of all snippets before each place."""
    if layout is Layout.PAPER:
        return before[first]
    low, high, shared = 0, len(before) - 1, 0.0
    while high - low > 1:
        middle = (low + high) // 2
        if first < middle <= second:
            break
        if second < middle:
            shared += before[high] - before[middle]
            high = middle
        else:
            shared += before[middle] - before[low]
            low = middle
    return shared


def cut_to_fit(notes: Iterable[float], room: float, label: float) -> tuple[list[float], float | None]:
    """Snippets with their labels, the longest shortened so that all fit `room`; and to what length, None: none is."""
    lengths = list(notes)
    left = room - label * sum(1 for length in lengths if length)
    if sum(lengths) <= left:
        return [length + label if length else 0.0 for length in lengths], None
    cap = _cap(lengths, max(left, 0.0))
    if not cap:
        share = room / max(1, sum(1 for length in lengths if length))
        return [share if length else 0.0 for length in lengths], cap
    return [min(length, cap) + label if length else 0.0 for length in lengths], cap


def _cap(lengths: Sequence[float], room: float) -> float:
    """The length to which longer ones are shortened so that all come to `room`."""
    left, waiting = room, sorted(lengths)
    for position, length in enumerate(waiting):
        share = left / (len(waiting) - position)
        if length >= share:
            return share
        left -= length
    return max(waiting, default=0.0)

"""Prompts that a server cut without a word, which Ollama does: nothing must be read from half a document.

A count of prompt tokens far below the estimate raises the doubt; the server's own counts settle it. Both halves of the
same text, sent apart, count about as much together as the whole, unless the whole was cut.
"""

import secrets
import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import Message, Prompt, Stage, Usage

_LONG = 2000
"""Tokens by the estimate: no server's window is smaller, so that shorter prompts are never cut."""
_SHORT = 200
"""Below it, what the server adds to each prompt counts for too much."""
_SAMPLES, _LETTERS = 12, 250
"""Of a long text, so many letters at so many places are estimated: half a million letters would take 50 ms."""
_ENOUGH = 20
"""Short prompts to compare with."""
_DOUBTFUL = 0.6
_SAME = 1.05
_MORE = 1.2
_FRAME = 200
"""Tokens that a server may add to each prompt."""


class CutWatch:
    """Knows from a server's counts of short prompts what long ones should count; for any number of threads."""

    def __init__(self) -> None:
        self._least = 1.0
        self._compared = 0
        self._proved = float("inf")
        """The lowest count for an estimated token that was shown to be an honest one; 0 where counts show nothing."""
        self._cut = 0
        """The count of a prompt that was shown to be cut."""
        self._settling = threading.Lock()

    def doubts(self, prompt: Prompt, usage: Usage) -> bool:
        """Whether `usage` is far below what `prompt` should count; learns from short ones."""
        pieces = [piece for message in prompt.messages for piece in message.pieces]
        length = sum(map(len, pieces))
        if not usage.counted or not self._proved or (length < _LONG and self._compared >= _ENOUGH):
            return False
        estimate = _roughly(pieces, length)
        if estimate > _LONG:
            return usage.prompt < min(_DOUBTFUL * self._least, self._proved) * estimate
        if estimate >= _SHORT:
            self._compared += 1
            self._least = min(self._least, usage.prompt / estimate)
        return False

    def settle(self, prompt: Prompt, usage: Usage, count: Callable[[Prompt], int]) -> bool:
        """Whether the server cut `prompt`; `count` sends a prompt and gives the tokens the server counted, 0 for none.

        Sends the text again in halves and, where they count more together, whole: each after a few letters of its own,
        since some servers count only what their cache did not hold.
        """
        with self._settling:
            if not self.doubts(prompt, usage):
                return False  # settled by another thread meanwhile
            if self._cut and usage.prompt <= _SAME * self._cut:
                return True
            text = _text(prompt)
            middle, longest = len(text) // 2, _SAME * usage.prompt + _FRAME
            halves = [count(_bare(text[:middle])), count(_bare(text[middle:]))]
            if 0 in halves or sum(halves) <= _MORE * usage.prompt + 2 * _FRAME:
                self._proved = min(self._proved, 0.8 * usage.prompt / _roughly([text], len(text)))
            elif max(halves) > longest or count(_bare(text)) > longest:
                self._proved = 0.0
            else:
                self._cut = max(self._cut, usage.prompt)
                return True
            return False


def _text(prompt: Prompt) -> str:
    return "\n\n".join(message.content for message in prompt.messages)


def _bare(text: str) -> Prompt:
    message = Message(role="user", pieces=(secrets.token_hex(8), text))
    return Prompt(stage=Stage.FOCUS, messages=(message,), max_tokens=16)


def _roughly(pieces: Sequence[str], length: int) -> int:
    """`estimate_tokens` of `pieces`, which have `length` letters; from samples where they are long."""
    if length <= 4 * _LONG:
        return estimate_tokens("\n\n".join(pieces))
    ends = list(accumulate(map(len, pieces)))
    samples = []
    for place in range(0, length, length // _SAMPLES):
        i = bisect_right(ends, place)
        start = place - (ends[i] - len(pieces[i]))
        samples.append(pieces[i][start : start + _LETTERS])
    sample = "".join(samples)
    return max(1, estimate_tokens(sample) * length // len(sample))

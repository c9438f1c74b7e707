"""The host's side of what code asks a model: what is let through, how much of it, and what was said before.

The prompts come from code that is steered by documents, and from a process that the code may have altered: nothing is
taken from it but a list of texts, of bounded number and length, in the name of the step that runs. The worker stands
still while they are answered, so it gains no time by asking, and it learns nothing but the replies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from r3con_core.sandbox.process import INTERFERED, Limits, LostError

Answering = Callable[[Sequence[str]], Sequence[str]]
"""From prompts that code has made to as many replies, in their order. What it raises ends the session and rises."""
Queries = tuple[str, ...]
Replies = tuple[str, ...]
Said = tuple[tuple[Queries, Replies], ...]
"""What one step asked and was told, in order."""
OTHERWISE = "This was asked otherwise than before, and is not asked again."


@dataclass(slots=True, kw_only=True)
class Hearing:
    """What one step asks, answered within the limits of its session."""

    answering: Answering
    limits: Limits
    asked: int
    """Queries that earlier steps of the session have asked."""
    said: list[tuple[Queries, Replies]] = field(default_factory=list)

    def __call__(self, queries: object) -> dict[str, object]:
        """The frame that answers; LostError where what the worker sent is not what ours sends."""
        asked = read_queries(queries, self.limits)
        left = self.limits.queries - self.asked
        if len(asked) > left:
            return {
                "fault": f"A model may be asked {self.limits.queries:,} times in all; {max(left, 0):,} are left, "
                f"and this asks {len(asked):,} times. Ask no more than that, or answer from what you have."
            }
        self.asked += len(asked)
        replies = tuple(self.answering(asked))
        if len(replies) != len(asked):
            raise ValueError(f"{len(asked)} prompts need as many replies, not {len(replies)}.")
        self.said.append((asked, replies))
        return {"replies": replies}


@dataclass(slots=True, kw_only=True)
class Repeating:
    """What one step asks when it is run once more: it is told what it was told before, and nobody is asked."""

    said: Said
    limits: Limits
    place: int = 0

    def __call__(self, queries: object) -> dict[str, object]:
        """As `Hearing`; a fault where the step asks otherwise than before."""
        asked = read_queries(queries, self.limits)
        if self.place >= len(self.said) or self.said[self.place][0] != asked:
            return {"fault": OTHERWISE}
        self.place += 1
        return {"replies": self.said[self.place - 1][1]}


def read_queries(queries: object, limits: Limits) -> Queries:
    """The prompts of a frame; LostError when it has not the shape our worker gives it."""
    if not isinstance(queries, list) or not 0 < len(queries) <= limits.queries_at_once:
        raise LostError(INTERFERED)
    texts = tuple(query for query in queries if isinstance(query, str) and query.strip())
    if len(texts) != len(queries) or any(len(text) > limits.query_chars for text in texts):
        raise LostError(INTERFERED)
    # Half of a surrogate pair is a str in Python but no text: no server takes it.
    return tuple(text.encode("utf-8", "replace").decode("utf-8") for text in texts)

"""The coding agent's steps, and the answer they lead to (paper section 4.3)."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """How the representation is reasoned over."""

    CODING = "coding agent"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """An answer handed over by generated code through its own channel, never by printing."""

    text: str
    cites: tuple[str, ...]
    """Record labels such as "R12", unchecked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of running one piece of code."""

    output: str
    """What it printed, cut to the limit."""
    fault: str | None = None
    """The error that ended it, as the code's author needs to see it."""
    proposed: Proposed | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCode:
    """The agent wants this code run."""

    thought: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclude:
    """The agent answers without (more) code."""

    thought: str
    text: str
    cites: tuple[str, ...] = ()


Action = RunCode | Conclude


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the coding agent."""

    number: int
    """From 1."""
    thought: str
    code: str
    execution: Execution


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer and the records it rests on."""

    text: str
    record_ids: tuple[str, ...]
    """Empty: nothing in the records was cited for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a run concludes."""

    text: str
    sentences: tuple[Sentence, ...]
    """In reading order; together they are the text."""
    mode: Mode
    steps: tuple[Step, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    """Labels the answer cites that no record has."""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """All cited records, each once, in order of first mention."""
        return tuple(dict.fromkeys(i for sentence in self.sentences for i in sentence.record_ids))

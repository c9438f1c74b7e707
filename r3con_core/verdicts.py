"""Whether an answer is right, against one that is known to be: the rule, the right answer, and what a judge said."""

from dataclasses import dataclass
from enum import StrEnum

JUDGE = "judge"
"""The method id of runs that judge another run; they are no way to answer, and no part of a method's costs."""
JUDGED = "judged"
"""What such a run is to the one it judges, which is its parent."""


class Rule(StrEnum):
    """How an answer is scored."""

    EQUIVALENT = "equivalent"
    """CorpusQA (paper section 6.2): the last line "The answer is: ..." means the same as the right answer; 0 or 1."""
    GRADED = "graded"
    """Loong: a grade from 1 to 100; only exactly 100 counts as right."""
    NAMED = "named"
    """Dracula (section 6.1): the right total and everyone by name; strict and lenient."""
    STATED = "stated"
    """The sample corpora and a person's own questions: all that the right answer states, every number by our code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """What is known to be right."""

    answer: str
    rule: Rule = Rule.STATED
    notes: str = ""
    """For the judge: what else counts as right, and what must not be counted."""
    lenient: str = ""
    """Another answer that counts as well where one is lenient; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge says of one answer."""

    correct: bool
    """By the rule as it stands; of Dracula strictly."""
    lenient: bool
    """Right by the rule or by the gold's lenient answer."""
    score: float
    """From 0 to 1; of a grade its hundredth."""
    reason: str
    """Why, in a sentence or two: the judge's own, and what our code found."""
    missing: tuple[str, ...] = ()
    """Numbers of the right answer that the answer does not state, as written there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict, by whom and against what."""

    verdict: Verdict
    gold: Gold
    judged_by: str
    """The run that judged."""
    made: str
    """UTC, ISO 8601."""

"""The agent's code run again over the stored records, to see whether it still gives what it gave. No model is asked."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from r3con_core.answers import Answer, Execution, Step
from r3con_core.errors import StoreError
from r3con_core.exports.contents import load_contents
from r3con_core.method.grounding import figures
from r3con_core.sandbox import open_sandbox
from r3con_core.stages import OpenSandbox
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """One step as it was and as it came out now."""

    step: Step
    execution: Execution

    @property
    def same(self) -> bool:
        """It printed and handed over the same.

        A step whose fault the host found, such as an answer without records, runs without one now: that is no change.
        """
        before, now = self.step.execution, self.execution
        failed_now_only = now.fault is not None and before.fault is None
        return not failed_now_only and before.output.strip() == now.output.strip() and before.proposed == now.proposed

    @property
    def difference(self) -> str:
        """What is not the same, in a sentence; empty when nothing is."""
        if self.same:
            return ""
        name = f"Step {self.step.number}"
        if self.execution.fault is not None:
            return f"{name} ended in an error this time: {self.execution.fault.strip()}."
        if self.step.execution.proposed != self.execution.proposed:
            return f"{name} handed over another answer."
        return f"{name} printed something else."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """All steps again, in order, in one fresh session."""

    steps: tuple[Repeated, ...]

    @property
    def counted(self) -> tuple[Repeated, ...]:
        """The steps that ran without a fault; only they led to the answer."""
        return tuple(repeated for repeated in self.steps if repeated.step.execution.fault is None)

    @property
    def changed(self) -> tuple[Repeated, ...]:
        """Of those, the ones that came out otherwise now."""
        return tuple(repeated for repeated in self.counted if not repeated.same)

    @property
    def agrees(self) -> bool:
        """Every step that counted came out the same, so the answer rests on the same figures."""
        return not self.changed

    @property
    def in_words(self) -> str:
        """What the comparison came to, in a sentence or two."""
        if self.changed:
            told = " ".join(repeated.difference for repeated in self.changed)
            return f"{told} The answer rests on what they gave when it was written."
        if not self.counted:
            return "Every step of this run ended in an error, so there is no output to compare."
        if any(repeated.step.execution.proposed for repeated in self.counted):
            return "Same output, same answer: every step gave what it gave before."
        return "Same output: every step gave what it gave before. The answer is the model's wording of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A sentence of the answer whose figures the code gave and gives no more."""

    sentence: int
    """Which one, from 1."""
    text: str
    figures: tuple[str, ...]
    """Digits without separators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChange:
    """What running the code again makes of the answer. The answer that was given is kept as it is."""

    before: str
    """The answer that the code handed over; empty where a model worded it from what the code printed."""
    after: str
    """What the code hands over now; empty where it hands over none."""
    stale: tuple[Stale, ...]

    @property
    def changed(self) -> bool:
        """The answer does not stand as it was given."""
        return self.before != self.after or bool(self.stale)


def change_of_answer(answer: Answer, again: Rerun) -> AnswerChange:
    """The answer as the code gave it and as it gives it now."""
    counted = again.counted
    return AnswerChange(
        before=_handed_over(repeated.step.execution for repeated in counted),
        after=_handed_over(repeated.execution for repeated in counted),
        stale=tuple(_stale(answer, again)),
    )


def _handed_over(executions: Iterable[Execution]) -> str:
    texts = [one.proposed.text for one in executions if one.proposed is not None]
    return texts[-1] if texts else ""


def _stale(answer: Answer, again: Rerun) -> Iterator[Stale]:
    before = _figures_of(repeated.step.execution for repeated in again.counted)
    after = _figures_of(repeated.execution for repeated in again.counted)
    for number, sentence in enumerate(answer.sentences, start=1):
        if gone := (figures(sentence.text) & before) - after:
            yield Stale(sentence=number, text=sentence.text, figures=tuple(sorted(gone, key=float)))


def _figures_of(executions: Iterable[Execution]) -> set[str]:
    """All figures that code printed or handed over, labels of records left out."""
    told = " \n ".join(f"{one.output} \n {one.proposed.text if one.proposed else ''}" for one in executions)
    return figures(re.sub(r"\bR\d+\b", "", told))


def rerun_steps(project: Project, run_id: str, sandbox: OpenSandbox = open_sandbox) -> Rerun:
    """Run the steps' code again in a fresh sandbox.

    StoreError when the run has no steps, SandboxError when code cannot be run safely here.
    """
    contents = load_contents(project, run_id)
    steps = contents.answer.steps if contents.answer else ()
    if not steps:
        raise StoreError("This run has no code to run again: the answer was given without any.")
    with sandbox(contents.session_names()) as workshop:
        return Rerun(
            steps=tuple(
                Repeated(step=step, execution=workshop.execute(step.code) if step.code else step.execution)
                for step in steps
            )
        )

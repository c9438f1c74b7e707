"""A person's code run behind the same walls as the model's: a step edited, or code of their own. Never the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from r3con_core.answers import Execution, Proposed, Step
from r3con_core.errors import R3ConError
from r3con_core.exports.contents import load_contents
from r3con_core.records import find_labels
from r3con_core.rerun import Repeated
from r3con_core.sandbox import Sandbox, open_sandbox
from r3con_core.stages import OpenSandbox
from r3con_core.store.answers import load_steps
from r3con_core.store.project import Project
from r3con_core.store.trials import Trial, add_trial

MOST_CODE = 100_000
"""Characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a person wants to run."""

    code: str
    author: str
    note: str = ""
    step: int = 0
    """The step that is edited; 0: code of one's own."""
    begun_with: int = 0
    """How many of the run's steps are run before it."""


def run_trial(project: Project, run_id: str, attempt: Attempt, sandbox: OpenSandbox = open_sandbox) -> Trial:
    """Run the steps before it and then the code, in one fresh session over the data as it stands; kept as a trial.

    R3ConError when there is no code, or far too much; StoreError before there are records; SandboxError when code
    cannot be run safely here. Whatever the code itself does is told in the trial.
    """
    if not attempt.code.strip():
        raise R3ConError("There is no code to run. Write some first.")
    if len(attempt.code) > MOST_CODE:
        raise R3ConError(f"This is more than {MOST_CODE:,} characters of code. Run a part of it.")
    steps = load_steps(project, run_id)[: attempt.begun_with]
    with sandbox(load_contents(project, run_id).session_names()) as workshop:
        earlier = " ".join(filter(None, [_run_first(workshop, step) for step in steps]))
        execution = workshop.execute(attempt.code)
    trial = Trial(
        number=0,
        step=attempt.step,
        begun_with=len(steps),
        code=attempt.code,
        execution=execution,
        earlier=earlier,
        author=attempt.author,
        note=attempt.note.strip(),
        made="",
    )
    return add_trial(project, run_id, trial)


def _run_first(workshop: Sandbox, step: Step) -> str:
    """Run a step as it is kept; a sentence when it ends in an error that it did not end in before."""
    if not step.code:
        return ""
    fault = workshop.execute(step.code).fault
    if fault is None or step.execution.fault is not None:
        return ""
    return f"Step {step.number}, which was run first, ended in an error this time: {fault.strip().splitlines()[-1]}"


def trial_in_words(trial: Trial, steps: Sequence[Step]) -> str:
    """How what came of a trial differs from the step that was edited; "" for code of one's own."""
    step = next((one for one in steps if one.number == trial.step), None)
    if step is None:
        return ""
    if trial.execution.fault is not None:
        return "It ended in an error, so there is nothing to compare with what the step gave."
    if Repeated(step=step, execution=trial.execution).same:
        return "It gave the same as the step did: the same output, and the same answer if one was handed over."
    proposed, before = trial.execution.proposed, step.execution.proposed
    told = []
    if trial.execution.output.strip() != step.execution.output.strip():
        told.append("It printed something else than the step did.")
    if proposed != before:
        told.append(
            "It handed over no answer; the step did."
            if proposed is None
            else "It handed over an answer; the step did not."
            if before is None
            else "It handed over another answer than the step did."
        )
    return " ".join(told) or "The step ended in an error; this did not."


def labels_of(handed: Proposed) -> tuple[str, ...]:
    """The records an answer names, apart from its text or in it, each once; unchecked."""
    return tuple(dict.fromkeys((*handed.cites, *find_labels(handed.text))))


def left_behind(execution: Execution) -> str:
    """What a piece of code printed and handed over, as lines to compare."""
    handed = execution.proposed
    lines = execution.output.strip().splitlines()
    if handed is not None:
        lines += [f"ANSWER: {handed.text}", f"rests on: {', '.join(labels_of(handed)) or 'no record'}"]
    return "\n".join(lines)

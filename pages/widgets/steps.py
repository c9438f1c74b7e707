"""How an answer was reached: the agent's thoughts, its code and what that printed, and the same code run again."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from pages.widgets.errors import plain, shown
from pages.widgets.words import count
from r3con_core.answers import Mode, Step
from r3con_core.rerun import Rerun, rerun_steps
from r3con_core.runs import Guidance, Run
from r3con_core.store.project import Project

SHOWN_OPEN = 3
"""Steps that stand open; of more, only the last does."""
TALL = 30
"""Lines of code or output; more of them scroll."""


def show(project: Project, run: Run, steps: Sequence[Step]) -> None:
    """All steps in order, with the button that runs them again; why there are none, if so."""
    if not steps:
        _heading()
        st.info(_why_none(run), icon=":material/bolt:")
        return
    _run_again(project, run.id)
    st.caption(_who_wrote(run))
    show_steps(steps)


def _heading() -> None:
    st.subheader("How it was reached", anchor=False, width="content")


def _why_none(run: Run) -> str:
    if run.settings.mode is Mode.DIRECT:
        return (
            "No code was run: this question was answered directly. The model read the records and wrote the answer in "
            "one go, so it counted and added in its head. Check figures against the records it cites."
        )
    return (
        "No code was run, although a coding agent was asked for: there were no records to compute with, or code cannot "
        "be run safely on this computer. The model wrote the answer in one go; check its figures against the records."
    )


def _who_wrote(run: Run) -> str:
    walls = "in a closed process, without network or files, on the records only."
    if run.settings.guidance is Guidance.FOCUS and not run.settings.reasoning_model:
        return f"A small model chose what to look up; the app wrote that as code and ran it {walls}"
    return f"The model wrote this code; it ran {walls}"


def show_steps(steps: Sequence[Step]) -> None:
    """Each step: thought, code, output, and the error that ended it."""
    for step in steps:
        last = step.number == len(steps)
        fault = step.execution.fault
        title = " ".join(step.thought.split()) or "Code"
        title = title if len(title) <= 90 else f"{title[:88]}…"
        with st.expander(
            f"Step {step.number} · {plain(title)}",
            expanded=last or len(steps) <= SHOWN_OPEN,
            icon=":material/error:" if fault else ":material/code:",
        ):
            _step(step)


def _step(step: Step) -> None:
    said = step.execution
    if len(" ".join(step.thought.split())) > 90:
        st.markdown(plain(step.thought))
    if step.code:
        st.code(step.code, line_numbers=True, wrap_lines=True, height=_height(step.code))
    if said.output.strip():
        st.caption("It printed")
        _print(said.output)
    elif not said.fault and not said.proposed:
        st.caption("It printed nothing.")
    if said.fault:
        st.markdown(":orange[:material/error: It ended in an error, so it does not count:]")
        _print(said.fault)
    elif said.proposed:
        cited = f", resting on {plain(', '.join(said.proposed.cites))}" if said.proposed.cites else ""
        st.markdown(f":material/task_alt: This step handed over the answer{cited}.")


def _print(output: str) -> None:
    st.code(output.rstrip(), language=None, wrap_lines=True, height=_height(output))


def _height(text: str) -> int | Literal["content"]:
    return 560 if text.count("\n") > TALL else "content"


@st.fragment
def _run_again(project: Project, run_id: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        _heading()
        pressed = st.button(
            "Run the code again",
            icon=":material/replay:",
            help="Runs every step once more over the stored records and compares. No model is asked.",
        )
    if pressed:
        with shown(), st.spinner("Running the code again"):
            _compare(rerun_steps(project, run_id))


def _compare(again: Rerun) -> None:
    if again.agrees:
        st.success(plain(again.in_words), icon=":material/check_circle:")
        return
    st.warning(plain(again.in_words), icon=":material/difference:")
    for changed in again.changed:
        st.caption(f"Step {changed.step.number} printed this time, in place of {_lines(changed.step)}")
        _print(changed.execution.output or "(nothing)")


def _lines(step: Step) -> str:
    return count(len(step.execution.output.strip().splitlines()), "line")

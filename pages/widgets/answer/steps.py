"""How an answer was reached: the agent's thoughts, its code beside what that printed, and the records it touched."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from pages.widgets.answer import step_outputs, step_records, step_trials
from pages.widgets.calls import links as call_links
from pages.widgets.errors import plain, shown
from pages.widgets.walls import say_no_code, why_no_code
from pages.widgets.words import count
from r3con_core.answers import Mode, Step
from r3con_core.exports.notebook import export_notebook
from r3con_core.rerun import Rerun, rerun_steps
from r3con_core.runs import Guidance, Run
from r3con_core.sandbox import meaning_of
from r3con_core.step_variables import Variable
from r3con_core.store.project import Project

_NOTHING: Mapping[int, Sequence[Variable]] = {}
SHOWN_OPEN = 3
"""Steps that stand open; of more, only the last does."""
_NOTEBOOK_HELP = (
    "A Jupyter notebook with the question, the data, every step with what it printed, and the quotes. It needs Python, "
    "pandas and networkx, and nothing of this app. A model wrote the steps: read them before you run them."
)


def show(project: Project, run: Run, steps: Sequence[Step]) -> None:
    """All steps in order, with what can be done with them; why there are none, if so."""
    if not steps:
        _heading()
        st.info(_why_none(run), icon=":material/bolt:")
        if fault := why_no_code():
            say_no_code(fault)
        call_links.link_to_answer(project, run)
    else:
        _run_again(project, run.id)
        if fault := why_no_code():
            say_no_code(fault)
        st.caption(_who_wrote(run), help=meaning_of(run.walls) or None)
        show_steps(project, run, steps, step_records.look_into_variables(project, run))
        call_links.link_to_step(project, run, run.settings.max_steps + 1, label="the wording of the answer")
    if run.settings.structure:
        step_trials.show(project, run, steps)


def _heading() -> None:
    st.subheader("How it was reached", anchor=False, width="content")


def _why_none(run: Run) -> str:
    if not run.settings.structure:
        return "No code was run: this run leaves structure out, so the model wrote the answer from the snippets alone."
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
    named = f" Walls: {plain(run.walls)}." if run.walls else ""
    walls = f"in a closed process, without network or files, on the records only.{named}"
    if run.settings.guidance is Guidance.FOCUS and not run.settings.reasoning_model:
        return f"A small model chose what to look up; the app wrote that as code and ran it {walls}"
    return f"The model wrote this code; it ran {walls}"


def show_steps(
    project: Project, run: Run, steps: Sequence[Step], kept: Mapping[int, Sequence[Variable]] = _NOTHING
) -> None:
    """Each step: thought, code, output, the error that ended it, the records it touched, those it `kept` if known."""
    touching = step_records.touching(project, run)
    for step in steps:
        last = step.number == len(steps)
        title = " ".join(step.thought.split()) or "Code"
        title = title if len(title) <= 90 else f"{title[:88]}…"
        with st.expander(
            f"Step {step.number} · {plain(title)}",
            expanded=last or len(steps) <= SHOWN_OPEN,
            icon=":material/error:" if step.execution.fault else ":material/code:",
        ):
            _step(step)
            if touching is not None:
                step_records.show(touching, step, kept.get(step.number, ()))
            with st.container(horizontal=True, vertical_alignment="center"):
                call_links.link_to_step(project, run, step.number)
                editing = step_trials.wants_editing(run, step)
            if editing:
                step_trials.show_editor(project, run, step)


def _step(step: Step) -> None:
    if len(" ".join(step.thought.split())) > 90:
        st.markdown(plain(step.thought))
    code, output = st.columns([3, 2], gap="medium")
    with code:
        st.caption("Its code")
        if step.code:
            step_outputs.show_code(step.code)
        else:
            st.markdown("*The reply held no code.*")
    with output:
        step_outputs.show(step.execution)


@st.fragment
def _run_again(project: Project, run_id: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        _heading()
        with st.container(horizontal=True, width="content"):
            pressed = st.button(
                "Run the code again",
                icon=":material/replay:",
                disabled=bool(why_no_code()),
                help="Runs every step once more over the stored records and compares. No model is asked.",
            )
            st.download_button(
                "Notebook",
                partial(export_notebook, project, run_id),
                f"{project.folder.name}-{run_id}.ipynb",
                "application/x-ipynb+json",
                icon=":material/download:",
                on_click="ignore",
                help=_NOTEBOOK_HELP,
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
        lines = count(len(changed.step.execution.output.strip().splitlines()), "line")
        st.caption(f"Step {changed.step.number} printed this time, in place of {lines}")
        step_outputs.show_text(changed.execution.output or "(nothing)")

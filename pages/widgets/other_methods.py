"""Runs of other methods than R3Con on pages that are R3Con's: the one place that says what they have and leads on."""

from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import runstate, state
from pages.widgets.answer import downloads
from pages.widgets.errors import plain
from r3con_core.answers import Answer
from r3con_core.methods import METHODS
from r3con_core.runs import R3CON, Run, RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.verdicts import JUDGE


def is_other(run: Run) -> bool:
    """Whether it is of another method than R3Con, or judges a run."""
    return run.settings.method != R3CON


def name_of(run: Run) -> str:
    """Of the method, for people."""
    return next((method.name for method in METHODS if method.id == run.settings.method), run.settings.method)


def stop_here(project: Project, run: Run, makes_no: str) -> None:
    """Where the run is R3Con's, nothing; else how it stands, that it makes none of these, and the end of the page."""
    if not is_other(run):
        return
    header = st.container()
    if run.settings.method == JUDGE:
        text = f"This run judges the answer of another one. It makes no {makes_no}."
    else:
        text = f"This run answers by the method **{plain(name_of(run))}**. It makes no {makes_no}: those are R3Con's."
    st.info(text, icon=":material/science:")
    _lead_on(project, run, header)


def answer_here(project: Project, run: Run) -> None:
    """On the Answer page: where the run is R3Con's, nothing; else its answer as it was written, and the end of it."""
    if not is_other(run):
        return
    answer = load_answer(project, run.id) if run.state is RunState.DONE else None
    header = st.container()
    if answer is None:
        st.markdown("The answer appears here by itself when it is ready. You may close this page.")
    else:
        _show_answer(project, run, answer)
    _lead_on(project, run, header)


def _show_answer(project: Project, run: Run, answer: Answer) -> None:
    judges = run.settings.method == JUDGE
    who = "What the judge says of another run's answer" if judges else f"As **{plain(name_of(run))}** wrote it"
    with st.container(border=True):
        st.caption(f"{who}. It rests on no records, so its sentences lead to no quotes.")
        st.markdown(plain(answer.text))
    if not judges:
        downloads.show(project, run, answer)


def _lead_on(project: Project, run: Run, header: DeltaGenerator) -> NoReturn:
    with st.container(horizontal=True):
        run_id = run.parent if run.settings.method == JUDGE else run.id
        state.page_link("methods", "See what it built, beside the other methods", run=run_id, view=state.BUILT)
        state.page_link("answer", "Read its answer")
        state.page_link("calls", "See what it asked")
    with header:
        runstate.show(project, run)
    st.stop()

"""Answer: what the run concludes, the records each sentence rests on, what speaks against it, how it was reached."""

import streamlit as st

from pages.widgets import evidence, other_methods, runstate, state
from pages.widgets.answer import answer_text, checks_basis, checks_elusion, downloads, second_reading, steps
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from r3con_core import jobs
from r3con_core.answers import Answer
from r3con_core.runs import Run, RunState
from r3con_core.store.answers import load_answer, load_steps
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

TABS = "answer-tabs"
SECTIONS = {  # by their names in the address
    "steps": ":material/code: How it was reached",
    "coverage": ":material/visibility_off: Coverage",
    "missed": ":material/casino: Was anything missed?",
    "second": ":material/group: Second reading",
}
_NOT_YET = {
    RunState.BETWEEN: "There is no answer yet. The run waits for you between two rounds of reading.",
    RunState.WAITING: "There is no answer yet. Accept the schema first; the documents are then parsed into records, "
    "and the answer is reasoned from those.",
    RunState.PAUSED: "There is no answer yet. Raise the limit to go on; nothing that is done is paid again.",
    RunState.STOPPED: "There is no answer yet. Resume to go on where it stopped; nothing that is done is done again.",
    RunState.FAILED: "There is no answer yet. Put right what the message names, then resume; nothing that is done is "
    "done again.",
    RunState.INTERRUPTED: "There is no answer yet. Resume to go on; nothing that is done is done again.",
}


def show_unfinished(project: Project, run: Run) -> None:
    """How far the run is and what can be done, until there is an answer."""
    header = st.container()
    st.markdown(_NOT_YET.get(run.state, "The answer appears here by itself when it is ready. You may close this page."))
    with st.container(horizontal=True):
        state.page_link("relevance", "See what the documents say so far")
    done = load_steps(project, run.id)
    if done:
        st.subheader("Steps so far", anchor=False)
        steps.show_steps(project, run, done)
    with header:
        runstate.show(project, run)


def show_sections(project: Project, run: Run, answer: Answer, found: Found) -> None:
    """What stands behind the answer, one section at a time; the address names which."""
    named = SECTIONS.get(state.current_tab())
    if TABS not in st.session_state and named:
        st.session_state[TABS] = named
    tabs = st.tabs(list(SECTIONS.values()), key=TABS, on_change="rerun")
    reached, coverage, missed, second = tabs
    for name, tab in zip(SECTIONS, tabs, strict=True):
        if tab.open and st.query_params.get(state.TAB, "steps") != name:
            state.set_place(tab=None if name == "steps" else name)
    if reached.open:
        with reached:
            steps.show(project, run, answer.steps)
    if coverage.open:
        with coverage:
            checks_basis.show_coverage(project, run, found)
    if missed.open:
        with missed:
            checks_elusion.show(project, run, found)
    if second.open:
        with second:
            second_reading.show(project, run)


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
answer = load_answer(project, run.id) if run.state is RunState.DONE else None
found = evidence.found_by(project, run.id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Answer", anchor=False, width="content")
    if answer is not None and not other_methods.is_other(run):
        downloads.show(project, run, answer)
st.markdown(f"##### {plain(run.task.text)}")
other_methods.answer_here(project, run)
if answer is None or found is None:
    show_unfinished(project, run)
    st.stop()
answer_text.show(project, run, found, answer)
checks_basis.show(project, run, answer, found)
show_sections(project, run, answer, found)

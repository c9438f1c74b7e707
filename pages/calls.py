"""Calls: every prompt that was sent to a model and every reply, word for word, to search and to take along."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.calls import list_of_calls as call_list
from pages.widgets.calls import opened as call_open
from pages.widgets.calls import sent as call_sent
from pages.widgets.errors import plain
from pages.widgets.relevance import live
from r3con_core import jobs
from r3con_core.runs import Run
from r3con_core.store.call_search import CallLine, call_lines, count_calls
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

CALLS, SENT = "Calls", "What was sent"
EXPLANATION = """
A **call** is one prompt sent to a model and the reply that came back. Everything this app shows of a model, such as a
snippet, a schema, a record, a step or an answer, came from one of these. They are kept word for word.

*Sent*, *known* and *written* are tokens: pieces of words, by which models read and charge. *Known* are those that the
server had read just before. *Kept from before* means that this run did not ask: the project had the reply already.

What many prompts have in common, such as the instructions and other documents' snippets, is folded when a call is open.
The words come from documents and models. They are shown as text, and nothing in them is followed.
"""


@st.cache_data(max_entries=8, show_spinner=False)
def lines_of(_project: Project, run_id: str, known: str) -> tuple[CallLine, ...]:  # noqa: ARG001 - the cache's
    """The calls of the run; `known` changes with their number."""
    return call_lines(_project, run_id)


def listed(project: Project, run: Run, known: str, lines: Sequence[CallLine]) -> list[CallLine]:
    """The calls that the filters keep and that hold the words."""
    now = call_list.wanted()
    kept = [line for line in lines if now.keeps(line)]
    if not now.words:
        return kept
    found = call_list.found_in(project, run.id, known, now.words, now.where)
    return [line for line in kept if line.key in found]


def opened(lines: Sequence[CallLine], shown: Sequence[CallLine]) -> CallLine | None:
    """The call that the address names, or the only one that a link led to."""
    named = state.current_call_key()
    if named:
        found = next((line for line in lines if line.key == named), None)
        if found is None:
            st.warning("The address names a call that this run does not have.", icon=":material/wrong_location:")
        return found
    now = call_list.wanted()
    only_link = bool(state.current_about()[0]) and not now.words
    return shown[0] if only_link and len(shown) == 1 else None


def show_list(project: Project, run: Run, known: str, lines: Sequence[CallLine], names: Mapping[str, str]) -> None:
    """Filters, the table, and its download."""
    call_list.show_filters(lines, names)
    shown = listed(project, run, known, lines)
    if not shown:
        st.info(
            "No call has all of that. Try fewer or shorter words, or take out a filter.", icon=":material/search_off:"
        )
        return
    call_list.say_count(shown, lines)
    call_list.show_table(shown, names)
    call_open.download(project, run, shown, f"Download {'these' if len(shown) < len(lines) else 'all'} as JSON lines")


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Calls", anchor=False, width="content")
    with st.popover("How to read this page", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(EXPLANATION)
st.markdown(f"##### {plain(run.task.text)}")
names = {title.id: f"{title.number} · {title.title}" for title in live.titles_of(project, run)}
if st.radio("Show", (CALLS, SENT), horizontal=True, key="calls-view", label_visibility="collapsed") == SENT:
    call_sent.show(project, run, names)
    st.stop()
total = count_calls(project, run.id)
if not total:
    coming = " They appear here as the run goes on." if run.state.active else " “What was sent” lists what was tried."
    st.info(f"No call has been answered{' yet' if run.state.active else ''}.{coming}", icon=":material/forum:")
    st.stop()
known = f"{project.folder} {total}"
lines = lines_of(project, run.id, known)
call_list.take_from_address()
shown = listed(project, run, known, lines)
line = opened(lines, shown)
if line is None:
    show_list(project, run, known, lines, names)
else:
    beside = shown if line in shown else lines
    call_open.show(project, run, line, call_open.Beside(lines=lines, shown=beside, names=names))

"""Data: the records found, each with the quotes that prove it, as tables and as a graph."""

import streamlit as st

from pages.widgets import evidence, graph, records, runstate, state
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.records import Record
from r3con_core.runs import Run, RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.tables import table_of

GRAPH = ":material/hub: Graph"  # no record type can be called so
TABS, SEEN = "data-tabs", "data-record"
_BEFORE = (RunState.QUEUED, RunState.RELEVANCE, RunState.SCHEMA, RunState.WAITING)
EXPLANATION = """
A **record** is one thing that one document says, in the fields of the schema. Each stands on quotes, which were looked
for in its document: *found exactly*, *found with small differences*, *in another document*, or *not found*.

A record is **set aside** when none of its quotes was found in its own document, or when most of its values are not
there. It stays visible here, but the answer does not rest on it. A value marked *not in the document* was not found in the
text as it stands; the model may have worked it out, or made it up.
"""


def show_nothing_yet(project: Project, run: Run) -> None:
    """How far the run is, until there are records."""
    header = st.container()
    if run.state is RunState.WAITING:
        st.markdown("There are no records yet: nothing is parsed before you accept the schema.")
    elif run.state.active:
        st.markdown("There are no records yet. They appear here when the documents are parsed.")
        state.page_link("relevance", "See what the documents say so far")
    elif run.state is RunState.PAUSED:
        st.markdown("There are no records yet: the run has paused at your limit. Raise it to go on.")
    else:
        st.markdown("There are no records: the run ended before the documents were parsed.")
    with header:
        runstate.show(project, run)


def chosen_record(found: Found) -> Record | None:
    """The record that the address names."""
    named = state.current_record_id()
    return next((record for record in found.data.records if record.id == named), None)


def say_unread(found: Found) -> None:
    """Documents that gave no records because they could not be parsed."""
    unread = found.data.unread
    if not unread:
        return
    with st.expander(f"{count(len(unread), 'document')} could not be parsed", icon=":material/warning:"):
        lines = [f"- {plain(found.document_name(one.document_id))}: {plain(one.reason)}" for one in unread]
        st.markdown("\n".join(lines))


def open_tab_of(record: Record | None) -> None:
    """Bring the named record's tab to the front, once when it is named; the graph stays in front if it is."""
    named = state.current_record_id()
    if named and record is None:
        st.warning("The address names a record that this run does not have.", icon=":material/wrong_location:")
    open_now = st.session_state.get(TABS)
    news = open_now is None or (named != st.session_state.get(SEEN) and open_now != GRAPH)
    if record is not None and news:
        st.session_state[TABS] = plain(record.type)
    st.session_state[SEEN] = named


def show_tabs(project: Project, run: Run, found: Found) -> None:
    """One tab a record type and one for the graph; below, the record that is chosen in it."""
    types = found.data.schema.record_types
    chosen = chosen_record(found)
    open_tab_of(chosen)
    *tables, drawn = st.tabs([*(plain(one.name) for one in types), GRAPH], key=TABS, on_change="rerun")
    for record_type, tab in zip(types, tables, strict=True):
        if not tab.open:
            continue
        with tab:
            records.show_table(found, record_type, table_of(found.data, record_type.name, found.numbers))
            if chosen is not None and chosen.type == record_type.name:
                records.show_detail(project, found, chosen)
    if drawn.open:
        with drawn:
            graph.show(project, run.id, found)
            if chosen is not None:
                records.show_detail(project, found, chosen)


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
found = evidence.found_by(project, run.id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Data", anchor=False, width="content")
    with st.popover("How to read this page", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(EXPLANATION)
st.markdown(f"##### {plain(run.task.text)}")
if found is None or run.state in _BEFORE:
    show_nothing_yet(project, run)
    st.stop()
header = st.container()
say_unread(found)
if run.state.active:
    st.button("Show what has come since", icon=":material/refresh:", type="tertiary")
show_tabs(project, run, found)
if run.state is not RunState.DONE:
    with header:
        runstate.show(project, run)

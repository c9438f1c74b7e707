"""Data: the records found, each with the quotes that prove it, as tables, graph, tree, timeline, map and plots."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.widgets import evidence, other_methods, runstate, state
from pages.widgets.data import (
    conflicts_view,
    graph,
    hierarchy,
    names_view,
    plots_view,
    queries_view,
    record_detail,
    record_edit,
    records,
    support_map,
    timeline,
)
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core import jobs
from r3con_core.records import Record
from r3con_core.runs import Run, RunState
from r3con_core.schemas import RecordType
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

# By the name the address has for them. No text may stand alone here: Streamlit would show it on the page.
VIEWS: Mapping[str, str] = {
    "tables": "Tables",
    "graph": "Graph",
    "tree": "Hierarchy",
    "timeline": "Timeline",
    "support": "Support",
    "plots": "Plots",
    "conflicts": "Conflicts",
    "names": "Names",
    "queries": "Queries",
}
MOST_SIDE_BY_SIDE = 60  # letters of record types that fit in a row; more are a list to choose from
_BEFORE = (RunState.QUEUED, RunState.RELEVANCE, RunState.BETWEEN, RunState.SCHEMA, RunState.WAITING)
EXPLANATION = """
A **record** is one thing that one document says, in the fields of the schema. Each stands on quotes, which were looked
for in its document: *found exactly*, *found with small differences*, *in another document*, or *not found*.

A record is **set aside** when none of its quotes was found in its own document, or when most of its values are not
there. It stays visible here, but the answer does not rest on it. A value marked *not in the document* was not found in the
text as it stands; the model may have worked it out, or made it up.

People can correct, reject, add, merge and split records. What they did is marked and can be taken back on the page
**Changes**; what the model said is kept.

**Graph**: what records name and how it hangs together. **Hierarchy**: records by levels you choose. **Timeline**: by date.
**Support**: which documents the answer stands on. **Plots**: figures drawn. **Conflicts**: where documents contradict each
other. **Names**: which names may mean the same. **Queries**: records counted, added up and compared, without a model.
"""


def show_nothing_yet(project: Project, run: Run) -> None:
    """How far the run is, until there are records."""
    header = st.container()
    if run.state is RunState.WAITING:
        st.markdown("There are no records yet: nothing is parsed before you accept the schema.")
    elif run.state is RunState.BETWEEN:
        st.markdown("There are no records yet: the run waits for you between two rounds.")
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
    if not named:
        return None
    if named not in once(found, "ids", lambda: frozenset(record.id for record in found.data.records)):
        st.warning("The address names a record that this run does not have.", icon=":material/wrong_location:")
        return None
    return found.data.get(named)


def say_unread(found: Found) -> None:
    """Documents that gave no records because they could not be parsed."""
    unread = found.data.unread
    if not unread:
        return
    with st.expander(f"{count(len(unread), 'document')} could not be parsed", icon=":material/warning:"):
        lines = [f"- {plain(found.document_name(one.document_id))}: {plain(one.reason)}" for one in unread[:200]]
        st.markdown("\n".join(lines))


def pick_view() -> str:
    """The view that the address names, to choose another one from."""
    named = state.current_view()
    st.session_state[state.VIEW_PICKER] = named if named in VIEWS else "tables"
    return str(
        st.segmented_control(
            "View",
            list(VIEWS),
            format_func=lambda name: VIEWS[name],
            key=state.VIEW_PICKER,
            required=True,
            on_change=_picked_view,
            label_visibility="collapsed",
        )
    )


def _picked_view() -> None:
    state.set_place(view=st.session_state[state.VIEW_PICKER], record=None, doc=None, at=None)


def pick_type(found: Found, chosen: Record | None) -> RecordType:
    """The record type of the chosen record, else the one that the address names, to choose another one from."""
    types = {one.name: one for one in found.data.schema.record_types}
    named = chosen.type if chosen is not None else state.current_kind()
    st.session_state[state.KIND_PICKER] = named if named in types else next(iter(types))
    counts = once(found, "counts", lambda: Counter(record.type for record in found.data.records))
    labels = {name: f"{plain(name)} ({counts[name]:,})" for name in types}
    small = sum(map(len, labels.values())) <= MOST_SIDE_BY_SIDE
    pick: Any = st.segmented_control if small else st.selectbox
    picked = pick(
        "Record type",
        list(types),
        format_func=lambda name: labels[name],
        key=state.KIND_PICKER,
        required=True,
        on_change=_picked_type,
        label_visibility="collapsed",
    )
    return types[picked]


def _picked_type() -> None:
    state.set_place(kind=st.session_state[state.KIND_PICKER], record=None, doc=None, at=None)


def show_view(project: Project, run: Run, found: Found) -> None:
    """The open view; below it, the record that is chosen."""
    view, chosen = pick_view(), chosen_record(found)
    drawn: Mapping[str, Callable[[], None]] = {
        "tables": lambda: records.show(found, pick_type(found, chosen)),
        "graph": lambda: graph.show(project, run, found),
        "tree": lambda: hierarchy.show(found),
        "timeline": lambda: timeline.show(found),
        "support": lambda: support_map.show(project, run, found),
        "plots": lambda: plots_view.show(found, pick_type(found, chosen)),
        "conflicts": lambda: conflicts_view.show(found),
        "names": lambda: names_view.show(project, run, found),
        "queries": lambda: queries_view.show(project, found),
    }
    drawn[view]()
    if view == "tables":
        record_edit.offer_adding(project, run, found, found.data.schema.get(st.session_state[state.KIND_PICKER]))
    if chosen is not None:
        record_detail.show(project, run, found, chosen)


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
found = evidence.found_by(project, run.id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Data", anchor=False, width="content")
    with st.popover("How to read this page", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(EXPLANATION)
st.markdown(f"##### {plain(run.task.text)}")
other_methods.stop_here(project, run, "records")
if found is None or run.state in _BEFORE:
    show_nothing_yet(project, run)
    st.stop()
header = st.container()
say_unread(found)
if run.state.active:
    st.button("Show what has come since", icon=":material/refresh:", type="tertiary")
if found.data.schema.record_types:
    show_view(project, run, found)
else:
    st.info("This run leaves structure out, so it has no records: its answer rests on the snippets alone.")
    with st.container(horizontal=True):
        state.page_link("relevance", "See the snippets")
        state.page_link("answer", "Read the answer")
        state.page_link("compare", "Compare it with a run that has records")
if run.state is not RunState.DONE:
    with header:
        runstate.show(project, run)

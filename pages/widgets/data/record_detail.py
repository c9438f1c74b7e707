"""One record whole: each of its values with where it stands, its quotes, its document at the place, and its changes."""

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.calls import links as call_links
from pages.widgets.data import record_cells, record_edit, record_history
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from r3con_core.checks.cells import cells_of
from r3con_core.checks.conflicts import Conflict
from r3con_core.exchange import Stage
from r3con_core.records import Record, Standing
from r3con_core.runs import Run
from r3con_core.snippets import Author
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project
from r3con_core.views.tables import weakest_proof


def show(project: Project, run: Run, found: Found, record: Record) -> None:
    """The record in a frame of its own, wherever a page wants it."""
    with st.container(border=True, key="record-detail"):
        state.show_message()
        _head(found, record)
        record_history.show(project, run, found, record)
        _conflicts(found, record)
        record_edit.show(project, run, found, record)
        left, right = st.columns([2, 3], gap="medium")
        with left:
            _values(project, found, record)
            evidence.show_quotes(project, found, record)
            if not record.evidence:
                st.caption("It has no quote: it stands on the word of the person who gave it.")
            if record.author is Author.MODEL:
                call_links.link_to_calls(project, run, Stage.PARSING, record.document_id)
        with right:
            evidence.show_place(project, found, record)


def _head(found: Found, record: Record) -> None:
    label = found.data.label(record.id)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            f"**{label} · {plain(record.type)}** {evidence.badges(record, weakest_proof(record))}", width="content"
        )
        with st.popover("What the marks mean", type="tertiary", icon=":material/info:", width="content"):
            st.markdown(record_cells.EXPLANATION)
    said = f" · said by {plain(record.said_by)}" if record.said_by else ""
    st.caption(f"Read in {plain(found.document_name(record.document_id))}{said}")
    if record.standing is not Standing.KEPT:
        st.caption("Nothing is concluded from it. It is kept, and so is its label.")
    elif record.set_aside:
        st.caption(f"Set aside: {evidence.ASIDE_HELP[0].lower()}{evidence.ASIDE_HELP[1:]}")


def _values(project: Project, found: Found, record: Record) -> None:
    document = load_document(project, record.document_id)
    assert document is not None, "a document that a run has read stays in its project"
    written = found.corrected.written.get(record.id)
    record_cells.show(record, cells_of(record, found.data.schema.get(record.type), written), document)


def _conflicts(found: Found, record: Record) -> None:
    for conflict in found.conflicts:
        if record.id in conflict.record_ids:
            st.warning(in_short(found, conflict), icon=":material/call_split:")


def in_short(found: Found, conflict: Conflict) -> str:
    """A conflict in one line, as Markdown: "price of Mill Weir: 1240000 (R4, R34) against 1420000 (R18)"."""
    readings = [
        f"**{plain(record_cells.value_words(one.value))}** ({', '.join(map(found.data.label, one.record_ids[:5]))})"
        for one in conflict.readings
    ]
    return f"{plain(conflict.field)} of {plain(conflict.name)}: {' against '.join(readings)}"

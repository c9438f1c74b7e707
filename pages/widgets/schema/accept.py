"""Accepting a schema: the run goes on from here, with the key it needs."""

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from r3con_core import errands, jobs
from r3con_core.runs import Run
from r3con_core.store.project import Project


def accept_button(project: Project, run: Run, label: str) -> None:
    """The button, and a field for a key where the run needs one that is not kept here."""
    home = state.home()
    access.ask_for_keys(project, run.id, "schema-key")
    if st.button(
        label,
        key="schema-accept",
        type="primary",
        icon=":material/check:",
        help=f"Documents are then parsed into records of these types; their text goes to {plain(run.host)}.",
    ):
        with shown():
            errands.stop(project, run.id)
            jobs.accept_and_queue(project, run.id)
            jobs.start_worker(project, run.id, home=home, keys=access.typed_keys())
            state.go("relevance", run=run.id)

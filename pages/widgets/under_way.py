"""Runs at work that began from the open one: how far they are, and the page anew when one of them is done."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.sidebar import STATE_WORDS, relation_words
from r3con_core import jobs
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run

EVERY = 1.5
"""Seconds between looks at them."""


def show(project: Project, run: Run) -> None:
    """One line for each run at work that began from this one, or this one's origin. Call it last on a page."""
    kin = {run.id, run.parent} - {""}
    at_work = [one for one in list_runs(project) if one.state.active and (one.parent in kin or one.id == run.id)]
    if at_work:
        st.fragment(_look, run_every=EVERY)(project, at_work)


def _look(project: Project, before: Sequence[Run]) -> None:
    jobs.reconcile(project)
    for one in before:
        now = load_run(project, one.id)
        if not now.state.active:
            st.rerun()
        words = plain(relation_words(now)) or "the run"
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            told = f"**{words[0].upper()}{words[1:]} is under way** ({STATE_WORDS[now.state]})"
            st.markdown(f":material/progress_activity: {told}", width="content")
            state.page_link("relevance", "Go and watch it", run=now.id)

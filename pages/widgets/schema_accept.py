"""Accepting a schema: the run goes on from here, with the key it needs."""

import streamlit as st

from pages.widgets import access, state
from pages.widgets.errors import plain, shown
from r3con_core import jobs
from r3con_core.runs import Run
from r3con_core.store.project import Project


def accept_button(project: Project, run: Run, label: str) -> None:
    """The button, and a field for a key where the run needs one that is not kept here."""
    home = state.home()
    choices = [choice for choice in jobs.choices_of(project, run.id) if choice is not None]
    lacking = {choice.host: choice for choice in choices if access.lacks_key(choice, home)}
    typed = []
    for host, choice in lacking.items():
        key = st.text_input(f"Key for {plain(host)}", type="password", key=f"schema-key-{host}", width=240)
        typed.append(access.Typed(choice=choice, key=key.strip(), keep=len(lacking) > 1))
    if st.button(
        label,
        key="schema-accept",
        type="primary",
        icon=":material/check:",
        help=f"Every document is then parsed into records of these types; its text goes to {plain(run.host)}.",
    ):
        with shown():
            keys = access.hand_over(typed, home)
            jobs.accept_and_queue(project, run.id)
            jobs.start_worker(project, run.id, home=home, keys=keys)
            state.go("relevance", run=run.id)

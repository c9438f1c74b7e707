"""Removing a project wholly, after its name was typed."""

from pathlib import Path

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from r3con_core.purge import NOT_PROMISED, purge


def show(folder: Path, name: str) -> None:
    """What goes and what does not, a place for the name, and the button."""
    st.markdown(
        "Documents, prompts, replies, records, answers and every copy and log the project has made are deleted. "
        "Runs and imports at work are ended. **This cannot be undone.**"
    )
    st.caption("What no program can promise: " + " ".join(plain(each) for each in NOT_PROMISED))
    typed = st.text_input("Type the name of the project to confirm", key=f"purge-name-{folder.name}", placeholder=name)
    same = typed.strip() == name.strip()
    if st.button("Remove the project", key=f"purge-{folder.name}", icon=":material/delete_forever:", disabled=not same):
        with shown():
            told = purge(folder)
            state.leave_message("\n\n".join(plain(each) for each in told.sentences if each not in NOT_PROMISED))
            state.go("corpus", project=None, run=None)

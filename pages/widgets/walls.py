"""Whether generated code can run on this computer and, where no walls stand for it, what remains."""

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from r3con_core import sandbox

LABEL = "Ask the records with a query"
REMAINS = (
    "The direct mode answers from the records without code, and queries count, add up and compare records without a "
    "model and without code."
)


@st.cache_resource(ttl=600, show_spinner=False)
def why_no_code() -> str:
    """Empty when generated code can be run safely here; looked at once, since it starts a process."""
    return sandbox.code_can_run()


def say_no_code(fault: str, *, link: bool = True) -> None:
    """Why no code runs here and what can be done in its place; there is no way to run it anyway."""
    st.info(f"{plain(fault)} {REMAINS}", icon=":material/shield:")
    if link:
        state.page_link("data", LABEL, view="queries")

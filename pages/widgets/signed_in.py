"""Who is signed in, in the app of a team, with the way out; it leads to the door when the login has ended elsewhere."""

from pathlib import Path

import streamlit as st

from pages.widgets import state
from r3con_core.team import team_here

_FRONTEND = Path(__file__).parent / "frontend"
_COMPONENT = st.components.v2.component(
    "r3con_signed_in",
    html=(_FRONTEND / "signed_in.html").read_text("utf-8"),
    css=(_FRONTEND / "signed_in.css").read_text("utf-8"),
    js=(_FRONTEND / "signed_in.js").read_text("utf-8"),
)


def show() -> None:
    """The line of a team's app; nothing in that of a single person."""
    if team_here():
        _COMPONENT(key="signed-in", data={"name": state.analyst()})

"""Adding files from the browser: a drop zone that sends each file to the upload route."""

from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import streamlit as st

from pages.api import NAME_HEADER, TOKEN_HEADER, token_for
from r3con_core.store.project import Project

_FRONTEND = Path(__file__).parents[1] / "frontend"
_COMPONENT = st.components.v2.component(
    "r3con_upload",
    html=(_FRONTEND / "upload.html").read_text("utf-8"),
    css=(_FRONTEND / "upload.css").read_text("utf-8"),
    js=(_FRONTEND / "upload.js").read_text("utf-8"),
)


class Sent(TypedDict):
    """What the drop zone reports when it is through."""

    files: int
    documents: int
    """New in the project."""
    unread: int
    """Files and members that gave no document."""


def drop_zone(project: Project, *, key: str, on_sent: Callable[[], None]) -> None:
    """The drop zone; `on_sent` is called when all files were sent, and finds a `Sent` by `sent`."""
    _COMPONENT(
        key=key,
        data={
            "url": f"/api/upload/{project.folder.name}",
            "token": token_for(project),
            "tokenHeader": TOKEN_HEADER,
            "nameHeader": NAME_HEADER,
        },
        on_sent_change=on_sent,
    )


def sent(key: str) -> Sent:
    """What the drop zone under `key` just reported."""
    found: Sent = st.session_state[key]["sent"]
    return found

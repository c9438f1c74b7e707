"""Code and what came of it, as they are shown wherever code was run."""

from typing import Literal

import streamlit as st

from pages.widgets.errors import plain
from r3con_core.answers import Execution
from r3con_core.trials import labels_of

TALL = 30
"""Lines of code or output; more of them scroll."""
_WALLED = ("PermissionError", "OSError", "BlockingIOError", "ConnectionError", "gaierror", "FileNotFoundError")


def show_code(code: str) -> None:
    """Code with line numbers."""
    st.code(code, line_numbers=True, wrap_lines=True, height=_height(code))


def show_text(text: str, language: str | None = None) -> None:
    """What code printed, letter by letter."""
    st.code(text.rstrip(), language=language, wrap_lines=True, height=_height(text))


def _height(text: str) -> int | Literal["content"]:
    return 560 if text.count("\n") > TALL else "content"


def show(said: Execution, *, told: str = "This step handed over the answer") -> None:
    """What the code printed, the error that ended it, and that it handed over an answer, as `told`."""
    if said.output.strip():
        st.caption("It printed")
        show_text(said.output)
    elif not said.fault:
        st.caption("It printed nothing.")
    if said.fault:
        st.markdown(":orange[:material/error: It ended in an error, so it does not count:]")
        show_text(said.fault)
        if hint := hint_for(said.fault):
            st.caption(hint)
    elif said.proposed:
        labels = ", ".join(labels_of(said.proposed))
        st.markdown(f":material/task_alt: {told}, {f'resting on {plain(labels)}' if labels else 'naming no record'}.")


def hint_for(fault: str) -> str:
    """What an error of the walls means to the one who wrote the code; "" for any other."""
    if fault.startswith("Stopped after"):
        return "A piece of code may take so long and no longer. Pick out fewer records first, or leave out inner loops."
    if fault.startswith(("MemoryError", "Stopped: the code needed more")):
        return "There is a limit on memory. Work on fewer records at a time."
    if any(name in fault.splitlines()[-1] for name in _WALLED):
        return (
            "Code runs in a closed process here: it reaches no network, no other program, and no files but an empty "
            "folder of its own. Everything it may use is in records and snippets."
        )
    return ""

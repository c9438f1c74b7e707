"""Code and what came of it, as they are shown wherever code was run."""

import re
from typing import Literal

import streamlit as st

from pages.widgets.errors import plain, revealed
from r3con_core.answers import Execution
from r3con_core.trials import labels_of

TALL = 30
"""Lines of code or output; more of them scroll."""
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Signs that move, hide or turn around others, so that what is seen is not what was run or printed."""
_WALLED = ("PermissionError", "OSError", "BlockingIOError", "ConnectionError", "gaierror", "FileNotFoundError")


def show_code(code: str) -> None:
    """Code with line numbers."""
    code = _seen(code)
    st.code(revealed(code), line_numbers=True, wrap_lines=True, height=_height(code))


def show_text(text: str, language: str | None = None) -> None:
    """What code printed, letter by letter."""
    text = _seen(text)
    st.code(revealed(text.rstrip()), language=language, wrap_lines=True, height=_height(text))


def _seen(text: str) -> str:
    """`text` with escapes, as Python writes them, for signs that are not seen."""
    return _UNSEEN.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text.replace("\r\n", "\n"))


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
    if fault.splitlines()[-1].startswith("Note: "):
        return ""  # it says so itself
    if fault.startswith(("Stopped after", "Stopped: the code used more than its")):
        return "A piece of code may take so long and no longer. Pick out fewer records first, or leave out inner loops."
    if fault.startswith("Stopped: more than"):
        return "There is a limit on files. Keep tables in variables, not in files."
    if fault.startswith(("MemoryError", "Stopped: the code needed more")):
        return "There is a limit on memory. Work on fewer records at a time."
    if any(name in fault.splitlines()[-1] for name in _WALLED):
        return (
            "Code runs in a closed process here: it reaches no network, no other program, and no files but an empty "
            "folder of its own. Everything it may use is in records and snippets."
        )
    return ""

"""Files that need a password: one field for each, and one to try on all. No password is kept."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.errors import R3ConError
from r3con_core.imports import unlock
from r3con_core.store.documents import LedgerEntry
from r3con_core.store.project import Project

FEW = 3
AT_ONCE = 10
"""Files with a field of their own on one page of the panel."""


def show(project: Project, lines: Sequence[LedgerEntry], *, opened: bool) -> None:
    """The panel over the locked lines of the ledger; nothing when there are none. Many are folded away at first."""
    if not lines:
        return
    title = count(len(lines), "file needs a password", "files need a password")
    with st.expander(title, icon=":material/lock:", expanded=opened and len(lines) <= FEW, key="locked"):
        st.caption(
            "They are not read yet, so nothing in them can be found or answered from. A password is tried on this "
            "computer and not kept."
        )
        if len(lines) > 1:
            _ask_for_all(project, lines)
        pages = -(-len(lines) // AT_ONCE)
        page = st.session_state.get("locked-page", 1) if pages > 1 else 1
        first = (min(page, pages) - 1) * AT_ONCE
        for line in lines[first : first + AT_ONCE]:
            _ask(project, line)
        if pages > 1:
            st.pagination(pages, key="locked-page")


def _ask(project: Project, line: LedgerEntry) -> None:
    password = _field(f"unlock-{line.path}", f"Password for {plain(line.path)}", "Open it")
    if password:
        _try(project, [line], password)


def _ask_for_all(project: Project, lines: Sequence[LedgerEntry]) -> None:
    password = _field("unlock-all", "One password to try on all of them", "Try it on all")
    if password:
        _try(project, lines, password)


def _field(key: str, label: str, button: str) -> str:
    """The password that was just handed in; it leaves the page's memory with that. "" otherwise."""
    form = st.form(key, clear_on_submit=True, border=False)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        password = st.text_input(label, type="password", width=420)
        pressed = st.form_submit_button(button, icon=":material/lock_open:")
    if pressed and not password:
        st.warning("Write the password first.")
    return password if pressed else ""


def _try(project: Project, lines: Sequence[LedgerEntry], password: str) -> None:
    """Try the password on each; says at once what it did not open, and after a rerun what it did."""
    opened: list[str] = []
    refused: list[str] = []
    with st.spinner("Trying the password"):
        for line in lines:
            try:
                documents = unlock(project, line.path, password).documents
            except R3ConError as error:
                refused.append(plain(str(error)))
            else:
                opened.append(f"{plain(line.path)} is open: {count(documents, 'new document')}.")
    if opened:
        told = opened[:5] + ([f"{count(len(opened) - 5, 'more file')} opened."] if len(opened) > 5 else [])
        if refused:
            told.append(f"The password does not open {count(len(refused), 'other file')}.")
        state.leave_message("  \n".join(told))
        st.rerun()
    st.error("  \n".join(refused[:5]), icon=":material/lock:")

"""Projects that cannot be opened: why, and what can be done, beside those that can."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import removing, state
from pages.widgets.errors import plain, shown
from r3con_core.store.project import BrokenProject
from r3con_core.store.rescue import rescue


def show(found: Sequence[BrokenProject]) -> None:
    """One box for each."""
    if not found:
        return
    st.subheader("Cannot be opened", anchor=False)
    for project in found:
        with st.container(border=True):
            _one(project)


def _one(project: BrokenProject) -> None:
    name = project.folder.name
    st.markdown(f"**{plain(name)}**")
    st.error(plain(project.why), icon=":material/error:")
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Save what can be saved",
            key=f"rescue-{name}",
            icon=":material/healing:",
            help="Makes the project anew with all that can be read of it. The file as it is now is kept beside it.",
        ):
            with shown():
                told = rescue(project.folder)
                told.project.close()
                state.leave_message("\n\n".join(("The project was made anew.", *map(plain, told.sentences))))
                state.go("corpus", project=None, run=None)
        with st.popover("Remove", icon=":material/delete_forever:"):
            removing.show(project.folder, name)

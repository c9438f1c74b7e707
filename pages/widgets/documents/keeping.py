"""The project itself: its audit log, the copies that lie beside it, and its removal."""

from pathlib import Path

import streamlit as st

from pages.widgets import removing, state
from pages.widgets.errors import plain, shown
from pages.widgets.words import count
from r3con_core.audit import Act, faults_of_log, hidden_entries
from r3con_core.exports.noted import lines_of
from r3con_core.store.audit import VARIABLE, anchor_of, is_on, list_acts, switch_off, switch_on
from r3con_core.store.project import FILE, Project

_SHOWN = 200
"""Entries, the newest first."""
_LOG = "audit-log"


def show(project: Project) -> None:
    """All of it."""
    st.subheader("Audit log", anchor=False)
    _switch(project)
    if acts := list_acts(project.db):
        _log(project, acts)
    if copies := _copies(project.folder):
        st.subheader("Copies beside the project", anchor=False)
        st.caption("Kept when the project was rescued or brought up to date. Delete them when you need them no longer.")
        st.dataframe(copies, hide_index=True, width="content")
    st.subheader("Remove the project", anchor=False)
    with st.container(border=True):
        removing.show(project.folder, project.name)


def _switch(project: Project) -> None:
    on = is_on(project.db)
    st.session_state[_LOG] = on
    st.toggle(
        "Write down every act in this project",
        key=_LOG,
        on_change=_switched,
        args=(project,),
        help="Who did what and when: imports, releases, runs, schemas, changes, exports. Each entry is sealed together with "
        "the one before it, so that none can be changed, taken out or put in unseen. Reading is not written down. "
        f"With {VARIABLE}=1 in the environment it is on for all projects.",
    )
    if not on:
        st.caption("Off: what people change of a run is still listed on its Changes page.")


def _switched(project: Project) -> None:
    with shown(), project.change() as db:
        (switch_on if st.session_state[_LOG] else switch_off)(db, state.analyst())


def _log(project: Project, acts: tuple[Act, ...]) -> None:
    faults = (*faults_of_log(acts), *hidden_entries(acts))
    if faults:
        st.error(
            f"The log was tampered with: {count(len(faults), 'fault')}.\n\n" + "\n\n".join(map(plain, faults[:10])),
            icon=":material/error:",
        )
    else:
        st.caption(f"{count(len(acts), 'entry', 'entries')}, each sealed with the one before it: all hold.")
    st.markdown(
        "**Anchor**: note this elsewhere, such as in a mail to a colleague. It shows later whether the end of the "
        "log was cut off, or the whole made anew: `r3con audit verify --anchor NOTED`."
    )
    st.code(str(anchor_of(project.db)), language=None)
    newest = [_line(act) for act in reversed(acts[-_SHOWN:])]
    st.dataframe(
        newest,
        hide_index=True,
        height=min(35 * len(newest) + 38, 320),
        column_config={"What": st.column_config.TextColumn(width=210)},
    )
    st.download_button(
        "Save the log (JSON lines)",
        lambda: lines_of(acts),
        f"{project.folder.name}-audit.jsonl",
        "application/jsonl",
        icon=":material/download:",
        on_click="ignore",
    )


def _line(act: Act) -> dict[str, object]:
    event = act.event or "(of another run)"
    return {
        "No.": act.number,
        "When (UTC)": act.at[:19].replace("T", " "),
        "Who": act.author,
        "What": event,
        "Detail": act.words,
    }


def _copies(folder: Path) -> list[dict[str, object]]:
    found = sorted(each for each in folder.glob(f"{FILE}.*") if each.is_file())
    return [{"File": each.name, "Bytes": each.stat().st_size} for each in found]

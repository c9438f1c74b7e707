"""Changes: everything that people changed in a run, with who, when and why; each can be taken back."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets import evidence, other_methods, state
from pages.widgets.answer import answer_again
from pages.widgets.changes.change_list import COLUMNS, Kind, Line, cells, lines_of, record_of
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.runs import Run
from r3con_core.store.changes import redo_change, undo_change
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.views.tables import to_csv

EXPLANATION = """
What the model said is never overwritten. Every change lies over it, with its author, its time and the reason given, and
can be **taken back** and **put back** at any time.

- **records**: edited, rejected, added, merged or split on the *Data* page
- **names**: read as one, or kept apart, on the *Data* page under *Names*
- **snippets and rounds**: edited, pinned, left out, hints and more rounds, on the *Relevance* page
- **schema**: versions that a person made, on the *Schema* page, where they are also taken back
- **documents looked at**: of those that were judged to have nothing to say
- **documents held or released**: on the *Documents* page, for all runs of the project
"""


def show_lost(found: Found, lines: Sequence[Line]) -> None:
    """Changes that count and could not be applied, first of all."""
    lost = {one.entry.number: one.reason for one in found.corrected.lost}
    left_out = found.corrected.left_out
    told = {line.entry.number: f"{line.what}, {line.about}" for line in lines if line.entry}
    if lost:
        listed = "\n".join(f"- {plain(told[number])}: {reason}" for number, reason in lost.items())
        st.warning(
            f"{count(len(lost), 'change')} could not be applied to the records as they are now. Nothing is thrown away: "
            f"each is applied again if its record comes back.\n{listed}",
            icon=":material/link_off:",
        )
    if left_out:
        listed = "\n".join(f"- {plain(told[number])}: {plain(', '.join(names))}" for number, names in left_out.items())
        st.warning(
            f"The schema has no such field any more, so these values are left out:\n{listed}", icon=":material/rule:"
        )


def filtered(lines: Sequence[Line]) -> list[Line]:
    """The lines that the filters keep."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        words = st.text_input("Find", key="changes-find", type="search", placeholder="Find in changes", width=240)
        present = [kind for kind in Kind if any(line.kind is kind for line in lines)]
        kinds = st.pills(
            "What", present, selection_mode="multi", format_func=lambda kind: kind.value, key="changes-kinds"
        )
        authors = sorted({line.who for line in lines})
        who = (
            st.multiselect("Who", authors, key="changes-who", placeholder="Anybody", width=220)
            if len(authors) > 1
            else []
        )
        counting = st.toggle("Only what counts", key="changes-counting", help="Leaves out what was taken back.")
    sought = (words or "").casefold().split()
    return [
        line
        for line in lines
        if all(word in line.text for word in sought)
        and (not kinds or line.kind in kinds)
        and (not who or line.who in who)
        and not (counting and line.taken_back)
    ]


def show_table(project: Project, run: Run, lines: Sequence[Line]) -> None:
    """The list; chosen lines can be taken back or put back."""
    told = count(len(lines), "change")
    st.caption(f"{told}, newest first. Choose lines to take them back or put them back, or one to open its record.")
    picked = st.dataframe(
        pd.DataFrame([cells(line) for line in lines], columns=list(COLUMNS)),
        key=f"changes-{len(lines)}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=35 * (min(len(lines), 12) + 1) + 3,
        column_config={
            COLUMNS[0]: st.column_config.TextColumn(width=130),
            COLUMNS[1]: st.column_config.TextColumn(width=90),
            COLUMNS[2]: st.column_config.TextColumn(width=130),
            COLUMNS[7]: st.column_config.TextColumn(width=150),
        },
        alt="Changes that people made",
    )
    chosen = [lines[at] for at in picked["selection"]["rows"] if at < len(lines)]
    with st.container(horizontal=True, vertical_alignment="center"):
        _buttons(project, run, chosen)
        if len(chosen) == 1 and (record := record_of(chosen[0])):
            state.page_link("data", "Open the record", record=record.id)
        st.download_button(
            "CSV",
            lambda: to_csv([cells(line) for line in lines], COLUMNS),
            "changes.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
        )


def _buttons(project: Project, run: Run, chosen: Sequence[Line]) -> None:
    entries = [line.entry for line in chosen if line.entry]
    steered = run.state.active and any(line.kind is Kind.SNIPPETS for line in chosen)
    counting, undone = [one for one in entries if one.counts], [one for one in entries if not one.counts]
    back = st.button(
        f"Take back ({len(counting)})", icon=":material/undo:", disabled=not counting or steered, key="take-back"
    )
    again = st.button(
        f"Put back ({len(undone)})", icon=":material/redo:", disabled=not undone or steered, key="put-back"
    )
    if chosen and not entries:
        st.caption(
            "Schema versions are taken back on the Schema page, decisions about documents on the Documents page."
        )
    with shown():
        for entry in counting if back else ():
            undo_change(project, run.id, entry.number, author=state.analyst())
        for entry in undone if again else ():
            redo_change(project, run.id, entry.number)
        if back or again:
            done = counting if back else undone
            state.leave_message(f"{count(len(done), 'change')} {'taken' if back else 'put'} back.")
            st.rerun()


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
found = evidence.found_by(project, run.id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Changes", anchor=False, width="content")
    with st.popover("How to read this page", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(EXPLANATION)
st.markdown(f"##### {plain(run.task.text)}")
other_methods.stop_here(project, run, "records or snippets that people could change")
state.show_message()
lines = lines_of(project, run, found)
if found is not None:
    show_lost(found, lines)
answer_again.show(project, run)
if not lines:
    st.info(
        "Nobody has changed anything in this run yet. What you edit, reject, merge or decide is listed here, and can be "
        "taken back.",
        icon=":material/history_edu:",
    )
    state.page_link("data", "See the records")
    st.stop()
kept = filtered(lines)
if kept:
    show_table(project, run, kept)
else:
    st.info("No change fits the search and the filters. Clear them to see all.", icon=":material/search_off:")

"""Held back: documents that no model is given until the analyst releases them, and the list that holds them."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.errors import shown
from pages.widgets.words import count, day_of
from r3con_core.holdings import hold_listed
from r3con_core.store.decisions import DOCUMENT, hold_documents, list_decisions, release_documents
from r3con_core.store.documents import DocumentLine
from r3con_core.store.holding import list_holding, replace_holding
from r3con_core.store.project import Project

OPEN_COLUMN = "open-held"
KINDS = {
    "domains": ("Counsel's mail domains", "lawfirm.example", "Mail from or to them; their subdomains are meant too."),
    "people": ("Counsel by name or address", "Renata Marsh", "As they stand in the headers of mails."),
    "folders": (
        "Folders and files never sent",
        "legal",
        "By name or path, such as board/minutes, mails.zip > legal or *.pst, with all in them and copies elsewhere.",
    ),
    "phrases": ("Phrases", "Project Nightjar legal advice", "Words that make a heading or a subject a banner."),
}
"""Kinds of the list: title, an example, what it does."""


def show(project: Project, lines: Sequence[DocumentLine]) -> None:
    """The documents held back with a release, what was decided, and the list."""
    held = [line for line in lines if line.held]
    st.caption(
        "Documents that look privileged, and what you never want sent, are kept from every model, also one on this "
        "computer. You can read them; releasing one is written down."
    )
    if held:
        _table(project, held)
    else:
        st.info("No document is held back.", icon=":material/check:")
    _log(project, lines)
    _list(project)


def _table(project: Project, held: list[DocumentLine]) -> None:
    def open_clicked() -> None:
        state.open_document(held[st.session_state[OPEN_COLUMN]["row"]].id)

    table = pd.DataFrame(
        {
            "Title": [line.title for line in held],
            "Why": [line.held for line in held],
            "Date": [day_of(line.date) for line in held],
            "Words": [line.words for line in held],
            "File": [line.path for line in held],
        }
    )
    event = st.dataframe(
        table,
        key=f"held-{len(held)}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=min(35 * (len(held) + 1) + 3, 400),
        alt="The documents held back, with why",
        column_config={
            "Title": st.column_config.ButtonColumn(
                width=240, type="tertiary", alignment="left", on_click=open_clicked, key=OPEN_COLUMN
            ),
            "Why": st.column_config.TextColumn(width=300),
        },
    )
    chosen = [held[row] for row in event["selection"]["rows"] if row < len(held)]
    if chosen:
        show_release(project, chosen)
    else:
        st.caption("Tick documents to release them.")


def show_release(project: Project, chosen: Sequence[DocumentLine]) -> None:
    """Release the ticked documents, with a note and a second press."""
    told = count(len(chosen), "document")
    with st.popover(f"Release {told}", icon=":material/lock_open:"):
        st.write(
            "Models will be given them in questions asked from now on. That cannot be taken back once one is asked."
        )
        note = st.text_input("Why they may be read", key="release-note", placeholder="such as: privilege waived 3 May")
        if st.button(f"Release {told} now", type="primary", disabled=not note.strip()):
            with shown():
                released = release_documents(
                    project, [line.id for line in chosen], author=state.analyst(), note=note.strip()
                )
                state.leave_message(f"{count(released, 'document')} released.")
                st.rerun()


def show_holding(project: Project, chosen: Sequence[DocumentLine]) -> None:
    """Hold back documents by hand."""
    told = count(len(chosen), "document")
    with st.popover(f"Hold back {told}", icon=":material/lock:", disabled=not chosen):
        st.write(
            "No model is given them from now on. A run under way stops before it would send what came of them, and goes "
            "on without."
        )
        note = st.text_input("Why", key="hold-note", placeholder="such as: advice of counsel")
        if st.button(f"Hold back {told} now", type="primary", disabled=not note.strip()):
            with shown():
                kept = hold_documents(project, [line.id for line in chosen], author=state.analyst(), note=note.strip())
                state.leave_message(f"{count(kept, 'document')} held back.")
                st.rerun()


def _log(project: Project, lines: Sequence[DocumentLine]) -> None:
    decisions = [one for one in reversed(list_decisions(project)) if one.subject == DOCUMENT]
    if not decisions:
        return
    titles = {line.id: line.title for line in lines}
    with st.expander(f"What was decided ({len(decisions):,})", icon=":material/history:"):
        st.dataframe(
            pd.DataFrame(
                {
                    "When (UTC)": [one.decided[:16].replace("T", " ") for one in decisions],
                    "Document": [titles.get(one.document_id, "a removed document") for one in decisions],
                    "Decision": [one.decision for one in decisions],
                    "By": [one.author for one in decisions],
                    "Note": [one.note for one in decisions],
                }
            ),
            hide_index=True,
            alt="What was released or held back, when, by whom and why",
        )


def _list(project: Project) -> None:
    listed = list_holding(project)
    number = sum(map(len, listed.values()))
    title = f"What holds a document back ({number:,} of your own)" if number else "What holds a document back"
    with st.expander(title, icon=":material/rule:"):
        st.caption(
            "Besides documents that call themselves privileged. One a line. It holds for the documents here and for "
            "those to come; released ones stay released. What other documents say of them is not held back: near "
            "copies, or mails that quote them, are held back by themselves."
        )
        with st.form("holding", border=False):
            columns = st.columns(len(KINDS))
            given = {
                kind: column.text_area(
                    title, "\n".join(listed.get(kind, ())), placeholder=example, help=told, height=160
                )
                for column, (kind, (title, example, told)) in zip(columns, KINDS.items(), strict=True)
            }
            if st.form_submit_button("Save the list", icon=":material/save:"):
                for kind, text in given.items():
                    replace_holding(project, kind, (text or "").splitlines(), author=state.analyst())
                with shown():
                    held = hold_listed(project, author=state.analyst())
                    state.leave_message(f"The list is saved. It holds back {count(held, 'more document')}.")
                    st.rerun()

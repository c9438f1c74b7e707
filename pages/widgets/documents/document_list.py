"""The documents of a project as a table."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.documents import held
from pages.widgets.words import TOKENS_HELP, count, day_of, kind_of, language_of, round_figure
from r3con_core.store.documents import DocumentLine, documents_in_runs, remove_documents
from r3con_core.store.project import Project

OPEN_COLUMN = "open-document"


def show(project: Project, lines: tuple[DocumentLine, ...]) -> None:
    """All documents as a table: a click on a title opens it, ticked ones can be removed."""
    words, tokens = sum(line.words for line in lines), sum(line.tokens for line in lines)
    st.caption(
        f"{count(len(lines), 'document')} with {words:,} words, about {round_figure(tokens)} tokens. "
        "Click a title to read it; tick documents to hold them back or remove them.",
        help=TOKENS_HELP,
    )
    table = table_of(lines)

    def open_clicked() -> None:
        state.open_document(lines[st.session_state[OPEN_COLUMN]["row"]].id)

    event = st.dataframe(
        table,
        key=f"documents-{len(lines)}",
        hide_index=True,
        placeholder="",
        on_select="rerun",
        selection_mode="multi-row",
        height=min(35 * (len(lines) + 1) + 3, 493),
        alt="The documents of this project with type, size and status",
        column_config={
            "No.": st.column_config.NumberColumn(width=50, help="Prompts, records and answers name documents by it."),
            "Title": st.column_config.ButtonColumn(
                width=260, type="tertiary", alignment="left", on_click=open_clicked, key=OPEN_COLUMN
            ),
            "Date": st.column_config.TextColumn(width=95),
            "Pages": st.column_config.TextColumn(width=75, help="Read, of those the file has"),
            "Status": st.column_config.TextColumn(width=145),
            "Words": st.column_config.NumberColumn(format="localized"),
            "Tokens": st.column_config.NumberColumn(format="localized", help=TOKENS_HELP),
            "File": st.column_config.TextColumn(
                help="Where it came from; what lies inside another file follows after >"
            ),
        },
    )
    chosen = [lines[row] for row in event["selection"]["rows"] if row < len(lines)]
    if chosen:
        with st.container(horizontal=True):
            held.show_holding(project, [line for line in chosen if not line.held])
            show_removal(project, chosen)


def table_of(lines: Sequence[DocumentLine]) -> pd.DataFrame:
    """One row a document; columns that would be empty are left out."""
    table = pd.DataFrame(
        {
            "No.": [line.number or None for line in lines],
            "Title": [line.title for line in lines],
            "Type": [kind_of(line.media_type) for line in lines],
            "Date": [day_of(line.date) for line in lines],
            "Language": [language_of(line.language) for line in lines],
            "Words": [line.words for line in lines],
            "Tokens": [line.tokens for line in lines],
            "Pages": [pages_read(line) for line in lines],
            "Status": [status(line) for line in lines],
            "Warnings": [" ".join(line.warnings) for line in lines],
            "File": [line.path for line in lines],
        }
    )
    optional = ["Date", "Language", "Pages", "Warnings"]
    return table.drop(columns=[name for name in optional if not table[name].astype(bool).any()])


def pages_read(line: DocumentLine) -> str:
    """Such as "2 of 3", or just "3" when all were read; "" for kinds of files without pages."""
    if not line.pages:
        return ""
    return f"{line.pages - len(line.unread_pages):,} of {line.pages:,}" if line.unread_pages else f"{line.pages:,}"


def status(line: DocumentLine) -> str:
    """How its reading went, or that it is held back."""
    if line.held:
        return "held back"
    return "read with warnings" if line.warnings else "read"


def show_removal(project: Project, chosen: list[DocumentLine]) -> None:
    """Remove the ticked documents, but for those that an answer may rest on."""
    used = documents_in_runs(project)
    free = [line.id for line in chosen if line.id not in used]
    if len(free) < len(chosen):
        st.info(
            f"{count(len(chosen) - len(free), 'ticked document')} stay: a question was asked about them, and its "
            "answer must stay checkable.",
            icon=":material/lock:",
        )
    with st.popover(f"Remove {count(len(free), 'document')}", icon=":material/delete:", disabled=not free):
        st.write("They are taken out of this project. The files they came from stay where they are.")
        if st.button("Remove them", type="primary"):
            remove_documents(project, free)
            state.leave_message(f"{count(len(free), 'document')} removed.")
            st.rerun()

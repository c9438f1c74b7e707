"""Documents: open a project, add documents, see what is in it."""

import streamlit as st

from pages.widgets import adding, document_list, ledger, projects, state
from pages.widgets.errors import plain
from r3con_core.store.documents import list_documents

st.title("Documents", anchor=False)
project = state.current_project()
if project is None:
    state.explain_unknown_project()
    projects.show()
    st.stop()
state.show_message()
lines = list_documents(project)
if not lines:
    st.subheader(f"{plain(project.name)} has no documents yet", anchor=False)
    adding.show(project)
    if ledger.entries(project):
        ledger.show(project)
    st.stop()
listed, added, told = st.tabs(
    [f"Documents ({len(lines):,})", "Add documents", "Ledger"], key="corpus-tabs", on_change="rerun"
)
with listed:
    document_list.show(project, lines)
    state.next_button("Ask a question about them", "question")
if added.open:
    with added:
        adding.show(project)
if told.open:
    with told:
        ledger.show(project)

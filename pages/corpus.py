"""Documents: open a project, add documents, see what is in it and what became of every file, and search."""

from collections.abc import Callable

import streamlit as st

from pages.widgets import projects, state
from pages.widgets.documents import (
    adding,
    document_list,
    duplicates,
    findings,
    held,
    imports,
    keeping,
    ledger,
    locked,
    search,
)
from pages.widgets.errors import plain
from r3con_core.store.documents import DocumentLine, list_documents, list_ledger, locked_files
from r3con_core.store.project import Project

TABS = "corpus-tabs"
# Tabs by the name the address has for them.
NAMES = {
    "documents": "Documents",
    "search": "Search",
    "add": "Add documents",
    "ledger": "Ledger",
    "findings": "Findings",
    "held": "Held back",
    "duplicates": "Duplicates",
    "project": "Project",
}


def show_tabs(project: Project, lines: tuple[DocumentLine, ...]) -> None:
    """All there is to see of the project's documents; only the open tab is drawn."""
    numbers = {
        "documents": len(lines),
        "findings": sum(line.findings for line in lines),
        "held": sum(bool(line.held) for line in lines),
    }
    labels = [f"{title} ({numbers[name]:,})" if numbers.get(name) else title for name, title in NAMES.items()]
    keep_open_tab(labels)
    opened = st.tabs(labels, key=TABS, on_change="rerun", default=labels[list(NAMES).index(open_tab())])
    drawn: dict[str, Callable[[], None]] = {
        "documents": lambda: show_documents(project, lines),
        "search": lambda: search.show(project, lines),
        "add": lambda: show_adding(project),
        "ledger": lambda: ledger.show(list_ledger(project)),
        "findings": lambda: findings.show(project, lines),
        "held": lambda: held.show(project, lines),
        "duplicates": lambda: duplicates.show(project, lines),
        "project": lambda: keeping.show(project),
    }
    for tab, draw in zip(opened, drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def open_tab() -> str:
    """The name of the tab that is open or will be."""
    label = str(st.session_state.get(TABS) or "").partition(" (")[0]
    named = next((name for name, title in NAMES.items() if title == label), state.current_tab())
    return named if named in NAMES else "documents"


def keep_open_tab(labels: list[str]) -> None:
    """The tab that is open stays so when the number in its label changes."""
    before = str(st.session_state.get(TABS) or "").partition(" (")[0]
    label = next((label for label in labels if label.partition(" (")[0] == before), None)
    if label is not None and label != st.session_state[TABS]:
        st.session_state[TABS] = label


def show_documents(project: Project, lines: tuple[DocumentLine, ...]) -> None:
    """The list, and the step that comes next."""
    document_list.show(project, lines)
    state.next_button("Ask a question about them", "question")


def show_adding(project: Project) -> None:
    """The ways to add, and the imports there were."""
    adding.show(project)
    imports.show_all(project)


st.title("Documents", anchor=False)
project = state.current_project()
if project is None:
    state.explain_unknown_project()
    projects.show()
    st.stop()
state.show_message()
progress = st.container()
lines = list_documents(project)
locked.show(project, locked_files(project), opened=open_tab() in ("documents", "add"))
if lines:
    show_tabs(project, lines)
elif imports.is_at_work(project):
    st.caption("Documents appear here as they are read.")
else:
    st.subheader(f"{plain(project.name)} has no documents yet", anchor=False)
    show_adding(project)
    if told := list_ledger(project):
        ledger.show(told)
    with st.expander("Audit log, and removing the project"):
        keeping.show(project)

with progress:
    imports.show(project)

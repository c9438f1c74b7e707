"""The screen without an open project: the projects there are, a new one, the samples."""

import streamlit as st

from pages.widgets import state
from pages.widgets.documents import broken
from pages.widgets.errors import plain, shown
from pages.widgets.words import count
from r3con_core.corpora import SampleCorpus, add_sample, sample_corpora
from r3con_core.errors import StoreError
from r3con_core.home import projects_folder
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project, create_project, project_slug
from r3con_core.store.runs import list_runs


def show() -> None:
    """Open, make, or try."""
    st.write(
        "R3Con Analyst reads a corpus of documents for one question and gives an answer whose every statement "
        "leads back to a quote. A **project** holds the documents and all that you ask about them."
    )
    found, damaged = state.projects(), state.broken()
    state.show_message()
    left, right = st.columns([3, 2], gap="large") if found or damaged else (None, st.container(width=560))
    if left is not None:
        with left:
            _list(found)
            broken.show(damaged)
    with right:
        _new()
    st.subheader("Or try it with a sample", anchor=False)
    for sample in sample_corpora():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            _sample(sample)


def _list(found: tuple[Project, ...]) -> None:
    st.subheader("Your projects", anchor=False)
    for project in found:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{plain(project.name)}**")
                st.caption(_holds(project))
            if st.button("Open", key=f"open-{project.folder.name}", help=f"Open {plain(project.name)}"):
                state.go("corpus", project=project.folder.name, run=None)


def _holds(project: Project) -> str:
    """What is in it, or why that cannot be told: one that is damaged hides none of the others."""
    try:
        documents, runs = len(list_documents(project)), len(list_runs(project))
    except StoreError as error:
        return plain(str(error))
    return f"{count(documents, 'document')}, {count(runs, 'question')} asked"


def _new() -> None:
    st.subheader("New project", anchor=False)
    with st.form("new-project"):
        name = st.text_input("Name", placeholder="such as: Harbour inquiry, 2026", help="You can use any script.")
        made = st.form_submit_button("Make the project", type="primary")
    if made:
        with shown():
            open_new(name)


def open_new(name: str) -> None:
    """Make a project called `name` and open it."""
    project = create_project(projects_folder(state.home()), name)
    state.go("corpus", project=project.folder.name, run=None)


def _sample(sample: SampleCorpus) -> None:
    with st.container(gap=None):
        st.markdown(f"**{plain(sample.title)}**")
        st.caption(plain(sample.about))
    if st.button("Make a project with it", key=f"sample-{sample.name}"):
        with shown():
            project = create_project(projects_folder(state.home()), _free_name(sample.title))
            if sample.in_book:
                state.wish_for_sample(sample.name)
            else:
                state.leave_message(f"{count(add_sample(project, sample.name).documents, 'document')} added.")
            state.go("corpus", project=project.folder.name, run=None)


def _free_name(title: str) -> str:
    """`title`, numbered when there is a project of that name."""
    taken = {project.folder.name for project in state.projects()}
    names = (title if number == 1 else f"{title} {number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if project_slug(name) not in taken)

"""Relevance: what each document contributes to the question, round by round, as it arrives."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import other_methods, runstate, state
from pages.widgets.errors import plain
from pages.widgets.relevance import digests, live, steering, steering_document
from r3con_core import jobs
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.snippets import load_focus

EXPLANATION = """
In **round 1** every document is read by itself, and the model writes what it contributes to the question: its
*snippet*. In **round 2** each is read again by a reader who knows the other documents' snippets, so that a detail can
matter that did not before.

A snippet is the model's words, never a quote; quotes come with the records. Words marked *not in this document* may be
copied from another document's snippet, or made up: check them. "Nothing to say" is a real result.

*Leans on* names other documents whose snippets of the round before hold words that are new here. It is a hint where to
look, not a proof. Press **Steer** on a document to see all its rounds and to change what is passed on: your words
instead of the model's, a pin, a veto, or the document taken out. All of it is kept as yours and can be taken back.

A **pin** keeps a snippet as it is in all later rounds. A **veto** hides it from all other readers and later stages.
*Carried over* means that a document was not read again in that round: the snippet is that of the round before.

Where all snippets together are more than the model takes in at once, each reader sees those that bear on its document
in full, some shortened, and the rest within **digests**: what a group of snippets says in short, in the model's words.
What each reader saw stands below its snippet.
"""


def _show_all(project: Project, run: Run, titles: Sequence[live.Title]) -> None:
    """All documents, as cards, as a table, and the digests of their snippets."""
    names = ["Cards", "Table", *(["Digests"] if digests.rounds_with(project, run) else [])]
    cards, table, *rest = st.tabs(names, key="relevance-tabs", on_change="rerun")
    if cards.open:
        with cards:
            live.show_cards(project, run, titles)
    if table.open:
        with table:
            live.show_table(project, run, titles)
    for tab in rest:
        if tab.open:
            with tab:
                digests.show(project, run, titles)


st.title("Relevance", anchor=False)
project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
st.markdown(f"##### {plain(run.task.text)}")
other_methods.stop_here(project, run, "snippets")
header = st.container()
titles = live.titles_of(project, run)
focus = load_focus(project, run.id)
with st.container(horizontal=True):
    if focus:
        with st.popover("What readers look for", type="tertiary", icon=":material/checklist:", width="content"):
            st.write(
                "Before reading, the model listed the kinds of facts that would matter. Every reader gets this list:"
            )
            st.markdown("\n".join(f"- {plain(item)}" for item in focus))
    with st.popover("How to read this page", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(EXPLANATION)
chosen = state.current_document_id()
if not run.settings.relevance:
    st.info(
        "This run leaves relevance out, as an experiment: no document was read for what it contributes. The schema came "
        "from the question alone, and each document was parsed without knowing what the others say.",
        icon=":material/science:",
    )
elif chosen in run.document_ids:
    steering_document.show(project, run, titles, chosen)
else:
    _show_all(project, run, titles)
with header:
    runstate.show(project, run)
    if not run.settings.relevance:
        st.stop()
    steering.show_pending(project, run)
    if chosen not in run.document_ids:
        steering.show_next_round(project, run, titles)
    steering.show_convergence(project, run)

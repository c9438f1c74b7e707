"""Methods: every way to answer that the paper compares, on the same documents, question and model."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.methods import (
    answers,
    asked,
    choosing,
    downloads,
    facts_view,
    figures,
    judging,
    models,
    principles,
    progress,
    results,
    starting,
    traces_view,
    vectors,
)
from pages.widgets.methods.results import Shown
from pages.widgets.question.access import say_ambiguous
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.facts import Fact
from r3con_core.jobs import RunChoices, addresses_of
from r3con_core.judging_runs import gold_for
from r3con_core.methods import METHODS
from r3con_core.preferences import load_choices
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.tasks import make_task

CHOOSE = ":material/checklist: Choose and start"
ANSWERS, FIGURES = ":material/short_text: Answers", ":material/scatter_plot: Cost and accuracy"
BUILT, FACTS = ":material/account_tree: What each built", ":material/flag: Where facts are lost"
PRINCIPLES = ":material/rule: Principles"
TABS = "methods-tabs"
INTRO = (
    "Why not just search and read the best passages, or let an agent loose on the folder? Here every method answers the "
    "same question over the same documents with the same model, and all that it built on the way can be looked at."
)


def show_choice(project: Project, question: str) -> None:
    """Models, methods with their prices, and the start."""
    remembered = load_choices(state.home())
    document_ids = tuple(line.id for line in list_documents(project) if not line.held)
    with st.expander("Model", icon=":material/smart_toy:", expanded=remembered is None):
        forms = models.choose(remembered)
        reading, reasoning = forms[0].choice, forms[1].choice if len(forms) > 1 else None
        embedding = vectors.choose(reading) if reading else None
    if reading is None or (len(forms) > 1 and reasoning is None):
        st.info("Choose a model above; what each method takes is then shown here.", icon=":material/info:")
        return
    if not question.strip():
        st.info("Write the question above first.", icon=":material/info:")
        return
    st.caption(models.asked_in_words(reading, reasoning))
    say_ambiguous(addresses_of(reading, reasoning))
    choices = RunChoices(reading=reading, reasoning=reasoning, embedding=embedding, straight_through=True)
    size = choosing.work_size(project, question, reading.window, document_ids)
    planned = choosing.plan_all(project, question, choices, document_ids, choosing.chosen_options(size))
    chosen = choosing.show(planned, size)
    st.subheader("Before you start", anchor=False)
    starting.show_start(project, question, chosen, forms)


def show_tabs(project: Project, question: str, facts: Sequence[Fact], shown: Sequence[Shown]) -> None:
    """All that can be looked at, one tab at a time."""
    titles = {line.id: f"{number} · {line.title}" for number, line in enumerate(list_documents(project), start=1)}
    names = [ANSWERS, FIGURES, BUILT, FACTS, PRINCIPLES, CHOOSE]
    if started := st.session_state.pop(starting.STARTED, 0):
        st.session_state[TABS] = ANSWERS
        st.toast(f"{count(started, 'method')} started. How far they are stands at the top of this page.")
    if state.current_view() == state.BUILT:
        st.session_state[TABS] = BUILT
        state.set_place(view=None)
    tabs = st.tabs(names, default=ANSWERS if shown else CHOOSE, key=TABS, on_change="rerun")
    drawn = {
        ANSWERS: lambda: show_answers(project, question, shown),
        FIGURES: lambda: show_figures(shown),
        BUILT: lambda: traces_view.show(facts, shown, titles, state.named_run_id()),
        FACTS: lambda: facts_view.show(facts, shown, titles),
        PRINCIPLES: lambda: principles.show(METHODS),
        CHOOSE: lambda: show_choice(project, question),
    }
    for name, tab in zip(names, tabs, strict=True):
        if tab.open:
            with tab:
                drawn[name]()


def show_answers(project: Project, question: str, shown: Sequence[Shown]) -> None:
    """Answers side by side, and their judging."""
    if not shown:
        st.info(
            f"No method has been asked this yet. Choose some under “{CHOOSE.split(': ')[1]}”.", icon=":material/inbox:"
        )
        return
    answers.show(shown)
    with st.expander("Judge the answers", icon=":material/gavel:"):
        remembered = load_choices(state.home())
        judging.show_judging(project, question, shown, remembered.reading if remembered else None)


def show_figures(shown: Sequence[Shown]) -> None:
    """The picture and the table."""
    if not shown:
        st.info("No method has been asked this yet.", icon=":material/inbox:")
        return
    figures.show_plot(shown)
    figures.show_table(shown)


def open_methods() -> None:
    """Draw the page."""
    st.title("Methods", anchor=False)
    project = state.require_project()
    if not any(not line.held for line in list_documents(project)):
        state.empty(
            "There is nothing to read yet",
            "Add the documents first; then compare methods on them.",
            page="corpus",
            button="Add documents",
        )
    jobs.reconcile(project)
    intro = st.empty()
    question, row = asked.ask(project)
    task = results.sample_task(project, question)
    facts = task.facts if task else ()
    named = state.named_run_id()
    shown = results.load(project, make_task(question).id, facts, named) if question.strip() else ()
    if not shown:
        intro.markdown(INTRO)
    at_work = st.container()
    if shown:
        with row:
            gold = gold_for(project, question)
            downloads.show(question, gold.answer if gold else "", facts, shown)
    if told := results.unlike(shown):
        st.warning(plain(told), icon=":material/balance:")
    show_tabs(project, question, facts, shown)
    with at_work:
        progress.show(project, shown)


open_methods()

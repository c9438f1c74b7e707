"""A second reading: another model or another mode answers the same question from the same records, side by side."""

import streamlit as st

from pages.widgets import state, under_way
from pages.widgets.compare import answers as compare_answers
from pages.widgets.errors import plain
from pages.widgets.question import begin, modelform
from pages.widgets.sidebar import STATE_WORDS
from r3con_core import jobs
from r3con_core.answers import Mode
from r3con_core.comparing.runs import align_sentences
from r3con_core.derived import plan_second_reading, why_not
from r3con_core.relations import Relation
from r3con_core.runs import Run
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs

EXPLANATION = (
    "Another model, or the other way of reasoning, answers the same question from the same records. Where the two answers "
    "agree you can be a little surer; where they differ, look at the records. Nothing is read or parsed again."
)


def show(project: Project, run: Run) -> None:
    """The sentences of a run's answer beside those of its newest second reading, and the start of another one."""
    st.caption(EXPLANATION)
    partner = _partner(project, run)
    top = st.container()
    with st.expander("Start a second reading" if partner is None else "Start another one", icon=":material/add:"):
        show_start(project, run, key="second")
    with top:
        if partner is not None and not partner.state.active:
            _beside(project, run, partner)
        under_way.show(project, run)


def _partner(project: Project, run: Run) -> Run | None:
    """The newest second reading of this run; of a second reading without one, the run that it is of."""
    runs = list_runs(project)
    found = [one for one in runs if one.parent == run.id and one.relation == Relation.SECOND_READING]
    if not found and run.relation == Relation.SECOND_READING:
        found = [one for one in runs if one.id == run.parent]
    return found[0] if found else None


def _beside(project: Project, run: Run, partner: Run) -> None:
    first, second = load_answer(project, run.id), load_answer(project, partner.id)
    if first is None or second is None:
        st.warning(
            f"The second reading has no answer: it is {STATE_WORDS[partner.state]}. {plain(partner.error)}",
            icon=":material/pause_circle:",
        )
        state.page_link("relevance", "Go to it", run=partner.id)
        return
    pairs = align_sentences(first.sentences, second.sentences)
    compare_answers.show(pairs, (reasoner(run), reasoner(partner)))
    state.page_link("compare", "Compare the two in full", **{state.OTHER: partner.id})


def reasoner(run: Run) -> str:
    """Who reasoned, and how: "gpt-x, coding agent"."""
    settings = run.settings
    mode = settings.mode if settings.structure else Mode.DIRECT  # without records there is nothing to compute with
    return f"{settings.reasoning_model or settings.model}, {mode.value}"


def show_start(project: Project, run: Run, *, key: str) -> None:
    """The choice of a model and a mode, what it takes, and the button."""
    if fault := why_not(project, run, Relation.SECOND_READING):
        st.info(fault, icon=":material/info:")
        return
    other = Mode.DIRECT if run.settings.mode is Mode.CODING else Mode.CODING
    mode = st.radio(
        "Reasoning",
        [other, run.settings.mode],
        format_func=lambda one: one.value.capitalize() + (", as before" if one is run.settings.mode else ""),
        captions=[_MODE_WORDS[one] for one in (other, run.settings.mode)],
        key=f"{key}-mode",
    )
    form = None
    if st.toggle("Another model", key=f"{key}-another", help="Best one of another maker: two of a kind err alike."):
        reading, reasoning = jobs.choices_of(project, run.id)
        form = modelform.show_form(key, reasoning or reading)
    if form is not None and form.choice is None:
        return
    if form is None and mode is run.settings.mode:
        st.info("Choose another model or the other mode; the same ones give the same answer.", icon=":material/info:")
        return
    planned = plan_second_reading(project, run.id, reasoning=form.choice if form else None, mode=mode)
    offer = begin.Offer(
        label="Start the second reading", key=key, icon=":material/visibility:", forms=(form,) if form else ()
    )
    begin.show(project, [planned], offer)


_MODE_WORDS = {
    Mode.CODING: "The model writes Python over the records; every step can be read.",
    Mode.DIRECT: "The model answers from the records in one go, without code.",
}

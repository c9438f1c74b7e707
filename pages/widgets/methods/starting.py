"""What the chosen methods take together, where text goes, the limits, and the start."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, show
from pages.widgets.question import access, limits, modelform, sending
from pages.widgets.question.estimate import Expected
from pages.widgets.question.ranges import likely_money, times
from pages.widgets.words import count, round_figure
from r3con_core import jobs
from r3con_core.errors import R3ConError
from r3con_core.experiments import PlannedMethod, start_methods
from r3con_core.figures import Figure, total
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.methods.seam import Needs
from r3con_core.preferences import load_choices, save_choices
from r3con_core.runs import Caps
from r3con_core.store.project import Project
from r3con_core.tasks import make_task

STARTED = "methods-started"
"""How many were started just now, for the page that is drawn next."""
LEAVES = (
    "Claude Code is a program of its own: it gets the documents of this project in a temporary folder and sends what it "
    "reads to Anthropic, by that program's own account and settings. It is asked to use no web tools."
)


def show_start(
    project: Project, question: str, chosen: Sequence[PlannedMethod], forms: Sequence[modelform.Filled]
) -> None:
    """Everything before the button, and the button."""
    if not chosen:
        st.info("Tick the methods to compare.", icon=":material/check_box:")
        return
    st.markdown(f"**{count(len(chosen), 'method')}**: {together_in_words(chosen)}")
    st.caption("They run one after the other, each by itself: none sees what another found.")
    allowed = sending.show(project, models_of(chosen), key="methods")
    if any(Needs.PROGRAM in one.method.needs for one in chosen):
        allowed = st.checkbox(LEAVES, key="methods-program") and allowed
    caps = limits.choose(_largest(chosen))
    st.caption("The limit holds for each method by itself.")
    missing = " ".join(dict.fromkeys(form.missing for form in forms if form.missing))
    if missing:
        st.info(missing, icon=":material/info:")
    if not allowed:
        st.caption(sending.TICK_FIRST)
    label = f"Start {count(len(chosen), 'method')}"
    ready = allowed and not missing and caps is not None and bool(question.strip())
    if st.button(label, key="start-methods", type="primary", icon=":material/play_arrow:", disabled=not ready):
        _start(project, question, chosen, caps or Caps())


def models_of(chosen: Sequence[PlannedMethod]) -> tuple[ModelChoice, ...]:
    """All models that these methods ask, each once: not all of them want vectors."""
    asked = (model for one in chosen for model in (one.choices.reading, one.choices.reasoning, one.choices.embedding))
    return tuple(dict.fromkeys(model for model in asked if model is not None))


def together_in_words(chosen: Sequence[PlannedMethod]) -> str:
    """What they take in all, as Markdown."""
    calls, sent = (total([one.estimate.calls for one in chosen]), total([one.estimate.prompt for one in chosen]))
    told = [f"about **{count(round(calls.likely), 'call')}** ({round(calls.low):,} to {round(calls.high):,})"]
    told.append(f"{round_figure(sent.likely)} tokens sent")
    costs = [one.cost for one in chosen if one.cost is not None]
    if len(costs) < len(chosen):
        told.append("price not known")
    elif any(cost.high for cost in costs):
        whole: Figure = total([*costs])
        told.append(likely_money(whole.low, whole.likely, whole.high, plain(costs[0].currency)))
    seconds = [one.seconds for one in chosen if one.seconds is not None]
    if len(seconds) == len(chosen):
        told.append(times(total(seconds)))
    return " · ".join(told)


def _largest(chosen: Sequence[PlannedMethod]) -> Expected:
    """The one that takes most: limits are for each by itself."""
    most = max(chosen, key=lambda one: one.estimate.prompt.likely)
    return Expected(
        estimate=most.estimate, cost=most.cost, seconds=most.seconds, paid=bool(most.cost and most.cost.high)
    )


def _start(project: Project, question: str, chosen: Sequence[PlannedMethod], caps: Caps) -> None:
    home = state.home()
    planned = [replace(one, choices=replace(one.choices, caps=caps)) for one in chosen]
    try:
        make_task(question)
        for one in planned:
            jobs.check_models(one.choices, home)
        sending.allow(project, models_of(planned))
        remembered = load_choices(home) or RunChoices(reading=planned[0].choices.reading)
        asked = planned[0].choices
        save_choices(home, replace(remembered, reading=asked.reading, reasoning=asked.reasoning))
        runs = start_methods(project, question, planned, home=home, keys=access.typed_keys())
    except R3ConError as error:
        show(error)
        return
    st.session_state[STARTED] = len(runs)
    state.go("methods", run=runs[0].id)

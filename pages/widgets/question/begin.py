"""A run that begins from another: what it will take, what it keeps, and its start."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets import errors, state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access, estimate, modelform, sending
from pages.widgets.question.ranges import likely_money, times
from pages.widgets.words import count, round_figure
from r3con_core import jobs
from r3con_core.costs import known_of
from r3con_core.derived import PlannedRun, estimate_planned, make_planned
from r3con_core.errors import R3ConError
from r3con_core.jobs import ModelChoice
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A button that begins runs."""

    label: str
    key: str
    """Tells the parts of a page apart."""
    icon: str = ":material/play_arrow:"
    primary: bool = False
    forms: tuple[modelform.Filled, ...] = ()
    """Of models that were chosen for it."""
    then: str = ""
    """The page to go to; empty: stay."""


def show(project: Project, planned: Sequence[PlannedRun], offer: Offer) -> None:
    """What the runs will take together, where text goes, and the button."""
    first = planned[0]
    with shown():
        st.markdown(price_in_words(project, planned))
        models = [choice for choice in (first.choices.reading, first.choices.reasoning) if choice is not None]
        if first.left_out and (first.kept.snippets or first.kept.records):
            st.caption(
                f":material/lock: {count(first.left_out, 'document')} held back since are left out. Snippets and records "
                "of the others that are kept may repeat what they said; reading again leaves that out too."
            )
        allowed = sending.show(project, models, first.document_ids, key=offer.key)
        _ask_for_keys(first, offer)
        missing = " ".join(form.missing for form in offer.forms if form.missing)
        if missing:
            st.info(missing, icon=":material/info:")
        if not allowed:
            st.caption(sending.TICK_FIRST)
        if st.button(
            offer.label,
            key=f"{offer.key}-begin",
            type="primary" if offer.primary else "secondary",
            icon=offer.icon,
            disabled=bool(missing) or not allowed,
        ):
            _begin(project, planned, offer)


def price_in_words(project: Project, planned: Sequence[PlannedRun]) -> str:
    """Such as "About **2 calls** (1 to 11), 3 thousand tokens sent; under a minute. Nothing else is asked again."."""
    first = planned[0]
    known = known_of(project, first.choices.reading, state.home())
    expected = estimate.expected_of(estimate_planned(project, first, known), first.choices)
    calls, sent = (figure.times(len(planned)) for figure in (expected.estimate.calls, expected.estimate.prompt))
    told = [f"About **{count(round(calls.likely), 'call')}** ({round(calls.low):,} to {round(calls.high):,})"]
    told.append(f"{round_figure(sent.likely)} tokens sent")
    if expected.paid and expected.cost:
        cost, many = expected.cost, len(planned)
        told.append(likely_money(cost.low * many, cost.likely * many, cost.high * many, plain(cost.currency)))
    elif expected.paid:
        told.append("price not known")
    if expected.seconds is not None:
        told.append(times(expected.seconds.times(len(planned))))
    return f"{' · '.join(told)}. {_kept_in_words(first)}"


def _kept_in_words(planned: PlannedRun) -> str:
    kept = planned.kept
    if kept.records and not kept.fixed:
        return "Snippets, schema, records and corrections are kept; only the answer is asked for."
    if kept.records:
        return "What the other documents gave is kept."
    if kept.snippets:
        return "The snippets are kept; only the answer is asked for."
    return "Finished calls that stay the same are not asked again." if not planned.choices.repeat else ""


def _ask_for_keys(planned: PlannedRun, offer: Offer) -> None:
    """Fields for the keys of models that no form was for."""
    formed = {form.choice.base_url for form in offer.forms if form.choice}
    models = [choice for choice in (planned.choices.reading, planned.choices.reasoning) if choice is not None]
    access.ask_for([m for m in models if m.base_url not in formed and _is_asked(planned, m)], f"{offer.key}-key")


def _is_asked(planned: PlannedRun, choice: ModelChoice) -> bool:
    """Whether the run asks this model at all."""
    kept, choices = planned.kept, planned.choices
    reasons = choice == (choices.reasoning or choices.reading)
    return reasons or not (kept.snippets and not kept.fixed)


def _begin(project: Project, planned: Sequence[PlannedRun], offer: Offer) -> None:
    home = state.home()
    try:
        jobs.check_models(planned[0].choices, home)
        sending.allow(project, (planned[0].choices.reading, planned[0].choices.reasoning))
        runs = [make_planned(project, one, home=home) for one in planned]
        for run in runs:
            jobs.start_worker(project, run.id, home=home, keys=access.typed_keys())
    except R3ConError as error:
        errors.show(error)
        return
    if offer.then:
        state.go(offer.then, run=runs[0].id)
    st.rerun()

"""Model work beside a run, on the screen: what it will cost, sending it, its progress, stopping it."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from pages.widgets.question.ranges import likely, likely_money
from pages.widgets.schema.desk import Desk
from pages.widgets.words import count, round_figure
from r3con_core import errands
from r3con_core.errands import Asked, Errand, Preview, Trial
from r3con_core.estimates.estimate import Estimate
from r3con_core.foresight import Foresight, foresee_accepting, foresee_preview
from r3con_core.runs import Run
from r3con_core.store.errands import ErrandState
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq

EVERY = 1.0
"""Seconds between looks at an errand's progress."""
ENDINGS = {
    ErrandState.FAILED: ("error", "It did not work out."),
    ErrandState.STOPPED: ("stop_circle", "Stopped."),
}


def at_work(desk: Desk) -> Errand | None:
    """The errand that is at work beside the run; one that has died is told of."""
    errands.notice_dead(desk.project, desk.run_id)
    return errands.active(desk.project, desk.run_id)


def show_work(desk: Desk) -> None:
    """Its progress, until it is done; then the page is drawn anew."""
    st.fragment(_look, run_every=EVERY)(desk.project, desk.run_id)


def _look(project: Project, run_id: str) -> None:
    errands.notice_dead(project, run_id)
    errand = errands.active(project, run_id)
    if errand is None:
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        share, words = _progress(errand)
        st.progress(share, words)
        if st.button("Stop", key="errand-stop", icon=":material/stop:", help="What has come in is kept."):
            errands.stop(project, run_id)


def _progress(errand: Errand) -> tuple[float, str]:
    if errand.state is ErrandState.QUEUED:
        return 0.0, "Starting"
    if not isinstance(errand.asked, Preview):
        return 0.5, "The model works out the changes"
    done = len(errand.result.documents) if isinstance(errand.result, Trial) else 0
    whole = len(errand.asked.document_ids)
    return done / whole, f"{done} of {count(whole, 'document')} parsed"


def show_ending(errand: Errand | None) -> None:
    """Why the last one came to nothing, if it did."""
    if errand is None or errand.state not in ENDINGS:
        return
    icon, words = ENDINGS[errand.state]
    say = st.error if errand.state is ErrandState.FAILED else st.info
    say(plain(errand.error) or words, icon=f":material/{icon}:")


def send_button(desk: Desk, run: Run, label: str, asked: Asked, *, disabled: bool) -> None:
    """The button that sends an errand, and a field for a key where the run needs one that is not kept here."""
    name = type(asked).__name__.lower()
    access.ask_for_keys(desk.project, run.id, f"errand-{name}")
    sent = st.button(
        label,
        key=f"errand-{name}-send",
        type="primary",
        icon=":material/play_arrow:",
        disabled=disabled,
    )
    if sent:
        with shown():
            home = state.home()
            errands.send(desk.project, run.id, asked, home=home, keys=access.typed_keys())
            st.rerun()


def where(run: Run) -> str:
    """To whom an errand's text goes, in a sentence."""
    return f"Text goes to {plain(run.host)}." if run.host else ""


def foresee(desk: Desk, documents: Sequence[str] | None = None) -> Foresight:
    """What accepting the newest schema will ask, or with `documents`, what trying it on these will."""
    newest = errands.latest(desk.project, desk.run_id, Preview)
    tried = (newest.id, newest.state.value) if newest else ()
    seq = latest_seq(desk.project, desk.run_id)
    key = (str(desk.project.folder), desk.run_id, seq, *tried)
    return _foresight(desk.project, desk.run_id, key, None if documents is None else tuple(documents))


@st.cache_data(max_entries=16, show_spinner="Working out what it will ask")
def _foresight(
    _project: Project,
    run_id: str,
    key: tuple[object, ...],  # noqa: ARG001 - what the figures depend on
    documents: tuple[str, ...] | None,
) -> Foresight:
    home = state.home()
    if documents is None:
        return foresee_accepting(_project, run_id, home)
    return foresee_preview(_project, run_id, documents, home)


def cost_words(found: Foresight) -> str:
    """Calls, tokens and money, each as it is likely and with its bounds."""
    estimate: Estimate = found.estimate
    tokens = round_figure(estimate.prompt.likely + estimate.output.likely)
    return f"{likely(estimate.calls)} calls, about {tokens} tokens, {_money(found)}"


def _money(found: Foresight) -> str:
    cost = found.cost
    if cost is None:
        return "money not known: nobody has said what this model costs"
    if not cost.high:
        return "no money"
    return likely_money(cost.low, cost.likely, cost.high, plain(cost.currency))


def accepting_words(found: Foresight) -> str:
    """What accepting asks, in a sentence or two, as Markdown."""
    only = ", ".join(plain(name) for name in found.types)
    kinds = f", record type{'s' if len(found.types) > 1 else ''} {only} only" if only else ""
    already = f" {count(found.tried, 'document')} you tried already will not be paid for again." if found.tried else ""
    if found.asked:
        of = f"**{found.asked:,} of {count(found.documents, 'document')}**{kinds}"
        first = f"Asks {of}; then the answer is made."
    elif found.tried:
        first = "Asks no other document; then the answer is made."
    else:
        first = "**Asks no document again**: all records are carried over. Only the answer is made anew."
    return f"{first}{already} {cost_words(found)}."

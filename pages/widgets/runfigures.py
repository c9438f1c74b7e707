"""What a run has used so far and what it will likely use in all, in a few lines."""

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.question.ranges import figures, moneys, rough_money, times
from pages.widgets.words import count, duration, money, round_figure
from r3con_core.caps import caps_text
from r3con_core.costs import Cost, Forecast, cost_so_far, forecast
from r3con_core.figures import Figure
from r3con_core.progress import Progress
from r3con_core.runs import Run, RunState
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project

FORECAST_SECONDS = 15.0
"""A forecast of 2,000 documents takes a third of a second, and says nothing new every moment."""
_TOKENS = (
    "A token is a piece of a word; models count, and are paid, in tokens. Those known to the server it has read before: "
    "they take less time, and many servers charge less for them."
)
_TO_COME = frozenset(RunState) - {RunState.DONE}


def show(project: Project, progress: Progress) -> None:
    """Money or tokens so far and in all, time left, calls, tokens, and where text goes."""
    run = progress.run
    spent = cost_so_far(project, run.id, state.home())
    ahead = forecast_of(project, run) if run.state in _TO_COME else None
    bill = _bill(progress, spent, ahead)
    caps = plain(caps_text(load_caps(project, run.id)))
    limits = [f"may use {caps}"] if caps else []
    with st.container(gap="xxsmall"):
        if bill:
            st.markdown(" · ".join(bill))
        st.caption(" · ".join([_calls(progress), *_tokens(progress)]), help=_TOKENS)
        st.caption(" · ".join([f"Read by {plain(run.settings.model)} on {plain(run.host)}", *limits]))


def forecast_of(project: Project, run: Run) -> Forecast:
    """What is left of a run, made anew from time to time."""
    return _forecast(project, str(project.folder), run.id, run.state.value, str(state.home()))


@st.cache_data(ttl=FORECAST_SECONDS, max_entries=64, show_spinner=False)
def _forecast(_project: Project, folder: str, run_id: str, now: str, home: str) -> Forecast:  # noqa: ARG001 - the cache's key
    return forecast(_project, run_id, state.home())


def _bill(progress: Progress, spent: Cost | None, ahead: Forecast | None) -> list[str]:
    """Money where it is paid, else tokens; and how long it will take."""
    parts: list[str] = []
    if spent is not None and (spent.amount or (ahead and ahead.left and ahead.left.high)):
        parts.append(_money(spent, ahead))
    elif ahead is not None:
        parts.append(_tokens_in_all(progress, ahead))
    if ahead is not None and ahead.seconds_left is not None and progress.run.state.active:
        seconds = ahead.seconds_left
        likely, bounds = duration(seconds.likely), times(seconds)
        parts.append(f"{likely} left" if bounds == likely else f"{likely} left ({bounds})")
    return parts


def _money(spent: Cost, ahead: Forecast | None) -> str:
    currency = plain(spent.currency)
    so_far = money(spent.amount, currency)
    if ahead is None or ahead.left is None or ahead.spent is None:
        return f"**{so_far} spent**"
    whole = _in_all(spent.amount, ahead.spent.amount, ahead.left)
    bounds = moneys(whole.low, whole.high, currency)
    return f"**{so_far} so far, about {rough_money(whole.likely, currency)} in all** ({bounds})"


def _tokens_in_all(progress: Progress, ahead: Forecast) -> str:
    used = progress.usage.prompt + progress.usage.output
    whole = _in_all(used, ahead.tokens_spent.prompt + ahead.tokens_spent.output, ahead.tokens_left)
    return f"**{round_figure(used)} tokens so far, about {round_figure(whole.likely)} in all** ({figures(whole)})"


def _in_all(now: float, then: float, left: Figure) -> Figure:
    """What was used when the forecast was made and what was left then; never less than what is used now."""
    whole = left.plus_kept(then)
    return Figure(low=max(whole.low, now), likely=max(whole.likely, now), high=max(whole.high, now))


def _calls(progress: Progress) -> str:
    calls = count(progress.calls, "call")
    if not progress.reused:
        return calls
    return f"{calls}, of them {progress.reused:,} kept from before, which cost nothing"


def _tokens(progress: Progress) -> list[str]:
    usage = progress.usage
    about = "" if usage.counted else "about "
    known = f", {usage.cached:,} of them known to the server" if usage.cached else ""
    return [f"{about}{usage.prompt:,} tokens sent{known}", f"{about}{usage.output:,} tokens written"]

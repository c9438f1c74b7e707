"""A run that has used what it may: raise its limit and go on, or leave it."""

from dataclasses import dataclass, replace
from math import ceil, floor, log10

import streamlit as st

from pages.widgets import runfigures, state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from pages.widgets.question.limits import HINT, Field
from pages.widgets.question.ranges import likely, likely_money
from r3con_core import jobs
from r3con_core.caps import Capped, Spent, reached_limits, spent_of
from r3con_core.costs import Forecast
from r3con_core.jobs import rates_of
from r3con_core.runs import Caps, Run, RunState
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project

_ROOM = 1.2
"""Of what is likely left, so that a run does not pause again just before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """What a run may use, has used and will use."""

    caps: Caps
    spent: Spent
    reached: frozenset[Capped]
    forecast: Forecast


def is_needed(project: Project, run: Run) -> bool:
    """Whether the run can go on only with a higher limit."""
    return run.state is RunState.PAUSED or bool(reached_limits(load_caps(project, run.id), _spent(project, run)))


def _spent(project: Project, run: Run) -> Spent:
    return spent_of(project, run.id, rates_of(project, run.id, state.home()))


def show(project: Project, run: Run) -> None:
    """Fields with higher limits filled in, and the buttons that go on or leave it."""
    caps, spent = load_caps(project, run.id), _spent(project, run)
    reached = frozenset(limit.of for limit in reached_limits(caps, spent))
    standing = _Standing(caps=caps, spent=spent, reached=reached, forecast=runfigures.forecast_of(project, run))
    money, tokens = _fields(run, standing)
    st.caption(HINT)
    access.ask_for_keys(project, run.id, "paused-key")
    with st.container(horizontal=True):
        on = st.button("Go on", type="primary", icon=":material/play_arrow:", help="What is done is not paid again.")
        left = run.state is RunState.PAUSED and st.button("Leave it", help="It stays as it is; you can go on later.")
    with shown():
        if on:
            raised = replace(caps, money=money, tokens=tokens)
            jobs.raise_caps(project, run.id, raised, home=state.home())
            access.carry_on(project, run)
        if left:
            jobs.leave(project, run.id)
        if on or left:
            st.rerun()


def _fields(run: Run, standing: _Standing) -> tuple[float | None, int | None]:
    """The limits in money and tokens as they are to be; one that is not reached stays as it was."""
    caps, forecast = standing.caps, standing.forecast
    places = iter(st.columns(2))
    money, tokens = caps.money, caps.tokens
    if money is not None:
        field = Field(
            label="Pause when this much is spent", key=f"raise-money-{run.id}-{money}", help=_money_help(standing)
        )
        left = forecast.left.likely if forecast.left else 0.0
        if Capped.MONEY in standing.reached:
            money = _higher(money, standing.spent.money or 0.0, left)
        money = field.money(next(places), caps.currency, money)
    if tokens is not None:
        field = Field(
            label="Pause after this many tokens", key=f"raise-tokens-{run.id}-{tokens}", help=_tokens_help(standing)
        )
        if Capped.TOKENS in standing.reached:
            tokens = round(_higher(tokens, standing.spent.tokens, forecast.tokens_left.likely))
        tokens = field.tokens(next(places), tokens)
    return money, tokens


def _money_help(standing: _Standing) -> str:
    spent, left = standing.spent.money, standing.forecast.left
    if spent is None or left is None:
        return "Empty: no limit."
    amounts = likely_money(spent + left.low, spent + left.likely, spent + left.high, plain(left.currency))
    return f"The whole run will likely cost {amounts}. Empty: no limit."


def _tokens_help(standing: _Standing) -> str:
    whole = standing.forecast.tokens_left.plus_kept(standing.spent.tokens)
    return f"The whole run will likely use {likely(whole)}. Empty: no limit."


def _higher(cap: float, spent: float, left: float) -> float:
    """A limit that will likely do, in two figures, rounded up."""
    wanted = max(cap * 1.25, spent + left * _ROOM)
    unit = 10.0 ** (floor(log10(wanted)) - 1)
    return round(ceil(wanted / unit) * unit, 6)

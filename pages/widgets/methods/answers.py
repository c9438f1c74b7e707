"""The answers of all methods side by side, each with what it cost and what a judge said."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.methods.fates import Reach
from pages.widgets.methods.figures import verdict_in_words
from pages.widgets.methods.items import told
from pages.widgets.methods.results import Shown
from pages.widgets.sidebar import STATE_WORDS
from pages.widgets.words import count, money, round_figure
from r3con_core.runs import Run

WIDTH, TALL = 390, 330
"""In pixels: two boxes stand beside one another in a window of 1280."""
MOST_OTHERS = 4
"""Links to other runs of a method; the sidebar has all."""
_COLOURS = {"✓": "green", "◐": "orange", "✗": "red"}


def show(shown: Sequence[Shown]) -> None:
    """A box for each that has ended, as many in a line as the window has room for; how far others are stands elsewhere."""
    ended = [one for one in shown if not one.result.run.state.active]
    with st.container(horizontal=True, gap="small"):
        for one in ended:
            with st.container(border=True, width=WIDTH, height=TALL, gap="xsmall"):
                _box(one)
    if waited := [one.name for one in shown if one not in ended]:
        st.caption(f":material/hourglass_top: No answer yet: {plain(' · '.join(waited))}")


def _box(one: Shown) -> None:
    found = one.result
    st.markdown(f"**{plain(one.name)}** {verdict_badge(one)}")
    st.caption(_took(one))
    if found.answer is not None:
        st.markdown(told(found.answer.text, most=4_000))
    elif found.fault:
        st.markdown(f":orange[:material/error: {plain(found.fault)}]")
    else:
        st.markdown(f":gray[No answer yet: {STATE_WORDS[found.run.state]}]")
    if found.judged is not None:
        st.caption(f":material/gavel: {plain(found.judged.verdict.reason)}")
    if one.fates and found.answer is not None:
        said = sum(fate.reach is Reach.ANSWER for fate in one.fates)
        st.caption(f":material/flag: says {said} of {count(len(one.fates), 'expected fact')}")
    with st.container(horizontal=True, gap="small"):
        state.page_link("answer", "Open the run", run=found.run.id)
        state.page_link("calls", "Its calls", run=found.run.id)
        if found.judged is not None:
            state.page_link("calls", "The judge", run=found.judged.judged_by)
    if found.others:
        _others(found.others)


def _others(runs: Sequence[Run]) -> None:
    """Buttons that put another run of the method in place of this one."""
    st.caption(
        f":material/history: {count(len(runs), 'other run')} for this question; choose one to see it here instead."
    )
    with st.container(horizontal=True, gap="small"):
        for run in runs[:MOST_OTHERS]:
            made = datetime.fromisoformat(run.created).astimezone()
            label = f"{made:%-d %b, %H:%M}: {STATE_WORDS[run.state]}"
            st.button(label, key=f"instead-{run.id}", on_click=state.set_place, kwargs={"run": run.id}, type="tertiary")


def verdict_badge(one: Shown) -> str:
    """The judge's word as a sign with words."""
    words = verdict_in_words(one)
    colour = _COLOURS.get(words[0], "gray")
    return f":{colour}-badge[{words}]" if one.result.verdict else ""


def _took(one: Shown) -> str:
    found = one.result
    spent = [plain(money(found.cost.amount, found.cost.currency))] if found.cost and found.cost.amount else []
    tokens = round_figure(found.tokens.prompt + found.tokens.output)
    return " · ".join([*spent, count(found.calls, "call"), f"{tokens} tokens"])

"""The answers of all methods side by side, each with what it cost and what a judge said."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.methods.fates import Reach
from pages.widgets.methods.figures import verdict_in_words
from pages.widgets.methods.items import told
from pages.widgets.methods.results import Shown
from pages.widgets.sidebar import STATE_WORDS
from pages.widgets.words import count, money, round_figure

WIDTH, TALL = 400, 330
_COLOURS = {"✓": "green", "◐": "orange", "✗": "red"}


def show(shown: Sequence[Shown]) -> None:
    """A box for each, as many in a line as the window has room for."""
    with st.container(horizontal=True, gap="small"):
        for one in shown:
            with st.container(border=True, width=WIDTH, height=TALL, gap="xsmall"):
                _box(one)


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
    if found.verdict is not None:
        st.caption(f":material/gavel: {plain(found.verdict.reason)}")
    if one.fates and found.answer is not None:
        said = sum(fate.reach is Reach.ANSWER for fate in one.fates)
        st.caption(f":material/flag: says {said} of {count(len(one.fates), 'expected fact')}")
    with st.container(horizontal=True, gap="small"):
        state.page_link("answer", "Open the run", run=found.run.id)
        state.page_link("calls", "Its calls", run=found.run.id)


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

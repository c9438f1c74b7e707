"""The test of a connection, what it finds taken over into the form, and what earlier calls told about an endpoint."""

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from pages.widgets.words import date_in_words
from r3con_core.jobs import ModelChoice
from r3con_core.models import Endpoint, JsonMode, Learnt, forget_learnt, load_learnt
from r3con_core.models.probe import Probe, Verdict, probe_connection
from r3con_core.runs import SMALLEST_WINDOW

_SIGNS = {
    Verdict.GOOD: ":green[:material/check_circle:]",
    Verdict.NOTE: ":orange[:material/info:]",
    Verdict.BAD: ":red[:material/cancel:]",
}
_MODES = {
    JsonMode.SCHEMA: "replies held to their shape (JSON schema)",
    JsonMode.OBJECT: "replies held only to be JSON; their shape is asked for in words and checked",
    JsonMode.WORDS: "the shape of replies is asked for in words and checked",
}


def show(name: str, choice: ModelChoice) -> None:
    """The button that tests the model chosen in the form `name`, what came of the last test, and what is known."""
    endpoint = choice.endpoint()
    if st.button("Test connection", key=f"{name}-test", icon=":material/network_check:"):
        with st.spinner(f"Asking {plain(choice.host)}"), shown():
            key = access.key_of(choice.base_url)
            letters = key.letters if key else ""
            _tests(name)[_of(endpoint)] = probe_connection(endpoint, letters, home=state.home())
            st.session_state[f"{name}-tested"] = _of(endpoint)
            st.rerun()
    probe = _tests(name).get(_of(endpoint))
    if probe is not None:
        _show_probe(probe)
    _show_learnt(name, endpoint)


def found_window(name: str, endpoint: Endpoint) -> int | None:
    """The window that the test just made has found, once: to be filled in."""
    if st.session_state.pop(f"{name}-tested", None) != _of(endpoint):
        return None
    return _tests(name)[_of(endpoint)].window


def _tests(name: str) -> dict[str, Probe]:
    """What came of the tests in this tab, by endpoint and model."""
    tests: dict[str, Probe] = st.session_state.setdefault(f"{name}-tests", {})
    return tests


def _of(endpoint: Endpoint) -> str:
    return f"{endpoint.base_url} {endpoint.model}"


def _show_probe(probe: Probe) -> None:
    """What was tried, in order, and what came of it."""
    with st.container(border=True, gap="xsmall"):
        st.markdown("**The connection works**" if probe.works else "**The connection does not work**")
        for finding in probe.findings:
            text = finding.text if not finding.text.startswith("this ") else f"T{finding.text[1:]}"
            st.markdown(f"{_SIGNS[finding.verdict]} {plain(text)}")
        if probe.window is not None and probe.window < SMALLEST_WINDOW:
            st.warning(
                f"These {probe.window:,} tokens are too few: runs need {SMALLEST_WINDOW:,} or more. Start the server "
                "with a larger window, or choose another model.",
                icon=":material/warning:",
            )
        elif probe.window is not None:
            st.caption(
                f"The context window above has been set to these {probe.window:,} tokens. Change it there to use fewer."
            )


def _show_learnt(name: str, endpoint: Endpoint) -> None:
    """How the endpoint wants to be asked, as earlier calls told, and a way to find it out anew."""
    learnt = load_learnt(state.home(), endpoint)
    if learnt == Learnt():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Known from {date_in_words(learnt.on)}: {learnt_in_words(learnt)}.", width="content")
        st.button(
            "Forget",
            key=f"{name}-forget",
            type="tertiary",
            help="It is then found out anew, with the next test or run.",
            on_click=forget_learnt,
            args=(state.home(), endpoint),
        )


def learnt_in_words(learnt: Learnt) -> str:
    """Such as "window 32,768 tokens; replies held to their shape (JSON schema)"."""
    dialect = learnt.dialect
    window = [f"window {learnt.window:,} tokens"] if learnt.window else []
    thinks = ["it thinks before it replies, so replies get more room"] if dialect.room > 1 else []
    return "; ".join([*window, _MODES[dialect.mode], *thinks])

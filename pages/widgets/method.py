"""How a question is worked on: rounds of reading, mode of reasoning, with or without a stop at the schema."""

import streamlit as st

from pages.widgets.errors import plain
from r3con_core import sandbox
from r3con_core.answers import Mode
from r3con_core.jobs import RunChoices
from r3con_core.runs import DEFAULT_ROUNDS, MAX_ROUNDS

MODES = {
    Mode.CODING: "The model writes Python that counts, sums and follows links over all records. "
    "Every step can be read and run again.",
    Mode.DIRECT: "The model answers from the records in one go. Faster, but it counts in its head.",
}


@st.cache_resource(ttl=600)
def why_no_code() -> str:
    """Empty when generated code can be run safely here; looked at once, since it starts a process."""
    return sandbox.code_can_run()


def choose(remembered: RunChoices | None) -> tuple[int, Mode, bool]:
    """Rounds, mode of reasoning, and whether to go through without stopping at the schema."""
    left, right = st.columns(2, gap="large")
    rounds = left.slider(
        "Rounds of reading",
        1,
        MAX_ROUNDS,
        remembered.rounds if remembered else DEFAULT_ROUNDS,
        key="rounds",
        persist_state="session",
        help="In each round after the first, every document is read again by a reader who knows what the others "
        "say. Two are usually enough; each costs as much as the first.",
    )
    through = left.toggle(
        "Go straight through",
        remembered.straight_through if remembered else False,
        key="through",
        persist_state="session",
        help="Otherwise the run stops once for you: you check the proposed schema, change it if needed, and accept it.",
    )
    fault = why_no_code()
    modes = list(MODES)
    with right:
        mode = st.radio(
            "Reasoning",
            modes,
            index=modes.index(Mode.DIRECT if fault else remembered.mode if remembered else Mode.CODING),
            format_func=lambda one: one.value.capitalize(),
            captions=list(MODES.values()),
            key="mode",
            persist_state="session",
            disabled=bool(fault),
        )
        if fault:
            st.info(plain(fault), icon=":material/shield:")
    return rounds, Mode.DIRECT if fault else mode, through

"""How a question is worked on: rounds of reading, mode of reasoning, order of prompts, a stop at the schema or none."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets.walls import say_no_code, why_no_code
from r3con_core.answers import Mode
from r3con_core.jobs import RunChoices
from r3con_core.runs import DEFAULT_ROUNDS, MAX_ROUNDS, Layout

MODES = {
    Mode.CODING: "The model writes Python that counts, sums and follows links over all records. "
    "Every step can be read and run again.",
    Mode.DIRECT: "The model answers from the records in one go. Faster, but it counts in its head.",
}
LAYOUTS = {
    Layout.SHARED: "So that servers read less (recommended)",
    Layout.PAPER: "As in the paper",
}
LAYOUT_NOTES = {
    Layout.SHARED: "What many calls have in common stands first. Servers that keep what they have just read charge a "
    "fraction for it, and answer sooner.",
    Layout.PAPER: "The other documents' snippets in the order of the documents, then the document. For comparing with "
    "published results; it costs more.",
}

NO_RELEVANCE, NO_STRUCTURE = "Relevance", "Structure"
LEFT_OUT = {
    "Nothing": "All stages, as the method is meant.",
    NO_RELEVANCE: "No rounds of reading: the schema comes from the question alone, and each document is parsed without "
    "knowing what the others say.",
    NO_STRUCTURE: "No schema and no records: the answer is reasoned from the documents' snippets alone, and no sentence "
    "can name a record that proves it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What is chosen here of a run."""

    rounds: int
    mode: Mode
    straight_through: bool
    between_rounds: bool
    layout: Layout
    relevance: bool = True
    structure: bool = True
    """False: the stage is left out."""


def choose(remembered: RunChoices | None) -> Method:
    """The method, as it was chosen last at first."""
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
    between = left.checkbox(
        "Stop after every round so that I can steer",
        remembered.between_rounds if remembered else False,
        key="between",
        persist_state="session",
        disabled=rounds < 2,
        help="You look at what the documents said, correct or pin it, take documents out, or give the readers of the "
        "next round a hint; then you let it go on. You can also do so when all rounds are read.",
    )
    mode = _mode(right, remembered.mode if remembered else Mode.CODING)
    with st.expander("Order of prompts", icon=":material/reorder:"):
        layout = _layout(remembered.layout if remembered else Layout.SHARED)
    relevance, structure = _ablation()
    return Method(
        rounds=rounds,
        mode=mode,
        straight_through=through,
        between_rounds=between and rounds > 1,
        layout=layout,
        relevance=relevance,
        structure=structure,
    )


def _ablation() -> tuple[bool, bool]:
    """Whether to read for relevance, and to make records: always, but for experiments."""
    with st.expander("Leave out a stage (for experiments)", icon=":material/science:"):
        st.caption(
            "To see what a stage is worth, as in the paper that the method comes from. The answers are usually worse. "
            "With an answer at hand, the page Compare leaves a stage out of the same run for less."
        )
        left_out = st.radio(
            "Left out",
            list(LEFT_OUT),
            captions=list(LEFT_OUT.values()),
            key="left-out",
            persist_state="session",
            label_visibility="collapsed",
        )
    return left_out != NO_RELEVANCE, left_out != NO_STRUCTURE


def _mode(place: DeltaGenerator, start: Mode) -> Mode:
    fault = why_no_code()
    modes = list(MODES)
    with place:
        mode = st.radio(
            "Reasoning",
            modes,
            index=modes.index(Mode.DIRECT if fault else start),
            format_func=lambda one: one.value.capitalize(),
            captions=list(MODES.values()),
            key="mode",
            persist_state="session",
            disabled=bool(fault),
        )
        if fault:
            say_no_code(fault)
    return Mode.DIRECT if fault else mode


def _layout(start: Layout) -> Layout:
    st.caption("Every call holds the same text in either order; only what it costs differs, and the model's wording.")
    layouts = list(LAYOUTS)
    return st.radio(
        "Order of what a prompt holds",
        layouts,
        index=layouts.index(start),
        format_func=LAYOUTS.__getitem__,
        captions=list(LAYOUT_NOTES.values()),
        key="layout",
        persist_state="session",
        label_visibility="collapsed",
    )

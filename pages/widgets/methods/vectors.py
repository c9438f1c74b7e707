"""Which model makes vectors of texts, for methods that search by meaning."""

import streamlit as st

from r3con_core.jobs import EMBEDDED, LOCAL_CHOICE, ModelChoice, RunChoices

_HELP = (
    "Some methods search by meaning: each passage becomes a row of numbers (a vector), and near rows are alike. Name a "
    "model for that as your server lists it, such as text-embedding-3-small, to have them made there. Its texts go to "
    "the same address as all others."
)


def choose(reading: ModelChoice) -> ModelChoice | None:
    """The model at the reading model's address that a person names; None: vectors are made on this computer."""
    if reading.base_url == EMBEDDED:
        return None
    name = st.text_input(
        "Model for vectors at the same address", key="methods-vectors", placeholder="empty: made here", help=_HELP
    )
    if name.strip():
        return ModelChoice(
            model=name.strip(), base_url=reading.base_url, window=reading.window, workers=reading.workers
        )
    made = RunChoices(reading=reading, method="").vectors
    how = f"by {LOCAL_CHOICE.model}" if made else "by their words alone, since no model for it is installed"
    st.caption(f"Vectors of texts are made on this computer, {how}; nothing is sent for it.")
    return None

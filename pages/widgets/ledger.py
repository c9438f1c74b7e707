"""The ledger: what became of every file that was given."""

from collections import Counter

import pandas as pd
import streamlit as st

from pages.widgets.tables import to_csv
from pages.widgets.words import count
from r3con_core.store.documents import LedgerEntry, list_ledger
from r3con_core.store.project import Project

ALL = "all"


def entries(project: Project) -> tuple[LedgerEntry, ...]:
    """Every line, oldest first."""
    return list_ledger(project)


def show(project: Project) -> None:
    """Counts that filter, the lines, and a file of them."""
    lines = entries(project)
    st.caption(
        "One line for every file and every file inside another, whatever became of it, so that nothing is missed."
    )
    counts = Counter(line.outcome for line in lines)
    chosen = st.pills(
        "What became of it",
        [ALL, *counts],
        format_func=lambda one: f"{one} ({len(lines) if one == ALL else counts[one]:,})",
        default=ALL,
        required=True,
        key="ledger-outcome",
    )
    rows = [
        {
            "File": line.path,
            "Outcome": line.outcome,
            "Why": line.reason,
            "When (UTC)": line.loaded[:16].replace("T", " "),
        }
        for line in lines
        if chosen in (ALL, line.outcome)
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["File", "Outcome", "Why", "When (UTC)"]),
        hide_index=True,
        height=min(35 * (len(rows) + 1) + 3, 480),
        alt="What became of every file",
        column_config={
            "File": st.column_config.TextColumn(width=280),
            "Outcome": st.column_config.TextColumn(width=130),
            "Why": st.column_config.TextColumn(width=270),
        },
    )
    st.download_button(
        f"Download {count(len(rows), 'line')} as CSV",
        to_csv(rows),
        "ledger.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )

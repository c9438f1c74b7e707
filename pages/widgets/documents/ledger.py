"""The ledger: what became of every file that was given."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.words import count, file_size, kind_of
from r3con_core.exports.ledger import export_ledger
from r3con_core.readers import Outcome
from r3con_core.store.documents import LedgerEntry

ALL = "all"
EVERYWHERE = "all folders"
OPEN_COLUMN = "open-ledger-line"
_INSIDE = " > "
MOST_FOLDERS = 500


def show(lines: Sequence[LedgerEntry]) -> None:
    """Counts that add up and filter, the lines, and a file of them."""
    if not lines:
        st.info("Nothing was added yet. Every file that is will have a line here, whatever becomes of it.")
        return
    st.caption(
        "One line for every file and every file inside another, whatever became of it, so that nothing is missed."
    )
    counts = Counter(line.outcome for line in lines)
    st.markdown(adding_up(lines, counts))
    chosen = _chosen(lines, counts)
    _table(chosen)
    st.download_button(
        f"Download {count(len(chosen), 'line')} as CSV",
        lambda: export_ledger(chosen),
        "ledger.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def adding_up(lines: Sequence[LedgerEntry], counts: Counter[str]) -> str:
    """Such as "5 files found, 2 of them inside others: 3 read + 1 duplicate + 1 refused = 5.", as Markdown."""
    inside = sum(1 for line in lines if _INSIDE in line.path)
    told = " + ".join(f"{counts[outcome]:,} {outcome}" for outcome in _ordered(counts))
    within = f", {inside:,} of them inside others" if inside else ""
    return f"**{count(len(lines), 'file')} found**{within}: {told} = {sum(counts.values()):,}."


def _ordered(counts: Counter[str]) -> list[str]:
    """The outcomes there are, in the order of the vocabulary, then any others."""
    known = [outcome.value for outcome in Outcome if counts[outcome.value]]
    return known + [outcome for outcome in counts if outcome not in known]


def folder_of(path: str) -> str:
    """The folder on disk of a file, or of the file that it lies in; "" for one that was given by itself."""
    return path.partition(_INSIDE)[0].rpartition("/")[0]


def _chosen(lines: Sequence[LedgerEntry], counts: Counter[str]) -> list[LedgerEntry]:
    outcome = st.pills(
        "What became of it",
        [ALL, *_ordered(counts)],
        format_func=lambda one: f"{one} ({len(lines) if one == ALL else counts[one]:,})",
        default=ALL,
        required=True,
        key="ledger-outcome",
    )
    folders = sorted({folder_of(line.path) for line in lines} - {""})[:MOST_FOLDERS]
    text_at, folder_at = st.columns([2, 1])
    words = text_at.text_input("Words in its path or in why", key="ledger-words", placeholder="such as: password")
    folder = EVERYWHERE
    if folders:
        folder = folder_at.selectbox("Folder", [EVERYWHERE, *folders], key="ledger-folder")
    sought = words.casefold().split()
    return [
        line
        for line in lines
        if outcome in (ALL, line.outcome)
        and (folder == EVERYWHERE or f"{line.path}/".startswith(f"{folder}/"))
        and all(word in f"{line.path} {line.reason}".casefold() for word in sought)
    ]


def _table(lines: list[LedgerEntry]) -> None:
    if not lines:
        st.info("No line is like that. Choose another outcome or folder, or fewer words.", icon=":material/filter_alt:")
        return

    def open_clicked() -> None:
        line = lines[st.session_state[OPEN_COLUMN]["row"]]
        if line.document_id:
            state.open_document(line.document_id)

    st.dataframe(
        pd.DataFrame([_row(line) for line in lines]),
        hide_index=True,
        placeholder="",
        height=min(35 * (len(lines) + 1) + 3, 480),
        alt="What became of every file",
        column_config={
            "": st.column_config.ButtonColumn(
                "", width=60, type="tertiary", on_click=open_clicked, key=OPEN_COLUMN, help="Read the document"
            ),
            "File": st.column_config.TextColumn(width=300),
            "Outcome": st.column_config.TextColumn(width=130),
            "Why": st.column_config.TextColumn(width=300),
            "Pages": st.column_config.TextColumn(width=90, help="Read, of those the file has"),
            "SHA-256": st.column_config.TextColumn(width=120, help="Of the bytes as they were found"),
        },
    )


def _row(line: LedgerEntry) -> dict[str, object]:
    return {
        "": "Read" if line.document_id else None,
        "File": line.path,
        "Outcome": line.outcome,
        "Why": line.reason,
        "Pages": f"{line.pages_read:,} of {line.pages:,}" if line.pages else "",
        "Type": kind_of(line.media_type) if line.media_type else "",
        "Size": file_size(line.size) if line.size is not None else "",
        "SHA-256": line.sha256,
        "When (UTC)": line.loaded[:16].replace("T", " "),
    }

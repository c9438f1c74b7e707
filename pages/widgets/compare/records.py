"""The records of two runs, cell by cell, as one table."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.compare.answers import verdicts_in_words
from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.comparing.alignment import CellPair, RecordPair, Verdict
from r3con_core.comparing.runs import Comparison, cell_verdicts
from r3con_core.records import Value
from r3con_core.runs import Run
from r3con_core.views.tables import flat, in_words

MOST_ROWS = 20_000
"""Rows that are sent to the browser."""
SIGNS = {Verdict.AGREE: "✓", Verdict.DIFFER: "≠", Verdict.LEFT: "◐", Verdict.RIGHT: "◑"}
HELP = (
    "A record of the first run and one of the second are the same when they come from the same document, are of the same "
    "type, and their quotes overlap or most of their values are equal. Capitals, typography and the way a number is "
    "written do not count. Records set aside or rejected are left out."
)


def show(found: Comparison, runs: tuple[Run, Run], titles: dict[str, str]) -> None:
    """The table; `titles`: of documents, by id."""
    if not found.records:
        st.info("Neither run has records of the documents that both have.", icon=":material/info:")
        return
    st.markdown(f"**{records_in_words(found)}**", help=HELP)
    with st.container(horizontal=True, vertical_alignment="center"):
        only = st.toggle("Only what differs", value=True, key="compare-only")
        types = list(dict.fromkeys(pair.either.type for pair in found.records))
        wanted = (
            st.pills("Record type", types, selection_mode="multi", format_func=plain, key="compare-types")
            if len(types) > 1
            else []
        )
    rows = list(_rows(found, runs, titles, only=only, types=frozenset(wanted or types)))
    if not rows:
        st.success("The records agree in every cell.", icon=":material/check_circle:")
        return
    if len(rows) > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS:,} of {len(rows):,} cells. Choose one record type to see the rest.")
    _table(rows[:MOST_ROWS])


def _table(rows: list[dict[str, object]]) -> None:
    open_first = st.column_config.LinkColumn(
        "In the first", display_text=":material/open_in_new:", width=80, help="Opens the record with its quotes."
    )
    open_second = st.column_config.LinkColumn("In the second", display_text=":material/open_in_new:", width=90)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(38 + 35 * len(rows), 520),
        column_config={
            "State": st.column_config.TextColumn(width=150),
            "In the first": open_first,
            "In the second": open_second,
        },
        alt="The cells of both runs' records, with whether they agree",
        key="compare-records",
    )


def _rows(
    found: Comparison, runs: tuple[Run, Run], titles: dict[str, str], *, only: bool, types: frozenset[str]
) -> Iterator[dict[str, object]]:
    for pair in found.records:
        if pair.either.type not in types or (only and pair.verdict is Verdict.AGREE):
            continue
        places = {
            "Document": titles.get(pair.either.document_id, ""),
            "In the first": _url(runs[0], pair.left.id if pair.left else None),
            "In the second": _url(runs[1], pair.right.id if pair.right else None),
        }
        for cell, verdict in zip(pair.cells, cell_verdicts(pair), strict=True):
            if not only or verdict is not Verdict.AGREE:
                yield {**_cell_row(pair, cell, verdict), **places}


def _cell_row(pair: RecordPair, cell: CellPair, verdict: Verdict) -> dict[str, object]:
    return {
        "State": f"{SIGNS[verdict]} {verdict.value}",
        "Record": pair.either.type,
        "Field": cell.name.replace("_", " "),
        "First": value_in_words(cell.left),
        "Second": value_in_words(cell.right),
    }


def value_in_words(value: Value) -> str:
    """A value as a table shows it; "" for none."""
    return "" if value is None else in_words(flat(value))


def _url(run: Run, record_id: str | None) -> str | None:
    return state.url("data", run=run.id, record=record_id) if record_id else None


def records_in_words(found: Comparison) -> str:
    """Such as "5 of 7 records agree, 1 differs, 1 is only in the first; 94 % of 42 cells agree"."""
    told = verdicts_in_words(Counter(pair.verdict for pair in found.records), count(len(found.records), "record"))
    cells = found.cells
    return f"{told}; {cells[Verdict.AGREE] / max(cells.total(), 1):.0%} of {cells.total():,} cells agree"

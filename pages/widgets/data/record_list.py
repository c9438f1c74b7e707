"""Some records in a short table; a pressed row opens its record."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets import evidence
from pages.widgets.evidence import LOOKS, Found
from r3con_core.records import Record
from r3con_core.views.tables import flat, in_words, weakest_proof

MOST = 1_000
"""Rows; the tables have them all."""


def show(found: Found, record_ids: Sequence[str], *, key: str, why: Mapping[str, str] | None = None) -> None:
    """The records in their order; `why` says of each what it has to do with this place."""
    shown = record_ids[:MOST]
    key = f"{key}-{hash(tuple(shown))}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells and cells[0][0] < len(shown):
            evidence.show_record(shown[cells[0][0]])

    st.dataframe(
        [_line(found, found.data.get(record_id), (why or {}).get(record_id)) for record_id in shown],
        key=key,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        height=35 * (min(len(shown), 5) + 1) + 3,
        alt="Records; choose one to see its proof below",
        column_config={
            "Record": st.column_config.TextColumn(width=65, pinned=True),
            "Quote": st.column_config.TextColumn(width=420),
            "Quotes": st.column_config.TextColumn(width=150),
        },
    )
    if len(record_ids) > MOST:
        st.caption(f"The first {MOST:,} of {len(record_ids):,}; the tables have them all.")


def _line(found: Found, record: Record, why: str | None) -> dict[str, object]:
    proof = weakest_proof(record)
    quote = record.evidence[0].quote if record.evidence else ""
    return {
        "Record": found.data.label(record.id),
        **({"Why": why} if why is not None else {}),
        "What": name_of(found, record),
        "Quote": " ".join(quote.split()),
        "Quotes": f"{LOOKS[proof].sign} {proof.value}",
        "Certainty": record.certainty.value,
        "Document": document_of(found, record),
    }


def name_of(found: Found, record: Record) -> str:
    """What a record calls itself, after its type: "Launch: Petrel"."""
    value = record.values.get(found.data.schema.get(record.type).label)
    told = short(in_words(flat(value)), 80)
    return f"{record.type}: {told}" if told else record.type


def document_of(found: Found, record: Record) -> str:
    """Number and title of its document."""
    return f"{found.numbers[record.document_id]} · {found.titles[record.document_id]}"


def short(text: str, most: int) -> str:
    """`text` in one line of at most so many letters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"

"""Where documents contradict each other on one thing: the values side by side, none of them overwritten."""

import streamlit as st

from pages.widgets import evidence
from pages.widgets.data.record_cells import value_words
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.checks.conflicts import CERTAINTY, Conflict, Reading, denials
from r3con_core.records import Record
from r3con_core.views.tables import weakest_proof

AT_ONCE = 20
MOST_RECORDS = 4
EXPLANATION = (
    "Records of one type and one name, from different documents, that give different values for a field that has one, or "
    "of which one denies what the other states. Nothing is overwritten: the answer's code sees all of them. Other "
    "typography, or a date that only says more, is no conflict. Which value holds is yours to decide: open a record to "
    "edit or reject it."
)


def show(found: Found) -> None:
    """All conflicts of the run, then what is denied without a record of the same name."""
    with st.spinner("Comparing records", show_time=True):
        conflicts = found.conflicts
    denied = once(found, "denials", lambda: denials(found.data))
    if not conflicts:
        st.info(
            "No contradiction was found between records of one name from different documents.",
            icon=":material/handshake:",
        )
    else:
        st.markdown(f"**{count(len(conflicts), 'conflict')}** between documents", help=EXPLANATION)
    for number, conflict in enumerate(_page(conflicts)):
        _show_conflict(found, conflict, f"conflict-{number}")
    if denied:
        st.markdown(
            "**Denied, with no record of the same name that states it**",
            help="A denial of many things at once names none of them, so it is set beside no single record.",
        )
        for record in denied[:AT_ONCE]:
            _show_record(found, record, "denied")


def _page(conflicts: tuple[Conflict, ...]) -> tuple[Conflict, ...]:
    if len(conflicts) <= AT_ONCE:
        return conflicts
    types = list(dict.fromkeys(one.record_type for one in conflicts))
    chosen = st.pills("Record types", types, selection_mode="multi", format_func=plain, key="conflict-types")
    kept = tuple(one for one in conflicts if not chosen or one.record_type in chosen)
    pages = -(-len(kept) // AT_ONCE)
    page = st.number_input(f"Page, of {pages}", 1, max(pages, 1), 1, key="conflict-page", width=140) if pages > 1 else 1
    return kept[(page - 1) * AT_ONCE : page * AT_ONCE]


def _show_conflict(found: Found, conflict: Conflict, key: str) -> None:
    with st.container(border=True, gap="small", key=key):
        what = "stated and doubted" if conflict.field == CERTAINTY else plain(conflict.field)
        st.markdown(
            f":orange[:material/call_split:] **{plain(conflict.name)}** · {what} :gray[{plain(conflict.record_type)}]"
        )
        columns = st.columns(min(len(conflict.readings), 3), gap="medium")
        for at, reading in enumerate(conflict.readings):
            with columns[at % len(columns)]:
                _show_reading(found, reading, key)


def _show_reading(found: Found, reading: Reading, key: str) -> None:
    documents = {found.data.get(one).document_id for one in reading.record_ids}
    st.markdown(f"##### {plain(value_words(reading.value))}")
    st.caption(f"{count(len(reading.record_ids), 'record')} in {count(len(documents), 'document')}")
    for record_id in reading.record_ids[:MOST_RECORDS]:
        _show_record(found, found.data.get(record_id), key)
    if more := reading.record_ids[MOST_RECORDS:]:
        st.caption(f"and {', '.join(map(found.data.label, more[:20]))}")


def _show_record(found: Found, record: Record, key: str) -> None:
    said = f", said by {plain(record.said_by)}" if record.said_by else ""
    look = LOOKS[weakest_proof(record)]
    with st.container(gap="xxsmall"):
        st.button(
            f"{found.data.label(record.id)} · {plain(found.document_name(record.document_id))}",
            key=f"{key}-{record.id}",
            type="tertiary",
            icon=look.icon,
            help="Opens the record and its place below.",
            on_click=evidence.show_record,
            args=(record.id,),
        )
        quote = record.evidence[0].quote if record.evidence else ""
        st.markdown(f"> \u2068{plain(' '.join(quote.split()))}\u2069" if quote else "> (no quote)")
        st.caption(f"{record.certainty.value}{said}")

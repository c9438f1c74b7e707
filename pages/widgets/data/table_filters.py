"""What to look for in a table of records: words, and filters behind a button that says how many are on."""

from collections.abc import Mapping

import streamlit as st

from pages.widgets import evidence
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from pages.widgets.worked_out import once
from r3con_core.records import Certainty
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType
from r3con_core.views.table_search import ColumnFilter, Presence, Search, range_of, values_in
from r3con_core.views.tables import Origin, Proof, Table

MOST_VALUES = 200
"""Of a column, to choose from a list; columns with more are searched by words."""
NUMBERS = (ScalarType.NUMBER, ScalarType.INTEGER)
CERTAINTY_HELP = (
    "How the document puts it: stated as a fact, alleged by somebody, denied, or inferred from what it says."
)
PROOF_HELP = (
    "Every record has quotes that were looked for in its document. A record counts as its least well found quote."
)
ORIGIN_HELP = (
    "Records that people corrected, added, rejected, merged or split. "
    "What the model said is kept: see the page Changes."
)
COUNTING_HELP = (
    "The answer is reasoned from records that count. Those set aside for want of proof do not, nor those that a person "
    "rejected, merged into another or split."
)
SIGNS: Mapping[Origin, str] = {
    Origin.MODEL: "",
    Origin.CHANGED: "✎",
    Origin.ADDED: "✚",
    Origin.REJECTED: "⊘",
    Origin.MERGED: "⇒",
    Origin.SPLIT: "⑂",
}
"""Beside the words, so that neither colour nor sign stands alone."""


def ask(found: Found, record_type: RecordType, table: Table) -> Search:
    """The search that the widgets make; to be called inside a row."""
    kind = record_type.name
    words = st.text_input(
        f"Find in {plain(kind)}",
        key=f"find-{kind}",
        type="search",
        label_visibility="collapsed",
        placeholder="Find in values and quotes",
        width=230,
        persist_state="session",
    )
    on = filters_on(kind)
    with (
        st.popover(f"Filter ({on})" if on else "Filter", icon=":material/filter_list:", key=f"filter-{kind}"),
        st.container(width=460),
    ):
        return _ask_more(found, record_type, table, words or "")


def filters_on(kind: str) -> int:
    """How many filters of a record type's table are set."""
    names = ("proofs", "certainties", "documents", "origins", "aside", "counting", "filtered-columns")
    return sum(bool(st.session_state.get(f"{name}-{kind}")) for name in names)


def _ask_more(found: Found, record_type: RecordType, table: Table, words: str) -> Search:
    kind = record_type.name
    here = once(found, ("present", kind), lambda: _present(table))
    proofs = st.pills(
        "Quotes",
        [proof for proof in Proof if proof in here],
        selection_mode="multi",
        format_func=lambda proof: f"{LOOKS[proof].icon} {proof.value}",
        key=f"proofs-{kind}",
        help=PROOF_HELP,
        persist_state="session",
    )
    certainties = _ask_certainties(kind, here)
    origins = _ask_origins(kind, here)
    documents = st.multiselect(
        "Documents",
        once(found, ("documents", kind), lambda: sorted({row.document for row in table.rows})),
        format_func=lambda number: f"{number} · {found.titles_by_number[number]}",
        key=f"documents-{kind}",
        placeholder="All of them",
        select_all=False,
        persist_state="session",
    )
    counting = st.toggle(
        "Hide records that do not count", key=f"counting-{kind}", help=COUNTING_HELP, persist_state="session"
    )
    aside = st.toggle("Only those set aside", key=f"aside-{kind}", help=evidence.ASIDE_HELP, persist_state="session")
    return Search(
        words=words,
        proofs=frozenset(proofs),
        certainties=frozenset(certainties),
        documents=frozenset(documents),
        origins=frozenset(origins),
        only_set_aside=aside,
        only_counting=counting,
        columns=_ask_columns(found, record_type, table),
    )


def _ask_certainties(kind: str, here: frozenset[object]) -> list[Certainty]:
    return st.pills(
        "Certainty",
        [one for one in Certainty if one in here],
        selection_mode="multi",
        format_func=lambda one: str(one.value),
        key=f"certainties-{kind}",
        help=CERTAINTY_HELP,
        persist_state="session",
    )


def _ask_origins(kind: str, here: frozenset[object]) -> list[Origin]:
    return st.pills(
        "By whom",
        [one for one in Origin if one in here],
        selection_mode="multi",
        format_func=lambda one: f"{SIGNS[one]} {one.value}".strip(),
        key=f"origins-{kind}",
        help=ORIGIN_HELP,
        persist_state="session",
    )


def _present(table: Table) -> frozenset[object]:
    return frozenset(one for row in table.rows for one in (row.proof, row.certainty, row.origin))


def _ask_columns(found: Found, record_type: RecordType, table: Table) -> tuple[ColumnFilter, ...]:
    fields = {field.name: field for field in record_type.fields}
    chosen = st.multiselect(
        "Single columns",
        list(fields),
        key=f"filtered-columns-{table.record_type}",
        placeholder="Choose columns to filter by",
        select_all=False,
        persist_state="session",
    )
    return tuple(_ask_column(found, fields[name], table) for name in chosen)


def _ask_column(found: Found, field: Field, table: Table) -> ColumnFilter:
    """A range for numbers and dates, a choice of values where there are few, else words."""
    key = f"column-{table.record_type}-{field.name}"
    with st.container(border=True, gap="xsmall"):
        values: tuple[str, ...] = ()
        words = ""
        least: float | str | None = None
        most: float | str | None = None
        if field.kind in [Scalar(of=of) for of in NUMBERS]:
            least, most = _ask_numbers(found, field, table, key)
        elif field.kind == Scalar(of=ScalarType.DATE):
            least, most = _ask_dates(field, key)
        else:
            values, words = _ask_values(found, field, table, key)
        presence = st.selectbox(
            f"Empty cells of {plain(field.name)}",
            list(Presence),
            format_func=lambda one: str(one.value),
            key=f"{key}-presence",
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
    assert presence is not None, "one is always chosen"
    return ColumnFilter(
        column=field.name, values=frozenset(values), words=words, least=least, most=most, presence=presence
    )


def _ask_numbers(found: Found, field: Field, table: Table, key: str) -> tuple[float | None, float | None]:
    reach = once(found, ("range", table.record_type, field.name), lambda: range_of(table, field.name))
    low, high = reach or (0.0, 0.0)
    with st.container(horizontal=True, gap="small"):
        least = st.number_input(
            f"{plain(field.name)} from",
            value=None,
            key=f"{key}-least",
            placeholder=f"{low:,g}",
            persist_state="session",
        )
        most = st.number_input(
            f"{plain(field.name)} to", value=None, key=f"{key}-most", placeholder=f"{high:,g}", persist_state="session"
        )
    return least, most


def _ask_dates(field: Field, key: str) -> tuple[str | None, str | None]:
    with st.container(horizontal=True, gap="small"):
        least = st.text_input(
            f"{plain(field.name)} from", key=f"{key}-least", placeholder="such as 1931-03", persist_state="session"
        )
        most = st.text_input(
            f"{plain(field.name)} to", key=f"{key}-most", placeholder="such as 1931-04-30", persist_state="session"
        )
    return (least or "").strip() or None, (most or "").strip() or None


def _ask_values(found: Found, field: Field, table: Table, key: str) -> tuple[tuple[str, ...], str]:
    values = once(found, ("values", table.record_type, field.name), lambda: values_in(table, field.name, MOST_VALUES))
    if not values:
        told = st.text_input(f"Words in {plain(field.name)}", key=f"{key}-words", persist_state="session")
        return (), told or ""
    chosen = st.multiselect(
        plain(field.name), values, key=f"{key}-values", placeholder="All values", persist_state="session"
    )
    return tuple(chosen), ""

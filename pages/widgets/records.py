"""Records of one type as a table to search, and one record whole: its values, its quotes, its document."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from pages.widgets.words import count
from r3con_core.records import Certainty, Record, Value
from r3con_core.schemas import Field, Group, ListOf, RecordType, Scalar, ScalarType, kind_name
from r3con_core.store.project import Project
from r3con_core.tables import Proof, Row, Search, Table, find_rows, flat, in_words, to_csv, weakest_proof

ROWS_SEEN, ROWS_BESIDE = 12, 5
"""Of the table before it scrolls: alone, and with a record below it, which is to be in view too."""
CERTAINTY_HELP = (
    "How the document puts it: stated as a fact, alleged by somebody, denied, or inferred from what it says."
)
OURS = ("record", "quotes", "certainty", "said_by", "document")
"""Our own columns; no field may have these names."""
PROOF_HELP = (
    "Every record has quotes that were looked for in its document. A record counts as its least well found quote."
)


def show_table(found: Found, record_type: RecordType, table: Table) -> None:
    """The records that the search keeps; choosing one, by mouse or arrow keys, opens it below."""
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        search = _search(table, found)
    rows = find_rows(table, search)
    lines = [_line(row, record_type, found) for row in rows]
    bar.download_button(
        "CSV",
        partial(to_csv, lines),
        f"{table.record_type}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
        disabled=not rows,
        help="The records shown below, for a spreadsheet. All types at once: on the Answer page.",
    )
    _say_count(table, rows, search)
    if not rows:
        return
    key = f"records-{table.record_type}-{len(table.rows)}-{hash(search)}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells and cells[0][0] < len(rows):
            evidence.show_record(rows[cells[0][0]].record_id)

    st.dataframe(
        pd.DataFrame(lines),
        key=key,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        height=35 * (min(len(rows), ROWS_BESIDE if state.current_record_id() else ROWS_SEEN) + 1) + 3,
        placeholder="",
        alt=f"Records of type {table.record_type}",
        column_config=_columns(record_type),
    )


def _search(table: Table, found: Found) -> Search:
    """Words to look for, and filters behind a button that says how many are on."""
    kind = table.record_type
    words = st.text_input(
        f"Find in {plain(kind)}",
        key=f"find-{kind}",
        type="search",
        label_visibility="collapsed",
        placeholder="Find in values and quotes",
        width=320,
    )
    kept = [st.session_state.get(f"{name}-{kind}") for name in ("proofs", "certainties", "documents", "aside")]
    on = sum(map(bool, kept))
    with (
        st.popover(f"Filter ({on})" if on else "Filter", icon=":material/filter_list:", key=f"filter-{kind}"),
        st.container(width=420),
    ):
        proofs = st.pills(
            "Quotes",
            [proof for proof in Proof if any(row.proof is proof for row in table.rows)],
            selection_mode="multi",
            format_func=lambda proof: f"{LOOKS[proof].icon} {proof.value}",
            key=f"proofs-{kind}",
            help=PROOF_HELP,
        )
        certainties = st.pills(
            "Certainty",
            [one for one in Certainty if any(row.certainty is one for row in table.rows)],
            selection_mode="multi",
            format_func=lambda one: str(one.value),
            key=f"certainties-{kind}",
            help=CERTAINTY_HELP,
        )
        documents = st.multiselect(
            "Documents",
            sorted({row.document for row in table.rows}),
            format_func=lambda number: f"{number} · {found.titles_by_number[number]}",
            key=f"documents-{kind}",
            placeholder="All of them",
        )
        aside = st.toggle("Only those set aside", key=f"aside-{kind}", help=evidence.ASIDE_HELP)
    return Search(
        words=words or "",
        proofs=frozenset(proofs),
        certainties=frozenset(certainties),
        documents=frozenset(documents),
        only_set_aside=aside,
    )


def _say_count(table: Table, rows: Sequence[Row], search: Search) -> None:
    total, aside = len(table.rows), sum(row.set_aside for row in rows)
    told = count(total, "record") if len(rows) == total else f"{len(rows):,} of {count(total, 'record')}"
    told += f", {aside:,} of them set aside" if aside and not search.only_set_aside else ""
    if rows:
        st.caption(f"{told}. Choose one to see its proof below.")
    elif total:
        st.info("No record fits the search and the filters. Clear them to see all.", icon=":material/search_off:")
    else:
        st.info("No document has a record of this type.", icon=":material/inbox:")


def _line(row: Row, record_type: RecordType, found: Found) -> dict[str, object]:
    standing = f"{LOOKS[row.proof].sign} {row.proof.value}"
    cells = {field.name: row.cells[field.name] for field in record_type.fields}
    return {
        OURS[0]: row.label,
        OURS[1]: f"{standing}; set aside" if row.set_aside else standing,
        **{name: in_words(cell) if isinstance(cell, bool) else cell for name, cell in cells.items()},
        OURS[2]: row.certainty.value,
        OURS[3]: row.said_by,
        OURS[4]: f"{row.document} · {found.titles_by_number[row.document]}",
    }


def _columns(record_type: RecordType) -> dict[str, Any]:
    told: dict[str, Any] = {  # what st.column_config makes has no public type
        OURS[0]: st.column_config.TextColumn(width=65, pinned=True, help="Its name in answers and code."),
        OURS[1]: st.column_config.TextColumn(width=205, help=PROOF_HELP),
        OURS[2]: st.column_config.TextColumn(width=90, help=CERTAINTY_HELP),
        OURS[3]: st.column_config.TextColumn(width=130, help="Who says so in the document, where it names anybody."),
        OURS[4]: st.column_config.TextColumn(width=190),
    }
    for field in record_type.fields:
        helped = plain(f"{field.meaning} ({kind_name(field.kind)})" if field.meaning else kind_name(field.kind))
        match field.kind:
            case Scalar(of=ScalarType.NUMBER | ScalarType.INTEGER):
                told[field.name] = st.column_config.NumberColumn(help=helped, format="localized")
            case _:
                told[field.name] = st.column_config.TextColumn(help=helped)
    return told


def show_detail(project: Project, found: Found, record: Record) -> None:
    """One record: what it says and with which quotes on the left, its document at the quote on the right."""
    data = found.data
    with st.container(border=True):
        st.markdown(
            f"**{data.label(record.id)} · {plain(record.type)}** {evidence.badges(record, weakest_proof(record))}"
        )
        said = f" · said by {plain(record.said_by)}" if record.said_by else ""
        st.caption(f"Read in {plain(found.document_name(record.document_id))}{said}")
        if record.set_aside:
            st.caption(f"Set aside: {evidence.ASIDE_HELP[0].lower()}{evidence.ASIDE_HELP[1:]}")
        left, right = st.columns([2, 3], gap="medium")
        with left:
            show_values(data.schema.get(record.type).fields, record.values, frozenset(record.unsupported))
            evidence.show_quotes(project, found, record)
        with right:
            evidence.show_place(project, found, record)


def show_values(
    fields: Sequence[Field], values: Mapping[str, Value], unsupported: frozenset[str], above: str = ""
) -> None:
    """A record's values by field: single ones as a list, groups and lists of groups as a tree that opens."""
    single = [field for field in fields if not _nested(field)]
    lines = [_value_line(field, values.get(field.name), unsupported, above + field.name) for field in single]
    if lines:
        st.markdown("\n".join(lines))
    for field in fields:
        kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
        if not isinstance(kind, Group):
            continue
        value = values.get(field.name)
        path = above + field.name
        items = value if isinstance(value, list) else [value]
        filled = [(str(at), item) for at, item in enumerate(items) if isinstance(item, dict)]
        told = in_words(flat(value)) if not isinstance(value, list) else count(len(filled), "entry", "entries")
        short = told if len(told) <= 60 else f"{told[:57]}…"
        with st.expander(f"{plain(field.name)}: {plain(short) or 'not stated'}", key=f"tree-{path}", type="compact"):
            for at, item in filled:
                here = f"{path}.{at}." if isinstance(value, list) else f"{path}."
                if isinstance(value, list):
                    st.caption(f"{int(at) + 1} of {len(items)}")
                show_values(kind.fields, item, unsupported, here)


def _nested(field: Field) -> bool:
    kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    return isinstance(kind, Group)


def _value_line(field: Field, value: Value, unsupported: frozenset[str], path: str) -> str:
    told = plain(" ".join(in_words(flat(value)).split()))
    doubted = any(one == path or one.startswith(f"{path}.") for one in unsupported)
    doubt = " :orange-badge[:material/help: not in the document]" if doubted else ""
    return f"- {plain(field.name)}: " + (f"**{told}**" if told else ":gray[not stated]") + doubt

"""Records of one type as a table: to search, filter, group and take away; a pressed row opens its record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.data import table_columns, table_filters
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.schemas import RecordType, Scalar, ScalarType
from r3con_core.views.groupings import OWN, Grouping, Measure, Period, group_rows, measured
from r3con_core.views.table_search import Search, find_places
from r3con_core.views.tables import Origin, Row, Table, table_of, to_csv

ROWS_SEEN, ROWS_BESIDE = 12, 5
"""Of the table before it scrolls: alone, and with a record or more below it, which is to be in view too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the bar above a table asks for."""

    search: Search
    columns: tuple[str, ...]
    grouping: Grouping | None
    sums: tuple[str, ...]


def arrow(lines: Sequence[Mapping[str, object]]) -> pa.Table:
    """Lines of equal columns as the browser gets them."""
    return pa.Table.from_pylist([dict(line) for line in lines])


def table_for(found: Found, kind: str) -> Table:
    """The table of one record type."""
    return once(found, ("table", kind), lambda: table_of(found.data, kind, found.numbers))


def show(found: Found, record_type: RecordType) -> None:
    """The table with its bar."""
    table = table_for(found, record_type.name)
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        asked = _ask(found, record_type, table)
    places = once(found, ("places", table.record_type, asked.search), lambda: find_places(table, asked.search))
    rows = [table.rows[place] for place in places]
    with bar:
        _download(found, table, rows, asked)
    _say_count(table, rows, asked)
    if not rows:
        return
    if asked.grouping is None:
        _show_rows(found, record_type, places, asked)
    else:
        _show_groups(found, record_type, places, asked)


def _ask(found: Found, record_type: RecordType, table: Table) -> Asked:
    search = table_filters.ask(found, record_type, table)
    columns = once(found, ("columns", table.record_type), lambda: table_columns.columns_of(table))
    with st.popover("Columns", icon=":material/view_column:", key=f"columns-{table.record_type}"):
        chosen = st.multiselect(
            "Columns, in this order",
            columns,
            default=columns,
            key=f"order-{table.record_type}",
            width=420,
            persist_state="session",
        )
        st.caption("Take one out to hide it; the last one chosen stands last.")
    grouping, sums = _ask_grouping(record_type, columns)
    return Asked(search=search, columns=tuple(chosen) or columns, grouping=grouping, sums=sums)


def _ask_grouping(record_type: RecordType, columns: Sequence[str]) -> tuple[Grouping | None, tuple[str, ...]]:
    kind = record_type.name
    on = st.session_state.get(f"group-{kind}") is not None
    with st.popover("Group (1)" if on else "Group", icon=":material/stacks:", key=f"grouping-{kind}"):
        grouping = st.selectbox(
            "Put records together by",
            groupings_of(record_type, columns),
            index=None,
            format_func=grouping_name,
            key=f"group-{kind}",
            placeholder="Not grouped",
            width=320,
            persist_state="session",
        )
        numbers = table_columns.number_columns(record_type)
        sums = (
            st.multiselect("Sum of", numbers, default=numbers, key=f"sums-{kind}", persist_state="session")
            if numbers
            else []
        )
    return grouping, tuple(sums)


def groupings_of(record_type: RecordType, columns: Sequence[str]) -> list[Grouping]:
    """Every way to put records of a type together; dates also by month and by year."""
    dates = {field.name for field in record_type.fields if field.kind == Scalar(of=ScalarType.DATE)}
    found = []
    for name in (*(field.name for field in record_type.fields), *(own for own in OWN if own in columns)):
        periods = (Period.YEAR, Period.MONTH, Period.EXACT) if name in dates else (Period.EXACT,)
        found += [Grouping(column=name, period=period) for period in periods]
    return found


def grouping_name(by: Grouping) -> str:
    """As people read it."""
    return by.column if by.period is Period.EXACT else f"{by.column}, {by.period.value}"


def _download(found: Found, table: Table, rows: Sequence[Row], asked: Asked) -> None:
    made = partial(_csv_of_groups, rows, asked) if asked.grouping else partial(_csv_of_rows, found, rows, asked)
    st.download_button(
        "CSV",
        made,
        f"{table.record_type}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
        disabled=not rows,
        help="What is shown below, for a spreadsheet. All types at once: on the Answer page.",
    )


def _csv_of_rows(found: Found, rows: Sequence[Row], asked: Asked) -> bytes:
    return to_csv(table_columns.lines_of(rows, asked.columns, found), asked.columns)


def _csv_of_groups(rows: Sequence[Row], asked: Asked) -> bytes:
    assert asked.grouping is not None, "only grouped tables are written so"
    return to_csv(_group_lines(group_rows(rows, asked.grouping), asked))


def _say_count(table: Table, rows: Sequence[Row], asked: Asked) -> None:
    total, aside = len(table.rows), sum(row.set_aside for row in rows)
    told = count(total, "record") if len(rows) == total else f"{len(rows):,} of {count(total, 'record')}"
    told += f", {aside:,} of them set aside" if aside and not asked.search.only_set_aside else ""
    out = sum(not row.counts and not row.set_aside for row in rows)
    told += f", {out:,} taken out by people" if out else ""
    changed = sum(row.origin in (Origin.CHANGED, Origin.ADDED) for row in rows)
    told += f", {changed:,} changed or added by people" if changed else ""
    if rows:
        st.caption(f"{told}. Choose {'a group' if asked.grouping else 'one'} to see {_more(asked)} below.")
    elif total:
        st.info("No record fits the search and the filters. Clear them to see all.", icon=":material/search_off:")
    else:
        st.info("No document has a record of this type.", icon=":material/inbox:")


def _more(asked: Asked) -> str:
    return "its records" if asked.grouping else "its proof"


def _show_rows(found: Found, record_type: RecordType, places: Sequence[int], asked: Asked) -> None:
    """The rows at these places of the type's table; choosing one, by mouse or arrow keys, opens its record."""
    table = table_for(found, record_type.name)
    whole = once(found, ("arrow", table.record_type), lambda: table_columns.arrow_of(table, found))
    shown = whole if len(places) == len(table.rows) else whole.take(pa.array(places, pa.int64()))
    key = f"records-{table.record_type}-{len(table.rows)}-{hash((asked.search, tuple(places[:1]), len(places)))}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells and cells[0][0] < len(places):
            evidence.show_record(table.rows[places[cells[0][0]]].record_id)

    with st.container(height=height_of(len(places)), border=False, key=f"frame-{table.record_type}"):
        st.dataframe(  # its own height stays the same, else all its rows were sent again when a record is opened below it
            shown.select(list(asked.columns)),
            key=key,
            hide_index=True,
            on_select=chosen,
            selection_mode="single-cell",
            height="stretch",
            placeholder="",
            alt=f"Records of type {table.record_type}",
            column_config=table_columns.configured(record_type),
        )


def height_of(rows: int) -> int:
    """Pixels of a table of so many rows; low when a record is shown below it."""
    return 35 * (min(rows, ROWS_BESIDE if state.current_record_id() else ROWS_SEEN) + 1) + 3


def _show_groups(found: Found, record_type: RecordType, places: Sequence[int], asked: Asked) -> None:
    """Groups with their counts and sums; the records of the chosen one below."""
    table, by = table_for(found, record_type.name), asked.grouping
    assert by is not None, "there is something to group by"
    at = {id(table.rows[place]): place for place in places}
    groups = group_rows((table.rows[place] for place in places), by)
    key = f"groups-{table.record_type}-{hash((asked.search, by, asked.sums))}"
    names = list(groups)
    event = st.dataframe(
        _group_lines(groups, asked),
        key=key,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=35 * (min(len(names), ROWS_BESIDE + 1) + 1) + 3,
        alt=f"Groups of {table.record_type} by {grouping_name(by)}",
        column_config={
            name: st.column_config.NumberColumn(format="localized")
            for name in ("records", *(f"sum of {column}" for column in asked.sums))
        },
    )
    cells = event["selection"]["cells"]
    if cells and cells[0][0] < len(names):
        name = names[cells[0][0]]
        st.caption(f"{count(len(groups[name]), 'record')} with {plain(grouping_name(by))}: {plain(name)}")
        _show_rows(found, record_type, [at[id(row)] for row in groups[name]], asked)


def _group_lines(groups: Mapping[str, Sequence[Row]], asked: Asked) -> list[dict[str, object]]:
    assert asked.grouping is not None, "there is something to group by"
    return [
        {
            grouping_name(asked.grouping): name,
            "records": len(rows),
            **{f"sum of {column}": measured(rows, Measure.SUM, column) for column in asked.sums},
        }
        for name, rows in groups.items()
    ]

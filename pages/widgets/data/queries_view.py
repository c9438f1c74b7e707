"""Queries: records counted, added up and compared by a form, without a model and without code; kept by name."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import pyarrow as pa
import streamlit as st

from pages.widgets import state
from pages.widgets.data import query_form, record_list
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from pages.widgets.words import count, moment_of
from pages.widgets.worked_out import once
from r3con_core.errors import QueryError, StoreError
from r3con_core.queries import Compute, Query, Result, carry_out, query_from_json, query_to_json
from r3con_core.queries.columns import check_query
from r3con_core.queries.writing import (
    IN_DOUBT,
    cell_words,
    query_words,
    result_csv,
    result_json,
    result_words,
)
from r3con_core.store.project import Project
from r3con_core.store.queries import LONGEST_NAME, SavedQuery, delete_query, list_queries, save_query

_SAVED, _NAME, _FAULT = "saved-query", "query-name", "query-fault"
ROWS_SEEN = 8
HOW = (
    "A query needs no model and runs no code: the app itself looks through the records that count. Every row leads to the "
    "records that it rests on. Sums and means are exact."
)


def show(project: Project, found: Found) -> None:
    """The saved queries, the form, what comes of it, and the records behind a row."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _choose_saved(project, found)
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(plain(fault), icon=":material/error:")
    query = query_form.ask(found.data.schema)
    try:
        query, result = _sorted_result(found, query)
    except QueryError as error:
        st.info(plain(str(error)), icon=":material/edit:")
        return
    _show_result(found, query, result)
    _keep(project, found, query, result)


def _choose_saved(project: Project, found: Found) -> None:
    saved = {one.name: one for one in list_queries(project)}
    if st.session_state.get(_SAVED) not in (None, *saved):
        st.session_state[_SAVED] = None

    def picked() -> None:
        name = st.session_state[_SAVED]
        query_form.load(None)
        if name not in saved:
            return
        try:
            query = query_from_json(saved[name].query)
            check_query(query, found.data.schema)
        except QueryError as error:  # a form that showed but a part of it would ask something else
            st.session_state[_SAVED] = None
            st.session_state[_FAULT] = f"The query {name!r} cannot be asked of this run. {error}"
        else:
            query_form.load(query)

    name = st.selectbox(
        "Saved queries",
        list(saved),
        index=None,
        key=_SAVED,
        placeholder="A new query" if saved else "None is saved yet",
        on_change=picked,
        disabled=not saved,
        help=HOW,
        width=300,
    )
    if name is not None:
        _tell_saved(project, saved[name])


def _tell_saved(project: Project, one: SavedQuery) -> None:
    with st.popover("About it", icon=":material/info:", width="content"):
        st.markdown(f"**{plain(one.name)}**, saved by {plain(one.author)}, {moment_of(one.made)}")
        st.download_button(
            "Save as a file", one.query, "query.json", "application/json", icon=":material/download:", on_click="ignore"
        )
        if st.button("Delete this query", icon=":material/delete:"):
            with shown():
                delete_query(project, one.name)
                st.rerun()


def _sorted_result(found: Found, query: Query) -> tuple[Query, Result]:
    """The result in the order that is chosen below the form: which columns it has, only the result tells."""
    unsorted = _result(found, replace(query, sort_by="", descending=False))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name, down = query_form.sort_by(unsorted.columns, query)
    ordered = replace(query, sort_by=name, descending=down)
    return ordered, _result(found, ordered)


def _result(found: Found, query: Query) -> Result:
    return once(found, ("query", query), lambda: carry_out(query, found.data, found.numbers))


def _show_result(found: Found, query: Query, result: Result) -> None:
    st.caption(f"{count(len(result.rows), 'row')}. {plain(result_words(result, query))}")
    if not result.rows:
        st.info("No record fits. Take a test out, or change it.", icon=":material/search_off:")
        return
    key = f"query-rows-{hash((query, len(result.rows)))}"
    event = st.dataframe(
        _table(result),
        key=key,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=35 * (min(len(result.rows), ROWS_SEEN) + 1) + 3,
        alt="Rows of the result; choose one to see the records it rests on",
        column_config=_configured(result),
    )
    cells = event["selection"]["cells"]
    if not cells or cells[0][0] >= len(result.rows):
        if query.compute is not Compute.LIST or query.join:
            st.caption("Choose a row to see the records that it rests on.")
        return
    row = result.rows[cells[0][0]]
    if not row.record_ids:
        st.caption("This row rests on no record.")
        return
    st.markdown(f"**{count(len(row.record_ids), 'record')} behind this row**: choose one to see its proof below.")
    record_list.show(found, row.record_ids, key=f"behind-{key}")


def _table(result: Result) -> pa.Table:
    """Every cell in words: a browser's own numbers would not be exact, and a rounded sum is no proof."""
    columns = {
        name: pa.array([cell_words(row.cells[at]) for row in result.rows]) for at, name in enumerate(result.columns)
    }
    if not any(row.in_doubt for row in result.rows):
        return pa.table(columns)
    return pa.table(
        {**columns, IN_DOUBT: pa.array([count(row.in_doubt, "record") if row.in_doubt else "" for row in result.rows])}
    )


def _configured(result: Result) -> dict[str, Any]:
    """Numbers to the right."""
    told: dict[str, Any] = {}
    for at, name in enumerate(result.columns):
        cells = [row.cells[at] for row in result.rows if row.cells[at] is not None]
        numbers = bool(cells) and all(isinstance(c, int | float | Fraction) and not isinstance(c, bool) for c in cells)
        told[name] = st.column_config.TextColumn(alignment="right" if numbers else "left")
    return told


def _keep(project: Project, found: Found, query: Query, result: Result) -> None:
    """Files of the result, and the query kept by name."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.download_button(
            "CSV",
            partial(result_csv, result, found.data),
            "query.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            help="The rows with the records that each rests on, for a spreadsheet.",
        )
        st.download_button(
            "JSON",
            partial(result_json, query, result, found.data),
            "query result.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            help="The query, its rows, and the records that each rests on.",
        )
        name = st.text_input(
            "Name", key=_NAME, placeholder="Name this query", label_visibility="collapsed", max_chars=LONGEST_NAME
        )
        st.button(
            "Save the query",
            icon=":material/bookmark:",
            on_click=_save,
            args=(project, query, name or ""),
            disabled=not (name or "").strip(),
            help="Kept in this project; it can be run on any of its runs that has these fields.",
        )
    st.caption(f"In words: {plain(query_words(query))}")


def _save(project: Project, query: Query, name: str) -> None:
    try:
        kept = save_query(project, name, query_to_json(query), author=state.analyst())
    except StoreError as error:
        st.session_state[_FAULT] = str(error)
        return
    st.session_state[_SAVED], st.session_state[_NAME] = kept.name, ""
    query_form.load(query)

"""The form of a query: which records, which of them, what is made of them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.widgets.errors import plain
from r3con_core.queries import Compute, Condition, Join, Query, Test
from r3con_core.queries.columns import Column, Holds, columns_of, computes_of, joinable, tests_of
from r3con_core.queries.query import MOST_GROUPS, MOST_TESTS, PLAIN, VALUELESS
from r3con_core.records import Certainty
from r3con_core.schemas import Schema
from r3con_core.views.groupings import Period

_DRAFT, _TURN, _ROWS = "query-draft", "query-turn", "query-rows"
T = TypeVar("T")
COMPUTE_WORDS = {
    Compute.LIST: "List the records",
    Compute.COUNT: "Count the records",
    Compute.SUM: "Sum",
    Compute.MEAN: "Mean",
    Compute.SMALLEST: "Smallest or first",
    Compute.LARGEST: "Largest or last",
    Compute.DISTINCT: "Different values",
}
JOIN_HELP = (
    "Each record beside those that it names, by name. Their fields can then be tested and computed with too. A record "
    "that names none stays, with nothing beside it."
)
LATEST_HELP = (
    "Of several records of one name, only the latest by its date that is not after a date of the first: such as the price "
    "that held on the day of a sale."
)
TESTS_HELP = (
    "All tests must hold. Capital letters and typography make no difference. A record without a value fits no test but "
    "“is missing”. A date that is not known to the day fits when one of its days does; such records are said to be in doubt."
)


def load(query: Query | None) -> None:
    """Fill the form with a query, or empty it."""
    st.session_state[_DRAFT] = query
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.session_state.pop(_ROWS, None)


def ask(schema: Schema) -> Query:
    """The query that the form holds; whether it makes sense, carrying it out says."""
    draft: Query | None = st.session_state.get(_DRAFT)
    types = [one.name for one in schema.record_types]
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            kind = _pick("Records of", types, "type", draft.record_type if draft else types[0])
            start = draft if draft is not None and draft.record_type == kind else Query(record_type=kind)
            join = _ask_join(schema, kind, start.join)
        columns = columns_of(schema, kind, join.field if join else "")
        tests = _ask_tests(columns, start.tests, kind)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            made = _ask_computation(columns, start)
        with st.expander("Which certainty counts, how many rows", icon=":material/tune:", type="compact"):
            rest = _ask_rest(start)
    return Query(record_type=kind, join=join, tests=tests, **made, **rest)


def _key(name: str) -> str:
    return f"query-{st.session_state.get(_TURN, 0)}-{name}"


def _pick(label: str, options: Sequence[T], name: str, start: T, *, told: Any = str, **more: Any) -> T:
    """One of several, which is always chosen."""
    at = options.index(start) if start in options else 0
    picked: T = st.selectbox(label, options, index=at, format_func=told, key=_key(name), **{"width": 200, **more})
    return picked


def _ask_join(schema: Schema, kind: str, start: Join | None) -> Join | None:
    named = joinable(schema, kind)
    if not named:
        return None
    field = st.selectbox(
        "With the records named in",
        list(named),
        index=list(named).index(start.field) if start and start.field in named else None,
        format_func=lambda name: f"{name} ({named[name]})",
        key=_key(f"join-{kind}"),
        placeholder="No others",
        help=JOIN_HELP,
        width=230,
    )
    if field is None:
        return None
    theirs, own = (_dates(columns_of(schema, one)) for one in (named[field], kind))
    if not theirs or not own:
        return Join(field=field)
    wanted = bool(start and start.latest_by)
    if not st.toggle("Only the latest not after…", wanted, key=_key(f"latest-{kind}-{field}"), help=LATEST_HELP):
        return Join(field=field)
    latest = _pick(f"Latest by ({plain(named[field])})", theirs, f"by-{field}", start.latest_by if start else "")
    after = _pick(f"Not after ({plain(kind)})", own, f"after-{kind}", start.not_after if start else "")
    return Join(field=field, latest_by=latest, not_after=after)


def _dates(columns: Mapping[str, Column]) -> list[str]:
    return [column.name for column in columns.values() if column.holds is Holds.DATE]


def _ask_tests(columns: Mapping[str, Column], start: Sequence[Condition], kind: str) -> tuple[Condition, ...]:
    """A line for each test, and a button for one more."""
    rows: list[int] = st.session_state.setdefault(_ROWS, list(range(len(start))))
    tests = []
    for row in list(rows):
        draft = start[row] if row < len(start) else None
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=_key(f"line-{row}")):
            tests.append(_ask_test(columns, draft, f"{kind}-{row}"))
            st.button(
                "",
                key=_key(f"remove-{row}"),
                icon=":material/close:",
                help="Take this test out",
                on_click=rows.remove,
                args=(row,),
            )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Add a test",
            key=_key("add"),
            icon=":material/add:",
            help=TESTS_HELP,
            disabled=len(rows) >= MOST_TESTS,
            on_click=lambda: rows.append(max([*rows, len(start) - 1]) + 1),
        )
        if not rows:
            st.caption("Without a test, all records of the type fit.")
    return tuple(tests)


def _ask_test(columns: Mapping[str, Column], draft: Condition | None, name: str) -> Condition:
    column = _pick("Field", list(columns), f"column-{name}", draft.column if draft else "", width=230)
    kinds = tests_of(columns[column].holds)
    label = "Test" if columns[column].holds is not Holds.DATE else "Test of the date"
    test = _pick(label, kinds, f"test-{name}-{columns[column].holds}", draft.test if draft else kinds[0], told=str)
    if test in VALUELESS:
        return Condition(column=column, test=test)
    several = test is Test.ONE_OF
    written = st.text_input(
        "Values, with a semicolon between them" if several else "Value",
        "; ".join(draft.values) if draft else "",
        key=_key(f"value-{name}"),
        placeholder=_example(columns[column].holds),
        width=260,
    )
    parts = (written or "").split(";") if several else [written or ""]
    return Condition(column=column, test=test, values=tuple(part.strip() for part in parts if part.strip()))


def _example(holds: Holds) -> str:
    return {Holds.DATE: "such as 1931-03", Holds.NUMBER: "a number", Holds.YES_NO: "yes or no"}.get(holds, "")


def _ask_computation(columns: Mapping[str, Column], start: Query) -> dict[str, Any]:
    """What is made of the records, of which column, by which groups."""
    compute = _pick(
        "Show", list(Compute), f"compute-{start.record_type}", start.compute, told=lambda one: COMPUTE_WORDS[one]
    )
    able = [one.name for one in columns.values() if compute in computes_of(one.holds)]
    if compute is Compute.LIST:
        return {"compute": compute}
    over = ""
    if compute not in PLAIN:
        if not able:
            st.caption("No field of these records can be computed with in this way.")
            return {"compute": Compute.COUNT}
        over = _pick("Of", able, f"over-{compute}", start.over)
    grouped = st.multiselect(
        "For each",
        list(columns),
        default=[name for name in start.group_by if name in columns],
        key=_key(f"groups-{start.record_type}-{'-'.join(columns)}"),
        placeholder="All together",
        max_selections=MOST_GROUPS,
        width=280,
    )
    dated = any(columns[name].holds is Holds.DATE for name in [*grouped, *([over] if over else [])])
    period = Period.EXACT
    if dated:
        period = _pick("Dates", list(Period), "period", start.period, told=lambda one: one.value, width=150)
    return {"compute": compute, "over": over, "group_by": tuple(grouped), "period": period}


def _ask_rest(start: Query) -> dict[str, Any]:
    """What counts, and how many rows."""
    counted = st.pills(
        "Certainty that counts",
        list(Certainty),
        selection_mode="multi",
        default=list(start.certainties),
        format_func=lambda one: str(one.value),
        key=_key("certainties"),
        help="What documents deny does not count unless you choose it.",
    )
    limit = st.number_input(
        "Rows at most", 1, None, start.limit or None, key=_key("limit"), placeholder="All", width=130
    )
    return {
        "certainties": tuple(counted),
        "limit": limit or 0,
        "sort_by": start.sort_by,
        "descending": start.descending,
    }


def sort_by(columns: Sequence[str], query: Query) -> tuple[str, bool]:
    """How the rows of a result with these columns are sorted."""
    name = st.selectbox(
        "Sort by",
        columns,
        index=list(columns).index(query.sort_by) if query.sort_by in columns else None,
        key=_key(f"sort-{'-'.join(columns)}"),
        placeholder="As they come",
        width=230,
    )
    down = st.toggle("The largest first", query.descending, key=_key("down"), disabled=name is None)
    return name or "", bool(name) and down

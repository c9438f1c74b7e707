"""Plots of one record type: bars, lines, dots and how numbers spread, each with its figures to take away."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.widgets import evidence
from pages.widgets.data import charts, records, table_columns
from pages.widgets.data.records import grouping_name, groupings_of
from pages.widgets.data.table_filters import COUNTING_HELP
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from r3con_core.schemas import Choice, RecordType
from r3con_core.views.groupings import DOCUMENT, OWN, Grouping, Measure, Period
from r3con_core.views.plots import MOST_GROUPS, Asked, Point, bins_of, pairs_of, points_of
from r3con_core.views.tables import Row, to_csv

BARS, LINE, DOTS, SPREAD = "Bars", "Line", "Dots", "Histogram"
MOST_DOTS, BINS = 5_000, 24
PATTERNS = ("", "/", "x", ".", "-", "+", "|", "\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What is drawn, and the same as lines of a table."""

    data: Sequence[dict[str, Any]]
    layout: dict[str, Any]
    lines: Sequence[dict[str, object]]
    note: str = ""


def show(found: Found, record_type: RecordType) -> None:
    """The plot with what it is made of, and its figures."""
    numbers = table_columns.number_columns(record_type)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        able = [BARS, LINE, *([DOTS, SPREAD] if numbers else [])]
        shape = st.segmented_control(
            "Plot", able, default=BARS, required=True, key=f"plot-shape-{bool(numbers)}", persist_state="session"
        )
        with_all = st.toggle("All records", key="plot-all", help=f"{COUNTING_HELP} Switch on to see those too.")
    rows = [row for row in records.table_for(found, record_type.name).rows if with_all or row.counts]
    if not rows:
        st.info("There are no records of this type to draw.", icon=":material/inbox:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        figure = _figure(shape, record_type, rows)
    if not figure.lines:
        st.info("None of these records holds what this plot needs.", icon=":material/inbox:")
        return
    if figure.note:
        st.caption(figure.note)
    key = f"plot-{record_type.name}-{shape}"
    charts.show(
        figure.data, figure.layout, key=key, alt="A plot; the table below has its figures", on_point=_open(shape)
    )
    _show_figures(record_type, figure)


def _open(shape: str) -> Any:
    return evidence.show_record if shape == DOTS else None


def _figure(shape: str, record_type: RecordType, rows: Sequence[Row]) -> Figure:
    if shape == DOTS:
        return _dots(record_type, rows)
    if shape == SPREAD:
        return _spread(record_type, rows)
    return _groups(record_type, rows, line=shape == LINE)


def _pick(label: str, options: Sequence[Any], key: str, *, told: Any = str, index: int | None = 0) -> Any:
    return st.selectbox(
        label, options, index=index, format_func=told, key=key, width=200, placeholder="None", persist_state="session"
    )


def _groups(record_type: RecordType, rows: Sequence[Row], *, line: bool) -> Figure:
    kind = record_type.name
    ways = groupings_of(record_type, ())
    own = [Grouping(column=name) for name in OWN]
    by = _pick("By", [*ways, *own], f"plot-by-{kind}-{line}", told=grouping_name, index=_usual(record_type, line=line))
    numbers = table_columns.number_columns(record_type)
    how = _pick("Show", list(Measure) if numbers else [Measure.COUNT], f"plot-how-{kind}", told=lambda one: one.value)
    column = _pick("Of", numbers, f"plot-of-{kind}") if how is not Measure.COUNT else ""
    split = _pick("Split by", [*own, *ways], f"plot-split-{kind}", told=grouping_name, index=None)
    asked = Asked(by=by, how=how, column=column, split=split)
    points = points_of(rows, asked, in_order=line or by.period is not Period.EXACT)
    told = f"{how.value} of {column}" if column else how.value
    lines: list[dict[str, object]] = [
        {
            grouping_name(by): p.at,
            **({grouping_name(split): p.series} if split else {}),
            told: p.value,
            "records": p.records,
        }
        for p in points
    ]
    drawn = [point for point in points if not point.together]
    return Figure(
        data=_series(drawn, line=line),
        layout=_layout(grouping_name(by), told, stacked=bool(split)),
        lines=lines,
        note=_left_out(points, drawn),
    )


def _usual(record_type: RecordType, *, line: bool) -> int:
    """What a plot shows first: time for a line, else something with few values."""
    ways = groupings_of(record_type, ())
    few = {field.name for field in record_type.fields if isinstance(field.kind, Choice)}
    dates = [at for at, way in enumerate(ways) if way.period is Period.YEAR]
    choices = [at for at, way in enumerate(ways) if way.column in few]
    return next(iter([*dates, *choices] if line else [*choices, *dates]), len(ways))


def _series(points: Sequence[Point], *, line: bool) -> list[dict[str, Any]]:
    """One bar or line a series, told apart by pattern or symbol too."""
    names = list(dict.fromkeys(point.series for point in points))[: len(PATTERNS)]
    looks: list[dict[str, Any]] = [
        {"symbol": at, "size": 8} if line else {"pattern": {"shape": pattern}} for at, pattern in enumerate(PATTERNS)
    ]
    return [
        {
            "type": "scatter" if line else "bar",
            "name": charts.letters(name, 40),
            "x": [charts.letters(point.at, 40) for point in points if point.series == name],
            "y": [point.value for point in points if point.series == name],
            "marker": {**looks[at], "color": charts.COLOURS[at]},
            **({"mode": "lines+markers"} if line else {}),
        }
        for at, name in enumerate(names)
    ]


def _left_out(points: Sequence[Point], drawn: Sequence[Point]) -> str:
    """What is in the table only."""
    together = dict.fromkeys(point.at for point in points if point.together)
    more = len({point.series for point in drawn}) - len(PATTERNS)
    told = [f"{plain(name)} are not drawn; the table tells of them together." for name in together]
    told += [f"{more:,} more values to split by are only in the table."] if more > 0 else []
    return " ".join(told)


def _layout(across: str, up: str, *, stacked: bool = False, kind: str = "category") -> dict[str, Any]:
    return {
        "height": 400,
        "barmode": "stack" if stacked else "group",
        "showlegend": stacked,
        "xaxis": {"type": kind, "title": {"text": charts.letters(across)}, "automargin": True},
        "yaxis": {"title": {"text": charts.letters(up)}, "rangemode": "tozero"},
    }


def _dots(record_type: RecordType, rows: Sequence[Row]) -> Figure:
    kind = record_type.name
    numbers = table_columns.number_columns(record_type)
    dates = [way.column for way in groupings_of(record_type, ()) if way.period is Period.YEAR]
    x = _pick("Across", [*dates, *numbers, DOCUMENT], f"plot-x-{kind}")
    y = _pick("Up", numbers, f"plot-y-{kind}")
    pairs = pairs_of(rows, x, y)
    drawn = pairs[:MOST_DOTS]
    data = {
        "type": "scattergl" if len(drawn) > 1_000 else "scatter",
        "mode": "markers",
        "x": [pair.x for pair in drawn],
        "y": [pair.y for pair in drawn],
        "text": [pair.label for pair in drawn],
        "customdata": [pair.record_id for pair in drawn],
        "marker": {"size": 7, "opacity": 0.7, "color": charts.COLOURS[0]},
        "hovertemplate": "%{text}: %{x}, %{y}<extra></extra>",
    }
    lines: list[dict[str, object]] = [
        {"record": pair.label, x: pair.x, (y if y != x else f"{y} "): pair.y} for pair in pairs
    ]
    more = f" The first {MOST_DOTS:,} are drawn." if len(pairs) > MOST_DOTS else ""
    note = f"{count(len(pairs), 'record')} with both.{more} Press a dot to see its record."
    layout = _layout(x, y, kind="date" if x in dates else "linear")
    return Figure(data=[data], layout=layout, lines=lines, note=note)


def _spread(record_type: RecordType, rows: Sequence[Row]) -> Figure:
    column = _pick("Of", table_columns.number_columns(record_type), f"plot-spread-{record_type.name}")
    bins = bins_of(rows, column, BINS)
    names = [f"{one.low:,.6g} to {one.high:,.6g}" for one in bins]
    data = {"type": "bar", "x": names, "y": [one.count for one in bins], "marker": {"color": charts.COLOURS[0]}}
    lines: list[dict[str, object]] = [{"from": one.low, "to": one.high, "records": one.count} for one in bins]
    layout = {**_layout(column, Measure.COUNT.value), "bargap": 0.02}
    return Figure(data=[data], layout=layout, lines=lines)


def _show_figures(record_type: RecordType, figure: Figure) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        many = f" The {MOST_GROUPS - 1} largest groups stand alone." if len(figure.lines) >= MOST_GROUPS else ""
        st.caption(f"The figures of this plot.{many}", width="content")
        st.download_button(
            "CSV",
            partial(to_csv, figure.lines),
            f"{record_type.name} plot.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
        )
    st.dataframe(
        records.arrow(figure.lines), hide_index=True, height=35 * (min(len(figure.lines), 6) + 1) + 3, alt="Figures"
    )

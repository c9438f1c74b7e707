"""What records tell by date: uncertain dates as uncertain, thousands of events by counts first, undated ones listed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from pages.widgets import evidence
from pages.widgets.data import charts, record_list, records
from pages.widgets.data.records import ROWS_SEEN
from pages.widgets.data.table_filters import COUNTING_HELP
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.views.tables import to_csv
from r3con_core.views.timelines import Event, Timeline, count_by, date_fields, packed, timeline_of, when_of

MOST_ROWS, MOST_EVENTS = 36, 800
"""Of events drawn one by one; more are counted by year or month."""
ROW_HEIGHT = 15
"""Pixels of one row of events."""
_FROM, _TO = "timeline-from", "timeline-to"
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
HOW = """
A **full mark** is a day that the document states as a fact. A **bar with a hollow mark** is a date of which only the
month or the year is known, or that lies between two days: it happened some time within the bar. A hollow mark also
stands for what is only alleged, denied or inferred, and for a date that is not in the document. Dates are shown as
documents state them; none is guessed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What of a timeline is looked at."""

    timeline: Timeline
    events: tuple[Event, ...]
    """Within the period."""
    key: Hashable
    """What was asked for, which makes them what they are."""


def show(found: Found) -> None:
    """The timeline with its filters, its events as a table, and what has no date."""
    fields = date_fields(found.data)
    if not fields:
        st.info(
            "No field of this schema is a date, so there is no timeline. To get one, give a field the kind 'date' on the "
            "Schema page and parse again.",
            icon=":material/calendar_month:",
        )
        return
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with bar:
        shown = _ask(found, [f"{kind} · {path}" for kind, paths in fields.items() for path in paths])
    with bar:
        st.download_button(
            "CSV",
            partial(_csv, found, shown.events),
            "timeline.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
            disabled=not shown.events,
        )
    _say(shown)
    if shown.events:
        _draw(found, shown.events)
        _show_events(found, shown)
    _show_undated(found, shown.timeline)


def _ask(found: Found, all_fields: Sequence[str]) -> Shown:
    """Which dates, of which records, in which period."""
    words = st.text_input(
        "Find", key="timeline-find", type="search", placeholder="Values and quotes", width=180, persist_state="session"
    )
    begin = st.text_input("From", key=_FROM, placeholder="such as 1931", width=110, persist_state="session")
    end = st.text_input("To", key=_TO, placeholder="such as 1931-03", width=130, persist_state="session")
    on = (len(all_fields) - len(st.session_state.get("timeline-fields") or all_fields)) or st.session_state.get(
        "timeline-all"
    )
    with st.popover("Filter (on)" if on else "Filter", icon=":material/filter_list:", key="timeline-filter"):
        chosen = st.pills(
            "Dates",
            all_fields,
            selection_mode="multi",
            default=all_fields,
            key="timeline-fields",
            help="Which fields of which record types.",
            persist_state="session",
        )
        with_all = st.toggle(
            "With records that do not count", key="timeline-all", help=COUNTING_HELP, persist_state="session"
        )
    with st.popover("What the marks mean", type="tertiary", icon=":material/info:"):
        st.markdown(HOW)
    asked = (tuple(chosen or all_fields), (words or "").casefold(), bool(with_all))
    timeline = once(found, ("timeline", *asked), lambda: _timeline(found, *asked))
    key = (*asked, begin or "", end or "")
    return Shown(timeline=timeline, events=_within(timeline.events, begin or "", end or ""), key=key)


def _timeline(found: Found, chosen: Sequence[str], words: str, with_all: bool) -> Timeline:  # noqa: FBT001 - a key's part
    fields: dict[str, tuple[str, ...]] = {}
    for name in chosen:
        kind, _, path = name.partition(" · ")
        fields[kind] = (*fields.get(kind, ()), path)
    texts = {row.record_id: row.text for kind in fields for row in records.table_for(found, kind).rows} if words else {}
    wanted = words.split()
    kept = [
        record
        for record in found.data.records
        if record.type in fields and (with_all or record.counts) and all(word in texts[record.id] for word in wanted)
    ]
    return timeline_of(kept, fields)


def _within(events: tuple[Event, ...], begin: str, end: str) -> tuple[Event, ...]:
    """Those that may have been in the period; an end that is no date is said to be none, and bounds nothing."""
    bounds = [when_of(text) for text in (begin, end)]
    for text, bound in zip((begin, end), bounds, strict=True):
        if text.strip() and bound is None:
            st.warning(
                "A period begins and ends with a date, such as 1931, 1931-03 or 1931-03-04.", icon=":material/error:"
            )
    first = bounds[0].first if bounds[0] else date.min
    last = bounds[1].last if bounds[1] else date.max
    return tuple(event for event in events if event.when.last >= first and event.when.first <= last)


def _say(shown: Shown) -> None:
    unsure = sum(event.uncertain for event in shown.events)
    total = len(shown.timeline.events)
    told = count(total, "date") if total == len(shown.events) else f"{len(shown.events):,} of {count(total, 'date')}"
    told += f", {unsure:,} of them uncertain" if unsure else ", all of them certain" if shown.events else ""
    undated = len(shown.timeline.undated)
    told += f"; {count(undated, 'record')} without a date, listed below" if undated else ""
    st.caption(f"{told}.")


def _draw(found: Found, events: tuple[Event, ...]) -> None:
    """Events one by one where they can be told apart, else how many there are by year or month."""
    few = len(events) <= MOST_EVENTS
    lanes = list(dict.fromkeys(_lane(found, event) for event in events)) if few else []
    placed = _place(found, events, lanes) if few else None
    if placed is None:
        _draw_counts(events)
        return
    rows = max(placed.values()) + 1
    data = [one for at, lane in enumerate(lanes) for one in _marks(found, events, placed, (lane, at))]
    layout = {
        "height": min(max(150, 90 + ROW_HEIGHT * rows), 600),
        "xaxis": {"type": "date", "showgrid": True},
        "yaxis": {"visible": False, "autorange": "reversed", "fixedrange": True},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
    }
    charts.show(data, layout, key="timeline-events", alt=_ALT, on_point=evidence.show_record)


_ALT = "Events by date; the table below says the same"


def _lane(found: Found, event: Event) -> str:
    return f"{found.data.get(event.record_id).type} · {event.field}"


def _place(found: Found, events: tuple[Event, ...], lanes: Sequence[str]) -> dict[int, int] | None:
    """The row of each event, lane below lane; None when there are too many rows."""
    reach = (max(event.when.last for event in events) - min(event.when.first for event in events)).days
    rows: dict[int, int] = {}
    above = 0
    for lane in lanes:
        here = [at for at, event in enumerate(events) if _lane(found, event) == lane]
        spans = [(events[at].when.first.toordinal(), events[at].when.last.toordinal()) for at in here]
        placed = packed(spans, gap=reach // 70)
        rows |= {at: above + row for at, row in zip(here, placed, strict=True)}
        above += max(placed) + 1
    return rows if above <= MOST_ROWS else None


def _marks(
    found: Found, events: tuple[Event, ...], placed: dict[int, int], lane: tuple[str, int]
) -> list[dict[str, Any]]:
    """One lane: bars of uncertain dates, and a mark for every event."""
    name, number = lane
    here = [at for at, event in enumerate(events) if _lane(found, event) == name]
    symbol = SYMBOLS[number % len(SYMBOLS)]
    bars = [at for at in here if events[at].when.first != events[at].when.last]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for at in bars for x in (events[at].when.first.isoformat(), events[at].when.last.isoformat(), None)],
        "y": [y for at in bars for y in (placed[at], placed[at], None)],
        "line": {"width": 7, "color": charts.COLOURS[number % len(charts.COLOURS)]},
        "opacity": 0.35,
        "hoverinfo": "skip",
        "showlegend": False,
    }
    marks = {
        "type": "scatter",
        "mode": "markers",
        "name": charts.letters(name),
        "x": [_middle(events[at]).isoformat() for at in here],
        "y": [placed[at] for at in here],
        "text": [_hover(found, events[at]) for at in here],
        "hovertemplate": "%{text}<extra></extra>",
        "customdata": [events[at].record_id for at in here],
        "marker": {
            "size": 10,
            "symbol": [f"{symbol}-open" if events[at].uncertain else symbol for at in here],
            "color": charts.COLOURS[number % len(charts.COLOURS)],
            "line": {"width": 2},
        },
    }
    return [line, marks]


def _middle(event: Event) -> date:
    return date.fromordinal((event.when.first.toordinal() + event.when.last.toordinal()) // 2)


def _hover(found: Found, event: Event) -> str:
    record = found.data.get(event.record_id)
    told = [
        record_list.name_of(found, record),
        f"{event.field}: {event.words}",
        found.document_name(record.document_id),
    ]
    return "<br>".join(charts.letters(one, 90) for one in told)


def _draw_counts(events: tuple[Event, ...]) -> None:
    """How many events there are by year, or by month within a few years; a pressed bar becomes the period."""
    first, last = min(event.when.first for event in events), max(event.when.first for event in events)
    months = last.year - first.year < 4
    counts = count_by(events, months=months)
    data = [
        {
            "type": "bar",
            "name": name,
            "x": list(counts),
            "y": [both[at] for both in counts.values()],
            "customdata": list(counts),
            "marker": {"pattern": {"shape": pattern}, "color": colour},
            "hovertemplate": f"%{{x}}: %{{y}} {name}<extra></extra>",
        }
        for at, (name, pattern, colour) in enumerate(
            ((charts.CERTAIN, "", charts.COLOURS[0]), (charts.UNCERTAIN, "/", charts.COLOURS[1]))
        )
    ]
    layout = {
        "height": 260,
        "barmode": "stack",
        "xaxis": {"type": "category"},
        "yaxis": {"fixedrange": True, "title": {"text": "dates"}},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    }
    st.caption(
        f"Too many to be told apart, so they are counted by {'month' if months else 'year'}. "
        "Press a bar, or write a period above, to come closer."
    )
    charts.show(data, layout, key="timeline-counts", alt=_ALT, on_point=_come_closer)


def _come_closer(period: object) -> None:
    st.session_state[_FROM] = st.session_state[_TO] = str(period)


def _lines(found: Found, events: Sequence[Event]) -> list[dict[str, object]]:
    return [
        {
            "When": event.words,
            "Date": event.when.text,
            "Of": _lane(found, event),
            "What": record_list.name_of(found, record),
            "Document": record_list.document_of(found, record),
            "Record": found.data.label(event.record_id),
        }
        for event in events
        if (record := found.data.get(event.record_id))
    ]


def _csv(found: Found, events: Sequence[Event]) -> bytes:
    return to_csv(_lines(found, events))


def _show_events(found: Found, shown: Shown) -> None:
    events = shown.events
    key = f"timeline-list-{hash(shown.key)}-{len(events)}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells and cells[0][0] < len(events):
            evidence.show_record(events[cells[0][0]].record_id)

    st.dataframe(
        once(found, ("timeline-lines", shown.key), lambda: records.arrow(_lines(found, events))),
        key=key,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        height=35 * (min(len(events), ROWS_SEEN // 2) + 1) + 3,
        alt="The events in order of time; choose one to see its proof below",
        column_config={"When": st.column_config.TextColumn(width=250, pinned=True)},
    )


def _show_undated(found: Found, timeline: Timeline) -> None:
    if not timeline.undated:
        return
    with st.expander(f"Without a date: {count(len(timeline.undated), 'record')}", icon=":material/event_busy:"):
        st.caption("They have fields for dates that are empty, or that hold words which are no date.")
        why = {record_id: words or "empty" for record_id, words in timeline.undated}
        record_list.show(found, list(why), key="undated", why=why)

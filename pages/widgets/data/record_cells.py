"""Each value of a record with where it stands, and one press to the place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.errors import plain
from r3con_core.checks.cells import Cell, CellState, find_value
from r3con_core.documents import Document
from r3con_core.evidence import Grounded
from r3con_core.records import Record, Value
from r3con_core.views.tables import flat, in_words

MOST_AT_ONCE = 40
"""Cells before the others are folded away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    icon: str
    colour: str
    words: str
    help: str


_LOOKS: Mapping[CellState, _Look] = {
    CellState.QUOTED: _Look(
        icon=":material/check_circle:",
        colour="green",
        words="in quote",
        help="The value stands in a quote of the record.",
    ),
    CellState.DOCUMENT: _Look(
        icon=":material/format_quote_off:",
        colour="orange",
        words="not in its quotes",
        help="The value stands in the document, but in none of the record's quotes.",
    ),
    CellState.NOWHERE: _Look(
        icon=":material/help:",
        colour="red",
        words="not in its document",
        help="The value was not found in the document's text: the model may have worked it out, or made it up.",
    ),
    CellState.CHOICE: _Look(
        icon=":material/rule:",
        colour="gray",
        words="a choice",
        help="Yes, no or a word of the schema: it is a judgement, and no words are looked for.",
    ),
    CellState.PERSON: _Look(
        icon=":material/person_edit:",
        colour="violet",
        words="by a person",
        help="A person gave or confirmed the value.",
    ),
}
EXPLANATION = "\n".join(f"- {look.icon} **{look.words}**: {look.help}" for look in _LOOKS.values())


def show(record: Record, cells: Sequence[Cell], document: Document) -> None:
    """All cells, those without a value last and in one line."""
    filled = [cell for cell in cells if cell.state is not CellState.EMPTY]
    with st.container(gap="xsmall"):
        for cell in filled[:MOST_AT_ONCE]:
            _show_cell(record, cell, document)
    if more := filled[MOST_AT_ONCE:]:
        with st.expander(f"{len(more):,} more values", type="compact"):
            for cell in more:
                _show_cell(record, cell, document)
    if empty := [path_words(cell) for cell in cells if cell.state is CellState.EMPTY]:
        st.caption(f"Not stated: {plain(', '.join(empty))}")


def path_words(cell: Cell) -> str:
    """Where a value stands in its record, places in lists from 1: "goods 1, owner"."""
    words = ""
    for step in cell.path:
        words += f" {int(step) + 1}" if step.isdigit() else f"{', ' if words else ''}{step}"
    return words


def state_words(cell: Cell) -> str:
    """What is said of where a value stands: "in quote 1"."""
    words = _LOOKS[cell.state].words
    if cell.state is CellState.QUOTED and cell.quote is not None:
        return f"{words} {cell.quote + 1}"
    if cell.state is CellState.PERSON and cell.quote is not None:
        return f"{words}, in quote {cell.quote + 1}"
    return words


def _show_cell(record: Record, cell: Cell, document: Document) -> None:
    """Name, value and where it stands; pressed, that is shown in the document."""
    look = _LOOKS[cell.state]
    written = f" :gray[(written: {plain(cell.written)})]" if cell.written is not None else ""
    place = _place(record, cell, document)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{plain(path_words(cell))}: **{plain(value_words(cell.value))}**{written}", width="content")
        if place is None:
            st.markdown(f":{look.colour}-badge[{look.icon} {state_words(cell)}]", width="content")
        else:
            st.button(
                f":{look.colour}[{look.icon} {state_words(cell)}]",
                key=f"cell-{record.id}-{cell.name}",
                type="tertiary",
                help=f"{look.help} Press to see the place in the document.",
                on_click=_go_to,
                args=place,
            )


FROM_SEPARATORS = 10_000


def value_words(value: Value) -> str:
    """A single value on one line, figures with separators; whole ones of four digits without, as they may be years."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not float(value).is_integer():
            return f"{value:,}"
        return f"{int(value):,}" if abs(value) >= FROM_SEPARATORS else str(int(value))
    return " ".join(in_words(flat(value)).split())


def _place(record: Record, cell: Cell, document: Document) -> tuple[str, int, int] | None:
    """Where the value stands: its quote, else the words themselves."""
    if cell.quote is not None:
        found = evidence.place_in(record.evidence[cell.quote])
        assert isinstance(found, Grounded), "only quotes that were found hold values"
        return found.document_id, found.span.start, found.span.end
    if cell.state in (CellState.DOCUMENT, CellState.PERSON):
        span = find_value(cell.value, document)
        return (document.id, span.start, span.end) if span else None
    return None


def _go_to(document_id: str, start: int, end: int) -> None:
    state.set_place(**state.document_place(document_id, start, end))

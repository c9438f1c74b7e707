"""Structured texts: as tables where their text is one, else letter by letter."""

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.data import records
from pages.widgets.errors import plain
from pages.widgets.methods.items import Look, show_items
from pages.widgets.words import count
from r3con_core.traces import Built, Item

_RULE = re.compile(r"^[|\s:-]*-[|\s:-]*$")
_NAMED = re.compile(r"^([^:|\n]{1,60}): (.*)$")
FEWEST = 2


def show(built: Built, look: Look) -> None:
    """One table for each kind whose items are lines of names and values; every other item by itself."""
    kinds: dict[str, list[Item]] = {}
    for item in built.items:
        kinds.setdefault(item.kind, []).append(item)
    for kind, items in kinds.items():
        named = [(item, values) for item in items if (values := named_values(item.text))]
        if len(named) >= FEWEST and len(named) >= len(items) // 2:
            _one_table(kind, named, look)
            _singly(kind, [item for item in items if not named_values(item.text)], look)
        else:
            _singly(kind, items, look)


def _one_table(kind: str, named: Sequence[tuple[Item, dict[str, str]]], look: Look) -> None:
    st.markdown(f"{plain(kind) or 'Entries'}: {count(len(named), 'entry', 'entries')}")
    rows = [row_of(item, values, look) for item, values in named]
    names = list(dict.fromkeys(name for row in rows for name in row))
    st.dataframe(
        records.arrow([{name: row.get(name, "") for name in names} for row in rows]),
        hide_index=True,
        height=35 * (min(len(rows), 10) + 1) + 3,
        alt=f"Entries of the kind {kind}",
        key=f"{look.key}-table-{kind}",
    )


def row_of(item: Item, values: Mapping[str, str], look: Look) -> dict[str, str]:
    """What is said of an item, then its values; one that has a name of ours, as a letter's "From", is named otherwise."""
    row = {**_marks(item, look), "From": item.title}
    for name, value in values.items():
        free = name
        while free in row:
            free = f"{free} (in the text)"
        row[free] = value
    return row


def _marks(item: Item, look: Look) -> dict[str, str]:
    fact = {"Fact": "⚑" if look.holds(item) else ""} if look.fact is not None else {}
    return {"Went on": "✓" if item.chosen else "", **fact}


def _singly(kind: str, items: Sequence[Item], look: Look) -> None:
    plain_ones = []
    for item in items:
        rows = table_rows(item.text)
        if rows is None or len(items) > 12:
            plain_ones.append(item)
            continue
        flag = " :orange-badge[:material/flag: holds the fact]" if look.holds(item) else ""
        st.markdown(f"**{plain(item.title)}**{flag}")
        st.dataframe(records.arrow(rows), hide_index=True, alt=item.title, key=f"{look.key}-table-{kind}-{item.id}")
    if plain_ones:
        show_items(plain_ones, look, key=f"tables-{kind}")


def named_values(text: str) -> dict[str, str]:
    """Names and values of a text that has one of each on every line; empty for any other text."""
    lines = [line for line in text.split("\n") if line.strip()]
    found = [_NAMED.match(line) for line in lines]
    if not lines or not all(found):
        return {}
    values = {match[1].strip(): match[2].strip() for match in found if match}
    return values if len(values) == len(lines) else {}


def table_rows(text: str) -> list[dict[str, object]] | None:
    """Rows of a text that is a table of lines with bars, the first of them its head where a rule follows; else None."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not _RULE.match(line)]
    if len(cells) < FEWEST or len(cells[0]) < FEWEST or any(len(row) != len(cells[0]) for row in cells):
        return None
    has_head = len(cells) < len(lines)
    head = cells[0] if has_head else [f"Part {place}" for place in range(1, len(cells[0]) + 1)]
    names = [name or f"Part {place}" for place, name in enumerate(head, start=1)]
    if len(set(names)) < len(names):
        names = [f"{place}: {name}" for place, name in enumerate(names, start=1)]
    return [dict(zip(names, row, strict=True)) for row in cells[1 if has_head else 0 :]]

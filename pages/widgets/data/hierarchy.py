"""Records as a tree over levels that a person chooses: as rings, as nested boxes, and as a table."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.widgets.data import charts, record_list, records
from pages.widgets.data.table_filters import COUNTING_HELP
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.views.hierarchies import TYPE, Branch, grow, levels_of
from r3con_core.views.tables import to_csv

MOST_LEVELS, MOST_DRAWN = 4, 1_500
"""Branches drawn; the smallest are left to the table."""
RINGS, BOXES = "Rings", "Tree"
_BRANCH = "hierarchy-branch"


def show(found: Found) -> None:
    """The tree with what it is made of, and the records of the branch that is chosen."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        levels_at, shape_at = st.container(width=400), st.container(width="content")
        with st.popover("Filter", icon=":material/filter_list:", key="hierarchy-filter"), st.container(width=420):
            types, with_all = _ask_records(found)
        with levels_at:
            levels = _ask_levels(found, types)
        shape = shape_at.segmented_control(
            "Shape", [RINGS, BOXES], default=RINGS, required=True, key="hierarchy-shape", persist_state="session"
        )
        download = st.container(width="content")
    if not levels:
        st.info("Choose at least one level: what the records are to be told apart by.", icon=":material/account_tree:")
        return
    tree = once(found, ("tree", types, levels, with_all), lambda: _grow(found, types, levels, with_all))
    branches = [branch for branch in tree.walk() if branch.path]
    with download:
        _download(branches, levels)
    _say(tree, branches, levels)
    if branches:
        _draw(tree, shape, levels)
        _show_branches(found, branches, levels)


def _ask_records(found: Found) -> tuple[tuple[str, ...], bool]:
    """Which record types, and whether records count that the answer does not rest on."""
    every = [t.name for t in found.data.schema.record_types]
    chosen = st.multiselect(
        "Record types",
        every,
        default=every,
        key="hierarchy-types",
        persist_state="session",
    )
    with_all = st.toggle(
        "With records that do not count", key="hierarchy-all", help=COUNTING_HELP, persist_state="session"
    )
    return tuple(name for name in every if name in chosen) or tuple(every), with_all


def _ask_levels(found: Found, types: tuple[str, ...]) -> tuple[str, ...]:
    able = levels_of([found.data.schema.get(name) for name in types])
    levels = st.multiselect(
        "Levels, from the middle outwards",
        able,
        default=_usual(able),
        max_selections=MOST_LEVELS,
        key=f"hierarchy-levels-{'-'.join(types)}",
        help="What the records are told apart by, first level first: their type, a field, also fields inside groups and "
        "lists, their document, how certain they are. A record whose list has several entries stands under each.",
        persist_state="session",
    )
    return tuple(levels)


def _usual(able: Sequence[str]) -> list[str]:
    own = [TYPE] if TYPE in able else []
    return [*own, "certainty"]


def _grow(found: Found, types: tuple[str, ...], levels: tuple[str, ...], with_all: bool) -> Branch:  # noqa: FBT001 - of a key
    kept = [record for record in found.data.records if record.type in types and (with_all or record.counts)]
    names = {document_id: f"{found.numbers[document_id]} · {title}" for document_id, title in found.titles.items()}
    return grow(kept, levels, names)


def _download(branches: Sequence[Branch], levels: Sequence[str]) -> None:
    st.download_button(
        "CSV",
        partial(_csv, branches, levels),
        "hierarchy.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
        disabled=not branches,
    )


def _csv(branches: Sequence[Branch], levels: Sequence[str]) -> bytes:
    return to_csv([_line(branch, levels) for branch in branches])


def _line(branch: Branch, levels: Sequence[str]) -> dict[str, object]:
    named = {level: branch.path[at] if at < len(branch.path) else "" for at, level in enumerate(levels)}
    return {**named, "records": len(branch.record_ids)}


def _say(tree: Branch, branches: Sequence[Branch], levels: Sequence[str]) -> None:
    told = f"{count(len(tree.record_ids), 'record')} in {count(len(branches), 'branch', 'branches')}"
    more = f" The {MOST_DRAWN:,} largest are drawn." if len(branches) > MOST_DRAWN else ""
    st.caption(f"{told}, by {', '.join(map(plain, levels))}.{more} Choose a row of the table to see its records.")


def _draw(tree: Branch, shape: str, levels: Sequence[str]) -> None:
    """Sizes are numbers of records; a branch whose records stand under several others is as large as those together."""
    shown = sorted(tree.walk(), key=lambda branch: (len(branch.path), -_size(branch)))[: MOST_DRAWN + 1]
    data = {
        "type": "sunburst" if shape == RINGS else "icicle",
        "ids": [_id(branch.path) for branch in shown],
        "parents": [_id(branch.path[:-1]) if branch.path else "" for branch in shown],
        "labels": [charts.letters(branch.name, 40) for branch in shown],
        "values": [_size(branch) for branch in shown],
        "customdata": [len(branch.record_ids) for branch in shown],
        "hovertemplate": "%{label}<br>%{customdata} records<extra></extra>",
        "branchvalues": "total",
        "maxdepth": min(len(levels) + 1, 4),
        "textinfo": "label+value" if shape == BOXES else "label",
        "insidetextorientation": "auto",
    }
    if shape == BOXES:
        del data["insidetextorientation"]
    charts.show(
        [data],
        {"height": 460, "sunburstcolorway": charts.COLOURS, "iciclecolorway": charts.COLOURS},
        key=f"hierarchy-{shape}",
        alt="Branches by size; the table below says the same",
    )


def _id(path: tuple[str, ...]) -> str:
    """Of a branch, for the chart: lengths before names keep paths apart whatever is in them."""
    return "/" + "".join(f"{len(name)}:{name}" for name in path)


def _size(branch: Branch) -> int:
    """At least its records and at least its branches together, as the chart needs it."""
    return max(len(branch.record_ids), sum(map(_size, branch.branches)))


def _show_branches(found: Found, branches: Sequence[Branch], levels: Sequence[str]) -> None:
    key = f"hierarchy-table-{hash((tuple(levels), len(branches), branches[0].record_ids[:1]))}"
    event = st.dataframe(
        records.arrow([_line(branch, levels) for branch in branches]),
        key=key,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        height=35 * (min(len(branches), 6) + 1) + 3,
        alt="Every branch with the number of its records",
    )
    cells = event["selection"]["cells"]
    if cells and cells[0][0] < len(branches):
        chosen = branches[cells[0][0]]
        st.caption(f"{count(len(chosen.record_ids), 'record')} of {plain(' > '.join(chosen.path))}")
        record_list.show(found, chosen.record_ids, key="hierarchy-records")

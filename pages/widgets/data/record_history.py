"""What people changed of a record: who, when, why, and the button that takes it back."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.data.record_cells import value_words
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from pages.widgets.words import moment_of
from r3con_core.changes import (
    AddRecord,
    CorrectRecord,
    Entry,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
)
from r3con_core.corrections.applying import differing
from r3con_core.records import Certainty, Record, Value
from r3con_core.runs import Run
from r3con_core.store.changes import undo_change
from r3con_core.store.project import Project
from r3con_core.views.graphs import level_name


def show(project: Project, run: Run, found: Found, record: Record) -> None:
    """Every change that made the record what it is, oldest first; nothing when there is none."""
    for entry in entries_of(found, record):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"history-{record.id}-{entry.number}"
        ):
            note = f" — {plain(entry.note)}" if entry.note else ""
            st.markdown(
                f":violet[:material/person_edit:] {_told(found, entry)}{note} "
                f":gray[{plain(entry.author)}, {moment_of(entry.made)} UTC]",
                width="stretch",
            )
            if st.button("Take back", key=f"undo-{record.id}-{entry.number}", icon=":material/undo:", type="tertiary"):
                with shown():
                    undo_change(project, run.id, entry.number, author=state.analyst())
                    st.rerun()


def entries_of(found: Found, record: Record) -> Sequence[Entry]:
    """The changes of the record and of the names in it, by their numbers."""
    own = [*found.corrected.by_record.get(record.id, ()), *_name_changes(found, record)]
    return sorted({entry.number: entry for entry in own}.values(), key=lambda entry: entry.number)


def _name_changes(found: Found, record: Record) -> list[Entry]:
    written = {level_name(name) for name in found.corrected.written.get(record.id, {}).values()}
    return [
        entry
        for entry in found.corrected.names
        if isinstance(entry.change, MergeNames) and written & {level_name(name) for name in entry.change.names}
    ]


def _told(found: Found, entry: Entry) -> str:
    match entry.change:
        case CorrectRecord(of=of, now=now):
            return "; ".join(_differences(of, now)) or "Another quote."
        case RejectRecord():
            return "Rejected."
        case AddRecord():
            return "Added."
        case MergeRecords(of=several):
            return f"Merged: {', '.join(label(found, one.id) for one in several)}."
        case SplitRecord(of=of, into=into):
            return f"{label(found, of.id)} split into {', '.join(label(found, one.id) for one in into)}."
        case MergeNames(names=names, name=name):
            return f"{plain(', '.join(names))} read as **{plain(name)}**."
        case _:
            return ""


def label(found: Found, record_id: str) -> str:
    """The label of a record, or words for one that is not there."""
    try:
        return found.data.label(record_id)
    except KeyError:
        return "a record that is not there any more"


def _differences(of: Record, now: Record) -> list[str]:
    told = []
    for name in differing(of, now):
        was, is_now = (_value(record, name) for record in (of, now))
        told.append(f"{plain(name.replace('_', ' '))}: ~~{plain(was)}~~ → **{plain(is_now)}**")
    if of.evidence != now.evidence:
        told.append("quotes changed")
    return told


def _value(record: Record, name: str) -> str:
    value: Value | Certainty = record.values.get(name)
    if name == "said_by":
        value = record.said_by
    if name == "certainty":
        value = record.certainty.value
    return value_words(value) or "nothing"

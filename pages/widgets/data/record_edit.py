"""Changes of one record: edit, reject, merge with others, split; and a record that no model gave."""

from collections.abc import Iterable, Iterator, Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.data import record_inputs
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from r3con_core.changes import AddRecord, Correction, RejectRecord
from r3con_core.corrections.making import Place, Said, add_record, correct_record, merge_records, split_record
from r3con_core.documents import Document
from r3con_core.errors import CorrectionError
from r3con_core.records import Record, Standing, find_labels
from r3con_core.runs import Run
from r3con_core.schemas import RecordType
from r3con_core.store.changes import add_change
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project
from r3con_core.views.graphs import level_name
from r3con_core.views.tables import flat, in_words

EDIT, REJECT, MERGE, SPLIT = "Edit", "Reject", "Merge", "Split"
_ICONS = {
    EDIT: ":material/edit:",
    REJECT: ":material/block:",
    MERGE: ":material/merge:",
    SPLIT: ":material/call_split:",
}
_HELP = (
    "Edit: other values or quotes. Reject: nothing is concluded from it. Merge: it tells of the same thing as others. "
    "Split: it tells of two things. What the model said is kept, and every change can be taken back."
)
MOST_LIKE = 8
"""Records of the same name that are offered to merge with."""


def show(project: Project, run: Run, found: Found, record: Record) -> None:
    """The changes that can be made of the record, the chosen one with its inputs."""
    if record.standing is not Standing.KEPT:
        return
    key = change_key(found, record)
    chosen = st.segmented_control(
        "Change this record",
        list(_ICONS),
        format_func=lambda name: f"{_ICONS[name]} {name}",
        key=key,
        help=_HELP,
    )
    if chosen is None:
        return
    forms = {EDIT: _edit, REJECT: _reject, MERGE: _merge, SPLIT: _split}
    with shown():
        forms[chosen](project, run, found, record)


def change_key(found: Found, record: Record) -> str:
    """The key of the choice of a change: another one after each change, so that the form closes."""
    return f"change-{record.id}-{len(found.corrected.by_record.get(record.id, ()))}"


def offer_adding(project: Project, run: Run, found: Found, record_type: RecordType) -> None:
    """The form for a new record, folded away."""
    with st.expander(f"Add a record to {plain(record_type.name)}", icon=":material/add:", type="compact"):
        show_adding(project, run, found, record_type)


def show_adding(project: Project, run: Run, found: Found, record_type: RecordType) -> None:
    """A form for a record of this type that no model gave; the place that is open in a document is its first quote."""
    key, named = f"add-{record_type.name}", state.current_document_id()
    place = state.current_span() if named in found.numbers else None
    if place is not None:
        key += f"-{named}-{place.start}-{place.end}"
        st.session_state.setdefault(f"{key}-quote-new", _document(project, named).text[place.start : place.end])
    ids = list(found.numbers)
    with st.form(key):
        document_id = st.selectbox(
            "Document",
            ids,
            ids.index(named) if named in found.numbers else 0,
            format_func=found.document_name,
            key=f"{key}-document",
            help="Where it is said, or the document it is about.",
        )
        said = record_inputs.said(found, record_type.fields, None, key)
        note, pressed = _end("Add the record", key)
    if pressed:
        with shown():
            change = add_record(said, _place(project, run, found, (record_type.name, document_id)))
            _keep(project, run, change, note)


def _edit(project: Project, run: Run, found: Found, record: Record) -> None:
    fields = found.data.schema.get(record.type).fields
    with st.form(f"edit-{record.id}"):
        said = record_inputs.said(found, fields, record, f"edit-{record.id}")
        note, pressed = _end("Save", f"edit-{record.id}")
    if pressed:
        change = correct_record(record, said, _place(project, run, found, (record.type, record.document_id)))
        if change is None:
            raise CorrectionError("Nothing is different yet, so there is nothing to save.")
        _keep(project, run, change, note)


def _reject(project: Project, run: Run, found: Found, record: Record) -> None:
    with st.form(f"reject-{record.id}"):
        label = found.data.label(record.id)
        st.markdown(f"{label} stays visible, marked as rejected, and the answer's code no longer gets it.")
        note, pressed = _end("Reject the record", f"reject-{record.id}")
    if pressed:
        _keep(project, run, RejectRecord(of=record), note)


def _merge(project: Project, run: Run, found: Found, record: Record) -> None:
    others = _others(found, record)
    if not others:
        st.caption("Name the other records to see what the merged one would say.")
        return
    several = [record, *others]
    with st.form(f"merge-{record.id}"):
        st.markdown(
            f"One record in place of {len(several)}, with all their quotes. It keeps the name "
            f"{found.data.label(record.id)}. Where they differ, choose."
        )
        said = _chosen_values(found, several)
        note, pressed = _end(f"Merge {len(several)} records", f"merge-{record.id}")
    if pressed:
        place = _place(project, run, found, (record.type, record.document_id))
        texts = [_document(project, one.document_id).text for one in others]
        _keep(project, run, merge_records(several, said, place, texts), note)


def _others(found: Found, record: Record) -> list[Record]:
    """The records to merge with, by their labels, checked."""
    like = [found.data.label(one.id) for one in _of_one_name(found, record)]
    picked = st.pills("Records of the same name", like, selection_mode="multi", key=f"like-{record.id}") if like else []
    typed = st.text_input(
        "Records to merge with",
        key=f"merge-with-{record.id}",
        placeholder="R12, R40",
        help="Their labels, as the first column of the table has them.",
    )
    others = []
    for label in dict.fromkeys((*picked, *find_labels(typed.upper()))):
        record_id = found.data.id_of(label)
        if record_id is None:
            raise CorrectionError(f"No record is called {label}.")
        other = found.data.get(record_id)
        if other.type != record.type or other.id == record.id or other.standing is not Standing.KEPT:
            raise CorrectionError(f"{label} is not another record of the type {record.type} that still stands.")
        others.append(other)
    return others


def _of_one_name(found: Found, record: Record) -> list[Record]:
    label = found.data.schema.get(record.type).label
    name = level_name(in_words(flat(record.values.get(label))))
    same = (
        one
        for one in found.data.records
        if one.type == record.type and one.id != record.id and one.standing is Standing.KEPT
    )
    alike = [one for one in same if name and level_name(in_words(flat(one.values.get(label)))) == name]
    return alike[:MOST_LIKE]


def _chosen_values(found: Found, several: Sequence[Record]) -> Said:
    """For each field the one value, or the one of several that a person chooses."""
    first = several[0]
    values = {}
    for field in found.data.schema.get(first.type).fields:
        given = [one.values.get(field.name) for one in several]
        told = {in_words(flat(value)): value for value in given if in_words(flat(value))}
        values[field.name] = next(iter(told.values()), None)
        if len(told) > 1:
            chosen = st.selectbox(plain(field.name), list(told), key=f"merged-{first.id}-{field.name}")
            values[field.name] = told[chosen]
    return Said(values=values, said_by=first.said_by, certainty=first.certainty)


def _split(project: Project, run: Run, found: Found, record: Record) -> None:
    fields = found.data.schema.get(record.type).fields
    with st.form(f"split-{record.id}"):
        st.markdown("Two records in place of one. Split one of them again where there are more.")
        columns = st.columns(2, gap="medium")
        parts = []
        for number, column in enumerate(columns, start=1):
            with column:
                st.markdown(f"**Part {number}**")
                parts.append(record_inputs.said(found, fields, record, f"split-{record.id}-{number}", columns=1))
        note, pressed = _end("Split the record", f"split-{record.id}")
    if pressed:
        place = _place(project, run, found, (record.type, record.document_id))
        _keep(project, run, split_record(record, parts, place), note)


def _end(label: str, key: str) -> tuple[str, bool]:
    """The end of every form: why, and the button; the note and whether it was pressed."""
    note = st.text_input("Why", key=f"{key}-why", placeholder="Optional; kept with your name and the time")
    return note.strip(), st.form_submit_button(label, type="primary", icon=":material/check:")


def _place(project: Project, run: Run, found: Found, of: tuple[str, str]) -> Place:
    record_type, document_id = of
    return Place(
        record_type=found.data.schema.get(record_type),
        document=_document(project, document_id),
        others=_Others(project, run.document_ids),
    )


class _Others(Iterable[Document]):
    """The run's documents, each loaded when it is looked at, since most quotes are found before."""

    def __init__(self, project: Project, ids: Sequence[str]) -> None:
        self._project, self._ids = project, ids

    def __iter__(self) -> Iterator[Document]:
        return (_document(self._project, document_id) for document_id in self._ids)


def _document(project: Project, document_id: str) -> Document:
    document = load_document(project, document_id)
    assert document is not None, "a document that a run has read stays in its project"
    return document


def _keep(project: Project, run: Run, change: Correction, note: str) -> None:
    """Keep the change, close the form, and show what became of it."""
    add_change(project, run.id, change, author=state.analyst(), note=note)
    state.leave_message("Kept. It can be taken back in the record, or on the Changes page.")
    if isinstance(change, AddRecord):
        state.set_place(record=change.record.id, doc=None, at=None)
    st.rerun()

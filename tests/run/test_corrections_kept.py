"""Corrections of a run: they survive another schema and another parse, and what the model said stays as it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.changes import AddRecord, CorrectRecord, MergeNames
from r3con_core.checks.objections import changed_since
from r3con_core.corrections.applying import GONE
from r3con_core.corrections.making import Place, Said, add_record, correct_record
from r3con_core.exports import export_html, export_run, load_contents
from r3con_core.jobs import requeue
from r3con_core.overlay import corrected_data, data_of
from r3con_core.records import Record, record_id
from r3con_core.runs import RunState
from r3con_core.sandbox import code_can_run
from r3con_core.schema.edits import Remove, Rename
from r3con_core.store.answers import answer_time, load_answer
from r3con_core.store.changes import add_change, list_changes, redo_change, undo_change
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project
from r3con_core.store.records import load_records, save_parse
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accept_schema, accepted_schema, apply_edit
from r3con_core.verify.bundles import verify_bundle
from r3con_core.verify.runs import Outcome, verify_run
from tests.fakes import Scripted, carry_scripted, finished_harbour

Kept = tuple[Project, str, Record, int]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A finished run in which a person has put a landing of 40 cases right."""
    project, run_id = finished_harbour(tmp_path)
    record = next(one for one in said(project, run_id) if one.values.get("cases") == 40)
    entry = add_change(project, run_id, edit(project, record, cases=41), author="editor")
    return project, run_id, record, entry.number


def said(project: Project, run_id: str) -> tuple[Record, ...]:
    """What the model said."""
    schema = accepted_schema(project, run_id)
    assert schema is not None
    return load_records(project, run_id, schema, load_run(project, run_id).document_ids).records


def stands(project: Project, run_id: str) -> tuple[Record, ...]:
    data = data_of(project, run_id)
    assert data is not None
    return data.records


def edit(project: Project, record: Record, **values: int) -> CorrectRecord:
    document = load_document(project, record.document_id)
    run = project.db.execute("select id from runs").fetchone()["id"]
    schema = accepted_schema(project, run)
    assert document is not None
    assert schema is not None
    quotes = tuple(one.quote for one in record.evidence)
    told = Said(values={**record.values, **values}, quotes=quotes, said_by=record.said_by, certainty=record.certainty)
    change = correct_record(record, told, Place(record_type=schema.get(record.type), document=document))
    assert change is not None
    return change


def test_what_the_model_said_stays_as_it_is_and_still_verifies(kept: Kept) -> None:
    project, run_id, record, _ = kept
    assert record in said(project, run_id)
    assert [one.values["cases"] for one in stands(project, run_id) if one.id == record.id] == [41]
    assert verify_run(project, run_id).faults == ()


def test_a_change_can_be_taken_back_and_put_back(kept: Kept) -> None:
    project, run_id, _, number = kept
    corrected = stands(project, run_id)
    undo_change(project, run_id, number, author="lawyer")
    assert stands(project, run_id) == said(project, run_id)
    redo_change(project, run_id, number)
    assert stands(project, run_id) == corrected


def added(project: Project, record: Record, cases: int) -> AddRecord:
    """A landing like `record`, of as many cases, that a person gives."""
    document = load_document(project, record.document_id)
    schema = accepted_schema(project, project.db.execute("select id from runs").fetchone()["id"])
    assert document is not None
    assert schema is not None
    said = Said(values={**record.values, "cases": cases})
    return add_record(said, Place(record_type=schema.get(record.type), document=document))


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_a_record_that_the_answer_cites_keeps_its_label_when_it_is_taken_back(kept: Kept) -> None:
    project, run_id, record, _ = kept
    first = add_change(project, run_id, added(project, record, 7), author="editor")
    second = add_change(project, run_id, added(project, record, 8), author="editor")
    requeue(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    before, answer = data_of(project, run_id), load_answer(project, run_id)
    assert before is not None
    assert answer is not None
    ids = [entry.change.record.id for entry in (first, second) if isinstance(entry.change, AddRecord)]
    assert set(ids) <= set(answer.record_ids)
    undo_change(project, run_id, first.number, author="lawyer")
    now = data_of(project, run_id)
    assert now is not None
    assert [now.label(each) for each in ids] == [before.label(each) for each in ids]
    assert [now.get(each).counts for each in ids] == [False, True]
    made = load_contents(project, run_id)
    assert made.corrected is not None
    changes = {each: made.corrected.by_record.get(each, ()) for each in answer.record_ids}
    told = changed_since(list_changes(project, run_id), answer_time(project, run_id), now, changes)
    assert [entry.number for entry in told[ids[0]]] == [first.number]
    assert "rejected" in export_html(project, run_id)
    report = verify_bundle(export_run(project, run_id))
    assert [one for one in report.checks if one.outcome is not Outcome.HOLDS] == []


def test_a_correction_follows_its_field_when_that_is_renamed(kept: Kept) -> None:
    project, run_id, record, _ = kept
    apply_edit(project, run_id, Rename(path=("Landing", "cases"), name="boxes"), reason="clearer")
    accept_schema(project, run_id)
    (now,) = [one for one in stands(project, run_id) if one.id == record.id]
    assert (now.values["boxes"], now.changed) == (41, ("boxes",))


def test_a_value_whose_field_is_removed_is_left_out_and_said(kept: Kept) -> None:
    project, run_id, record, number = kept
    apply_edit(project, run_id, Remove(path=("Landing", "cases")), reason="not needed")
    accept_schema(project, run_id)
    found = corrected_data(project, run_id)
    assert found is not None
    assert found.left_out == {number: ("cases",)}
    assert found.data.get(record.id).values == {name: value for name, value in record.values.items() if name != "cases"}


def test_merged_names_follow_a_renamed_record_type(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    names = MergeNames(record_type="Launch", names=("Heron", "Petrel"), name="Heron")
    add_change(project, run_id, names, author="editor")
    apply_edit(project, run_id, Rename(path=("Launch",), name="Vessel"), reason="clearer")
    accept_schema(project, run_id)
    assert {one.values["name"] for one in stands(project, run_id) if one.type == "Vessel"} == {"Heron"}


def test_a_correction_finds_its_record_when_the_document_is_parsed_again(kept: Kept) -> None:
    project, run_id, record, _ = kept
    again = parsed_again(project, run_id, record, place="the old quay")
    (now,) = [one for one in stands(project, run_id) if one.id == again.id]
    assert now.values == {**again.values, "cases": 41}


def test_a_correction_whose_record_is_not_parsed_any_more_is_kept_as_lost(kept: Kept) -> None:
    project, run_id, record, number = kept
    save_parse(project, run_id, record.document_id, ())
    found = corrected_data(project, run_id)
    assert found is not None
    assert [(one.entry.number, one.reason) for one in found.lost] == [(number, GONE)]
    save_parse(project, run_id, record.document_id, (record,))
    found = corrected_data(project, run_id)
    assert found is not None
    assert found.lost == ()
    assert found.data.get(record.id).values["cases"] == 41


def parsed_again(project: Project, run_id: str, record: Record, **values: str) -> Record:
    """The record as another parse gives it: another id, another value, the same words of the document."""
    quotes = [one.quote for one in record.evidence]
    told = {**record.values, **values}
    identity = record_id(record_type=record.type, document_id=record.document_id, values=told, quotes=quotes)
    again = replace(record, id=identity, values=told)
    save_parse(project, run_id, record.document_id, (again,))
    return again

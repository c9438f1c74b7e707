"""The Schema page's gate: reasons, trying, asking the model, starting from elsewhere, history, what accepting costs."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.schema import desk as schema_desk
from r3con_core import errands
from r3con_core.errands import Preview, Revise, Trial, Tried
from r3con_core.jobs import accept_and_queue
from r3con_core.method.revising import Revision
from r3con_core.runs import RunState
from r3con_core.saved_schemas import keep_schema, saved_schemas
from r3con_core.schema.edits import AddField, Remove
from r3con_core.schema.files import pydantic_source
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import Author
from r3con_core.store.codec import dump
from r3con_core.store.errands import ErrandState, claim_errand, end_errand, keep_result
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import apply_edit, newest_schema, schema_versions
from tests.fakes import Scripted, carry_scripted, finished_harbour, start_harbour_run
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page

WHAT = Field(name="what", meaning="in a few words", kind=Scalar())
SHIP = Schema(record_types=(RecordType(name="Ship", meaning="one ship", fields=(WHAT,)),))
WEIGHT = Field(name="weight", meaning="in hundredweight", kind=Scalar(of=ScalarType.NUMBER), why="to *weigh*")


@pytest.fixture
def waiting(project: Project) -> str:
    """A run whose schema waits for a person; its id."""
    run_id = start_harbour_run(project)
    assert carry_scripted(project, run_id, Scripted()) is RunState.WAITING
    return run_id


def page(run_id: str, tab: str = "Tree") -> AppTest:
    at = open_page("schema", project="harbour", run=run_id)
    at.session_state[schema_desk.TABS] = tab
    at.run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    parts = [*at.main.markdown, *at.main.caption, *at.main.info, *at.main.warning, *at.main.error]
    return " ".join(part.value for part in parts).replace("\\", "")


def with_key(at: AppTest, kind: str, key: str):  # type: ignore[no-untyped-def]
    (found,) = [element for element in getattr(at, kind) if element.key == key]
    return found


def test_what_accepting_asks_and_costs_is_told_before(project: Project, waiting: str) -> None:
    text = said(page(waiting))
    assert "Asks **10 of 10 documents**; then the answer is made." in text
    assert "calls, about" in text


def test_a_rename_after_accepting_asks_no_document_and_the_page_says_so(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    apply_edit(project, run_id, Remove(path=("Landing", "place")), reason="an edit")
    assert "**Asks no document again**: all records are carried over." in said(page(run_id))
    apply_edit(project, run_id, AddField(parent=("Landing",), field=WEIGHT), reason="another")
    assert "Asks **5 of 10 documents**, record type Landing only; then the answer is made." in said(page(run_id))


def test_a_reason_can_be_written_and_is_kept_as_an_edit_of_its_own(project: Project, waiting: str) -> None:
    at = page(waiting)
    (box,) = [area for area in at.text_area if area.label == "Why the question needs it"]
    box.set_value("The question counts them.")
    click(at, "Save changes")
    assert newest_schema(project, waiting).get("Landing").why == "The question counts them."
    assert schema_versions(project, waiting)[-1].reason == "Gave another reason for Landing"


def test_the_documents_with_most_to_say_are_suggested_for_a_trial_with_its_cost(project: Project, waiting: str) -> None:
    at = page(waiting, "Try it")
    assert len(with_key(at, "multiselect", f"schema-try-{waiting}").value) == 3
    assert "Asks 3 documents:" in said(at)
    assert load_run(project, waiting).state is RunState.WAITING


def test_a_trial_shows_records_with_quotes_and_what_could_not_be_parsed(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    run = load_run(project, run_id)
    data = load_records(project, run_id, newest_schema(project, run_id), run.document_ids)
    landing = data.of_type("Landing")[0]
    apply_edit(project, run_id, AddField(parent=("Landing",), field=WEIGHT), reason="an edit")
    chosen = (run.document_ids[0], run.document_ids[1])
    errand_id = errands.queue(project, run_id, Preview(version=2, document_ids=chosen))
    trial = Trial(
        documents=(
            Tried(document_id=chosen[0], records=(landing,), asked=("Landing",)),
            Tried(document_id=chosen[1], records=(), asked=(), reason="The model [said] no."),
        )
    )
    keep_result(project, errand_id, dump(trial, Trial))
    end_errand(project, errand_id, ErrandState.DONE)
    at = page(run_id, "Try it")
    text = said(at)
    assert "**1 record in 2 documents**" in text
    assert "Asked for Landing only; all else is carried over." in text
    assert "It could not be parsed: The model [said] no." in text
    (table,) = [frame.value for frame in at.main.dataframe]
    assert table["its quote"][0] == "The grey launch landed 40 cases at Lime Quay"
    assert list(table.columns)[-4:] == ["its quote", "quote found", "how certain", "not in the document"]


def test_a_trial_at_work_shows_its_progress_and_can_be_stopped(project: Project, waiting: str) -> None:
    asked = Preview(version=1, document_ids=load_run(project, waiting).document_ids[:2])
    errand_id = errands.queue(project, waiting, asked)
    claim_errand(project, errand_id, 2**22 - 3)
    with project.change() as db:
        db.execute("update errands set pid = null")
    at = page(waiting, "Try it")
    assert any(button.label == "Stop" for button in at.main.button)
    assert not any(button.label == "Try it" for button in at.main.button)


def test_why_a_trial_failed_is_told(project: Project, waiting: str) -> None:
    errand_id = errands.queue(
        project, waiting, Preview(version=1, document_ids=load_run(project, waiting).document_ids[:1])
    )
    end_errand(project, errand_id, ErrandState.FAILED, "The address [does] not answer.")
    assert "The address [does] not answer." in said(page(waiting, "Try it"))


def revise(project: Project, run_id: str, revision: Revision) -> None:
    version = len(schema_versions(project, run_id))
    errand_id = errands.queue(project, run_id, Revise(version=version, wish="add the *weight*"))
    keep_result(project, errand_id, dump(revision, Revision))
    end_errand(project, errand_id, ErrandState.DONE)


TWO = Revision(
    edits=(AddField(parent=("Landing",), field=WEIGHT), Remove(path=("Landing", "place"))),
    reason="as asked",
    told=("rename Ship: there is no 'Ship' in the schema",),
)


def test_proposed_changes_are_shown_with_before_and_after_and_each_can_be_refused(
    project: Project, waiting: str
) -> None:
    revise(project, waiting, TWO)
    at = page(waiting, "Ask the model")
    text = said(at)
    assert "add the *weight*" in text
    assert "rename Ship: there is no 'Ship' in the schema" in text
    assert "Why: to *weigh*" in text
    shown = [block.value for block in at.main.code]
    assert any("+   - weight (number): in hundredweight" in block for block in shown)
    assert any("-   - place (text): the quay" in block for block in shown)
    boxes = [box for box in at.main.checkbox if box.key and box.key.startswith("errand-")]
    boxes[1].set_value(False).run()
    click(at, "Make 1 change")
    names = [field.name for field in newest_schema(project, waiting).get("Landing").fields]
    assert names == ["what", "launch", "cases", "night", "place", "weight"]


def test_none_of_the_proposed_changes_may_be_taken(project: Project, waiting: str) -> None:
    revise(project, waiting, TWO)
    at = click(page(waiting, "Ask the model"), "Take none")
    assert len(schema_versions(project, waiting)) == 1
    assert "as asked" not in said(at)


def test_a_schema_from_text_is_looked_at_and_then_takes_the_place_of_the_proposal(
    project: Project, waiting: str
) -> None:
    at = page(waiting, "Start from")
    at.session_state[f"schema-from-{waiting}"] = "File or text"
    at.run()
    with_key(at, "text_area", "schema-text").set_value(pydantic_source(SHIP)).run()
    assert "**1 record type**, 1 field" in said(at)
    click(at, "Start from this schema")
    newest = schema_versions(project, waiting)[-1]
    assert (newest.schema, newest.author, newest.reason) == (SHIP, Author.HUMAN, "Started from a text")
    assert newest.made_by


def test_a_text_that_is_no_schema_is_explained_and_changes_nothing(project: Project, waiting: str) -> None:
    at = page(waiting, "Start from")
    at.session_state[f"schema-from-{waiting}"] = "File or text"
    at.run()
    with_key(at, "text_area", "schema-text").set_value("{oops").run()
    assert "Line 1, column 2: this is not JSON" in said(at)
    assert not any(button.label == "Start from this schema" for button in at.main.button)
    assert len(schema_versions(project, waiting)) == 1


def test_a_schema_is_kept_by_name_and_found_again(project: Project, waiting: str, home: Path) -> None:
    at = page(waiting, "Start from")
    with_key(at, "text_input", "schema-keep-name").set_value("landings")
    click(at, "Keep it")
    assert [one.name for one in saved_schemas(home)] == ["landings"]
    keep_schema(home, "a ship", SHIP)
    at = page(waiting, "Start from")
    with_key(at, "selectbox", "schema-kept").set_value("a ship").run()
    click(at, "Start from this schema")
    assert newest_schema(project, waiting) == SHIP


def test_another_runs_schema_can_be_taken(project: Project, waiting: str) -> None:
    apply_edit(project, waiting, Remove(path=("Landing", "place")), reason="an edit")
    other = start_harbour_run(project)
    carry_scripted(project, other, Scripted())
    at = page(other, "Start from")
    at.session_state[f"schema-from-{other}"] = "Another run"
    at.run()
    click(at, "Start from this schema")
    assert newest_schema(project, other) == newest_schema(project, waiting)


def test_a_schema_can_be_given_before_the_model_proposes_one(project: Project, home: Path) -> None:
    keep_schema(home, "a ship", SHIP)
    run_id = start_harbour_run(project)
    click(open_page("schema", project="harbour", run=run_id), "Start from this schema")
    model = Scripted()
    assert carry_scripted(project, run_id, model) is RunState.WAITING
    assert newest_schema(project, run_id) == SHIP
    assert not any(prompt.stage.value == "schema" for prompt in model.prompts)


def test_any_two_versions_are_compared_and_an_earlier_one_comes_back_as_a_new_one(
    project: Project, waiting: str
) -> None:
    apply_edit(project, waiting, Remove(path=("Landing", "place")), reason="an edit", made_by="Ada")
    apply_edit(project, waiting, AddField(parent=("Landing",), field=WEIGHT), reason="another", made_by="Ada")
    at = page(waiting, "History")
    assert any(caption.value.startswith("By Ada, ") for caption in at.main.caption)
    with_key(at, "selectbox", "schema-compare-from-3").set_value(1).run()
    text = said(at)
    assert "**Added:** Landing.weight (number)" in text
    assert "**Removed:** Landing.place (text)" in text
    with_key(at, "button", "schema-back-1").click().run()
    versions = schema_versions(project, waiting)
    assert (len(versions), versions[-1].reason) == (4, "Went back to version 1")
    assert versions[-1].schema == versions[0].schema


def test_accepting_stops_what_is_at_work_beside_the_run(project: Project, waiting: str, workers: Workers) -> None:
    asked = Preview(version=1, document_ids=load_run(project, waiting).document_ids[:1])
    errands.queue(project, waiting, asked)
    click(page(waiting), "Accept and parse")
    assert workers.started == [waiting]
    assert errands.active(project, waiting) is None


def test_while_the_run_is_at_work_nothing_can_be_tried_or_taken(project: Project, waiting: str) -> None:
    accept_and_queue(project, waiting)
    at = page(waiting, "Try it")
    assert [tab.label for tab in at.main.tabs] == ["Tree", "Diagram", "JSON Schema", "Pydantic", "History"]

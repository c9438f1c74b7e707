"""Every way a run can have gone replays from its call log, or says plainly what of it cannot."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.changes import AddRound, CorrectRecord, EditSnippet, ExcludeDocument, Hint, RejectRecord
from r3con_core.derived import begun_from, plan_ablation, plan_added, plan_follow_up, plan_repeats, plan_second_reading
from r3con_core.errands import Preview
from r3con_core.errors import StoppedError
from r3con_core.exchange import Prompt, Reply
from r3con_core.exports import export_run, import_run, load_contents
from r3con_core.jobs import accept_and_queue, apply_steering, go_on, requeue, steer
from r3con_core.relations import Relation
from r3con_core.runs import RunState
from r3con_core.schema.edits import AddField, Rename, SchemaEdit
from r3con_core.schemas import Field, Scalar, ScalarType
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run, set_state
from r3con_core.store.schemas import apply_edit
from r3con_core.verify.bundles import AFRESH, CHAIN, verify_bundle
from r3con_core.verify.replay import ANSWER, OUTGROWN, RECORDS, SCHEMA, SNIPPETS
from r3con_core.verify.runs import Outcome
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_project, start_harbour_run
from tests.run.test_derived import ANOTHER_QUESTION, OTHER, carried, grown_harbour
from tests.run.test_errands import carry_out, chosen
from tests.run.test_schema_edited import edited_answer

pytestmark = pytest.mark.usefixtures("steps_remembered")
Run = tuple[Project, str]


def outcomes(project: Project, run_id: str) -> dict[str, tuple[str, ...] | str]:
    """What of the bundle does not hold (its faults), or could not be checked (why)."""
    checks = verify_bundle(export_run(project, run_id)).checks
    return {one.what: one.faults or one.open for one in checks if one.outcome is not Outcome.HOLDS}


def waited_between_rounds(root: Path) -> Run:
    project = harbour_project(root)
    run_id = start_harbour_run(project, straight_through=True, between_rounds=True)
    assert carry_scripted(project, run_id, Scripted()) is RunState.BETWEEN
    steer(project, run_id, Hint(round=2, text="Look for the colour of the launch."), author="Ada Penn")
    go_on(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    return project, run_id


def excluded_a_document(root: Path) -> Run:
    project, run_id = finished_harbour(root)
    out = ExcludeDocument(document_id=load_contents(project, run_id).corpus.documents[4].id, round=0)
    steer(project, run_id, out, author="Ada Penn")
    apply_steering(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    return project, run_id


def reasoned_with_a_correction(root: Path) -> Run:
    project, run_id = finished_harbour(root)
    data = load_contents(project, run_id).data
    assert data is not None
    first = data.records[0]
    now = replace(first, said_by="Alfred Penn, lamplighter", changed=("said_by",))
    add_change(project, run_id, CorrectRecord(of=first, now=now), author="Ada Penn")
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    return project, run_id


def edited(*edits: SchemaEdit) -> Callable[[Path], Run]:
    def make(root: Path) -> Run:
        project, run_id = finished_harbour(root)
        for edit in edits:
            apply_edit(project, run_id, edit, reason="an edit")
            accept_and_queue(project, run_id)
            assert carry_scripted(project, run_id, Scripted(edited_answer)) is RunState.DONE
        return project, run_id

    return make


WEIGHT = AddField(
    parent=("Landing",), field=Field(name="weight", meaning="in hundredweight", kind=Scalar(of=ScalarType.NUMBER))
)
TOLL = AddField(parent=("Launch",), field=Field(name="toll", meaning="paid at the quay", kind=Scalar()))


def steered_and_left_there(root: Path) -> Run:
    project, run_id = finished_harbour(root)
    steer(project, run_id, Hint(round=2, text="Look for the colour of the launch."), author="Ada Penn")
    steer(project, run_id, AddRound(), author="Ada Penn")
    return project, run_id


def edited_while_it_waits_between_rounds(root: Path) -> Run:
    project = harbour_project(root)
    run_id = start_harbour_run(project, between_rounds=True)
    assert carry_scripted(project, run_id, Scripted()) is RunState.BETWEEN
    document_id = load_contents(project, run_id).corpus.documents[2].id
    steer(project, run_id, EditSnippet(document_id=document_id, round=2, text="25 cases."), author="Ada Penn")
    return project, run_id


def waits_before_a_round_of_chosen_documents(root: Path) -> Run:
    project = harbour_project(root)
    run_id = start_harbour_run(project, straight_through=True, between_rounds=True, rounds=1)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    chosen = load_contents(project, run_id).corpus.documents[2].id
    steer(project, run_id, AddRound(only=(chosen,)), author="Ada Penn")
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.BETWEEN
    return project, run_id


def corrected_under_its_third_schema(root: Path) -> Run:
    project, run_id = edited(WEIGHT, TOLL)(root)
    data = load_contents(project, run_id).data
    assert data is not None
    add_change(project, run_id, RejectRecord(of=data.records[0]), author="Ada Penn")
    return project, run_id


@pytest.mark.parametrize(
    "make",
    [
        waited_between_rounds,
        excluded_a_document,
        reasoned_with_a_correction,
        edited(Rename(path=("Landing", "place"), name="quay")),
        edited(WEIGHT),
        steered_and_left_there,
        edited_while_it_waits_between_rounds,
        corrected_under_its_third_schema,
    ],
    ids=["between rounds", "excluded", "corrected", "renamed", "one field", "left", "edited between", "two fields"],
)
def test_a_run_that_people_worked_on_holds(make: Callable[[Path], Run], tmp_path: Path) -> None:
    assert outcomes(*make(tmp_path)) == {}


def test_an_answer_from_before_rounds_that_a_run_waits_for_is_left_open(tmp_path: Path) -> None:
    assert outcomes(*waits_before_a_round_of_chosen_documents(tmp_path)) == {ANSWER: OUTGROWN}


def test_what_a_second_reading_has_of_the_first_is_left_open_and_its_answer_holds(tmp_path: Path) -> None:
    project, first = finished_harbour(tmp_path)
    run_id, _ = carried(project, plan_second_reading(project, first, reasoning=OTHER))
    given = f"They are those of the run {first}, which it began from."
    steer(project, run_id, AddRound(), author="Ada Penn")
    assert outcomes(project, run_id) == {SNIPPETS: given, RECORDS: given}


@pytest.mark.parametrize("relation", [Relation.WITHOUT_STRUCTURE, Relation.WITHOUT_RELEVANCE])
def test_ablations_hold_but_for_what_is_not_theirs(relation: Relation, tmp_path: Path) -> None:
    project, first = finished_harbour(tmp_path)
    run_id, _ = carried(project, plan_ablation(project, first, relation))
    found = outcomes(project, run_id)
    assert set(found) <= {SNIPPETS}
    assert all(isinstance(why, str) for why in found.values())


def test_a_repeat_and_added_documents_hold(tmp_path: Path) -> None:
    project, first = grown_harbour(tmp_path)
    (repeat,) = plan_repeats(project, first, 1)
    run_id, _ = carried(project, repeat)
    assert outcomes(project, run_id) == {}
    run_id, _ = carried(project, plan_added(project, first, Relation.ALL_AGAIN))
    assert outcomes(project, run_id) == {}
    elsewhere = import_run(tmp_path / "elsewhere", export_run(project, run_id))
    told = begun_from(project, load_run(project, run_id))
    assert begun_from(elsewhere, load_run(elsewhere, run_id)) == told
    assert told.startswith("2 documents were added")


def test_a_follow_up_on_the_same_records_leaves_only_them_open(tmp_path: Path) -> None:
    project, first = finished_harbour(tmp_path)
    planned = plan_follow_up(project, first, ANOTHER_QUESTION, Relation.SAME_RECORDS)
    run_id, _ = carried(project, planned)
    assert set(outcomes(project, run_id)) == {SNIPPETS, RECORDS}


@pytest.mark.parametrize("calls", [1, 8, 14, 21, 22, 25, 34])
def test_what_a_run_that_was_stopped_has_so_far_holds(calls: int, tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project, straight_through=True)
    model = Scripted()

    def stops(prompt: Prompt) -> Reply:
        if len(model.prompts) == calls:
            raise StoppedError
        return model(prompt)

    with pytest.raises(StoppedError):
        carry_scripted(project, run_id, stops)
    set_state(project, run_id, RunState.STOPPED)
    assert outcomes(project, run_id) == {}


def test_what_a_preview_asked_is_not_missed_in_a_run_that_failed_before_it_came_to_it(tmp_path: Path) -> None:
    project = harbour_project(tmp_path / "projects")
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    carry_out(project, run_id, Preview(version=1, document_ids=chosen(project, run_id, 6)), Scripted(), tmp_path)
    accept_and_queue(project, run_id)

    def refuses(_prompt: Prompt) -> Reply:
        raise StoppedError

    with pytest.raises(StoppedError):
        carry_scripted(project, run_id, refuses)
    set_state(project, run_id, RunState.STOPPED)
    assert outcomes(project, run_id) == {}


def test_a_run_that_waits_for_its_schema_holds(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project)
    assert carry_scripted(project, run_id, Scripted()) is RunState.WAITING
    assert outcomes(project, run_id) == {}


def test_a_run_file_of_an_earlier_version_opens_goes_on_and_holds_but_for_what_was_written_otherwise(
    tmp_path: Path,
) -> None:
    data = (Path(__file__).parents[1] / "cases" / "run_file_version_1.zip").read_bytes()
    report = verify_bundle(data)
    otherwise = {SNIPPETS, SCHEMA, RECORDS, ANSWER}
    assert {one.what for one in report.checks if one.outcome is not Outcome.HOLDS} == {CHAIN, AFRESH} | otherwise
    assert all("prompts v2" in one.open for one in report.checks if one.what in otherwise)
    assert not any(one.faults for one in report.checks)
    project = import_run(tmp_path, data)
    model, (run_id,) = Scripted(), [run.id for run in list_runs(project)]
    requeue(project, run_id)
    assert carry_scripted(project, run_id, model) is RunState.DONE
    assert len(model.prompts) == 13
    assert outcomes(project, run_id).keys() == otherwise

"""The stored steps run again: the same code over the same records gives the same, or says where it does not."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.answers import Execution, Proposed, Sentence, Step
from r3con_core.changes import RejectRecord
from r3con_core.errors import SandboxError, StoreError
from r3con_core.overlay import data_of
from r3con_core.rerun import Repeated, Rerun, change_of_answer, rerun_steps
from r3con_core.sandbox import code_can_run
from r3con_core.store.answers import load_answer, load_steps, save_step
from r3con_core.store.changes import add_change, undo_change
from tests.fakes import ScriptedSandbox, finished_harbour, harbour_project, start_harbour_run


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_the_same_code_over_the_same_records_gives_the_same_answer(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    rerun = rerun_steps(project, run_id)
    assert [repeated.same for repeated in rerun.steps] == [True] * len(load_steps(project, run_id))
    assert rerun.agrees


def test_another_output_is_told_and_ends_the_agreement(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    sandbox = ScriptedSandbox(Execution(output="something else"))
    rerun = rerun_steps(project, run_id, sandbox)  # type: ignore[arg-type]
    assert sandbox.ran == [step.code for step in load_steps(project, run_id)]
    assert not rerun.agrees
    assert not any(repeated.same for repeated in rerun.steps)


def test_a_step_that_failed_before_does_not_count(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    first, last = load_steps(project, run_id)
    said = last.execution
    save_step(project, run_id, replace(first, code="", execution=Execution(output="", fault="no block of code")))
    sandbox = ScriptedSandbox(said)
    rerun = rerun_steps(project, run_id, sandbox)  # type: ignore[arg-type]
    assert sandbox.ran == [last.code]
    assert rerun.agrees


def test_a_fault_that_the_host_found_is_no_change(tmp_path: Path) -> None:
    _, last = load_steps(*finished_harbour(tmp_path))
    proposed = Execution(output="", proposed=Proposed(text="85", cites=()))
    before = replace(last, execution=replace(proposed, fault="the answer names no record"))
    assert Repeated(step=before, execution=proposed).same
    assert not Repeated(step=replace(last, execution=proposed), execution=before.execution).same


def test_the_comparison_is_told_in_words(tmp_path: Path) -> None:
    first, last = load_steps(*finished_harbour(tmp_path))

    def told(before: Step, now: Execution) -> str:
        return Rerun(steps=(Repeated(step=before, execution=now),)).in_words

    assert told(last, last.execution) == "Same output, same answer: every step gave what it gave before."
    assert told(first, first.execution).startswith("Same output: every step gave what it gave before. The answer is")
    rests = "The answer rests on what they gave when it was written."
    assert told(first, Execution(output="")) == f"Step 1 printed something else. {rests}"
    other = Execution(output="", proposed=Proposed(text="84", cites=("R1",)))
    assert told(last, other) == f"Step 2 handed over another answer. {rests}"
    fault = Execution(output="", fault="NameError: x")
    assert told(last, fault) == f"Step 2 ended in an error this time: NameError: x. {rests}"
    assert told(replace(last, execution=fault), fault).startswith("Every step of this run ended in an error")


def test_a_run_without_steps_has_nothing_to_run_again(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    with pytest.raises(StoreError, match="no code to run again"):
        rerun_steps(project, start_harbour_run(project))


def test_where_no_code_can_run_none_is_run(tmp_path: Path) -> None:
    def closed(_: Mapping[str, object]) -> ScriptedSandbox:
        raise SandboxError("no walls here")

    with pytest.raises(SandboxError, match="no walls here"):
        rerun_steps(*finished_harbour(tmp_path), closed)  # type: ignore[arg-type]


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_without_corrections_the_answer_stays_the_same(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    answer = load_answer(project, run_id)
    assert answer is not None
    change = change_of_answer(answer, rerun_steps(project, run_id))
    assert change.before == change.after != ""
    assert change.stale == ()
    assert not change.changed


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_on_corrected_records_the_answer_is_told_as_it_was_and_as_it_is(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    data, answer = data_of(project, run_id), load_answer(project, run_id)
    assert data is not None
    assert answer is not None
    landing = next(one for one in data.of_type("Landing") if one.values["cases"] == 40)
    number = add_change(project, run_id, RejectRecord(of=landing), author="editor").number
    change = change_of_answer(answer, rerun_steps(project, run_id))
    assert change.changed
    assert "85" in change.before
    assert "45" in change.after
    assert [(one.sentence, one.figures) for one in change.stale] == [
        (1, ("85",)),
        (2, ("17", "40")),
    ]
    undo_change(project, run_id, number, author="editor")
    assert not change_of_answer(answer, rerun_steps(project, run_id)).changed


def test_figures_that_no_code_gave_and_labels_of_records_are_not_called_stale(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    answer = load_answer(project, run_id)
    assert answer is not None
    step = replace(load_steps(project, run_id)[0], execution=Execution(output="R7 has 1,200 of 3"))
    told = (
        Sentence(text="There were 1200 cases in 1931.", record_ids=()),
        Sentence(text="That is 3 of 7.", record_ids=()),
    )
    again = Rerun(steps=(Repeated(step=step, execution=Execution(output="R7 has 900 of 3")),))
    change = change_of_answer(replace(answer, sentences=told), again)
    assert change.before == change.after == ""
    assert [(one.sentence, one.figures) for one in change.stale] == [(1, ("1200",))]

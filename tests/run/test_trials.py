"""A person's code over a run's data: what comes of it is kept and compared, and the answer stays."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.answers import Execution, Proposed, Step
from r3con_core.differences import changed_lines
from r3con_core.errors import R3ConError, SandboxError, StoreError
from r3con_core.sandbox import code_can_run
from r3con_core.store.answers import load_answer, load_steps
from r3con_core.store.copies import copy_run
from r3con_core.store.project import create_project
from r3con_core.store.trials import Trial, list_trials
from r3con_core.trials import Attempt, left_behind, run_trial, trial_in_words
from tests.fakes import ScriptedSandbox, finished_harbour, harbour_project, start_harbour_run

AS_BEFORE = Execution(output="as before\n")


def attempt(code: str, **more: object) -> Attempt:
    return Attempt(code=code, author="ann", **more)  # type: ignore[arg-type]


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_an_edited_step_runs_after_those_before_it_and_changes_no_answer(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    before = load_answer(project, run_id)
    code = (
        'r = [x for x in records["Landing"] if x["launch"] == "Heron"]\nanswer(f"{len(r)} [R3]", ["R3"])\nrow["cases"]'
    )
    trial = run_trial(project, run_id, attempt(code, step=2, begun_with=1, note=" the Heron "))
    assert trial.execution.proposed == Proposed(text="1 [R3]", cites=("R3",))
    assert trial.execution.output == "20\n"
    assert (trial.author, trial.note, trial.number, trial.earlier) == ("ann", "the Heron", 1, "")
    assert list_trials(project, run_id) == (trial,)
    assert load_answer(project, run_id) == before


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_what_the_walls_refuse_is_a_fault_of_the_trial(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    trial = run_trial(project, run_id, attempt("open('/etc/hostname').read()"))
    assert trial.execution.fault is not None
    assert "PermissionError" in trial.execution.fault or "FileNotFoundError" in trial.execution.fault
    assert trial.execution.output == ""


def test_steps_run_first_only_when_asked_and_a_new_error_of_theirs_is_told(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    first, second = load_steps(project, run_id)
    bench = ScriptedSandbox(AS_BEFORE, {first.code: Execution(output="", fault="Traceback\nKeyError: 'Landing'")})
    alone = run_trial(project, run_id, attempt("1"), bench)  # type: ignore[arg-type]
    after = run_trial(project, run_id, attempt("2", begun_with=2), bench)  # type: ignore[arg-type]
    assert bench.ran == ["1", first.code, second.code, "2"]
    assert (alone.earlier, alone.begun_with) == ("", 0)
    assert after.earlier == "Step 1, which was run first, ended in an error this time: KeyError: 'Landing'"
    assert after.begun_with == 2
    assert [one.number for one in list_trials(project, run_id)] == [2, 1]


def test_no_code_and_far_too_much_are_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    with pytest.raises(R3ConError, match="no code to run"):
        run_trial(project, run_id, attempt(" \n"))
    with pytest.raises(R3ConError, match="Run a part of it"):
        run_trial(project, run_id, attempt("x" * 100_001))
    assert list_trials(project, run_id) == ()


def test_before_there_are_records_and_without_walls_nothing_runs(tmp_path: Path) -> None:
    def closed(_: Mapping[str, object]) -> ScriptedSandbox:
        raise SandboxError("no walls here")

    early = harbour_project(tmp_path / "early")
    with pytest.raises(StoreError):
        run_trial(early, start_harbour_run(early), attempt("1"))
    project, run_id = finished_harbour(tmp_path)
    with pytest.raises(SandboxError, match="no walls here"):
        run_trial(project, run_id, attempt("1"), closed)  # type: ignore[arg-type]
    assert list_trials(project, run_id) == ()


def test_a_trial_goes_along_with_its_run(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    trial = run_trial(project, run_id, attempt("1"), ScriptedSandbox(AS_BEFORE))  # type: ignore[arg-type]
    copy = create_project(tmp_path / "elsewhere", "Copy")
    copy_run(project.path, copy, run_id)
    assert list_trials(copy, run_id) == (trial,)
    copy.close()


def test_a_trial_is_compared_with_its_step_in_words(tmp_path: Path) -> None:
    steps = load_steps(*finished_harbour(tmp_path))
    first, last = steps

    def told(step: Step, now: Execution, number: int | None = None) -> str:
        trial = Trial(
            number=1, step=step.number if number is None else number, begun_with=0, code="", execution=now, earlier="",
            author="ann", note="", made="",
        )  # fmt: skip
        return trial_in_words(trial, steps)

    assert told(first, first.execution).startswith("It gave the same as the step did")
    assert told(first, Execution(output="x")) == "It printed something else than the step did."
    assert told(last, Execution(output="")) == "It handed over no answer; the step did."
    other = Proposed(text="84", cites=())
    assert told(last, Execution(output="x", proposed=other)) == (
        "It printed something else than the step did. It handed over another answer than the step did."
    )
    assert told(first, replace(first.execution, proposed=other)) == "It handed over an answer; the step did not."
    assert told(first, Execution(output="", fault="x")).startswith("It ended in an error")
    assert told(first, first.execution, number=0) == ""


def test_what_two_pieces_of_code_left_behind_is_compared_line_by_line() -> None:
    before = left_behind(Execution(output="a\nb\n", proposed=Proposed(text="85 [R2]", cites=("R1", "R2"))))
    after = left_behind(Execution(output="a\nc\n", proposed=Proposed(text="85 [R2]", cites=())))
    assert changed_lines(before, after) == ("  a\n- b\n+ c\n  ANSWER: 85 [R2]\n- rests on: R1, R2\n+ rests on: R2")
    assert changed_lines(before, before) == ""

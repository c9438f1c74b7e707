"""An evaluation runs and judges each method on each task, keeps one line of each, and repeats nothing after a kill."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.errors import BusyError, CorpusError, NoUsableReplyError, StoreError
from r3con_core.evaluation.carrying import AT_WORK, RESULTS, Evaluation, Outcome, evaluate, ways_of
from r3con_core.evaluation.corpusqa import read_corpusqa
from r3con_core.evaluation.loong import read_loong
from r3con_core.evaluation.results import read_lines
from r3con_core.evaluation.tasks import EvaluationTask
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.jobs import ModelChoice
from r3con_core.runs import RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import set_state
from tests.evaluation.benchmarks import corpusqa, corpusqa_row, loong
from tests.fakes import Scripted
from tests.methods.running import carry_method
from tests.methods.scripts import reply

SCRIPTED = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768)


def says(prompt: Prompt) -> str:
    """Methods copy sentences; the judge finds the first question right, and grades 100 and 40."""
    if prompt.stage is not Stage.JUDGING:
        return reply(prompt)
    asked = prompt.messages[1].content
    if prompt.shape is not None and "grade" in prompt.shape["properties"]:
        return json.dumps({"reason": "Graded.", "grade": 100 if "Who cites whom" in asked else 40})
    return json.dumps({"reason": "Compared.", "right": "Question 1" in asked})


def _given(root: Path, *methods: str, judge: bool = True) -> Evaluation:
    judging = replace(SCRIPTED, model="scripted") if judge else None
    return Evaluation(folder=root / "out", home=root / "home", ways=ways_of(methods, [SCRIPTED], None), judge=judging)


def _run(given: Evaluation, file: Path, model: Scripted) -> Outcome:
    def carry(project: Project, run_id: str) -> None:
        carry_method(project, run_id, model)

    return evaluate(read_corpusqa(file), given, carry)


def test_corpusqa_is_run_judged_and_counted(tmp_path: Path) -> None:
    file = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), "{broken", corpusqa_row(2))
    model = Scripted(says)
    outcome = _run(_given(tmp_path, "whole", "alone"), file, model)
    assert [(line.task, line.method, line.correct) for line in outcome.lines] == [
        ("q1", "whole", True),
        ("q1", "alone", True),
        ("q2", "whole", False),
        ("q2", "alone", False),
    ]
    assert [one.line for one in outcome.malformed] == [2]
    first = outcome.lines[0]
    assert (first.calls, first.labels, first.judge, first.fault) == (1, {"domain": "housing"}, "scripted", "")
    assert first.prompt_tokens == 100
    assert len(model.prompts) == 8
    assert list(read_lines(tmp_path / "out" / RESULTS).values()) == list(outcome.lines)


def test_loong_counts_only_a_grade_of_a_hundred(tmp_path: Path) -> None:
    folder, model = loong(tmp_path), Scripted(says)

    def carry(project: Project, run_id: str) -> None:
        carry_method(project, run_id, model)

    tasks = read_loong(folder / "loong.jsonl", folder / "doc.zip")
    outcome = evaluate(tasks, _given(tmp_path, "whole"), carry)
    assert [(line.task, line.correct, line.score) for line in outcome.lines] == [
        ("1", True, 1.0),
        ("2", False, 0.4),
        ("3", False, 0.4),
    ]


class Dying(Scripted):
    """A model that is gone after so many replies."""

    def __init__(self, after: int) -> None:
        super().__init__(says)
        self.left = after

    def __call__(self, prompt: Prompt) -> Reply:
        if self.left == 0:
            raise BusyError("The server went away.")
        self.left -= 1
        return super().__call__(prompt)


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_killed_after_any_call_it_goes_on_and_repeats_none(tmp_path: Path, after: int) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), corpusqa_row(2)), _given(tmp_path, "whole")
    dying, rest = Dying(after), Scripted(says)
    with pytest.raises(BusyError):
        _run(given, file, dying)
    outcome = _run(given, file, rest)
    assert len(dying.prompts) + len(rest.prompts) == 4
    assert [line.correct for line in outcome.lines] == [True, False]
    again = Scripted(says)
    assert _run(given, file, again).lines == outcome.lines
    assert again.prompts == []


def test_a_project_that_was_killed_while_it_was_filled_is_made_anew(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), _given(tmp_path, "whole")
    _run(given, file, Scripted(says))
    (filled,) = (tmp_path / "out" / "projects").glob("*.filled")
    filled.unlink()
    (tmp_path / "out" / RESULTS).unlink()
    assert [line.correct for line in _run(given, file, Scripted(says)).lines] == [True]


def test_a_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), corpusqa_row(2)), _given(tmp_path, "whole")
    both = _run(given, file, Scripted(says)).lines
    results = tmp_path / "out" / RESULTS
    results.write_bytes(results.read_bytes().split(b"\n")[0])
    assert _run(given, file, Scripted(says)).lines == both
    assert tuple(read_lines(results).values()) == both


def test_two_evaluations_are_not_at_work_in_one_folder(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), _given(tmp_path, "whole")
    given.folder.mkdir()
    waits = [sys.executable, "-c", "input('ready')", "r3con_core.tests"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.read(5) == b"ready"
        (given.folder / AT_WORK).write_text(str(other.pid))
        with pytest.raises(StoreError, match="Another evaluation is at work in"):
            _run(given, file, Scripted(says))
        other.communicate(b"\n")
    assert len(_run(given, file, Scripted(says)).lines) == 1
    assert not (given.folder / AT_WORK).exists()


def test_a_missing_program_is_a_fault_and_no_wrong_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    file, model = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), Scripted(says)
    (line,) = _run(_given(tmp_path, "claude-code"), file, model).lines
    assert (line.correct, line.impossible) == (None, False)
    assert line.fault.startswith("The program claude is not installed.")


def test_a_line_that_a_kill_cut_off_is_done_again_and_another_is_refused(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), _given(tmp_path, "whole")
    whole = _run(given, file, Scripted(says)).lines
    results = tmp_path / "out" / RESULTS
    results.write_bytes(results.read_bytes()[:40])
    model = Scripted(says)
    assert _run(given, file, model).lines == whole
    assert model.prompts == []
    assert tuple(read_lines(results).values()) == whole


def test_answers_without_a_verdict_are_judged_later_without_being_asked_again(tmp_path: Path) -> None:
    file = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1))
    first, later = Scripted(says), Scripted(says)
    assert _run(_given(tmp_path, "whole", judge=False), file, first).lines[0].correct is None
    assert _run(_given(tmp_path, "whole"), file, later).lines[0].correct is True
    assert [prompt.stage for prompt in later.prompts] == [Stage.JUDGING]


def test_each_judge_says_what_it_said_when_it_is_asked_for_again(tmp_path: Path) -> None:
    file, model = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), Scripted(says)
    first = _given(tmp_path, "whole")
    assert _run(first, file, model).lines[0].correct is True
    strict = Scripted(lambda _: json.dumps({"reason": "No.", "right": False}))
    second = replace(first, judge=replace(SCRIPTED, model="strict"))
    assert _run(second, file, strict).lines[0].correct is False
    (line,) = _run(first, file, model).lines
    assert (line.judge, line.correct) == ("scripted", True)
    assert len(model.prompts) == 2


def test_what_does_not_fit_the_window_is_wrong_without_being_asked(tmp_path: Path) -> None:
    long = f"# Document 1: Long\n{'Alder sold a house. ' * 1_000}\n# Question: which?"
    file, model = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1, prompt=long)), Scripted(says)
    given = replace(_given(tmp_path), ways=ways_of(["whole"], [replace(SCRIPTED, window=2_048)], None))
    (line,) = _run(given, file, model).lines
    assert (line.correct, line.impossible, line.fault) == (False, True, "")
    assert "Choose a model with a longer context window." in line.reason
    assert model.prompts == []


def test_a_method_that_fails_keeps_its_fault_and_is_tried_again(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), _given(tmp_path, "whole")

    def failing(project: Project, run_id: str) -> None:
        set_state(project, run_id, RunState.FAILED, error="The server is not there.")

    (line,) = evaluate(read_corpusqa(file), given, failing).lines
    assert (line.fault, line.correct) == ("The server is not there.", None)
    (again,) = _run(given, file, Scripted(says)).lines
    assert (again.fault, again.correct) == ("", True)


def test_a_judge_that_gave_nothing_usable_is_asked_anew(tmp_path: Path) -> None:
    file, given = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)), _given(tmp_path, "whole")
    failed: list[str] = []

    def says_nothing(prompt: Prompt) -> str:
        return "Well." if prompt.stage is Stage.JUDGING else says(prompt)

    def carry(project: Project, run_id: str) -> None:
        try:
            carry_method(project, run_id, Scripted(says_nothing))
        except NoUsableReplyError as error:
            failed.append(run_id)
            set_state(project, run_id, RunState.FAILED, error=str(error))

    (line,) = evaluate(read_corpusqa(file), given, carry).lines
    assert line.fault.startswith("It could not be judged:")
    assert len(failed) == 1
    model = Scripted(says)
    assert _run(given, file, model).lines[0].correct is True
    assert len(model.prompts) == 1


def test_documents_that_make_no_project_are_a_fault_of_that_task_alone(tmp_path: Path) -> None:
    def no_book(_project: Project) -> None:
        raise CorpusError("This is another book.")

    file, model = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), corpusqa_row(2)), Scripted(says)
    first, second = (task for task in read_corpusqa(file) if isinstance(task, EvaluationTask))

    def carry(project: Project, run_id: str) -> None:
        carry_method(project, run_id, model)

    given = _given(tmp_path, "alone", judge=False)
    lines = evaluate([replace(first, fill=no_book), second], given, carry).lines
    assert [(line.task, line.fault) for line in lines] == [("q1", "This is another book."), ("q2", "")]

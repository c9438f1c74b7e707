"""The steps on the Answer page: code beside output, the records it touched, trials that never become the answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import evidence
from pages.widgets.answer import step_records, step_trials
from pages.widgets.answer.step_outputs import hint_for
from pages.widgets.errors import plain
from r3con_core.answers import Execution, Proposed
from r3con_core.errors import R3ConError, SandboxError
from r3con_core.exports.facts import method_facts
from r3con_core.exports.whole import load_whole
from r3con_core.sandbox import code_can_run, meaning_of, walls_here
from r3con_core.step_variables import Variable
from r3con_core.store.answers import load_answer, load_steps, save_step
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.trials import Trial, add_trial, list_trials
from r3con_core.trials import Attempt
from tests.fakes import finished_harbour
from tests.pages.opened import click, open_page


def answer_page(run_id: str) -> AppTest:
    return open_page("answer", project="harbour", run=run_id)


def words(at: AppTest) -> str:
    return "\n".join(element.value for element in [*at.main.markdown, *at.main.caption])


def switch(at: AppTest, label: str, nth: int = 0) -> AppTest:
    [toggle for toggle in at.toggle if toggle.label == label][nth].set_value(True).run()
    assert not at.exception
    return at


@pytest.fixture
def finished(home: Path) -> tuple[Project, str]:
    return finished_harbour(home / "projects")


class Ran:
    """In place of the sandbox: what a trial is to come to."""

    def __init__(self, execution: Execution | R3ConError, patch: pytest.MonkeyPatch) -> None:
        self.execution = execution
        self.attempts: list[Attempt] = []
        patch.setattr(step_trials, "run_trial", self)

    def __call__(self, project: Project, run_id: str, attempt: Attempt) -> Trial:
        self.attempts.append(attempt)
        if isinstance(self.execution, R3ConError):
            raise self.execution
        trial = Trial(
            number=0, step=attempt.step, begun_with=attempt.begun_with, code=attempt.code, execution=self.execution,
            earlier="", author=attempt.author, note=attempt.note, made="",
        )  # fmt: skip
        return add_trial(project, run_id, trial)


def test_a_step_names_the_records_it_touched_and_how(finished: tuple[Project, str]) -> None:
    said = words(answer_page(finished[1]))
    assert "Named in the answer it handed over: [R1](/data?project=harbour&run=" in said
    assert ") landing of 40 cases" in said
    assert "Named in what it printed: [R1](" in said


def test_a_step_that_left_no_sign_says_that_none_can_be_told(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first, _ = load_steps(project, run_id)
    save_step(project, run_id, replace(first, code="x = 1", execution=Execution(output="1")))
    assert "None can be told from its code" in words(answer_page(run_id))


def test_records_named_only_in_the_text_of_an_answer_count_as_named(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first, _ = load_steps(project, run_id)
    save_step(
        project, run_id, replace(first, execution=Execution(output="", proposed=Proposed(text="85 [R2]", cites=())))
    )
    assert "This step handed over the answer, resting on R2." in words(answer_page(run_id))


def test_what_variables_keep_is_shown_when_asked_for(
    finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, run_id = finished
    found = evidence.found_by(project, run_id)
    assert found is not None
    ids = tuple(record.id for record in found.data.records[:2])
    monkeypatch.setattr(
        step_records, "variables_of_steps", lambda *_: {1: (Variable(name="few_", record_ids=ids, count=70),)}
    )
    at = answer_page(run_id)
    assert "Kept in its variable" not in words(at)
    switch(at, "Also show the records that each step kept in its variables")
    assert "Kept in its variable **few\\_**: [R1](/data?" in words(at)
    assert "and 68 more records" in words(at)


def test_where_no_code_runs_the_switch_says_so(finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object) -> None:
        raise SandboxError("No walls stand on this machine.")

    monkeypatch.setattr(step_records, "variables_of_steps", closed)
    at = switch(answer_page(finished[1]), "Also show the records that each step kept in its variables")
    assert at.error[0].value == "No walls stand on this machine."


def test_each_step_leads_to_its_call(finished: tuple[Project, str]) -> None:
    at = answer_page(finished[1])
    links = [link.proto.query_string for link in at.get("page_link") if link.proto.label == "See the prompt and reply"]
    assert ["stage=reasoning" in link for link in links] == [True, True]
    assert ["step=1" in links[0], "step=2" in links[1]] == [True, True]


def test_an_edited_step_shows_what_is_different_and_the_answer_stays(
    finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, run_id = finished
    before = load_answer(project, run_id)
    ran = Ran(Execution(output="", proposed=Proposed(text="84 <b>cases</b>.", cites=("R1",))), monkeypatch)
    at = switch(answer_page(run_id), "Edit and run", 1)
    (area,) = at.text_area
    assert area.value == load_steps(project, run_id)[1].code
    area.set_value("answer('84')")
    at.text_input[0].set_value("without the Heron")
    click(at, "Run this code")
    (attempt,) = ran.attempts
    assert (attempt.code, attempt.step, attempt.begun_with, attempt.note) == ("answer('84')", 2, 1, "without the Heron")
    assert "It handed over another answer than the step did." in words(at)
    assert any("+ ANSWER: 84 <b>cases</b>." in code.value for code in at.code)
    assert "<b>" not in words(at)
    assert [one.number for one in list_trials(project, run_id)] == [1]
    assert "Trial 1 · step 2, edited ·" in at.expander[-1].label
    assert at.expander[-1].label.endswith("· without the Heron")
    assert load_answer(project, run_id) == before


def test_ones_own_code_runs_after_the_steps_when_asked(
    finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = Ran(Execution(output="7\n"), monkeypatch)
    at = switch(answer_page(finished[1]), "Write your own code")
    assert any("Landing" in code.value and "cases" in code.value for code in at.code)
    at.text_area[0].set_value("len(records)")
    click(at, "Run this code")
    at.checkbox[0].check()
    click(at, "Run this code")
    assert [(attempt.step, attempt.begun_with) for attempt in ran.attempts] == [(0, 0), (0, 2)]
    assert [one.label.split(" · ")[:2] for one in at.expander[-2:]] == [
        ["Trial 2", "own code"],
        ["Trial 1", "own code"],
    ]


def test_a_refusal_is_told_and_nothing_is_kept(finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch) -> None:
    Ran(SandboxError("No walls stand on this machine."), monkeypatch)
    at = switch(answer_page(finished[1]), "Write your own code")
    click(at, "Run this code")
    assert at.error[0].value == "No walls stand on this machine."
    assert list_trials(*finished) == ()


def test_what_the_walls_did_is_explained() -> None:
    assert "may take so long and no longer" in hint_for("Stopped after 20 seconds. What was defined so far is kept.")
    assert "limit on memory" in hint_for("MemoryError: the code needed more than the 1,024 MB it may use.")
    assert "closed process" in hint_for("Traceback\nPermissionError: [Errno 13] Permission denied: '/etc/passwd'")
    assert hint_for("Traceback\nKeyError: 'Landings'") == ""
    assert (
        hint_for("Traceback\nPermissionError: [Errno 1] Operation not permitted\nNote: code here has no network.") == ""
    )


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_the_walls_that_the_code_ran_behind_are_kept_and_named(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    walls = load_run(project, run_id).walls
    assert walls == walls_here()
    (caption,) = [one for one in answer_page(run_id).caption if "Walls:" in one.value]
    assert caption.value.endswith(f"on the records only. Walls: {plain(walls)}.")
    assert caption.proto.help == meaning_of(walls)
    assert ("Code ran behind", f"{walls}. {meaning_of(walls)}") in method_facts(load_whole(project, run_id))


def test_signs_that_are_not_seen_are_shown_as_escapes(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first, _ = load_steps(project, run_id)
    turned = replace(first, code="x = '\u202ex'", execution=Execution(output="\x1b[2Ja\r\nb\0 Zürich"))
    save_step(project, run_id, turned)
    shown = [one.value for one in answer_page(run_id).code]
    assert r"x = '\u202ex'" in shown
    assert "\\u001b[2Ja\nb\\u0000 Zürich" in shown

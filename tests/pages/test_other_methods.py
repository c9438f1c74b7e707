"""Runs of other methods than R3Con on every page: none pretends to what the method does not make, and each leads on."""

from pathlib import Path

import pytest

from pages.widgets import state
from r3con_core.home import projects_folder
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.project import Project
from tests.fakes import finished_harbour
from tests.methods.running import carry_method, start
from tests.pages.opened import open_page


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    return finished_harbour(projects_folder(tmp_path))[0]


@pytest.fixture
def run_id(project: Project) -> str:
    run_id = start(project, "whole")
    carry_method(project, run_id)
    return run_id


def words(page: str, project: Project, run_id: str) -> str:
    at = open_page(page, project=project.folder.name, run=run_id)
    return "\n".join(str(one.value) for one in (*at.markdown, *at.info, *at.caption, *at.subheader, *at.success))


@pytest.mark.parametrize("page", ["relevance", "schema", "data", "changes"])
def test_what_is_r3cons_says_that_the_method_makes_none(page: str, project: Project, run_id: str) -> None:
    said = words(page, project, run_id)
    assert "answers by the method **Whole corpus in context**. It makes no " in said
    assert "waits for you" not in said


def test_the_answer_stands_as_the_method_wrote_it(project: Project, run_id: str) -> None:
    said = words("answer", project, run_id)
    assert "It rests on no records" in said
    assert "Petrel" in said


@pytest.mark.parametrize("page", ["calls", "compare", "methods", "question", "corpus"])
def test_all_other_pages_open_with_such_a_run(page: str, project: Project, run_id: str) -> None:
    assert words(page, project, run_id)


@pytest.mark.parametrize("now", [RunState.BUILDING, RunState.FAILED])
def test_one_under_way_or_failed_says_how_it_stands(project: Project, now: RunState) -> None:
    run_id = start(project, "whole")
    run_rows.claim_run(project, run_id, pid=1)
    run_rows.set_state(project, run_id, now, error="It broke." if now is RunState.FAILED else "")
    said = words("answer", project, run_id)
    assert ("Building what the answer" in said) == (now is RunState.BUILDING)


def test_a_project_opens_with_its_newest_run_of_r3con(project: Project, run_id: str) -> None:
    at = open_page("answer", project=project.folder.name)
    assert at.selectbox(key=state.RUN_PICKER).value != run_id

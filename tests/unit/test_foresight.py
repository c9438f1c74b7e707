"""What accepting a schema will ask, told before."""

from pathlib import Path

import pytest

from r3con_core.errands import Preview, Trial, queue
from r3con_core.errands import Tried as TriedDocument
from r3con_core.foresight import foresee_accepting, foresee_preview
from r3con_core.runs import RunState
from r3con_core.schema.edits import Rename
from r3con_core.store.codec import dump
from r3con_core.store.errands import ErrandState, end_errand, keep_result
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import apply_edit
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_project, start_harbour_run
from tests.run.test_schema_edited import WEIGHT


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Project, str]:
    return finished_harbour(tmp_path / "projects")


def test_accepting_the_proposal_asks_every_document(tmp_path: Path) -> None:
    project = harbour_project(tmp_path / "projects")
    run_id = start_harbour_run(project)
    assert carry_scripted(project, run_id, Scripted()) is RunState.WAITING
    found = foresee_accepting(project, run_id, tmp_path)
    assert (found.asked, found.documents, found.types, found.tried) == (10, 10, (), 0)
    assert found.estimate.parts[0].first.likely == 10
    assert found.cost is None or found.cost.high >= found.cost.likely


def test_accepting_an_edit_asks_what_it_touches(finished: tuple[Project, str], tmp_path: Path) -> None:
    project, run_id = finished
    apply_edit(project, run_id, WEIGHT, reason="an edit")
    found = foresee_accepting(project, run_id, tmp_path)
    assert (found.asked, found.documents, found.types) == (5, 10, ("Landing",))
    assert found.estimate.parts[0].first.likely == 5
    whole = found.estimate.parts[0].prompt.likely
    three = foresee_preview(project, run_id, load_run(project, run_id).document_ids[:3], tmp_path)
    assert (three.asked, three.types) == (2, ("Landing",))
    assert 0 < three.estimate.prompt.likely < whole


def test_a_rename_asks_no_document_and_only_the_answer_is_made_anew(
    finished: tuple[Project, str], tmp_path: Path
) -> None:
    project, run_id = finished
    apply_edit(project, run_id, Rename(path=("Landing", "cases"), name="boxes"), reason="an edit")
    found = foresee_accepting(project, run_id, tmp_path)
    assert (found.asked, found.estimate.parts[0].calls.high) == (0, 0)
    assert found.estimate.parts[1].calls.likely >= 1


def test_what_a_preview_has_brought_in_is_not_counted_again(finished: tuple[Project, str], tmp_path: Path) -> None:
    project, run_id = finished
    apply_edit(project, run_id, WEIGHT, reason="an edit")
    first = load_run(project, run_id).document_ids[0]
    errand_id = queue(project, run_id, Preview(version=2, document_ids=(first,)))
    result = Trial(documents=(TriedDocument(document_id=first, records=(), asked=("Landing",)),))
    keep_result(project, errand_id, dump(result, Trial))
    end_errand(project, errand_id, ErrandState.DONE)
    found = foresee_accepting(project, run_id, tmp_path)
    assert (found.asked, found.tried) == (4, 1)
    apply_edit(project, run_id, Rename(path=("Landing", "weight"), name="heft"), reason="another")
    assert foresee_accepting(project, run_id, tmp_path).asked == 5

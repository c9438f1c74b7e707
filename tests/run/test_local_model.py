"""A real small model on this computer carries the harbour corpus to an answer."""

from pathlib import Path

import pytest

from r3con_core.errors import ModelFileError
from r3con_core.evidence import Grounded
from r3con_core.home import home_folder
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.models import DEFAULT_MODEL, find_model
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.snippets import load_context
from r3con_core.worker import work
from tests.fakes import harbour_project
from tests.harbour_script import QUESTION

MODEL = DEFAULT_MODEL


@pytest.mark.model
def test_the_embedded_default_gets_through_every_stage(tmp_path: Path) -> None:
    home = home_folder()
    try:
        find_model(MODEL, home)
    except ModelFileError as error:
        pytest.skip(str(error))
    project = harbour_project(tmp_path)
    choices = RunChoices(reading=ModelChoice(model=MODEL), straight_through=True)
    run_id = create_run(project, QUESTION, choices).id

    assert work(project, run_id, home) is RunState.DONE, run_rows.load_run(project, run_id).error

    run = run_rows.load_run(project, run_id)
    for number in load_context(project, run_id, run.document_ids).rounds:
        assert len(number.snippets) >= 9
        assert len(number.snippets) + len(number.unread) == 10
    schema = accepted_schema(project, run_id)
    assert schema is not None
    data = load_records(project, run_id, schema, run.document_ids)
    texts = dict(project.db.execute("select id, text from documents").fetchall())
    for record in data.records:
        for evidence in record.evidence:
            if isinstance(evidence, Grounded) and evidence.match == "exact":
                assert texts[evidence.document_id][evidence.span.start : evidence.span.end] == evidence.quote
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.strip()
    asked = len(list_calls(project, run_id))
    assert asked > 30
    run_rows.set_state(project, run_id, RunState.QUEUED)
    assert work(project, run_id, home) is RunState.DONE
    assert len(list_calls(project, run_id)) == asked

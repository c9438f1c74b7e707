"""Errands beside a run: a preview of the schema, a revision by a sentence; through the call log and under the caps."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from r3con_core import errands
from r3con_core.errands import Errand, Preview, Revise, Trial
from r3con_core.errors import StoreError
from r3con_core.exchange import Ask, Prompt, Stage
from r3con_core.jobs import ModelChoice, RunChoices, accept_and_queue, create_run
from r3con_core.method.revising import Revision
from r3con_core.opening import Signals
from r3con_core.runs import Caps, RunState
from r3con_core.schema.edits import AddField, Rename
from r3con_core.schemas import Field, Scalar, ScalarType
from r3con_core.store import runs as run_rows
from r3con_core.store.caps import save_caps
from r3con_core.store.errands import ErrandState
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import apply_edit
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_project, start_harbour_run
from tests.harbour_script import QUESTION, answer_harbour
from tests.run.test_schema_edited import WEIGHT, edited_answer
from tests.scripted_server import ScriptedServer

PATIENCE = 60.0
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")


@pytest.fixture
def waiting(tmp_path: Path) -> tuple[Project, str]:
    """A run whose schema waits for a person."""
    project = harbour_project(tmp_path / "projects")
    run_id = start_harbour_run(project)
    assert carry_scripted(project, run_id, Scripted()) is RunState.WAITING
    return project, run_id


def carry_out(project: Project, run_id: str, asked: errands.Asked, model: Ask, home: Path) -> Errand:
    """The errand as it stands after it was carried out in this process."""

    @contextmanager
    def opening(_choice: ModelChoice, _home: Path, _signals: Signals) -> Iterator[Ask]:
        yield model

    errand_id = errands.queue(project, run_id, asked)
    errands.work(project, errand_id, home, opening)
    found = errands.latest(project, run_id, type(asked))
    assert found is not None
    assert found.id == errand_id
    return found


def chosen(project: Project, run_id: str, *numbers: int) -> tuple[str, ...]:
    order = load_run(project, run_id).document_ids
    return tuple(order[number - 1] for number in numbers)


def parsing(model: Scripted) -> list[Prompt]:
    return [prompt for prompt in model.prompts if prompt.stage is Stage.PARSING]


def test_a_preview_parses_the_chosen_documents_and_accepting_repeats_none(
    waiting: tuple[Project, str], tmp_path: Path
) -> None:
    project, run_id = waiting
    first, later = Scripted(), Scripted()
    asked = Preview(version=1, document_ids=chosen(project, run_id, 6, 1, 2))
    errand = carry_out(project, run_id, asked, first, tmp_path)
    assert (errand.state, errand.error) == (ErrandState.DONE, "")
    assert isinstance(errand.result, Trial)
    assert [one.document_id for one in errand.result.documents] == list(chosen(project, run_id, 1, 2, 6))
    assert [[r.values["cases"] for r in one.records] for one in errand.result.documents] == [[40], [], [20]]
    assert len(parsing(first)) == 3
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, later) is RunState.DONE
    assert {p.about.document_id for p in parsing(later)}.isdisjoint(asked.document_ids)
    assert len([p for p in parsing(later) if p.attempt == 1]) == 7
    assert load_run(project, run_id).state is RunState.DONE


def test_a_preview_of_an_edit_asks_what_accepting_would_and_shows_what_is_carried_over(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path / "projects")
    apply_edit(project, run_id, Rename(path=("Launch",), name="Boat"), reason="an edit")
    apply_edit(project, run_id, WEIGHT, reason="another")
    model, later = Scripted(edited_answer), Scripted(edited_answer)
    errand = carry_out(
        project, run_id, Preview(version=3, document_ids=chosen(project, run_id, 3, 7, 8)), model, tmp_path
    )
    assert isinstance(errand.result, Trial)
    landing, boat, nothing = errand.result.documents
    assert landing.asked == ("Landing",)
    assert [dict(record.values)["weight"] for record in landing.records] == [None]
    assert (boat.asked, [record.type for record in boat.records]) == (None, ["Boat"])
    assert (nothing.asked, nothing.records) == (None, ())
    assert len(parsing(model)) == 1
    accept_and_queue(project, run_id)
    carry_scripted(project, run_id, later)
    assert landing.document_id not in {prompt.about.document_id for prompt in parsing(later)}


def test_what_could_not_be_read_is_in_the_preview_with_its_reason(waiting: tuple[Project, str], tmp_path: Path) -> None:
    project, run_id = waiting
    asked = Preview(version=1, document_ids=chosen(project, run_id, 1))
    errand = carry_out(project, run_id, asked, Scripted(lambda _: "no"), tmp_path)
    assert errand.state is ErrandState.DONE
    assert isinstance(errand.result, Trial)
    (one,) = errand.result.documents
    assert one.records == ()
    assert one.reason.startswith("The model gave no usable parsing reply")


REVISION = json.dumps(
    {
        "reason": "adds the weight",
        "edits": [
            {
                "do": "add field",
                "where": "Landing",
                "name": "weight",
                "meaning": "in hundredweight",
                "why": "",
                "kind": "number",
                "options": None,
                "refers_to": None,
            }
        ],
    }
)


def test_a_sentence_becomes_edits_to_take_or_refuse(waiting: tuple[Project, str], tmp_path: Path) -> None:
    project, run_id = waiting
    errand = carry_out(
        project, run_id, Revise(version=1, wish="add the weight"), Scripted(lambda _: REVISION), tmp_path
    )
    weight = Field(name="weight", meaning="in hundredweight", kind=Scalar(of=ScalarType.NUMBER))
    assert errand.result == Revision(
        edits=(AddField(parent=("Landing",), field=weight),), reason="adds the weight", told=()
    )
    assert errand.asked == Revise(version=1, wish="add the weight")


def test_a_schema_that_was_changed_in_the_meantime_fails_the_errand(
    waiting: tuple[Project, str], tmp_path: Path
) -> None:
    project, run_id = waiting
    asked = Preview(version=1, document_ids=chosen(project, run_id, 1))
    apply_edit(project, run_id, WEIGHT, reason="an edit")
    errand = carry_out(project, run_id, asked, Scripted(), tmp_path)
    assert errand.state is ErrandState.FAILED
    assert errand.error.startswith("The schema was changed in the meantime.")


def test_the_runs_limit_holds_for_errands_too(waiting: tuple[Project, str], tmp_path: Path) -> None:
    project, run_id = waiting
    save_caps(project, run_id, Caps(tokens=1))
    model = Scripted()
    errand = carry_out(project, run_id, Preview(version=1, document_ids=chosen(project, run_id, 1)), model, tmp_path)
    assert errand.state is ErrandState.FAILED
    assert errand.error.startswith("The run's limit is reached:")
    assert model.prompts == []


def test_an_errand_is_refused_while_another_or_the_run_is_at_work_and_for_too_many_documents(
    waiting: tuple[Project, str],
) -> None:
    project, run_id = waiting
    one = Preview(version=1, document_ids=chosen(project, run_id, 1))
    with pytest.raises(StoreError, match="from one to 5"):
        errands.queue(project, run_id, Preview(version=1, document_ids=load_run(project, run_id).document_ids))
    with pytest.raises(StoreError, match="what is to be changed"):
        errands.queue(project, run_id, Revise(version=1, wish=" "))
    errands.queue(project, run_id, one)
    with pytest.raises(StoreError, match="still at work beside"):
        errands.queue(project, run_id, one)
    errands.stop(project, run_id)
    assert errands.active(project, run_id) is None
    accept_and_queue(project, run_id)
    with pytest.raises(StoreError, match="at work now"):
        errands.queue(project, run_id, one)


class Gate:
    """The harbour's answers, but parsing waits until the gate is opened."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, messages: list[dict[str, Any]], response_format: dict[str, Any] | None) -> str:
        if "fill records from it" in messages[1]["content"] and not self.open.is_set():
            self.reached.set()
            self.open.wait(PATIENCE)
        return answer_harbour(messages, response_format)


def wait_for(true: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def served(tmp_path: Path, url: str) -> tuple[Project, str]:
    """A run at that address whose schema waits for a person."""
    project = harbour_project(tmp_path / "projects")
    choice = ModelChoice(model="scripted", base_url=url, window=16_384)
    run_id = create_run(project, QUESTION, RunChoices(reading=choice), home=tmp_path).id
    assert carry_scripted(project, run_id, Scripted()) is RunState.WAITING
    return project, run_id


def state(project: Project, run_id: str) -> ErrandState:
    found = errands.latest(project, run_id, Preview)
    assert found is not None
    return found.state


def test_an_errand_works_in_a_process_of_its_own(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        project, run_id = served(tmp_path, server.url)
        asked = Preview(version=1, document_ids=chosen(project, run_id, 1, 3))
        errands.send(project, run_id, asked, home=tmp_path)
        wait_for(lambda: not state(project, run_id).active, "the preview")
        found = errands.latest(project, run_id, Preview)
        assert found is not None
        assert (found.state, found.error) == (ErrandState.DONE, "")
        assert isinstance(found.result, Trial)
        assert [len(one.records) for one in found.result.documents] == [1, 1]
        assert load_run(project, run_id).state is RunState.WAITING


def test_a_killed_errand_is_noticed_and_can_be_sent_again(tmp_path: Path) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        project, run_id = served(tmp_path, server.url)
        asked = Preview(version=1, document_ids=chosen(project, run_id, 1))
        errands.send(project, run_id, asked, home=tmp_path)
        assert gate.reached.wait(PATIENCE)
        (pid,) = project.db.execute("select pid from errands").fetchone()
        os.kill(pid, signal.SIGKILL)
        gate.open.set()

        def noticed() -> bool:
            errands.notice_dead(project, run_id)
            return not state(project, run_id).active

        wait_for(noticed, "the death")
        found = errands.latest(project, run_id, Preview)
        assert found is not None
        assert (found.state, found.error) == (ErrandState.FAILED, errands.DIED)
        errands.send(project, run_id, asked, home=tmp_path)
        wait_for(lambda: not state(project, run_id).active, "the second try")
        assert state(project, run_id) is ErrandState.DONE


def test_an_errand_can_be_stopped(tmp_path: Path) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        project, run_id = served(tmp_path, server.url)
        errands.send(project, run_id, Preview(version=1, document_ids=chosen(project, run_id, 1, 3)), home=tmp_path)
        assert gate.reached.wait(PATIENCE)
        errands.stop(project, run_id)
        wait_for(lambda: not state(project, run_id).active, "the end")
        assert state(project, run_id) is ErrandState.STOPPED
        gate.open.set()


def test_an_errand_that_no_process_takes_up_is_failed_once_it_is_quiet_too_long(waiting: tuple[Project, str]) -> None:
    project, run_id = waiting
    errands.queue(project, run_id, Preview(version=1, document_ids=chosen(project, run_id, 1)))
    with project.change() as db:
        db.execute("update errands set heartbeat = heartbeat - 100")
    errands.notice_dead(project, run_id)
    assert state(project, run_id) is ErrandState.FAILED
    assert run_rows.load_run(project, run_id).state is RunState.WAITING

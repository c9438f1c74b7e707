"""A document that is held back after its run began is sent to no model from then on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from r3con_core import jobs
from r3con_core.overlay import context_of
from r3con_core.runs import RunState
from r3con_core.store.decisions import hold_documents, release_documents
from r3con_core.store.runs import load_run
from r3con_core.worker import work
from tests.fakes import Scripted, harbour_project, start_harbour_run


def test_a_document_held_back_between_rounds_is_not_sent_again_until_it_is_released(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project, between_rounds=True)
    model = Scripted()

    @contextmanager
    def opening(*_: object) -> Iterator[Scripted]:
        yield model

    assert work(project, run_id, tmp_path, opening) is RunState.BETWEEN
    held = load_run(project, run_id).document_ids[0]
    hold_documents(project, [held], author="R.", note="letter of counsel")
    asked = len(model.prompts)
    jobs.go_on(project, run_id)

    assert work(project, run_id, tmp_path, opening) is RunState.WAITING
    assert all(prompt.about.document_id != held for prompt in model.prompts[asked:])
    (unread,) = context_of(project, run_id).rounds[-1].unread
    assert (unread.document_id, unread.reason) == (
        held,
        "It is held back from every model now, so it was not sent. Release it to have it read.",
    )

    release_documents(project, [held], author="R.", note="")
    jobs.accept_and_queue(project, run_id)
    assert work(project, run_id, tmp_path, opening) is RunState.DONE
    assert any(prompt.about.document_id == held for prompt in model.prompts[asked:])

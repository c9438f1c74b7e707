"""Nothing is asked twice: another run, one more round, one more document, one less."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from r3con_core.exchange import Prompt, Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.progress import progress_of
from r3con_core.runs import RunState
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project
from tests.fakes import (
    Scripted,
    carry_scripted,
    harbour_answer,
    harbour_documents,
    harbour_project,
    text_document,
    text_project,
)
from tests.harbour_script import QUESTION

Answer = Callable[[Prompt], str]
CALLS = 35
"""Of a whole harbour run over two rounds."""


def run(
    project: Project, ids: Sequence[str] | None = None, answer: Answer | None = None, **choices: object
) -> tuple[str, Counter[str]]:
    """A finished run, and what was asked for it: stage -> calls; rounds are told apart."""
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=16_384)
    chosen = RunChoices(reading=reading, straight_through=True, **choices)  # type: ignore[arg-type]
    run_id = create_run(project, QUESTION, chosen, tuple(ids) if ids else None).id
    model = Scripted(answer)
    assert carry_scripted(project, run_id, model, workers=3) is RunState.DONE
    return run_id, Counter(stage_of(prompt) for prompt in model.prompts)


def stage_of(prompt: Prompt) -> str:
    return f"round {prompt.about.round}" if prompt.stage is Stage.RELEVANCE else prompt.stage.value


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return harbour_project(tmp_path)


def test_the_same_question_again_asks_nothing_and_says_so(project: Project) -> None:
    _, first = run(project)
    again, asked = run(project)
    assert first.total() == CALLS
    assert asked.total() == 0
    progress = progress_of(project, again)
    assert (progress.calls, progress.reused) == (CALLS, CALLS)
    assert (progress.usage.prompt, progress.usage.output) == (0, 0)


def test_one_more_round_asks_for_that_round_and_what_rests_on_it(project: Project) -> None:
    run(project)
    _, asked = run(project, rounds=3)
    assert asked["round 3"] == 10
    assert set(asked) <= {"round 3", "schema", "parsing", "reasoning"}


def test_one_round_less_asks_for_no_round(project: Project) -> None:
    run(project)
    _, asked = run(project, rounds=1)
    assert not [stage for stage in asked if stage.startswith("round")]


def test_one_more_document_is_read_in_round_one_alone(project: Project) -> None:
    run(project)
    late = text_document("Nothing of note.", path="11_late.txt", title="11 late")
    add_documents(project, (late,), [LedgerEntry(path="11_late.txt", outcome="read", reason="", document_id=late.id)])

    def answer(prompt: Prompt) -> str:
        if prompt.about.document_id != late.id:
            return harbour_answer(prompt)
        nothing = {"document_is": "", "facts": []} if prompt.stage is Stage.RELEVANCE else {"Landing": [], "Launch": []}
        return json.dumps(nothing)

    _, asked = run(project, answer=answer)
    assert asked["round 1"] == 1
    assert asked["focus"] == 0


def test_one_document_less_reads_none_anew_in_round_one(project: Project) -> None:
    run(project)
    without_the_third = [d.id for n, d in enumerate(harbour_documents(), start=1) if n != 3]
    _, asked = run(project, without_the_third)
    assert asked["round 1"] == 0
    assert asked["round 2"] == 9


def test_the_same_documents_in_another_order_are_read_anew_only_after_round_one(tmp_path: Path) -> None:
    project = text_project(tmp_path, harbour_documents())
    run(project)
    _, asked = run(project, [d.id for d in reversed(harbour_documents())])
    assert asked["round 1"] == 0

"""A whole run over the harbour corpus with a scripted model: to its answer, killed and resumed, stopped, edited."""

import json
from pathlib import Path

import pytest

from r3con_core.answers import Mode
from r3con_core.documents import Corpus
from r3con_core.errors import BusyError, CorpusError, RefusedError, WindowExceededError
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.jobs import ModelChoice, RunChoices, accept_and_queue, create_run, requeue
from r3con_core.method.brief import make_brief
from r3con_core.run import answer_question
from r3con_core.runs import RunSettings, RunState
from r3con_core.schema.edits import AddField
from r3con_core.schemas import Field, Scalar
from r3con_core.stages import Models, surface_relevance
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls, usage_by_stage
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import Project, create_project
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accepted_schema, apply_edit
from r3con_core.store.snippets import load_context, load_unread
from r3con_core.tasks import make_task
from tests.fakes import (
    Scripted,
    carry_scripted,
    finished_harbour,
    harbour_answer,
    harbour_documents,
    harbour_project,
    start_harbour_run,
    text_document,
)
from tests.harbour_script import QUESTION

CALLS = 1 + 2 * 10 + 1 + 10 + 1 + 2
"""Focus, two rounds, schema, ten parses, one mended quote, two steps."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return harbour_project(tmp_path)


def test_the_answer_counts_the_landings_that_only_a_second_reading_connects(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.startswith("The Petrel landed 85 cases at Lime Quay in March 1931.")
    run = run_rows.load_run(project, run_id)
    schema = accepted_schema(project, run_id)
    assert schema is not None
    data = load_records(project, run_id, schema, run.document_ids)
    cited = [data.get(record_id) for record_id in answer.record_ids]
    assert [record.values["cases"] for record in cited] == [40, 25, 20]
    assert all(record.verified for record in cited)
    assert [record.values["cases"] for record in data.records if record.set_aside] == [50]


def test_round_two_sees_what_round_one_said_of_the_others(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = run_rows.load_run(project, run_id).document_ids
    first, second = load_context(project, run_id, ids).rounds
    calls = [c for c in list_calls(project, run_id, Stage.RELEVANCE) if c.prompt.about.round == 2]
    assert len(calls) == 10
    for call in calls:
        shown = call.prompt.messages[-1].content
        for snippet in first.snippets:
            assert (snippet.text in shown) == (snippet.document_id != call.prompt.about.document_id)
    assert "Document 9" in second.snippets[0].text


class Killed(BaseException):
    """As a process ends: nothing catches it."""


@pytest.mark.parametrize("after", [0, 1, 7, 15, 21, 22, 28, 33, 34])
def test_a_killed_run_goes_on_without_asking_anything_twice(project: Project, after: int) -> None:
    run_id = start_harbour_run(project, straight_through=True)
    first = Scripted()

    def dies(prompt: Prompt) -> Reply:
        if len(first.prompts) == after:
            raise Killed
        return first(prompt)

    with pytest.raises(Killed):
        carry_scripted(project, run_id, dies)
    run_rows.set_state(project, run_id, RunState.INTERRUPTED)
    requeue(project, run_id)
    second = Scripted()
    assert carry_scripted(project, run_id, second) is RunState.DONE
    assert len(first.prompts) + len(second.prompts) == CALLS
    keys = [p.key("scripted") for p in (*first.prompts, *second.prompts)]
    assert len(set(keys)) == CALLS


def test_the_same_question_again_asks_nothing(tmp_path: Path) -> None:
    project, first = finished_harbour(tmp_path)
    again, model = start_harbour_run(project, straight_through=True), Scripted()
    assert carry_scripted(project, again, model) is RunState.DONE
    assert model.prompts == []
    before, after = load_answer(project, first), load_answer(project, again)
    assert before is not None
    assert after is not None
    assert after.sentences == before.sentences
    assert sum(stage.reused for stage in usage_by_stage(project, again)) == CALLS


def test_many_workers_give_the_same_run(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True)
    assert carry_scripted(project, run_id, Scripted(), workers=8) is RunState.DONE
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.startswith("The Petrel landed 85 cases")


def test_nothing_is_parsed_before_a_person_accepts_the_schema(project: Project) -> None:
    run_id = start_harbour_run(project)
    model = Scripted()
    assert carry_scripted(project, run_id, model) is RunState.WAITING
    assert {p.stage for p in model.prompts} == {Stage.FOCUS, Stage.RELEVANCE, Stage.SCHEMA}
    edit = AddField(parent=("Landing",), field=Field(name="seen_by", meaning="", kind=Scalar()))
    apply_edit(project, run_id, edit, reason="who saw it")
    accept_and_queue(project, run_id)
    shapes: list[str] = []

    def with_new_field(prompt: Prompt) -> Reply:
        reply = Scripted()(prompt)
        if prompt.stage is not Stage.PARSING:
            return reply
        shapes.append(json.dumps(prompt.shape))
        said = json.loads(reply.text)
        for landing in said["Landing"]:
            landing["seen_by"] = None
        return Reply(text=json.dumps(said), model="scripted")

    assert carry_scripted(project, run_id, with_new_field) is RunState.DONE
    assert all("seen_by" in shape for shape in shapes)


def test_a_document_the_model_refuses_is_listed_and_the_rest_goes_on(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True)

    def refuses_one(prompt: Prompt) -> Reply:
        if prompt.about.document_id == load_corpus(project).documents[4].id:
            raise RefusedError("The endpoint would not read this.")
        return Scripted()(prompt)

    assert carry_scripted(project, run_id, refuses_one) is RunState.DONE
    (unread,) = load_unread(project, run_id, Stage.RELEVANCE, 1)
    assert unread.reason == "The endpoint would not read this."
    ids = run_rows.load_run(project, run_id).document_ids
    assert len(load_context(project, run_id, ids).snippets) == 9


def test_an_unreadable_reply_is_sent_back_three_times_then_the_document_is_listed(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True)
    bad = load_corpus(project).documents[2].id
    model = Scripted(lambda p: "I cannot." if p.about.document_id == bad else harbour_answer(p))
    assert carry_scripted(project, run_id, model) is RunState.DONE
    attempts = [p.attempt for p in model.prompts if p.about.document_id == bad and p.stage is Stage.PARSING]
    assert attempts == [1, 2, 3]
    (unread,) = load_unread(project, run_id, Stage.PARSING)
    assert "not a JSON object" in unread.reason


def test_a_document_the_endpoint_finds_too_long_is_read_in_smaller_parts(tmp_path: Path) -> None:
    long = text_document("\n\n".join(f"In the night of {n} March nothing was landed at Lime Quay." for n in range(400)))
    corpus = Corpus(documents=(long,))
    accepted: list[int] = []

    def small_window(prompt: Prompt) -> Reply:
        size = sum(len(m.content) for m in prompt.messages)
        if prompt.stage is Stage.RELEVANCE and size > 20_000:
            raise WindowExceededError(4096)
        accepted.append(size)
        return Reply(text=json.dumps({"document_is": "", "facts": ["nothing was landed at all"]}))

    brief = make_brief(make_task("How many?"), corpus, RunSettings(model="m", rounds=1, window=16_000))
    context = surface_relevance(brief, Models(reading=small_window, reasoning=small_window))
    assert context.rounds[0].unread == ()
    assert len(accepted) > 1


def test_a_document_that_never_fits_is_listed_with_the_reason(project: Project) -> None:
    def never_fits(prompt: Prompt) -> Reply:
        if prompt.stage is Stage.PARSING:
            raise WindowExceededError(512)
        return Scripted()(prompt)

    run_id = start_harbour_run(project, straight_through=True, rounds=1)
    assert carry_scripted(project, run_id, never_fits) is RunState.DONE
    reasons = {u.reason for u in load_unread(project, run_id, Stage.PARSING)}
    assert len(reasons) == 1
    assert "context window of 512 tokens" in reasons.pop()


def test_an_endpoint_that_stays_away_ends_the_run_and_loses_nothing(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True)
    first = Scripted()

    def goes_away(prompt: Prompt) -> Reply:
        if len(first.prompts) == 12:
            raise BusyError("Nobody answers.")
        return first(prompt)

    with pytest.raises(BusyError):
        carry_scripted(project, run_id, goes_away)
    assert len(list_calls(project, run_id)) == 12


def test_direct_mode_answers_without_code(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True, mode=Mode.DIRECT)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    answer = load_answer(project, run_id)
    assert answer is not None
    assert (answer.mode, answer.steps, answer.text) == (Mode.DIRECT, (), "The Petrel landed 85 cases.")


def test_five_rounds_read_every_document_five_times(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True, rounds=5)
    model = Scripted()
    carry_scripted(project, run_id, model)
    assert len([p for p in model.prompts if p.stage is Stage.RELEVANCE]) == 50


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_blank_question_is_refused_before_anything_is_asked(project: Project, question: str) -> None:
    with pytest.raises(CorpusError, match="question is empty"):
        create_run(project, question, RunChoices(reading=ModelChoice(model="m")))


def test_an_empty_corpus_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no documents yet"):
        create_run(create_project(tmp_path, "Empty"), "Who?", RunChoices(reading=ModelChoice(model="m")))


def test_the_whole_path_runs_in_memory_from_python() -> None:
    model = Scripted()
    result = answer_question(
        QUESTION, Corpus(documents=harbour_documents()), Models(reading=model, reasoning=model), RunSettings(model="m")
    )
    assert result.answer.text.startswith("The Petrel landed 85 cases")

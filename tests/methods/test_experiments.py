"""Methods side by side: what each would take, a line of them in one process, and what came of each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.costs import cost_so_far, forecast
from r3con_core.errors import CorpusError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.experiments import (
    PlannedMethod,
    plan_methods,
    queue_methods,
    results_of,
    stop_methods,
    trace_of,
    which,
)
from r3con_core.jobs import ModelChoice, RunChoices, raise_caps, reconcile, requeue, stop
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Method
from r3con_core.models import Prices
from r3con_core.models.prices import set_price
from r3con_core.opening import Servers, Signals
from r3con_core.runs import Caps, RunSettings, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.lines import IN_LINE, wait_in_line
from r3con_core.store.project import Project
from r3con_core.store.usage import usage_by_length
from r3con_core.worker import work_in_line
from tests.fakes import Scripted, harbour_answer, harbour_project
from tests.harbour_script import QUESTION
from tests.methods.running import carry_method
from tests.methods.scripts import reply

URL = "https://models.example/v1"
CHOICE = ModelChoice(model="scripted", base_url=URL, window=32_768)
CHOICES = RunChoices(reading=CHOICE)
PAIR = ("whole", "alone")
PRICES = Prices(input=1.0, cached=0.5, cache_write=1.0, output=2.0, source="a test")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return harbour_project(tmp_path / "projects")


def planned(project: Project, home: Path, *ids: str) -> tuple[PlannedMethod, ...]:
    return plan_methods(project, QUESTION, CHOICES, ids, home=home)


def queued(project: Project, home: Path, *ids: str) -> list[str]:
    return [run.id for run in queue_methods(project, QUESTION, planned(project, home, *ids), home=home)]


def opening(ask: Callable[[Prompt], Reply]) -> Callable[[ModelChoice, Path, Signals], object]:
    @contextmanager
    def opened(_choice: ModelChoice, _home: Path, _signals: Signals) -> Iterator[Ask]:
        yield ask

    return opened


def carry(project: Project, home: Path, ids: list[str], ask: Callable[[Prompt], Reply]) -> tuple[RunState, ...]:
    return work_in_line(project, ids, home, opening(ask))  # type: ignore[arg-type]


def state(project: Project, run_id: str) -> RunState:
    return run_rows.load_run(project, run_id).state


@pytest.mark.parametrize("method", [pytest.param(one, id=one.id) for one in METHODS])
def test_a_run_planned_for_a_method_is_known_as_a_run_of_it(tmp_path: Path, project: Project, method: Method) -> None:
    (one,) = planned(project, tmp_path, method.id)
    assert which(one.choices.settings()) is method is one.method
    assert one.choices.straight_through
    assert bool(one.why_not) != bool(one.estimate.calls.likely)


def test_a_run_of_r3con_that_is_none_of_its_named_ways_is_none() -> None:
    assert which(RunSettings(model="m", rounds=4)) is None
    assert which(RunSettings(model="m", method="judge")) is None


def test_a_model_of_vectors_is_no_matter_of_methods_that_want_none(tmp_path: Path, project: Project) -> None:
    set_price(tmp_path, CHOICE.endpoint(), PRICES)
    vectors = ModelChoice(model="of no known price", base_url="https://vectors.example/v1")
    choices = replace(CHOICES, embedding=vectors, caps=Caps(money=1.0))
    *without, raptor = plan_methods(project, QUESTION, choices, ["r3con", "whole", "raptor"], home=tmp_path)
    assert raptor.cost is None
    assert all(one.cost is not None and one.cost.likely > 0 for one in without)
    runs = queue_methods(project, QUESTION, without, home=tmp_path)
    assert {run.host for run in runs} == {"models.example"}


def test_plans_leave_out_what_is_held_back_and_say_why_a_method_cannot_work(tmp_path: Path, project: Project) -> None:
    with project.change() as db:
        db.execute("update documents set held = 'private' where position = 0")
    assert len(planned(project, tmp_path, "alone")[0].document_ids) == 9
    small = replace(CHOICES, reading=replace(CHOICE, window=2_048))
    whole, _ = plan_methods(project, QUESTION, small, PAIR, home=tmp_path)
    assert "longer context window" in whole.why_not
    with pytest.raises(CorpusError, match="None of these"):
        queue_methods(project, QUESTION, [whole], home=tmp_path)


def test_a_method_costs_by_itself_what_it_would_without_the_replies_of_another(
    tmp_path: Path, project: Project
) -> None:
    set_price(tmp_path, CHOICE.endpoint(), PRICES)
    ids = queued(project, tmp_path, "r3con", "r3con-one-round")
    assert carry(project, tmp_path, ids, Scripted(harbour_answer)) == (RunState.DONE, RunState.DONE)
    assert [len(usage_by_length(project, run_id, ())) > 0 for run_id in ids] == [True, True]
    whole, one_round = results_of(project, run_rows.load_run(project, ids[0]).task.id, tmp_path)
    paid = [cost_so_far(project, run_id, tmp_path) for run_id in ids]
    assert whole.cost is not None
    assert one_round.cost is not None
    assert paid[0] is not None
    assert paid[1] is not None
    assert whole.cost.amount == pytest.approx(paid[0].amount)
    assert paid[1].amount < one_round.cost.amount < whole.cost.amount
    assert one_round.calls < whole.calls
    assert [built.name for built in one_round.trace] == ["Snippets of round 1", "Records", "Steps of the agent"]
    assert trace_of(project, one_round.run) == one_round.trace


def test_a_line_goes_on_when_one_of_it_fails(tmp_path: Path, project: Project) -> None:
    ids = queued(project, tmp_path, *PAIR)

    def silent_on_documents(prompt: Prompt) -> str:
        return "Nothing is known of it." if "no documents" in prompt.messages[0].content else ""

    assert carry(project, tmp_path, ids, Scripted(silent_on_documents)) == (RunState.FAILED, RunState.DONE)
    found = results_of(project, run_rows.load_run(project, ids[0]).task.id, tmp_path)
    assert [one.method.id for one in found] == list(PAIR)
    assert found[0].fault
    assert found[0].answer is None
    assert found[1].answer is not None


def test_a_stop_before_the_process_has_begun_is_heeded_and_resuming_ends_it(tmp_path: Path, project: Project) -> None:
    ids, model = queued(project, tmp_path, *PAIR), Scripted(reply)
    stop_methods(project, ids)
    assert carry(project, tmp_path, ids, model) == (RunState.STOPPED, RunState.STOPPED)
    assert model.prompts == []
    for run_id in ids:
        requeue(project, run_id)
    assert carry(project, tmp_path, ids, model) == (RunState.DONE, RunState.DONE)


def test_one_that_waits_in_line_is_stopped_at_once_and_never_asks(tmp_path: Path, project: Project) -> None:
    ids = queued(project, tmp_path, *PAIR)

    def stops_the_other(prompt: Prompt) -> str:
        stop(project, ids[1])
        assert state(project, ids[1]) is RunState.STOPPED
        return reply(prompt)

    model = Scripted(stops_the_other)
    assert carry(project, tmp_path, ids, model) == (RunState.DONE, RunState.STOPPED)
    assert len(model.prompts) == 1


def test_stopping_all_leaves_none_to_begin(tmp_path: Path, project: Project) -> None:
    ids = queued(project, tmp_path, "r3con", *PAIR)

    def stops_all(prompt: Prompt) -> str:
        stop_methods(project, ids)
        return harbour_answer(prompt)

    model = Scripted(stops_all)
    assert set(carry(project, tmp_path, ids, model)) == {RunState.STOPPED}
    assert len(model.prompts) == 1


def test_a_line_whose_process_died_is_noticed_and_goes_on(tmp_path: Path, project: Project) -> None:
    ids = queued(project, tmp_path, *PAIR)
    dead = 2**22 + 1
    for run_id in ids:
        assert wait_in_line(project, run_id, dead)
        assert run_rows.note_of(project, run_id) == IN_LINE
    reconcile(project)
    assert {state(project, run_id) for run_id in ids} == {RunState.INTERRUPTED}
    for run_id in ids:
        requeue(project, run_id)
    assert carry(project, tmp_path, ids, Scripted(reply)) == (RunState.DONE, RunState.DONE)


def test_results_are_of_the_newest_run_of_each_method(tmp_path: Path, project: Project) -> None:
    first, second = (queued(project, tmp_path, "alone")[0] for _ in range(2))
    task = run_rows.load_run(project, first).task.id
    (newest,) = results_of(project, task, tmp_path)
    (named,) = results_of(project, task, tmp_path, run_id=first)
    assert [(one.run.id, [run.id for run in one.others]) for one in (newest, named)] == [
        (second, [first]),
        (first, [second]),
    ]
    assert results_of(project, "task-of-no-one", tmp_path) == ()


def test_a_model_inside_the_process_is_started_once_for_all_its_runs(tmp_path: Path) -> None:
    started: list[str] = []

    @contextmanager
    def start(file: Path, window: int) -> Iterator[object]:
        started.append(f"{file.name} {window}")
        yield object()
        started.append("ended")

    with Servers(start) as servers:  # type: ignore[arg-type]
        for window in (8, 8, 16):
            with servers.serve(tmp_path / "model", window) as server:
                assert server is not None
        assert started == ["model 8", "model 16"]
    assert started[2:] == ["ended", "ended"]


@pytest.mark.parametrize("method_id", ["alone", "readagent", "arag"])
def test_what_is_left_of_a_run_shrinks_to_nothing(tmp_path: Path, project: Project, method_id: str) -> None:
    (one,) = planned(project, tmp_path, method_id)
    run_id = queued(project, tmp_path, method_id)[0]
    before = forecast(project, run_id, tmp_path)
    assert before.calls_left == one.estimate.calls
    assert before.tokens_left.likely == pytest.approx((one.estimate.prompt + one.estimate.output).likely)
    carry_method(project, run_id)
    assert forecast(project, run_id, tmp_path).calls_left.high == 0


def test_a_run_of_another_method_that_pauses_says_what_of_it_is_done(tmp_path: Path, project: Project) -> None:
    choices = replace(CHOICES, caps=Caps(tokens=1))
    two = plan_methods(project, QUESTION, choices, ["readagent"], home=tmp_path)
    (run,) = queue_methods(project, QUESTION, two, home=tmp_path)
    assert carry(project, tmp_path, [run.id], Scripted(reply)) == (RunState.PAUSED,)
    said = run_rows.load_run(project, run.id).error
    assert "1 call of this method is done; its answer is not reached yet." in said


@pytest.mark.parametrize("method_id", ["memagent", "structrag", "readagent", "codeagent", "rlm"])
def test_a_method_pauses_at_its_limit_and_goes_on_when_it_is_raised(
    tmp_path: Path, project: Project, method_id: str
) -> None:
    whole, other = Scripted(reply), harbour_project(tmp_path / "other")
    assert carry(other, tmp_path, queued(other, tmp_path, method_id), whole) == (RunState.DONE,)
    choices = replace(CHOICES, caps=Caps(tokens=100))
    one = plan_methods(project, QUESTION, choices, [method_id], home=tmp_path)
    (run,) = queue_methods(project, QUESTION, one, home=tmp_path)
    first, rest = Scripted(reply), Scripted(reply)
    assert carry(project, tmp_path, [run.id], first) == (RunState.PAUSED,)
    assert len(first.prompts) == 1
    raise_caps(project, run.id, Caps(), home=tmp_path)
    requeue(project, run.id)
    assert carry(project, tmp_path, [run.id], rest) == (RunState.DONE,)
    assert len(first.prompts) + len(rest.prompts) == len(whole.prompts)

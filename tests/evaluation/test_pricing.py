"""What an evaluation would take is told before it begins: of what is left to do alone, by a spread of its tasks."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from r3con_core.evaluation.carrying import RESULTS, Evaluation, evaluate, ways_of
from r3con_core.evaluation.corpusqa import read_corpusqa
from r3con_core.evaluation.pricing import Price, price_of
from r3con_core.evaluation.results import Line, add_line
from r3con_core.evaluation.tasks import EvaluationTask, Text, filling
from r3con_core.jobs import ModelChoice
from r3con_core.models import Prices
from r3con_core.models.prices import set_price
from r3con_core.runs import RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import set_state
from r3con_core.verdicts import Gold
from tests.evaluation.benchmarks import corpusqa, corpusqa_row

PAID = ModelChoice(model="scripted", base_url="https://api.example.org/v1", window=32_768)
PRICES = Prices(input=1.0, cached=1.0, cache_write=1.0, output=1.0, source="a test")


@pytest.fixture
def given(tmp_path: Path) -> Evaluation:
    set_price(tmp_path / "home", PAID.endpoint(), PRICES)
    ways = ways_of(["whole", "alone"], [PAID], None)
    (tmp_path / "out").mkdir()
    return Evaluation(folder=tmp_path / "out", home=tmp_path / "home", ways=ways, judge=PAID)


def price(given: Evaluation, rows: int = 2) -> Price:
    file = corpusqa(given.home / "q.jsonl", *(corpusqa_row(number) for number in range(1, rows + 1)), "{broken")
    return price_of(read_corpusqa(file), given, [PAID])


def parts(told: Price) -> list[tuple[str, int]]:
    return [(part.name, part.tasks) for part in told.parts]


def test_all_is_to_be_done_at_first_and_nothing_is_kept(given: Evaluation) -> None:
    told = price(given)
    assert parts(told) == [("whole", 2), ("alone", 2), ("judge", 4)]
    assert (told.tasks, told.counted, told.done, [row.line for row in told.malformed]) == (2, 2, 0, [3])
    assert [part.calls.likely for part in told.parts] == [2, 2, 4]
    assert [part.cost is not None and part.cost.likely > 0 for part in told.parts] == [True] * 3
    assert told.told is not None
    assert (told.told.documents, told.told.to_allow) == (6, ("api.example.org",))
    assert list(given.folder.iterdir()) == []


def test_what_is_done_is_no_part_of_it(given: Evaluation) -> None:
    lines = (
        Line(task="q1", method="whole", model="scripted", answer="A", correct=True, judge="scripted"),
        Line(task="q1", method="alone", model="scripted", answer="A", fault="It could not be judged."),
        Line(task="q2", method="whole", model="scripted", answer="A"),
        Line(task="q2", method="alone", model="scripted", fault="Nobody listens there."),
    )
    for line in lines:
        add_line(given.folder / RESULTS, line)
    told = price(given)
    assert parts(told) == [("alone", 1), ("judge", 3)]
    assert told.done == 1


def test_other_vectors_make_another_result_of_methods_that_want_them(given: Evaluation) -> None:
    for method in ("linearrag", "whole"):
        add_line(given.folder / RESULTS, Line(task="q1", method=method, model="scripted", answer="A"))
    unjudged = replace(given, judge=None, ways=ways_of(["linearrag", "whole"], [PAID], None))
    assert parts(price(unjudged, rows=1)) == []
    vectors = replace(PAID, model="vectors")
    others = replace(unjudged, ways=ways_of(["linearrag", "whole"], [PAID], vectors))
    assert parts(price(others, rows=1)) == [("linearrag", 1)]


def test_of_many_tasks_some_are_counted_that_are_spread_over_all(given: Evaluation) -> None:
    tried: list[str] = []

    def fill(name: str, words: int, project: Project) -> None:
        tried.append(name)
        filling([Text(title=name, text="word " * words)], "a test")(project)

    tasks = (
        EvaluationTask(
            id=str(number),
            question="How many?",
            gold=Gold(answer="3"),
            labels=(),
            fill=partial(fill, str(number), 40 * (number + 1)),
        )
        for number in range(100)
    )
    told = price_of(tasks, replace(given, judge=None), [PAID])
    assert tried == ["0", "16", "32", "48", "64", "80", "96"]
    assert (told.tasks, told.counted) == (100, 7)
    assert [part.calls.likely for part in told.parts] == [pytest.approx(100), pytest.approx(100)]
    assert told.told is not None
    assert told.told.words == 100 * 40 * 49


def test_a_method_whose_window_is_too_small_says_for_how_many(given: Evaluation) -> None:
    small = replace(PAID, window=2_048)
    narrow = replace(given, ways=ways_of(["whole", "alone"], [small], None))
    fill = filling([Text(title="Long", text="word " * 4_000)], "a test")
    task = EvaluationTask(id="long", question="How many?", gold=Gold(answer="3"), labels=(), fill=fill)
    whole, alone, judge = price_of([task], narrow, [PAID]).parts
    assert (whole.unable, whole.calls.high, alone.unable) == (1, 0, 0)
    assert "the model takes in 2,048 at once" in whole.why_not
    assert (judge.name, judge.tasks) == ("judge", 1)


def test_a_stop_by_a_person_is_told_from_a_limit(given: Evaluation) -> None:
    file = corpusqa(given.home / "q.jsonl", corpusqa_row(1))

    def stopping(project: Project, run_id: str) -> None:
        set_state(project, run_id, RunState.STOPPED)

    outcome = evaluate(read_corpusqa(file), given, stopping)
    assert outcome.stopped
    assert outcome.unfinished.endswith("Start the evaluation again to go on where it ended.")
    assert outcome.lines == ()

"""An evaluation ends once it has cost as much as it may, says so, and goes on under a higher limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from r3con_core.evaluation.carrying import Evaluation, Outcome, evaluate, ways_of
from r3con_core.evaluation.corpusqa import read_corpusqa
from r3con_core.evaluation.samples import read_sample
from r3con_core.evaluation.tasks import only
from r3con_core.exchange import Ask
from r3con_core.jobs import ModelChoice
from r3con_core.models import Prices
from r3con_core.models.prices import set_price
from r3con_core.opening import Signals
from r3con_core.store.project import Project
from r3con_core.worker import work
from tests.evaluation.benchmarks import corpusqa, corpusqa_row
from tests.evaluation.test_carrying import says
from tests.fakes import Scripted
from tests.methods.running import carry_method
from tests.methods.scripts import reply

PAID = ModelChoice(model="scripted", base_url="https://api.example.org/v1", window=32_768)
DEAR = Prices(input=10_000.0, cached=10_000.0, cache_write=10_000.0, output=0.0, source="a test")
"""A hundred tokens, as the scripted model counts each prompt, are one dollar."""


def test_it_ends_at_its_limit_and_goes_on_under_a_higher_one(tmp_path: Path) -> None:
    file, model = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), corpusqa_row(2)), Scripted(says)
    set_price(tmp_path / "home", PAID.endpoint(), DEAR)
    given = Evaluation(
        folder=tmp_path / "out", home=tmp_path / "home", ways=ways_of(["whole"], [PAID], None), judge=PAID, most=1.5
    )

    def run(of: Evaluation) -> Outcome:
        return evaluate(read_corpusqa(file), of, lambda project, run_id: _carry(project, run_id, model))

    first = run(given)
    assert [(line.task, line.cost, line.paid) for line in first.lines] == [("q1", 1.0, 2.0)]
    assert first.unfinished.startswith("1.5 are spent, as much as the evaluation may cost.")
    rest = run(replace(given, most=10.0))
    assert [(line.task, line.paid) for line in rest.lines] == [("q1", 2.0), ("q2", 2.0)]
    assert rest.unfinished == ""
    assert len(model.prompts) == 4


def test_what_a_paused_run_has_spent_counts_when_it_goes_on(tmp_path: Path) -> None:
    set_price(tmp_path / "home", PAID.endpoint(), DEAR)
    model, given = (
        Scripted(reply),
        Evaluation(folder=tmp_path / "out", home=tmp_path / "home", ways=ways_of(["memagent"], [PAID], None), most=2.5),
    )

    @contextmanager
    def opening(_choice: ModelChoice, _home: Path, _signals: Signals) -> Iterator[Ask]:
        yield model

    def run(most: float | None) -> str:
        def carry(project: Project, run_id: str) -> None:
            work(project, run_id, tmp_path / "home", opening)

        return evaluate(only(read_sample("harbour"), 1), replace(given, most=most), carry).unfinished

    assert run(2.5).startswith("Paused: 3.00 of at most 2.50 USD are used.")
    assert run(2.5).startswith("2.5 are spent, as much as the evaluation may cost.")
    assert run(4.0).startswith("Paused: 4.00 of at most 4.00 USD are used.")
    assert len(model.prompts) == 4
    assert run(None) == ""


def _carry(project: Project, run_id: str, model: Scripted) -> None:
    carry_method(project, run_id, model)

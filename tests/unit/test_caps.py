"""Limits in money and tokens: a run that reaches one pauses, says so, and goes on with a higher one."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from r3con_core.caps import Meter, Rates, Spent, caps_text, money_text, spent_of
from r3con_core.errors import LimitReachedError, R3ConError, StoreError
from r3con_core.exchange import Message, Prompt, Reply, Stage, Usage
from r3con_core.jobs import (
    ModelChoice,
    RunChoices,
    accept_and_queue,
    create_run,
    leave,
    raise_caps,
    rates_of,
    requeue,
)
from r3con_core.models import Prices
from r3con_core.models.endpoint import Tier
from r3con_core.models.prices import set_price
from r3con_core.preferences import load_choices, save_choices
from r3con_core.runs import Caps, Layout, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project
from r3con_core.worker import work
from tests.fakes import Scripted, harbour_project
from tests.harbour_script import QUESTION

PAID = ModelChoice(model="gpt-4o-mini", base_url="https://api.openai.com/v1", workers=1)
UNPRICED = ModelChoice(model="nobody-knows", base_url="https://models.example.org/v1", workers=1)
USAGE = Usage(prompt=90, cached=40, output=10)
"""Of every reply here: 100 tokens; 50 fresh, 40 read before and 10 written."""
DEAR = Prices(input=100.0, cached=50.0, cache_write=100.0, output=300.0, source="a test")
"""One such call costs 50 x 100 + 40 x 50 + 10 x 300 millionths: 0.01."""
CHEAP = replace(DEAR, input=10.0, cached=5.0, output=30.0)


class Counted(Scripted):
    """The harbour's model, whose every reply uses the same."""

    def __call__(self, prompt: Prompt) -> Reply:
        return replace(super().__call__(prompt), usage=USAGE)


@dataclass
class Job:
    """A run and what it was made of; `model` keeps what it was asked over all workers."""

    project: Project
    id: str
    home: Path
    model: Counted

    def work(self) -> RunState:
        @contextmanager
        def opening(*_: object) -> Iterator[Counted]:
            yield self.model

        return work(self.project, self.id, self.home, opening)

    def go_on(self, caps: Caps) -> RunState:
        raise_caps(self.project, self.id, caps, home=self.home)
        requeue(self.project, self.id)
        return self.work()

    @property
    def error(self) -> str:
        return run_rows.load_run(self.project, self.id).error

    @property
    def spent(self) -> Spent:
        return spent_of(self.project, self.id, rates_of(self.project, self.id, self.home))

    @property
    def asked(self) -> int:
        return len(self.model.prompts)

    @property
    def answer(self) -> str:
        found = load_answer(self.project, self.id)
        return found.text if found else ""


Begin = Callable[..., Job]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """Makes a run with these limits over the harbour corpus, in a project of its own."""

    def make(caps: Caps, reading: ModelChoice = PAID, **choices: object) -> Job:
        home = tmp_path / "home"
        project = harbour_project(tmp_path / "projects", f"Harbour {len(list(tmp_path.glob('projects/*')))}")
        chosen = RunChoices(reading=reading, caps=caps, **{"straight_through": True, **choices})  # type: ignore[arg-type]
        return Job(project, create_run(project, QUESTION, chosen, home=home).id, home, Counted())

    return make


def test_a_run_that_reaches_its_tokens_pauses_and_says_what_is_done(begin: Begin) -> None:
    job = begin(Caps(tokens=1500))
    assert job.work() is RunState.PAUSED
    assert job.asked == 15
    assert job.error == (
        "Paused: 1,500 of at most 1,500 tokens are used. Round 2: 4 of 10 documents are read. "
        "Raise the limit to go on; nothing is paid twice."
    )
    assert run_rows.holder(job.project, job.id)[0] is None


def test_the_call_that_passes_a_limit_is_the_last(begin: Begin) -> None:
    job = begin(Caps(tokens=1001))
    assert job.work() is RunState.PAUSED
    assert job.asked == 11
    assert job.error.startswith("Paused: 1,100 of at most 1,001 tokens are used. Round 2: 0 of 10 documents are read.")


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("tokens", [100, 900, 2100, 2200, 2700, 3400])
def test_a_paused_run_goes_on_to_the_answer_of_one_without_limits(begin: Begin, workers: int, tokens: int) -> None:
    reading = replace(PAID, workers=workers)
    free, capped = begin(Caps(), reading), begin(Caps(tokens=tokens), reading)
    assert free.work() is RunState.DONE
    assert capped.work() is RunState.PAUSED
    assert tokens <= 100 * capped.asked <= tokens + 100 * (workers - 1)
    assert len(list_calls(capped.project, capped.id)) == capped.asked
    assert capped.go_on(Caps(tokens=100_000)) is RunState.DONE
    keys = [prompt.key("m") for prompt in capped.model.prompts]
    assert len(keys) == len(set(keys)) == free.asked
    assert capped.answer == free.answer != ""


def test_limits_hold_over_all_workers_of_a_run(begin: Begin) -> None:
    job = begin(Caps(tokens=500))
    assert job.work() is RunState.PAUSED
    assert job.go_on(Caps(tokens=900)) is RunState.PAUSED
    assert job.asked == 9
    requeue(job.project, job.id)
    assert job.work() is RunState.PAUSED
    assert job.asked == 9
    assert job.error.startswith("Paused: 900 of at most 900 tokens are used. Round 1: 8 of 10 documents are read.")


@pytest.mark.parametrize(
    ("tokens", "done"),
    [
        (2100, "All 10 documents are read; the schema is not proposed yet."),
        (2500, "Parsing: 3 of 10 documents are parsed."),
        (3400, "All 10 documents are read and parsed; the answer is not reached yet."),
    ],
)
def test_a_pause_says_how_far_each_stage_is(begin: Begin, tokens: int, done: str) -> None:
    job = begin(Caps(tokens=tokens))
    assert job.work() is RunState.PAUSED
    assert done in job.error


def test_money_is_counted_by_the_prices_of_the_day_the_run_was_made(begin: Begin) -> None:
    job = begin(Caps(money=0.0001))
    (rate,) = {rates_of(job.project, job.id, job.home).of(stage) for stage in Stage if stage is not Stage.EMBEDDING}
    assert rate is not None
    assert job.work() is RunState.PAUSED
    each = (50 * rate.input + 40 * rate.cached + 10 * rate.output) / 1_000_000
    assert job.asked == math.ceil(0.0001 / each)
    assert job.spent.money == pytest.approx(job.asked * each)
    assert f"{money_text(job.asked * each)} of at most 0.0001 USD are used." in job.error
    assert job.go_on(Caps(money=50.0)) is RunState.DONE


def test_a_price_set_later_changes_nothing_of_what_a_run_cost(begin: Begin, tmp_path: Path) -> None:
    set_price(tmp_path / "home", PAID.endpoint(), replace(DEAR, currency="EUR"))
    job = begin(Caps(money=0.1))
    assert job.work() is RunState.PAUSED
    assert job.asked == 10
    assert job.error.startswith("Paused: 0.10 of at most 0.10 EUR are used.")
    set_price(job.home, PAID.endpoint(), CHEAP)
    assert job.spent == Spent(money=pytest.approx(0.1), tokens=1000)  # type: ignore[arg-type]
    assert job.go_on(Caps(money=0.2)) is RunState.PAUSED
    assert job.asked == 20
    assert load_caps(job.project, job.id) == Caps(money=0.2, currency="EUR")


def test_prompts_longer_than_a_bound_are_counted_at_their_own_price(begin: Begin, tmp_path: Path) -> None:
    for_long_ones = Tier(above=89, input=200.0, cached=100.0, cache_write=200.0, output=600.0)
    set_price(tmp_path / "home", PAID.endpoint(), replace(DEAR, tiers=(for_long_ones,)))
    job = begin(Caps(money=0.1))
    assert job.work() is RunState.PAUSED
    assert job.asked == 5
    assert job.spent.money == pytest.approx(0.1)


def test_replies_kept_from_before_are_given_when_nothing_is_left(begin: Begin) -> None:
    first = begin(Caps())
    assert first.work() is RunState.DONE
    chosen = RunChoices(reading=PAID, caps=Caps(tokens=1), straight_through=True)
    again = replace(first, id=create_run(first.project, QUESTION, chosen, home=first.home).id, model=Counted())
    assert again.work() is RunState.DONE
    assert again.asked == 0
    assert again.spent == Spent(money=0.0, tokens=0)


def test_a_run_that_waits_for_its_schema_keeps_its_limits_for_parsing(begin: Begin) -> None:
    job = begin(Caps(tokens=2500), straight_through=False)
    assert job.work() is RunState.WAITING
    accept_and_queue(job.project, job.id)
    assert job.work() is RunState.PAUSED
    assert job.asked == 25
    assert load_caps(job.project, job.id) == Caps(tokens=2500)


def test_money_cannot_be_limited_where_the_price_is_not_known(begin: Begin) -> None:
    with pytest.raises(R3ConError, match=r"costs is not known here\. Set its price, or limit tokens\.") as refused:
        begin(Caps(money=1.0), UNPRICED)
    assert not isinstance(refused.value, LimitReachedError)
    job = begin(Caps(tokens=100), UNPRICED)
    assert job.work() is RunState.PAUSED
    assert job.spent == Spent(money=None, tokens=100)
    with pytest.raises(R3ConError, match="Set its price, or limit tokens"):
        raise_caps(job.project, job.id, Caps(money=1.0), home=job.home)


def test_a_limit_must_be_above_what_is_used(begin: Begin) -> None:
    job = begin(Caps(tokens=500))
    assert job.work() is RunState.PAUSED
    said = "500 are used already, so a limit of 500 tokens is too low. Give a higher one."
    for tokens in (500, 400):
        with pytest.raises(R3ConError, match=said.replace("500 tokens", f"{tokens} tokens")):
            raise_caps(job.project, job.id, Caps(tokens=tokens), home=job.home)
    assert load_caps(job.project, job.id) == Caps(tokens=500)
    assert job.go_on(Caps()) is RunState.DONE


def test_only_a_paused_run_can_be_left_and_it_goes_on_under_a_higher_limit(begin: Begin) -> None:
    job = begin(Caps(tokens=500))
    with pytest.raises(StoreError, match="The run is queued: only one that has paused can be left"):
        leave(job.project, job.id)
    assert job.work() is RunState.PAUSED
    leave(job.project, job.id)
    assert run_rows.load_run(job.project, job.id).state is RunState.STOPPED
    assert job.error == "Left at its limit. Everything finished is kept; raise the limit to go on."
    assert job.go_on(Caps()) is RunState.DONE


def test_a_limit_no_run_can_reach_is_refused_in_words() -> None:
    with pytest.raises(
        R3ConError, match=r"A limit of 9,223,372,036,854,775,808 tokens is none\. Leave it out instead\."
    ):
        Caps(tokens=2**63)


def test_limits_of_a_run_that_is_done_or_queued_stay_as_they_are(begin: Begin) -> None:
    job = begin(Caps())
    with pytest.raises(StoreError, match="The run is queued: its limits can be changed when it has"):
        raise_caps(job.project, job.id, Caps(tokens=1), home=job.home)
    assert job.work() is RunState.DONE
    with pytest.raises(StoreError, match="The run is done"):
        raise_caps(job.project, job.id, Caps(tokens=1), home=job.home)


@pytest.mark.parametrize("caps", [{"money": 0.0}, {"money": -1.0}, {"money": math.nan}, {"tokens": 0}])
def test_a_limit_must_be_above_zero(caps: dict[str, float]) -> None:
    with pytest.raises(R3ConError, match="must be above zero"):
        Caps(**caps)  # type: ignore[arg-type]


def prompt(stage: Stage) -> Prompt:
    return Prompt(stage=stage, messages=(Message(role="user", pieces=("?",)),))


def test_each_model_is_paid_by_its_own_price() -> None:
    meter = Meter(Caps(money=1.0), Rates(reading=CHEAP, reasoning=DEAR), Spent())
    ask = meter.metered(Counted(lambda _: "!"))
    for stage, tenths in ((Stage.RELEVANCE, 1), (Stage.SCHEMA, 11), (Stage.PARSING, 12), (Stage.REASONING, 22)):
        ask(prompt(stage))
        assert meter.spent.money == pytest.approx(tenths / 1000)
    assert meter.spent.tokens == 400


def test_money_is_in_the_currency_of_the_prices_and_of_one_alone(begin: Begin) -> None:
    euros = replace(DEAR, currency="EUR")
    free = Prices(input=0.0, cached=0.0, cache_write=0.0, output=0.0, source="own machine")
    assert Rates(reading=free, reasoning=euros).currency == "EUR"
    assert Rates(reading=free, reasoning=free).currency == "USD"
    assert Rates(reading=DEAR, reasoning=euros).currency is None
    job = begin(Caps(money=1.0, currency="GBP"))
    assert load_caps(job.project, job.id) == Caps(money=1.0, currency="USD")


def test_a_reply_that_comes_after_the_limit_is_kept_and_counted() -> None:
    meter = Meter(Caps(tokens=150), Rates(reading=DEAR, reasoning=DEAR), Spent())
    ask = meter.metered(Counted(lambda _: "!"))

    def another_goes_out_meanwhile(_: Prompt) -> Reply:
        ask(prompt(Stage.RELEVANCE))
        ask(prompt(Stage.RELEVANCE))
        return Reply(text="late", usage=USAGE)

    assert meter.metered(another_goes_out_meanwhile)(prompt(Stage.PARSING)).text == "late"
    assert meter.spent.tokens == 300
    with pytest.raises(LimitReachedError, match="300 of at most 150 tokens are used"):
        ask(prompt(Stage.RELEVANCE))


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "0.00"), (0.00042, "0.0004"), (0.015, "0.015"), (0.1, "0.10"), (1.2345, "1.23"), (1234.5, "1,234.50")],
)
def test_small_amounts_are_not_shown_as_nothing(amount: float, text: str) -> None:
    assert money_text(amount) == text


def test_limits_in_words() -> None:
    assert caps_text(Caps()) == ""
    assert caps_text(Caps(money=2.5)) == "at most 2.50 USD"
    assert caps_text(Caps(money=2.5, tokens=500_000)) == "at most 2.50 USD and 500,000 tokens"


def test_layout_and_limits_are_chosen_with_a_run_and_remembered(tmp_path: Path) -> None:
    chosen = RunChoices(reading=PAID, layout=Layout.PAPER, caps=Caps(money=2.5, tokens=9))
    assert chosen.settings().layout is Layout.PAPER
    save_choices(tmp_path, chosen)
    assert load_choices(tmp_path) == chosen

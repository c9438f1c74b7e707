"""Money and time: prices as set or listed, what a run is expected to cost, what it has cost, and what is left."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from r3con_core.costs import cost_so_far, expected_cost, expected_seconds, forecast, known_of
from r3con_core.errors import EndpointError, StoppedError
from r3con_core.estimates.calibration import FILE, calibration_of, learn_from
from r3con_core.estimates.estimate import estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.usual import Script, writing_of
from r3con_core.exchange import Prompt, Reply, Stage, Usage
from r3con_core.figures import exactly
from r3con_core.jobs import ModelChoice, RunChoices, accept_and_queue, create_run
from r3con_core.models import FREE, Prices, cost, endpoint_for, price_of
from r3con_core.models.endpoint import Tier
from r3con_core.models.prices import forget_price, set_price
from r3con_core.runs import RunSettings, RunState
from r3con_core.store.project import Project
from r3con_core.store.usage import usage_by_length
from tests.fakes import Scripted, carry_scripted, harbour_project, text_document, text_project
from tests.harbour_script import QUESTION
from tests.unit.test_estimates import Counting

HERE = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768, workers=4)
THERE = ModelChoice(model="mine", base_url="https://models.example/v1", window=32_768, workers=4)
PRICES = Prices(input=2.0, cached=0.5, cache_write=2.0, output=8.0, source="")
MILLION = 1_000_000


def run_of(project: Project, home: Path, choice: ModelChoice = HERE, **choices: object) -> str:
    """A queued run of the harbour question at today's prices."""
    chosen = RunChoices(reading=choice, **choices)  # type: ignore[arg-type]
    return create_run(project, QUESTION, chosen, home=home).id


def stopped_after(calls: int) -> Callable[[Prompt], Reply]:
    """A model that counts, until the analyst stops the run."""
    model, left = Counting(), [calls]

    def ask(prompt: Prompt) -> Reply:
        left[0] -= 1
        if left[0] < 0:
            raise StoppedError
        return model(prompt)

    return ask


def test_a_price_that_was_set_comes_before_the_table_and_says_since_when(tmp_path: Path) -> None:
    listed = endpoint_for("gpt-4o-mini", "https://api.openai.com/v1")
    kept = set_price(tmp_path, listed, PRICES, date(2026, 11, 30))
    assert kept == replace(PRICES, source="set by you on 2026-11-30")
    assert price_of(listed, tmp_path) == kept
    assert price_of(endpoint_for("gpt-4o", "https://api.openai.com/v1"), tmp_path) != kept
    forget_price(tmp_path, listed)
    table = price_of(listed, tmp_path)
    assert table is not None
    assert table.source.startswith("genai-prices ")
    assert price_of(listed) == table


def test_a_price_can_be_set_for_a_server_of_ones_own_which_else_costs_nothing(tmp_path: Path) -> None:
    assert price_of(HERE.endpoint(), tmp_path) == FREE
    set_price(tmp_path, HERE.endpoint(), PRICES)
    price = price_of(HERE.endpoint(), tmp_path)
    assert price is not None
    assert price.output == 8.0


@pytest.mark.parametrize("amount", [-1.0, float("nan"), float("inf")])
def test_a_price_that_is_no_amount_is_refused(tmp_path: Path, amount: float) -> None:
    with pytest.raises(EndpointError, match="number from 0 up"):
        set_price(tmp_path, THERE.endpoint(), replace(PRICES, cached=amount))
    assert price_of(THERE.endpoint(), tmp_path) is None


@pytest.mark.parametrize("content", ["{", "[]", '{"https://models.example/v1 mine": {"input": 1}}', '{"a": 3}'])
def test_a_damaged_file_of_prices_is_named_and_never_taken_for_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "prices.json").write_text(content, "utf-8")
    with pytest.raises(EndpointError, match=r"prices\.json, cannot be read"):
        price_of(THERE.endpoint(), tmp_path)


@pytest.mark.parametrize("amount", ['"0.15"', "-1", "NaN", "null"])
def test_an_amount_in_the_file_that_is_none_is_named(tmp_path: Path, amount: str) -> None:
    written = f'"input": {amount}, "cached": 1, "cache_write": 1, "output": 1, "source": "me"'
    (tmp_path / "prices.json").write_text(f'{{"https://models.example/v1 mine": {{{written}}}}}', "utf-8")
    with pytest.raises(EndpointError, match=r"prices\.json, cannot be read"):
        price_of(THERE.endpoint(), tmp_path)


def test_prices_with_tiers_survive_the_file(tmp_path: Path) -> None:
    tiered = replace(PRICES, tiers=(Tier(above=1000, input=4, cached=1, cache_write=4, output=16),))
    assert price_of(THERE.endpoint(), tmp_path) != set_price(tmp_path, THERE.endpoint(), tiered)
    price = price_of(THERE.endpoint(), tmp_path)
    assert price is not None
    assert price.tiers == tiered.tiers


def test_long_prompts_are_paid_by_the_tier_they_fall_into() -> None:
    price = price_of(endpoint_for("gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta"))
    assert price is not None
    assert (price.input, price.output) == (1.25, 10.0)
    assert price.tiers == (Tier(above=200_000, input=2.5, cached=0.25, cache_write=2.5, output=15.0),)
    used = Usage(prompt=MILLION, output=MILLION)
    assert cost(price, used) == cost(price, used, prompt=200_000) == 11.25
    assert cost(price, used, prompt=200_001) == 17.5


def test_tokens_written_to_a_cache_are_paid_at_their_own_price() -> None:
    writing = replace(PRICES, cache_write=2.5)
    assert cost(writing, Usage(prompt=MILLION, cached=400_000, written=200_000)) == 0.2 + 0.4 * 2.0 + 0.2 * 2.5
    assert cost(writing, Usage(prompt=MILLION, cached=400_000)) == 0.2 + 0.6 * 2.0


def test_what_a_run_is_expected_to_cost_lies_between_everything_cached_and_nothing(tmp_path: Path) -> None:
    estimate = estimate_run([400] * 30, RunSettings(model="mine", window=32_768))
    assert expected_cost(estimate, THERE, None, tmp_path) is None
    set_price(tmp_path, THERE.endpoint(), PRICES, date(2026, 11, 30))
    money = expected_cost(estimate, THERE, None, tmp_path)
    assert money is not None
    assert (money.currency, money.sources) == ("USD", ("set by you on 2026-11-30",))
    paid = (
        estimate.fresh.likely * 2 + (estimate.prompt.likely - estimate.fresh.likely) * 0.5 + estimate.output.likely * 8
    )
    assert money.likely == pytest.approx(paid / MILLION, rel=1e-3)
    assert (
        money.low
        < money.likely
        < money.high
        == pytest.approx((estimate.prompt.high * 2 + estimate.output.high * 8) / MILLION, rel=1e-3)
    )


def test_a_cache_that_bills_writing_makes_fresh_tokens_dearer(tmp_path: Path) -> None:
    estimate = estimate_run([400] * 30, RunSettings(model="mine", window=32_768))
    amounts = []
    for write in (2.0, 2.5):
        set_price(tmp_path, THERE.endpoint(), replace(PRICES, cache_write=write))
        money = expected_cost(estimate, THERE, None, tmp_path)
        assert money is not None
        amounts.append(money.likely)
    assert amounts[1] - amounts[0] == pytest.approx(estimate.fresh.likely * 0.5 / MILLION, rel=1e-3)


def test_schema_and_reasoning_are_paid_at_the_reasoning_models_price(tmp_path: Path) -> None:
    estimate = estimate_run([400] * 30, RunSettings(model="scripted", reasoning_model="mine", window=32_768))
    set_price(tmp_path, THERE.endpoint(), PRICES)
    money = expected_cost(estimate, HERE, THERE, tmp_path)
    assert money is not None
    own = [stage for stage in estimate.stages if stage.stage in (Stage.SCHEMA, Stage.REASONING)]
    assert money.high == pytest.approx(
        sum(stage.prompt.high * 2 + stage.output.high * 8 for stage in own) / MILLION, rel=1e-3
    )


def test_twice_the_calls_at_once_take_half_the_time(tmp_path: Path) -> None:
    estimate = estimate_run([400] * 256, RunSettings(model="mine", window=200_000))
    one, two = (expected_seconds(estimate, replace(THERE, workers=n), None, tmp_path) for n in (8, 16))
    assert one is not None
    assert two is not None
    assert 0.5 < two.likely / one.likely < 0.6  # focus, schema and reasoning go one by one
    assert one.low < one.likely < one.high


def test_the_default_local_models_speed_is_as_measured(tmp_path: Path) -> None:
    """Ten short documents took 500 to 800 seconds on two cores."""
    choice = ModelChoice(model="qwen2.5-coder-1.5b")
    settings = RunChoices(reading=choice).settings()
    estimate = estimate_run([211] * 10, settings, calibration_of(choice, tmp_path))
    seconds = expected_seconds(estimate, choice, None, tmp_path)
    assert seconds is not None
    assert 300 < seconds.likely < 1000
    assert seconds.low < 500
    assert seconds.high > 800


def test_what_a_run_cost_stays_when_the_price_changes(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    set_price(tmp_path, HERE.endpoint(), PRICES)
    run_id = run_of(project, tmp_path, straight_through=True)
    carry_scripted(project, run_id, Counting())
    before = cost_so_far(project, run_id, tmp_path)
    assert before is not None
    used = forecast(project, run_id, tmp_path).tokens_spent
    assert before.amount == pytest.approx(cost(PRICES, used))
    set_price(tmp_path, HERE.endpoint(), replace(PRICES, input=200.0))
    assert cost_so_far(project, run_id, tmp_path) == before


def test_calls_with_long_prompts_are_billed_by_their_own_tier(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    tier = Tier(above=800, input=4.0, cached=1.0, cache_write=4.0, output=16.0)
    set_price(tmp_path, HERE.endpoint(), replace(PRICES, tiers=(tier,)))
    run_id = run_of(project, tmp_path, straight_through=True)
    carry_scripted(project, run_id, Counting())
    lengths = {length for _, length, _ in usage_by_length(project, run_id, [800])}
    assert lengths == {0, 801}
    paid = cost_so_far(project, run_id, tmp_path)
    used = forecast(project, run_id, tmp_path).tokens_spent
    assert paid is not None
    assert cost(PRICES, used) < paid.amount < 2 * cost(PRICES, used)


def test_the_forecast_of_a_stopped_run_holds_what_it_comes_to(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    set_price(tmp_path, HERE.endpoint(), PRICES)
    run_id = run_of(project, tmp_path, straight_through=True)
    whole = forecast(project, run_id, tmp_path)
    assert whole.tokens_spent == Usage()
    seen = [whole]
    for calls in (16, 12):
        with pytest.raises(StoppedError):
            carry_scripted(project, run_id, stopped_after(calls))
        seen.append(forecast(project, run_id, tmp_path))
        project.db.execute("update runs set state = 'queued' where id = ?", (run_id,))
    carry_scripted(project, run_id, Counting())
    end = forecast(project, run_id, tmp_path)
    assert end.spent is not None
    for then in seen:
        assert then.spent is not None
        assert then.left is not None
        assert then.left.low <= end.spent.amount - then.spent.amount <= then.left.high
    widths = [then.left.high - then.left.low for then in seen if then.left is not None]
    assert widths == sorted(widths, reverse=True)
    assert [then.calls_left.likely for then in seen] == sorted((t.calls_left.likely for t in seen), reverse=True)
    assert (end.calls_left, end.left and end.left.high, end.seconds_left) == (exactly(0), 0, exactly(0))


@pytest.mark.parametrize("calls", [1, 4, 6, 12])
def test_there_is_a_forecast_before_any_stage_is_half_done(tmp_path: Path, calls: int) -> None:
    def ask(prompt: Prompt) -> str:
        if len(model.prompts) > calls:
            raise StoppedError
        return '{"look_for": ["landings"]}' if prompt.stage is Stage.FOCUS else '{"document_is": "", "facts": []}'

    model = Scripted(ask)
    documents = [text_document(f"The Heron landed {n} cases.", path=f"{n}.txt") for n in range(40)]
    project = text_project(tmp_path, documents)
    run_id = run_of(project, tmp_path)
    before = forecast(project, run_id, tmp_path)
    with pytest.raises(StoppedError):
        carry_scripted(project, run_id, model)
    after = forecast(project, run_id, tmp_path)
    assert after.calls_left.low == pytest.approx(before.calls_left.low - calls)
    assert after.tokens_left.low > 0


def test_while_the_schema_waits_parsing_and_reasoning_are_left(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = run_of(project, tmp_path)
    assert carry_scripted(project, run_id, Counting()) is RunState.WAITING
    waiting = forecast(project, run_id, tmp_path)
    assert waiting.calls_left.low == 10 + 1
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, Counting()) is RunState.DONE
    assert forecast(project, run_id, tmp_path).calls_left == exactly(0)


def test_a_finished_run_teaches_the_next_estimate_in_any_project(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = run_of(project, tmp_path, straight_through=True)
    carry_scripted(project, run_id, Counting())
    before = known_of(project, HERE, tmp_path)
    learn_from(project, run_id, tmp_path)
    known = known_of(project, HERE, tmp_path)
    for name in ("tokens_per_estimate", "snippets", "records", "cache_hits"):
        wide, narrow = getattr(before, name), getattr(known, name)
        assert narrow.high - narrow.low < wide.high - wide.low, name
    assert known.cache_hits.likely > 0.9
    assert known.speed is not None
    assert known.speed.written.likely == pytest.approx(50, rel=0.2)
    lengths = [line.tokens for line in _listed(project)]
    assert estimate_run(lengths, RunSettings(model="m", window=32_768), known).prompt.likely == pytest.approx(
        forecast(project, run_id, tmp_path).tokens_spent.prompt, rel=0.15
    )
    assert calibration_of(THERE, tmp_path) == calibration_of(THERE, tmp_path / "elsewhere")


def test_figures_may_be_a_token_each_or_few_whatever_was_learnt_from_letters(tmp_path: Path) -> None:
    letters = harbour_project(tmp_path)
    run_id = run_of(letters, tmp_path, straight_through=True)
    carry_scripted(letters, run_id, Counting())
    rows = "\n".join(",".join(str(7919 * n * k % 100_000) for k in range(1, 9)) for n in range(60))
    figures = text_project(tmp_path, [text_document(f"{rows}\n{n}", path=f"{n}.csv") for n in range(9)])
    tokens = sum(line.tokens for line in _listed(figures))
    by_bytes = sum(len(rows) // 4 for _ in range(9)) / tokens
    for _ in range(2):
        ratio = known_of(figures, HERE, tmp_path).tokens_per_estimate
        assert ratio.low <= by_bytes < 0.6
        assert ratio.high >= known_of(letters, HERE, tmp_path).tokens_per_estimate.likely
        learn_from(letters, run_id, tmp_path)


def _listed(project: Project):  # type: ignore[no-untyped-def]
    from r3con_core.store.documents import list_documents

    return list_documents(project)


def test_a_few_calls_teach_nothing(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = run_of(project, tmp_path)
    with pytest.raises(StoppedError):
        carry_scripted(project, run_id, stopped_after(3))
    learn_from(project, run_id, tmp_path)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("content", ["", "[1]", '{"a": 1}'])
def test_a_damaged_calibration_only_means_wide_bounds(tmp_path: Path, content: str) -> None:
    fresh = calibration_of(HERE, tmp_path)
    (tmp_path / FILE).write_text(content, "utf-8")
    assert calibration_of(HERE, tmp_path) == fresh
    assert isinstance(fresh, Calibration)


def test_a_home_that_cannot_be_written_fails_no_run(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = run_of(project, tmp_path, straight_through=True)
    carry_scripted(project, run_id, Counting())
    (tmp_path / "home").write_text("a file, no folder", "utf-8")
    learn_from(project, run_id, tmp_path / "home")
    assert (tmp_path / "home").read_text("utf-8") == "a file, no folder"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("The Heron landed 40 crates at the quay. ", Script.LATIN),
        ("7,45,1931-03-04,88.20,115;", Script.LATIN),
        ("Größere Mengen wurden später über die Brücke geschafft. ", Script.LATIN),
        ("五月二日潘先生在码头卖给孙女士四箱黑麦。", Script.WIDE),
        ("Второго мая господин Пенн продал сорок ящиков ржи. ", Script.OTHER),
    ],
)
def test_tokens_are_expected_by_the_script_of_the_documents(tmp_path: Path, text: str, script: Script) -> None:
    documents = [text_document(text * 30 + str(n), path=f"{n}.txt") for n in range(60)]
    project = text_project(tmp_path, documents)
    assert writing_of(project).script is script
    ratio = known_of(project, HERE, tmp_path).tokens_per_estimate
    tokens = sum(line.tokens for line in _listed(project))
    counted = sum(len(d.text.encode()) for d in documents) / 4
    assert ratio.low <= counted / tokens <= ratio.high

"""What a run costs in money and time: before it, while it is at work, and after, where prices are known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from r3con_core.caps import Rates, Spent, spent_of
from r3con_core.estimates.calibration import calibration_of
from r3con_core.estimates.derived import estimate_derived
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.estimates.figures import Calibration, Speed
from r3con_core.estimates.learning import learn
from r3con_core.estimates.methods import estimate_settings
from r3con_core.estimates.usual import writing_of
from r3con_core.exchange import Stage, Usage
from r3con_core.figures import Figure, StageEstimate, figure, total
from r3con_core.home import home_folder
from r3con_core.jobs import ModelChoice, choices_of, rates_now, rates_of
from r3con_core.models import FREE, Prices, cost
from r3con_core.overlay import steering_now
from r3con_core.relations import Relation
from r3con_core.runs import R3CON, Run, RunState
from r3con_core.store.derived import documents_before
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.usage import Tally, document_tokens, tallies
from r3con_core.store.usage_alone import usage_alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """An amount of money."""

    amount: float
    currency: str
    sources: tuple[str, ...]
    """Who says what tokens cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRange(Figure):
    """Money that is expected to be spent."""

    currency: str
    sources: tuple[str, ...]
    """Who says what tokens cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a run has used, and what it will use until its answer."""

    spent: Cost | None
    """None where a price is not known."""
    tokens_spent: Usage
    left: CostRange | None
    calls_left: Figure
    tokens_left: Figure
    """Sent and written together."""
    seconds_left: Figure | None
    """None where nothing is known of how fast the model is; waiting for a person is not counted."""


def known_of(project: Project, choice: ModelChoice, home: Path | None = None) -> Calibration:
    """What is known of a model for this project's documents: the third thing that `estimate_run` wants."""
    return calibration_of(choice, home or home_folder(), writing_of(project))


def expected_cost(
    estimate: Estimate,
    reading: ModelChoice,
    reasoning: ModelChoice | None,
    home: Path | None = None,
    *,
    embedding: ModelChoice | None = None,
) -> CostRange | None:
    """What the estimated calls would cost; None where a price is not known. EndpointError for an impossible address."""
    return _money(estimate.parts, rates_now(reading, reasoning, home or home_folder(), embedding))


def expected_seconds(
    estimate: Estimate, reading: ModelChoice, reasoning: ModelChoice | None, home: Path | None = None
) -> Figure | None:
    """How long the estimated calls would take; None where nothing is known of a model's speed."""
    place = home or home_folder()
    speeds = {False: calibration_of(reading, place).speed, True: calibration_of(reasoning or reading, place).speed}
    return _seconds(estimate.parts, speeds, reading.workers)


def cost_so_far(project: Project, run_id: str, home: Path | None = None) -> Cost | None:
    """What the calls of a run have cost, at the prices of when it was made; replies kept from before cost nothing.

    None where a price is not known.
    """
    rates = rates_of(project, run_id, home or home_folder())
    spent = spent_of(project, run_id, rates).money
    if spent is None or rates.currency is None:
        return None
    return Cost(amount=spent, currency=rates.currency, sources=_sources(rates))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """What a run used as if no reply had been kept from another."""

    cost: Cost | None
    """At the prices of when it was made; None where one is not known."""
    tokens: Usage
    calls: int


def alone(project: Project, run_id: str, home: Path) -> Alone:
    """All calls that a run rests on, whichever run paid for them: what it would have cost by itself."""
    rates = rates_of(project, run_id, home)
    spent, tokens, calls = Spent(money=0.0 if rates.currency else None), Usage(), 0
    for stage, length, count, used in usage_alone(project, run_id, rates.lengths):
        spent, tokens, calls = spent.plus(used, rates.of(stage), length), tokens + used, calls + count
    if spent.money is None or rates.currency is None:
        return Alone(cost=None, tokens=tokens, calls=calls)
    cost = Cost(amount=spent.money, currency=rates.currency, sources=_sources(rates))
    return Alone(cost=cost, tokens=tokens, calls=calls)


def forecast(project: Project, run_id: str, home: Path | None = None) -> Forecast:
    """What a run has used and what is left of it, by its finished calls and what they say about its model."""
    place = home or home_folder()
    run = load_run(project, run_id)
    lines = {(line.stage, line.round): line for line in tallies(project, run_id)}
    reading, reasoning = choices_of(project, run_id)
    known = known_of(project, reading, place)
    left: tuple[StageEstimate, ...] = ()
    if run.state is not RunState.DONE:
        own = learn(project, run_id, known)
        known = own.calibration if own else known
        left = _left(_estimate(project, run, known).parts, lines, run.state)
    speeds = {False: known.speed, True: calibration_of(reasoning, place).speed if reasoning else known.speed}
    return Forecast(
        spent=cost_so_far(project, run_id, place),
        tokens_spent=sum((line.usage for line in lines.values()), Usage()),
        left=_money(left, rates_of(project, run_id, place)),
        calls_left=total([part.calls for part in left]),
        tokens_left=total([part.prompt + part.output for part in left]),
        seconds_left=_seconds(left, speeds, reading.workers),
    )


def _estimate(project: Project, run: Run, known: Calibration) -> Estimate:
    tokens = document_tokens(project, run.document_ids)
    if run.settings.method != R3CON:
        return estimate_settings(tokens, run.settings, known, run.task.text)
    if run.relation not in set(Relation):
        rounds = max(steering_now(project, run).rounds, 1)
        return estimate_run(tokens, replace(run.settings, rounds=rounds), known)
    before = documents_before(project, run)
    kept = sum(document_id in before for document_id in run.document_ids)
    return estimate_derived(Relation(run.relation), tokens, kept, run.settings, known)


def _left(
    parts: Sequence[StageEstimate], lines: Mapping[tuple[Stage, int], Tally], state: RunState
) -> tuple[StageEstimate, ...]:
    """What of the estimate is still to come: nothing of a stage once a later one has begun."""
    if state in (RunState.RELEVANCE, RunState.BETWEEN):
        lines = {key: line for key, line in lines.items() if key[0] in _READING}  # records are made anew after it
    begun = [place for place, part in enumerate(parts) if (part.stage, part.round) in lines]
    now = _STAGE_NOW.get(state)
    begun += [place for place, part in enumerate(parts) if part.stage is now][:1]
    latest = 0 if state is RunState.BUILDING else max(begun, default=0)  # other methods go back and forth
    return tuple(
        part.without(lines[part.stage, part.round].first if (part.stage, part.round) in lines else 0)
        for part in parts[latest:]
    )


_READING = (Stage.FOCUS, Stage.RELEVANCE, Stage.DIGEST)
_STAGE_NOW = {
    RunState.SCHEMA: Stage.SCHEMA,
    RunState.WAITING: Stage.PARSING,
    RunState.PARSING: Stage.PARSING,
    RunState.REASONING: Stage.REASONING,
}


def _money(parts: Iterable[StageEstimate], rates: Rates) -> CostRange | None:
    if rates.currency is None:
        return None
    amounts = [_amount(part, prices) for part in parts if (prices := rates.of(part.stage)) is not None]
    whole = total(amounts)
    return CostRange(
        low=whole.low, likely=whole.likely, high=whole.high, currency=rates.currency, sources=_sources(rates)
    )


def _amount(part: StageEstimate, prices: Prices) -> Figure:
    """What a stage costs; the server may bill what it writes to its cache, then fresh tokens cost more."""

    def at(fresh: float, prompt: float, output: float, calls: float) -> float:
        written = fresh if prices.cache_write > prices.input else 0.0
        usage = Usage(
            prompt=round(prompt),
            cached=max(0, round(prompt) - round(fresh)),
            output=round(output),
            written=round(written),
        )
        return cost(prices, usage, prompt=round(prompt / calls) if calls else 0)

    bounds = [
        at(*(getattr(each, bound) for each in (part.fresh, part.prompt, part.output, part.calls)))
        for bound in ("low", "likely", "high")
    ]
    return figure(*bounds)


def _sources(rates: Rates) -> tuple[str, ...]:
    return tuple(dict.fromkeys(prices.source for prices in _asked(rates) if prices))


def _asked(rates: Rates) -> tuple[Prices | None, ...]:
    """Prices that say where a cost comes from; that vectors made here are free needs no source."""
    return rates.reading, rates.reasoning, None if rates.embedding == FREE else rates.embedding


_ONE_BY_ONE = frozenset({Stage.FOCUS, Stage.SCHEMA, Stage.REASONING})


_EMBEDDED_A_SECOND = 500
"""Tokens, by the model on this computer, on two cores beside other work; an endpoint is quicker."""


def _seconds(parts: Iterable[StageEstimate], speeds: Mapping[bool, Speed | None], workers: int) -> Figure | None:
    """The time of all calls; `speeds`: of the reading model under False, of the reasoning one under True."""
    whole = Figure(low=0, likely=0, high=0)
    for part in parts:
        if part.stage is Stage.EMBEDDING:
            whole += part.fresh.times(1 / _EMBEDDED_A_SECOND)
            continue
        speed = speeds[part.stage in (Stage.SCHEMA, Stage.REASONING)]
        if speed is None:
            return None
        whole += _stage_seconds(part, speed, 1 if part.stage in _ONE_BY_ONE else workers)
    return whole


def _stage_seconds(part: StageEstimate, speed: Speed, workers: int) -> Figure:
    """Calls go out `workers` at a time, and a stage takes at least as long as its rows of calls."""

    def at(bound: str, fast: str) -> float:
        calls = getattr(part.calls, bound)
        if not calls:
            return 0.0
        reading = getattr(part.fresh, bound) / getattr(speed.read, fast)
        writing = getattr(part.output, bound) / getattr(speed.written, fast)
        each = (reading + writing) / calls + getattr(speed.wait, bound)
        return float(each * (calls / workers if bound == "low" else ceil(calls / workers)))

    return figure(at("low", "high"), at("likely", "likely"), at("high", "low"))

"""What a run costs, before and after, where prices are known."""

from collections.abc import Iterable
from dataclasses import dataclass

from r3con_core.estimates import Estimate
from r3con_core.exchange import Stage, Usage
from r3con_core.jobs import EMBEDDED, ModelChoice, choices_of
from r3con_core.models import Prices, cost, price_of
from r3con_core.models.prices import FREE
from r3con_core.store.calls import usage_by_stage
from r3con_core.store.project import Project

_BY_REASONING_MODEL = frozenset({Stage.SCHEMA, Stage.REASONING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """An amount of money."""

    amount: float
    currency: str
    sources: tuple[str, ...]
    """Who says what tokens cost."""


def prices_of(choice: ModelChoice) -> Prices | None:
    """What its tokens cost; None where nobody has said. EndpointError when its address cannot be one."""
    return FREE if choice.base_url == EMBEDDED else price_of(choice.endpoint())


def expected_cost(estimate: Estimate, reading: ModelChoice, reasoning: ModelChoice | None) -> Cost | None:
    """What the estimated calls would cost without any prefix read before; None where a price is not known."""
    used = [(stage.stage, Usage(prompt=stage.prompt, output=stage.output)) for stage in estimate.stages]
    return _cost(used, reading, reasoning or reading)


def cost_so_far(project: Project, run_id: str) -> Cost | None:
    """What the calls of a run have cost; replies kept from before cost nothing. None where a price is not known."""
    reading, reasoning = choices_of(project, run_id)
    used = [(stage.stage, stage.usage) for stage in usage_by_stage(project, run_id)]
    return _cost(used, reading, reasoning or reading)


def _cost(used: Iterable[tuple[Stage, Usage]], reading: ModelChoice, reasoning: ModelChoice) -> Cost | None:
    read, reason = prices_of(reading), prices_of(reasoning)
    if read is None or reason is None or read.currency != reason.currency:
        return None
    amount = sum(cost(reason if stage in _BY_REASONING_MODEL else read, usage) for stage, usage in used)
    return Cost(amount=amount, currency=read.currency, sources=tuple(dict.fromkeys((read.source, reason.source))))

"""What one finished run cost, how much it wrote, and how large its representation is."""

import json
from dataclasses import dataclass
from pathlib import Path

from r3con_core.caps import spent_of
from r3con_core.costs import alone
from r3con_core.documents import estimate_tokens
from r3con_core.exchange import Usage
from r3con_core.jobs import rates_of
from r3con_core.overlay import context_of, data_of
from r3con_core.runs import R3CON, Run
from r3con_core.store.project import Project
from r3con_core.store.usage import document_tokens
from r3con_core.store.usage_alone import seconds_alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Figures of one run."""

    cost: float | None
    """As if nothing had been kept from other runs; None where a price is not known."""
    currency: str
    calls: int
    usage: Usage
    seconds: float


def measure(project: Project, run: Run, home: Path) -> Measured:
    """All calls that the run rests on, whoever paid for them."""
    used = alone(project, run.id, home)
    return Measured(
        cost=used.cost.amount if used.cost else None,
        currency=used.cost.currency if used.cost else "",
        calls=used.calls,
        usage=used.tokens,
        seconds=seconds_alone(project, run.id),
    )


def paid(project: Project, run_id: str, home: Path) -> float:
    """What the run itself has spent; 0 where a price is not known."""
    return spent_of(project, run_id, rates_of(project, run_id, home)).money or 0.0


def input_tokens(project: Project, run: Run) -> int:
    """Of its documents."""
    return sum(document_tokens(project, run.document_ids))


def representation(project: Project, run: Run) -> tuple[int | None, int | None]:
    """Tokens of its relevant context and of its records as JSON without blanks (paper section D.2.1).

    None for what the run does not make.
    """
    if run.settings.method != R3CON:
        return None, None
    last = context_of(project, run.id).last if run.settings.relevance else None
    context = sum(estimate_tokens(snippet.text) for snippet in last.snippets) if last else None
    data = data_of(project, run.id) if run.settings.structure else None
    if data is None:
        return context, None
    values = [{"type": one.type, **one.values} for one in data.records if one.counts]
    return context, estimate_tokens(json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=str))

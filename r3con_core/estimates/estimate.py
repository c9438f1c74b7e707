"""What a run will ask, before it is started: calls and tokens, stage by stage, each with its bounds.

Prompts follow from lengths, so they are computed and not guessed; guessed is only what a model will write. Each bound
is a whole run: one in which the model writes little and nothing is asked again, the likely one, and one in which it
writes much. `workloads` holds what is known of the prompts, `prefixes` what they share.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from r3con_core.answers import Mode
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.plans import Case, Plan, Work, plan_for
from r3con_core.estimates.workloads import (
    digest_work,
    focus_work,
    parsing_work,
    reasoning_work,
    round_work,
    schema_work,
)
from r3con_core.exchange import Stage
from r3con_core.figures import Figure, StageEstimate, figure, total
from r3con_core.runs import Guidance, RunSettings

__all__ = ["Calibration", "Estimate", "estimate_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run will ask."""

    parts: tuple[StageEstimate, ...]
    """In the order asked, each round of relevance by itself."""

    @property
    def stages(self) -> tuple[StageEstimate, ...]:
        """Stage by stage, those that ask something."""
        merged = (_merged(stage, [part for part in self.parts if part.stage is stage]) for stage in Stage)
        return tuple(stage for stage in merged if stage.calls.high)

    @property
    def calls(self) -> Figure:
        """How many prompts in all."""
        return total([part.calls for part in self.parts])

    @property
    def prompt(self) -> Figure:
        """Tokens sent in all."""
        return total([part.prompt for part in self.parts])

    @property
    def cached(self) -> Figure:
        """Of those, tokens that the server has read before."""
        return total([part.cached for part in self.parts])

    @property
    def fresh(self) -> Figure:
        """Of those, tokens that it has not."""
        return total([part.fresh for part in self.parts])

    @property
    def output(self) -> Figure:
        """Tokens written in all."""
        return total([part.output for part in self.parts])


def _merged(stage: Stage, parts: Sequence[StageEstimate]) -> StageEstimate:
    return StageEstimate(
        stage=stage,
        calls=total([part.calls for part in parts]),
        first=total([part.first for part in parts]),
        prompt=total([part.prompt for part in parts]),
        cached=total([part.cached for part in parts]),
        fresh=total([part.fresh for part in parts]),
        output=total([part.output for part in parts]),
    )


def estimate_run(document_tokens: Sequence[int], settings: RunSettings, known: Calibration | None = None) -> Estimate:
    """The estimate for documents of these lengths, as `estimate_tokens` counts them, in corpus order.

    `known`: of the reading model; None: nothing but that it is a small one where the settings say so.
    """
    return _estimate(tuple(document_tokens), settings, known)


@lru_cache(maxsize=16)
def _estimate(document_tokens: tuple[int, ...], settings: RunSettings, known: Calibration | None) -> Estimate:
    known = known or (SMALL if settings.guidance is Guidance.FOCUS else Calibration())
    cases = [_case(known, settings, bound) for bound in ("low", "likely", "high")]
    runs = [list(work_of(plan_for(document_tokens, settings, case))) for case in cases]
    return Estimate(parts=tuple(_stage(each, known.cache_hits) for each in zip(*runs, strict=True)))


def estimate_parsing(
    document_tokens: Sequence[int], places: Collection[int], settings: RunSettings, known: Calibration
) -> Estimate:
    """The estimate of parsing only the documents at these places, counted from 0, with the snippets of all."""
    cases = []
    for bound in ("low", "likely", "high"):
        plan = plan_for(document_tokens, settings, _case(known, settings, bound))
        some = replace(
            plan,
            documents=tuple(tokens if place in places else 0 for place, tokens in enumerate(plan.documents)),
            parts=tuple(count if place in places else 0 for place, count in enumerate(plan.parts)),
            first=plan.first & frozenset(places),
        )
        cases.append(parsing_work(some))
    return Estimate(parts=(_stage(cases, known.cache_hits),))


SMALL = Calibration(
    read_again=Figure(low=0.0, likely=0.25, high=1.0),
    parsed_again=Figure(low=0.0, likely=0.4, high=1.5),
    cache_hits=Figure(low=0.5, likely=0.95, high=1.0),
)
"""The bundled local models on ten short documents: half of the second round's and of the parsing calls asked again."""


def _case(known: Calibration, settings: RunSettings, bound: str) -> Case:
    """One run among those that may come: the cheapest, the likely or the dearest."""

    def of(expected: Figure) -> float:
        return float(getattr(expected, bound))

    return Case(
        ratio=of(known.tokens_per_estimate),
        fixed=of(known.tokens_per_instruction),
        snippets=of(known.snippets),
        replies=of(known.replies),
        records=of(known.records),
        digests=of(_DIGESTS),
        single_again=of(_SINGLE_AGAIN),
        read_again=of(known.read_again),
        parsed_again=of(known.parsed_again),
        thinking=of(known.thinking),
        wordy=of(_WORDY),
        turns=of(_turns(settings)),
        cuts=of(_CUTS),
        loose=of(_LOOSE),
    )


_SINGLE_AGAIN = Figure(low=0, likely=0, high=2)
"""How often a prompt that comes once in a run is asked again."""
_DIGESTS = Figure(low=0.05, likely=0.7, high=1.8)
"""Length of a digest for each token of its room; a longer reply is cut."""
_WORDY = Figure(low=0.1, likely=1.0, high=2.5)
"""Length of a schema, a step of the agent or an answer, against the usual."""
_LOOSE = Figure(low=0, likely=0, high=1)
_CUTS = Figure(low=0.97, likely=1.0, high=1.15)
"""Documents are cut at natural breaks, so that halves are uneven."""


def _turns(settings: RunSettings) -> Figure:
    """Calls of the reasoning stage."""
    if settings.mode is Mode.DIRECT or not settings.structure:
        return Figure(low=1, likely=1, high=3)
    if settings.small_reasoner:
        return Figure(low=1, likely=2, high=6)
    return Figure(low=1, likely=2, high=settings.max_steps + 3)


def work_of(plan: Plan) -> Iterable[Work]:
    """All that a planned run asks, in that order, each round by itself."""
    if plan.settings.relevance:
        yield focus_work(plan)
    for number in range(1, plan.settings.rounds_read + 1):
        yield round_work(plan, number)
        yield digest_work(plan, number)
    if plan.settings.structure:
        yield schema_work(plan)
        yield parsing_work(plan)
    yield reasoning_work(plan)


def _stage(cases: Sequence[Work], hits: Figure) -> StageEstimate:
    low, likely, high = cases
    return StageEstimate(
        stage=likely.stage,
        round=likely.round,
        calls=figure(low.calls, likely.calls, high.calls),
        first=figure(low.first, likely.first, high.first),
        prompt=figure(low.prompt, likely.prompt, high.prompt),
        cached=figure(low.shared * hits.low, likely.shared * hits.likely, high.shared * hits.high),
        fresh=figure(
            low.prompt - low.shared * hits.high,
            likely.prompt - likely.shared * hits.likely,
            high.prompt - high.shared * hits.low,
        ),
        output=figure(low.output, likely.output, high.output),
    )

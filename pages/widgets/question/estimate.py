"""What a run will take, before it is started: calls, tokens, money, time, and where text goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.question import prices
from pages.widgets.question.ranges import between, figures, likely, moneys, rough_money, times
from pages.widgets.words import TOKENS_HELP, round_figure, time_span
from r3con_core.costs import CostRange, expected_cost, expected_seconds, known_of
from r3con_core.estimates.calibration import is_learnt
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.exchange import Stage
from r3con_core.figures import Figure, StageEstimate
from r3con_core.jobs import EMBEDDED, ModelChoice, RunChoices
from r3con_core.runs import RunSettings
from r3con_core.store.project import Project

STAGES = {
    Stage.FOCUS: "finding out what to look for",
    Stage.RELEVANCE: "reading for relevance",
    Stage.DIGEST: "making digests of snippets",
    Stage.SCHEMA: "proposing the schema",
    Stage.PARSING: "parsing into records",
    Stage.BUILDING: "building what it answers from",
    Stage.EMBEDDING: "making vectors of texts",
    Stage.REASONING: "reasoning",
    Stage.JUDGING: "judging the answer",
}
KNOWN_HELP = (
    "Servers keep what they have just read. Where a prompt begins like an earlier one, that part costs a fraction, or "
    "on a server of your own hardly any time."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a run will take, as shown."""

    estimate: Estimate
    cost: CostRange | None
    """None where a price is not known."""
    seconds: Figure | None
    """None where nothing is known of a model's speed."""
    paid: bool
    """A model is at an address of others, where money may be asked for it."""


def expect(project: Project, document_tokens: Sequence[int], choices: RunChoices) -> Expected:
    """What the chosen run will take. EndpointError when the file of prices is damaged."""
    known = known_of(project, choices.reading, state.home())
    return expected_of(_estimate(tuple(document_tokens), choices.settings(), known), choices)


def expected_of(estimate: Estimate, choices: RunChoices) -> Expected:
    """The same of an estimate at hand."""
    home = state.home()
    both = (choices.reading, choices.reasoning)
    cost = expected_cost(estimate, *both, home)
    near = all(choice.local for choice in both if choice is not None)
    return Expected(
        estimate=estimate,
        cost=cost,
        seconds=expected_seconds(estimate, *both, home),
        paid=not near or bool(cost and cost.high),
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _estimate(document_tokens: tuple[int, ...], settings: RunSettings, known: Calibration) -> Estimate:
    return estimate_run(document_tokens, settings, known)


def show(expected: Expected, choices: RunChoices) -> None:
    """The estimate, stage by stage too, and where prices are set."""
    _metrics(expected)
    _explain(expected, choices)
    with st.expander("Stage by stage"):
        _stages(expected, choices)
    both = [choice for choice in (choices.reading, choices.reasoning) if choice and choice.base_url != EMBEDDED]
    for choice in {(choice.base_url, choice.model): choice for choice in both}.values():
        prices.show_editor(choice)


def _metrics(expected: Expected) -> None:
    """Side by side, and below one another where there is no room: a figure that is cut short would be a wrong one."""
    estimate = expected.estimate
    with st.container(horizontal=True, gap="large"):
        _metric("Calls", estimate.calls, help="How often a model is asked.")
        _metric("Tokens sent", estimate.prompt, help=TOKENS_HELP)
        _metric("Tokens written", estimate.output, help=TOKENS_HELP)
        if expected.paid:
            _money(expected.cost)
        _time(expected.seconds)


def _metric(label: str, expected: Figure, *, help: str) -> None:  # noqa: A002 - Streamlit's word
    _figure(label, round_figure(expected.likely), figures(expected), help=help)


def _figure(label: str, one: str, bounds: str | None = None, *, help: str) -> None:  # noqa: A002 - Streamlit's word
    st.metric(label, one, bounds, delta_color="off", delta_arrow="off", help=help, width="content")


def _money(cost: CostRange | None) -> None:
    if cost is None:
        unknown = "The price of a model is not known here, or the two are paid in different currencies. Set it below."
        _figure("Money", "not known", help=unknown)
        return
    sources = f"By {plain('; '.join(cost.sources))}."
    if not cost.high:
        _figure("Money", "nothing", help=sources)
        return
    currency = plain(cost.currency)
    _figure("Money", rough_money(cost.likely, currency), moneys(cost.low, cost.high, currency), help=sources)


def _time(seconds: Figure | None) -> None:
    if seconds is None:
        _figure("Time", "not known", help="Nothing is known yet of how fast this model is.")
        return
    told = "Of the model's work, without the time you take to look at the schema."
    _figure("Time", time_span(seconds.likely), times(seconds), help=told)


def _explain(expected: Expected, choices: RunChoices) -> None:
    """What of it is cheaper, and what the figures rest on."""
    cached = expected.estimate.cached
    st.markdown(
        f"Of the tokens sent, the server will likely have read **{round_figure(cached.likely)}** before "
        f"({figures(cached)}).",
        help=KNOWN_HELP,
    )
    st.caption(
        f"Large: what is likely. Below it: the least and the most. {_rests_on(choices.reading)} A reply that "
        "cannot be used is asked for again, which is counted here."
    )


def _rests_on(choice: ModelChoice) -> str:
    if is_learnt(choice, state.home()):
        return "The figures rest on earlier runs of this model."
    return "The figures are typical ones, since this model has not been run here yet, so the range is wide."


def _stages(expected: Expected, choices: RunChoices) -> None:
    stages = expected.estimate.stages
    columns = {
        "Stage": [STAGES[stage.stage] for stage in stages],
        "Calls": [likely(stage.calls) for stage in stages],
        "Sent": [_thousands(stage.prompt) for stage in stages],
        "Known": [_thousands(stage.cached) for stage in stages],
        "Written": [_thousands(stage.output) for stage in stages],
    }
    if expected.paid and expected.cost is not None:
        columns[f"Money ({expected.cost.currency})"] = [_stage_money(stage, choices) for stage in stages]
    st.dataframe(pd.DataFrame(columns), hide_index=True, alt="The estimate for each stage")
    st.caption("Sent, known and written: thousands of tokens; known are those sent that the server has read before.")


def _thousands(tokens: Figure) -> str:
    return _range(tokens.times(0.001), lambda number: f"{round(number, 2):.2g}" if number < 9.95 else f"{number:,.0f}")


def _stage_money(stage: StageEstimate, choices: RunChoices) -> str:
    cost = expected_cost(Estimate(parts=(stage,)), choices.reading, choices.reasoning, state.home())
    if cost is None:
        return ""
    return _range(cost, lambda amount: f"{round(amount, 4):.2g}" if amount < 0.1 else f"{amount:,.2f}")


def _range(expected: Figure, words: Callable[[float], str]) -> str:
    return f"{words(expected.likely)} ({between(expected.low, expected.high, words)})"

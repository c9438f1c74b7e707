"""What a run will take, before it is started: calls, tokens, money, time, and where text goes."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.words import TOKENS_HELP, duration, money, round_figure
from r3con_core.costs import expected_cost
from r3con_core.estimates import Estimate, estimate_run
from r3con_core.exchange import Stage
from r3con_core.jobs import EMBEDDED, RunChoices

READ_PER_SECOND, WRITTEN_PER_SECOND = 75, 22
"""Tokens of the default embedded model on two idle cores, as measured."""
STAGES = {
    Stage.FOCUS: "finding out what to look for",
    Stage.RELEVANCE: "reading for relevance",
    Stage.SCHEMA: "proposing the schema",
    Stage.PARSING: "parsing into records",
    Stage.REASONING: "reasoning",
}


def show(document_tokens: Sequence[int], choices: RunChoices) -> None:
    """The estimate, and in so many words who will see the documents."""
    estimate = estimate_run(document_tokens, choices.settings())
    _where(choices)
    columns = st.columns(4)
    columns[0].metric("Calls", f"about {estimate.calls:,}", help="How often a model is asked.")
    columns[1].metric("Tokens sent", round_figure(estimate.prompt), help=TOKENS_HELP)
    columns[2].metric("Tokens written", round_figure(estimate.output), help=TOKENS_HELP)
    _fourth(columns[3], estimate, choices)
    with st.expander("Stage by stage"):
        st.dataframe(
            pd.DataFrame(
                {
                    "Stage": [STAGES[stage.stage] for stage in estimate.stages],
                    "Calls": [stage.calls for stage in estimate.stages],
                    "Tokens sent": [stage.prompt for stage in estimate.stages],
                    "Tokens written": [stage.output for stage in estimate.stages],
                }
            ),
            hide_index=True,
            alt="The estimate for each stage",
        )
        st.caption(
            "An upper estimate: text a server has read before is read again at once, and often cheaper. A reply that "
            "cannot be used is asked for again, which is not counted here."
        )


def _where(choices: RunChoices) -> None:
    others = [host for host in choices.hosts if host != "this computer"]
    if others:
        hosts = " and ".join(f"**{plain(host)}**" for host in others)
        st.warning(
            f"The text of your documents and your question will be sent to {hosts}.", icon=":material/cloud_upload:"
        )
        return
    st.success("The text of your documents stays on this computer.", icon=":material/lock:")


def _fourth(column: st.delta_generator.DeltaGenerator, estimate: Estimate, choices: RunChoices) -> None:
    """Money where it is spent, else time where it is known."""
    cost = expected_cost(estimate, choices.reading, choices.reasoning)
    if cost is None:
        column.metric(
            "Money", "not known", help="The prices of this model are not in the table that comes with the app."
        )
    elif cost.amount:
        column.metric("Money", f"about {money(cost.amount, cost.currency)}", help=f"By {'; '.join(cost.sources)}.")
    elif choices.reading.base_url == EMBEDDED:
        seconds = estimate.prompt / READ_PER_SECOND + estimate.output / WRITTEN_PER_SECOND
        column.metric(
            "Time", duration(seconds), help="For the default model on two idle cores; less where text repeats."
        )
    else:
        column.metric("Money", "nothing", help="It runs on a computer of your own.")

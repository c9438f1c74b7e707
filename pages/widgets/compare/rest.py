"""What two runs read, were asked and cost: snippets, schemas, settings, calls, money and time side by side."""

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.compare.choice import Pair
from pages.widgets.compare.records import SIGNS
from pages.widgets.errors import plain
from pages.widgets.words import count, duration, money
from r3con_core.comparing.alignment import Verdict
from r3con_core.comparing.runs import Comparison, Said
from r3con_core.costs import cost_so_far
from r3con_core.exchange import Usage
from r3con_core.store.calls import StageUsage, usage_by_stage
from r3con_core.store.project import Project

SETTINGS = {
    "question": "Question",
    "host": "Text was sent to",
    "model": "Model that read",
    "reasoning_model": "Model for schema and reasoning",
    "rounds": "Rounds of reading",
    "mode": "Reasoning",
    "window": "Context window (tokens)",
    "reasoning_window": "Context window of the reasoning model",
    "guidance": "What a reader is told",
    "snippet_tokens": "Room for a snippet (tokens)",
    "max_steps": "Most steps of the agent",
    "layout": "Order of prompts",
    "prompts": "Version of the prompts",
    "relevance": "Relevance",
    "structure": "Structure",
    "repeat": "Repeat",
}
_STAGE = {True: "as usual", False: "left out"}


def show_settings(pair: Pair) -> None:
    """The settings in which the two differ."""
    st.markdown("**What was set otherwise**")
    if not pair.found.settings:
        st.caption("Nothing: both runs have the same question and settings.")
        return
    rows = [
        {"Setting": SETTINGS[one.name], "First": _told(one.name, one.left), "Second": _told(one.name, one.right)}
        for one in pair.found.settings
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Settings that differ", key="compare-settings")


def _told(name: str, value: object) -> str:
    if isinstance(value, bool):
        return _STAGE[value]
    if name == "repeat" and not value:
        return "none: the run itself"
    return str(value) if value else "the same as for reading"


def show_costs(project: Project, pair: Pair) -> None:
    """Calls, tokens, money and time of both."""
    st.markdown("**What they took**")
    first, second = (_figures(project, side.run.id) for side in (pair.left, pair.right))
    rows = [{"": name, "First": first[name], "Second": second[name]} for name in first]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Calls, tokens, money and time", key="compare-costs")
    st.caption(
        "Of calls that were asked in that run; what was kept from an earlier one is paid and counted there. Time is what "
        "the model worked, all its calls one after the other."
    )


def _figures(project: Project, run_id: str) -> dict[str, str]:
    stages: tuple[StageUsage, ...] = usage_by_stage(project, run_id)
    used = sum((stage.usage for stage in stages), Usage())
    reused = sum(stage.reused for stage in stages)
    cost = cost_so_far(project, run_id, state.home())
    return {
        "Calls asked": f"{sum(stage.calls for stage in stages) - reused:,}",
        "Calls kept from before": f"{reused:,}",
        "Tokens sent": f"{used.prompt:,}",
        "Of those, read before": f"{used.cached:,}",
        "Tokens written": f"{used.output:,}",
        "Money": money(cost.amount, cost.currency) if cost else "not known",
        "The model's time": duration(sum(stage.seconds for stage in stages)),
    }


def show_snippets(found: Comparison, titles: dict[str, str]) -> None:
    """Which documents speak to the question in one run alone."""
    st.markdown("**Which documents have something to say**")
    if not found.snippets:
        st.caption("One of the two read no document for relevance, so there is nothing to compare.")
        return
    differ = [pair for pair in found.snippets if pair.verdict is not Verdict.AGREE]
    say = sum(pair.left is Said.SAYS and pair.right is Said.SAYS for pair in found.snippets)
    st.caption(
        f"{say:,} of {count(len(found.snippets), 'document')} speak to the question in both, "
        f"{len(differ):,} not in the same way."
    )
    if differ:
        rows = [
            {"Document": titles.get(one.document_id, ""), "First": one.left.value, "Second": one.right.value}
            for one in differ
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Documents that differ", key="compare-snippets")


def show_schema(found: Comparison) -> None:
    """Record types and fields that only one run has, or that are of another kind."""
    st.markdown("**Schemas**")
    differ = [pair for pair in found.schema if pair.verdict is not Verdict.AGREE]
    if not differ:
        told = f"The same {count(len(found.schema), 'name')} in both." if found.schema else "Neither has a schema."
        st.caption(told)
        return
    st.caption("By names: a field that is called otherwise counts as another one, and so do its values.")
    rows = [
        {
            "State": f"{SIGNS[one.verdict]} {one.verdict.value}",
            "Name": ".".join(one.path),
            "First": one.left or "–",
            "Second": one.right or "–",
        }
        for one in differ
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Differences of the schemas", key="compare-schema")


def say_left_out(found: Comparison) -> None:
    """Documents that only one of the two is about."""
    for number, which in ((found.left_only, "first"), (found.right_only, "second")):
        if number:
            st.caption(
                f":material/info: {count(number, 'document')} only in the {plain(which)} run; what comes of them is not "
                "compared."
            )

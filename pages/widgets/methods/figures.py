"""What each method cost and how right it was: a table, and a picture with the line of those that none beats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.data import charts, records
from pages.widgets.methods.labels import place_labels
from pages.widgets.methods.results import Shown
from pages.widgets.words import money, time_span

JUDGED, FACTS = "the judge's score", "expected facts in the answer"
MONEY, TOKENS = "money", "tokens"
SETTING = ("Model", "Documents")
"""Shown only where they are not the same for all."""
UPWARDS = (-0.1, 1.14)
"""What the plot shows: some room below nothing and above all."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
COST_HELP = (
    "What the method takes by itself: finished calls that were taken over from another run count here as if they had been "
    "asked again, so that methods can be compared."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One method in the picture."""

    name: str
    family: str
    across: float
    """Money or tokens."""
    up: float
    """From 0 to 1."""


def rows_of(shown: Sequence[Shown]) -> list[dict[str, object]]:
    """A line of figures for each method."""
    return [_row(one) for one in shown]


def _row(one: Shown) -> dict[str, object]:
    found = one.result
    return {
        "Method": one.name,
        "Family": found.method.family,
        "Right": verdict_in_words(one),
        "Score": found.verdict.score if found.verdict else None,
        "Facts": None if one.share is None else round(100 * one.share),
        "Money": _money(one),
        "Calls": found.calls,
        "Tokens sent": found.tokens.prompt,
        "Tokens written": found.tokens.output,
        "Model's time": time_span(found.seconds),
        "Words": len(found.answer.text.split()) if found.answer else None,
        "Model": one.models,
        "Documents": len(found.run.document_ids),
    }


def _money(one: Shown) -> str:
    cost = one.result.cost
    if cost is None:
        return "not known"
    return money(cost.amount, cost.currency) if cost.amount else "nothing"


def verdict_in_words(one: Shown) -> str:
    """The judge's word on an answer."""
    if one.result.verdict is None:
        return "not judged"
    if one.result.verdict.correct:
        return "✓ right"
    return "◐ right, leniently" if one.result.verdict.lenient else "✗ wrong"


def telling(every: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The rows without columns of which nothing is known; a model or number of documents is left out where all have one."""
    known = [name for name in every[0] if any(row[name] is not None for row in every)]
    known = [name for name in known if name not in SETTING or len({row[name] for row in every}) > 1]
    return [{name: row[name] for name in known} for row in every]


def show_table(shown: Sequence[Shown]) -> None:
    """The figures that tell something."""
    rows = telling(rows_of(shown))
    share = st.column_config.ProgressColumn(
        "Facts", format="%d%%", min_value=0, max_value=100, width=90, help="Expected facts that the answer says."
    )
    st.dataframe(
        records.arrow(rows),
        hide_index=True,
        key="methods-figures",
        height=35 * (len(shown) + 1) + 3,
        alt="Figures of every method",
        column_config={
            "Method": st.column_config.TextColumn(pinned=True),
            "Facts": share,
            "Score": st.column_config.NumberColumn(format="percent", width=70),
            "Money": st.column_config.TextColumn(help=COST_HELP),
            "Calls": st.column_config.NumberColumn(format="localized"),
            "Tokens sent": st.column_config.NumberColumn(format="localized"),
            "Tokens written": st.column_config.NumberColumn(format="localized"),
        },
    )


def spots_of(shown: Sequence[Shown], cost: str, right: str) -> list[Spot]:
    """The methods that both figures are known of."""
    spots = []
    for one in shown:
        found = one.result
        up = (found.verdict.score if found.verdict else None) if right == JUDGED else one.share
        across = (
            (found.cost.amount if found.cost else None) if cost == MONEY else found.tokens.prompt + found.tokens.output
        )
        if up is not None and across is not None:
            spots.append(Spot(name=one.name, family=found.method.family, across=across, up=up))
    return spots


def pareto(spots: Sequence[Spot]) -> list[Spot]:
    """Those that no other is both cheaper and at least as right than, the cheapest first; none that are right in nothing."""
    line: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (spot.across, -spot.up)):
        if spot.up > (line[-1].up if line else 0):
            line.append(spot)
    return line


def together(spots: Sequence[Spot]) -> list[Spot]:
    """Those that stand in one place as one, from left to right, so that their names can be read."""
    places: dict[tuple[float, float], list[Spot]] = {}
    for spot in sorted(spots, key=lambda spot: (spot.across, spot.up)):
        places.setdefault((spot.across, spot.up), []).append(spot)
    return [
        own[0] if len(own) == 1 else replace(own[0], name=f"{own[0].name} and {len(own) - 1} more")
        for own in places.values()
    ]


def show_plot(shown: Sequence[Shown]) -> None:
    """The picture with what its axes mean."""
    judged = any(one.result.verdict for one in shown)
    told = any(one.share is not None for one in shown)
    paid = any(one.result.cost and one.result.cost.amount for one in shown)
    measures = [*([JUDGED] if judged else []), *([FACTS] if told else [])]
    if not measures:
        st.info(
            "Judge the answers (on the first tab), and the picture of cost and accuracy stands here.",
            icon=":material/scatter_plot:",
        )
        return
    costs = [*([MONEY] if paid else []), TOKENS]
    with st.container(horizontal=True, gap="medium"):
        right = st.segmented_control(
            "Upwards", measures, default=measures[0], required=True, key=f"plot-up-{len(measures)}"
        )
        cost = st.segmented_control(
            "To the right", costs, default=costs[0], required=True, key=f"plot-cost-{len(costs)}"
        )
    spots = spots_of(shown, cost, right)
    _draw(spots, cost, right)
    best = ", ".join(spot.name for spot in pareto(spots))
    joined = f"The line joins the methods that no cheaper one equals: {best}. " if best else ""
    st.caption(f"{joined}Where names have no room, point at the sign; the table has every figure.")


def _draw(spots: Sequence[Spot], cost: str, right: str) -> None:
    spots = together(spots)
    families = list(dict.fromkeys(spot.family for spot in spots))
    line = pareto(spots)
    data: list[dict[str, object]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "none cheaper is as good",
            "x": [spot.across for spot in line],
            "y": [spot.up for spot in line],
            "line": {"color": "#808080", "dash": "dot", "shape": "hv"},
            "hoverinfo": "skip",
        }
    ]
    log = all(spot.across > 0 for spot in spots)
    named = _named(spots, log=log)
    data += [_family(family, place, spots, named) for place, family in enumerate(families)]
    axis = {"title": {"text": f"{cost} for this question"}, "type": "log" if log else "linear"}
    layout = {
        "height": 400,
        "xaxis": axis,
        "yaxis": {"title": {"text": right}, "range": list(UPWARDS), "tickformat": ".0%"},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    }
    charts.show(data, layout, key=f"methods-plot-{cost}-{right}", alt="Cost and accuracy; the table has the figures")


def _named(spots: Sequence[Spot], *, log: bool) -> dict[str, str]:
    """Names with room beside their point, and where they stand; those on the line choose first."""
    on_line = pareto(spots)
    across = {spot.name: math.log10(spot.across) if log else spot.across for spot in spots}
    least, most = min(across.values(), default=0.0), max(across.values(), default=0.0)
    width = (most - least) or 1.0
    low, high = UPWARDS
    return place_labels(
        [
            (spot.name, 0.05 + 0.9 * (across[spot.name] - least) / width, (spot.up - low) / (high - low))
            for spot in sorted(spots, key=lambda spot: spot not in on_line)
        ]
    )


def _family(family: str, place: int, spots: Sequence[Spot], named: Mapping[str, str]) -> dict[str, object]:
    own = [spot for spot in spots if spot.family == family]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": family,
        "x": [spot.across for spot in own],
        "y": [spot.up for spot in own],
        "text": [charts.letters(spot.name, 60) if spot.name in named else "" for spot in own],
        "hovertext": [charts.letters(spot.name, 60) for spot in own],
        "textposition": [named.get(spot.name, "top center") for spot in own],
        "cliponaxis": False,
        "marker": {
            "size": 13,
            "color": charts.COLOURS[place % len(charts.COLOURS)],
            "symbol": SYMBOLS[place % len(SYMBOLS)],
        },
        "hovertemplate": "%{hovertext}<br>%{x:,.4g} · %{y:.0%}<extra></extra>",
    }

"""What a run may use before it pauses: asked before the start, and raised when it is reached."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets.errors import plain, shown
from pages.widgets.question.estimate import Expected
from pages.widgets.question.ranges import likely_money
from pages.widgets.words import round_figure
from r3con_core.runs import Caps

HINT = (
    "At a limit the run pauses and keeps all that is done; raise the limit and it goes on. Calls under way are still "
    "finished, so it may end a little above."
)
TIGHT = "The run will likely need more than this limit allows, and pause before its end."


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field for a limit; what is left empty sets none.

    It has no bounds of its own: a number beyond one would stand in it while the last good number, or none, counted.
    """

    label: str
    key: str
    help: str

    def money(self, place: DeltaGenerator, currency: str, value: float | None = None) -> float | None:
        """The limit in money, at first `value`."""
        st.session_state.setdefault(self.key, value)  # a default of the field itself could not be taken out of it
        return place.number_input(
            f"{self.label} ({plain(currency)})",
            value=None,
            step=0.5,
            format="%.4g",
            key=self.key,
            help=self.help,
            placeholder="no limit",
            persist_state="session",
        )

    def tokens(self, place: DeltaGenerator, value: int | None = None) -> int | None:
        """The limit in tokens, sent and written together, at first `value`."""
        st.session_state.setdefault(self.key, value)
        return place.number_input(
            self.label,
            value=None,
            step=10_000,
            key=self.key,
            help=self.help,
            placeholder="no limit",
            persist_state="session",
        )


def choose(expected: Expected) -> Caps | None:
    """Limits for a run that is not started yet; both fields are empty at first. None where one cannot be a limit."""
    cost = expected.cost if expected.cost and expected.cost.high else None
    left, right = st.columns(2)
    money: float | None = None
    if cost is not None:
        amounts = likely_money(cost.low, cost.likely, cost.high, plain(cost.currency))
        told = f"The run will likely cost {amounts}. Empty: no limit."
        money = Field(label="Pause when this much money is spent", key="cap-money", help=told).money(
            left, cost.currency
        )
    used = expected.estimate.prompt + expected.estimate.output
    told = f"Sent and written together. The run will likely use {round_figure(used.likely)}. Empty: no limit."
    tokens = Field(label="Pause after this many tokens", key="cap-tokens", help=told).tokens(right if cost else left)
    st.caption(HINT)
    with shown():
        caps = Caps(money=money, currency=cost.currency if cost else "USD", tokens=tokens)
        if (money and cost and money < cost.low) or (tokens and tokens < used.low):
            st.info(TIGHT, icon=":material/pause_circle:")
        return caps
    return None

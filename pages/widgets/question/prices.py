"""What a model costs: shown, and set by the analyst where the table does not know it or is wrong."""

from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from r3con_core.jobs import ModelChoice
from r3con_core.models import Endpoint, Prices, price_of
from r3con_core.models.prices import forget_price, set_price

CURRENCIES = ["USD", "EUR", "GBP", "CHF", "CNY", "JPY", "INR", "KRW", "SEK", "NOK", "DKK", "PLN", "CAD", "AUD", "BRL"]
_AMOUNTS = {
    "input": ("Sent", "For a million tokens that the model reads."),
    "cached": (
        "Sent, known to the server",
        "For a million tokens that the server has just read before. Empty: as much as for all that is sent.",
    ),
    "cache_write": (
        "Sent, kept by the server",
        "Some services ask more for what they keep to know it later. Empty: as much as for all that is sent.",
    ),
    "output": ("Written", "For a million tokens that the model writes, its thinking included."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The price of a model as it stands."""

    endpoint: Endpoint
    prices: Prices | None
    own: bool
    """The analyst has set it."""

    @property
    def name(self) -> str:
        """Tells the fields of this price from those of another one."""
        source = self.prices.source if self.prices else ""
        return f"{self.endpoint.base_url} {self.endpoint.model} {source}"


def show_editor(choice: ModelChoice) -> None:
    """The prices of one model, to be changed; open where they are not known."""
    standing: _Standing | None = None
    with shown():
        standing = _standing(choice.endpoint())
    if standing is None:
        return
    known = standing.prices is not None
    title = f"Prices of {plain(choice.model)}" + ("" if known else ": not known")
    with st.expander(title, expanded=not known, icon=":material/payments:"):
        st.markdown(_in_words(standing))
        _form(standing)
        if standing.own and st.button(
            "Use the table's again", key=f"forget {standing.name}", icon=":material/undo:", help="Forgets what was set."
        ):
            _forget(standing)


def _standing(endpoint: Endpoint) -> _Standing:
    here = price_of(endpoint, state.home())
    return _Standing(endpoint=endpoint, prices=here, own=here is not None and here != price_of(endpoint))


def _in_words(standing: _Standing) -> str:
    prices = standing.prices
    if prices is None:
        return (
            "The table that comes with the app does not know this model. Look its prices up at the service you use, and "
            "write here what a million tokens cost."
        )
    text = f"For a million tokens, {'' if standing.own else 'by '}{plain(prices.source)}."
    if prices.tiers:
        text += f" Calls with more than {prices.tiers[0].above:,} tokens cost more, which is counted."
    return text


def _form(standing: _Standing) -> None:
    prices = standing.prices
    writes = prices is not None and prices.cache_write != prices.input
    parts = [part for part in _AMOUNTS if part != "cache_write" or writes]
    with st.form(f"prices {standing.name}", border=False):
        columns = st.columns(len(parts) + 1, vertical_alignment="bottom")
        amounts = {
            part: column.number_input(
                _AMOUNTS[part][0],
                min_value=0.0,
                value=float(getattr(prices, part)) if prices else None,
                step=0.01,
                format="%.4g",
                key=f"{part} {standing.name}",
                help=_AMOUNTS[part][1],
            )
            for part, column in zip(parts, columns, strict=False)
        }
        currency = columns[-1].selectbox(
            "Currency", _currencies(prices), key=f"currency {standing.name}", help="What the service bills in."
        )
        if st.form_submit_button("Use these prices", icon=":material/check:"):
            _set(standing, amounts, currency)


def _currencies(prices: Prices | None) -> list[str]:
    first = prices.currency if prices else CURRENCIES[0]
    return [first, *(each for each in CURRENCIES if each != first)]


def _set(standing: _Standing, amounts: dict[str, float | None], currency: str) -> None:
    sent, written = amounts["input"], amounts["output"]
    if sent is None or written is None:
        st.error("Give both what is paid for tokens sent and for tokens written.", icon=":material/error:")
        return
    cached, kept = amounts["cached"], amounts.get("cache_write")
    typed = Prices(
        input=sent,
        cached=sent if cached is None else cached,
        cache_write=sent if kept is None else kept,
        output=written,
        source="",
        currency=currency,
    )
    before = standing.prices
    if before is not None and before == replace(typed, source=before.source, tiers=before.tiers):
        return
    with shown():
        set_price(state.home(), standing.endpoint, typed)
        st.rerun()


def _forget(standing: _Standing) -> None:
    with shown():
        forget_price(state.home(), standing.endpoint)
        st.rerun()

"""What tokens cost, from the table inside the package genai-prices; nothing is fetched."""

from typing import Any

from r3con_core.exchange import Usage
from r3con_core.models.endpoint import Endpoint, Prices

FREE = Prices(input=0.0, cached=0.0, cache_write=0.0, output=0.0, source="runs on your own machine")
_MILLION = 1_000_000


def price_of(endpoint: Endpoint) -> Prices | None:
    """The prices set on `endpoint`, else nothing to pay for a local one, else the table's; None where it has none.

    Where a price rises with the length of the prompt, the price of the shortest is given.
    """
    if endpoint.prices is not None:
        return endpoint.prices
    if endpoint.local:
        return FREE
    found = _look_up(endpoint)
    if found is None:
        return None
    price = found.model_price
    paid = _dollars(price.input_mtok)
    return Prices(
        input=paid,
        cached=_dollars(price.cache_read_mtok, paid),
        cache_write=_dollars(price.cache_write_mtok, paid),
        output=_dollars(price.output_mtok),
        source=f"genai-prices {_table_version()}, {found.provider.name}: {found.model.id}",
    )


def window_of(endpoint: Endpoint) -> int | None:
    """The context window the table states for the endpoint's model, in tokens."""
    found = None if endpoint.local else _look_up(endpoint)
    window = found.model.context_window if found else None
    return int(window) if window else None


def cost(prices: Prices, usage: Usage) -> float:
    """What `usage` costs in `prices.currency`; fresh prompt tokens at the price of input, cache writes not counted."""
    fresh = usage.prompt - usage.cached
    return (fresh * prices.input + usage.cached * prices.cached + usage.output * prices.output) / _MILLION


def _look_up(endpoint: Endpoint) -> Any:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    try:
        return calc_price(Tokens(input_tokens=1), endpoint.model, provider_api_url=endpoint.base_url)
    except LookupError:
        return None


def _dollars(price: Any, otherwise: float = 0.0) -> float:
    if price is None:
        return otherwise
    return float(getattr(price, "base", price))


def _table_version() -> str:
    from importlib.metadata import version

    return version("genai-prices")

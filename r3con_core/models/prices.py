"""What tokens cost: as the analyst has set it, else by the table inside the package genai-prices; nothing is fetched.

prices.json    {"base_url model": {"input": 0.15, ..., "source": "set by you on 2026-11-30"}}, in the home folder
"""

import json
from dataclasses import asdict, replace
from datetime import date, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from r3con_core.errors import EndpointError
from r3con_core.exchange import Usage
from r3con_core.home import write_whole
from r3con_core.models.endpoint import Endpoint, Prices, Tier

FREE = Prices(input=0.0, cached=0.0, cache_write=0.0, output=0.0, source="runs on your own machine")
FILE = "prices.json"
_MILLION = 1_000_000


def price_of(endpoint: Endpoint, home: Path | None = None) -> Prices | None:
    """What the endpoint's tokens cost; None where nobody has said.

    The prices on `endpoint` come first, then those set in `home`, then nothing to pay for a local one, then the table.
    EndpointError when the file of prices cannot be read.
    """
    if endpoint.prices is not None:
        return endpoint.prices
    own = _kept(home).get(_key(endpoint)) if home is not None else None
    if own is not None:
        return own
    return FREE if endpoint.local else _listed(endpoint)


def set_price(home: Path, endpoint: Endpoint, prices: Prices, today: date | None = None) -> Prices:
    """Keep `prices` for this model at this address, and give them back with who set them, and when, as their source.

    EndpointError for an amount below zero, or when the home cannot be written.
    """
    if not all(map(_is_amount, _amounts(prices))):
        raise EndpointError("A price is a number from 0 up: money for a million tokens.")
    day = today or datetime.now().astimezone().date()
    own = replace(prices, source=f"set by you on {day.isoformat()}")
    _write({**_kept(home), _key(endpoint): own}, home)
    return own


def forget_price(home: Path, endpoint: Endpoint) -> None:
    """Forget what was set for this model at this address, if anything."""
    kept = _kept(home)
    if kept.pop(_key(endpoint), None) is not None:
        _write(kept, home)


def window_of(endpoint: Endpoint) -> int | None:
    """The context window the table states for the endpoint's model, in tokens."""
    found = None if endpoint.local else _look_up(endpoint)
    window = found.model.context_window if found else None
    return int(window) if window else None


def cost(prices: Prices, usage: Usage, *, prompt: int = 0) -> float:
    """What `usage` costs in `prices.currency`, for calls whose prompts are `prompt` tokens long.

    A single call's `prompt` is `usage.prompt`; for the sum of many calls it is what one of them has, since some prices
    rise with it. Fresh tokens are paid at the price of input, those that the server says it wrote to its cache at that
    of writing.
    """
    paid = tier_of(prices, prompt)
    written = min(usage.written, usage.prompt - usage.cached)
    fresh = usage.prompt - usage.cached - written
    read = fresh * paid.input + usage.cached * paid.cached + written * paid.cache_write
    return (read + usage.output * paid.output) / _MILLION


def tier_of(prices: Prices, prompt: int) -> Prices | Tier:
    """What a call with a prompt of that many tokens is paid by."""
    return next((tier for tier in reversed(prices.tiers) if prompt > tier.above), prices)


def _listed(endpoint: Endpoint) -> Prices | None:
    found = _look_up(endpoint)
    if found is None:
        return None
    price = found.model_price
    starts = sorted({tier.start for name in _PAID for tier in getattr(getattr(price, name), "tiers", ())})
    first = _tier(price, -1)
    return Prices(
        input=first.input,
        cached=first.cached,
        cache_write=first.cache_write,
        output=first.output,
        source=f"genai-prices {_table_version()}, {found.provider.name}: {found.model.id}",
        tiers=tuple(_tier(price, start) for start in starts),
    )


_PAID = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok")


def _tier(price: Any, above: int) -> Tier:
    """The table's prices for a prompt just longer than that."""
    read, cached, written, output = (_amount(getattr(price, name), above + 1) for name in _PAID)
    paid = read or 0.0
    return Tier(
        above=above,
        input=paid,
        cached=paid if cached is None else cached,
        cache_write=paid if written is None else written,
        output=output or 0.0,
    )


def _amount(price: Any, prompt: int) -> float | None:
    if price is None:
        return None
    if not hasattr(price, "base"):
        return float(price)
    return float(next((tier.price for tier in reversed(price.tiers) if prompt > tier.start), price.base))


def _look_up(endpoint: Endpoint) -> Any:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    try:
        return calc_price(Tokens(input_tokens=1), endpoint.model, provider_api_url=endpoint.base_url)
    except LookupError:
        return None


def _table_version() -> str:
    from importlib.metadata import version

    return version("genai-prices")


def _key(endpoint: Endpoint) -> str:
    return f"{endpoint.base_url} {endpoint.model}"


def _kept(home: Path) -> dict[str, Prices]:
    path = home / FILE
    try:
        kept = json.loads(path.read_text("utf-8"))
        return {key: _prices(said) for key, said in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as fault:
        raise EndpointError(
            f"The file of prices, {path}, cannot be read. Delete it and set the prices again."
        ) from fault


def _prices(said: dict[str, Any]) -> Prices:
    tiers = tuple(Tier(**tier) for tier in said.get("tiers", ()))
    prices = Prices(**{**said, "tiers": tiers})
    if not all(isinstance(text, str) for text in (prices.source, prices.currency)):
        raise TypeError("a source and a currency are words")
    if not all(map(_is_amount, [*_amounts(prices), *(amount for tier in tiers for amount in _amounts(tier))])):
        raise ValueError("an amount is a number from 0 up")
    return prices


def _amounts(paid: Prices | Tier) -> tuple[float, ...]:
    return paid.input, paid.cached, paid.cache_write, paid.output


def _is_amount(amount: object) -> bool:
    return isinstance(amount, int | float) and isfinite(amount) and amount >= 0


def _write(kept: dict[str, Prices], home: Path) -> None:
    file = home / FILE
    try:
        write_whole(file, json.dumps({key: asdict(prices) for key, prices in kept.items()}, indent=1))
    except OSError as fault:
        raise EndpointError(
            f"The prices cannot be kept in {file} ({fault.strerror}). Check its permissions."
        ) from fault

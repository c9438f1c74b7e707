"""Expected figures with their bounds, as people read them."""

from collections.abc import Callable

from pages.widgets.words import LEAST_MONEY, money, round_figure, time_span
from r3con_core.figures import Figure


def between(low: float, high: float, words: Callable[[float], str]) -> str:
    """Both bounds in `words`, such as "90 to 180 thousand"; only one of them where they read the same."""
    first, last = words(low), words(high)
    if first == last:
        return first
    number, _, unit = first.partition(" ")
    return f"{number if unit and unit == last.partition(' ')[2] else first} to {last}"


def figures(expected: Figure) -> str:
    """The bounds of a count."""
    return between(expected.low, expected.high, round_figure)


def likely(expected: Figure) -> str:
    """A count as it is likely, with its bounds: "36 (30 to 58)"."""
    return _with(round_figure(expected.likely), figures(expected))


def times(seconds: Figure) -> str:
    """The bounds of a length of time; one that may be under a minute has no lower bound."""
    if seconds.low < 60 <= seconds.high:
        return f"up to {time_span(seconds.high)}"
    return between(seconds.low, seconds.high, time_span)


def moneys(low: float, high: float, currency: str) -> str:
    """The bounds of an amount of money."""
    return between(low, high, lambda amount: rough_money(amount, currency))


def rough_money(amount: float, currency: str) -> str:
    """An expected amount, without figures that nobody can know."""
    if amount >= 100:
        return f"{amount:,.0f} {currency}"
    if amount >= 0.1:
        return f"{amount:.2f} {currency}"
    return f"{amount:.2g} {currency}" if amount >= LEAST_MONEY else money(amount, currency)


def likely_money(low: float, mid: float, high: float, currency: str) -> str:
    """An amount as it is likely, with its bounds."""
    return _with(rough_money(mid, currency), moneys(low, high, currency))


def _with(one: str, bounds: str) -> str:
    return one if one == bounds else f"{one} ({bounds})"

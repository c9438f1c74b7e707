"""What a run has used, what it may use, and the meter that lets no call go out once the two meet.

Replies from the call log cost nothing and pass: the meter stands behind the log, next to the model.
"""

import threading
from dataclasses import dataclass, replace
from enum import StrEnum

from r3con_core.errors import LimitReachedError, R3ConError
from r3con_core.exchange import Ask, Prompt, Reply, Stage, Usage
from r3con_core.models import FREE, Prices, cost
from r3con_core.progress import Progress
from r3con_core.runs import Caps, RunState
from r3con_core.store.project import Project
from r3con_core.store.usage import usage_by_length

_BY_REASONING_MODEL = frozenset({Stage.SCHEMA, Stage.REASONING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the models of one run cost; None where nobody has said."""

    reading: Prices | None
    reasoning: Prices | None
    embedding: Prices | None = FREE
    """Of vectors of texts."""

    def of(self, stage: Stage) -> Prices | None:
        """What the model that is asked at `stage` costs."""
        if stage is Stage.EMBEDDING:
            return self.embedding
        return self.reasoning if stage in _BY_REASONING_MODEL else self.reading

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of a prompt beyond which a price changes, ascending."""
        tiers = (tier.above for prices in self._all if prices for tier in prices.tiers)
        return tuple(sorted(set(tiers)))

    @property
    def currency(self) -> str | None:
        """What all are paid in; None where a price is unknown or they differ. A free model is paid in any."""
        known = [each for each in self._all if each is not None]
        if len(known) < len(self._all):
            return None
        paid = {each.currency for each in known if _is_paid(each)}
        return known[0].currency if not paid else paid.pop() if len(paid) == 1 else None

    @property
    def _all(self) -> tuple[Prices | None, ...]:
        return self.reading, self.reasoning, self.embedding


def _is_paid(prices: Prices) -> bool:
    return any((prices.input, prices.cached, prices.cache_write, prices.output))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What calls have used."""

    money: float | None = 0.0
    """In the currency of the run's rates; None where those are not known."""
    tokens: int = 0
    """Sent and written together."""

    def plus(self, usage: Usage, prices: Prices | None, length: int) -> "Spent":
        """This and what calls used whose prompts are so many tokens long."""
        money = None if self.money is None or prices is None else self.money + cost(prices, usage, prompt=length)
        return Spent(money=money, tokens=self.tokens + usage.prompt + usage.output)


def spent_of(project: Project, run_id: str, rates: Rates) -> Spent:
    """What the calls of a run have used, over all its workers; replies kept from before cost nothing."""
    spent = Spent(money=0.0 if rates.currency else None)
    for stage, length, usage in usage_by_length(project, run_id, rates.lengths):
        spent = spent.plus(usage, rates.of(stage), length)
    return spent


class Capped(StrEnum):
    """What can have a limit."""

    MONEY = "money"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit that is reached."""

    of: Capped
    used: str
    """How much, without its unit."""
    cap: str
    """The limit with its unit, such as "1.00 USD"."""


def in_currency(caps: Caps, rates: Rates) -> Caps:
    """`caps` with the money in what the models are paid in; R3ConError when that is not known."""
    if caps.money is None:
        return caps
    if rates.currency is None:
        raise R3ConError(
            "Money cannot be limited, since what the model costs is not known here. Set its price, or limit tokens."
            if None in (rates.reading, rates.reasoning, rates.embedding)
            else "Money cannot be limited, since the two models are paid in different currencies. Limit tokens instead."
        )
    return replace(caps, currency=rates.currency)


def check_above(caps: Caps, spent: Spent) -> None:
    """R3ConError when a limit is not above what is used already."""
    for limit in reached_limits(caps, spent):
        raise R3ConError(f"{limit.used} are used already, so a limit of {limit.cap} is too low. Give a higher one.")


_NEARLY = 1 - 1e-9
"""Sums of many small amounts of money come out that much too low."""


def reached_limits(caps: Caps, spent: Spent) -> tuple[Limit, ...]:
    """The limits that are reached; none while calls may go out."""
    reached: list[Limit] = []
    if caps.money is not None and spent.money is not None and spent.money >= caps.money * _NEARLY:
        cap = f"{money_text(caps.money)} {caps.currency}"
        reached.append(Limit(of=Capped.MONEY, used=money_text(spent.money), cap=cap))
    if caps.tokens is not None and spent.tokens >= caps.tokens:
        reached.append(Limit(of=Capped.TOKENS, used=f"{spent.tokens:,}", cap=f"{caps.tokens:,} tokens"))
    return tuple(reached)


def money_text(amount: float) -> str:
    """An amount without its currency: two digits after the point, up to four where it is less than one."""
    if amount >= 1:
        return f"{amount:,.2f}"
    whole, _, digits = f"{amount:.4f}".partition(".")
    return f"{whole}.{digits.rstrip('0').ljust(2, '0')}"


def caps_text(caps: Caps) -> str:
    """The limits in words, such as "at most 1.00 USD and 500,000 tokens"; empty where there are none."""
    money = [f"{money_text(caps.money)} {caps.currency}"] if caps.money is not None else []
    tokens = [f"{caps.tokens:,} tokens"] if caps.tokens is not None else []
    return f"at most {' and '.join(money + tokens)}" if money or tokens else ""


class Meter:
    """Counts what the calls of one run use, over all its models and threads, and holds them to its caps."""

    def __init__(self, caps: Caps, rates: Rates, spent: Spent) -> None:
        """`spent`: by this run before."""
        self._caps, self._rates, self._spent = caps, rates, spent
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """Up to now."""
        return self._spent

    @property
    def reached(self) -> tuple[Limit, ...]:
        """The limits that are reached by now."""
        return reached_limits(self._caps, self._spent)

    def check(self) -> None:
        """LimitReachedError once the run has used what it may."""
        for limit in self.reached:
            raise LimitReachedError(limit.used, limit.cap)

    def metered(self, ask: Ask) -> Ask:
        """`ask`, but no call goes out once a limit is reached; calls that are out then come back and are counted."""

        def counted(prompt: Prompt) -> Reply:
            self.check()
            reply = ask(prompt)
            with self._lock:
                self._spent = self._spent.plus(reply.usage, self._rates.of(prompt.stage), reply.usage.prompt)
            return reply

        return counted


def paused_text(limit: Limit, progress: Progress) -> str:
    """Why a run paused and what of it is done, in plain sentences; `progress` as it was when the limit was reached."""
    return (
        f"Paused: {limit.used} of at most {limit.cap} are used. {_done(progress)} "
        "Raise the limit to go on; nothing is paid twice."
    )


def _done(progress: Progress) -> str:
    documents = len(progress.run.document_ids)
    match progress.run.state:
        case RunState.RELEVANCE:
            reading = next((r for r in progress.rounds if r.done < r.documents), progress.rounds[-1])
            return f"Round {reading.number}: {reading.done:,} of {documents:,} documents are read."
        case RunState.SCHEMA:
            return f"All {documents:,} documents are read; the schema is not proposed yet."
        case RunState.PARSING:
            return f"Parsing: {progress.parsed:,} of {documents:,} documents are parsed."
        case RunState.BUILDING:
            calls = (
                "1 call of this method is" if progress.calls == 1 else f"{progress.calls:,} calls of this method are"
            )
            return f"{calls} done; its answer is not reached yet."
        case _:
            return f"All {documents:,} documents are read and parsed; the answer is not reached yet."

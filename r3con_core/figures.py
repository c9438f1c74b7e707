"""What is expected rather than known: a figure with its bounds, and what one stage will ask."""

from dataclasses import dataclass

from r3con_core.exchange import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An expected number between its bounds."""

    low: float
    likely: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"a figure needs low <= likely <= high, not {self.low}, {self.likely}, {self.high}")

    def __add__(self, other: "Figure") -> "Figure":
        return Figure(low=self.low + other.low, likely=self.likely + other.likely, high=self.high + other.high)

    def times(self, factor: float) -> "Figure":
        """Each of the three, `factor` (not negative) times."""
        return Figure(low=self.low * factor, likely=self.likely * factor, high=self.high * factor)

    def plus_kept(self, spent: float) -> "Figure":
        """With `spent`, which is certain, on top of each."""
        return Figure(low=self.low + spent, likely=self.likely + spent, high=self.high + spent)

    def join(self, other: "Figure", weight: float) -> "Figure":
        """Both in one: the bounds hold both, and what is likely lies between, `weight` (0 to 1) of the way to `other`."""
        likely = self.likely + (other.likely - self.likely) * weight
        return Figure(low=min(self.low, other.low), likely=likely, high=max(self.high, other.high))


def figure(low: float, likely: float, high: float) -> Figure:
    """A figure whose bounds give way where rounding has put what is likely outside them."""
    return Figure(low=min(low, likely), likely=likely, high=max(high, likely))


def exactly(number: float) -> Figure:
    """A figure that is known."""
    return Figure(low=number, likely=number, high=number)


NOTHING = exactly(0)


def total(figures: "list[Figure] | tuple[Figure, ...]") -> Figure:
    """All of them added up: their bounds too, which holds since they are wrong in the same direction when they are."""
    return sum(figures, NOTHING)


def count_of(number: int, noun: str) -> str:
    """A number of things in words: "1 call", "1,200 calls"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEstimate:
    """What one stage will ask, or one round of it."""

    stage: Stage
    round: int = 0
    """From 1 where rounds are told apart; 0 for a stage as a whole."""
    calls: Figure
    first: Figure
    """Of those, prompts asked for the first time; the others are asked again with what was wrong."""
    prompt: Figure
    """Tokens sent."""
    cached: Figure
    """Of those, tokens that the server has read before, for an earlier call."""
    fresh: Figure
    """And those that it has not; its bounds are those of the cheapest and the dearest run."""
    output: Figure
    """Tokens written."""

    def without(self, done: int) -> "StageEstimate":
        """What is left of it once `done` prompts have been asked for the first time."""

        def left(all_of_it: Figure) -> Figure:
            low, likely, high = (
                getattr(all_of_it, bound) * max(0.0, 1 - done / max(getattr(self.first, bound), 1))
                for bound in ("low", "likely", "high")
            )
            return figure(low, likely, high)

        return StageEstimate(
            stage=self.stage,
            round=self.round,
            calls=left(self.calls),
            first=left(self.first),
            prompt=left(self.prompt),
            cached=left(self.cached),
            fresh=left(self.fresh),
            output=left(self.output),
        )

"""What is expected rather than known: a figure with its bounds, and what earlier runs say about a model."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How long a model takes for a call."""

    read: Figure
    """Prompt tokens a second, of those it has not read before."""
    written: Figure
    """Output tokens a second, of one call."""
    wait: Figure
    """Seconds of a call besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is known of a model at an endpoint; the defaults are those of a model nobody has tried yet."""

    tokens_per_estimate: Figure = Figure(low=0.8, likely=1.03, high=1.3)
    """Tokens as its server counts them for each that `estimate_tokens` counts in documents, snippets and records."""
    tokens_per_instruction: Figure = Figure(low=0.75, likely=0.95, high=1.1)
    """The same in our instructions, which are English with marks and braces."""
    snippets: Figure = Figure(low=0.1, likely=0.85, high=1.8)
    """Length of a snippet, silent documents included, for each token that is usual for a document of that length."""
    replies: Figure = Figure(low=0.3, likely=1.0, high=2.2)
    """What it writes while reading for relevance, for each token of the reply that holds a usual snippet."""
    records: Figure = Figure(low=0.1, likely=0.7, high=4.0)
    """What it writes while parsing, for each token that is usual for a document of that length."""
    read_again: Figure = Figure(low=0.0, likely=0.02, high=0.5)
    """Calls asked again for each first call, while reading for relevance."""
    parsed_again: Figure = Figure(low=0.0, likely=0.1, high=1.2)
    """The same while parsing, where quotes are mended too."""
    thinking: Figure = NOTHING
    """Tokens of a call that it writes to itself before its reply."""
    cache_hits: Figure = Figure(low=0.0, likely=0.95, high=1.0)
    """Of the prompt tokens that an earlier prompt holds as a prefix, the share that its server need not read again."""
    speed: Speed | None = None
    """None: not known."""

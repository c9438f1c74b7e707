"""What earlier runs say about a model."""

from dataclasses import dataclass

from r3con_core.figures import NOTHING, Figure


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

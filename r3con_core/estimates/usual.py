"""What is usual for a model that nobody has tried yet, and how documents are written, which tells how they count."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from math import sqrt

from r3con_core.estimates.estimate import SMALL
from r3con_core.estimates.figures import Calibration, Speed
from r3con_core.figures import NOTHING, Figure
from r3con_core.jobs import EMBEDDED, ModelChoice
from r3con_core.runs import Guidance
from r3con_core.store.project import Project
from r3con_core.store.usage import sample_sizes


class Script(StrEnum):
    """What documents are written in: tokenizers count each kind in their own way."""

    LATIN = "latin"
    WIDE = "ideographs and syllables"
    OTHER = "other letters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How the documents of a project are written, as far as it tells how tokenizers count them."""

    script: Script
    usual: float
    """Tokens that tokenizers usually have for each of ours: they have one for four bytes or so, in most scripts."""


ENGLISH = Writing(script=Script.LATIN, usual=1.0)
_BYTES_OF_TOKEN = 4.1
SPREAD = {
    Script.LATIN: Figure(low=0.8, likely=1.0, high=1.3),
    Script.WIDE: Figure(low=0.7, likely=1.0, high=1.7),
    Script.OTHER: Figure(low=0.45, likely=1.0, high=1.7),
}
"""How far single tokenizers are from that."""


def writing_of(project: Project) -> Writing:
    """How most of the project's documents are written; by a sample of them."""
    sizes = sample_sizes(project)
    if not sizes.tokens:
        return ENGLISH
    script = Script.LATIN  # tables of figures too, though each figure counts
    if sizes.bytes > sizes.letters * 1.4:
        script = Script.WIDE if sizes.tokens > sizes.letters * 0.5 else Script.OTHER
    return Writing(script=script, usual=sizes.bytes / _BYTES_OF_TOKEN / sizes.tokens)


def untried(choice: ModelChoice) -> Calibration:
    """What is usual for a model at such an address."""
    if choice.base_url == EMBEDDED:
        fast = 2.0 if "0.5b" in choice.model.lower() else 10.0 if "135m" in choice.model.lower() else 1.0
        known = SMALL if choice.guidance is Guidance.FOCUS else replace(Calibration(), cache_hits=SMALL.cache_hits)
        return replace(known, speed=_times(EMBEDDED_SPEED, fast))
    known = Calibration(thinking=_THINKING if _THINKS.search(choice.model) else NOTHING)
    if choice.endpoint().local:
        return replace(known, speed=NEAR_SPEED, cache_hits=_NEAR_HITS)
    return replace(known, speed=FAR_SPEED)


_NEAR_HITS = Figure(low=0, likely=0.99, high=1)
"""Servers of one's own match prefixes to the token; paid services in steps of 128, and not on each of their machines."""
EMBEDDED_SPEED = Speed(
    read=Figure(low=25, likely=72, high=80),
    written=Figure(low=7, likely=22, high=28),
    wait=Figure(low=0, likely=0.1, high=1),
)
"""The default model on two idle cores, 75 and 18 to 27 as measured; on busy or fewer cores a third of it."""
NEAR_SPEED = Speed(
    read=Figure(low=60, likely=800, high=8000),
    written=Figure(low=6, likely=35, high=120),
    wait=Figure(low=0, likely=0.1, high=1),
)
"""A server on this network: from a laptop's processor to a large graphics card."""
FAR_SPEED = Speed(
    read=Figure(low=800, likely=4000, high=30000),
    written=Figure(low=15, likely=70, high=400),
    wait=Figure(low=0.1, likely=0.6, high=5),
)
"""A paid service in ordinary hours."""
_THINKS = re.compile(r"\b(?:o[1-9]|gpt-[5-9]|r1|qwq)\b|reason|think|deepseek-r", re.IGNORECASE)
_THINKING = Figure(low=0, likely=300, high=3000)


def _times(speed: Speed, factor: float) -> Speed:
    return replace(speed, read=speed.read.times(factor), written=speed.written.times(factor))


def untried_for(choice: ModelChoice, writing: Writing) -> Calibration:
    """The same for documents that are written so."""
    spread = SPREAD[writing.script]
    if writing.script is Script.LATIN:
        return replace(untried(choice), tokens_per_estimate=rewritten(spread, writing.usual))
    return replace(untried(choice), tokens_per_estimate=spread.times(writing.usual))


def rewritten(ratio: Figure, change: float) -> Figure:
    """A ratio of tokens for documents with `change` times the bytes for each of ours: figures above all make that.

    Some tokenizers have a token for each digit, as we count them, others one for three, or so many bytes: the bounds
    hold all of them.
    """
    return Figure(
        low=ratio.low * min(change, 1.0), likely=ratio.likely * sqrt(change), high=ratio.high * max(change, 1.0)
    )

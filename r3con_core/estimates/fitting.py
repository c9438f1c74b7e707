"""A model's rates from the sums of its calls, by least squares; what is usual stands where the calls leave it open."""

from collections.abc import Sequence

from r3con_core.estimates.figures import Calibration, Speed
from r3con_core.figures import Figure
from r3con_core.store.usage import Timing

_NOISE = 0.02
"""Of a prompt's length, by which our count of its parts may be off."""
_DOUBT = (0.08, 0.3)
"""How far instructions and documents may be from the usual rate."""


def fit_tokens(equations: Sequence[tuple[float, float, float]], usual: Calibration) -> tuple[float, float]:
    """Server's tokens for each of ours in instructions, and in documents.

    `equations`: for calls of one kind, our tokens of instructions, of documents and snippets, and the server's of both.
    """
    priors = (usual.tokens_per_instruction.likely, usual.tokens_per_estimate.likely)
    a, b, c = 1 / _DOUBT[0] ** 2, 0.0, 1 / _DOUBT[1] ** 2
    p, q = priors[0] * a, priors[1] * c
    for fixed, text, counted in equations:
        weight = 1 / (_NOISE * counted) ** 2
        a, b, c = a + weight * fixed * fixed, b + weight * fixed * text, c + weight * text * text
        p, q = p + weight * fixed * counted, q + weight * text * counted
    determinant = a * c - b * b
    return max((p * c - q * b) / determinant, 0.1), max((q * a - p * b) / determinant, 0.1)


_FEW = 5
_NO_TIME = 1e-6
"""Seconds of a token that takes none which could be told."""


def fit_speed(timing: Timing) -> Speed | None:
    """Tokens a second in reading and in writing, of one call among those at once; None where calls are few."""
    if timing.calls < _FEW or timing.seconds <= 0:
        return None
    determinant = timing.fresh_fresh * timing.output_output - timing.fresh_output**2
    read = written = 0.0
    if determinant > 1e-6 * timing.fresh_fresh * timing.output_output:
        read = (timing.fresh_seconds * timing.output_output - timing.output_seconds * timing.fresh_output) / determinant
        written = (
            timing.output_seconds * timing.fresh_fresh - timing.fresh_seconds * timing.fresh_output
        ) / determinant
    if read <= 0:
        read, written = 0.0, timing.output_seconds / max(timing.output_output, 1.0)
    elif written <= 0:
        read, written = timing.fresh_seconds / timing.fresh_fresh, 0.0
    return Speed(
        read=_around(1 / max(read, _NO_TIME)),
        written=_around(1 / max(written, _NO_TIME)),
        wait=Figure(low=0, likely=0, high=0.2),
    )


def _around(rate: float) -> Figure:
    return Figure(low=rate / 1.6, likely=rate, high=rate * 1.6)

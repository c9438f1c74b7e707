"""What a judge will ask over answers: one call each, a second where a first answer is missed and a lenient one is there."""

from collections.abc import Sequence

from r3con_core.documents import estimate_tokens
from r3con_core.estimates.estimate import Estimate
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.methods import counted
from r3con_core.exchange import Stage
from r3con_core.figures import NOTHING, Figure, StageEstimate, exactly, total
from r3con_core.method.reading import MAX_ATTEMPTS
from r3con_core.verdicts import Gold

_VERDICT = Figure(low=40, likely=120, high=800)
"""Tokens of a judge's reply."""
_GUIDE = 500
"""Tokens of a judge's guide, form and request, which `judging` holds."""


def estimate_judging(question: str, gold: Gold, answers: Sequence[Figure], known: Calibration) -> Estimate:
    """`answers`: how long each is, in tokens of ours; the bounds hold every refused form and the lenient answer."""
    beside = _GUIDE + sum(map(estimate_tokens, (question, gold.answer, gold.notes)))
    most = MAX_ATTEMPTS * (2 if gold.lenient else 1)
    calls = Figure(low=1, likely=1, high=most)
    prompt = total([_at_most(exactly(beside) + answer, most) for answer in answers])
    stage = StageEstimate(
        stage=Stage.JUDGING,
        calls=calls.times(len(answers)),
        first=exactly(len(answers)),
        prompt=prompt,
        cached=NOTHING,
        fresh=prompt,
        output=_at_most(_VERDICT, most).times(len(answers)),
    )
    return Estimate(parts=(counted(stage, known),))


def _at_most(once: Figure, most: int) -> Figure:
    return Figure(low=once.low, likely=once.likely, high=once.high * most)

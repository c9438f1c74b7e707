"""What a run of any method will ask: R3Con's by its stages, another's by its own plan and what is known of the model."""

from collections.abc import Sequence

from r3con_core.documents import estimate_tokens
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.exchange import Stage
from r3con_core.figures import Figure, StageEstimate, figure
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Method, Size, options_of
from r3con_core.runs import R3CON, RunSettings

NO_PLAN = Estimate(parts=())


def estimate_settings(
    document_tokens: Sequence[int], settings: RunSettings, known: Calibration, task: str = ""
) -> Estimate:
    """What a run with these settings will ask over documents of these lengths, whatever its method.

    Nothing for runs that answer no task, such as those that judge.
    """
    if settings.method == R3CON:
        return estimate_run(document_tokens, settings, known)
    method = next((each for each in METHODS if each.id == settings.method), None)
    size = size_of(document_tokens, settings.window, task)
    return estimate_method(method, size, settings, known) if method else NO_PLAN


def size_of(document_tokens: Sequence[int], window: int, task: str) -> Size:
    """How large the work is."""
    return Size(documents=tuple(document_tokens), window=window, task=max(estimate_tokens(task), 1))


def estimate_method(method: Method, size: Size, settings: RunSettings, known: Calibration) -> Estimate:
    """By the method's own plan, in tokens as the model's server counts them."""
    if method.plan is None:
        return estimate_run(size.documents, settings, known)
    options = dict(options_of(method.settings(size), dict(settings.options)))
    return Estimate(parts=tuple(counted(part, known) for part in method.plan(size, options)))


def counted(part: StageEstimate, known: Calibration) -> StageEstimate:
    """`part`, planned in our tokens, in those of the model, with what it writes before its replies."""
    ratio = known.tokens_per_estimate
    thinking = Figure(low=0, likely=0, high=0) if part.stage is Stage.EMBEDDING else known.thinking
    prompt = times(part.prompt, ratio)
    return StageEstimate(
        stage=part.stage,
        round=part.round,
        calls=part.calls,
        first=part.first,
        prompt=prompt,
        cached=times(part.cached, ratio),
        fresh=times(part.fresh, ratio),
        output=times(part.output, ratio) + times(part.calls, thinking),
    )


def times(one: Figure, other: Figure) -> Figure:
    """Both multiplied, bound by bound."""
    return figure(one.low * other.low, one.likely * other.likely, one.high * other.high)

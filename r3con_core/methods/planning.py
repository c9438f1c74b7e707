"""What methods expect to ask, in figures: the same few shapes of work for all of them."""

from r3con_core.exchange import Stage
from r3con_core.figures import NOTHING, Figure, StageEstimate, exactly, figure

AROUND = 130
"""Tokens of rule, guide and request around the material of a prompt."""


def asks(stage: Stage, calls: Figure, prompt: Figure, output: Figure) -> StageEstimate:
    """`calls` prompts, each of `prompt` tokens with a reply of `output` tokens; nothing of it read before."""
    sent, written = _times(calls, prompt), _times(calls, output)
    return StageEstimate(stage=stage, calls=calls, first=calls, prompt=sent, cached=NOTHING, fresh=sent, output=written)


def _times(one: Figure, other: Figure) -> Figure:
    return figure(one.low * other.low, one.likely * other.likely, one.high * other.high)


def about(likely: float, least: float = 0.8, most: float = 1.3) -> Figure:
    """A figure that may be off by these factors."""
    return figure(likely * least, likely, likely * most)


def embeds(tokens: float, texts: float) -> StageEstimate:
    """Vectors of so many texts of so many tokens in all."""
    calls = figure(texts / 64, texts / 32, texts)
    sent = about(tokens)
    return StageEstimate(
        stage=Stage.EMBEDDING, calls=calls, first=calls, prompt=sent, cached=NOTHING, fresh=sent, output=NOTHING
    )


def answers(context: float, reply: float = 200) -> StageEstimate:
    """The last prompt, which reads so many tokens."""
    return asks(Stage.REASONING, figure(1, 1, 3), about(context + AROUND), about(reply, 0.2, 3.0))


__all__ = ["AROUND", "about", "answers", "asks", "embeds", "exactly", "figure"]

"""What a run will ask, before it is started: calls, tokens and, where prices are known, money."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from r3con_core.answers import Mode
from r3con_core.exchange import Stage
from r3con_core.runs import RunSettings

INSTRUCTIONS = 450
"""Tokens of instructions and task around a document; measured on the prompts of version 1: 380 to 520."""
RECORDS_PER_DOCUMENT = 220
"""Tokens of a typical document's records."""
SCHEMA_TOKENS = 600
STEPS = (2, 4)
"""Turns of the coding agent: usual, and generous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEstimate:
    """What one stage will ask."""

    stage: Stage
    calls: int
    prompt: int
    """Tokens sent, before any prefix the server may have read already."""
    output: int
    """Tokens written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run will ask, stage by stage."""

    stages: tuple[StageEstimate, ...]

    @property
    def calls(self) -> int:
        """How many prompts in all."""
        return sum(stage.calls for stage in self.stages)

    @property
    def prompt(self) -> int:
        """Tokens sent in all."""
        return sum(stage.prompt for stage in self.stages)

    @property
    def output(self) -> int:
        """Tokens written in all."""
        return sum(stage.output for stage in self.stages)


def estimate_run(document_tokens: Sequence[int], settings: RunSettings) -> Estimate:
    """The estimate for documents of these lengths in tokens; refused replies asked again are not in it."""
    count, total = len(document_tokens), sum(document_tokens)
    snippet = settings.snippet_tokens + 30
    notes = min(count * snippet, int(settings.window * 0.45))
    room = max(settings.window - notes - INSTRUCTIONS - 500, 512)
    parts = sum(max(1, ceil(tokens / room)) for tokens in document_tokens)
    rounds = settings.rounds
    reading = StageEstimate(
        stage=Stage.RELEVANCE,
        calls=parts * rounds,
        prompt=total * rounds + parts * rounds * INSTRUCTIONS + parts * (rounds - 1) * notes,
        output=parts * rounds * settings.snippet_tokens,
    )
    parsing = StageEstimate(
        stage=Stage.PARSING,
        calls=parts,
        prompt=total + parts * (INSTRUCTIONS + notes + SCHEMA_TOKENS // 2),
        output=parts * RECORDS_PER_DOCUMENT,
    )
    turns = 1 if settings.mode == Mode.DIRECT else STEPS[1]
    representation = notes + min(count * RECORDS_PER_DOCUMENT, int(settings.window * 0.4)) + INSTRUCTIONS
    return Estimate(
        stages=(
            StageEstimate(stage=Stage.FOCUS, calls=1, prompt=INSTRUCTIONS // 2, output=80),
            reading,
            StageEstimate(stage=Stage.SCHEMA, calls=1, prompt=INSTRUCTIONS + notes, output=SCHEMA_TOKENS),
            parsing,
            StageEstimate(stage=Stage.REASONING, calls=turns, prompt=representation * turns, output=300 * turns),
        )
    )

"""Readers of others' bytes, tried with damaged ones: an error in words, or a sound value. `benchmarks/fuzz.py` goes on."""

import random

import pytest

from tests.fuzzing import TARGETS, Target, changed

TRIES = {"bundles": 4}
"""Of changed seeds; 400 where none is told. Opening a whole bundle takes a while."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_input_ends_in_a_sound_value_or_a_sentence(target: Target) -> None:
    chance, seeds = random.Random(6), list(target.seeds())
    for _ in range(TRIES.get(target.name, 400)):
        target.attempt(changed(chance.choice(seeds), seeds, target.words, chance))


@pytest.mark.parametrize("target", [t for t in TARGETS if t.name != "bundles"], ids=lambda target: target.name)
def test_sound_input_is_read(target: Target) -> None:
    for seed in target.seeds():
        target.attempt(seed)

"""What earlier runs say about a model at an endpoint: how it counts, how much it writes, what it caches, how fast it is.

calibration.json in the home folder holds it, so that a new project's first estimate profits. It is a convenience: a
file that is damaged, or cannot be written, only means that estimates keep wide bounds.
"""

from dataclasses import replace
from math import sqrt
from pathlib import Path

from pydantic import ValidationError

from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.learning import Learnt, learn
from r3con_core.estimates.usual import ENGLISH, Writing, rewritten, untried, untried_for
from r3con_core.home import write_whole
from r3con_core.jobs import ModelChoice
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project

__all__ = ["calibration_of", "learn_from", "untried"]

FILE = "calibration.json"
MOST_CALLS = 500
"""What earlier runs count for at most, so that a change of the server is soon noticed."""


def calibration_of(choice: ModelChoice, home: Path, writing: Writing = ENGLISH) -> Calibration:
    """What is known of a model for documents written so: as learnt, else as is usual for its kind of endpoint.

    What was learnt on another script says nothing of how it counts this one, how much it writes, and how well.
    """
    learnt = [each for each in _kept(home) if (each.base_url, each.model) == (choice.base_url, choice.model)]
    same = next((each for each in learnt if each.script is writing.script), None)
    if same is not None:
        return _for_writing(same, writing.usual)
    known = untried_for(choice, writing)
    if not learnt:
        return known
    other = learnt[0].calibration
    return replace(
        known,
        tokens_per_instruction=other.tokens_per_instruction,
        thinking=other.thinking,
        cache_hits=other.cache_hits,
        speed=other.speed,
    )


def _for_writing(learnt: Learnt, usual: float) -> Calibration:
    ratio = rewritten(learnt.calibration.tokens_per_estimate, usual / learnt.usual)
    return replace(learnt.calibration, tokens_per_estimate=ratio)


def is_learnt(choice: ModelChoice, home: Path) -> bool:
    """Whether earlier runs say anything about a model, so that an estimate rests on them."""
    return any((each.base_url, each.model) == (choice.base_url, choice.model) for each in _kept(home))


def learn_from(project: Project, run_id: str, home: Path) -> None:
    """Keep what a run's calls say about its reading model, joined with what was known; nothing where they are few."""
    new = learn(project, run_id)
    if new is None:
        return
    kept = {(each.base_url, each.model, each.script): each for each in _kept(home)}
    key = (new.base_url, new.model, new.script)
    kept = {key: _joined(kept.get(key), new), **{other: each for other, each in kept.items() if other != key}}
    try:
        write_whole(home / FILE, dump(tuple(kept.values()), tuple[Learnt, ...]))
    except OSError:
        return  # the run is done and kept; only the next estimate is as wide as this one was


def _kept(home: Path) -> tuple[Learnt, ...]:
    try:
        kept: tuple[Learnt, ...] = load((home / FILE).read_text("utf-8"), tuple[Learnt, ...])
    except (OSError, UnicodeDecodeError, ValidationError):
        return ()
    return kept


def _joined(old: Learnt | None, new: Learnt) -> Learnt:
    if old is None:
        return new
    before = min(old.calls, MOST_CALLS)
    weight = new.calls / (before + new.calls)
    names = [name for name in Calibration.__dataclass_fields__ if name != "speed"]
    ratio = old.calibration.tokens_per_estimate.times(sqrt(new.usual / old.usual))  # there and back is no change
    known = replace(old.calibration, tokens_per_estimate=ratio)
    both = {name: getattr(known, name).join(getattr(new.calibration, name), weight) for name in names}
    return replace(new, calls=before + new.calls, calibration=replace(new.calibration, **both))

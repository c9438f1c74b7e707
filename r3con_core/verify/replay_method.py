"""A run of another method than R3Con carried once more over its own call log and its kept vectors, and nothing else."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path

from r3con_core.answers import Answer, Mode
from r3con_core.embedding import Embed, WordVectors
from r3con_core.embeddings import KeptVectors
from r3con_core.errors import R3ConError, RefusedError, StoreError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Needs
from r3con_core.relations import keeps
from r3con_core.run_method import Equipment, run_method
from r3con_core.runs import PROMPTS, Run
from r3con_core.sandbox import code_can_run
from r3con_core.stages import Models
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.store.calls import find_reply
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.vectors import models_used
from r3con_core.traces import Built, Item, Trace
from r3con_core.verify.replay_copy import copy_bare
from r3con_core.verify.replay_faults import answer_faults
from r3con_core.verify.runs import Check

BUILT = "The kept replies and vectors, read again, give all that the method built."
ANSWER = "The kept replies, read again, and the code, run again, give every step and the answer."
_ALIKE = 1e-6
"""Scores may differ by that much of themselves: computers add up in other orders."""


def replay_method(project: Project, run_id: str) -> tuple[Check, ...]:
    """What came of carrying the run again; left open, with why, where that cannot be."""
    told = load_answer(project, run_id)
    if told is None:
        return ()
    run = load_run(project, run_id)
    if cannot := _cannot(run, told):
        return tuple(Check(what=what, open=cannot) for what in (BUILT, ANSWER))
    with tempfile.TemporaryDirectory(prefix="r3con-replay-") as folder:
        copy = copy_bare(project, run_id, Path(folder), keeps(run.relation)).project
        try:
            _carry(copy, run)
        except R3ConError as error:
            return (Check(what=ANSWER, faults=(str(error),)),)
        else:
            built = trace_faults(load_built(project, run_id), load_built(copy, run_id))
            answered = answer_faults(told, load_answer(copy, run_id))
            return Check(what=BUILT, faults=tuple(built)), Check(what=ANSWER, faults=tuple(answered))
        finally:
            copy.close()


def _cannot(run: Run, told: Answer) -> str:
    """Why it cannot be carried again; empty where it can."""
    method = next((one for one in METHODS if one.id == run.settings.method), None)
    if method is None:
        return f"This version has no method {run.settings.method!r} to carry again."
    if Needs.PROGRAM in method.needs:
        return f"{method.name} is a program of its own: what it did inside cannot be carried again."
    if run.settings.prompts != PROMPTS:
        return f"The run was made with prompts {run.settings.prompts}, which this version no longer writes."
    return code_can_run() if told.mode is Mode.CODING else ""


def _carry(copy: Project, run: Run) -> None:
    reading = _repeating(copy, run, run.settings.model)
    reasoning = _repeating(copy, run, run.settings.reasoning_model or run.settings.model)
    models = Models(reading=reading, reasoning=reasoning)
    run_method(copy, load_run(copy, run.id), models, Equipment(embed=_vectors(copy, run.id)))


def _repeating(copy: Project, run: Run, model: str) -> Ask:
    """The model that only repeats what it said; a call that gave none was not kept."""

    def ask(prompt: Prompt) -> Reply:
        reply = find_reply(copy, prompt.key(model, run.settings.repeat))
        if reply is None:  # it was refused, and the method went on without; where it cannot, nor could the run
            raise RefusedError(
                f"A prompt of the {prompt.stage.value} stage has no kept reply: this run did not send it."
            )
        return reply

    return ask


def _vectors(copy: Project, run_id: str) -> Embed:
    """The vectors that are kept, and no others."""
    used = models_used(copy, run_id)
    if not used:
        return WordVectors()

    def ask(_: Prompt) -> Reply:
        raise StoreError("A text has no kept vector: this run did not ask for it.")

    return KeptVectors(
        project=copy,
        run_id=run_id,
        name=used[0],
        host="",
        ask=ask,
        workers=1,
        check=lambda _: None,
        wait=lambda: None,
    )


def trace_faults(told: Trace, found: Trace) -> Iterator[str]:
    """What of a trace does not come of the kept replies, a sentence for each thing built."""
    made = {built.name: built for built in found}
    for built in told:
        if built.name not in made:
            yield f"{built.name}: it does not come of the kept replies."
        elif not _same(built, made[built.name]):
            yield f"{built.name}: it is not what the kept replies give."
    if more := [name for name in made if name not in {built.name for built in told}]:
        yield f"The kept replies also give: {', '.join(more)}."


def _same(one: Built, other: Built) -> bool:
    same = _bare(one) == _bare(other) and _alike(one.items, other.items)
    weights = zip(one.links, other.links, strict=False)
    return same and all(isclose(a.weight, b.weight, rel_tol=_ALIKE, abs_tol=_ALIKE) for a, b in weights)


def _bare(built: Built) -> Built:
    """Without scores and weights, and without the words of a fault, which calls that gave nothing do not keep."""
    items = tuple(replace(item, score=None, fault="fault" if item.fault else "") for item in built.items)
    return replace(built, items=items, links=tuple(replace(link, weight=1.0) for link in built.links))


def _alike(some: Sequence[Item], others: Sequence[Item]) -> bool:
    pairs = [(one.score, other.score) for one, other in zip(some, others, strict=True)]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return all((a is None) == (b is None) for a, b in pairs) and all(
        isclose(a, b, rel_tol=_ALIKE, abs_tol=_ALIKE) for a, b in known
    )

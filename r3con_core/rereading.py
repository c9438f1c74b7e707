"""What taking in people's changes will ask, before it is done: how many calls, and what they cost.

A document is asked again when its prompt is another one: when what it is shown of the round before has changed, or its
hint. Whether what it says then changes too nobody knows before, so that later rounds are between none and all.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from r3con_core.changes import Entry, Steer
from r3con_core.costs import CostRange, expected_cost, known_of
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.exchange import Stage
from r3con_core.figures import Figure, StageEstimate, figure, total
from r3con_core.home import home_folder
from r3con_core.jobs import choices_of
from r3con_core.progress import progress_of
from r3con_core.runs import Run
from r3con_core.steering import Steering, marks_of, steering_of
from r3con_core.store.changes import list_changes
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.steering import taken_in
from r3con_core.store.usage import document_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """What carrying a run on will ask."""

    reading: Figure
    """Calls on documents and for digests."""
    again: Figure
    """Of those, in rounds that were read before."""
    after: Figure
    """Calls for records and the answer, which a run that had them makes anew."""
    cost: CostRange | None
    """Of both; None where a price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many documents one round reads again."""

    number: int
    least: int
    most: int


def reach(then: Steering, now: Steering, ids: Sequence[str], read: int) -> tuple[Reach, ...]:
    """For each round, how many documents are asked about anew, when `read` rounds were read as `then` says."""
    told: list[Reach] = []
    for number in range(1, now.rounds + 1):
        readers = {each for each in ids if now.is_read(number, each)}
        if number > read:
            told.append(Reach(number=number, least=len(readers), most=len(readers)))
            continue
        other = {each for each in readers if not then.is_read(number, each)}
        if then.hints.get(number, ()) != now.hints.get(number, ()):
            other = readers
        changed = [
            each for each in ids if number > 1 and _stand(then, number - 1, each) != _stand(now, number - 1, each)
        ]
        if changed:
            other = other | (readers - set(changed) if len(changed) == 1 else readers)
        spreads = bool(told and told[-1].most)
        told.append(Reach(number=number, least=len(other), most=len(readers if spreads else other)))
    return tuple(told)


def _stand(steering: Steering, number: int, document_id: str) -> tuple[object, ...]:
    """What decides how a document's snippet of a round is shown, but for what the model says."""
    place = (number, document_id)
    hidden = steering.is_hidden(number, document_id) or place in steering.vetoes
    if hidden:
        return ("hidden",)
    if place in steering.edits:
        return ("edit", steering.edits[place])
    if steering.is_carried(number, document_id):
        return ("carried", *_stand(steering, number - 1, document_id))
    return ("read",)


def expect_rereading(project: Project, run_id: str, also: Sequence[Steer] = (), home: Path | None = None) -> Rereading:
    """What carrying the run on now will ask, with what people changed since it was read, and `also` these changes."""
    run, place, taken = load_run(project, run_id), home or home_folder(), taken_in(project, run_id)
    entries = [*list_changes(project, run_id), *(_as_if_kept(run_id, steer) for steer in also)]
    now = steering_of(entries, run.settings)
    then = steering_of(_as_taken(entries, taken), run.settings)
    read = progress_of(project, run_id).rounds_done
    reached = reach(then, now, run.document_ids, read)
    only_back = not Counter(marks_of(entries)) - Counter(taken)
    estimate = _estimate(project, run, now, place)
    parts = tuple(_share(part, reached, len(run.document_ids), kept=only_back) for part in _reading_parts(estimate))
    parts = tuple(part for part in parts if part.calls.high)
    later = [part for part in estimate.parts if part.stage in (Stage.PARSING, Stage.REASONING)]
    passed_on = bool(parts) or _passes_on(then, now, run.document_ids)
    after = later if passed_on and accepted_schema(project, run_id) is not None else []
    return Rereading(
        reading=total([part.calls for part in parts]),
        again=total([part.calls for part in parts if part.round <= read]),
        after=total([part.calls for part in after]),
        cost=expected_cost(Estimate(parts=(*parts, *after)), *choices_of(project, run_id), place),
    )


def _passes_on(then: Steering, now: Steering, ids: Iterable[str]) -> bool:
    """Whether later stages get something else from the last round, whatever the model says."""
    if then.rounds != now.rounds:
        return True
    return any(_stand(then, then.rounds, each) != _stand(now, now.rounds, each) for each in ids)


def _as_if_kept(run_id: str, steer: Steer) -> Entry:
    return Entry(number=0, run_id=run_id, change=steer, author="", note="", made="")


def _as_taken(entries: Iterable[Entry], taken: Iterable[str]) -> Iterable[Entry]:
    """The entries that the rounds were read with, those taken back since among them."""
    left = Counter(taken)
    for entry in entries:
        then = replace(entry, undone="")
        for mark in marks_of([then]):
            if left[mark]:
                left[mark] -= 1
                yield then


def _estimate(project: Project, run: Run, now: Steering, home: Path) -> Estimate:
    """Of a run with as many rounds as people want now."""
    known = known_of(project, choices_of(project, run.id)[0], home)
    settings = replace(run.settings, rounds=max(now.rounds, 1))
    return estimate_run(document_tokens(project, run.document_ids), settings, known)


def _reading_parts(estimate: Estimate) -> list[StageEstimate]:
    return [part for part in estimate.parts if part.stage in (Stage.RELEVANCE, Stage.DIGEST)]


def _share(part: StageEstimate, reached: Sequence[Reach], documents: int, *, kept: bool) -> StageEstimate:
    """What of a round is asked anew; with `kept` perhaps nothing, since older replies may fit again."""
    of = next((each for each in reached if each.number == part.round), Reach(number=part.round, least=0, most=0))
    least = 0 if kept or part.stage is Stage.DIGEST else of.least
    low, high = least / max(documents, 1), of.most / max(documents, 1)

    def scaled(whole: Figure) -> Figure:
        return figure(whole.low * low, whole.likely * high, whole.high * high)

    return StageEstimate(
        stage=part.stage,
        round=part.round,
        calls=scaled(part.calls),
        first=scaled(part.first),
        prompt=scaled(part.prompt),
        cached=scaled(part.cached),
        fresh=scaled(part.fresh),
        output=scaled(part.output),
    )

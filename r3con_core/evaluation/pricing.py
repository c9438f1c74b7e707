"""What an evaluation would take, before anything is asked: of many tasks by some that are spread over all of them.

Nothing is kept: documents are counted in a project that is thrown away.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from r3con_core.costs import CostRange, expected_cost, expected_seconds, known_of
from r3con_core.estimates.judging import estimate_judging
from r3con_core.evaluation.carrying import RESULTS, Evaluation, is_answered, is_done, key_of
from r3con_core.evaluation.choosing import Way
from r3con_core.evaluation.results import Key, Line, read_lines
from r3con_core.evaluation.tasks import EvaluationTask, Malformed
from r3con_core.experiments import plan_methods
from r3con_core.figures import NOTHING, Figure, total
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.preflight import Preflight, preflight
from r3con_core.store.project import Project, create_project_in

MOST_COUNTED = 8
"""Tasks whose documents are counted at most; a task of a million tokens takes a few seconds."""
_ANSWER = Figure(low=10, likely=120, high=1_500)
"""Tokens of what is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one method with one model would take over all tasks that it has not done, or the judge over all answers."""

    name: str
    """Id of the method, or "judge"."""
    model: str
    tasks: int
    """Of which it has still to come to an answer, or to a verdict."""
    why_not: str = ""
    """Why it cannot do some of the tasks that were counted, in the words of the first."""
    unable: int = 0
    """How many of those."""
    calls: Figure = NOTHING
    prompt: Figure = NOTHING
    cost: CostRange | None = None
    """None where a price is not known."""
    seconds: Figure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What is to be done, and what all of it would take."""

    tasks: int
    """With something left to do."""
    counted: int
    """Of those, tasks whose documents were counted; the others are taken to be like them on average."""
    done: int
    """Results that are there already."""
    malformed: tuple[Malformed, ...]
    parts: tuple[Part, ...]
    told: Preflight | None
    """What would be sent where; None where nothing is left to do."""


@dataclass(slots=True)
class _Counts:
    """What is left to do; `spread` holds few tasks, evenly spread over those that came so far."""

    spread: list[EvaluationTask] = field(default_factory=list)
    every: int = 1
    tasks: int = 0
    done: int = 0
    malformed: list[Malformed] = field(default_factory=list)
    runs: Counter[Way] = field(default_factory=Counter)
    verdicts: Counter[Way] = field(default_factory=Counter)
    """Answers that are there and wait for a judge."""

    def add(self, task: EvaluationTask, left: Sequence[Way], done: Mapping[Key, Line]) -> None:
        answered = {way for way in left if is_answered(done.get(key_of(task, way)), way)}
        self.verdicts.update(answered)
        self.runs.update(way for way in left if way not in answered)
        if self.tasks % self.every == 0:
            self.spread.append(task)
        self.tasks += 1
        if len(self.spread) > MOST_COUNTED:
            self.spread, self.every = self.spread[::2], 2 * self.every


def price_of(tasks: Iterable[EvaluationTask | Malformed], given: Evaluation, sent_to: Sequence[ModelChoice]) -> Price:
    """Reads every task once and holds a few of them at a time; asks nothing. `sent_to`: all models that get text.

    CorpusError when the results in the folder are none of ours, or when documents cannot be read.
    """
    counts, done = _Counts(), read_lines(given.folder / RESULTS)
    for task in tasks:
        if isinstance(task, Malformed):
            counts.malformed.append(task)
            continue
        left = [way for way in given.ways if not is_done(done.get(key_of(task, way)), way, given)]
        counts.done += len(given.ways) - len(left)
        if left:
            counts.add(task, left, done)
    looks = list(_looks(counts.spread, given, sent_to))
    return Price(
        tasks=counts.tasks,
        counted=len(looks),
        done=counts.done,
        malformed=tuple(counts.malformed),
        parts=tuple(_parts(counts, looks, given)),
        told=_all_told(counts, looks),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one task would take."""

    ways: Mapping[Way, Part]
    judge: Part | None
    """For one answer."""
    told: Preflight


def _looks(tasks: Sequence[EvaluationTask], given: Evaluation, sent_to: Sequence[ModelChoice]) -> Iterator[_Look]:
    """One for each, in their order; documents that tasks share are read once."""
    for _, together in groupby(tasks, key=lambda task: task.corpus or task.id):
        first, *others = together
        with TemporaryDirectory() as place, closing(create_project_in(Path(place) / "counted", "Counted")) as project:
            first.fill(project)
            for task in (first, *others):
                yield _Look(
                    ways=dict(_planned(project, task.question, given)),
                    judge=_judging(project, task, given) if given.judge else None,
                    told=preflight(project, sent_to),
                )


def _planned(project: Project, question: str, given: Evaluation) -> Iterator[tuple[Way, Part]]:
    for way in given.ways:
        choices = RunChoices(reading=way.model, embedding=way.embedding)
        (one,) = plan_methods(project, question, choices, [way.method], home=given.home)
        yield (
            way,
            Part(
                name=way.method,
                model=way.model.model,
                tasks=1,
                why_not=one.why_not,
                unable=int(bool(one.why_not)),
                calls=one.estimate.calls,
                prompt=one.estimate.prompt,
                cost=one.cost,
                seconds=one.seconds,
            ),
        )


def _judging(project: Project, task: EvaluationTask, given: Evaluation) -> Part:
    """One answer to the task. A second gold is asked for only where the first is missed."""
    assert given.judge is not None
    known = known_of(project, given.judge, given.home)
    estimate = estimate_judging(task.question, task.gold, [_ANSWER], known)
    return Part(
        name="judge",
        model=given.judge.model,
        tasks=1,
        calls=estimate.calls,
        prompt=estimate.prompt,
        cost=expected_cost(estimate, given.judge, None, given.home),
        seconds=expected_seconds(estimate, given.judge, None, given.home),
    )


def _parts(counts: _Counts, looks: Sequence[_Look], given: Evaluation) -> Iterator[Part]:
    for way in dict.fromkeys(given.ways):
        if counts.runs[way]:
            yield _scaled([look.ways[way] for look in looks], counts.runs[way])
    judged = [look.judge for look in looks if look.judge is not None]
    if judged:
        answers = sum(counts.verdicts.values()) + sum(_able(counts.runs[way], way, looks) for way in given.ways)
        yield _scaled(judged, round(answers))


def _able(runs: int, way: Way, looks: Sequence[_Look]) -> float:
    """Of so many runs, those that can come to an answer."""
    return runs * sum(not look.ways[way].unable for look in looks) / len(looks)


def _scaled(parts: Sequence[Part], tasks: int) -> Part:
    """The same for `tasks` of them, by the average of those that were looked at."""
    by = tasks / len(parts)
    costs, seconds = [part.cost for part in parts], [part.seconds for part in parts if part.seconds is not None]
    return replace(
        parts[0],
        tasks=tasks,
        why_not=next((part.why_not for part in parts if part.why_not), ""),
        unable=sum(part.unable for part in parts),
        calls=total([part.calls for part in parts]).times(by),
        prompt=total([part.prompt for part in parts]).times(by),
        cost=add_costs(costs, by),
        seconds=total(seconds).times(by) if len(seconds) == len(parts) else None,
    )


def add_costs(costs: Sequence[CostRange | None], times: float = 1.0) -> CostRange | None:
    """All of them together; None where one is not known, or they are in different currencies."""
    known = [one for one in costs if one is not None]
    paid = {one.currency for one in known if one.high}
    if len(known) < len(costs) or not known or len(paid) > 1:
        return None
    whole = total(tuple(known)).times(times)
    return CostRange(
        low=whole.low,
        likely=whole.likely,
        high=whole.high,
        currency=paid.pop() if paid else known[0].currency,
        sources=tuple(dict.fromkeys(source for one in known for source in one.sources)),
    )


def _all_told(counts: _Counts, looks: Sequence[_Look]) -> Preflight | None:
    """Of all tasks; the documents of those that were not counted are taken to be as many and as long on average."""
    if not looks:
        return None
    by = counts.tasks / len(looks)
    return replace(
        looks[0].told,
        documents=round(by * sum(look.told.documents for look in looks)),
        words=round(by * sum(look.told.words for look in looks)),
        tokens=round(by * sum(look.told.tokens for look in looks)),
    )

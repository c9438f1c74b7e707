"""Every method on every task, judged: one line of results each, and after a kill nothing finished is done again."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from r3con_core.errors import CorpusError, R3ConError, StoreError
from r3con_core.evaluation.choosing import Way, choices_for, is_of, lacks_here, why_not
from r3con_core.evaluation.measuring import input_tokens, measure, paid, representation
from r3con_core.evaluation.results import Key, Line, add_line, read_lines
from r3con_core.evaluation.tasks import EvaluationTask, Malformed
from r3con_core.figures import count_of
from r3con_core.jobs import ModelChoice, create_run, raise_caps, reconcile, requeue
from r3con_core.judging_runs import give_gold, judgings_of, make_judgings
from r3con_core.processes import is_alive, is_ours
from r3con_core.runs import Caps, Run, RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project, create_project_in, open_project, project_slug
from r3con_core.store.runs import holder, list_runs, load_run, set_state
from r3con_core.store.verdicts import load_gold, to_judge, verdict_by
from r3con_core.verdicts import JUDGE

RESULTS, AT_WORK = "results.jsonl", "at_work.pid"
Carry = Callable[[Project, str], None]
"""Carries a queued run as far as it goes, in this process."""


def _quiet(_text: str) -> None:
    """For callers that want no word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What is evaluated, by whom, and where it is kept."""

    folder: Path
    """Results, and a project for each task."""
    home: Path
    ways: tuple[Way, ...]
    judge: ModelChoice | None = None
    """None: answers are kept and not judged; a later evaluation in the same folder can judge them."""
    most: float | None = None
    """Money that all of it may cost, in the currency of the models' prices; None: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an evaluation."""

    lines: tuple[Line, ...]
    malformed: tuple[Malformed, ...] = ()
    unfinished: str = ""
    """Why it ended before its last task, in a sentence that says how it goes on; empty where it did not."""
    stopped: bool = False
    """A person stopped it."""


class _EndedEarlyError(R3ConError):
    """A limit is reached or a person stopped it."""


class _StoppedError(_EndedEarlyError):
    """A person stopped it."""


def evaluate(
    tasks: Iterable[EvaluationTask | Malformed], given: Evaluation, carry: Carry, tell: Callable[[str], None] = _quiet
) -> Outcome:
    """Every way on every task, in order; what is in the folder's results already is not done again.

    StoreError when the folder cannot be written, or when another process evaluates in it.
    """
    _make(given.folder)
    with _alone_in(given.folder):
        return _evaluate(tasks, given, carry, tell)


def _evaluate(
    tasks: Iterable[EvaluationTask | Malformed], given: Evaluation, carry: Carry, tell: Callable[[str], None]
) -> Outcome:
    done = read_lines(given.folder / RESULTS)
    malformed: list[Malformed] = []
    unfinished, stopped = "", False
    try:
        for task in tasks:
            if isinstance(task, Malformed):
                malformed.append(task)
                tell(f"Line {task.line} is left out: {task.why}.")
            else:
                _on_task(task, given, done, (carry, tell))
    except _EndedEarlyError as ended:
        unfinished, stopped = str(ended), isinstance(ended, _StoppedError)
    return Outcome(lines=tuple(done.values()), malformed=tuple(malformed), unfinished=unfinished, stopped=stopped)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be a folder of results: {error.strerror}. Choose another one.") from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Two at once would fill the same projects and spend the same limit twice. What a killed one left counts no more."""
    mark = folder / AT_WORK
    told = mark.read_text("utf-8") if mark.exists() else ""
    other = int(told) if told.isdecimal() else os.getpid()
    if other != os.getpid() and is_alive(other) and is_ours(other):
        raise StoreError(f"Another evaluation is at work in {folder}. Wait for its end, or choose another folder.")
    mark.write_text(str(os.getpid()), "utf-8")
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def _on_task(
    task: EvaluationTask, given: Evaluation, done: dict[Key, Line], by: tuple[Carry, Callable[[str], None]]
) -> None:
    to_do = [way for way in given.ways if not is_done(done.get(key_of(task, way)), way, given)]
    if not to_do:
        return
    for line in _lines(task, to_do, (given, done, by[0])):
        add_line(given.folder / RESULTS, line)
        done[line.key] = line
        by[1](_in_words(line))


def _lines(task: EvaluationTask, to_do: Sequence[Way], state: "_State") -> Iterator[Line]:
    """One for each way, as it comes; documents that make no project are a fault of all."""
    given = state[0]
    try:
        project = _project(task, given.folder)
    except CorpusError as error:
        yield from (replace(_bare(task, way, given), fault=str(error)) for way in to_do)
        return
    with closing(project):
        give_gold(project, task.question, task.gold)
        for way in to_do:
            yield _line(project, task, way, state)


def key_of(task: EvaluationTask, way: Way) -> Key:
    """Under which its result is kept."""
    return task.id, way.method, way.model.model


def is_done(line: Line | None, way: Way, given: Evaluation) -> bool:
    """Whether a task's line of results is what that way would come to again."""
    if line is None or line.fault or not (line.impossible or is_answered(line, way)):
        return False
    return line.impossible or given.judge is None or (line.correct is not None and line.judge == given.judge.model)


def is_answered(line: Line | None, way: Way) -> bool:
    """Whether it tells of an answer by that way, judged or not, so that no method is asked again."""
    if line is None or line.impossible or line.embedding != way.vectors_by:
        return False
    return bool(line.answer) or not line.fault


def _project(task: EvaluationTask, folder: Path) -> Project:
    """The task's project, with its documents. One that was killed while it was filled is made anew."""
    digest = hashlib.sha256(task.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    place = folder / "projects" / f"{project_slug(task.id)[:60]}-{digest}"
    filled = place.with_suffix(".filled")
    if filled.exists():
        return open_project(place)
    if place.exists():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    project = create_project_in(place, task.id[:80])
    task.fill(project)
    filled.touch()
    return project


_State = tuple[Evaluation, dict[Key, Line], Carry]


def _line(project: Project, task: EvaluationTask, way: Way, state: _State) -> Line:
    """What came of the method, judged; a method that fails gives a line with its fault."""
    given, _, carry = state
    line = replace(_bare(task, way, given), input_tokens=sum(one.tokens for one in list_documents(project)))
    if absent := lacks_here(way):
        return replace(line, fault=absent)
    cannot = why_not(project, way, task.question)
    if cannot:
        return replace(line, impossible=True, correct=False, lenient=False, score=0.0, reason=cannot)
    run = _run(project, task, way, state)
    run = _carried(project, run, (given, _besides(project, run, line.key, state), carry))
    if run.state is not RunState.DONE:
        return replace(line, fault=run.error or f"It is {run.state.value}.", paid=paid(project, run.id, given.home))
    return _judged(project, _measured(project, run, line, given.home), run, (given, state[1], carry))


def _bare(task: EvaluationTask, way: Way, given: Evaluation) -> Line:
    return Line(
        task=task.id,
        method=way.method,
        model=way.model.model,
        labels=dict(task.labels),
        gold=task.gold.answer,
        judge=given.judge.model if given.judge else "",
        embedding=way.vectors_by,
    )


def _run(project: Project, task: EvaluationTask, way: Way, state: _State) -> Run:
    choices = choices_for(project, way, task.question)
    reconcile(project)
    found = next((run for run in list_runs(project) if run.settings.method != JUDGE and is_of(run, choices)), None)
    return found or create_run(
        project, task.question, replace(choices, caps=_left(state[0], state[1])), home=state[0].home
    )


def _left(given: Evaluation, done: dict[Key, Line], spent: float = 0.0) -> Caps:
    """What a run may cost that has spent so much already, and is in no line. _EndedEarlyError when that is all there is."""
    if given.most is None:
        return Caps()
    left = given.most - sum(line.paid or 0.0 for line in done.values())
    if left <= spent:
        raise _EndedEarlyError(
            f"{given.most:g} are spent, as much as the evaluation may cost. Start it again with a higher limit; it goes "
            "on where it ended."
        )
    return Caps(money=left)


def _besides(project: Project, run: Run, key: Key, state: _State) -> dict[Key, Line]:
    """All lines, without what this run has spent itself: its limit is on all that it spends, before and from now on."""
    given, done, _ = state
    if key not in done:
        return done
    spent = (done[key].paid or 0.0) - paid(project, run.id, given.home)
    return {**done, key: replace(done[key], paid=max(spent, 0.0))}


def _carried(project: Project, run: Run, state: _State) -> Run:
    """The run at its end. _EndedEarlyError where a limit is reached or a person stopped it."""
    if run.state is RunState.DONE:
        return run
    if run.state is not RunState.QUEUED:
        _take_up(project, run)
        _set_limit(project, run, state)
        requeue(project, run.id)
    state[2](project, run.id)
    run = load_run(project, run.id)
    if run.state in (RunState.PAUSED, RunState.STOPPED):
        ended = _StoppedError if run.state is RunState.STOPPED else _EndedEarlyError
        raise ended(f"{run.error or 'It was stopped.'} Start the evaluation again to go on where it ended.")
    return run


def _take_up(project: Project, run: Run) -> None:
    """Mark a run that was left at work as interrupted. _EndedEarlyError where another process is at it."""
    if not run.state.active:
        return
    if holder(project, run.id)[0] is not None:
        raise _EndedEarlyError(f"The run {run.id} is at work in another process. Wait for it, then start again.")
    set_state(project, run.id, RunState.INTERRUPTED)


def _set_limit(project: Project, run: Run, state: _State) -> None:
    given, done, _ = state
    raise_caps(project, run.id, _left(given, done, paid(project, run.id, given.home)), home=given.home)


def _measured(project: Project, run: Run, line: Line, home: Path) -> Line:
    answer, found = load_answer(project, run.id), measure(project, run, home)
    context, records = representation(project, run)
    return replace(
        line,
        answer=answer.text if answer else "",
        cost=found.cost,
        paid=paid(project, run.id, home),
        currency=found.currency,
        calls=found.calls,
        prompt_tokens=found.usage.prompt,
        output_tokens=found.usage.output,
        input_tokens=input_tokens(project, run),
        context_tokens=context,
        record_tokens=records,
        seconds=round(found.seconds, 3),
    )


def _judged(project: Project, line: Line, run: Run, state: _State) -> Line:
    given, done, carry = state
    if given.judge is None:
        return line
    found = _judging(project, run, given.judge, line.answer)
    line = replace(line, paid=(line.paid or 0.0) + _paid_before(project, run, found, given.home))
    beside = (given, {**done, line.key: line}, carry)
    judging = _carried(project, found or _new_judging(project, run, given.judge, beside), beside)
    line = replace(line, paid=(line.paid or 0.0) + paid(project, judging.id, given.home))
    verdict = verdict_by(project, judging.id)
    if judging.state is not RunState.DONE or verdict is None:
        return replace(line, fault=f"It could not be judged: {judging.error}")
    return replace(line, correct=verdict.correct, lenient=verdict.lenient, score=verdict.score, reason=verdict.reason)


def _judging(project: Project, run: Run, judge: ModelChoice, answer: str) -> Run | None:
    """That judge's run over this answer, against what is held to be right now; one that failed is made anew."""
    case = answer, load_gold(project, run.task.id)
    by_it = (one for one in judgings_of(project, [run.id]) if one.settings.model == judge.model)
    standing = (one for one in by_it if one.state is not RunState.FAILED)
    return next((one for one in standing if to_judge(project, one.id) == case), None)


def _paid_before(project: Project, run: Run, judging: Run | None, home: Path) -> float:
    """What other judgings of this run have cost: by another judge, or that came to nothing."""
    return sum(paid(project, one.id, home) for one in judgings_of(project, [run.id]) if one != judging)


def _new_judging(project: Project, run: Run, judge: ModelChoice, state: _State) -> Run:
    given, done, _ = state
    (judging,) = make_judgings(project, [run.id], judge, home=given.home, caps=_left(given, done))
    return judging


def _in_words(line: Line) -> str:
    what = line.fault or (line.reason if line.impossible else "")
    verdict = {True: "right", False: "not right", None: "not judged"}[line.correct]
    money = f", {line.cost:.4f} {line.currency}" if line.cost is not None and line.currency else ""
    told = what or f"{verdict}{money}, {count_of(line.calls, 'call')}"
    return f"{line.task} · {line.method} · {line.model}: {told}"


def ways_of(methods: Sequence[str], models: Sequence[ModelChoice], embedding: ModelChoice | None) -> tuple[Way, ...]:
    """Every method with every model."""
    return tuple(Way(method=method, model=model, embedding=embedding) for model in models for method in methods)


__all__ = ["Carry", "Evaluation", "Outcome", "evaluate", "is_answered", "is_done", "key_of", "ways_of"]

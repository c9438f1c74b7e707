"""Runs that judge others: the right answers they judge against, and how they are made and started."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.corpora import SampleTask, samples_in
from r3con_core.errors import CorpusError
from r3con_core.jobs import NO_CAPS, ModelChoice, RunChoices, create_run, start_worker
from r3con_core.runs import Caps, Run, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.store.verdicts import begin_judging, load_gold, save_gold
from r3con_core.tasks import make_task
from r3con_core.verdicts import JUDGE, JUDGED, Gold, Rule


def gold_of(task: SampleTask) -> Gold | None:
    """What is right for a question of a sample corpus; None where it comes without."""
    if not task.answer:
        return None
    return Gold(answer=task.answer, rule=Rule(task.rule), notes=task.notes, lenient=task.lenient)


def gold_for(project: Project, question: str) -> Gold | None:
    """What is right for a question: as a person has given it, else as it comes with a sample corpus of the project."""
    task = make_task(question)
    kept = load_gold(project, task.id)
    if kept is not None:
        return kept
    found = (one for sample in samples_in(project) for one in sample.tasks if one.question.strip() == task.text)
    return next((gold for one in found if (gold := gold_of(one))), None)


def give_gold(project: Project, question: str, gold: Gold) -> None:
    """Keep what a person says is right for a question; CorpusError when it says nothing."""
    if not gold.answer.strip():
        raise CorpusError("The right answer is empty. Write it before judging.")
    save_gold(project, make_task(question), gold)


def make_judgings(
    project: Project, run_ids: Sequence[str], judge: ModelChoice, *, home: Path, caps: Caps = NO_CAPS
) -> tuple[Run, ...]:
    """Queued runs, one for each of `run_ids`, that judge their answers.

    StoreError or CorpusError, before any is made, for a run that is not done, has no answer, or judges itself, and for a
    question whose right answer nobody has given.
    """
    cases = [_case(project, run_rows.load_run(project, run_id)) for run_id in run_ids]
    return tuple(_make(project, case, (judge, home, caps)) for case in cases)


_Case = tuple[Run, str, Gold]
"""A run, its answer and the right one."""


def _case(project: Project, run: Run) -> _Case:
    if run.settings.method == JUDGE:
        raise CorpusError("This run judges another one. Choose the run that it judges.")
    answer = load_answer(project, run.id)
    if run.state is not RunState.DONE or answer is None:
        raise CorpusError("Only a run that has come to its answer can be judged. Wait for it, or resume it.")
    gold = gold_for(project, run.task.text)
    if gold is None:
        raise CorpusError("Nobody has said what the right answer to this question is. Give it first, then judge.")
    return run, answer.text, gold


def _make(project: Project, case: _Case, by: tuple[ModelChoice, Path, Caps]) -> Run:
    (judged, answer, gold), (judge, home, caps) = case, by
    choices = RunChoices(
        reading=judge,
        mode=Mode.DIRECT,
        straight_through=True,
        caps=caps,
        method=JUDGE,
        repeat=_failed(project, judged.id, judge.model),
    )
    run = create_run(project, judged.task.text, choices, judged.document_ids, home=home, origin=(judged.id, JUDGED))
    begin_judging(project, run.id, judged.id, answer, gold)
    return run


def _failed(project: Project, run_id: str, model: str) -> int:
    """How often that judge failed at this run: the replies that were no use are kept, and are not to be given again."""
    runs = judgings_of(project, [run_id])
    return sum(one.state is RunState.FAILED and one.settings.model == model for one in runs)


def judgings_of(project: Project, run_ids: Collection[str]) -> list[Run]:
    """Every run that judges one of these, the newest first."""
    return [one for one in run_rows.list_runs(project) if one.parent in run_ids and one.settings.method == JUDGE]


def start_judging(
    project: Project, run_ids: Sequence[str], judge: ModelChoice, *, home: Path, keys: Mapping[str, str] | None = None
) -> tuple[Run, ...]:
    """Make runs that judge these, and start one process that carries them in turn; errors as `make_judgings` has them.

    `keys`: those a person has typed, by place, as `start_worker` takes them.
    """
    runs = make_judgings(project, run_ids, judge, home=home)
    if runs:
        first, *others = (run.id for run in runs)
        start_worker(project, first, home=home, keys=keys, then=others)
    return runs

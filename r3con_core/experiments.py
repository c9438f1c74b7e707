"""Methods side by side on one question: what each would cost, all of them started, and what came of each."""

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from r3con_core.answers import Answer, Mode
from r3con_core.costs import Cost, CostRange, alone, expected_cost, expected_seconds, known_of
from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError
from r3con_core.estimates.estimate import Estimate
from r3con_core.estimates.methods import estimate_method, size_of
from r3con_core.exchange import Usage
from r3con_core.figures import Figure
from r3con_core.home import home_folder
from r3con_core.jobs import RunChoices, check_models, create_run, requeue, start_worker, stop
from r3con_core.methods import METHODS, method_of
from r3con_core.methods.r3con_traces import built_of_records, built_of_rounds, built_of_steps
from r3con_core.methods.seam import Method, Needs, Options, Size, options_of
from r3con_core.overlay import context_of, data_of
from r3con_core.runs import DEFAULT_ROUNDS, R3CON, Run, RunSettings, RunState
from r3con_core.sandbox import code_can_run
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.store.documents import held_documents, list_documents, load_corpus
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run
from r3con_core.store.usage import document_tokens
from r3con_core.store.usage_alone import seconds_alone
from r3con_core.store.verdicts import load_verdict
from r3con_core.tasks import make_task
from r3con_core.traces import Trace
from r3con_core.verdicts import Judged, Verdict

_NO_CLUSTERS = (
    "This method groups texts with scikit-learn, which is not installed. Install it with: "
    "pip install 'r3con-analyst[compare]'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMethod:
    """One method as it would be run, and what that would take."""

    method: Method
    choices: RunChoices
    """With the method, its options, and for R3Con the settings of its variant."""
    estimate: Estimate
    """Empty where it cannot work."""
    cost: CostRange | None
    """None where a price is not known."""
    seconds: Figure | None
    """None where nothing is known of the model's speed."""
    why_not: str
    """Why it cannot work here, in a sentence that says what to do; empty where it can."""
    document_ids: tuple[str, ...]
    """What it would read: those that are not held back, in corpus order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one method."""

    run: Run
    method: Method
    answer: Answer | None
    trace: Trace
    """What it built; of R3Con its rounds, records and steps."""
    cost: Cost | None
    """Of all its calls, those too whose replies were kept from another run; None where a price is not known."""
    tokens: Usage
    """The same in tokens."""
    calls: int
    seconds: float
    """Of all its calls, added up, as if one had come after the other."""
    judged: Judged | None
    fault: str
    """Why there is no answer, in a plain sentence; empty where there is one, or may still be."""
    others: tuple[Run, ...] = ()
    """Its other runs for the same question, the newest first."""

    @property
    def verdict(self) -> Verdict | None:
        """What the newest judge said."""
        return self.judged.verdict if self.judged else None


def plan_methods(  # noqa: PLR0913 - what a comparison is made of, by name
    project: Project,
    question: str,
    choices: RunChoices,
    method_ids: Sequence[str],
    *,
    options: Mapping[str, Options] = {},
    document_ids: Sequence[str] | None = None,
    home: Path | None = None,
) -> tuple[PlannedMethod, ...]:
    """Each of these methods as it would be run; nothing is asked or kept.

    `choices`: models, limits (of each run by itself); `options`: by method, settings other than those scaled to the
    corpus. CorpusError without documents or question, KeyError for a method that does not exist.
    """
    ids = _readable(project, document_ids)
    size = size_of(document_tokens(project, ids), choices.reading.window, make_task(question).text)
    place = home or home_folder()
    return tuple(
        _planned(project, chosen_for(choices, method_of(one), size, options.get(one)), (ids, size), place)
        for one in method_ids
    )


def _readable(project: Project, document_ids: Sequence[str] | None) -> tuple[str, ...]:
    held = held_documents(project)
    wanted = None if document_ids is None else frozenset(document_ids)
    ids = tuple(one.id for one in list_documents(project) if wanted is None or one.id in wanted)
    readable = tuple(one for one in ids if one not in held)
    if not readable:
        raise CorpusError("There is no document that models may read. Add some, or release those that are held back.")
    return readable


def chosen_for(choices: RunChoices, method: Method, size: Size, options: Options | None = None) -> RunChoices:
    """`choices` with all that makes them this method's; it goes straight through, without waiting for a person.

    A model of vectors is kept only for a method that wants them: no other sends it anything, or costs what it costs.
    """
    plain = replace(
        choices,
        method=method.id,
        options=options_of(method.settings(size), options),
        embedding=choices.embedding if Needs.EMBEDDING in method.needs else None,
        rounds=DEFAULT_ROUNDS,
        mode=Mode.CODING,
        relevance=True,
        structure=True,
        straight_through=True,
        between_rounds=False,
    )
    if method.plan is not None:
        return plain
    adapted = method.adapt(replace(plain, method=R3CON, options=()).settings())
    return replace(
        plain,
        method=R3CON,
        options=(),
        rounds=adapted.rounds,
        mode=adapted.mode,
        relevance=adapted.relevance,
        structure=adapted.structure,
    )


def _planned(project: Project, choices: RunChoices, work: tuple[tuple[str, ...], Size], home: Path) -> PlannedMethod:
    ids, size = work
    method = which(choices.settings())
    assert method is not None, "it was chosen for one"
    why_not = method.why_not(size) or lacks(method)
    known = known_of(project, choices.reading, home)
    estimate = Estimate(parts=()) if why_not else estimate_method(method, size, choices.settings(), known)
    models = (choices.reading, choices.reasoning, home)
    return PlannedMethod(
        method=method,
        choices=choices,
        estimate=estimate,
        cost=expected_cost(estimate, *models, embedding=choices.vectors),
        seconds=expected_seconds(estimate, *models),
        why_not=why_not,
        document_ids=ids,
    )


def lacks(method: Method) -> str:
    """What is not here that it cannot do without; R3Con's own ways do without a sandbox where they must."""
    if Needs.CLUSTERING in method.needs and importlib.util.find_spec("sklearn") is None:
        return _NO_CLUSTERS
    if Needs.CODE in method.needs and method.plan is not None and (cannot := code_can_run()):
        return cannot
    return ""


def which(settings: RunSettings) -> Method | None:
    """The method of a run; of R3Con the way of running it that its settings are. None where they are none of them."""
    if settings.method != R3CON:
        return next((one for one in METHODS if one.id == settings.method), None)
    return next((one for one in METHODS if one.plan is None and _shape(one.adapt(_PLAIN)) == _shape(settings)), None)


_PLAIN = RunSettings(model="any")


def _shape(settings: RunSettings) -> tuple[object, ...]:
    """All of R3Con's settings that make another way of running it."""
    mode = settings.mode if settings.structure else None
    return settings.rounds_read, mode, settings.structure


def start_methods(
    project: Project, question: str, planned: Iterable[PlannedMethod], *, home: Path, keys: Mapping[str, str]
) -> tuple[Run, ...]:
    """Queued runs of those that can work, and one process that carries them one after the other.

    The keys, by place, are given to that process alone. R3ConError where a model is not there or a limit cannot hold.
    """
    runs = queue_methods(project, question, planned, home=home)
    carry_on(project, [run.id for run in runs], home=home, keys=keys)
    return tuple(load_run(project, run.id) for run in runs)


def queue_methods(project: Project, question: str, planned: Iterable[PlannedMethod], *, home: Path) -> tuple[Run, ...]:
    """The same runs without the process. CorpusError where none can work."""
    able = [one for one in planned if not one.why_not]
    if not able:
        raise CorpusError("None of these methods can work here. Each says why; choose others, or another model.")
    for one in able:
        check_models(one.choices, home)
    return tuple(create_run(project, question, one.choices, one.document_ids, home=home) for one in able)


_GOES_ON = frozenset({RunState.STOPPED, RunState.FAILED, RunState.INTERRUPTED, RunState.PAUSED})


def carry_on(project: Project, run_ids: Sequence[str], *, home: Path, keys: Mapping[str, str]) -> None:
    """Start one process that carries these runs one after the other; those that ended early go on where they were.

    Runs that are done or at work are left alone.
    """
    for run_id in run_ids:
        if load_run(project, run_id).state in _GOES_ON:
            requeue(project, run_id)
    queued = [run_id for run_id in run_ids if load_run(project, run_id).state is RunState.QUEUED]
    if queued:
        start_worker(project, queued[0], home=home, keys=keys, then=queued[1:])


def stop_methods(project: Project, run_ids: Sequence[str]) -> None:
    """Take those that wait out of their line, and ask the one at work to stop after the calls in flight."""
    for run_id in reversed(run_ids):
        if load_run(project, run_id).state.active:
            stop(project, run_id)


def results_of(project: Project, task_id: str, home: Path | None = None, *, run_id: str = "") -> tuple[Result, ...]:
    """The newest run of each method for a question, in the order in which methods are offered; `run_id` before newer ones."""
    runs: dict[str, list[Run]] = {}
    for run in list_runs(project):
        method = which(run.settings)
        if run.task.id == task_id and not run.parent and not run.settings.repeat and method is not None:
            runs.setdefault(method.id, []).append(run)
    corpora: dict[tuple[str, ...], Corpus] = {}
    found = []
    for method in METHODS:
        if own := runs.get(method.id):
            run = next((one for one in own if one.id == run_id), own[0])
            result = _result(project, run, method, corpora, home or home_folder())
            found.append(replace(result, others=tuple(one for one in own if one is not run)))
    return tuple(found)


def _result(project: Project, run: Run, method: Method, corpora: dict[tuple[str, ...], Corpus], home: Path) -> Result:
    used = alone(project, run.id, home)
    return Result(
        run=run,
        method=method,
        answer=load_answer(project, run.id) if run.state is RunState.DONE else None,
        trace=load_built(project, run.id) if run.settings.method != R3CON else _trace(project, run, corpora),
        cost=used.cost,
        tokens=used.tokens,
        calls=used.calls,
        seconds=seconds_alone(project, run.id),
        judged=load_verdict(project, run.id),
        fault=run.error if run.state is not RunState.DONE else "",
    )


def trace_of(project: Project, run: Run) -> Trace:
    """What a run built, of whatever method."""
    return load_built(project, run.id) if run.settings.method != R3CON else _trace(project, run, {})


def _trace(project: Project, run: Run, corpora: dict[tuple[str, ...], Corpus]) -> Trace:
    """Of a run of R3Con, from what is kept of its stages."""
    if run.document_ids not in corpora:
        corpora[run.document_ids] = load_corpus(project, run.document_ids)
    corpus, data, answer = corpora[run.document_ids], data_of(project, run.id), load_answer(project, run.id)
    structured = data is not None and run.settings.structure
    return (
        *built_of_rounds(corpus, context_of(project, run.id)),
        *((built_of_records(corpus, data),) if structured and data is not None else ()),
        *built_of_steps(answer.steps if answer else ()),
    )

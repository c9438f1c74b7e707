"""Runs in their own processes: start, stop, resume, and notice the dead.

A run belongs to no screen: it is started as `python -m r3con_core.worker FOLDER RUN_ID` in a session of its own, and
all it does is in the project's store. "Waiting for the schema" is a state; the worker has exited then.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.caps import Rates, check_above, in_currency, spent_of
from r3con_core.changes import Entry, Steer
from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError, StoppedError, StoreError
from r3con_core.home import home_folder
from r3con_core.methods import sends_itself
from r3con_core.models import (
    FREE,
    LOCAL_VECTORS,
    LOCAL_WINDOW,
    Endpoint,
    Prices,
    Sources,
    can_make_vectors,
    endpoint_for,
    find_keys,
    find_model,
    host_of,
    local_model,
    price_of,
)
from r3con_core.overlay import steering_now
from r3con_core.processes import end_process, is_alive, start_apart
from r3con_core.progress import progress_of
from r3con_core.runs import DEFAULT_ROUNDS, R3CON, Caps, Guidance, Layout, Run, RunSettings, RunState
from r3con_core.steering import check_steer
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store.caps import save_caps
from r3con_core.store.changes import add_change
from r3con_core.store.codec import dump, load
from r3con_core.store.documents import load_corpus
from r3con_core.store.lines import leave_line
from r3con_core.store.liveness import shows_life
from r3con_core.store.project import Project
from r3con_core.store.steering import pass_round, rounds_passed
from r3con_core.tasks import make_task
from r3con_core.team import check_address

EMBEDDED = "embedded"
"""The base address of a model that runs inside the worker."""
EMBEDDED_WINDOW = 8192
SECONDS_TO_DIE = 5.0
NO_CAPS = Caps()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model, reached how; never a key."""

    model: str
    base_url: str = EMBEDDED
    window: int = EMBEDDED_WINDOW
    workers: int = 1
    """Calls at once."""

    @property
    def host(self) -> str:
        """Where text is sent, in words."""
        return "this computer" if self.base_url == EMBEDDED else host_of(self.base_url)

    @property
    def local(self) -> bool:
        """On this computer or this network; EndpointError when its address cannot be one."""
        return self.base_url == EMBEDDED or self.endpoint().local

    @property
    def guidance(self) -> Guidance:
        """The bundled local models are small ones; all others are told the task."""
        small = self.base_url == EMBEDDED and local_model(self.model) is not None
        return Guidance.FOCUS if small else Guidance.TASK

    def endpoint(self) -> Endpoint:
        """How it is reached over HTTP; only for choices with an address."""
        return endpoint_for(self.model, self.base_url, window=self.window, workers=self.workers)


LOCAL_CHOICE = ModelChoice(model=LOCAL_VECTORS, window=LOCAL_WINDOW)
"""The model of vectors on this computer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoices:
    """What a person chooses before starting."""

    reading: ModelChoice
    reasoning: ModelChoice | None = None
    """For schema and reasoning; None: the same model."""
    rounds: int = DEFAULT_ROUNDS
    mode: Mode = Mode.CODING
    straight_through: bool = False
    between_rounds: bool = False
    """Wait for a person after every round but the last."""
    layout: Layout = Layout.SHARED
    caps: Caps = NO_CAPS
    """What the run may use before it pauses; its money is in the currency of the models' prices."""
    relevance: bool = True
    structure: bool = True
    repeat: int = 0
    """As in the run's settings."""
    method: str = R3CON
    options: tuple[tuple[str, float], ...] = ()
    """Both as in the run's settings."""
    embedding: ModelChoice | None = None
    """For vectors of texts; None: made on this computer."""

    def settings(self) -> RunSettings:
        """What of it shapes the output."""
        return RunSettings(
            model=self.reading.model,
            window=self.reading.window,
            reasoning_model=self.reasoning.model if self.reasoning else "",
            reasoning_window=self.reasoning.window if self.reasoning else 0,
            rounds=self.rounds,
            mode=self.mode,
            guidance=self.reading.guidance,
            layout=self.layout,
            relevance=self.relevance and self.method == R3CON,  # other methods make neither
            structure=self.structure and self.method == R3CON,
            repeat=self.repeat,
            method=self.method,
            options=self.options,
            embedding=self.embedding.model if self.embedding else "",
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every place text is sent to."""
        asked = tuple(choice.host for choice in (self.reading, self.reasoning, self.embedding) if choice is not None)
        return sends_itself(self.method) or tuple(dict.fromkeys(asked))

    @property
    def vectors(self) -> ModelChoice | None:
        """What makes vectors of texts, here and now; None where that is words alone, and for R3Con, which wants none."""
        return None if self.method == R3CON else self.embedding or (LOCAL_CHOICE if can_make_vectors() else None)


def create_run(  # noqa: PLR0913 - what a run is made of, by name
    project: Project,
    question: str,
    choices: RunChoices,
    document_ids: tuple[str, ...] | None = None,
    *,
    home: Path | None = None,
    origin: tuple[str, str] = ("", ""),
) -> Run:
    """A queued run over all documents, or the given ones; refused before anything is asked when it could not work.

    The prices in force are kept with it: those set in `home` (None: where this product keeps all else), then the
    table's. R3ConError for a limit in money where they are not known. `origin`: the run it begins from, and what it is
    to it.
    """
    task = make_task(question)
    corpus = load_corpus(project, document_ids)
    if not corpus.documents:
        raise CorpusError("This project has no documents yet. Add some before asking a question.")
    rates = rates_now(choices.reading, choices.reasoning, home or home_folder(), choices.embedding)
    caps = in_currency(choices.caps, rates)
    run = run_rows.create_run(
        project,
        task=task,
        document_ids=tuple(document.id for document in corpus.documents),
        settings=replace(choices.settings(), seal=run_rows.seal_for(project, origin[0])),
        waits=(choices.between_rounds, not choices.straight_through),
        endpoints=_endpoints(choices, rates),
        origin=origin,
    )
    save_caps(project, run.id, caps)
    return run


def _endpoints(choices: RunChoices, rates: Rates) -> dict[str, str]:
    """How the models are reached again, and what they cost when the run was made; "" where nobody has said."""
    return {
        "host": ", ".join(choices.hosts),
        "reading": json.dumps(asdict(choices.reading)),
        "reasoning": json.dumps(asdict(choices.reasoning)) if choices.reasoning else "",
        "embedding": json.dumps(asdict(choices.vectors)) if choices.vectors else "",
        "prices_embedding": dump(rates.embedding, Prices) if choices.embedding and rates.embedding else "",
        "prices_reading": dump(rates.reading, Prices) if rates.reading else "",
        "prices_reasoning": dump(rates.reasoning, Prices) if rates.reasoning else "",
    }


def rates_now(
    reading: ModelChoice, reasoning: ModelChoice | None, home: Path, embedding: ModelChoice | None = None
) -> Rates:
    """What the models cost now; vectors made on this computer cost nothing. EndpointError for an impossible address."""
    read = _price_now(reading, home)
    made = _price_now(embedding, home) if embedding else FREE
    return Rates(reading=read, reasoning=_price_now(reasoning, home) if reasoning else read, embedding=made)


def _price_now(choice: ModelChoice, home: Path) -> Prices | None:
    return FREE if choice.base_url == EMBEDDED else price_of(choice.endpoint(), home)


def rates_of(project: Project, run_id: str, home: Path) -> Rates:
    """What a run's models cost when it was made, so that what it cost stays the same; else what they cost now."""
    kept = run_rows.endpoints_of(project, run_id)
    reading, reasoning = choices_of(project, run_id)
    embedding = embedding_of(project, run_id)
    return Rates(
        reading=_kept_prices(kept.get("prices_reading")) or _price_now(reading, home),
        reasoning=_kept_prices(kept.get("prices_reasoning")) or _price_now(reasoning or reading, home),
        embedding=_kept_prices(kept.get("prices_embedding")) or (_price_now(embedding, home) if embedding else FREE),
    )


def _kept_prices(text: str | None) -> Prices | None:
    prices: Prices | None = load(text, Prices) if text else None
    return prices


LEFT = "Left at its limit. Everything finished is kept; raise the limit to go on."


def leave(project: Project, run_id: str) -> None:
    """Let a paused run be: it counts as stopped, and can still go on under a higher limit. StoreError unless paused."""
    state = run_rows.load_run(project, run_id).state
    if state is not RunState.PAUSED:
        raise StoreError(f"The run is {state.value}: only one that has paused can be left.")
    run_rows.set_state(project, run_id, RunState.STOPPED, error=LEFT)


_MAY_BE_RAISED = frozenset(RunState) - {RunState.DONE, *(state for state in RunState if state.active)}


def raise_caps(project: Project, run_id: str, caps: Caps, *, home: Path | None = None) -> None:
    """Set what a run may use from now on; the run itself stays as it is.

    StoreError while it is at work or done, R3ConError for a limit that is not above what is used already.
    """
    state = run_rows.load_run(project, run_id).state
    if state not in _MAY_BE_RAISED:
        raise StoreError(f"The run is {state.value}: its limits can be changed when it has paused, stopped or failed.")
    rates = rates_of(project, run_id, home or home_folder())
    caps = in_currency(caps, rates)
    check_above(caps, spent_of(project, run_id, rates))
    save_caps(project, run_id, caps)


def choices_of(project: Project, run_id: str) -> tuple[ModelChoice, ModelChoice | None]:
    """The models of a run: for reading, and for reasoning when that is another one."""
    kept = run_rows.endpoints_of(project, run_id)
    reasoning = kept.get("reasoning")
    return ModelChoice(**json.loads(kept["reading"])), ModelChoice(**json.loads(reasoning)) if reasoning else None


def embedding_of(project: Project, run_id: str) -> ModelChoice | None:
    """What makes vectors of texts for a run; None where it compares words alone, or wants no vectors."""
    kept = run_rows.endpoints_of(project, run_id).get("embedding")
    return ModelChoice(**json.loads(kept)) if kept else None


def check_models(choices: RunChoices, home: Path) -> None:
    """ModelFileError when an embedded model's file is not on this computer yet, or is damaged.

    EndpointError for a server that the team of this app may not use.
    """
    for choice in filter(None, (choices.reading, choices.reasoning, choices.embedding)):
        check_address(choice.base_url)
        if choice.base_url == EMBEDDED and choice != LOCAL_CHOICE:
            find_model(choice.model, home)


def start_worker(
    project: Project, run_id: str, *, home: Path, keys: Mapping[str, str] | None = None, then: Sequence[str] = ()
) -> int:
    """Start the run's worker process; its process number. It carries the runs `then` after it, one after the other.

    It is given the keys of the runs' own addresses, by a pipe: of `keys`, which a person has typed, by place, and of
    those that are found here. None is stored.
    """
    log, given = project.folder / f"{run_id}.log", dict[str, str]()
    for each in (run_id, *then):
        given |= keys_of_run(project, each, home=home, typed=keys or {})
    arguments = [str(project.folder), run_id, *then]
    return start_apart("r3con_core.worker", arguments, log, environment={"R3CON_HOME": str(home)}, given=given)


def keys_of_run(project: Project, run_id: str, *, home: Path, typed: Mapping[str, str]) -> dict[str, str]:
    """The keys for the addresses of a run, by place: of those typed, and of those found here; no others."""
    addresses = addresses_of(*choices_of(project, run_id), embedding_of(project, run_id))
    return {place: key.letters for place, key in find_keys(addresses, Sources(home=home, typed=typed)).items()}


def addresses_of(*choices: ModelChoice | None) -> tuple[str, ...]:
    """The base addresses at which these models are asked; an embedded one has none."""
    there = [choice.base_url for choice in choices if choice is not None and choice.base_url != EMBEDDED]
    return tuple(dict.fromkeys(there))


def requeue(project: Project, run_id: str) -> None:
    """Make a run that ended early, paused, or waits with an accepted schema, ready for a worker again."""
    run_rows.set_state(project, run_id, RunState.QUEUED)


_MAY_BE_STEERED = frozenset(RunState) - {state for state in RunState if state.active}


def steer(project: Project, run_id: str, change: Steer, *, author: str, note: str = "") -> Entry:
    """Keep one change of how the run's rounds are read; it is taken in when the run is carried on.

    StoreError while the run is at work, R3ConError for a change that cannot be made.
    """
    run = _steerable(project, run_id)
    check_steer(change, steering_now(project, run), run.document_ids)
    return add_change(project, run_id, change, author=author, note=note)


def _steerable(project: Project, run_id: str) -> Run:
    run = run_rows.load_run(project, run_id)
    if run.state not in _MAY_BE_STEERED:
        raise StoreError(f"The run is {run.state.value}. Stop it, or wait for its end; then it can be steered.")
    return run


def go_on(project: Project, run_id: str) -> None:
    """Queue a run that waits between two rounds for the next one; StoreError when it does not wait there."""
    run = run_rows.load_run(project, run_id)
    if run.state is not RunState.BETWEEN:
        raise StoreError(f"The run is {run.state.value}: it does not wait between two rounds.")
    requeue(project, run_id)
    pass_round(project, run_id, rounds_passed(project, run_id) + 1)


def apply_steering(project: Project, run_id: str) -> None:
    """Queue the run so that what people's changes touch is read again; all else is answered from the call log.

    An accepted schema stays, but a run that does not go straight through waits for a person before it parses again. One
    that waits between two rounds stays there. StoreError while it is at work.
    """
    run = _steerable(project, run_id)
    requeue(project, run_id)
    if run.state is not RunState.BETWEEN:
        pass_round(project, run_id, progress_of(project, run_id).rounds_done)


def accept_and_queue(project: Project, run_id: str) -> Corpus:
    """Accept the newest schema and queue the run for parsing; the corpus it will be parsed from."""
    schema_rows.newest_schema(project, run_id)
    requeue(project, run_id)
    schema_rows.accept_schema(project, run_id)
    return load_corpus(project, run_rows.load_run(project, run_id).document_ids)


def reconcile(project: Project) -> None:
    """Mark runs whose worker has died as interrupted, or as stopped where a person asked for it."""
    for run in run_rows.list_runs(project):
        if not run.state.active:
            continue
        pid, heartbeat = run_rows.holder(project, run.id)
        quiet = heartbeat is not None and not shows_life(heartbeat)
        if (pid is not None and not is_alive(pid)) or quiet:
            _mark_ended(project, run)


_INTERRUPTED = "The run's process ended before it was done. Everything finished is kept; resume to go on."


def _mark_ended(project: Project, run: Run) -> None:
    stopped = run_rows.stop_asked(project, run.id)
    state, why = (RunState.STOPPED, str(StoppedError())) if stopped else (RunState.INTERRUPTED, _INTERRUPTED)
    try:
        run_rows.set_state(project, run.id, state, error=why)
    except StoreError:
        return  # it came to its own end in the meantime
    run_rows.release_run(project, run.id)


def stop(project: Project, run_id: str) -> None:
    """Ask the run to stop after the calls in flight; one that waits in line for others stops at once."""
    if not leave_line(project, run_id):
        run_rows.ask_to_stop(project, run_id)


def stop_now(project: Project, run_id: str) -> None:
    """End the run's process at once; calls in flight are lost, nothing else.

    Runs that waited in line for it are interrupted, and can go on.
    """
    if leave_line(project, run_id):
        return
    run_rows.ask_to_stop(project, run_id)
    pid, _ = run_rows.holder(project, run_id)
    end_process(pid, seconds=SECONDS_TO_DIE)
    reconcile(project)

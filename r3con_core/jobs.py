"""Runs in their own processes: start, stop, resume, and notice the dead.

A run belongs to no screen: it is started as `python -m r3con_core.worker FOLDER RUN_ID` in a session of its own, and
all it does is in the project's store. "Waiting for the schema" is a state; the worker has exited then.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError, StoreError
from r3con_core.models import Endpoint, endpoint_for, find_model, host_of, local_model
from r3con_core.processes import end_process, is_alive
from r3con_core.runs import DEFAULT_ROUNDS, Guidance, Run, RunSettings, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import Project
from r3con_core.tasks import make_task

EMBEDDED = "embedded"
"""The base address of a model that runs inside the worker."""
EMBEDDED_WINDOW = 8192
SECONDS_TO_DIE = 5.0


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
    def guidance(self) -> Guidance:
        """The bundled local models are small ones; all others are told the task."""
        small = self.base_url == EMBEDDED and local_model(self.model) is not None
        return Guidance.FOCUS if small else Guidance.TASK

    def endpoint(self) -> Endpoint:
        """How it is reached over HTTP; only for choices with an address."""
        return endpoint_for(self.model, self.base_url, window=self.window, workers=self.workers)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoices:
    """What a person chooses before starting."""

    reading: ModelChoice
    reasoning: ModelChoice | None = None
    """For schema and reasoning; None: the same model."""
    rounds: int = DEFAULT_ROUNDS
    mode: Mode = Mode.CODING
    straight_through: bool = False

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
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every place text is sent to."""
        both = [self.reading, *([self.reasoning] if self.reasoning else [])]
        return tuple(dict.fromkeys(choice.host for choice in both))


def create_run(
    project: Project, question: str, choices: RunChoices, document_ids: tuple[str, ...] | None = None
) -> Run:
    """A queued run over all documents, or the given ones; refused before anything is asked when it could not work."""
    task = make_task(question)
    corpus = load_corpus(project, document_ids)
    if not corpus.documents:
        raise CorpusError("This project has no documents yet. Add some before asking a question.")
    endpoints = {
        "host": ", ".join(choices.hosts),
        "reading": json.dumps(asdict(choices.reading)),
        "reasoning": json.dumps(asdict(choices.reasoning)) if choices.reasoning else "",
    }
    return run_rows.create_run(
        project,
        task=task,
        document_ids=tuple(document.id for document in corpus.documents),
        settings=choices.settings(),
        straight_through=choices.straight_through,
        endpoints=endpoints,
    )


def choices_of(project: Project, run_id: str) -> tuple[ModelChoice, ModelChoice | None]:
    """The models of a run: for reading, and for reasoning when that is another one."""
    kept = run_rows.endpoints_of(project, run_id)
    reasoning = kept.get("reasoning")
    return ModelChoice(**json.loads(kept["reading"])), ModelChoice(**json.loads(reasoning)) if reasoning else None


def check_models(choices: RunChoices, home: Path) -> None:
    """ModelFileError when an embedded model's file is not on this computer yet, or is damaged."""
    for choice in (choices.reading, choices.reasoning):
        if choice is not None and choice.base_url == EMBEDDED:
            find_model(choice.model, home)


def start_worker(project: Project, run_id: str, *, home: Path, keys: Mapping[str, str] | None = None) -> int:
    """Start the run's worker process; its process number. `keys` (environment) go to it alone and are not stored."""
    log = (project.folder / f"{run_id}.log").open("ab")
    with log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "r3con_core.worker", str(project.folder), run_id],
            env={**os.environ, **(keys or {}), "R3CON_HOME": str(home)},
            cwd=Path(__file__).parents[1],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return worker.pid


def requeue(project: Project, run_id: str) -> None:
    """Make a run that ended early, or waits with an accepted schema, ready for a worker again."""
    run_rows.set_state(project, run_id, RunState.QUEUED)


def accept_and_queue(project: Project, run_id: str) -> Corpus:
    """Accept the newest schema and queue the run for parsing; the corpus it will be parsed from."""
    schema_rows.newest_schema(project, run_id)
    requeue(project, run_id)
    schema_rows.accept_schema(project, run_id)
    return load_corpus(project, run_rows.load_run(project, run_id).document_ids)


def reconcile(project: Project) -> None:
    """Mark runs whose worker has died as interrupted."""
    for run in run_rows.list_runs(project):
        if not run.state.active:
            continue
        pid, heartbeat = run_rows.holder(project, run.id)
        quiet = heartbeat is not None and time.time() - heartbeat > run_rows.HEARTBEAT_LIMIT
        if (pid is not None and not is_alive(pid)) or quiet:
            _mark_interrupted(project, run)


def _mark_interrupted(project: Project, run: Run) -> None:
    try:
        run_rows.set_state(
            project,
            run.id,
            RunState.INTERRUPTED,
            error="The run's process ended before it was done. Everything finished is kept; resume to go on.",
        )
    except StoreError:
        return  # it came to its own end in the meantime
    run_rows.release_run(project, run.id)


def stop(project: Project, run_id: str) -> None:
    """Ask the run to stop after the calls in flight."""
    run_rows.ask_to_stop(project, run_id)


def stop_now(project: Project, run_id: str) -> None:
    """End the run's process at once; calls in flight are lost, nothing else."""
    pid, _ = run_rows.holder(project, run_id)
    end_process(pid, seconds=SECONDS_TO_DIE)
    reconcile(project)

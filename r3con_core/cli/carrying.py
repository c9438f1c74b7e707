"""A run carried in this process, with its progress on standard error."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from r3con_core.cli.commands import INTERRUPTED
from r3con_core.cli.places import run_words
from r3con_core.cli.screen import ProgressLine, tell
from r3con_core.errors import R3ConError, StoreError
from r3con_core.figures import count_of
from r3con_core.home import home_folder
from r3con_core.jobs import stop
from r3con_core.opening import OpenModel, Serve, open_model
from r3con_core.progress import Progress, progress_of
from r3con_core.runs import Run, RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run, release_run, set_state
from r3con_core.worker import work

_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 30.0
"""Between lines of one stage, where lines cannot be written over."""


@dataclass(slots=True)
class _Carrying:
    """What the thread that carries the run tells the main one.

    The thread itself is not joined: a Ctrl-C during `join` makes Python before 3.13 take it for ended.
    """

    ended: threading.Event = field(default_factory=threading.Event)
    error: R3ConError | None = None


def carry_here(project: Project, run_id: str, keys: Mapping[str, str], serve: Serve | None = None) -> Run:
    """Carry a queued run to where it ends or waits, with these keys, by place; the run as it is then.

    `serve` starts an embedded server that several runs share.
    Ctrl-C asks it to stop after the calls in flight; a second one ends the process, with exit code 130.
    """
    carrying = _start(project, run_id, partial(open_model, keys=keys, serve=serve))
    line = ProgressLine()
    try:
        _watch(project, run_id, carrying.ended, line)
    except KeyboardInterrupt:
        line.end()
        tell("Stopping after the calls in flight. Ctrl-C again ends at once; finished calls are kept either way.")
        stop(project, run_id)
        _watch_or_leave(project, run_id, carrying.ended, line)
    line.end()
    if carrying.error is not None:
        raise carrying.error
    return load_run(project, run_id)


def _start(project: Project, run_id: str, opening: OpenModel) -> _Carrying:
    carrying = _Carrying()

    def carry() -> None:
        try:
            work(project, run_id, home_folder(), opening)
        except R3ConError as error:
            carrying.error = error  # raised again in the main thread
        finally:
            project.close()
            carrying.ended.set()

    threading.Thread(target=carry, name="run", daemon=True).start()
    return carrying


def _watch(project: Project, run_id: str, ended: threading.Event, line: ProgressLine) -> None:
    shown, since = "", 0.0
    while not ended.is_set():
        text = stage_text(progress_of(project, run_id))
        stage = text.partition(":")[0]
        milestone = stage != shown or time.monotonic() - since > _QUIET_SECONDS
        line.show(text, milestone=milestone)
        shown, since = stage, time.monotonic() if milestone else since
        ended.wait(_LOOK_SECONDS)


def _watch_or_leave(project: Project, run_id: str, ended: threading.Event, line: ProgressLine) -> None:
    try:
        _watch(project, run_id, ended, line)
    except KeyboardInterrupt:
        line.end()
        _mark_interrupted(project, run_id)
        tell(f"Interrupted. Go on with: r3con resume {run_words(project, run_id)}")
        sys.stdout.flush()
        os._exit(INTERRUPTED)  # threads that wait for a model would keep the process


def _mark_interrupted(project: Project, run_id: str) -> None:
    with contextlib.suppress(StoreError):  # it came to its own end in the meantime
        set_state(project, run_id, RunState.INTERRUPTED, error="Interrupted. Everything finished is kept.")
    release_run(project, run_id)


def stage_text(progress: Progress) -> str:
    """Where a run stands, in one line."""
    run, documents = progress.run, len(progress.run.document_ids)
    calls = count_of(progress.calls, "call") + (f", {progress.reused:,} kept from before" if progress.reused else "")
    match run.state:
        case RunState.QUEUED:
            return "Starting"
        case RunState.RELEVANCE:
            reading = next((r for r in progress.rounds if r.done < r.documents), progress.rounds[-1])
            failed = f", {reading.failed:,} failed" if reading.failed else ""
            number = f"Round {reading.number} of {len(progress.rounds)}"
            text = f"{number}: {reading.done:,} of {documents:,} documents{failed}"
        case RunState.PARSING:
            text = f"Parsing: {progress.parsed:,} of {documents:,} documents"
        case _:
            text = run.state.value.capitalize()
    return f"{text} ({calls if progress.calls else progress.note or calls})"

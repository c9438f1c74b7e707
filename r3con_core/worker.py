"""The process of one run: `python -m r3con_core.worker PROJECT_FOLDER RUN_ID`; keys come by its standard input.

With several ids it carries these runs one after the other, and starts a model that runs inside it only once.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from r3con_core import egress
from r3con_core.answers import Mode
from r3con_core.caps import Meter, paused_text, spent_of
from r3con_core.errors import LimitReachedError, R3ConError, StoppedError
from r3con_core.estimates.calibration import learn_from
from r3con_core.exchange import Ask
from r3con_core.home import home_folder
from r3con_core.jobs import ModelChoice, rates_of
from r3con_core.opening import Opened, Opening, OpenModel, Servers, Signals, equipment_of, models_of, open_model
from r3con_core.processes import GIVEN, allow_many_files, beating, last_resort, take_given
from r3con_core.progress import progress_of
from r3con_core.run import carry
from r3con_core.runs import RunState
from r3con_core.sandbox import code_can_run
from r3con_core.store import runs as run_rows
from r3con_core.store.caps import load_caps
from r3con_core.store.lines import take_turn, wait_in_line
from r3con_core.store.project import Project, open_project

BEAT_SECONDS = 5.0


def work(project: Project, run_id: str, home: Path, opening: OpenModel = open_model) -> RunState:
    """Claim the run and carry it; the state it ends in. Another worker's run is left alone.

    What a run that is done says about its model is kept in `home`, for the next estimate.
    """
    allow_many_files()
    if not run_rows.claim_run(project, run_id, os.getpid()):
        return run_rows.load_run(project, run_id).state
    return _work(project, run_id, home, opening)


def work_in_line(
    project: Project, run_ids: Sequence[str], home: Path, opening: OpenModel = open_model
) -> tuple[RunState, ...]:
    """Claim all of these runs and carry each in its turn; the states they end in.

    Those that wait are alive as long as this process is; when it dies they are interrupted, like the one at work, and
    can go on. One that fails, pauses or is stopped leaves the turn to the next.
    """
    allow_many_files()
    waiting = [run_id for run_id in run_ids if wait_in_line(project, run_id, os.getpid())]

    def beat() -> None:
        for run_id in tuple(waiting):
            run_rows.beat(project, run_id)

    with beating(beat, project.close, seconds=BEAT_SECONDS):
        for run_id in tuple(waiting):
            if take_turn(project, run_id):
                _work(project, run_id, home, opening)
            waiting.remove(run_id)
    return tuple(run_rows.load_run(project, run_id).state for run_id in run_ids)


def _work(project: Project, run_id: str, home: Path, opening: OpenModel) -> RunState:
    """Carry a run that this process has claimed; the state it ends in."""

    def failed(why: str) -> None:
        run_rows.set_state(project, run_id, RunState.FAILED, error=why)

    def opened(choice: ModelChoice, signals: Signals) -> Ask:
        return stack.enter_context(opening(choice, home, signals))

    log = project.folder / f"{run_id}.log"
    with beating(lambda: run_rows.beat(project, run_id), project.close, seconds=BEAT_SECONDS), ExitStack() as stack:
        try:
            with last_resort(log, failed):
                _carry(project, run_id, home, opened)
        except StoppedError as error:
            run_rows.set_state(project, run_id, RunState.STOPPED, error=str(error))
        except R3ConError as error:
            failed(str(error))
        finally:
            run_rows.release_run(project, run_id)
    state = run_rows.load_run(project, run_id).state
    if state is RunState.DONE:
        learn_from(project, run_id, home)
    return state


def _carry(project: Project, run_id: str, home: Path, opened: Opened) -> None:
    """Carry the run under its caps; a limit that is reached pauses it once the calls in flight are in."""
    rates = rates_of(project, run_id, home)
    meter = Meter(load_caps(project, run_id), rates, spent_of(project, run_id, rates))
    if run_rows.load_run(project, run_id).settings.mode is Mode.CODING:
        threading.Thread(target=code_can_run).start()  # tries its walls while models are waited for
    by = Opening(
        meter=meter,
        opened=opened,
        should_stop=lambda: run_rows.stop_asked(project, run_id),
        starting=partial(_starting, project, run_id),
    )
    try:
        carry(project, run_id, models_of(project, run_id, by), equipment_of(project, run_id, by))
    except LimitReachedError:
        why = paused_text(meter.reached[0], progress_of(project, run_id))
        run_rows.set_state(project, run_id, RunState.PAUSED, error=why)


@contextmanager
def _starting(project: Project, run_id: str, choice: ModelChoice) -> Iterator[None]:
    """Say on the screen that the model is started, and then again what was said before."""
    before = run_rows.note_of(project, run_id)
    run_rows.set_note(project, run_id, f"starting {choice.model}")
    yield
    run_rows.set_note(project, run_id, before)


def main() -> int:
    """Carry the runs named on the command line; 0 when all ended as they should."""
    egress.install()
    folder, *run_ids = (word for word in sys.argv[1:] if word != GIVEN)
    keys, project = take_given(sys.argv[3:]), open_project(Path(folder))
    if len(run_ids) == 1:
        states: tuple[RunState, ...] = (work(project, run_ids[0], home_folder(), partial(open_model, keys=keys)),)
    else:
        with Servers() as servers:
            opening = partial(open_model, keys=keys, serve=servers.serve)
            states = work_in_line(project, run_ids, home_folder(), opening)
    return 0 if all(state in _AS_IT_SHOULD for state in states) else 1


_AS_IT_SHOULD = (RunState.DONE, RunState.WAITING, RunState.BETWEEN, RunState.PAUSED, RunState.STOPPED)


if __name__ == "__main__":
    raise SystemExit(main())

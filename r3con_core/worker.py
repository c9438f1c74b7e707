"""The process of one run: `python -m r3con_core.worker PROJECT_FOLDER RUN_ID`; keys come by its standard input."""

import os
import sys
import threading
from collections.abc import Iterator
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
from r3con_core.opening import Opened, Opening, OpenModel, Signals, models_of, open_model
from r3con_core.processes import allow_many_files, beating, last_resort, take_given
from r3con_core.progress import progress_of
from r3con_core.run import carry
from r3con_core.runs import RunState
from r3con_core.sandbox import code_can_run
from r3con_core.store import runs as run_rows
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project, open_project

BEAT_SECONDS = 5.0


def work(project: Project, run_id: str, home: Path, opening: OpenModel = open_model) -> RunState:
    """Claim the run and carry it; the state it ends in. Another worker's run is left alone.

    What a run that is done says about its model is kept in `home`, for the next estimate.
    """
    allow_many_files()
    if not run_rows.claim_run(project, run_id, os.getpid()):
        return run_rows.load_run(project, run_id).state

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
        carry(project, run_id, models_of(project, run_id, by))
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
    """Carry the run named on the command line; 0 when it ended as it should."""
    egress.install()
    folder, run_id = sys.argv[1:3]
    opening = partial(open_model, keys=take_given(sys.argv[3:]))
    state = work(open_project(Path(folder)), run_id, home_folder(), opening)
    return 0 if state in _AS_IT_SHOULD else 1


_AS_IT_SHOULD = (RunState.DONE, RunState.WAITING, RunState.BETWEEN, RunState.PAUSED, RunState.STOPPED)


if __name__ == "__main__":
    raise SystemExit(main())

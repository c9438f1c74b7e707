"""The process of one run: `python -m r3con_core.worker PROJECT_FOLDER RUN_ID`."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.caps import Meter, paused_text, spent_of
from r3con_core.errors import LimitReachedError, R3ConError, StoppedError
from r3con_core.estimates.calibration import learn_from
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, ModelChoice, choices_of, rates_of
from r3con_core.models import connect, find_key, find_model, start_embedded
from r3con_core.models.learnt import keep_learnt, load_learnt
from r3con_core.processes import allow_many_files, beating, last_resort
from r3con_core.progress import progress_of
from r3con_core.run import carry
from r3con_core.runs import RunState
from r3con_core.sandbox import code_can_run
from r3con_core.stages import Models
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import remembering
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project, open_project

BEAT_SECONDS = 5.0
STOP_SECONDS = 1.0
"""Between looks at whether calls that wait for a server are to be ended."""
LOOK_SECONDS = 0.2
"""Between looks at whether a prompt that another run is asking just now has its reply."""


def _no() -> bool:
    return False


def _nothing() -> None:
    """Where nothing needs doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What a model that works for a run is told from outside."""

    should_stop: Callable[[], bool] = _no
    may_send: Callable[[], None] = _nothing
    """Called right before a prompt goes out; what it raises keeps it back."""
    leave: Callable[[], None] = _nothing
    """What a thread does that asked `should_stop` and has ended."""


@contextmanager
def open_model(choice: ModelChoice, home: Path, signals: Signals = Signals()) -> Iterator[Ask]:
    """A way to ask the chosen model: its endpoint, or the embedded server started for as long as it is needed.

    A stop ends calls to a local server within seconds, which frees it; elsewhere they are paid for and awaited.
    """
    with ExitStack() as stack:
        opened = partial(connect, should_stop=signals.should_stop, may_send=signals.may_send)
        if choice.base_url == EMBEDDED:
            server = stack.enter_context(start_embedded(find_model(choice.model, home), window=choice.window))
            model = opened(server.endpoint, server.key)
        else:
            endpoint, key = choice.endpoint(), find_key(choice.base_url, home, os.environ)
            known, keep = load_learnt(home, endpoint), partial(keep_learnt, home, endpoint)
            model = opened(endpoint, key, known, keep)
        stack.callback(model.close)

        def hang_up() -> None:
            if signals.should_stop():
                model.hang_up()

        if choice.local:
            stack.enter_context(beating(hang_up, signals.leave, seconds=STOP_SECONDS))
        yield model


OpenModel = Callable[[ModelChoice, Path, Signals], AbstractContextManager[Ask]]


def late(open_ask: Callable[[], Ask]) -> Ask:
    """A model that is opened at its first call: a run whose replies are all kept opens none."""
    lock = threading.Lock()
    opened: list[Ask] = []

    def ask(prompt: Prompt) -> Reply:
        with lock:
            if not opened:
                opened.append(open_ask())
        return opened[0](prompt)

    return ask


def stopping(ask: Ask, should_stop: Callable[[], bool]) -> Ask:
    """`ask`, but StoppedError once the analyst has asked the run to stop."""

    def guarded(prompt: Prompt) -> Reply:
        if should_stop():
            raise StoppedError
        return ask(prompt)

    return guarded


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


Opened = Callable[[ModelChoice, Signals], Ask]
"""A model, opened for as long as the run is carried."""


def _carry(project: Project, run_id: str, home: Path, opened: Opened) -> None:
    """Carry the run under its caps; a limit that is reached pauses it once the calls in flight are in."""
    rates = rates_of(project, run_id, home)
    meter = Meter(load_caps(project, run_id), rates, spent_of(project, run_id, rates))
    if run_rows.load_run(project, run_id).settings.mode is Mode.CODING:
        threading.Thread(target=code_can_run).start()  # tries its walls while models are waited for
    try:
        carry(project, run_id, _models(project, run_id, meter, opened))
    except LimitReachedError:
        why = paused_text(meter.reached[0], progress_of(project, run_id))
        run_rows.set_state(project, run_id, RunState.PAUSED, error=why)


def _models(project: Project, run_id: str, meter: Meter, opened: Opened) -> Models:
    reading, reasoning = choices_of(project, run_id)

    def should_stop() -> bool:
        return run_rows.stop_asked(project, run_id)

    signals = Signals(should_stop=should_stop, may_send=meter.check, leave=project.close)

    def ask_of(choice: ModelChoice) -> Ask:
        def open_ask() -> Ask:
            before = run_rows.note_of(project, run_id)
            run_rows.set_note(project, run_id, f"starting {choice.model}")
            model = opened(choice, signals)
            run_rows.set_note(project, run_id, before)
            return model

        guarded = stopping(meter.metered(late(open_ask)), should_stop)
        return remembering(project, run_id, choice.model, choice.host, guarded, wait=partial(_wait, should_stop))

    read = ask_of(reading)
    return Models(
        reading=read,
        reasoning=ask_of(reasoning) if reasoning else read,
        workers=reading.workers,
        lead=not reading.local,
    )


def _wait(should_stop: Callable[[], bool]) -> None:
    """For another run's reply to the same prompt."""
    if should_stop():
        raise StoppedError
    time.sleep(LOOK_SECONDS)


def main() -> int:
    """Carry the run named on the command line; 0 when it ended as it should."""
    folder, run_id = sys.argv[1:3]
    state = work(open_project(Path(folder)), run_id, home_folder())
    return 0 if state in (RunState.DONE, RunState.WAITING, RunState.PAUSED, RunState.STOPPED) else 1


if __name__ == "__main__":
    raise SystemExit(main())

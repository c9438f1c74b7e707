"""Opening the models of a run for whoever works for it: the run's own worker, or an errand beside it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from r3con_core.caps import Meter
from r3con_core.errors import HeldBackError, StoppedError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.jobs import EMBEDDED, ModelChoice, choices_of
from r3con_core.models import connect, find_key, find_model, start_embedded
from r3con_core.models.learnt import keep_learnt, load_learnt
from r3con_core.processes import beating
from r3con_core.stages import Models
from r3con_core.store.calls import remembering
from r3con_core.store.documents import is_held
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

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


def withholding(project: Project, ask: Ask) -> Ask:
    """`ask`, but HeldBackError for a prompt about a document that is held back by now; what is kept is still used."""

    def guarded(prompt: Prompt) -> Reply:
        if prompt.about.document_id and is_held(project, prompt.about.document_id):
            raise HeldBackError
        return ask(prompt)

    return guarded


Opened = Callable[[ModelChoice, Signals], Ask]
"""A model, opened for as long as whoever opened it works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How the models of a run are opened and asked."""

    meter: Meter
    """Holds all calls to the run's caps."""
    opened: Opened
    should_stop: Callable[[], bool]
    starting: Callable[[ModelChoice], AbstractContextManager[None]] = lambda _: nullcontext()
    """Entered while a model is opened, which may take long."""


def models_of(project: Project, run_id: str, by: Opening) -> Models:
    """The models of a run, asked through its call log and under its caps; each is opened at its first call."""
    reading, reasoning = choices_of(project, run_id)
    repeat = load_run(project, run_id).settings.repeat
    signals = Signals(should_stop=by.should_stop, may_send=by.meter.check, leave=project.close)

    def ask_of(choice: ModelChoice) -> Ask:
        def open_ask() -> Ask:
            with by.starting(choice):
                return by.opened(choice, signals)

        guarded = stopping(withholding(project, by.meter.metered(late(open_ask))), by.should_stop)
        wait = partial(_wait, by.should_stop)
        return remembering(project, run_id, choice.model, choice.host, guarded, wait=wait, repeat=repeat)

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

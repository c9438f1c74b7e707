"""Opening the models of a run for whoever works for it: the run's own worker, or an errand beside it."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

from r3con_core.caps import Meter
from r3con_core.embeddings import KeptVectors
from r3con_core.errors import HeldBackError, StoppedError, WithheldError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.jobs import EMBEDDED, LOCAL_CHOICE, ModelChoice, choices_of, embedding_of
from r3con_core.models import connect, find_key, find_model, key_among, local_vectors, start_embedded
from r3con_core.models.embedded import EmbeddedServer
from r3con_core.models.learnt import keep_learnt, load_learnt
from r3con_core.models.line import Log, Outgoing, unlogged
from r3con_core.processes import beating
from r3con_core.run_method import Equipment
from r3con_core.sendings import LIST, End, Sending, moment
from r3con_core.stages import Models
from r3con_core.store.calls import remembering
from r3con_core.store.documents import held_documents
from r3con_core.store.egress import begin_sending
from r3con_core.store.numbering import document_numbers
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.team import check_address

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
    log: Log = unlogged
    """Told of every request before it goes out, and of its end."""
    leave: Callable[[], None] = _nothing
    """What a thread does that asked `should_stop` and has ended."""


Serve = Callable[[Path, int], AbstractContextManager[EmbeddedServer]]
"""Starts the embedded server with the model of a file and a context window in tokens."""


class Servers:
    """Embedded servers that outlive a run, for a process that carries several: each is started once."""

    def __init__(self, start: Serve = start_embedded) -> None:
        """`start`: how one is started."""
        self._start, self._open, self._lock = start, ExitStack(), threading.Lock()
        self._servers: dict[tuple[Path, int], EmbeddedServer] = {}

    def serve(self, file: Path, window: int) -> AbstractContextManager[EmbeddedServer]:
        """The server of that model and window, which stays when the context ends."""
        with self._lock:
            if (file, window) not in self._servers:
                self._servers[file, window] = self._open.enter_context(self._start(file, window))
            return nullcontext(self._servers[file, window])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


@contextmanager
def open_model(
    choice: ModelChoice,
    home: Path,
    signals: Signals = Signals(),
    keys: Mapping[str, str] | None = None,
    serve: Serve | None = None,
) -> Iterator[Ask]:
    """A way to ask the chosen model: its endpoint, or the embedded server started for as long as it is needed.

    `keys` are those this process was given, by place; None: they are looked for here. `serve` starts the embedded server
    for several runs; None: for this one.
    A stop ends calls to a local server within seconds, which frees it; elsewhere they are paid for and awaited.
    """
    check_address(choice.base_url)
    if choice == LOCAL_CHOICE:
        yield local_vectors()
        return
    with ExitStack() as stack:
        opened = partial(connect, should_stop=signals.should_stop, may_send=signals.may_send, log=signals.log)
        if choice.base_url == EMBEDDED:
            server = stack.enter_context((serve or start_embedded)(find_model(choice.model, home), choice.window))
            model = opened(server.endpoint, server.key)
        else:
            endpoint, url = choice.endpoint(), choice.base_url
            key = find_key(url, home, os.environ) if keys is None else key_among(keys, url)
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


def withholding(project: Project, run_id: str, ask: Ask) -> Ask:
    """`ask`, but no prompt is answered, from the log or elsewhere, that holds anything of a document held back by now.

    HeldBackError where it is about such a document: it counts as not read. WithheldError where it would show what came
    of one: the run is carried again without it.
    """

    def guarded(prompt: Prompt) -> Reply:
        check_held(project, run_id, prompt)
        return ask(prompt)

    return guarded


def check_held(project: Project, run_id: str, prompt: Prompt) -> None:
    """HeldBackError or WithheldError where a prompt holds anything of a document that is held back by now."""
    held = held_documents(project)
    if not held:
        return
    if prompt.about.document_id in held:
        raise HeldBackError
    if not held.isdisjoint(_documents_in(project, run_id, prompt)):
        raise WithheldError


def _documents_in(project: Project, run_id: str, prompt: Prompt) -> Iterable[str]:
    """Of which it holds anything; all of the run where it does not say."""
    return document_numbers(project, run_id) if prompt.holds is None else prompt.holds


def logging(project: Project, run_id: str, model: str, repeat: int) -> Log:
    """Writes down what a run sends before it goes out; nothing goes out that a document held back by now is part of."""

    def begin(outgoing: Outgoing) -> End:
        sending = Sending(
            sent=moment(), purpose=LIST, host=outgoing.host, bytes_sent=outgoing.bytes_sent, run_id=run_id
        )
        prompt = outgoing.prompt
        if prompt is not None:
            check_held(project, run_id, prompt)
            sending = replace(
                sending,
                purpose=prompt.stage.value,
                call=prompt.key(model, repeat),
                document_id=prompt.about.document_id,
                documents=tuple(_documents_in(project, run_id, prompt)),
            )
        return begin_sending(project, sending)

    return begin


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
        told = replace(signals, log=logging(project, run_id, choice.model, repeat))

        def open_ask() -> Ask:
            with by.starting(choice):
                return by.opened(choice, told)

        guarded = stopping(by.meter.metered(late(open_ask)), by.should_stop)
        wait = partial(_wait, by.should_stop)
        kept = remembering(project, run_id, choice.model, choice.host, guarded, wait=wait, repeat=repeat)
        return withholding(project, run_id, kept)

    read = ask_of(reading)
    return Models(
        reading=read,
        reasoning=ask_of(reasoning) if reasoning else read,
        workers=reading.workers,
        lead=not reading.local,
    )


def equipment_of(project: Project, run_id: str, by: Opening) -> Equipment:
    """What else a run is carried with: a way to make vectors of texts, opened when the first is wanted."""
    choice = embedding_of(project, run_id)
    check = partial(_check, by)
    if choice is None:
        return Equipment(check=check)
    signals = Signals(
        should_stop=by.should_stop,
        may_send=by.meter.check,
        log=logging(project, run_id, choice.model, repeat=0),
        leave=project.close,
    )

    def open_ask() -> Ask:
        with by.starting(choice):
            return by.opened(choice, signals)

    vectors = KeptVectors(
        project=project,
        run_id=run_id,
        name=choice.model,
        host=choice.host,
        ask=stopping(by.meter.metered(late(open_ask)), by.should_stop),
        workers=choice.workers,
        check=partial(check_held, project, run_id),
        wait=partial(_wait, by.should_stop),
    )
    return Equipment(embed=vectors, check=check)


def _check(by: Opening) -> None:
    """StoppedError or LimitReachedError once the run is not to go on."""
    if by.should_stop():
        raise StoppedError
    by.meter.check()


def _wait(should_stop: Callable[[], bool]) -> None:
    """For another run's reply to the same prompt."""
    if should_stop():
        raise StoppedError
    time.sleep(LOOK_SECONDS)

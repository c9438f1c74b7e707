"""Workers that are started ahead, for engines whose start takes seconds.

A session never waits for one where it can be avoided: the worker that proved its walls to `code_can_run` is kept for the
first session, and with each that is taken the next one is started beside. Never used twice, never given data before.
"""

import atexit
import threading
from concurrent.futures import Future

from r3con_core.errors import SandboxError
from r3con_core.sandbox.engines import Engine
from r3con_core.sandbox.process import Limits, WorkerProcess

_Ahead = Future[WorkerProcess]
_lock = threading.Lock()
_ahead: dict[tuple[str, Limits], _Ahead] = {}
"""By the engine's name and the limits: the worker that is ready, or will be."""


def bound_worker(engine: Engine, variables: bytes, limits: Limits) -> WorkerProcess:
    """A worker with these variables, one started ahead if there is one; SandboxError when none can be had."""
    worker = _next(engine, limits) if engine.is_slow else WorkerProcess(engine, limits)
    worker.bind(variables)
    return worker


def keep(engine: Engine, limits: Limits, worker: WorkerProcess) -> None:
    """Keep a worker that has proved its walls and got no data for the next session, or end it."""
    ready: _Ahead = Future()
    ready.set_result(worker)
    with _lock:
        keeps = engine.is_slow and _ahead.setdefault((engine.name, limits), ready) is ready
    if not keeps:
        worker.end()


def end_spares() -> None:
    """End those that nobody has taken, also such as are not there yet."""
    with _lock:
        left = list(_ahead.values())
        _ahead.clear()
    for ahead in left:
        ahead.add_done_callback(_end)


atexit.register(end_spares)


def _next(engine: Engine, limits: Limits) -> WorkerProcess:
    """The worker that was started ahead; the one after it is started."""
    with _lock:
        ahead = _ahead.pop((engine.name, limits), None)
    worker = _living(ahead) or WorkerProcess(engine, limits)
    with _lock:
        if (engine.name, limits) not in _ahead:
            _ahead[engine.name, limits] = _started(engine, limits)
    return worker


def _living(ahead: _Ahead | None) -> WorkerProcess | None:
    """Its worker, waited for if need be, unless it could not be started or has ended since."""
    if ahead is None or ahead.exception() is not None:
        return None
    worker = ahead.result()
    if worker.is_alive:
        return worker
    worker.end()
    return None


def _started(engine: Engine, limits: Limits) -> _Ahead:
    ahead: _Ahead = Future()

    def start() -> None:
        try:
            ahead.set_result(WorkerProcess(engine, limits))
        except (SandboxError, OSError, RuntimeError) as error:
            ahead.set_exception(
                error
            )  # whoever asks next tries again, and is told; without it they would wait for ever

    threading.Thread(target=start, name="next sandbox worker", daemon=True).start()
    return ahead


def _end(ahead: _Ahead) -> None:
    if ahead.exception() is None:
        ahead.result().end()

"""The door of the sandbox: open it, run code step by step, close it."""

import functools
import json
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from r3con_core.answers import Execution, Proposed
from r3con_core.errors import SandboxError
from r3con_core.sandbox.engines import Engine, engines
from r3con_core.sandbox.process import FAULT_CHARS, Limits, LostError, WorkerProcess

STATE_LOST = "What earlier steps defined is lost; the next step starts with the given variables only."


class Sandbox:
    """A Python session behind walls, for one thread at a time."""

    def __init__(self, engine: Engine, variables: bytes, limits: Limits) -> None:
        """Start its worker; see `open_sandbox`."""
        self._engine, self._variables, self._limits = engine, variables, limits
        self._worker: WorkerProcess | None = WorkerProcess(engine, variables, limits)
        self._closed = False

    @property
    def walls(self) -> str:
        """What encloses the code here, in words."""
        return self._engine.name

    def execute(self, code: str) -> Execution:
        """Run one step. Whatever the code does is told in the Execution; SandboxError when no worker can be had."""
        if self._closed:
            raise SandboxError("This session for generated code is closed.")
        begun = time.monotonic()
        if self._worker is None:
            self._worker = WorkerProcess(self._engine, self._variables, self._limits)
        try:
            return _read_reply(self._worker.run(code), self._limits, time.monotonic() - begun)
        except LostError as error:
            self._worker.end()
            self._worker = None
            return Execution(output="", fault=f"{error} {STATE_LOST}", seconds=time.monotonic() - begun)

    def close(self) -> None:
        """End the worker and remove its files; may be called again."""
        self._closed = True
        if self._worker is not None:
            self._worker.end()

    def __enter__(self) -> Self:
        """The sandbox itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()


def open_sandbox(variables: Mapping[str, object], limits: Limits | None = None) -> Sandbox:
    """A session in which `variables` (JSON values) are global names.

    SandboxError when no walls stand on this machine: then nothing is run.
    """
    encoded = json.dumps(dict(variables), allow_nan=True).encode()
    return Sandbox(_engine(), encoded, limits or Limits())


def code_can_run() -> str:
    """Empty when generated code can be run safely here, else why not. A yes is found out once per process."""
    try:
        _engine()
    except SandboxError as error:
        return f"Generated code cannot be run safely on this machine, so answers need the direct mode. {error}"
    return ""


@functools.cache
def _engine() -> Engine:
    """The best engine whose worker starts and proves its walls."""
    faults = []
    for engine in engines():
        try:
            WorkerProcess(engine, b"{}", Limits()).end()
        except SandboxError as error:
            faults.append(str(error))
            continue
        return engine
    raise SandboxError(" ".join(faults) or "There is no sandbox for this operating system.")


def _read_reply(reply: Mapping[str, object], limits: Limits, seconds: float) -> Execution:
    """The Execution it describes; LostError when it has not the shape our worker gives it."""
    output, fault, proposed = (reply.get(name) for name in ("output", "fault", "proposed"))
    if not isinstance(output, str) or len(output) > limits.output_chars:
        raise _forged()
    if fault is not None and (not isinstance(fault, str) or len(fault) > FAULT_CHARS):
        raise _forged()
    return Execution(
        output=_storable(output),
        fault=None if fault is None else _storable(fault),
        proposed=None if proposed is None else _read_proposal(proposed, limits),
        seconds=seconds,
    )


def _read_proposal(proposed: object, limits: Limits) -> Proposed:
    if not isinstance(proposed, dict):
        raise _forged()
    text, cites = proposed.get("text"), proposed.get("cites")
    if not isinstance(text, str) or not isinstance(cites, list) or len(cites) > limits.final_chars:
        raise _forged()
    labels = [_storable(label) for label in cites if isinstance(label, str)]
    if len(labels) != len(cites) or len(text) + sum(map(len, labels)) > limits.final_chars:
        raise _forged()
    return Proposed(text=_storable(text), cites=tuple(labels))


def _forged() -> LostError:
    return LostError("The code interfered with the sandbox and was stopped.")


def _storable(text: str) -> str:
    """Half of a surrogate pair is a str in Python but no text: neither files nor SQLite take it."""
    return text.encode("utf-8", "replace").decode("utf-8")

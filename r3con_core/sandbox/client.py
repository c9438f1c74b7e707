"""The door of the sandbox: open it, run code step by step, close it."""

import functools
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from r3con_core.answers import Execution, Proposed
from r3con_core.errors import SandboxError
from r3con_core.sandbox.choosing import advice, candidates
from r3con_core.sandbox.engines import Engine
from r3con_core.sandbox.hearing import Answering, Hearing, Repeating, Said
from r3con_core.sandbox.process import (
    FAULT_CHARS,
    INTERFERED,
    STOPPED,
    Hear,
    Limits,
    LostError,
    NoFolderError,
    WorkerProcess,
    remove_leftovers,
)
from r3con_core.sandbox.spares import bound_worker, keep
from r3con_core.sandbox.walls import meaning_of

STATE_AS_GIVEN = "The next step starts with the given variables only."
STATE_LOST = "What earlier steps defined is lost; the next step starts with the given variables only."
STATE_BUILT_AGAIN = "What earlier steps defined was built again by running them once more."
STATE_DIFFERS = (
    "Earlier steps were run once more, but did not all come out as before; check what they defined before using it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """A step that came to an end by itself."""

    code: str
    execution: Execution
    said: Said = ()
    """What it asked a model, and what it was told."""


class Sandbox:
    """A Python session behind walls, for one thread at a time."""

    def __init__(self, engine: Engine, variables: bytes, limits: Limits, answering: Answering | None = None) -> None:
        """Start its worker; see `open_sandbox`."""
        self._engine, self._variables, self._limits = engine, variables, limits
        self._answering, self._asked = answering, 0
        self._worker: WorkerProcess | None = bound_worker(engine, variables, limits)
        self._ended: list[_Ended] = []
        self._closed = False

    @property
    def walls(self) -> str:
        """What encloses the code here, in words."""
        return self._engine.name

    def execute(self, code: str) -> Execution:
        """Run one step. Whatever the code does is told in the Execution; SandboxError when no worker can be had.

        What `answering` raises rises, and costs the worker: it waits for a reply that does not come.
        """
        if self._closed:
            raise SandboxError("This session for generated code is closed.")
        begun = time.monotonic()
        if self._worker is None:
            self._worker = bound_worker(self._engine, self._variables, self._limits)
        hearing = None
        if self._answering:
            hearing = Hearing(answering=self._answering, limits=self._limits, asked=self._asked)
        try:
            execution = self._run(self._worker, code, hearing)
        except LostError as error:
            self._asked = hearing.asked if hearing else 0
            fault = f"{error} {self._build_again()}"
            return Execution(output="", fault=fault, seconds=time.monotonic() - begun)
        except BaseException:
            self._drop()
            raise
        self._asked = hearing.asked if hearing else 0
        self._ended.append(_Ended(code=code, execution=execution, said=tuple(hearing.said) if hearing else ()))
        return execution

    def _run(self, worker: WorkerProcess, code: str, hear: Hear | None, at_most: float = math.inf) -> Execution:
        begun = time.monotonic()
        reply = worker.run(code, hear, at_most=at_most)
        return _read_reply(reply, self._limits, time.monotonic() - begun)

    def _repeat(self, worker: WorkerProcess, ended: _Ended, at_most: float) -> Execution:
        """Run a step once more; what it asks is answered from what was said, and asked nobody."""
        hear = Repeating(said=ended.said, limits=self._limits) if self._answering else None
        return self._run(worker, ended.code, hear, at_most)

    def _build_again(self) -> str:
        """Run the steps that ended in a new worker; what became of what they defined, in a sentence."""
        self._drop()
        if not self._ended:
            return STATE_AS_GIVEN
        if self._limits.rebuild_seconds <= 0:
            self._ended.clear()
            return STATE_LOST
        end = time.monotonic() + self._limits.rebuild_seconds
        as_before = True
        try:
            worker = self._worker = bound_worker(self._engine, self._variables, self._limits)
            for ended in self._ended:
                again = self._repeat(worker, ended, max(0.0, end - time.monotonic()))
                as_before &= replace(again, seconds=0) == replace(ended.execution, seconds=0)
            # What an earlier step left behind may be what cost the worker, and would cost it at each step from now on.
            self._run(worker, "", None, max(0.0, end - time.monotonic()))
        except (LostError, SandboxError):
            self._drop()
            self._ended.clear()
            return STATE_LOST
        was_stopped = any((ended.execution.fault or "").startswith(STOPPED) for ended in self._ended)
        return STATE_BUILT_AGAIN if as_before and not was_stopped else STATE_DIFFERS

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.end()
        self._worker = None

    def close(self) -> None:
        """End the worker and remove its files; may be called again."""
        self._closed = True
        self._drop()

    def __enter__(self) -> Self:
        """The sandbox itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()


def open_sandbox(
    variables: Mapping[str, object], limits: Limits | None = None, answering: Answering | None = None
) -> Sandbox:
    """A session in which `variables` (JSON values) are global names.

    `answering` replies to what code asks by `llm_query(prompt)` and `llm_query_batched(prompts)`; without it there are
    no such functions. SandboxError when no walls stand on this machine, or none behind which code may ask: then nothing
    is run.
    """
    engine = _engine()
    if answering and not engine.can_ask:
        raise SandboxError(_CANNOT_ASK)
    encoded = json.dumps(dict(variables), allow_nan=True).encode()
    return Sandbox(engine, encoded, limits or Limits(), answering)


_CANNOT_ASK = (
    "Generated code cannot ask a model on this machine: the walls that stand here cannot make it stand still while it "
    "waits. On Linux, with Landlock, it can."
)


def code_can_ask() -> str:
    """Empty when generated code can be run here and be given a model to ask, else why not."""
    return code_can_run() or ("" if _engine().can_ask else _CANNOT_ASK)


def code_can_run() -> str:
    """Empty when generated code can be run safely here, else why not. A yes is found out once per process."""
    try:
        _engine()
    except SandboxError as error:
        return f"Generated code cannot be run safely on this machine, so answers need the direct mode. {error}"
    return ""


def walls_here() -> str:
    """The walls that stand on this machine, as `Sandbox.walls`; "" where none do and code does not run."""
    return "" if code_can_run() else _engine().name


def finding() -> tuple[bool, str]:
    """For `r3con doctor`: whether code can run, and which walls stand or why none do."""
    if cannot := code_can_run():
        return False, cannot
    return True, f"Generated code runs behind {walls_here()}. {meaning_of(walls_here())}".rstrip()


@functools.cache
def _engine() -> Engine:
    """The best engine whose worker starts and proves its walls."""
    remove_leftovers()
    faults = []
    for engine in candidates():
        try:
            keep(engine, Limits(), WorkerProcess(engine, Limits()))
        except NoFolderError:
            raise
        except SandboxError as error:
            faults.append(str(error))
            continue
        return engine
    raise SandboxError(" ".join([*faults, advice()]))


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
    return LostError(INTERFERED)


def _storable(text: str) -> str:
    """Half of a surrogate pair is a str in Python but no text: neither files nor SQLite take it."""
    return text.encode("utf-8", "replace").decode("utf-8")

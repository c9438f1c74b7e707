"""Runs inside Pyodide, between wasm_worker.mjs and the `Session` of worker.py, whose text it is given.

What worker.py needs of a system and WebAssembly has not is put in its place here: the alarm that ends a step, and a
sleep that hears it. And what would silently compute other numbers than elsewhere is kept from doing so: WebAssembly's
numpy makes integers of 32 bits where no type is named, so that two thousand million and as much again is a negative
number. Python's own integers and those of pandas have no such limit, but for the type `int`, which asks numpy.
"""

import builtins
import importlib
import json
import os
import signal
import sys
import time
import types
from collections.abc import Callable
from typing import Any


class Sessions:
    """The worker's session. Frames come as JavaScript's arrays of bytes (`to_bytes`) and go as text."""

    def __init__(self, source: str, start: Any, set_alarm: Callable[[float], None]) -> None:
        """Make the module `worker` of `source` and import what is ready for every step; `start` is its Start."""
        self._worker: Any = types.ModuleType("worker")
        sys.modules["worker"] = self._worker
        exec(compile(source, "worker.py", "exec"), vars(self._worker))
        vars(signal)["setitimer"] = lambda _which, seconds, _interval=0.0: set_alarm(seconds)
        vars(time)["sleep"] = _sleep_in_pieces
        self._start = json.loads(start.to_bytes())
        sys.modules.update(dict.fromkeys(self._worker.LEFT_ALONE))
        os.chdir("/scratch")
        self._ready = {name: module for name, module in map(_imported, self._worker.READY_NAMES.items()) if module}
        _keep_integers_whole()
        self._session: Any = None

    def packages(self) -> list[str]:
        """The names of the modules that are ready."""
        return [module.__name__ for module in self._ready.values()]

    def bind(self, variables: Any) -> None:
        """Begin with these variables."""
        self._session = self._worker.Session({**self._ready, **json.loads(variables.to_bytes())}, self._start)

    def run(self, frame: Any) -> str:
        """The reply to one step."""
        step = json.loads(frame.to_bytes())
        return json.dumps({"nonce": step["nonce"], **self._session.run(step["code"])})


_sleep = time.sleep
_PIECE_SECONDS = 0.05


def _sleep_in_pieces(seconds: float) -> None:
    """As `time.sleep`, which here hears no alarm before it has ended."""
    end = time.monotonic() + seconds
    _sleep(min(seconds, _PIECE_SECONDS))  # it says what is wrong with a number that is none
    while (left := end - time.monotonic()) > 0:
        _sleep(min(left, _PIECE_SECONDS))


def _imported(ready: tuple[str, str]) -> tuple[str, types.ModuleType | None]:
    name, module = ready
    try:
        return name, importlib.import_module(module)
    except ImportError:
        return name, None


def _keep_integers_whole() -> None:
    """Let pandas mean 64 bits by `int`, and keep numpy itself from the code."""
    common = sys.modules.get("pandas.core.dtypes.common")
    if common is None:
        return
    resolve: Callable[[Any], Any] = common.pandas_dtype

    def resolve_whole(dtype: Any) -> Any:
        return resolve(_WHOLE.get(dtype, dtype) if isinstance(dtype, str | type) else dtype)

    for module in list(sys.modules.values()):
        if getattr(module, "pandas_dtype", None) is resolve:
            vars(module)["pandas_dtype"] = resolve_whole
    vars(builtins)["__import__"] = _importing_anything_but_numpy(builtins.__import__)


_WHOLE: dict[object, str] = {int: "int64", "int": "int64", "uint": "uint64"}


def _importing_anything_but_numpy(load: Callable[..., Any]) -> Callable[..., Any]:
    def checked(name: str, namespace: Any = None, *more: Any, **named: Any) -> Any:
        is_of_the_code = namespace is not None and namespace.get("__name__") == "__main__"
        if is_of_the_code and name.partition(".")[0] == "numpy":
            raise ImportError(
                "numpy cannot be used by code on this system: its integers have only 32 bits here and would give "
                "wrong sums. Use pandas, statistics or plain Python."
            )
        return load(name, namespace, *more, **named)

    return checked

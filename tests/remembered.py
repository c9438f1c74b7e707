"""Steps of runs that are alike run behind the walls once in a process; what came of them is told again.

The same code over the same variables, after the same steps, gives the same: tests/unit/test_sandbox.py states it, with
sandboxes of its own. To start one takes most of a second of the processor.
"""

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from r3con_core.answers import Execution
from r3con_core.sandbox import Answering, Limits, Sandbox, code_can_run, open_sandbox, walls_here

_came: dict[tuple[str, ...], Execution] = {}
"""By the variables and the code of the steps so far."""


class RememberedSandbox:
    """A session that is opened in earnest at the first step nobody has run yet."""

    def __init__(self, variables: Mapping[str, object]) -> None:
        self.walls = walls_here()
        self._variables = variables
        self._so_far: tuple[str, ...] = (json.dumps(dict(variables)),)
        self._opened: Sandbox | None = None

    def execute(self, code: str) -> Execution:
        """What comes of one step, now or when it was run first."""
        steps = (*self._so_far, code)
        if steps not in _came:
            if self._opened is None:
                self._opened = open_sandbox(self._variables)
                for earlier in self._so_far[1:]:
                    self._opened.execute(earlier)
            _came[steps] = self._opened.execute(code)
        elif self._opened is not None:
            self._opened.execute(code)
        self._so_far = steps
        return _came[steps]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._opened is not None:
            self._opened.close()


def open_remembered(
    variables: Mapping[str, object], limits: Limits | None = None, answering: Answering | None = None
) -> Sandbox:
    """As `open_sandbox`, for any run that a test carries; steps that may ask a model are never remembered."""
    if limits or answering or code_can_run():
        return open_sandbox(variables, limits, answering)
    return RememberedSandbox(variables)  # type: ignore[return-value]

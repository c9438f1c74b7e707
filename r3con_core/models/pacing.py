"""How fast an endpoint is asked: calls at once, and the wait before another try."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from r3con_core.errors import StoppedError
from r3con_core.models.faults import Trouble

LONGEST_BACKOFF = 30.0
LONGEST_RETRY_AFTER = 120.0
"""Seconds; a server that asks for more is asked again after this."""
_FIRST_BACKOFF = 0.5
_STOP_LOOKS = 0.5
"""Seconds between two looks at whether to stop."""


class Limiter:
    """Calls at once to one endpoint: halved when it says "too many", one more after a full turn without trouble."""

    def __init__(self, most: int) -> None:
        self._changed = threading.Condition()
        self._most = max(1, most)
        self._limit = self._most
        self._busy = 0
        self._good = 0
        self._halvings = 0

    @property
    def limit(self) -> int:
        """Calls that may run at once now."""
        return self._limit

    @property
    def halvings(self) -> int:
        """How often it was halved; a call notes this when it starts, so that one burst halves once."""
        return self._halvings

    @contextmanager
    def slot(self, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Hold one of the places for the block, waiting for it; StoppedError when told to stop meanwhile."""
        with self._changed:
            while self._busy >= self._limit:
                if should_stop():
                    raise StoppedError
                self._changed.wait(_STOP_LOOKS)
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify()

    def worked(self) -> None:
        """Count a call that went well."""
        with self._changed:
            self._good += 1
            if self._good >= self._limit < self._most:
                self._limit += 1
                self._good = 0
                self._changed.notify()

    def too_many(self, halvings: int) -> None:
        """Halve, unless that was done since the call started, when `halvings` had been counted."""
        with self._changed:
            if halvings == self._halvings:
                self._limit = max(1, self._limit // 2)
                self._halvings += 1
                self._good = 0


def wait_before(attempt: int, trouble: Trouble, chance: float) -> float:
    """Seconds to wait after the failed `attempt` (from 1); `chance` in 0..1 keeps callers from coming back together."""
    backoff = float(min(LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** (attempt - 1)) * (0.5 + chance / 2))
    if trouble.retry_after is None:
        return backoff
    return min(trouble.retry_after, LONGEST_RETRY_AFTER) + backoff / 10


def pause(seconds: float, sleep: Callable[[float], None], should_stop: Callable[[], bool]) -> None:
    """Sleep for `seconds`, looking now and then whether to stop; StoppedError if so."""
    left = seconds
    while left > 0:
        if should_stop():
            raise StoppedError
        sleep(min(left, _STOP_LOOKS))
        left -= _STOP_LOOKS
    if should_stop():
        raise StoppedError

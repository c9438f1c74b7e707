"""How fast an endpoint is asked: calls at once, and the wait before another try."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from r3con_core.errors import StoppedError
from r3con_core.models.faults import Trouble

TRIES = 16
"""Where three calls in ten fail at random, one in 230 million fails this often: of 3,000, none 99,998 times in 100,000."""
TIMEOUT_TRIES = 3
"""A server that timed out may still be working on the call, so it is not asked as often."""
PATIENCE = 600.0
"""Seconds one call waits in all, however long the server asks it to."""
LONGEST_BACKOFF = 20.0
LONGEST_RETRY_AFTER = 120.0
"""Seconds; a server that asks for more is asked again after this."""
_FIRST_BACKOFF = 0.5
_STOP_LOOKS = 0.5
"""Seconds between two looks at whether to stop."""


class Time:
    """How time passes for one model, and when to stop; for any number of threads.

    A `sleep` that returns early counts as slept out, so that a test need not wait. `should_stop` is asked twice a second
    at most, however many threads and pieces of replies ask; once true, for good.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        should_stop: Callable[[], bool],
        may_send: Callable[[], None],
    ) -> None:
        self._clock, self._sleep, self._should_stop, self._may_send = clock, sleep, should_stop, may_send
        self._skipped = 0.0
        self._next_look = float("-inf")
        self._stopped = False

    def now(self) -> float:
        """Seconds, from any start."""
        return self._clock() + self._skipped

    def pause(self, seconds: float, go_on: Callable[[], None]) -> None:
        """Sleep for `seconds`, asking `go_on` now and then; what it raises ends that."""
        left = seconds
        while left > 0:
            go_on()
            nap, begun = min(left, _STOP_LOOKS), self._clock()
            self._sleep(nap)
            self._skipped += max(0.0, nap - (self._clock() - begun))
            left -= _STOP_LOOKS
        go_on()

    def stopped(self) -> bool:
        """Whether the analyst has asked to stop."""
        now = self.now()
        if now >= self._next_look and not self._stopped:
            self._next_look = now + _STOP_LOOKS
            self._stopped = self._should_stop()
        return self._stopped

    def begin(self) -> None:
        """StoppedError when told to stop; the error of `may_send` when a prompt that brought no reply yet may not go."""
        self.go_on()
        self._may_send()

    def go_on(self) -> None:
        """StoppedError when told to stop."""
        if self.stopped():
            raise StoppedError


class Limiter:
    """Calls at once to one endpoint, and the moment before which it wants none.

    Halved when the endpoint says "too many"; an eighth more, or one, after a full turn without trouble.
    """

    def __init__(self, most: int, time: Time) -> None:
        self._changed = threading.Condition()
        self._time = time
        self._most = max(1, most)
        self._limit = self._most
        self._busy = 0
        self._good = 0
        self._halvings = 0
        self._not_before = float("-inf")

    @property
    def limit(self) -> int:
        """Calls that may run at once now."""
        return self._limit

    @contextmanager
    def slot(self, go_on: Callable[[], None]) -> Iterator[int]:
        """Hold one of the places for the block, waiting for it; gives how often there were "too many" until then.

        `go_on` is asked now and then meanwhile; what it raises ends the wait.
        """
        while not self._enter(go_on):
            self._time.pause(self._not_before - self._time.now(), go_on)
        try:
            yield self._halvings
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify()

    def _enter(self, go_on: Callable[[], None]) -> bool:
        """Take a place once there is one; False when the endpoint wants no call yet."""
        with self._changed:
            while self._busy >= self._limit:
                go_on()
                self._changed.wait(_STOP_LOOKS)
            if self._time.now() < self._not_before:
                self._changed.notify()
                return False
            self._busy += 1
            return True

    def worked(self) -> None:
        """Count a call that went well."""
        with self._changed:
            self._good += 1
            if self._good >= self._limit < self._most:
                self._limit = min(self._most, self._limit + max(1, self._limit // 8))
                self._good = 0
                self._changed.notify_all()

    def too_many(self, halvings: int) -> None:
        """Halve, unless that was done since the call started, when `halvings` had been counted: a burst counts once."""
        with self._changed:
            if halvings == self._halvings:
                self._limit = max(1, self._limit // 2)
                self._halvings += 1
                self._good = 0

    def hold(self, seconds: float) -> None:
        """Let no call start for so long."""
        with self._changed:
            self._not_before = max(self._not_before, self._time.now() + seconds)


def wait_before(attempt: int, trouble: Trouble, chance: float) -> float:
    """Seconds to wait after the failed `attempt` (from 1); `chance` in 0..1 keeps callers from coming back together."""
    backoff = float(min(LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** (attempt - 1)) * (0.5 + chance / 2))
    if trouble.retry_after is None:
        return backoff
    return min(trouble.retry_after, LONGEST_RETRY_AFTER) + backoff / 10


def wait_of_all(trouble: Trouble) -> float:
    """Seconds for which the server wants no call from anybody; 0 where it did not say."""
    overloaded = trouble.status in (429, 503, 529)
    return min(trouble.retry_after or 0.0, LONGEST_RETRY_AFTER) if overloaded else 0.0

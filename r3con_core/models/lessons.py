"""What is learnt about an endpoint while it is asked."""

import threading
from collections.abc import Callable
from dataclasses import replace

from r3con_core.exchange import Prompt
from r3con_core.models.endpoint import JsonMode
from r3con_core.models.faults import Trouble, exceeds_window, is_refusal
from r3con_core.models.learnt import Learnt
from r3con_core.models.replies import Heard, thought
from r3con_core.models.wire import MOST_ROOM, THINKING_ROOM, Dialect, learn, step_down

_STRIKES = 2
"""Replies that ignore the shape they were held to, before it is asked for in words as well."""


class Lessons:
    """How an endpoint wants to be asked, by now; for any number of threads."""

    def __init__(self, mode: JsonMode, known: Learnt, tell: Callable[[Learnt], None]) -> None:
        """`mode` is the strictest worth trying; `tell` hears of every lesson."""
        modes = list(JsonMode)
        loosest = max(mode, known.dialect.mode, key=modes.index)
        self._learnt = replace(known, dialect=replace(known.dialect, mode=loosest))
        self._tell = tell
        self._strikes = 0
        self._lock = threading.Lock()

    @property
    def learnt(self) -> Learnt:
        """All of it."""
        return self._learnt

    @property
    def dialect(self) -> Dialect:
        """How to ask."""
        return self._learnt.dialect

    def refused(self, used: Dialect, trouble: Trouble, *, shaped: bool) -> bool:
        """Whether what was put in `used` may be put differently now, by this trouble or by another thread's."""
        if exceeds_window(trouble) or is_refusal(trouble):
            return False
        better = learn(used, trouble, shaped=shaped)
        with self._lock:
            room = self.dialect.room  # one call may have asked for less than is known to be needed
            if trouble.status in (400, 422) and self.dialect != replace(used, room=room):
                return True
            if better is None:
                return False
            learnt = self._keep(dialect=replace(better, room=max(better.room, room)))
        self._tell(learnt)
        return True

    def heard(self, prompt: Prompt, heard: Heard, used: Dialect) -> None:
        """Learn from a reply to what was put in `used`: that the model thinks, or that a shape did not hold it."""
        ignored = prompt.shape is not None and _ignores_shape(heard)
        with self._lock:
            before = self.dialect
            self._keep(dialect=replace(before, room=max(before.room, _room_for(heard, used))))
            self._strikes = self._strikes + 1 if ignored else 0 if prompt.shape is not None else self._strikes
            if self._strikes >= _STRIKES:
                self._strikes = 0
                self._keep(dialect=step_down(self.dialect) or self.dialect)
            learnt, changed = self._learnt, self.dialect != before
        if changed:
            self._tell(learnt)

    def exceeded(self, window: int | None) -> None:
        """Learn the window that a refusal named."""
        if window and window != self._learnt.window:
            with self._lock:
                learnt = self._keep(window=window)
            self._tell(learnt)

    def _keep(self, *, dialect: Dialect | None = None, window: int | None = None) -> Learnt:
        before = self._learnt
        self._learnt = Learnt(dialect=dialect or before.dialect, window=window or before.window)
        return self._learnt


def _room_for(heard: Heard, used: Dialect) -> int:
    """How many times the length of a reply this model needs, going by one: more when its notes took all there was."""
    if not thought(heard):
        return 1
    took_all = heard.finish == "length" and not heard.text.strip()
    return min(MOST_ROOM, used.room * THINKING_ROOM) if took_all else THINKING_ROOM


def _ignores_shape(heard: Heard) -> bool:
    """No JSON where a finished reply should be, or nothing but blanks until the limit (a known fault of grammars)."""
    if heard.finish == "length":
        return len(heard.text) - len(heard.text.rstrip()) > 50
    return bool(heard.text) and not heard.text.lstrip().startswith("{")

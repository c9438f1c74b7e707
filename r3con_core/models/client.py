"""A model at an address.

One `Model` serves any number of threads. It retries what may pass, slows down when told to, learns what the endpoint
refuses, and turns everything else into a sentence for the analyst.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from r3con_core.errors import BusyError, EndpointError, ModelError, RefusedError, WindowExceededError
from r3con_core.exchange import Finish, Prompt, Reply, Stage, Usage, whole_letters
from r3con_core.models.cuts import CutWatch
from r3con_core.models.echoes import heard_without, trouble_without
from r3con_core.models.embedding import joined, smaller, vectors_reply, vectors_request
from r3con_core.models.endpoint import Endpoint, JsonMode
from r3con_core.models.faults import Trouble, Troubled, exceeds_window, may_pass
from r3con_core.models.keys import fault_of
from r3con_core.models.learnt import Learnt
from r3con_core.models.lessons import Lessons
from r3con_core.models.line import Line, Log, unlogged
from r3con_core.models.pacing import (
    PATIENCE,
    TIMEOUT_TRIES,
    TRIES,
    Limiter,
    Time,
    wait_before,
    wait_of_all,
)
from r3con_core.models.replies import Heard, is_refused, split_thinking, usage_of
from r3con_core.models.verdicts import gave_up, verdict
from r3con_core.models.wire import MOST_ROOM, Dialect, Encoder, request_bytes
from r3con_core.scrubbing import message_without

EMPTY_TRIES = 3


def _never() -> bool:
    return False


def _at_will() -> None:
    """Calls may always go out."""


def _untold(_: Learnt) -> None:
    """Nobody wants to hear of lessons."""


def connect(  # noqa: PLR0913 - what a caller may set, by name
    endpoint: Endpoint,
    key: str,
    known: Learnt | None = None,
    on_learnt: Callable[[Learnt], None] = _untold,
    *,
    should_stop: Callable[[], bool] = _never,
    may_send: Callable[[], None] = _at_will,
    log: Log = unlogged,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    chance: Callable[[], float] = random.random,
) -> "Model":
    """A way to ask the model at `endpoint`, of which `known` was learnt before; opens no connection yet.

    `on_learnt` hears all that is known after each lesson, in the thread that learnt it. `may_send` is called right
    before a prompt goes out, also for another try; what it raises ends the call. Once a prompt has a reply it is not
    asked any more: what that reply needs besides is part of a call that went out. `log` is told of every request before
    it goes out, and of its end.
    Raises EndpointError when `key` holds characters that no key has.
    """
    if fault := fault_of(key.strip()):
        raise EndpointError(fault)
    lessons = Lessons(endpoint.mode, known or Learnt(), on_learnt)
    line = Line(endpoint, key.strip(), log)
    return Model(line, endpoint, lessons, Time(clock, sleep, should_stop, may_send), chance)


class Model:
    """An `Ask`: call it with a Prompt for a Reply.

    Raises EndpointError, BusyError, RefusedError, WindowExceededError, StoppedError; each says what to do.
    """

    def __init__(
        self, line: Line, endpoint: Endpoint, lessons: Lessons, passing: Time, chance: Callable[[], float]
    ) -> None:
        self.endpoint = endpoint
        self._line, self._key = line, line.key
        self._lessons, self._time, self._chance = lessons, passing, chance
        self._limiter = Limiter(endpoint.workers, passing)
        self._encoder = Encoder()
        self._cuts = CutWatch()

    def __repr__(self) -> str:
        return f"Model({self.endpoint.model!r} at {self.endpoint.base_url!r})"

    def __call__(self, prompt: Prompt) -> Reply:
        """The reply to `prompt`; an empty one is asked for again, and all tokens are counted in.

        To a prompt of the embedding stage it is the vectors of its texts.
        """
        if prompt.stage is Stage.EMBEDDING:
            return self._vectors(prompt)
        usage = Usage()
        for attempt in range(1, EMPTY_TRIES + 1):
            reply = self._ask(prompt, self._time.begin if attempt == 1 else self._time.go_on)
            usage += reply.usage + self._check_whole(prompt, reply.usage)
            if reply.text.strip() or attempt == EMPTY_TRIES:
                break
        return replace(reply, usage=usage)

    def _vectors(self, prompt: Prompt) -> Reply:
        """Asked for in halves where the endpoint says that all at once is too much, and of a text's beginning at last."""
        try:
            return self._ask(prompt, self._time.begin)
        except WindowExceededError:
            parts = smaller(prompt)
            if not parts:
                raise
        return joined([self._vectors(part) for part in parts])

    @property
    def learnt(self) -> Learnt:
        """How the endpoint wants to be asked, by now."""
        return self._lessons.learnt

    @property
    def mode(self) -> JsonMode:
        """How replies are held to their shape by now."""
        return self._lessons.dialect.mode

    @property
    def at_once(self) -> int:
        """Calls that may run at once by now."""
        return self._limiter.limit

    def list_models(self) -> list[str]:
        """The names the endpoint lists, sorted; empty when it lists none."""
        return [message_without(name, self._key) for name in self._line.list_models()]

    def look(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What the endpoint's host says at `path` (to `body`, where one is sent), decoded; None where it is no JSON."""
        return self._line.look(path, body)

    def hang_up(self) -> None:
        """Break off every call that waits for a reply; for the thread that asks to stop, after `should_stop` says so."""
        self._line.hang_up()

    def close(self) -> None:
        """Close the connections."""
        self._line.close()

    def _ask(self, prompt: Prompt, go_on: Callable[[], None]) -> Reply:
        tries = _Tries()
        while True:
            with self._limiter.slot(go_on) as halvings:
                go_on()
                dialect, begun = self._spoken(tries), time.monotonic()
                try:
                    heard = self._line.send(self._written(prompt, dialect), self._time.stopped, prompt)
                except Troubled as fault:
                    trouble = trouble_without(fault.trouble, self._key)
                else:
                    self._limiter.worked()
                    if prompt.stage is Stage.EMBEDDING:
                        return vectors_reply(prompt, heard, self.endpoint, time.monotonic() - begun)
                    heard = heard_without(heard, self._key, prompt)
                    return self._reply(prompt, heard, dialect, time.monotonic() - begun)
            if not self._put_differently(prompt, dialect, trouble, tries):
                self._time.pause(self._wait_or_raise(trouble, tries, halvings), go_on)

    def _written(self, prompt: Prompt, dialect: Dialect) -> bytes:
        if prompt.stage is Stage.EMBEDDING:
            return vectors_request(prompt, self.endpoint)
        return request_bytes(prompt, self.endpoint, dialect, self._encoder)

    def _spoken(self, tries: "_Tries") -> Dialect:
        dialect = self._lessons.dialect
        return replace(dialect, room=min(dialect.room, tries.most_room))

    def _put_differently(self, prompt: Prompt, used: Dialect, trouble: Trouble, tries: "_Tries") -> bool:
        """Whether the request may be put differently now, after what the endpoint said of it."""
        if exceeds_window(trouble) and used.room > 1:
            tries.most_room = used.room // 2  # what was asked for beside the text, for notes, may be what was too much
            return True
        return self._lessons.refused(used, trouble, shaped=prompt.shape is not None)

    def _wait_or_raise(self, trouble: Trouble, tries: "_Tries", halvings: int) -> float:
        """Seconds to wait before another try; the error where there is none."""
        if not may_pass(trouble, known=self._line.known):
            raise self._verdict(trouble)
        tries.failed += 1
        wait = wait_before(tries.failed, trouble, self._chance())
        tries.waited += wait
        if tries.failed >= (TIMEOUT_TRIES if trouble.timed_out else TRIES) or tries.waited > PATIENCE:
            raise (
                self._verdict(trouble)
                if trouble.unreached
                else BusyError(gave_up(trouble, self.endpoint, tries.failed))
            )
        if trouble.status == 429 or wait_of_all(trouble):
            self._limiter.too_many(halvings)
        self._limiter.hold(wait_of_all(trouble))
        return wait

    def _verdict(self, trouble: Trouble) -> ModelError:
        if exceeds_window(trouble):
            self._lessons.exceeded(trouble.window)
        return verdict(trouble, self.endpoint, has_key=bool(self._key), list_models=self.list_models)

    def _reply(self, prompt: Prompt, heard: Heard, used: Dialect, seconds: float) -> Reply:
        if is_refused(heard):
            said = f": {heard.refusal[:200]}" if heard.refusal else ""
            raise RefusedError(f"The model {self.endpoint.model} would not answer this text{said}.")
        text, notes = split_thinking(whole_letters(heard.text))
        heard = replace(heard, text=text, thinking=whole_letters(heard.thinking) + notes)
        self._lessons.heard(prompt, heard, used)
        return Reply(
            text=text,
            finish=Finish.CUT_OFF if heard.finish == "length" else Finish.COMPLETE,
            usage=usage_of(heard, prompt),
            model=whole_letters(heard.model) or self.endpoint.model,
            seconds=seconds,
            thinking=heard.thinking,
        )

    def _check_whole(self, prompt: Prompt, usage: Usage) -> Usage:
        """What it took to make sure that the server read all of `prompt`; WindowExceededError when it did not."""
        spent = [Usage()]

        def count(part: Prompt) -> int:
            same = replace(part, stage=prompt.stage, about=prompt.about, holds=prompt.holds)
            spent.append(self._ask(same, self._time.go_on).usage)
            return spent[-1].prompt if spent[-1].counted else 0

        if self._cuts.doubts(prompt, usage) and self._cuts.settle(prompt, usage, count):
            self._lessons.exceeded(usage.prompt)
            raise WindowExceededError(usage.prompt)
        return sum(spent, Usage())


@dataclass(slots=True)
class _Tries:
    """What one call has been through."""

    failed: int = 0
    waited: float = 0.0
    """Seconds."""
    most_room: int = MOST_ROOM
    """It asks for no more times the length of its reply."""

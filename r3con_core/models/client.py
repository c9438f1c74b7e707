"""A model at an address, asked through the openai client.

One `Model` serves any number of threads. It retries what may pass, slows down when told to, learns what the endpoint
refuses, and turns everything else into a sentence for the analyst. The client's own retries are off: they would ask a
busy local server twice.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from r3con_core.errors import BusyError, EndpointError, ModelError, RefusedError, StoppedError
from r3con_core.exchange import Finish, Prompt, Reply, Usage
from r3con_core.models.endpoint import Endpoint, JsonMode, is_loopback
from r3con_core.models.faults import (
    Trouble,
    Troubled,
    exceeds_window,
    is_out_of_credit,
    is_refusal,
    may_pass,
    trouble_of,
    trouble_of_text,
    verdict,
)
from r3con_core.models.pacing import Limiter, pause, wait_before
from r3con_core.models.wire import (
    Dialect,
    Heard,
    gather,
    learn,
    read_whole,
    request_body,
    split_thinking,
    step_down,
    thought,
    usage_of,
)

if TYPE_CHECKING:
    import openai

TRIES = 10
"""Where three calls in ten fail at random, one in 170,000 fails this often."""
TIMEOUT_TRIES = 3
"""A server that timed out may still be working on the call, so it is not asked as often."""
EMPTY_TRIES = 3
_STRIKES = 2
"""Replies that ignore the shape they were held to, before it is asked for in words as well."""
_CONNECT_SECONDS = 10.0
_LOOK_SECONDS = 5.0
"""For what is good to know and not needed."""
_NO_KEY = "none"
"""Sent where no key is set; servers that need none ignore it."""


def _never() -> bool:
    return False


def connect(
    endpoint: Endpoint,
    key: str,
    *,
    should_stop: Callable[[], bool] = _never,
    sleep: Callable[[float], None] = time.sleep,
    chance: Callable[[], float] = random.random,
) -> "Model":
    """A way to ask the model at `endpoint`; opens no connection yet.

    Raises EndpointError when `key` holds characters that no key has.
    """
    if not key.strip().isascii() or any(letter.isspace() for letter in key.strip()):
        raise EndpointError("The key holds blanks or letters that no key has. Copy it again, whole.")
    return Model(endpoint, key.strip(), should_stop=should_stop, sleep=sleep, chance=chance)


class Model:
    """An `Ask`: call it with a Prompt for a Reply.

    Raises EndpointError, BusyError, RefusedError, WindowExceededError, StoppedError; each says what to do.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        key: str,
        *,
        should_stop: Callable[[], bool],
        sleep: Callable[[float], None],
        chance: Callable[[], float],
    ) -> None:
        self.endpoint = endpoint
        self._client = _open_client(endpoint, key)
        self._key = key
        self._should_stop, self._sleep, self._chance = should_stop, sleep, chance
        self._limiter = Limiter(endpoint.workers)
        self._lock = threading.Lock()
        self._dialect = Dialect(mode=endpoint.mode)
        self._strikes = 0
        self._known = False

    def __repr__(self) -> str:
        return f"Model({self.endpoint.model!r} at {self.endpoint.base_url!r})"

    def __call__(self, prompt: Prompt) -> Reply:
        """The reply to `prompt`; an empty one is asked for again, and its tokens are counted in."""
        usage = Usage()
        for attempt in range(1, EMPTY_TRIES + 1):
            reply = self._ask(prompt)
            usage += reply.usage
            if reply.text or attempt == EMPTY_TRIES:
                break
        return replace(reply, usage=usage)

    @property
    def mode(self) -> JsonMode:
        """How replies are held to their shape by now."""
        return self._dialect.mode

    @property
    def at_once(self) -> int:
        """Calls that may run at once by now."""
        return self._limiter.limit

    def list_models(self) -> list[str]:
        """The names the endpoint lists, sorted; empty when it lists none."""
        import openai

        try:
            return sorted(model.id for model in self._client.models.list())
        except (openai.APIError, AttributeError, TypeError, ValueError):
            return []  # a list is a courtesy: many servers have none, or answer with something else

    def look(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What the endpoint's host says at `path` (to `body`, where one is sent), decoded; None where it is no JSON."""
        import httpx2
        import openai

        url = str(httpx2.URL(self.endpoint.base_url).join(path))
        within: dict[str, Any] = {"cast_to": httpx2.Response, "options": {"timeout": _LOOK_SECONDS}}
        try:
            response = self._client.post(url, body=body, **within) if body else self._client.get(url, **within)
            return response.json()
        except (openai.APIError, httpx2.HTTPError, ValueError):
            return None  # a courtesy too

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, prompt: Prompt) -> Reply:
        failed = 0
        with self._limiter.slot(self._should_stop):
            while True:
                if self._should_stop():
                    raise StoppedError
                dialect, halvings, begun = self._dialect, self._limiter.halvings, time.monotonic()
                try:
                    heard = self._send(prompt, dialect)
                except Troubled as fault:
                    trouble = self._without_key(fault.trouble)
                    if self._learned(dialect, trouble, shaped=prompt.shape is not None):
                        continue
                    failed += 1
                    self._wait_or_raise(trouble, failed, halvings)
                    continue
                self._limiter.worked()
                return self._reply(prompt, heard, time.monotonic() - begun)

    def _send(self, prompt: Prompt, dialect: Dialect) -> Heard:
        """One request; Troubled when it brings no reply."""
        import httpx2
        import openai

        body = request_body(prompt, self.endpoint, dialect)
        try:
            if not self.endpoint.local:
                response = self._client.post("/chat/completions", cast_to=httpx2.Response, body=body)
                self._known = True
                return read_whole(_decoded(response))
            with self._client.post(
                "/chat/completions", cast_to=object, body=body, stream=True, stream_cls=openai.Stream[object]
            ) as stream:
                self._known = True
                kind = stream.response.headers.get("content-type", "")
                if "event-stream" not in kind:
                    stream.response.read()
                    return read_whole(_decoded(stream.response))
                return gather(stream, self._should_stop)
        except openai.APIError as fault:
            raise Troubled(trouble_of(fault)) from fault
        except httpx2.HTTPError as fault:
            raise Troubled(Trouble(message=str(fault) or "the connection broke")) from fault
        except ValueError as fault:
            raise Troubled(Trouble(message="what came is not JSON")) from fault

    def _learned(self, used: Dialect, trouble: Trouble, *, shaped: bool) -> bool:
        """Whether the request may be put differently now, by this trouble or by another thread's."""
        if exceeds_window(trouble) or is_refusal(trouble):
            return False
        better = learn(used, trouble, shaped=shaped)
        with self._lock:
            if trouble.status in (400, 422) and self._dialect != used:
                return True
            if better is not None:
                self._dialect = better
        return better is not None

    def _wait_or_raise(self, trouble: Trouble, failed: int, halvings: int) -> None:
        if is_out_of_credit(trouble) or exceeds_window(trouble) or not may_pass(trouble, known=self._known):
            raise self._verdict(trouble)
        if failed >= (TIMEOUT_TRIES if trouble.timed_out else TRIES):
            raise self._verdict(trouble) if trouble.unreached else BusyError(self._gave_up(trouble, failed))
        if trouble.status == 429:
            self._limiter.too_many(halvings)
        pause(wait_before(failed, trouble, self._chance()), self._sleep, self._should_stop)

    def _verdict(self, trouble: Trouble) -> ModelError:
        return verdict(trouble, self.endpoint, has_key=bool(self._key), list_models=self.list_models)

    def _gave_up(self, trouble: Trouble, failed: int) -> str:
        host = self.endpoint.host
        if trouble.timed_out:
            return (
                f"{host} sent nothing for {self.endpoint.timeout:.0f} seconds, {failed} times. Try again when it is "
                "less busy, ask fewer calls at once, or choose a faster model; everything finished is kept."
            )
        what = "asks for fewer calls (HTTP 429)" if trouble.status == 429 else f"fails ({self._said(trouble)})"
        return (
            f"{host} still {what} after {failed} tries. Wait a while and resume, or ask fewer calls at once; "
            "everything finished is kept."
        )

    def _said(self, trouble: Trouble) -> str:
        return f"HTTP {trouble.status}" if trouble.status else trouble.message

    def _without_key(self, trouble: Trouble) -> Trouble:
        return replace(trouble, message=trouble.message.replace(self._key, "[key]")) if self._key else trouble

    def _reply(self, prompt: Prompt, heard: Heard, seconds: float) -> Reply:
        if heard.refusal or heard.finish == "content_filter":
            said = f": {heard.refusal[:200]}" if heard.refusal else ""
            raise RefusedError(f"The model {self.endpoint.model} would not answer this text{said}.")
        text, notes = split_thinking(heard.text)
        heard = replace(heard, text=text, thinking=heard.thinking + notes)
        self._notice(prompt, heard)
        return Reply(
            text=text,
            finish=Finish.CUT_OFF if heard.finish == "length" else Finish.COMPLETE,
            usage=usage_of(heard, prompt),
            model=heard.model or self.endpoint.model,
            seconds=seconds,
            thinking=heard.thinking,
        )

    def _notice(self, prompt: Prompt, heard: Heard) -> None:
        """Learn from a reply: that the model thinks, or that a shape it was held to did not hold it."""
        ignored = prompt.shape is not None and _ignores_shape(heard)
        with self._lock:
            if thought(heard) and not self._dialect.thinks:
                self._dialect = replace(self._dialect, thinks=True)
            self._strikes = self._strikes + 1 if ignored else 0 if prompt.shape is not None else self._strikes
            if self._strikes >= _STRIKES:
                self._dialect = step_down(self._dialect) or self._dialect
                self._strikes = 0


def _ignores_shape(heard: Heard) -> bool:
    """No JSON where a finished reply should be, or nothing but blanks until the limit (a known fault of grammars)."""
    if heard.finish == "length":
        return len(heard.text) - len(heard.text.rstrip()) > 50
    return bool(heard.text) and not heard.text.lstrip().startswith("{")


def _decoded(response: Any) -> Any:
    if "<" in response.text[:1] or "text/html" in response.headers.get("content-type", ""):
        raise Troubled(trouble_of_text(response))
    return response.json()


def _open_client(endpoint: Endpoint, key: str) -> "openai.OpenAI":
    """Follows no redirects, since the analyst was told where text goes; loopback addresses pass no proxy."""
    import httpx2
    import openai

    http = openai.DefaultHttpxClient(
        timeout=httpx2.Timeout(endpoint.timeout, connect=_CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=not is_loopback(endpoint.base_url),
    )
    client = openai.OpenAI(api_key=key or _NO_KEY, base_url=endpoint.base_url, max_retries=0, http_client=http)
    client.organization = client.project = None  # else OPENAI_ORG_ID would be told to every host
    return client

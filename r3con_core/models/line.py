"""The line to an endpoint: requests go out through the openai client, replies or troubles come back.

The client's own retries are off: they would ask a busy local server twice.
"""

import json
import os
import socket
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from r3con_core.egress import place_of, proxy_for, reaching
from r3con_core.errors import EgressError, StoppedError
from r3con_core.exchange import Prompt, Stage
from r3con_core.models.embedding import heard_vectors, texts_of
from r3con_core.models.endpoint import Endpoint, is_loopback
from r3con_core.models.faults import Trouble, Troubled, refusal_in, trouble_of, trouble_of_text
from r3con_core.models.replies import Heard, gather, read_whole
from r3con_core.sendings import ANSWERED, End, Ended, begin_at_home

if TYPE_CHECKING:
    import httpx2
    import openai

_CONNECT_SECONDS = 10.0
_LOOK_SECONDS = 5.0
"""For what is good to know and not needed."""
_USER_AGENT = "R3Con-Analyst"
_NO_KEY = "none"
"""Sent where no key is set; servers that need none ignore it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One request as its beginning is told of, before anything of it leaves."""

    host: str
    bytes_sent: int
    prompt: Prompt | None = None
    """None for what is asked of the server about itself."""


Log = Callable[[Outgoing], End]
"""Told of every request before it goes out; what it gives is told how the request ended."""


def unlogged(_: Outgoing) -> End:
    """For callers that keep no log."""
    return _forget


def _forget(_: Ended) -> None:
    """Nobody wants to know."""


def log_at_home(home: Path, purpose: str) -> Log:
    """Keeps what belongs to no project in the log of `home`."""

    def begin(outgoing: Outgoing) -> End:
        return begin_at_home(home, purpose, outgoing.host, outgoing.bytes_sent)

    return begin


class Line:
    """Connections to one endpoint, for any number of threads; opens none before the first request.

    While it is open, this process may connect to the endpoint, and to the proxy that leads there.
    """

    def __init__(self, endpoint: Endpoint, key: str, log: Log = unlogged) -> None:
        self._endpoint, self.key, self._log = endpoint, key, log
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._proxy = proxy_for(endpoint.base_url, os.environ) if not endpoint.local else ""
        self._client = _open_client(endpoint, key, self._proxy, self._watch)
        self._reaching = ExitStack()
        self._reaching.enter_context(reaching(place_of(self._proxy or endpoint.base_url)))
        self.known = False
        """Whether the endpoint has answered."""

    @property
    def host(self) -> str:
        """Where text goes, in words, with the proxy it passes."""
        return reached_host(self._endpoint.base_url, self._proxy)

    def send(self, body: bytes, should_stop: Callable[[], bool], prompt: Prompt | None = None) -> Heard:
        """One request; Troubled when it brings no reply, StoppedError when told to stop in the middle of one."""
        import httpx2
        import openai

        with self._logged(len(body), prompt) as received:
            try:
                if prompt is not None and prompt.stage is Stage.EMBEDDING:
                    return heard_vectors(self._fetch("/embeddings", body, received), len(texts_of(prompt)))
                if self._endpoint.local:
                    return self._stream(body, should_stop, received)
                return read_whole(self._fetch("/chat/completions", body, received))
            except openai.APIError as fault:
                if refusal := refusal_in(fault):
                    raise refusal from fault
                raise Troubled(trouble_of(fault)) from fault
            except httpx2.HTTPError as fault:
                raise Troubled(Trouble(message=str(fault) or "the connection broke")) from fault
            except ValueError as fault:
                raise Troubled(Trouble(message="what came is not JSON")) from fault

    @contextmanager
    def _logged(self, size: int, prompt: Prompt | None = None) -> Iterator["_Received"]:
        """The log is told of a request before it goes out, and of its end whatever that is."""
        end = self._log(Outgoing(host=self.host, bytes_sent=size, prompt=prompt))
        received, outcome = _Received(), "broken off"
        try:
            yield received
            outcome = received.outcome or ANSWERED
        except Troubled as fault:
            outcome = _outcome(fault.trouble, received.outcome)
            raise
        except EgressError:
            outcome = "refused by this program"
            raise
        except StoppedError:
            outcome = "stopped"
            raise
        finally:
            end(Ended(outcome=outcome, bytes_received=received.bytes))

    def _fetch(self, path: str, body: bytes, received: "_Received") -> Any:
        """A whole response, decoded."""
        import httpx2

        response = self._client.post(path, cast_to=httpx2.Response, content=body)
        self.known = True
        received.bytes = len(response.content)
        return _decoded(response)

    def _stream(self, body: bytes, should_stop: Callable[[], bool], received: "_Received") -> Heard:
        import openai

        with self._client.post(
            "/chat/completions", cast_to=object, content=body, stream=True, stream_cls=openai.Stream[object]
        ) as stream:
            self.known = True
            try:
                kind = stream.response.headers.get("content-type", "")
                if "event-stream" not in kind:
                    stream.response.read()
                    return read_whole(_decoded(stream.response))
                return gather(stream, should_stop)
            finally:
                received.bytes = stream.response.num_bytes_downloaded

    def list_models(self) -> list[str]:
        """The names the endpoint lists, sorted; empty when it lists none."""
        import openai

        try:
            with self._logged(0) as received, received.noting():
                return sorted(model.id for model in self._client.models.list())
        except (openai.APIError, AttributeError, TypeError, ValueError):
            return []  # a list is a courtesy: many servers have none, or answer with something else

    def look(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What the endpoint's host says at `path` (to `body`, where one is sent), decoded; None where it is no JSON."""
        import httpx2
        import openai

        url = str(httpx2.URL(self._endpoint.base_url).join(path))
        within: dict[str, Any] = {"cast_to": httpx2.Response, "options": {"timeout": _LOOK_SECONDS}}
        try:
            with self._logged(len(json.dumps(body)) if body else 0) as received, received.noting():
                response = self._client.post(url, body=body, **within) if body else self._client.get(url, **within)
                received.bytes = len(response.content)
                return response.json()
        except (openai.APIError, httpx2.HTTPError, ValueError):
            return None  # a courtesy too

    def hang_up(self) -> None:
        """Break every connection in use, from any thread: those who wait for a reply see that none will come."""
        for each in list(self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connections; this process may not connect there any more."""
        self._client.close()
        self._reaching.close()

    def _watch(self, request: "httpx2.Request") -> None:
        request.extensions["trace"] = self._noted

    def _noted(self, event: str, told: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.add(told["return_value"].get_extra_info("socket"))


def _decoded(response: Any) -> Any:
    if "<" in response.text[:1] or "text/html" in response.headers.get("content-type", ""):
        raise Troubled(trouble_of_text(response))
    return response.json()


@dataclass(slots=True)
class _Received:
    """What came back on one request."""

    bytes: int = 0
    outcome: str = ""
    """Where something else is to be told than that it was answered."""

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what kind of trouble of the client's ends the block."""
        import openai

        try:
            yield
        except openai.APIError as fault:
            self.outcome = _outcome(trouble_of(fault), "")
            raise


def _outcome(trouble: Trouble, noted: str) -> str:
    """How a request ended that brought no reply; no word of it is the server's."""
    if trouble.status:
        return f"HTTP {trouble.status}"
    if trouble.unreached:
        return "not reached"
    return noted or ("no answer in time" if trouble.timed_out else "no reply")


def reached_host(base_url: str, proxy: str) -> str:
    """Where text goes, in words: "this computer", or host and port where one is written, and the proxy on the way."""
    place = "this computer" if is_loopback(base_url) else urlsplit(base_url).netloc.rpartition("@")[2].lower()
    return f"{place} through the proxy {urlsplit(proxy).netloc.rpartition('@')[2]}" if proxy else place


_HEADERS_SENT = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
)
"""What a server needs to know besides the key; all else the client would tell of this computer stays here."""


def _open_client(
    endpoint: Endpoint, key: str, proxy: str, watch: Callable[["httpx2.Request"], None]
) -> "openai.OpenAI":
    """Follows no redirects, since the analyst was told where text goes; takes nothing but proxies from the environment.

    The client would send OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS to every host, and tell each what
    system and which Python this is.
    """
    import httpx2
    import openai

    most = endpoint.workers + 4

    def strip(request: "httpx2.Request") -> None:
        for name in set(request.headers) - _HEADERS_SENT:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {key or _NO_KEY}"
        request.headers["user-agent"] = _USER_AGENT

    http = openai.DefaultHttpxClient(
        timeout=httpx2.Timeout(endpoint.timeout, connect=_CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
        follow_redirects=False,
        event_hooks={"request": [strip, watch]},
        proxy=proxy or None,
        trust_env=False,
        verify=httpx2.create_ssl_context(),  # with the certificates that SSL_CERT_FILE names
    )
    return openai.OpenAI(api_key=key or _NO_KEY, base_url=endpoint.base_url, max_retries=0, http_client=http)

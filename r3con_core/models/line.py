"""The line to an endpoint: requests go out through the openai client, replies or troubles come back.

The client's own retries are off: they would ask a busy local server twice.
"""

import socket
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from r3con_core.models.endpoint import Endpoint, is_loopback
from r3con_core.models.faults import Trouble, Troubled, trouble_of, trouble_of_text
from r3con_core.models.replies import Heard, gather, read_whole

if TYPE_CHECKING:
    import httpx2
    import openai

_CONNECT_SECONDS = 10.0
_LOOK_SECONDS = 5.0
"""For what is good to know and not needed."""
_NO_KEY = "none"
"""Sent where no key is set; servers that need none ignore it."""


class Line:
    """Connections to one endpoint, for any number of threads; opens none before the first request."""

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        self._endpoint = endpoint
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._client = _open_client(endpoint, key, self._watch)
        self.known = False
        """Whether the endpoint has answered."""

    def send(self, body: bytes, should_stop: Callable[[], bool]) -> Heard:
        """One request; Troubled when it brings no reply, StoppedError when told to stop in the middle of one."""
        import httpx2
        import openai

        try:
            return self._stream(body, should_stop) if self._endpoint.local else self._fetch(body)
        except openai.APIError as fault:
            raise Troubled(trouble_of(fault)) from fault
        except httpx2.HTTPError as fault:
            raise Troubled(Trouble(message=str(fault) or "the connection broke")) from fault
        except ValueError as fault:
            raise Troubled(Trouble(message="what came is not JSON")) from fault

    def _fetch(self, body: bytes) -> Heard:
        import httpx2

        response = self._client.post("/chat/completions", cast_to=httpx2.Response, content=body)
        self.known = True
        return read_whole(_decoded(response))

    def _stream(self, body: bytes, should_stop: Callable[[], bool]) -> Heard:
        import openai

        with self._client.post(
            "/chat/completions", cast_to=object, content=body, stream=True, stream_cls=openai.Stream[object]
        ) as stream:
            self.known = True
            kind = stream.response.headers.get("content-type", "")
            if "event-stream" not in kind:
                stream.response.read()
                return read_whole(_decoded(stream.response))
            return gather(stream, should_stop)

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

        url = str(httpx2.URL(self._endpoint.base_url).join(path))
        within: dict[str, Any] = {"cast_to": httpx2.Response, "options": {"timeout": _LOOK_SECONDS}}
        try:
            response = self._client.post(url, body=body, **within) if body else self._client.get(url, **within)
            return response.json()
        except (openai.APIError, httpx2.HTTPError, ValueError):
            return None  # a courtesy too

    def hang_up(self) -> None:
        """Break every connection in use, from any thread: those who wait for a reply see that none will come."""
        for each in list(self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _watch(self, request: "httpx2.Request") -> None:
        request.extensions["trace"] = self._noted

    def _noted(self, event: str, told: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.add(told["return_value"].get_extra_info("socket"))


def _decoded(response: Any) -> Any:
    if "<" in response.text[:1] or "text/html" in response.headers.get("content-type", ""):
        raise Troubled(trouble_of_text(response))
    return response.json()


def _open_client(endpoint: Endpoint, key: str, watch: Callable[["httpx2.Request"], None]) -> "openai.OpenAI":
    """Follows no redirects, since the analyst was told where text goes; loopback addresses pass no proxy."""
    import httpx2
    import openai

    most = endpoint.workers + 4
    http = openai.DefaultHttpxClient(
        timeout=httpx2.Timeout(endpoint.timeout, connect=_CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
        follow_redirects=False,
        event_hooks={"request": [watch]},
        trust_env=not is_loopback(endpoint.base_url),
    )
    client = openai.OpenAI(api_key=key or _NO_KEY, base_url=endpoint.base_url, max_retries=0, http_client=http)
    client.organization = client.project = None  # else OPENAI_ORG_ID would be told to every host
    return client

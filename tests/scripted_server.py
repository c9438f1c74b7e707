"""An OpenAI-compatible server on this computer whose model is a script: by default the one of the harbour corpus.

In a test: `with ScriptedServer(answer, faults={3: Fault(status=429)}) as server: server.url`, where `answer` is
`answer_harbour`, `answer_inquiry` or your own. By hand:
`python -m tests.scripted_server [--corpus harbour|inquiry] [--port N] [--delay SECONDS]`.
"""

import argparse
import json
import os.path
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from r3con_core.embedding import WordVectors
from tests.harbour_script import answer_harbour
from tests.inquiry_script import answer_inquiry

MODEL = "scripted"
WINDOW = 16_384
Body = dict[str, Any]
Answer = Callable[[list[dict[str, str]], dict[str, Any] | None], str]
"""The reply to messages and a response format; an AssertionError of it is an HTTP status that is not tried again."""
_PIECES = 3
"""A streamed reply comes in so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How one call is answered other than plainly; each field does one thing."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] | str | None = None
    """The `error` of the body, with any status."""
    html: str = ""
    """A web page instead of JSON."""
    raw: str = ""
    """The whole JSON body, whatever it holds."""
    dropped: bool = False
    """The connection is closed without a word."""
    cut: bool = False
    """The connection is closed in the middle of a streamed reply."""
    text: str | None = None
    """The reply, instead of the script's."""
    finish: str = "stop"
    notes: Mapping[str, str] = field(default_factory=dict)
    """More fields of the message, such as reasoning_content or refusal."""
    usage: Mapping[str, Any] | None = None
    """The usage told, instead of an honest one; empty: none."""

    @property
    def refuses(self) -> bool:
        """No reply comes."""
        return self.status != 200 or self.error is not None or bool(self.html or self.raw)


Faults = Mapping[int, Fault] | Callable[[int, Body], Fault | None]
"""By the number of the call, from 1, or by number and body."""


class ScriptedServer:
    """A server that runs for the block; it keeps the bodies it was sent, oldest first.

    `extra` maps "GET /props" or "POST /api/show" to what is answered there. With `key`, calls without it get a 401.
    """

    def __init__(  # noqa: PLR0913 - what a server can be told, by name
        self,
        answer: Answer = answer_harbour,
        faults: Faults | None = None,
        *,
        port: int = 0,
        delay: float = 0.0,
        models: Sequence[Mapping[str, Any]] = ({"id": MODEL, "max_model_len": WINDOW},),
        extra: Mapping[str, Any] | None = None,
        key: str = "",
    ) -> None:
        self.answer, self.delay, self.models, self.key = answer, delay, models, key
        self.faults = faults if callable(faults) else _by_number(faults or {})
        self.extra = dict(extra or {})
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        """Of every request, chat or not, with lower-case names."""
        self.paths: list[str] = []
        self.leaving = False
        self.lock = threading.Lock()
        self._server = _Listener(("127.0.0.1", port), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The base address, with its version."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def calls(self) -> int:
        """How many replies were asked for."""
        return len(self.requests)

    def hang_up(self) -> None:
        """Close every connection at its next request, as a server that goes away does."""
        self.leaving = True

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _by_number(faults: Mapping[int, Fault]) -> Callable[[int, Body], Fault | None]:
    return lambda number, _: faults.get(number)


class _Listener(ThreadingHTTPServer):
    request_queue_size = 64
    scripted: ScriptedServer

    def handle_error(self, *where: Any) -> None:
        """Callers may hang up: that is what the tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*where)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        told = self._arrived()
        if self.path in ("/v1/models", "/v1/models/") and self._allowed():
            listed = [{"object": "model", "owned_by": "tests", **model} for model in self.server.scripted.models]
            self._send(200, {"object": "list", "data": listed})
        elif told is None:
            self._elsewhere()

    def do_POST(self) -> None:
        told = self._arrived()
        if told is not None and self.path == "/v1/embeddings" and self._allowed():
            self._embed(told)
        elif told is None or self.path != "/v1/chat/completions":
            self._elsewhere()
        elif self._allowed():
            self._chat(told)

    def _embed(self, body: Body) -> None:
        """Vectors by words alone, the last text's first: each says which text it belongs to."""
        scripted = self.server.scripted
        with scripted.lock:
            scripted.requests.append(body)
            number = len(scripted.requests)
        fault = scripted.faults(number, body) or Fault()
        if fault.refuses:
            self._refuse(fault)
            return
        rows = WordVectors()(body["input"]).tolist()
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        tokens = sum(len(text) for text in body["input"]) // 4
        self._send(
            200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": {"prompt_tokens": tokens}}
        )

    def _arrived(self) -> Body | None:
        scripted = self.server.scripted
        length = int(self.headers.get("Content-Length", 0))
        body: Body | None = json.loads(self.rfile.read(length)) if length else None
        with scripted.lock:
            scripted.paths.append(f"{self.command} {self.path}")
            scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
        return body

    def _elsewhere(self) -> None:
        found = self.server.scripted.extra.get(f"{self.command} {self.path}")
        if found is None:
            self._send(404, {"error": {"message": f"nothing at {self.path}", "code": 404}})
        else:
            self._send(200, found)

    def _allowed(self) -> bool:
        key = self.server.scripted.key
        if not key or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self._send(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        return False

    def _chat(self, body: Body) -> None:
        scripted = self.server.scripted
        with scripted.lock:
            before = scripted.requests[-1] if scripted.requests else {}
            scripted.requests.append(body)
            number = len(scripted.requests)
        fault = Fault(dropped=True) if scripted.leaving else scripted.faults(number, body) or Fault()
        time.sleep(scripted.delay)
        if fault.dropped:
            self.close_connection = True
        elif fault.refuses:
            self._refuse(fault)
        else:
            self._reply(body, before, fault)

    def _refuse(self, fault: Fault) -> None:
        if fault.html:
            self._send_bytes(fault.status, "text/html", fault.html.encode(), fault.headers)
        elif fault.raw:
            self._send_bytes(fault.status, "application/json", fault.raw.encode(), fault.headers)
        else:
            self._send(fault.status, {"error": fault.error or {"message": "as scripted"}}, fault.headers)

    def _reply(self, body: Body, before: Body, fault: Fault) -> None:
        try:
            text = self._text(body, fault)
        except AssertionError as unknown:
            self._send(418, {"error": {"message": str(unknown)}})
            return
        usage = _usage(body, before, text) if fault.usage is None else dict(fault.usage)
        message = {"role": "assistant", "content": text, **fault.notes}
        if body.get("stream"):
            asked = (body.get("stream_options") or {}).get("include_usage")
            self._stream(message, fault, usage if asked else {})
            return
        choice = {"index": 0, "message": message, "finish_reason": fault.finish}
        whole = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice]}
        self._send(200, {**whole, "usage": usage} if usage else whole)

    def _text(self, body: Body, fault: Fault) -> str:
        if fault.text is not None:
            return fault.text
        return self.server.scripted.answer(body["messages"], body.get("response_format"))

    def _stream(self, message: Mapping[str, str], fault: Fault, usage: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        notes = {name: value for name, value in message.items() if name != "content"}
        deltas = [notes, *({"content": piece} for piece in _pieces(message["content"]))]
        for delta in deltas:
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if fault.cut:
            self.close_connection = True
            return
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": fault.finish}]})
        if usage:
            self._event({"choices": [], "usage": usage})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, more: Body) -> None:
        event = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": MODEL, **more}
        self._chunk(f"data: {json.dumps(event)}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        self._send_bytes(status, "application/json", json.dumps(body).encode(), headers)

    def _send_bytes(self, status: int, kind: str, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)
        sent = {"Date": self.date_time_string(), "Content-Type": kind, "Content-Length": str(len(data))}
        sent |= dict(headers or {})
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _pieces(text: str) -> Iterable[str]:
    size = max(1, -(-len(text) // _PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _usage(body: Body, before: Body, text: str) -> Body:
    """Four letters a token; read already is what the prompt shares with the one before it."""
    sent, last = (json.dumps(each.get("messages", "")) for each in (body, before))
    shared = len(os.path.commonprefix([sent, last]))  # noqa: RUF071 - letters are what is counted
    return {
        "prompt_tokens": len(sent) // 4,
        "completion_tokens": len(text) // 4,
        "total_tokens": len(sent) // 4 + len(text) // 4,
        "prompt_tokens_details": {"cached_tokens": shared // 4},
    }


def main() -> None:
    """Serve the script of a sample corpus until interrupted."""
    scripts = {"harbour": answer_harbour, "inquiry": answer_inquiry}
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--corpus", choices=scripts, default="harbour")
    parser.add_argument("--port", type=int, default=8599)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    chosen = parser.parse_args()
    with ScriptedServer(scripts[chosen.corpus], port=chosen.port, delay=chosen.delay) as server:
        sys.stdout.write(f"{server.url} serves the model {MODEL!r}; Ctrl-C ends it\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()

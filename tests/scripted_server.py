"""An OpenAI-compatible server on this computer whose model is a script: by default the one of the harbour corpus.

In a test: `with scripted_server() as server: server.base_url`. By hand: `python -m tests.scripted_server [PORT]`.
"""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.harbour_script import answer_harbour

MODEL = "scripted"
Answer = Callable[[Sequence[dict[str, str]]], str]


@dataclass(slots=True)
class ScriptedServer:
    """A running server, and the bodies it was sent, oldest first."""

    base_url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def scripted_server(
    answer: Answer = answer_harbour, *, port: int = 0, seconds: float = 0.0
) -> Iterator[ScriptedServer]:
    """A server that answers every prompt with `answer` after `seconds`; an AssertionError of it is an HTTP 500."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    running = ScriptedServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    server.script = (running, answer, seconds)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "tests"}]})

    def do_POST(self) -> None:
        running, answer, seconds = self.server.script  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        running.bodies.append(body)
        time.sleep(seconds)
        try:
            text = answer(body["messages"])
        except AssertionError as unknown:
            self._send(500, {"error": {"message": str(unknown)}})
            return
        usage = {"prompt_tokens": len(json.dumps(body["messages"])) // 4, "completion_tokens": len(text) // 4}
        if body.get("stream"):
            self._stream(text, usage)
        else:
            message = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            self._send(
                200, {"id": "x", "object": "chat.completion", "model": MODEL, "choices": [message], "usage": usage}
            )

    def _stream(self, text: str, usage: dict[str, int]) -> None:
        chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
        choices: list[list[dict[str, Any]]] = [
            [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}],
            [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            [],
        ]
        events = [json.dumps({**chunk, "choices": each}) for each in choices[:2]]
        events += [json.dumps({**chunk, "choices": [], "usage": usage}), "[DONE]"]
        self._send_bytes(200, "text/event-stream", "".join(f"data: {event}\n\n" for event in events).encode())

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._send_bytes(status, "application/json", json.dumps(body).encode())

    def _send_bytes(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    with scripted_server(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8599) as running_server:
        sys.stdout.write(f"{running_server.base_url} serves the model {MODEL!r}; Ctrl-C ends it\n")
        sys.stdout.flush()
        threading.Event().wait()

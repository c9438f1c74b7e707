"""The simulator behind a gate that watches it: what was asked twice, what was largest, and faults at random.

    python -m calls.gate --simulator sim_server.py --port 8098 --fail 0.3 --seed 7 --limit 8192

The simulator's app runs in this process, with the flags of the simulator. `--fail` is the share of calls that get no
reply: in turn a 429 with Retry-After, a 503, and a connection that breaks in the middle. `--limit` is a window in the
simulator's tokens: a prompt that does not fit with its max_tokens gets the 400 that OpenAI and vLLM give. GET /gate
tells what was seen.
"""

import argparse
import asyncio
import hashlib
import json
import random
import runpy
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
SIMULATOR_FLAGS: Mapping[str, float] = {
    "prefill": 50_000.0,
    "decode": 2_000.0,
    "slots": 64,
    "latency": 0.05,
    "snippet": 100,
    "cache-tokens": 4_000_000,
    "window": 262_144,
}
"""With the simulator's own defaults."""


def fingerprint(messages: list[dict[str, str]]) -> str:
    """What a call asked, as a hash: two calls with one hash asked the same."""
    said = [(message["role"], message["content"]) for message in messages]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Seen:
    """One call: seconds on this server's clock, None where no reply was sent whole."""

    asked: str
    arrived: float
    finished: float | None = None
    tokens: int = 0
    """Sent and written."""


@dataclass(slots=True)
class Gate:
    """The app of the simulator with what is watched of it."""

    app: App
    fail: float
    limit: int
    chance: random.Random
    seen: list[Seen] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    """Tokens of the largest prompt that was let through."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        path = scope.get("path")
        if path == "/gate":
            await _send_json(send, 200, self.told())
        elif path == "/v1/chat/completions":
            await self._chat(scope, receive, send)
        else:
            if path == "/reset":
                self.seen.clear()
                self.faults.clear()
                self.largest = 0
            await self.app(scope, receive, send)

    def told(self) -> dict[str, Any]:
        """All that was seen, for JSON."""
        calls = [[seen.asked, seen.arrived, seen.finished, seen.tokens] for seen in self.seen]
        return {"calls": calls, "faults": dict(self.faults), "largest": self.largest}

    async def _chat(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = await _body(receive)
        body = json.loads(raw)
        tokens = sum(len(message["content"].encode()) for message in body["messages"]) // 4
        if self.limit and tokens + (body.get("max_tokens") or body.get("max_completion_tokens") or 0) > self.limit:
            self.faults["too long"] += 1
            await _send_json(send, 400, _too_long(self.limit, tokens))
            return
        seen = Seen(fingerprint(body["messages"]), time.monotonic())
        self.seen.append(seen)
        self.largest = max(self.largest, tokens)
        if self.chance.random() < self.fail:
            await self._refuse(send)
            return
        reply = await self._ask(scope, raw)
        for event in reply:
            await send(event)
        seen.finished = time.monotonic()
        seen.tokens = json.loads(reply[1]["body"])["usage"]["total_tokens"]

    async def _ask(self, scope: Scope, raw: bytes) -> list[Event]:
        events: list[Event] = []
        sent = False

        async def receive() -> Event:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": raw, "more_body": False}

        async def keep(event: Event) -> None:
            events.append(event)

        await self.app(scope, receive, keep)
        return events

    async def _refuse(self, send: Send) -> None:
        kind = self.chance.choice(("429", "503", "drop"))
        self.faults[kind] += 1
        if kind == "drop":
            await _break_off(send)
        elif kind == "429":
            said = {"error": {"message": "Rate limit reached", "type": "rate_limit"}}
            await _send_json(send, 429, said, {"retry-after": "1"})
        else:
            await _send_json(send, 503, {"error": {"message": "The server is overloaded", "type": "overloaded"}})


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        event = await receive()
        body += bytes(event.get("body", b""))
        if not event.get("more_body"):
            return body


async def _send_json(send: Send, status: int, said: Any, headers: Mapping[str, str] | None = None) -> None:
    data = json.dumps(said).encode()
    told = {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
    raw = [(name.encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": data})


async def _break_off(send: Send) -> None:
    """Half a reply: the server closes a connection on which less came than was announced."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"id": "sim", "choi', "more_body": True})


def _too_long(limit: int, tokens: int) -> dict[str, Any]:
    said = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens "
        "and more were requested for the completion. Please reduce the length of the messages."
    )
    return {"error": {"message": said, "type": "invalid_request_error", "code": "context_length_exceeded"}}


def main() -> None:
    """Serve until ended."""
    import uvicorn

    parser = argparse.ArgumentParser(description="The simulator behind a gate.")
    parser.add_argument("--simulator", type=Path, required=True)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--port", type=int, default=8098)
    parser.add_argument("--fail", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=int, default=0)
    for name, default in SIMULATOR_FLAGS.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    chosen = parser.parse_args()
    simulator = runpy.run_path(str(chosen.simulator))
    simulator["reset"]()
    chosen.error_every = chosen.drop_every = 0
    chosen.scripted = runpy.run_path(str(chosen.script))["answer"] if chosen.script else None
    gate = Gate(simulator["make_app"](chosen), chosen.fail, chosen.limit, random.Random(chosen.seed))
    uvicorn.run(gate, host="127.0.0.1", port=chosen.port, log_level="critical")


if __name__ == "__main__":
    main()

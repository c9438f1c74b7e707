"""What the server says and refuses on every request: whose host name it answers to, and what a page may load."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
"""A page can load and send nothing anywhere but here. Streamlit needs inline code, and workers from blobs."""
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"SAMEORIGIN"),
)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

PRIVACY: dict[str, object] = {
    "browser.gatherUsageStats": False,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
}
"""Streamlit's own options that keep it from telling others what is read here."""


def check_privacy(option: Callable[[str], Any]) -> None:
    """SystemExit when one of `PRIVACY` is not set, or the server has no address to keep to."""
    wrong = [f"{name} must be {wanted!r}" for name, wanted in PRIVACY.items() if option(name) != wanted]
    if not option("server.address"):
        wrong.append('server.address must be set; "127.0.0.1" keeps the app to this computer')
    if wrong:
        raise SystemExit(
            "R3Con Analyst does not start without its privacy settings: "
            + "; ".join(wrong)
            + ". They are in .streamlit/config.toml beside app.py; an environment variable or option may override them."
        )


def allowed_hosts() -> frozenset[str]:
    """Names this server answers to: this computer's own, and those set in server.allowedHosts."""
    import streamlit as st

    return LOOPBACK | frozenset(st.get_option("server.allowedHosts") or ())


def may_ask(headers: Headers, hosts: frozenset[str]) -> bool:
    """Whether a request is meant for us: a known Host, and no other site's Origin.

    Closes DNS rebinding: a stranger's page that makes its own name point to this computer still carries that name.
    """
    if _hostname(f"//{headers.get('host', '')}") not in hosts:
        return False
    origin = headers.get("origin")
    return origin is None or _hostname(origin) in hosts


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class Guard:
    """ASGI middleware around everything: refuses foreign hosts, adds the headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or connection on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if not may_ask(Headers(scope=scope), allowed_hosts()):
            await _refuse(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse("This server does not answer to that host name.", 400)(scope, receive, send)

"""What the server says and refuses on every request: who it answers to, and what a page may load.

It answers to its own host name and to its own pages only, and of Streamlit's addresses only to those that pages need.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.entry.stamp import TRUSTED_HEADERS, stripped
from r3con_core.team import Team
from r3con_core.team.settings import LOOPBACK_NAMES, is_loopback

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
HEADERS = {
    b"content-security-policy": CONTENT_SECURITY_POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"SAMEORIGIN",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}
"""Added where an answer does not state its own."""
PRIVACY: dict[str, object] = {
    "browser.gatherUsageStats": False,
    "client.allowedOrigins": [],
    "client.showErrorDetails": "type",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "server.baseUrlPath": "",
    "server.enableAgentApi": False,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "server.trustedUserHeaders": TRUSTED_HEADERS,
}
"""Streamlit's own options that keep it from telling others what is read here, and what it keeps from whom."""
_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?)(?::([0-9]{1,5}))?")
_PORTS = {"http": "80", "https": "443"}
_MOST_PATH, _MOST_QUERY, _MOST_HEADERS = 2_000, 16_000, 64_000
"""Bytes. A link may name 200 places of a document."""
_CORE = ("health", "host-config", "stream")
_CORE_BELOW = ("upload_file/", "bidi-components/")
_CLOSED = ("auth", "oauth2callback", "component", "app")
"""Parts of Streamlit that are not used here: its own sign-in, components of its first kind, static files of an app."""


def check_privacy(option: Callable[[str], Any], team: Team | None = None, environ: Mapping[str, str] = {}) -> None:
    """SystemExit when one of `PRIVACY` is not set, or the server could be reached by others than it is meant for."""
    wrong = [f"{name} must be {wanted!r}" for name, wanted in PRIVACY.items() if option(name) != wanted]
    wrong += _reachable(option) if team is None else _unlike(option, team, environ)
    if wrong:
        raise SystemExit(
            "R3Con Analyst does not start without its privacy settings: "
            + "; ".join(wrong)
            + ". They are in .streamlit/config.toml beside app.py; an environment variable or option may override them."
        )


def _reachable(option: Callable[[str], Any]) -> Iterable[str]:
    """How others than the person at this computer could reach it."""
    if not is_loopback(option("server.address") or ""):
        yield (
            'server.address must be "127.0.0.1", which keeps the app to this computer. To open it to others, state '
            "who they are: r3con app --team FILE"
        )
    others = sorted(set(option("server.allowedHosts") or ()) - LOOPBACK_NAMES)
    if others or not option("server.allowedHosts"):
        yield "server.allowedHosts must name this computer only. To open it to others: r3con app --team FILE"


def _unlike(option: Callable[[str], Any], team: Team, environ: Mapping[str, str]) -> Iterable[str]:
    """What was started otherwise than the team file says."""
    hosts = sorted(option("server.allowedHosts") or ())
    wanted = {
        "server.address": team.address,
        "server.sslCertFile": str(team.certificate) if team.certificate else None,
        "server.sslKeyFile": str(team.key) if team.key else None,
    }
    if hosts != [team.host] or any((option(name) or None) != value for name, value in wanted.items()):
        yield "an app of a team is started by: r3con app --team FILE"
    elif environ.get("FORWARDED_ALLOW_IPS") != ",".join(team.proxies):
        yield "FORWARDED_ALLOW_IPS must name the proxies of the team file"


class Guard:
    """ASGI middleware around everything: refuses foreign hosts and sites, closes what is not used, adds the headers."""

    def __init__(self, app: ASGIApp, *, team: Team | None = None) -> None:
        """`team`: None for the person at this computer."""
        self.app, self.team = app, team

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or connection on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                stated = list(message.get("headers", ()))
                names = {name.lower() for name, _ in stated}
                message = {**message, "headers": [*stated, *((n, v) for n, v in HEADERS.items() if n not in names)]}
            await send(message)

        refusal = why_refused(scope, self.team)
        if refusal is None:
            await self.app(stripped(scope), receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse(refusal[1], refusal[0])(scope, receive, send_with_headers)


def why_refused(scope: Scope, team: Team | None) -> tuple[int, str] | None:
    """Status and sentence for a request that is not meant for us; None for one that is.

    Closes DNS rebinding: a stranger's page that makes its own name point to this computer still carries that name. And
    requests of other sites, of other ports of this computer, and of files and frames without an origin.
    """
    headers = Headers(scope=scope)
    own = own_origin(scope, headers, team)
    if own is None:
        return 400, "This server does not answer to that host name."
    origin = headers.get("origin")
    if (origin is None and scope["type"] == "websocket") or origin not in (None, own):
        return 400, "This request comes from another site."
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not _is_visit(scope, headers):
        return 403, "This request comes from another site."
    return _too_much(scope) or _closed(scope)


def own_origin(scope: Scope, headers: Headers, team: Team | None) -> str | None:
    """What the origin of our own pages is in this request; None when it is not for us.

    Of a team it is the stated one. The person at this computer may reach it by any port, as through a tunnel, but only
    from this computer.
    """
    scheme = str(scope["scheme"]).replace("ws", "http")
    given = headers.getlist("host")
    host = given[0].lower() if len(given) == 1 else ""
    parts = _HOST.fullmatch(host)
    if parts is None:
        return None
    if team is not None:
        return team.origin if _plain_origin(scheme, host) == team.origin else None
    client = scope.get("client")
    if client is None or not is_loopback(client[0]) or parts[1].strip("[]") not in LOOPBACK_NAMES:
        return None
    return _plain_origin(scheme, host)


def _plain_origin(scheme: str, host: str) -> str:
    """As browsers write it: without a usual port."""
    return f"{scheme}://{host.removesuffix(f':{_PORTS.get(scheme)}')}"


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Whether someone follows a link to a page of ours, in a window of its own."""
    return (
        scope.get("method") in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _too_much(scope: Scope) -> tuple[int, str] | None:
    if len(scope.get("raw_path") or b"") > _MOST_PATH or len(scope.get("query_string", b"")) > _MOST_QUERY:
        return 414, "The address is too long."
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _MOST_HEADERS:
        return 431, "The request's headers are too large."
    return None


def _closed(scope: Scope) -> tuple[int, str] | None:
    """404 for addresses of Streamlit that pages do not need, such as its metrics."""
    first, _, rest = scope["path"].lstrip("/").partition("/")
    closed = first == "_stcore" and rest not in _CORE and not rest.startswith(_CORE_BELOW)
    return (404, "There is nothing here.") if closed or first in _CLOSED else None

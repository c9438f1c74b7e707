"""The gate of a team's app: before everything, for every request and connection, someone must be signed in."""

import asyncio
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.entry.belongings import has_room, is_a_persons, may_have, may_say, note_made, read_message
from pages.entry.counter import Counter
from pages.entry.door import safe_after
from pages.entry.logins import Login, Logins
from pages.entry.stamp import stamped

LOOK_SECONDS = 2.0
"""Between looks whether someone is still signed in, while nothing comes over their connection."""
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class Gate:
    """ASGI middleware that lets through nothing of the app without a login, and says who asks where there is one."""

    def __init__(self, app: ASGIApp, *, counter: Counter) -> None:
        self.app, self.counter = app, counter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or connection on, answer it here, or refuse it."""
        if scope["type"] == "http":
            await self._http(scope, receive, self._secured(send))
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self.counter.respond(request)
        if response is not None:
            await response(scope, receive, send)
            return
        login = self.counter.login_of(request)
        if login is None:
            await _ask_in(request)(scope, receive, send)
            return
        if not may_have(request.url.path, login):
            await JSONResponse({"fault": "There is nothing here."}, 404)(scope, receive, send)
            return
        if request.method == "PUT" and not has_room(request.url.path):
            await JSONResponse({"fault": "The server holds too many files. Close other pages."}, 507)(
                scope, receive, send
            )
            return
        if request.method not in ("GET", "HEAD") or request.headers.get("sec-fetch-mode") == "navigate":
            self.counter.logins.used(login)
        await self.app(stamped(scope, login), receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        login = self.counter.login_of(Request({**scope, "type": "http"}))
        if login is None:
            await send({"type": "websocket.close", "code": 1008})
            return
        line = _Line(login, self.counter.logins, receive, send)
        await self.app(stamped(scope, login), line.receive, line.send)

    def _secured(self, send: Send) -> Send:
        """As `send`; nothing is kept by a browser that does not say so, and over HTTPS no cookie comes back without it."""
        encrypted = self.counter.team.encrypted

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _careful(list(message.get("headers", ())), encrypted=encrypted)}
            await send(message)

        return secured


def _careful(headers: list[tuple[bytes, bytes]], *, encrypted: bool) -> list[tuple[bytes, bytes]]:
    names = {name.lower() for name, _ in headers}
    kept = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
    if not encrypted:
        return [*headers, *kept]
    return [*((name, _secure(name, value)) for name, value in headers), *kept, _HSTS]


def _secure(name: bytes, value: bytes) -> bytes:
    bare = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return value + b"; Secure" if bare else value


def _ask_in(request: Request) -> Response:
    """What someone gets who is not signed in: the door where a page was asked for, else a plain no."""
    no_store = {"Cache-Control": "no-store"}
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        after = safe_after(f"{request.url.path}?{request.url.query}")
        return RedirectResponse(f"/login?{urlencode({'after': after})}", 303, headers=no_store)
    return JSONResponse({"fault": "You are not signed in. Reload the page."}, 401, headers=no_store)


class _Line:
    """One connection of a page: it ends with the login, whoever speaks last."""

    def __init__(self, login: Login, logins: Logins, receive: Receive, send: Send) -> None:
        self._login, self._logins, self._receive, self._send = login, logins, receive, send
        self._closed = False

    async def receive(self) -> Message:
        """The next message that a page may send, if someone is still signed in when it has come; else the end."""
        while not self._closed:
            message = await self._next()
            if not self._logins.lives(self._login):
                break
            if message["type"] != "websocket.receive" or self._passes(message):
                return message
        return await self._close()

    async def _next(self) -> Message:
        """What comes next; a disconnection of our own once nobody is signed in any more."""
        coming = asyncio.ensure_future(self._receive())
        ended = asyncio.ensure_future(self._login.ended.wait())
        try:
            while not coming.done() and self._logins.lives(self._login):
                await asyncio.wait({coming, ended}, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else {"type": "websocket.disconnect", "code": 1008}
        finally:
            ended.cancel()
            coming.cancel()

    def _passes(self, message: Message) -> bool:
        """Whether it goes on to the page. What a person did begins the idle time anew."""
        told = read_message(message.get("bytes") or b"")
        if told is None or not may_say(told, self._login):
            return False
        if is_a_persons(told):
            self._logins.used(self._login)
        return True

    async def send(self, message: Message) -> None:
        """Send it, if someone is still signed in."""
        if self._closed:
            return
        if message["type"] == "websocket.send" and not self._logins.lives(self._login):
            await self._close()
            return
        if message["type"] == "websocket.send" and message.get("bytes"):
            note_made(message["bytes"], self._login)
        await self._send(message)

    async def _close(self) -> Message:
        if not self._closed:
            self._closed = True
            await self._send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

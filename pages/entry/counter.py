"""The counter at the door: signing in by password or by an issuer, signing out, and whose token a request carries."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from pages.entry import door
from pages.entry.issuer import Issuers
from pages.entry.logins import Login, Logins, Person
from pages.entry.roll import Roll
from r3con_core.errors import TeamError
from r3con_core.team import Team, earlier_home
from r3con_core.team.delays import Delays, neighbourhood
from r3con_core.team.users import User, check_password

_LARGEST_FORM = 8_192
"""Bytes."""
_AT_ONCE, _MOST_WAITING = 2, 20
"""Passwords checked at once, each in 32 MB; and tries that may wait for that."""
_WRONG = "The name or the password is wrong."
_LOGIN, _FORM, _WAY = "r3con", "r3con-form", "r3con-way"
"""Cookies: of a login, of a form not yet sent, of a way to the issuer and back."""
_NO_STORE = {"Cache-Control": "no-store"}


class Counter:
    """Answers the addresses of the door, and knows who is signed in."""

    def __init__(self, team: Team, home: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.team, self.home = team, home
        self.roll = Roll(home)
        admitted = (lambda _person: True) if team.oidc else self.roll.has
        idle, longest = team.idle_minutes * 60.0, team.longest_hours * 3_600.0
        self.logins = Logins(idle=idle, longest=longest, clock=clock, admitted=admitted)
        self._issuers = Issuers(team, clock)
        self._by_address = Delays(free=20, longest=900.0, clock=clock)
        self._by_name = Delays(free=3, longest=60.0, clock=clock)
        self._checking, self._waiting = asyncio.Semaphore(_AT_ONCE), 0
        self._secret = secrets.token_bytes(32)
        self._prefix = "__Host-" if team.encrypted else ""
        self._answers = {
            ("GET", "/login"): self._show_door,
            ("POST", "/login"): self._sign_in,
            ("GET", "/login/start"): self._start,
            ("GET", "/login/back"): self._back,
            ("GET", "/login/door.css"): _style,
            ("GET", "/login/icon.svg"): _icon,
            ("GET", "/logout"): self._ask_out,
            ("POST", "/logout"): self._sign_out,
            ("GET", "/signed-in"): self._signed_in,
        }

    def login_of(self, request: Request) -> Login | None:
        """Who asks, if someone is signed in."""
        return self.logins.find(request.cookies.get(f"{self._prefix}{_LOGIN}", ""))

    async def respond(self, request: Request) -> Response | None:
        """The answer, if the address is one of the door's."""
        path = request.url.path
        if path not in {known for _, known in self._answers}:
            return None
        answer = self._answers.get((request.method.replace("HEAD", "GET"), path))
        return await answer(request) if answer else PlainTextResponse("Method Not Allowed", 405)

    async def _show_door(self, request: Request) -> Response:
        after = door.safe_after(request.query_params.get("after", "/"))
        if self.login_of(request) is not None:
            return RedirectResponse(after, 303, headers=_NO_STORE)
        return self._door(after)

    def _door(self, after: str, message: str = "", status: int = 200) -> Response:
        if self.team.oidc is not None:
            host = urlsplit(self.team.oidc.issuer).hostname or ""
            return door.issuer_page(host, after, message=message, status=status)
        form = secrets.token_urlsafe(32)
        response = door.password_page(self._form_token(form), after, message=message, status=status)
        self._set(response, _FORM, form, same_site="strict")
        return response

    async def _sign_in(self, request: Request) -> Response:
        """Name and password. Every no is the same one, and takes as long."""
        if self.team.oidc is not None:
            return PlainTextResponse("Method Not Allowed", 405)
        form = await _form(request)
        after, name = door.safe_after(form.get("after", "/")), form.get("name", "").strip().lower()
        token = self._form_token(request.cookies.get(f"{self._prefix}{_FORM}", ""))
        if not hmac.compare_digest(form.get("token", "").encode(), token.encode()):
            return self._door(after, "This form was too old. Try again.", 403)
        address = neighbourhood(request.client.host) if request.client else ""
        wait = max(self._by_address.wait(address), self._by_name.wait(name))
        if wait > 0 or self._waiting >= _MOST_WAITING:
            return self._door(after, f"Too many tries. Wait {_seconds(max(wait, 1))} and try again.", 429)
        user = await self._check(name, form.get("password", ""), address)
        if user is None:
            return self._door(after, _WRONG, 401)
        return self._let_in(request, Person(identity=f"user {user.name}", name=user.name, stamp=user.stamp), after)

    async def _check(self, name: str, password: str, address: str) -> User | None:
        self._by_address.failed(address)
        self._by_name.failed(name)
        self._waiting += 1
        try:
            async with self._checking:
                user = await run_in_threadpool(check_password, self.home, name, password)
        except TeamError:
            return None
        finally:
            self._waiting -= 1
        if user is not None:
            self._by_address.one_back(address)
            self._by_name.right(name)
        return user

    async def _start(self, request: Request) -> Response:
        """Off to the issuer."""
        if self.team.oidc is None:
            return PlainTextResponse("Method Not Allowed", 405)
        after = door.safe_after(request.query_params.get("after", "/"))
        try:
            way, address = await run_in_threadpool(self._issuers.begin, after)
        except TeamError as error:
            return self._door(after, str(error), 502)
        response = RedirectResponse(address, 303, headers={**_NO_STORE, "Referrer-Policy": "no-referrer"})
        self._set(response, _WAY, way, same_site="lax")
        return response

    async def _back(self, request: Request) -> Response:
        """Back from the issuer."""
        if self.team.oidc is None:
            return PlainTextResponse("Method Not Allowed", 405)
        way = request.cookies.get(f"{self._prefix}{_WAY}", "")
        try:
            person, after = await run_in_threadpool(self._issuers.finish, way, dict(request.query_params))
        except TeamError as error:
            return self._door("/", str(error), 403)
        return self._let_in(request, person, after)

    def _let_in(self, request: Request, person: Person, after: str) -> Response:
        earlier = self.login_of(request)
        if earlier is not None:
            self.logins.end(earlier)
        homes = self.home / "users"
        person = replace(person, earlier=earlier_home(homes, person.identity))
        folder = homes / person.folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            return self._door(after, f"There is no room for your work: {error.strerror}. Ask whoever runs this.", 507)
        token, _ = self.logins.begin(person)
        response = RedirectResponse(after, 303, headers=_NO_STORE)
        self._set(response, _LOGIN, token, same_site="lax")
        self._drop(response, _FORM, _WAY)
        return response

    async def _ask_out(self, request: Request) -> Response:
        """Out at once when one of our pages leads here; another site can only make the question appear."""
        login = self.login_of(request)
        if login is None:
            return RedirectResponse("/login", 303, headers=_NO_STORE)
        if request.headers.get("sec-fetch-site") == "same-origin":
            return self._out(login)
        return door.leave_page(login.form, login.person.name)

    async def _sign_out(self, request: Request) -> Response:
        login = self.login_of(request)
        if login is None:
            return RedirectResponse("/login", 303, headers=_NO_STORE)
        given = (await _form(request)).get("token", "")
        if not hmac.compare_digest(given.encode(), login.form.encode()):
            return door.leave_page(login.form, login.person.name)
        return self._out(login)

    def _out(self, login: Login) -> Response:
        self.logins.end(login)
        response = RedirectResponse("/login", 303, headers=_NO_STORE)
        self._drop(response, _LOGIN)
        return response

    async def _signed_in(self, request: Request) -> Response:
        """Whether the asking page's person still is; asking does not keep them in."""
        login = self.login_of(request)
        return JSONResponse({"in": login is not None}, 200 if login else 401, headers=_NO_STORE)

    def _form_token(self, form: str) -> str:
        """What the form must carry that was given out with this cookie."""
        return hmac.new(self._secret, form.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _set(self, response: Response, name: str, value: str, *, same_site: str) -> None:
        samesite: Mapping[str, object] = {"samesite": same_site, "secure": self.team.encrypted, "httponly": True}
        response.set_cookie(f"{self._prefix}{name}", value, path="/", **samesite)  # type: ignore[arg-type]

    def _drop(self, response: Response, *names: str) -> None:
        for name in names:
            response.delete_cookie(f"{self._prefix}{name}", path="/", secure=self.team.encrypted, httponly=True)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; none when it is too large or not one."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return {}
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LARGEST_FORM:
                return {}
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=10))
    except (ClientDisconnect, ValueError):
        return {}


def _seconds(wait: float) -> str:
    return f"{wait / 60:.0f} minutes" if wait >= 100 else f"{max(1, round(wait))} seconds"


async def _style(_request: Request) -> Response:
    return Response(door.STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


async def _icon(_request: Request) -> Response:
    return Response(door.ICON, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})

"""The door of a team's app: how long someone is in, HTTPS, and signing in at an issuer that really answers."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.entry.counter import Counter
from pages.entry.gate import Gate
from pages.entry.logins import MOST_PER_PERSON, Logins, Person
from pages.guard import PRIVACY, Guard, check_privacy
from r3con_core.team import Oidc, Team
from r3con_core.team.users import users_file
from tests.pages.test_server import PASSWORD, quick


def who(request: Request) -> JSONResponse:
    """What pages and routes are told about who asks."""
    return JSONResponse({name: request.headers.getlist(name) for name in ("x-r3con-user", "x-r3con-home")})


@contextmanager
def browser(team: Team, home: Path, clock: Any = time.monotonic) -> Iterator[TestClient]:
    """A browser at an app behind the gate, which tells who asks."""
    counter = Counter(team, home, clock)
    routes = [Route("/", who), Route("/api/x", who), Route("/upload", who, methods=["POST"])]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, team=team), Middleware(Gate, counter=counter)])
    with TestClient(app, base_url=team.url, follow_redirects=False) as client:
        yield client


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_users(tmp_path, "1")
    return tmp_path


def write_users(home: Path, stamp: str) -> None:
    users_file(home).parent.mkdir(exist_ok=True)
    users_file(home).write_text(json.dumps({"ann": {"password": quick(PASSWORD), "stamp": stamp}}), "utf-8")


def sign_in(client: TestClient) -> None:
    found = re.search(r'name="token" value="([^"]+)"', client.get("/login").text)
    assert found is not None
    reply = client.post("/login", data={"token": found[1], "name": "ann", "password": PASSWORD})
    assert reply.status_code == 303


HERE = Team(url="http://localhost", idle_minutes=60, longest_hours=12)


def test_someone_who_does_nothing_for_an_hour_is_out_though_their_page_asks_on(home: Path) -> None:
    now = [0.0]
    with browser(HERE, home, lambda: now[0]) as client:
        sign_in(client)
        for minute in (30, 59):
            now[0] = minute * 60.0
            assert client.get("/api/x").status_code == 200
            assert client.get("/signed-in").status_code == 200
        now[0] = 60.1 * 60
        assert client.get("/api/x").status_code == 401


def test_someone_who_works_is_out_after_the_longest_time(home: Path) -> None:
    now = [0.0]
    with browser(HERE, home, lambda: now[0]) as client:
        sign_in(client)
        while now[0] <= 12 * 3_600.0:
            assert client.post("/upload").status_code == 200
            now[0] += 1_800.0
        assert client.post("/upload").status_code == 401


def test_another_password_or_a_file_that_cannot_be_read_ends_every_login(home: Path) -> None:
    with browser(HERE, home) as client:
        sign_in(client)
        assert client.get("/").json() == {
            "x-r3con-user": ["ann"],
            "x-r3con-home": [next((home / "users").iterdir()).name],
        }
        write_users(home, "another")
        assert client.get("/").status_code == 401
        sign_in(client)
        users_file(home).write_text("{", "utf-8")
        assert client.get("/").status_code == 401
        users_file(home).unlink()
        assert client.get("/").status_code == 401


def test_only_the_gate_says_who_asks(home: Path) -> None:
    with browser(HERE, home) as client:
        sign_in(client)
        for forged in ("X-R3Con-User", "x_r3con_user", "X-R3CON-USER"):
            assert client.get("/", headers={forged: "bob"}).json()["x-r3con-user"] == ["ann"]


def test_a_person_has_so_many_browsers_and_the_oldest_is_signed_out() -> None:
    now = [0.0]
    logins = Logins(idle=1e9, longest=1e9, clock=lambda: now[0], admitted=lambda _person: True)
    tokens = []
    for number in range(MOST_PER_PERSON + 1):
        now[0] = float(number)
        tokens.append(logins.begin(Person(identity="user ann", name="ann"))[0])
    bob, _ = logins.begin(Person(identity="user bob", name="bob"))
    assert [logins.find(token) is not None for token in tokens] == [False] + [True] * MOST_PER_PERSON
    assert logins.find(bob) is not None
    assert logins.find("") is None


def test_over_https_no_cookie_comes_back_without_it(home: Path) -> None:
    team = Team(url="https://R3con.example.org", proxies=("127.0.0.1",))
    with browser(team, home) as client:
        sign_in(client)
        (cookie,) = [kept for kept in client.cookies.jar if kept.name == "__Host-r3con"]
        assert (cookie.secure, cookie.path, cookie.domain_specified) == (True, "/", False)
        reply = client.get("/", headers={"origin": "https://r3con.example.org"})
        assert reply.headers["strict-transport-security"] == "max-age=31536000"
        assert reply.headers["cache-control"] == "no-store"
        assert client.get("http://r3con.example.org/").status_code == 400
        assert client.get("https://r3con.example.org:8443/").status_code == 400
        assert client.get("/", headers={"origin": "http://r3con.example.org"}).status_code == 400


def test_an_app_of_a_team_starts_only_as_its_file_says() -> None:
    team = Team(url="https://r3con.example.org", proxies=("10.0.0.1",))
    settings = {**PRIVACY, "server.address": "127.0.0.1", "server.allowedHosts": ["r3con.example.org"]}
    believed = {"FORWARDED_ALLOW_IPS": "10.0.0.1"}
    check_privacy(settings.get, team, believed)
    for other in ({"server.address": "0.0.0.0"}, {"server.allowedHosts": ["*"]}, {"server.sslCertFile": "/x"}):
        with pytest.raises(SystemExit, match="r3con app --team FILE"):
            check_privacy({**settings, **other}.get, team, believed)
    for proxies in ({}, {"FORWARDED_ALLOW_IPS": "*"}, {"FORWARDED_ALLOW_IPS": "10.0.0.1,8.8.8.8"}):
        with pytest.raises(SystemExit, match="proxies of the team file"):
            check_privacy(settings.get, team, proxies)


class Issuer(BaseHTTPRequestHandler):
    """An issuer on this computer that vouches for one person."""

    key: Any
    mail = "ann@example.org"
    nonce = ""

    def do_GET(self) -> None:
        root = self._root()
        if self.path == "/keys":
            self._answer({"keys": [self.key.as_dict(private=False)]})
        else:
            names = {"authorization_endpoint": "go", "token_endpoint": "token", "jwks_uri": "keys"}
            self._answer({"issuer": root, **{name: f"{root}/{path}" for name, path in names.items()}})

    def do_POST(self) -> None:
        from joserfc import jwt

        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        assert form["code"] == ["c0de"]
        root = self._root()
        claims = {"iss": root, "aud": "r3con", "sub": "1", "nonce": type(self).nonce, "email": type(self).mail}
        times = {"iat": int(time.time()), "exp": int(time.time()) + 60, "email_verified": True}
        self._answer({"id_token": jwt.encode({"alg": "ES256", "kid": "1"}, {**claims, **times}, self.key)})

    def _root(self) -> str:
        return f"http://127.0.0.1:{self.connection.getsockname()[1]}"

    def _answer(self, told: object) -> None:
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def issuer() -> Iterator[str]:
    from joserfc.jwk import ECKey

    Issuer.key, Issuer.mail = ECKey.generate_key("P-256", {"kid": "1"}), "ann@example.org"
    server = HTTPServer(("127.0.0.1", 0), Issuer)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


CROSS_SITE_VISIT = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def go(client: TestClient) -> dict[str, str]:
    """Off to the issuer: what it is told."""
    reply = client.get("/login/start", params={"after": "/data?run=run-1"})
    assert reply.status_code == 303
    told = {name: values[0] for name, values in parse_qs(urlsplit(reply.headers["location"]).query).items()}
    Issuer.nonce = told["nonce"]
    return told


def test_signing_in_at_an_issuer_leads_back_to_where_someone_wanted_to_go(issuer: str, tmp_path: Path) -> None:
    team = Team(url="http://localhost", oidc=Oidc(issuer=issuer, client_id="r3con", allowed=("@example.org",)))
    with browser(team, tmp_path) as client:
        assert "Sign in at 127.0.0.1" in client.get("/login").text
        assert client.post("/login", data={"name": "ann"}).status_code == 405
        told = go(client)
        back = {"state": told["state"], "code": "c0de"}
        reply = client.get("/login/back", params=back, headers=CROSS_SITE_VISIT)
        assert (reply.status_code, reply.headers["location"]) == (303, "/data?run=run-1")
        assert client.get("/").json()["x-r3con-user"] == ["ann@example.org"]
        client.cookies.delete("r3con")
        assert client.get("/login/back", params=back).status_code == 403  # each way is good once


def test_someone_whose_mail_address_changes_keeps_their_folder(issuer: str, tmp_path: Path) -> None:
    team = Team(url="http://localhost", oidc=Oidc(issuer=issuer, client_id="r3con", allowed=("@example.org",)))
    seen = set()
    for Issuer.mail in ("ann@example.org", "ann.smith@example.org"):
        with browser(team, tmp_path) as client:
            back = {"state": go(client)["state"], "code": "c0de"}
            assert client.get("/login/back", params=back).status_code == 303
            seen.add(client.get("/").json()["x-r3con-home"][0])
    assert len(seen) == 1


def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(issuer: str, tmp_path: Path) -> None:
    team = Team(url="http://localhost", oidc=Oidc(issuer=issuer, client_id="r3con", allowed=("@example.org",)))
    with browser(team, tmp_path) as client:
        strangers = go(client)
        client.cookies.clear()
        assert client.get("/login/back", params={"state": strangers["state"], "code": "c0de"}).status_code == 403
        go(client)
        assert client.get("/login/back", params={"state": strangers["state"], "code": "c0de"}).status_code == 403
        told, Issuer.mail = go(client), "ann@evil.example"
        refused = client.get("/login/back", params={"state": told["state"], "code": "c0de"})
        assert (refused.status_code, "not among those that may enter" in refused.text) == (403, True)
        assert client.get("/").status_code == 401


def test_an_issuer_that_cannot_be_reached_is_said_in_a_sentence(tmp_path: Path) -> None:
    team = Team(
        url="http://localhost", oidc=Oidc(issuer="http://127.0.0.1:1", client_id="r3con", allowed=("@example.org",))
    )
    with browser(team, tmp_path) as client:
        reply = client.get("/login/start")
        assert (reply.status_code, "The issuer cannot be reached" in reply.text) == (502, True)

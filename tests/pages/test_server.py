"""The app of a team, really running: what strangers, other sites and other people get of it by real requests."""

import hashlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed

from r3con_core.team import home_of
from r3con_core.team.users import load_users, remove_user
from tests.fakes import harbour_project
from tests.pages.line import Page, open_line

ROOT = Path(__file__).parents[2]
PASSWORD = "correct horse battery"
PEOPLE = ("ann", "bob", "cleo", "dan")
OPEN = {"/login", "/login/door.css", "/login/icon.svg"}


@dataclass(frozen=True)
class Team:
    """A running app of a team."""

    address: str
    home: Path

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def get(self, path: str, cookie: str = "", **headers: str) -> httpx2.Response:
        return httpx2.get(f"{self.address}{path}", headers={"cookie": cookie, **headers})

    def folder(self, name: str) -> Path:
        return self.home / "users" / home_of(f"user {name}", name)


def quick(password: str) -> str:
    """As passwords are kept, at costs that a test can pay."""
    digest = hashlib.scrypt(password.encode(), salt=b"0" * 16, n=16, r=8, p=1, dklen=32)
    return f"scrypt$16$8$1${(b'0' * 16).hex()}${digest.hex()}"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home = tmp_path_factory.mktemp("team")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (home / "team").mkdir()
    kept = ", ".join(f'"{name}": {{"password": "{quick(PASSWORD)}", "stamp": "1"}}' for name in PEOPLE)
    (home / "team" / "users.json").write_text(f"{{{kept}}}", "utf-8")
    (home / "team.toml").write_text(f'url = "http://localhost:{port}"\nport = {port}\n', "utf-8")
    running = Team(f"http://localhost:{port}", home)
    harbour_project(running.folder("ann") / "projects").close()
    log = (home / "app.log").open("w+b")
    command = [sys.executable, "-m", "r3con_core", "app", "--team", str(home / "team.toml"), "--no-browser"]
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "R3CON_HOME": str(home)}, stdout=log, stderr=log)
    try:
        wait_until_open(server, home / "app.log")
        yield running
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def wait_until_open(server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while b"open to the team" not in log.read_bytes():
        assert server.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < until
        time.sleep(0.05)


def door(team: Team) -> tuple[str, str]:
    """The cookie that comes with the form at the door, and what the form must carry."""
    reply = team.get("/login")
    found = re.search(r'name="token" value="([^"]+)"', reply.text)
    assert found is not None
    return f"r3con-form={reply.cookies['r3con-form']}", found[1]


def send_form(team: Team, cookie: str, form: dict[str, str], **headers: str) -> httpx2.Response:
    return httpx2.post(f"{team.address}/login", data=form, headers={"cookie": cookie, **headers})


def knock(team: Team, name: str, password: str = PASSWORD) -> httpx2.Response:
    cookie, token = door(team)
    return send_form(team, cookie, {"token": token, "name": name, "password": password}, origin=team.address)


def enter(team: Team, name: str) -> str:
    """The cookie of someone who has just signed in."""
    reply = knock(team, name)
    assert reply.status_code == 303
    return f"r3con={reply.cookies['r3con']}"


@pytest.fixture(scope="module")
def ann(team: Team) -> str:
    return enter(team, "ann")


@pytest.fixture(scope="module")
def bob(team: Team) -> str:
    return enter(team, "bob")


def raw(team: Team, request: str) -> str:
    """What comes back for these very bytes."""
    with socket.create_connection(("127.0.0.1", team.port), 10) as line:
        line.settimeout(10)
        line.sendall(request.encode("latin-1"))
        told = b""
        while chunk := line.recv(65_536):
            told += chunk
        return told.decode("latin-1")


def ask(team: Team, path: str, cookie: str, method: str = "GET", **headers: str) -> str:
    """As `raw`, for a path that no client would send as it is written."""
    lines = {"Host": f"localhost:{team.port}", "Cookie": cookie, "Connection": "close", **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return raw(team, f"{method} {path} HTTP/1.1\r\n{head}\r\n")


def handshake(team: Team, cookie: str, origin: str) -> int:
    """What the request for a page's connection is answered with; no origin for ""."""
    with socket.create_connection(("127.0.0.1", team.port), 10) as line:
        head = f"GET /_stcore/stream HTTP/1.1\r\nHost: localhost:{team.port}\r\nCookie: {cookie}\r\n"
        upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        key = "Sec-WebSocket-Key: MDAwMDAwMDAwMDAwMDAwMA==\r\n"
        said = f"Origin: {origin}\r\n" if origin else ""
        line.sendall(f"{head}{upgrade}{key}{said}\r\n".encode())
        return int(line.recv(4_096).split()[1])


PATHS = (
    *("/", "/question?project=harbour", "/index.html", "/static/js/index.js", "/manifest.json", "/favicon.png"),
    *("/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/script-health-check"),
    *("/_stcore/bidi-components/r3con_upload/x.js", "/_stcore/upload_file/a/b", "/media/a.csv", "/component/a/b"),
    *("/api/documents/harbour/doc-1", "/api/runs/harbour/run-1/since/0", "/api/pages/harbour/doc-1/1"),
    *("/assets/icon.svg", "/auth/login", "/oauth2callback", "/app/static/x", "/login/x", "/login/../assets/icon.svg"),
    *("/login%2f..%2fassets%2ficon.svg", "//login", "/LOGIN", "/signed-in", "/logout", "/login/start", "/login/back"),
)


@pytest.mark.parametrize("path", PATHS)
def test_without_a_login_nothing_is_told(team: Team, path: str) -> None:
    for cookie in ("", "r3con=", "r3con=" + "A" * 43):
        for accept in ("text/html", "*/*"):
            told = ask(team, path, cookie, Accept=accept)
            status = int(told.split()[1])
            assert status in {303, 400, 401, 404, 405}, told
            assert status != 303 or "\r\nlocation: /login" in told
            assert len(told.partition("\r\n\r\n")[2]) < 80


def test_without_a_login_no_page_is_connected(team: Team) -> None:
    for cookie in ("", "r3con=" + "A" * 43):
        assert handshake(team, cookie, team.address) == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "{0}0", "https{1}", "http://localhost@evil.example", ""]
)
def test_another_origin_gets_no_connection_and_no_answer(team: Team, ann: str, origin: str) -> None:
    origin = origin.format(team.address, team.address.removeprefix("http"))
    assert handshake(team, ann, team.address) == 101
    assert handshake(team, ann, origin) == 403
    if origin:
        assert team.get("/", ann, origin=origin).status_code == 400


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "localhost:1",
        "{0}@evil.example",
        "evil@{0}",
        "{0}#a",
        "{0}/a",
        "{0}.",
        "",
    ],
)
def test_another_host_name_gets_no_answer(team: Team, ann: str, host: str) -> None:
    assert ask(team, "/", ann, Host=host.format(f"localhost:{team.port}")).startswith("HTTP/1.1 400")


def test_another_site_may_lead_here_and_embed_nothing(team: Team, ann: str) -> None:
    visit = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert team.get("/", ann, **visit).status_code == 200
    for odd in (
        {"sec-fetch-dest": "iframe"},
        {"sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    ):
        assert team.get("/", ann, **{**visit, **odd}).status_code == 403
    headers = team.get("/", ann).headers
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert headers["cross-origin-resource-policy"] == "same-origin"


LEADING_OUT = (
    *("/assets/../app.py", "/assets/%2e%2e/state.py", "/assets/..%2f..%2fstate.py", "/assets/%252e%252e/state.py"),
    *(
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/..%5c..%5cstate.py",
        "/assets/icon.svg%00",
        "/assets/.",
    ),
    *("/media/../../etc/passwd", "/media//etc/passwd", "/media/%2e%2e%2fpasswd", "/media/a%00b", "/media/"),
    *(
        "/static/%2fetc%2fpasswd",
        "/static/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%252e%252e/x",
        "/..%2fapp.py",
        "/app.py",
    ),
    *("/_stcore/bidi-components/r3con_upload/..%2f..%2fetc%2fpasswd", "/_stcore/bidi-components/%2fetc/passwd"),
    *("/_stcore/upload_file/../../etc/passwd", "/_stcore/upload_file/%2e%2e/x", "//etc/passwd", "/\\etc\\passwd"),
    *("/api/documents/../x", "/api/documents/%2e%2e%2f%2e%2e/x", "/api/documents/harbour%00/x", "/api/documents/%ff/x"),
    *("/api/runs/harbour/x/since/" + "9" * 90, "/api/pages/harbour/x/" + "9" * 5_000, "/api/runs/h/r/since/-1"),
    *("/" + "a" * 30_000, "/?" + "a" * 30_000, "http://evil.example/etc/passwd", "/.streamlit/config.toml"),
)


@pytest.mark.parametrize("path", LEADING_OUT)
def test_no_address_reaches_the_file_system(team: Team, ann: str, path: str) -> None:
    told = ask(team, path, ann)
    status, body = int(told.split()[1]), told.partition("\r\n\r\n")[2]
    assert status in {200, 400, 403, 404, 414}
    assert status != 200 or "You need to enable JavaScript to run this app" in body  # Streamlit's one page
    assert not re.search("root:|import |Traceback|gatherUsageStats", body)


def test_what_streamlit_offers_and_pages_do_not_need_is_closed(team: Team, ann: str) -> None:
    core = ("metrics", "script-health-check", "agent/interact", "agent", "x", "streamlit", "health/x")
    for path in (
        *(f"/_stcore/{name}" for name in core),
        "/auth/login",
        "/oauth2callback",
        "/component/a",
        "/app/static/a",
    ):
        for written in (path, path.replace("/", "%2f").replace("%2f", "/", 1), f"/{path}"):
            told = ask(team, written, ann)
            assert told.startswith("HTTP/1.1 404")
            assert told.endswith("There is nothing here.")


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "OPTIONS", "PUT", "DELETE", "PROPFIND", "FOO"])
def test_other_methods_do_nothing(team: Team, ann: str, method: str) -> None:
    for path in ("/", "/api/documents/harbour/x", "/assets/icon.svg", "/login", "/logout", "/signed-in"):
        assert ask(team, path, ann, method).startswith("HTTP/1.1 405")


def test_requests_that_can_be_read_two_ways_are_not_read_at_all(team: Team) -> None:
    host = f"Host: localhost:{team.port}\r\n"
    twice = "Content-Length: 6\r\nContent-Length: 7\r\n\r\nabcdefg"
    assert raw(team, f"POST /login HTTP/1.1\r\n{host}{twice}").startswith("HTTP/1.1 400")
    assert raw(team, f"GET /login HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n").startswith("HTTP/1.1 400")
    assert raw(team, f"GET /login HTTP/1.1\r\n{host}X: a\x00b\r\n\r\n").startswith("HTTP/1.1 400")
    assert raw(team, "GET /login HTTP/1.0\r\n\r\n").startswith("HTTP/1.1 400")
    both = "Content-Length: 6\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\nGET /signed-in HTTP/1.1\r\n\r\n"
    assert raw(team, f"POST /login HTTP/1.1\r\n{host}{both}").count("HTTP/1.1 ") == 1


def test_every_login_is_a_new_token_and_a_chosen_one_is_worth_nothing(team: Team) -> None:
    cookie, token = door(team)
    form = {"token": token, "name": "cleo", "password": PASSWORD}
    reply = send_form(team, f"{cookie}; r3con=chosen-by-a-stranger", form)
    given = reply.headers["set-cookie"]
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    assert re.match(r"r3con=[\w-]{43}; HttpOnly; Path=/; SameSite=lax", given)
    assert team.get("/signed-in", "r3con=chosen-by-a-stranger").status_code == 401
    assert f"r3con={reply.cookies['r3con']}" != enter(team, "cleo")


def test_a_name_that_nobody_has_gets_the_same_answer_as_a_wrong_password(team: Team) -> None:
    replies = [knock(team, name, "wrong horse battery") for name in ("cleo", "nobody", "../ann")]
    assert {reply.status_code for reply in replies} == {401}
    told = {re.sub(r'value="[^"]*"', "", reply.text) for reply in replies}
    assert len(told) == 1
    assert "The name or the password is wrong." in told.pop()


def test_tries_at_a_password_must_wait_longer_each_time(team: Team) -> None:
    replies = [knock(team, "dan", "wrong horse battery") for _ in range(6)]
    assert {reply.status_code for reply in replies} == {401, 429}
    assert "Too many tries. Wait 1 seconds" in next(reply.text for reply in replies if reply.status_code == 429)


def test_the_form_of_the_door_is_taken_from_its_own_page_only(team: Team) -> None:
    cookie, token = door(team)
    form = {"token": token, "name": "cleo", "password": PASSWORD}
    assert send_form(team, cookie, form, origin="http://evil.example").status_code == 400
    assert send_form(team, door(team)[0], form).status_code == 403
    assert send_form(team, "", form).status_code == 403
    headers = {"cookie": cookie, "content-type": "application/x-www-form-urlencoded"}
    assert httpx2.post(f"{team.address}/login", json=form, headers={"cookie": cookie}).status_code == 403
    too_large = b"token=" + token.encode() + b"&name=cleo&password=" + b"a" * 100_000
    assert httpx2.post(f"{team.address}/login", content=too_large, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("after", "leads_to"),
    [
        ("/question?project=harbour&run=run-1", "/question?project=harbour&run=run-1"),
        ("/data?find=a%20%26%20b", "/data?find=a+%26+b"),
        *(
            (odd, "/")
            for odd in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "")
        ),
        *(
            (odd, "/")
            for odd in ("/%2f/evil.example", "/a/../..//evil.example", "/\tevil", "/a\r\nX: y", "/logout", "/@evil")
        ),
    ],
)
def test_signing_in_leads_to_a_page_of_ours_only(team: Team, ann: str, after: str, leads_to: str) -> None:
    reply = httpx2.get(f"{team.address}/login", params={"after": after}, headers={"cookie": ann})
    assert (reply.status_code, reply.headers["location"]) == (303, leads_to)


def token_on(page: Page, query: str) -> str:
    found = re.search(r"[0-9a-f]{64}", page.run(query))
    assert found is not None
    return found[0]


def test_a_person_sees_their_own_projects_and_nobody_elses(team: Team, ann: str, bob: str) -> None:
    with open_line(team.address, ann) as hers, open_line(team.address, bob) as his:
        assert "harbour" in hers.run().lower().split("or try it")[0]
        told = his.run("project=harbour")
        assert "is not on this computer" in told
        assert "Lime Quay" not in told


def test_another_persons_token_link_and_upload_address_open_nothing(team: Team, ann: str, bob: str) -> None:
    with open_line(team.address, ann) as hers, open_line(team.address, bob) as his:
        token = token_on(hers, "project=harbour&tab=add")
        his.run()
        path = "/api/documents/harbour/doc-0"
        assert team.get(path, ann, **{"x-r3con-token": token}).status_code == 404
        assert team.get(path, bob, **{"x-r3con-token": token}).status_code == 403
        forged = {
            "x-r3con-home": team.folder("ann").name,
            "x-r3con-login": "x",
            "X_R3Con_Home": team.folder("ann").name,
        }
        assert team.get(path, bob, **{"x-r3con-token": token, **forged}).status_code == 403
        link = hers.download("project=harbour&tab=ledger")
        assert link.startswith("/media/")
        assert team.get(link, ann).status_code == 200
        assert team.get(link, bob).status_code == 404
        place = f"{team.address}/_stcore/upload_file/{hers.session}/f"
        assert httpx2.put(place, headers={"cookie": bob}, files={"file": b"x"}).status_code == 404
        assert httpx2.put(place, headers={"cookie": ann}, files={"file": b"x"}).status_code == 403  # no XSRF token


def test_uploads_of_streamlit_need_the_token_that_their_cookie_holds(team: Team, ann: str) -> None:
    with open_line(team.address, ann) as hers:
        hers.run()
        place = f"{team.address}/_stcore/upload_file/{hers.session}/f"
        given = team.get("/_stcore/health", ann).cookies["_streamlit_xsrf"]
        other = team.get("/_stcore/health", ann).cookies["_streamlit_xsrf"]
        cookie = f"{ann}; _streamlit_xsrf={given}"
        for token, status in ((given, 204), (other, 403), ("", 403), ("2|0|0|0", 403)):
            headers = {"cookie": cookie, "x-xsrftoken": token}
            assert httpx2.put(place, headers=headers, files={"file": b"x"}).status_code == status
        assert httpx2.put(place, headers={"cookie": ann, "x-xsrftoken": given}, files={"file": b"x"}).status_code == 403


def test_the_number_of_a_session_does_not_open_it_to_another_login(team: Team, ann: str, bob: str) -> None:
    with open_line(team.address, ann) as hers:
        hers.run()
        with open_line(team.address, bob, session=hers.session) as his:
            told = his.run()
            assert his.session != hers.session
            assert "ann" not in told
        again = enter(team, "ann")
        with open_line(team.address, again, session=hers.session) as other:
            other.run()
            assert other.session != hers.session
        assert "ann" in hers.run()


def test_a_page_says_nothing_that_acts_for_all(team: Team, ann: str, bob: str) -> None:
    with open_line(team.address, ann) as hers, open_line(team.address, bob) as his:
        his.run()
        deferred = hers.deferred("project=harbour&tab=ledger")
        for kind in ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"):
            his.say(kind)
        his.ask_for(deferred)
        assert "git_info_changed" not in (kinds := his.drain())
        assert "backend_operation_response" not in kinds
        hers.ask_for(deferred)
        assert "backend_operation_response" in hers.drain()


def upload(team: Team, cookie: str, token: str, name: str, content: bytes = b"Some words.") -> httpx2.Response:
    headers = {"cookie": cookie, "x-r3con-token": token, "x-r3con-name": name}
    return httpx2.post(f"{team.address}/api/upload/harbour", content=content, headers=headers)


def test_the_name_of_an_upload_stays_a_name(team: Team, ann: str) -> None:
    with open_line(team.address, ann) as hers:
        token = token_on(hers, "project=harbour&tab=add")
    before = sorted(team.home.rglob("*"))
    for number, name in enumerate(("..%2F..%2F..%2Fup%00.txt", "%2Fetc%2Fup.txt", "n" * 300 + "%2F..%2FCON.txt")):
        reply = upload(team, ann, token, name, f"Words {number}.".encode())
        assert reply.status_code == 200
        assert not any(line["path"].startswith(("/", "..")) or "\x00" in line["path"] for line in reply.json()["lines"])
    new = [
        path
        for path in team.home.rglob("*")
        if path not in before and "-wal" not in path.name and "-shm" not in path.name
    ]
    assert not [path for path in new if path.suffix == ".txt"]


def test_an_upload_that_says_it_is_too_large_is_refused_before_it_is_sent(team: Team, ann: str) -> None:
    with open_line(team.address, ann) as hers:
        token = token_on(hers, "project=harbour&tab=add")
    told = ask(team, "/api/upload/harbour", ann, "POST", X_R3Con_Token=token, Content_Length=str(2**40))
    assert told.startswith("HTTP/1.1 413")


def test_signing_out_closes_the_pages_and_ends_the_token(team: Team) -> None:
    cookie = enter(team, "cleo")
    with open_line(team.address, cookie) as page:
        page.run()
        from_afar = team.get("/logout", cookie, **{"sec-fetch-site": "none"})
        assert "You are signed in as cleo" in from_afar.text
        assert httpx2.post(f"{team.address}/logout", headers={"cookie": cookie}).status_code == 200
        assert team.get("/signed-in", cookie).status_code == 200
        assert team.get("/logout", cookie, **{"sec-fetch-site": "same-origin"}).status_code == 303
        with pytest.raises(ConnectionClosed):
            page.drain()
    assert team.get("/signed-in", cookie).status_code == 401
    assert handshake(team, cookie, team.address) == 403


def test_someone_who_is_removed_is_out_at_once(team: Team) -> None:
    cookie = enter(team, "cleo")
    with open_line(team.address, cookie) as page:
        page.run()
        remove_user(team.home, "cleo")
        assert "cleo" not in load_users(team.home)
        with pytest.raises(ConnectionClosed):
            page.run()
    assert team.get("/", cookie, accept="text/html").status_code == 303
    assert knock(team, "cleo").status_code == 401

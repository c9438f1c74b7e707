"""What this program may connect to: nowhere but where it was admitted, tried in processes of their own."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from r3con_core.egress import Place, place_of, proxy_for
from r3con_core.errors import EgressError, ModelError
from r3con_core.exchange import Message, Prompt, Stage
from r3con_core.models import connect, endpoint_for
from r3con_core.readers.isolation.netwall import reader_wall
from r3con_core.sendings import TEST, Ended, begin_at_home, kept_at_home
from tests.scripted_server import ScriptedServer

ROOT = Path(__file__).parents[2]
TRIALS = """
import asyncio, socket, urllib.request
from r3con_core import egress
from r3con_core.errors import EgressError, ModelError
from r3con_core.exchange import Message, Prompt, Stage
from r3con_core.models import connect, endpoint_for
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
egress.install()
egress.install()

async def by_loop():
    with socket.socket() as connection:
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))

def said(act):
    try:
        act()
    except EgressError as refusal:
        return refusal.place
    except OSError as fault:
        return "EgressError" if "was refused: this program" in str(fault) else repr(fault)
    return "open"

udp = lambda family=socket.AF_INET: socket.socket(family, socket.SOCK_DGRAM)
there = ("192.0.2.1", 53)
acts = {
    "stream": lambda: socket.create_connection(("127.0.0.1", port)),
    "without raising": lambda: socket.socket().connect_ex(("127.0.0.1", port)),
    "loop": lambda: asyncio.run(by_loop()),
    "datagram": lambda: udp().sendto(b"x", there),
    "message": lambda: udp().sendmsg([b"x"], [], 0, there),
    "mapped": lambda: udp(socket.AF_INET6).sendto(b"x", ("::ffff:192.0.2.1", 53)),
    "name": lambda: socket.getaddrinfo("secret.example.com", 443),
    "old name": lambda: socket.gethostbyname("secret.example.com"),
    "address": lambda: socket.gethostbyaddr("192.0.2.1"),
    "address and port": lambda: socket.getnameinfo(there, 0),
    "page": lambda: urllib.request.urlopen("https://secret.example.com/"),
    "number": lambda: socket.socket().connect(("2130706433", port)),
}
print([name for name, act in acts.items() if said(act) in ("open", "") or "Error(" in said(act)])
with egress.reaching(egress.place_of(f"http://localhost:{port}/v1")):
    print(said(lambda: socket.create_connection(("localhost", port)).close()))
    print(said(lambda: socket.create_connection(("localhost", port + 1))) == f"127.0.0.1:{port + 1}")
print(said(lambda: socket.create_connection(("127.0.0.1", port))) == f"127.0.0.1:{port}")
socket.socketpair()
"""


def run_python(code: str) -> str:
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_guarded_process_connects_and_looks_up_only_what_was_admitted() -> None:
    """Every act is refused with the place it was for; a place that is admitted opens, and closes after its block."""
    assert run_python(TRIALS).splitlines() == ["[]", "open", "True", "True"]


@pytest.mark.parametrize(
    "file",
    ["app.py", *(f"r3con_core/{name}.py" for name in ("worker", "errands", "importer", "cli/commands"))]
    + [f"r3con_core/readers/isolation/{name}.py" for name in ("worker", "pagepicture")],
)
def test_each_process_of_ours_guards_itself(file: str) -> None:
    """What a process does that is not guarded is not seen here; the journey without a network shows that nothing does."""
    assert "egress.install()" in (ROOT / file).read_text("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="the wall is Linux's")
def test_a_reader_and_what_it_starts_can_have_no_socket() -> None:
    assert reader_wall()[0]
    code = (
        "import socket, subprocess, sys\n"
        "from r3con_core.readers.isolation.netwall import wall_off_network\n"
        "assert wall_off_network()\n"
        "for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):\n"
        "    try: socket.socket(family); print('open', family)\n"
        "    except PermissionError: pass\n"
        "child = 'import socket; socket.socket(socket.AF_UNIX)'\n"
        "print(subprocess.run([sys.executable, '-c', child], capture_output=True).returncode)\n"
    )
    assert run_python(code) == "1\n"


def test_a_place_is_told_by_its_address() -> None:
    assert place_of("https://API.OpenAI.com/v1") == Place(host="api.openai.com", port=443)
    assert place_of("http://[::1]:8080/v1") == Place(host="::1", port=8080)
    for url in ("ftp://example.com", "http://", "https://host:99999999/"):
        with pytest.raises(EgressError):
            place_of(url)


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ("https://api.openai.com/v1", {"all_proxy": "proxy:3128"}, "http://proxy:3128"),
        ("https://api.openai.com/v1", {"HTTP_PROXY": "http://proxy:3128"}, ""),
        ("http://api.openai.com/v1", {"HTTP_PROXY": "http://proxy:3128", "ALL_PROXY": "http://proxy:3128"}, ""),
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "x, .openai.com"}, ""),
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://proxy:3128", "no_proxy": "*"}, ""),
        (
            "https://api.openai.com/v1",
            {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "enai.com"},
            "http://proxy:3128",
        ),
    ],
)
def test_only_encrypted_connections_pass_a_proxy(url: str, environ: dict[str, str], proxy: str) -> None:
    assert proxy_for(url, environ) == proxy


def test_what_belongs_to_no_project_is_logged_for_its_owner_alone(tmp_path: Path) -> None:
    begin_at_home(tmp_path, TEST, "api.openai.com", 120)(Ended(outcome="HTTP 401", bytes_received=80))
    with (tmp_path / "egress.jsonl").open("a") as file:
        file.write('{"half a li')
    (kept,) = kept_at_home(tmp_path)
    assert (kept.purpose, kept.host, kept.bytes_sent, kept.bytes_received) == (TEST, "api.openai.com", 120, 80)
    assert kept.outcome == "HTTP 401"
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "egress.jsonl").stat().st_mode) == 0o600


def test_a_server_is_told_nothing_of_this_computer_and_nothing_meant_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The openai client would send these variables to every host, and name the system, its version and its Python."""
    for name, value in {
        "OPENAI_ORG_ID": "org-secret",
        "OPENAI_PROJECT_ID": "project-secret",
        "OPENAI_CUSTOM_HEADERS": "X-Custom: custom-secret\nAuthorization: Bearer other-secret",
        "OPENAI_BASE_URL": "http://192.0.2.1/v1",
        "OPENAI_ADMIN_KEY": "admin-secret",
        "HTTP_PROXY": "http://192.0.2.1:3128",
        "ALL_PROXY": "http://192.0.2.1:3128",
    }.items():
        monkeypatch.setenv(name, value)
    with ScriptedServer(extra={"GET /props": {}}) as server:
        model = connect(endpoint_for("scripted", server.url), "sk-mine")
        assert model.list_models() == ["scripted"]
        model.look("/props")
        with pytest.raises(ModelError):
            model(Prompt(stage=Stage.FOCUS, messages=(Message(role="user", pieces=("?",)),)))
        model.close()
    assert len(server.headers) == 3
    for headers in server.headers:
        assert "secret" not in str(headers)
        assert (headers["authorization"], headers["user-agent"]) == ("Bearer sk-mine", "R3Con-Analyst")
        assert set(headers) <= {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"} | {
            "authorization",
            "user-agent",
        }

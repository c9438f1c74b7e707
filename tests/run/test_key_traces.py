"""A whole run whose servers say their key back wherever they can: afterwards it is nowhere."""

import base64
import os
import secrets
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from r3con_core.cli import main
from r3con_core.cli.commands import FORMATS
from r3con_core.jobs import ModelChoice, RunChoices, create_run, start_worker
from r3con_core.models import host_and_port
from r3con_core.models.keyrings import find_keyring
from r3con_core.processes import end_process, is_alive
from r3con_core.runs import RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from tests.fakes import harbour_project
from tests.harbour_script import QUESTION, answer_harbour
from tests.keyring_double import Kept
from tests.scripted_server import Body, Fault, ScriptedServer

PATIENCE = 60.0
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")  # that is the point


def forms(key: str) -> tuple[bytes, ...]:
    data = key.encode()
    encoded = (base64.b64encode(before + data)[4:-4] for before in (b"", b"a", b"ab"))
    return (data, quote(key, safe="").encode(), data.hex().encode(), *encoded)


def traces(key: str, *texts: bytes) -> list[bytes]:
    """Forms of the key that are in one of them, also in the members of packed ones."""
    return [form for form in forms(key) for text in texts if form in text]


def files_below(folder: Path) -> Iterator[bytes]:
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        yield from unpacked(file.read_bytes())


def unpacked(data: bytes) -> Iterator[bytes]:
    yield data
    if data.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(data)) as packed:
            for name in packed.namelist():
                yield from unpacked(packed.read(name))


class Echo:
    """Answers of the harbour that begin with the key, after a refusal that tells it whole, in part and encoded."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.reached, self.open = threading.Event(), threading.Event()

    def answer(self, messages: list[dict[str, Any]], shape: dict[str, Any] | None) -> str:
        self.reached.set()
        self.open.wait(PATIENCE)
        said = answer_harbour(messages, shape)
        return said.replace("The Petrel landed", f"The Petrel (Bearer {self.key}) landed")

    def fault(self, number: int, _body: Body) -> Fault | None:
        bearer = base64.b64encode(f"Bearer {self.key}".encode()).decode()
        told = (
            f"Retry. Header Bearer {self.key}, {quote(self.key, safe='')}, {bearer}, {self.key[:9]}...{self.key[-4:]}"
        )
        if number == 1:
            return Fault(status=503, headers={"retry-after-ms": "1"}, error={"message": told, "code": self.key})
        return Fault(notes={"reasoning_content": told, "model": self.key})


def carried(
    project: Project, choices: RunChoices, home: Path, keys: dict[str, str], look: Callable[[int], None]
) -> str:
    run_id = create_run(project, QUESTION, choices, home=home).id
    pid = start_worker(project, run_id, home=home, keys=keys)
    try:
        look(pid)
        until = time.monotonic() + PATIENCE
        while is_alive(pid) and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        end_process(pid, seconds=0)
    return run_id


@pytest.fixture
def system_keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    keyring = pytest.importorskip("keyring", reason="the extra is not installed")
    from keyring.backend import KeyringBackend

    kept = Kept()
    asked = ("get_password", "set_password", "delete_password")
    doubled = {"__module__": "keyring.backends.kwallet", "priority": 1, **{name: getattr(kept, name) for name in asked}}
    double = type("Keyring", (KeyringBackend,), doubled)()
    before = keyring.get_keyring()
    keyring.set_keyring(double)
    find_keyring.cache_clear()
    yield kept
    keyring.set_keyring(before)
    find_keyring.cache_clear()


def begin_to_read(first: Echo, second: Echo, key: str) -> Callable[[int], None]:
    def look(pid: int) -> None:
        assert first.reached.wait(PATIENCE)
        if sys.platform == "linux":
            told = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
            assert traces(key, told) == traces(second.key, told) == []
            assert b"R3CON_HOME" in told
        first.open.set()
        second.open.set()

    return look


def test_two_typed_keys_reach_their_own_servers_and_nothing_that_is_kept_shown_or_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    reads, thinks = Echo(f"sk-{secrets.token_urlsafe(24)}"), Echo(f"sk-{secrets.token_hex(16)}")
    monkeypatch.setenv("R3CON_API_KEY", unused := f"sk-{secrets.token_hex(16)}")
    project, home = harbour_project(tmp_path / "projects"), tmp_path / "home"
    with (
        ScriptedServer(reads.answer, reads.fault, key=reads.key) as one,
        ScriptedServer(thinks.answer, thinks.fault, key=thinks.key) as two,
    ):
        reading, reasoning = (ModelChoice(model="scripted", base_url=each.url, window=16_384) for each in (one, two))
        choices = RunChoices(reading=reading, reasoning=reasoning, straight_through=True)
        keys = {host_and_port(one.url): reads.key, host_and_port(two.url): thinks.key, "other.example": unused}
        run_id = carried(project, choices, home, keys, begin_to_read(reads, thinks, reads.key))
        for server, key in ((one, reads.key), (two, thinks.key)):
            assert server.calls > 1
            assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {key}"}
    run = load_run(project, run_id)
    assert (run.state, run.error) == (RunState.DONE, "")
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.startswith("The Petrel (Bearer [key]) landed ")
    thought = [call.reply.thinking for call in list_calls(project, run_id)]
    assert all("Header Bearer [key], [key], " in notes for notes in thought)
    for format_ in FORMATS:
        out = ["--format", format_, "--out", str(tmp_path / format_)]
        assert main(["export", run_id, "--in", str(project.folder), *out]) == 0
    assert main(["show", run_id, "--in", str(project.folder)]) == 0
    project.close()
    said = "".join(capfd.readouterr()).encode()
    for key in (reads.key, thinks.key, unused):
        assert traces(key, said, *files_below(tmp_path)) == []


@pytest.mark.parametrize("source", ["environment", "named", "keyring"])
def test_a_key_from_elsewhere_is_used_by_the_command_line_and_leaves_no_trace(
    source: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server refuses every call at last, and tells the key in all it says."""
    key = f"sk-{secrets.token_urlsafe(24)}"
    echo = Echo(key)
    told = Fault(status=400, error={"message": f"no such thing: {key} {'x' * 370} {key}", "code": key, "param": key})
    extra = [] if source != "named" else ["--key-env", "MY_MODEL"]
    with ScriptedServer(echo.answer, lambda *_: told, key=key, models=[{"id": key}]) as server:
        if source == "keyring":
            kept: Kept = request.getfixturevalue("system_keyring")
            kept.passwords[f"R3Con Analyst {tmp_path / 'home'}", host_and_port(server.url)] = key
        else:
            monkeypatch.setenv("R3CON_API_KEY" if source == "environment" else "MY_MODEL", key)
        monkeypatch.setenv("R3CON_HOME", str(tmp_path / "home"))
        document = tmp_path / "note.txt"
        document.write_text("The Petrel landed 85 cases.", "utf-8")
        command = ["ask", QUESTION, str(document), "--model", "scripted", "--base-url", server.url, "--yes", *extra]
        said: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", _Screen(said))
            assert main([*command, "--out", str(tmp_path / "out")]) == 1
        assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {key}"}
    text = "".join(said)
    assert "does not take this request (HTTP 400: no such thing: [key] " in text
    assert traces(key, text.encode(), *files_below(tmp_path)) == []
    assert os.environ.get("R3CON_API_KEY", "") == (key if source == "environment" else "")


class _Screen:
    encoding = "utf-8"

    def __init__(self, said: list[str]) -> None:
        self.write, self._said = said.append, said

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        return False

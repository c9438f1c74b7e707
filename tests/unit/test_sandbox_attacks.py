"""Attack programs in the sandbox, judged from outside by what they reached, never by what they say about themselves.

`manifest.json` names for each program what would be a success, and where it says `accepted`, why that is put up with;
`proposes`: the program calls `answer`. The programs run nowhere else than in the sandbox: some
of them would kill every process of the user.
"""

import contextlib
import json
import os
import re
import resource
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from r3con_core.answers import Execution, Proposed
from r3con_core.errors import SandboxError
from r3con_core.sandbox import Limits, Sandbox, code_can_run, open_sandbox
from r3con_core.sandbox.engines import Engine, engines

PROGRAMS = Path(__file__).parent.parent / "sandbox_programs" / "attacks"
Attack = dict[str, Any]
ATTACKS: list[Attack] = json.loads((PROGRAMS / "manifest.json").read_text(encoding="utf-8"))
ON_RESOURCES = [attack for attack in ATTACKS if attack["category"] == "dos"]
ON_LATER_STEPS = [attack for attack in ATTACKS if attack["category"] == "integ"]
ON_THE_HOST = [attack for attack in ATTACKS if attack["category"] not in {"dos", "integ"}]
LIMITS = Limits(seconds=0.4, grace_seconds=0.3, memory_mb=256, output_chars=5_000, final_chars=5_000, rebuild_seconds=0)
LONGEST_FAULT = 5_000
SLOWEST_STEP = 5
LARGEST_PROCESS_KB = 700 << 10
PROBE = "print(2 + 2, len([1, 2, 3]))\nanswer('honest')"
TIDY = """
import os
for file in os.listdir("."): open(file, "w").close()
for name in [name for name in globals() if not name.startswith("__")]: del globals()[name]
"""

pytestmark = pytest.mark.skipif(code_can_run() != "", reason=code_can_run())


TOKENS = ("file", "env", "fd", "dir")


@dataclass
class Host:
    """What an attack may try to reach, each thing marked by a word nobody can guess."""

    home: Path
    tokens: dict[str, str] = field(default_factory=lambda: {name: secrets.token_hex(12) for name in TOKENS})
    memory_token: str = field(default_factory=lambda: f"MEMTOK-{secrets.token_hex(12)}")
    hits: set[str] = field(default_factory=set)
    port: int = 0

    def __post_init__(self) -> None:
        """Lay everything out."""
        for folder in (".secrets", "outside", "app"):
            (self.home / folder).mkdir(parents=True)
        secret = self.home / ".secrets" / "app_secret.txt"
        secret.write_text(self.tokens["file"], encoding="utf-8")
        secret.chmod(0o600)
        (self.home / self.tokens["dir"]).touch()
        for name in ("app.py", "run.py"):
            (self.home / "app" / name).write_text("# the app\n" * 50, encoding="utf-8")
        self.restore()

    def restore(self) -> None:
        """Undo what an attack may have done."""
        for file in (self.home / "outside").iterdir():
            file.unlink()
        self.existing.write_text("untouched", encoding="utf-8")
        self.existing.chmod(0o640)
        self.hits.clear()

    @property
    def existing(self) -> Path:
        """A file of the user."""
        return self.home / "outside" / "existing.txt"

    def program(self, file: str) -> list[str]:
        """The steps of an attack, aimed at this host."""
        code = (PROGRAMS / file).read_text(encoding="utf-8")
        code = code.replace("@HOME@", str(self.home)).replace("@APP@", str(self.home / "app"))
        code = code.replace("@PORT@", str(self.port))
        return re.split(r"^# %% session2\n", code, flags=re.MULTILINE)

    def reached(self, executions: list[Execution]) -> set[str]:
        """What an attack with these executions got at. A fault quotes the program, so claims count in output only."""
        printed = "".join(run.output for run in executions)
        shown = printed + "".join(f"{run.fault}{run.proposed}" for run in executions)
        reached = {f"{name}_token" for name, token in self.tokens.items() if token in shown} | self.hits
        seen = {
            "mem_token": self.memory_token in shown,
            "passwd_text": "root:x:" in shown,
            "claim": "OWNED:" in printed,
            "orphan": "daemon started" in printed,
            "cross_session": "CROSSTOK" in printed,
            "file_created": [file.name for file in (self.home / "outside").iterdir()] != ["existing.txt"],
            "exist_changed": self.existing.read_text(encoding="utf-8") != "untouched",
            "exist_mode": self.existing.stat().st_mode & 0o777 != 0o640,
            "shm_created": Path(f"/dev/shm/sbx-{self.port}").exists(),
        }
        return reached | {success for success, is_so in seen.items() if is_so}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The target, with listeners on TCP, UDP and an abstract UNIX socket, a secret in the environment, an open file."""
    host = Host(home=tmp_path_factory.mktemp("home") / "user")
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        host.port = tcp.getsockname()[1]
        listeners = {
            "tcp_hit": tcp,
            "udp_hit": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "unix_hit": socket.socket(socket.AF_UNIX),
        }
        if socket.has_dualstack_ipv6():
            with contextlib.suppress(OSError):
                tcp6 = socket.create_server(("::1", host.port), family=socket.AF_INET6)
                threading.Thread(target=_listen, args=(tcp6, "tcp_hit", host.hits), daemon=True).start()
                stack.enter_context(tcp6)
        listeners["udp_hit"].bind(("127.0.0.1", host.port))
        listeners["unix_hit"].bind(f"\0sbx-abs-{host.port}")
        listeners["unix_hit"].listen()
        for name, listener in listeners.items():
            stack.enter_context(listener)
            threading.Thread(target=_listen, args=(listener, name, host.hits), daemon=True).start()
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("SBX_API_KEY", host.tokens["env"])
        open_file = host.home / "open.txt"
        open_file.write_text(host.tokens["fd"], encoding="utf-8")
        opened = stack.enter_context(open_file.open(encoding="utf-8"))
        os.set_inheritable(opened.fileno(), True)
        yield host
        for listener in listeners.values():
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


def _listen(listener: socket.socket, name: str, hits: set[str]) -> None:
    with contextlib.suppress(OSError):
        while True:
            if name == "udp_hit":
                if not listener.recvfrom(100)[1]:
                    return
            else:
                listener.accept()[0].close()
            hits.add(name)


@pytest.fixture(
    scope="module", params={engine.name: engine for engine in engines()}.values(), ids=lambda engine: engine.name
)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine that works here."""
    try:
        Sandbox(request.param, b"{}", LIMITS).close()
    except SandboxError as error:
        pytest.skip(str(error))
    engine: Engine = request.param
    return engine


@pytest.fixture(scope="module")
def session(engine: Engine) -> Iterator[Sandbox]:
    """One for all attacks that aim at the host."""
    with Sandbox(engine, b"{}", LIMITS) as sandbox:
        yield sandbox


def test_the_target_notices_what_is_reached(host: Host) -> None:
    """Otherwise the attacks would prove nothing."""
    host.restore()
    assert host.reached([]) == set()
    for family, kind, address in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", host.port)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", host.port)),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0sbx-abs-{host.port}"),
    ):
        with socket.socket(family, kind) as connection, contextlib.suppress(BrokenPipeError):
            connection.connect(address)
            connection.send(b"x")
    host.existing.write_text("changed", encoding="utf-8")
    host.existing.chmod(0o777)
    (host.home / "outside" / "new").touch()
    time.sleep(0.1)
    shown = " ".join([*host.tokens.values(), host.memory_token, "root:x:", "OWNED:", "daemon started", "CROSSTOK"])
    reached = host.reached([Execution(output=shown)])
    host.restore()
    assert reached == {
        *(f"{name}_token" for name in ("file", "env", "fd", "dir", "mem")),
        *("tcp_hit", "udp_hit", "unix_hit", "file_created", "exist_changed", "exist_mode"),
        *("passwd_text", "claim", "orphan", "cross_session"),
    }


@pytest.mark.parametrize("attack", ON_THE_HOST, ids=lambda attack: attack["name"])
def test_attack_on_the_host_reaches_nothing(attack: Attack, session: Sandbox, host: Host) -> None:
    """With each engine."""
    host.restore()
    executions = [session.execute(code) for code in host.program(attack["file"])]
    if attack["category"] == "net":
        time.sleep(0.05)  # a datagram that got out has to arrive before it can be seen
    reached = host.reached(executions) | _spoofed(attack, executions[0], session.execute(PROBE))
    assert reached <= _accepted(attack), executions


@pytest.fixture(scope="module")
def strained() -> Iterator[Sandbox]:
    """One for all attacks on resources."""
    with open_sandbox({}, LIMITS) as sandbox:
        yield sandbox


@pytest.mark.parametrize("attack", ON_RESOURCES, ids=lambda attack: attack["name"])
def test_attack_on_resources_is_stopped(attack: Attack, strained: Sandbox, host: Host) -> None:
    """The host goes on, and so does the session, with its worker or a new one."""
    host.restore()
    largest_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    executions = [strained.execute(code) for code in host.program(attack["file"])]
    probe = _probed(strained)
    strained.execute(TIDY)
    reached = host.reached(executions) | _strain(executions, largest_before) | _spoofed(attack, executions[0], probe)
    assert reached <= _accepted(attack), executions


@pytest.mark.parametrize("attack", ON_LATER_STEPS, ids=lambda attack: attack["name"])
def test_attack_on_later_steps_does_not_change_them(attack: Attack, host: Host) -> None:
    """Nor another session, where the later parts of the program run."""
    host.restore()
    first, *later = host.program(attack["file"])
    with open_sandbox({}, LIMITS) as attacked:
        executions = [attacked.execute(first)]
        probe = _probed(attacked)
    for code in later:
        with open_sandbox({}, LIMITS) as another:
            executions.append(another.execute(code))
    reached = host.reached(executions) | _spoofed(attack, executions[0], probe)
    assert reached <= _accepted(attack), executions


def _probed(sandbox: Sandbox) -> Execution:
    """An honest step; the first may be the one in which an earlier forgery is found out."""
    probe = sandbox.execute(PROBE)
    return probe if probe.fault is None else sandbox.execute(PROBE)


def _accepted(attack: Attack) -> set[str]:
    return set(attack["success"]) if "accepted" in attack else set()


def _strain(executions: list[Execution], largest_before: int) -> set[str]:
    reached = set()
    if any(len(run.output) > LIMITS.output_chars or len(run.fault or "") > LONGEST_FAULT for run in executions):
        reached.add("out_over")
    if any(run.seconds > SLOWEST_STEP for run in executions):
        reached.add("hang")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if largest > max(largest_before, LARGEST_PROCESS_KB):
        reached.add("mem_over")
    return reached


def _spoofed(attack: Attack, attacked: Execution, probe: Execution) -> set[str]:
    """Whether the honest step told anything but the truth, or a program that called no `answer` gave one."""
    reached = set() if (probe.output, probe.fault) == ("4 3\n", None) else {"probe_changed"}
    if probe.proposed != Proposed(text="honest", cites=()):
        reached.add("final_spoofed")
    if attacked.proposed is not None and not attack.get("proposes"):
        reached.add("final_spoofed")
    return reached

"""The simulator, or the simulator behind the gate, started for as long as a measurement takes."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parents[1]
SIMULATOR = BENCHMARKS.parents[1] / "shared" / "tools" / "sim_server.py"
SCRIPT = BENCHMARKS / "sim_answers.py"
_START_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that is up."""

    port: int

    @property
    def url(self) -> str:
        """Its base address, with its version."""
        return f"http://127.0.0.1:{self.port}/v1"

    def stats(self) -> dict[str, float]:
        """The simulator's own count since it was last cleared."""
        return _get(self.port, "/stats")

    def gate(self) -> dict[str, Any]:
        """What the gate saw; only where there is one."""
        return _get(self.port, "/gate")

    def clear(self) -> None:
        """Forget counts and cache."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/reset", method="POST")
        urllib.request.urlopen(request, timeout=30).close()


def _get(port: int, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        told: dict[str, Any] = json.load(response)
    return told


@contextmanager
def simulator(path: Path, flags: Mapping[str, float], script: Path | None = None) -> Iterator[Server]:
    """The simulator as it is, with these flags and the script that replies, by default ours."""
    with _serving([str(path), f"--script={script or SCRIPT}"], flags) as server:
        yield server


@contextmanager
def gated(path: Path, flags: Mapping[str, float]) -> Iterator[Server]:
    """The simulator behind the gate."""
    with _serving(["-m", "calls.gate", f"--simulator={path}", f"--script={SCRIPT}"], flags) as server:
        yield server


@contextmanager
def _serving(command: list[str], flags: Mapping[str, float]) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    given = [f"--{name}={value}" for name, value in flags.items()]
    process = subprocess.Popen(
        [sys.executable, *command, f"--port={port}", *given],
        cwd=BENCHMARKS,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(process, port)
        yield Server(port=port)
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            _get(port, "/stats")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The simulator does not start: it needs uvicorn and starlette in this environment.")

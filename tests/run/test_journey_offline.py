"""The whole journey where no network is but loopback: import, run, exports and the app's first page."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from r3con_core import egress
from r3con_core.cli import main
from tests.fakes import HARBOUR
from tests.harbour_script import QUESTION
from tests.scripted_server import ScriptedServer

ROOT = Path(__file__).parents[2]


def _alone() -> list[str]:
    """What starts a command in a network namespace with only loopback; empty where the system has no such thing."""
    ways = (
        ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
        ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--"],
    )
    for way in ways:
        if shutil.which(way[0]) and subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0:
            return list(way)
    return []


def test_the_whole_journey_needs_no_network_but_loopback(tmp_path: Path) -> None:
    """Inside, nothing but loopback can be reached, so all that is done there is done without connecting anywhere."""
    way = _alone()
    if not way:
        pytest.skip("no network namespace can be made here")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    environment = {**kept, "PYTHONPATH": path, "R3CON_HOME": str(tmp_path / "home")}
    ran = subprocess.run(
        [*way, sys.executable, "-m", "tests.run.test_journey_offline", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    codes = {"ask": 0, "csv": 0, "run": 0, "page": 200}
    assert told == {**codes, "hosts": ["this computer"], "interfaces": ["lo"]}
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def _journey(folder: Path) -> dict[str, object]:
    """What the test starts inside: the commands as people give them, guarded, against a server on loopback."""
    egress.install()
    out = str(folder / "out")
    with ScriptedServer() as server:
        options = ["--model", "scripted", "--base-url", server.url, "--window", "16384", "--out", out, "--yes"]
        told: dict[str, object] = {"ask": _quiet(["ask", QUESTION, str(HARBOUR), *options])[0]}
    for name, more in {
        "csv": ["--format", "csv", "--out", f"{folder}/records.zip"],
        "run": ["--out", f"{folder}/r.zip"],
    }.items():
        told[name] = _quiet(["export", "--in", out, *more])[0]
    _, sent = _quiet(["export", "--in", out, "--format", "sent"])
    told["hosts"] = sorted({line.split(",")[3] for line in sent.splitlines()[1:]})
    told["interfaces"] = [
        line.split(":")[0].strip() for line in Path("/proc/net/dev").read_text("ascii").splitlines()[2:]
    ]
    return {**told, "page": _page()}


def _quiet(arguments: list[str]) -> tuple[int, str]:
    """The exit code of a command, and what it printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        return main(arguments), printed.getvalue()


def _page() -> int:
    """The status of the app's first page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "r3con_core", "app", "--no-browser"], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stderr is not None
    try:
        address = next(line for line in process.stderr if "R3Con Analyst is at" in line).split()[-1]
        with egress.reaching(egress.place_of(address)), urllib.request.urlopen(address) as page:
            return int(page.status)
    finally:
        process.terminate()
        process.stderr.read()
        process.stderr.close()
        process.wait()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_journey(Path(sys.argv[1]))) + "\n")

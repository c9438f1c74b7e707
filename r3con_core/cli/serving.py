"""`r3con app`: the app as a process of its own, for this computer only, or as a team file says."""

import argparse
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.models import fetch
from r3con_core.cli.screen import tell
from r3con_core.egress import place_of, reaching
from r3con_core.errors import CorpusError, ModelFileError, TeamError
from r3con_core.home import SHARED_VARIABLE, home_folder
from r3con_core.models import DEFAULT_MODEL
from r3con_core.shipped import shipped
from r3con_core.team import TEAM_VARIABLE, load_team
from r3con_core.team.users import load_users

FIRST_PORT, PORTS = 8501, 50
_START_SECONDS = 60.0
_LOOK_SECONDS = 0.2
_FORWARDED = "FORWARDED_ALLOW_IPS"
"""The server believes these addresses about who asks and how; "" for none."""


def app(options: argparse.Namespace) -> int:
    """Start the app, open it in the browser, and stay until it ends."""
    if options.pull:
        _pull()
    start = _for_team(Path(options.team), options.port) if options.team else _for_one(_free_port(options.port))
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py")), *start.flags]
    quiet = ["--logger.level=warning", "--logger.hideWelcomeMessage=true", "--global.developmentMode=false"]
    signal.signal(signal.SIGTERM, _interrupt)
    process = subprocess.Popen([*command, *quiet], env={**_bare_environment(), **start.environment})
    try:
        if not _answers(start.knock, process):
            tell("The app did not start. What it said is above.")
            return FAILED
        tell(start.greeting)
        if not options.team and not options.no_browser and _has_screen():
            webbrowser.open(start.knock)
        return OK if process.wait() == 0 else FAILED
    except KeyboardInterrupt:
        tell("The app has ended.")
        return OK
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How the app's process is started, and where it then answers."""

    flags: Sequence[str]
    environment: Mapping[str, str]
    knock: str
    """Its address from this computer."""
    greeting: str


def _for_one(port: int) -> Start:
    address = f"http://localhost:{port}"
    greeting = f"R3Con Analyst is at {address}\nIt answers this computer only. Ctrl-C ends it; runs at work go on."
    return Start(flags=[f"--server.port={port}"], environment={}, knock=address, greeting=greeting)


def _for_team(file: Path, port: int | None) -> Start:
    """TeamError when the file is not safe, or nobody could enter."""
    team, home = load_team(file), home_folder()
    if team.oidc is None and not load_users(home):
        raise TeamError("Nobody could enter: there are no users yet. Add them with: r3con user add NAME")
    if team.oidc is not None and find_spec("joserfc") is None:
        raise TeamError("Signing in by OpenID Connect needs one more package: pip install 'r3con-analyst[team]'")
    port = port or team.port
    flags = [f"--server.port={port}", f"--server.address={team.address}", f"--server.allowedHosts={team.host}"]
    flags += [f"--browser.serverAddress={team.host}"]
    if team.certificate is not None:
        flags += [f"--server.sslCertFile={team.certificate}", f"--server.sslKeyFile={team.key}"]
    environment = {
        TEAM_VARIABLE: str(file.absolute()),
        SHARED_VARIABLE: str(home.absolute()),
        _FORWARDED: ",".join(team.proxies),
    }
    here = "127.0.0.1" if team.address in ("0.0.0.0", "::") else team.address
    knock = f"{'https' if team.certificate else 'http'}://{f'[{here}]' if ':' in here else here}:{port}"
    greeting = f"R3Con Analyst is open to the team at {team.url}\nCtrl-C ends it; runs at work go on."
    return Start(flags=flags, environment=environment, knock=knock, greeting=greeting)


def _bare_environment() -> dict[str, str]:
    """Ours, without what only an app of a team is told."""
    return {name: value for name, value in os.environ.items() if name not in (TEAM_VARIABLE, SHARED_VARIABLE)}


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Being told to end takes the app along."""
    raise KeyboardInterrupt


def _pull() -> None:
    try:
        fetch(DEFAULT_MODEL)
    except ModelFileError as error:
        tell(f"r3con: {error}\nThe app starts without it; choose a model at an address there.")


def _free_port(wanted: int | None) -> int:
    if wanted is not None:
        if _is_free(wanted):
            return wanted
        raise CorpusError(f"The port {wanted} is in use. Leave --port out to take the first free one.")
    found = next((port for port in range(FIRST_PORT, FIRST_PORT + PORTS) if _is_free(port)), None)
    if found is None:
        raise CorpusError(f"All ports from {FIRST_PORT} are in use. Name another one with --port.")
    return found


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            return False
    return True


def _answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the app answers; False when it ended or took too long."""
    unchecked = ssl.create_default_context()  # it is our own process; its certificate is for another name
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    handlers = (urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unchecked))
    ask = urllib.request.build_opener(*handlers).open
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with reaching(place_of(address)), ask(f"{address}/_stcore/health", timeout=2):
                return True
        except urllib.error.HTTPError:
            return True  # it answers no to whoever is not signed in
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(_LOOK_SECONDS)
    return False


def _has_screen() -> bool:
    """Whether a browser could show anything here."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

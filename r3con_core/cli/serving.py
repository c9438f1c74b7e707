"""`r3con app`: the app as a process of its own, for this computer only."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from contextlib import closing
from types import FrameType

from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.models import fetch
from r3con_core.cli.screen import tell
from r3con_core.errors import CorpusError, ModelFileError
from r3con_core.models import DEFAULT_MODEL
from r3con_core.shipped import shipped

FIRST_PORT, PORTS = 8501, 50
_START_SECONDS = 60.0
_LOOK_SECONDS = 0.2


def app(options: argparse.Namespace) -> int:
    """Start the app, open it in the browser, and stay until it ends."""
    if options.pull:
        _pull()
    port = _free_port(options.port)
    command = [sys.executable, "-m", "streamlit", "run", str(shipped("app.py")), f"--server.port={port}"]
    quiet = ["--logger.level=warning", "--logger.hideWelcomeMessage=true", "--global.developmentMode=false"]
    address = f"http://localhost:{port}"
    signal.signal(signal.SIGTERM, _interrupt)
    process = subprocess.Popen([*command, *quiet])
    try:
        if not _answers(address, process):
            tell("The app did not start. What it said is above.")
            return FAILED
        tell(f"R3Con Analyst is at {address}\nIt answers this computer only. Ctrl-C ends it; runs at work go on.")
        if not options.no_browser and _has_screen():
            webbrowser.open(address)
        return OK if process.wait() == 0 else FAILED
    except KeyboardInterrupt:
        tell("The app has ended.")
        return OK
    finally:
        process.terminate()
        process.wait()


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
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with ask(f"{address}/_stcore/health", timeout=2):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(_LOOK_SECONDS)
    return False


def _has_screen() -> bool:
    """Whether a browser could show anything here."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

"""What is asked of the system about processes."""

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from r3con_core.errors import R3ConError

_FILES = 4096
"""Open at once: four for each call that is out. Systems begin with 256 or 1,024 and allow more."""


def allow_many_files() -> None:
    """Let this process have many files open, where the system has a limit that may be raised."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def start_apart(module: str, arguments: Sequence[str], log: Path, environment: Mapping[str, str]) -> int:
    """Run a module of this product in a session of its own, which outlives ours; its process number.

    What it prints goes to the file `log`; `environment` is added to ours.
    """
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            env={**os.environ, **environment},
            cwd=Path(__file__).parents[1],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    return process.pid


def is_alive(pid: int) -> bool:
    """Whether the process is there and has not ended; a child of ours that has is taken leave of."""
    try:
        finished, _ = os.waitpid(pid, os.WNOHANG)
        if finished == pid:
            return False
    except (ChildProcessError, AttributeError):
        pass  # not our child: another program started it, or the system has no such call
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_process(pid: int | None, *, seconds: float) -> None:
    """Ask a process to end, and after so long make it; None, or one that has ended, is left alone."""
    if pid is None or not is_alive(pid):
        return
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    if is_alive(pid):
        os.kill(pid, signal.SIGKILL)


@contextmanager
def beating(beat: Callable[[], None], close: Callable[[], None], *, seconds: float) -> Iterator[None]:
    """Call `beat` in a thread every so often for as long as the block runs, and `close` in that thread at the end."""
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(seconds):
            with suppress(R3ConError):  # a disk that is full for a moment must not end the signs of life
                beat()
        close()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def last_resort(log: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Tells the analyst of a fault of ours in a sentence, and the file `log` in full; other errors pass through."""
    try:
        yield
    except R3ConError:
        raise
    except Exception as error:  # noqa: BLE001 - the last place that can tell the analyst
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        tell(
            f"Something went wrong that should not have ({type(error).__name__}). Everything finished is kept; "
            f"resume to try again. Details are in {log.name}."
        )

"""What is asked of the system about processes."""

import json
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
from typing import BinaryIO

from r3con_core.errors import R3ConError, StoreError
from r3con_core.scrubbing import guard_tracebacks, hidden, hold, is_held, is_secret_name

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


def child_environment(**more: str) -> dict[str, str]:
    """Our environment with `more`, for a process that needs no key: without what holds a key, a token or a password."""
    ours = {name: value for name, value in os.environ.items() if not (is_secret_name(name) or is_held(value))}
    return {**{name: value for name, value in ours.items() if name not in _TALKATIVE}, **more}


_TALKATIVE = frozenset(("OPENAI_LOG",))
"""Has whole requests and what servers say written to the log."""


def close_to_others() -> None:
    """See to it that no other process, and no core dump, can read the memory and the environment of this one.

    The kernel does so on Linux, where this is no process of root's; elsewhere only core dumps are off, where there are.
    """
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


_PR_SET_DUMPABLE = 4
GIVEN = "given"
"""The last argument of a process that is given something by its standard input."""


def start_apart(
    module: str, arguments: Sequence[str], log: Path, *, environment: Mapping[str, str], given: Mapping[str, str]
) -> int:
    """Run a module of this product in a session of its own, which outlives ours; its process number.

    What it prints goes to the file `log`. It has our environment without secrets, and `environment`. `given` are its
    keys: it takes them with `take_given`, and they are in no argument, no variable and no file.
    """
    with opened_log(log) as file:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments, GIVEN],
            env=child_environment(**environment),
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as pipe:  # one that has ended already is noticed later
        pipe.write(json.dumps(dict(given)).encode())
    return process.pid


def opened_log(log: Path) -> BinaryIO:
    """A file to add to; StoreError where it cannot be written."""
    try:
        return log.open("ab")
    except OSError as error:
        raise StoreError(f"{log} cannot be written: {error.strerror}. Check the disk and the permissions.") from error


def take_given(arguments: Sequence[str]) -> dict[str, str] | None:
    """What this process was given by `start_apart`, read once; None when it was started in another way.

    From here on the process keeps it out of what it prints when it ends, and out of other processes' reach.
    """
    if not arguments or arguments[-1] != GIVEN:
        return None
    given: dict[str, str] = json.loads(sys.stdin.buffer.read() or b"{}")
    for secret in given.values():
        hold(secret)
    guard_tracebacks()
    if given:
        close_to_others()
    return given


def is_alive(pid: int) -> bool:
    """Whether the process is there and has not ended; a child of ours that has is taken leave of."""
    if sys.platform == "win32":  # there, signal 0 is Ctrl-C
        return _is_alive_on_windows(pid)
    try:
        finished, _ = os.waitpid(pid, os.WNOHANG)
        if finished == pid:
            return False
    except ChildProcessError:
        pass  # not our child: another program started it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if sys.platform == "win32":

    def _is_alive_on_windows(pid: int) -> bool:
        """**Never run by us**: from Microsoft's documentation of OpenProcess and GetExitCodeProcess."""
        import ctypes

        kernel, code = ctypes.WinDLL("kernel32", use_last_error=True), ctypes.c_uint32()
        kernel.OpenProcess.restype = ctypes.c_void_p
        process = ctypes.c_void_p(kernel.OpenProcess(_MAY_ASK, 0, pid))
        if not process:
            return ctypes.get_last_error() == _DENIED
        try:
            return bool(kernel.GetExitCodeProcess(process, ctypes.byref(code))) and code.value == _STILL_ACTIVE
        finally:
            kernel.CloseHandle(process)

    _MAY_ASK, _DENIED, _STILL_ACTIVE = 0x1000, 5, 259


def is_ours(pid: int) -> bool:
    """Whether the process runs this product, by the words it was started with; so it is said where these are not told.

    Numbers of ended processes are given out again, and a number in a project's file may be a stranger's idea.
    """
    words = _command(pid)
    return words is None or any(Path(word).name == "r3con" or word.startswith("r3con_core") for word in words[:_HEAD])


_HEAD = 6
"""Words of a command among which the name of the program is: interpreter, options, module."""


def _command(pid: int) -> list[str] | None:
    """What a process was started with; None where the system does not say."""
    if sys.platform == "win32":
        return None
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        listed = subprocess.run(
            ["ps", "-o", "command=", "-p", str(pid)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=child_environment(),
        )
        return listed.stdout.split() or None


def commands() -> Iterator[tuple[int, list[str]]]:
    """Number and words of every process that the system lists to us; on macOS a word with a blank is two."""
    if Path("/proc/self/cmdline").exists():
        for listed in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                yield int(listed.parent.name), listed.read_text("utf-8", "replace").split("\0")
        return
    listed_all = subprocess.run(
        ["ps", "-axo", "pid=,command="], capture_output=True, text=True, check=False, env=child_environment()
    )
    for line in listed_all.stdout.splitlines():
        pid, *words = line.split()
        yield int(pid), words


def end_process(pid: int | None, *, seconds: float) -> None:
    """Ask a process of ours to end, and after so long make it; None, or one that has ended, is left alone."""
    if pid is None or not is_alive(pid) or not is_ours(pid):
        return
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    if sys.platform != "win32" and is_alive(pid):  # there, SIGTERM has ended it at once
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
        with suppress(OSError), log.open("a", encoding="utf-8") as file:  # the disk may be what is at fault
            file.write(hidden(traceback.format_exc()))
        tell(
            f"Something went wrong that should not have ({type(error).__name__}). Everything finished is kept; "
            f"resume to try again. Details are in {log.name}."
        )

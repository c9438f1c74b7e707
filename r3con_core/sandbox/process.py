"""One worker process seen from outside: start, one frame out and one in, end.

Frames from the worker are untrusted from the first step on: limited in size and time, bound to a step by a fresh
nonce, and whatever does not fit ends the worker.
"""

import contextlib
import itertools
import json
import math
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r3con_core.errors import SandboxError
from r3con_core.processes import is_alive
from r3con_core.sandbox.engines import Engine, runtime
from r3con_core.sandbox.piped import PipedProcess
from r3con_core.sandbox.resident import resident_mb

BIND_SECONDS = 30
END_SECONDS = 1.0
"""How long a worker whose channel has closed may take to end, before it is taken for killed."""
TICK_SECONDS = 0.1
FAULT_CHARS = 8_000
STOPPED = "Stopped after"
INTERFERED = "The code interfered with the sandbox and was stopped."
LENGTH_BYTES = 4
PREFIX = "r3con-sandbox-"
"""Of a worker's folder; the number of its host follows."""
LEFT_SECONDS = 24 * 3600
_CHARS_AT_ONCE = 500_000
JSON_BYTES_PER_CHAR = 12
"""A character outside the basic plane becomes two escapes of six bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one step, or the worker, may use."""

    seconds: float = 20
    """A step's time on the clock."""
    grace_seconds: float = 1.0
    """A step that is over its time and still runs after this is ended with its worker."""
    cpu_seconds: int = 600
    """Of the processor, all steps of a worker together."""
    memory_mb: int = 1024
    """For code and variables together, beyond what Python and its packages take."""
    files: int = 1_000
    """In the scratch folder."""
    file_mb: int = 8
    """Of one file."""
    files_mb: int = 64
    """Of all files together."""
    open_files: int = 32
    output_chars: int = 20_000
    final_chars: int = 20_000
    """Of an answer and its cites together."""
    rebuild_seconds: float = 60
    """For running the steps that ended once more, when a later one has cost the worker."""
    queries: int = 200
    """Prompts that all steps of a session together may put to a model, where there is one to ask."""
    query_chars: int = 100_000
    """Of one prompt."""
    queries_at_once: int = 32

    @property
    def query_chars_at_once(self) -> int:
        """Of the prompts that are put together."""
        return max(self.query_chars, _CHARS_AT_ONCE)


Hear = Callable[[object], dict[str, object]]
"""From the prompts that code has sent, unchecked, to the frame that answers them."""


class LostError(Exception):
    """The worker is gone; the text says why, in a plain sentence."""


class NoFolderError(SandboxError):
    """The worker's folder cannot be made: no other engine would change that."""


class WorkerProcess:
    """A locked-down worker that has shown that its walls stand."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        """Start it; SandboxError says why that failed."""
        self._engine, self._limits = engine, limits
        self._most_chars = limits.output_chars + limits.final_chars + FAULT_CHARS
        self._folder = _folder()
        place = Path(self._folder.name).resolve()
        self._scratch, bait = place / _SCRATCH, place / _BAIT
        if engine.uid is not None:
            _hand_over(engine.uid, (place, self._scratch))
        self._piped = _spawned(engine, str(self._scratch))
        try:
            engine.enclose(self._piped.process)
            self._prove_walls(bait)
        except SandboxError:
            self.end()
            raise
        except OSError as error:
            self.end()
            raise SandboxError(f"The worker for generated code cannot be watched: {error.strerror}.") from error

    def run(self, code: str, hear: Hear | None = None, *, at_most: float = math.inf) -> dict[str, object]:
        """The worker's word on this step, unchecked but for its nonce; LostError when there is none in time.

        It is waited for no longer than `at_most` seconds. Between steps the worker stands still, so that nothing a step
        has left behind (an alarm, say) runs where nobody watches it; so it does while `hear` has its prompts answered,
        which takes nothing of the step's time. None: it may ask nothing.
        """
        nonce = secrets.token_hex(16)
        grace = self._limits.grace_seconds if self._engine.time_limited else 0
        left = min(self._limits.seconds + grace, at_most)
        may_ask = self._let_ask() if hear else None
        frame: dict[str, object] = {"nonce": nonce, "code": code, "queries": may_ask}
        while True:
            self._piped.resume()
            begun = time.monotonic()
            reply = self._exchange(_framed(json.dumps(frame).encode()), left)
            left -= time.monotonic() - begun
            self._stand_still()
            if reply.get("nonce") != nonce:
                raise LostError(INTERFERED)
            if hear is None or "queries" not in reply:
                return reply
            frame = hear(reply["queries"])

    def _let_ask(self) -> dict[str, int]:
        """Take frames with prompts from now on; what the worker is told about them."""
        limits = self._limits
        self._most_chars = max(self._most_chars, limits.query_chars_at_once + FAULT_CHARS)
        return {
            "chars": limits.query_chars,
            "at_once": limits.queries_at_once,
            "chars_at_once": limits.query_chars_at_once,
        }

    def end(self) -> None:
        """Kill it and remove its scratch folder; may be called again."""
        self._piped.end()
        self._folder.cleanup()

    def _prove_walls(self, bait: Path) -> None:
        start = {
            "imports": runtime().imports,
            "readable": runtime().readable,
            "scratch": str(self._scratch),
            "memory": self._limits.memory_mb << 20,
            "limits": {
                "cpu_seconds": self._limits.cpu_seconds,
                "files": self._limits.files,
                "file_mb": self._limits.file_mb,
                "files_mb": self._limits.files_mb,
                "open_files": self._limits.open_files,
            },
            "seconds": self._limits.seconds,
            "output_chars": self._limits.output_chars,
            "final_chars": self._limits.final_chars,
            "bait": str(bait),
        }
        try:
            reply = self._exchange(_framed(json.dumps(start).encode()), self._engine.start_seconds)
        except LostError as error:
            raise SandboxError(f"The worker for generated code did not start ({self._engine.name}).") from error
        if reply.get("error") is not None:
            raise SandboxError(f"The worker could not lock itself down ({self._engine.name}): {reply['error']}.")
        missing = reply.get("missing")
        if not isinstance(missing, list) or missing:
            raise self._open(list(map(str, missing)) if isinstance(missing, list) else ["do anything"])
        if acts := self._engine.missing(self._piped.process.pid):
            raise self._open(acts)

    def _open(self, acts: list[str]) -> SandboxError:
        return SandboxError(f"The walls do not stand ({self._engine.name}): code could {' and '.join(acts)}.")

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended by itself."""
        return self._piped.process.poll() is None

    def bind(self, variables: bytes) -> None:
        """Give it its variables, a JSON object, before the first step; SandboxError, and its end, when that fails."""
        try:
            self._exchange(_framed(variables), BIND_SECONDS)
        except LostError as error:
            self.end()
            size, room = f"{len(variables) >> 20:,} MB", f"{self._limits.memory_mb:,} MB"
            raise SandboxError(
                f"The records ({size}) could not be given to the worker for generated code, which may use {room}. {error}"
            ) from error
        self._stand_still()

    def _stand_still(self) -> None:
        if self._engine.dies_with_host:
            self._piped.halt()

    def _exchange(self, frame: bytes, seconds: float) -> dict[str, object]:
        """Send `frame` and wait for the one frame that answers it."""
        end = time.monotonic() + seconds
        received = bytearray()
        self._piped.send(frame)
        while not self._is_whole(received):
            left = end - time.monotonic()
            if left <= 0:
                raise LostError(f"{STOPPED} {self._limits.seconds:g} seconds.")
            piece = self._piped.receive(min(left, TICK_SECONDS))
            if piece == b"":
                raise LostError(self._ending())
            received += piece or b""
            self._check_use()
        return _decoded(received[LENGTH_BYTES:])

    def _is_whole(self, received: bytearray) -> bool:
        """Whether exactly one frame is there; more than that, or a larger one, is not the worker's doing."""
        if len(received) < LENGTH_BYTES:
            return False
        length = int.from_bytes(received[:LENGTH_BYTES])
        if length > self._most_chars * JSON_BYTES_PER_CHAR or len(received) > LENGTH_BYTES + length:
            raise LostError(INTERFERED)
        return len(received) == LENGTH_BYTES + length

    def _check_use(self) -> None:
        """Stop what the system does not limit: the scratch folder, and with some engines memory."""
        limits = self._limits
        sizes = _sizes(self._scratch, limits.files)
        if len(sizes) > limits.files or sum(sizes) > limits.files_mb << 20:
            raise LostError(f"Stopped: more than {limits.files:,} files or {limits.files_mb} MB of files.")
        room = limits.memory_mb + self._engine.overhead_mb
        if not self._engine.memory_limited and resident_mb(self._piped.process.pid) > room:
            raise LostError(f"Stopped: the code needed more than {limits.memory_mb:,} MB of memory.")

    def _ending(self) -> str:
        """Why the worker has ended by itself, in a sentence."""
        code = self._piped.exit_code(END_SECONDS)
        # bubblewrap tells the signal that ended its child as a shell does, by a number above 128.
        name = _SIGNALS.get(-code if code < 0 else code - 128)
        if name == "SIGXCPU":
            return f"Stopped: the code used more than its {self._limits.cpu_seconds:,} s of the processor's time."
        if name == "SIGSYS":
            return "Stopped: the code asked the system for something that is forbidden here."
        if name == "SIGKILL":
            return "The Python process was stopped by the system, as happens when the machine runs out of memory."
        if name is not None:
            return f"The Python process crashed ({name}) while it ran this code."
        return "The Python process ended while it ran this code."


_SIGNALS = {int(number): number.name for number in signal.Signals}


def remove_leftovers() -> None:
    """Remove the folders of workers whose host was killed, a day after: what code wrote may be confidential."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        host = folder.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            is_old = time.time() - folder.lstat().st_mtime > LEFT_SECONDS
            if is_old and host.isdecimal() and not is_alive(int(host)):
                shutil.rmtree(folder)


_SCRATCH, _BAIT = "scratch", "bait"


def _folder() -> tempfile.TemporaryDirectory[str]:
    """A worker's folder with what belongs into it; NoFolderError where the disk is full, say."""
    with contextlib.ExitStack() as undone:
        try:
            folder = tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
            undone.callback(folder.cleanup)
            (Path(folder.name) / _SCRATCH).mkdir()
            (Path(folder.name) / _BAIT).write_text("Nothing to see here.", encoding="utf-8")
        except OSError as error:
            raise NoFolderError(f"A folder for temporary files cannot be made: {error.strerror}.") from error
        undone.pop_all()
    return folder


def _hand_over(uid: int, folders: Sequence[Path]) -> None:
    """Give the worker's folders to the user it runs as; SandboxError where that cannot be, or that user not get at them.

    Even root may be without the rights for it, in a container. What cannot be used then can be removed again.
    """
    try:
        for folder in folders:
            os.chown(folder, uid, uid)
    except OSError as error:
        for folder in folders:
            with contextlib.suppress(OSError):
                os.chown(folder, os.geteuid(), os.getegid())
        raise SandboxError(f"The worker's folder cannot be given to its user: {error.strerror}.") from error
    for folder in folders:
        if not all(above.stat().st_mode & 0o1 for above in list(folder.parents)[1:]):
            raise SandboxError(f"The folder for temporary files, {folder.parent.parent}, is closed to other users.")


def _spawned(engine: Engine, folder: str) -> PipedProcess:
    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            engine.command(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env=dict(engine.environment),
            start_new_session=True,
            creationflags=engine.creation_flags,
            **_identity(engine.uid),
        )

    try:
        return PipedProcess(start)
    except OSError as error:
        raise SandboxError(f"The worker for generated code could not be started: {error}.") from error


def _identity(uid: int | None) -> dict[str, Any]:
    return {} if uid is None else {"user": uid, "group": uid, "extra_groups": ()}


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(LENGTH_BYTES) + body


def _decoded(body: bytes | bytearray) -> dict[str, object]:
    try:
        frame: object = json.loads(body)
    except (ValueError, RecursionError):
        frame = None
    if not isinstance(frame, dict):
        raise LostError(INTERFERED)
    return frame


def _sizes(folder: Path, enough: int) -> list[int]:
    """Sizes of its files, of no more than it takes to know that there are too many. It has no subfolders.

    Empty where the folder is gone, as when the system tidies up: then no file can be made in it either.
    """
    sizes: list[int] = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in itertools.islice(entries, enough + 1):
            with contextlib.suppress(FileNotFoundError):
                sizes.append(entry.stat(follow_symlinks=False).st_size)
    return sizes

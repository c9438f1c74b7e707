"""One worker process seen from outside: start, one frame out and one in, end.

Frames from the worker are untrusted from the first step on: limited in size and time, bound to a step by a fresh
nonce, and whatever does not fit ends the worker.
"""

import contextlib
import itertools
import json
import os
import queue
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import SandboxError
from r3con_core.sandbox.engines import ENVIRONMENT, Engine, runtime, worker_command

START_SECONDS = 30
GRACE_SECONDS = 1.0
"""A step that is over its time and still runs after this is ended with its worker."""
TICK_SECONDS = 0.1
SCRATCH_FILES = 1_000
SCRATCH_BYTES = 64 << 20
FAULT_CHARS = 8_000
LENGTH_BYTES = 4
JSON_BYTES_PER_CHAR = 12
"""A character outside the basic plane becomes two escapes of six bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one step, or the worker, may use."""

    seconds: float = 20
    """A step's time on the clock."""
    memory_mb: int = 1024
    """For code and variables together, beyond what Python and its packages take."""
    output_chars: int = 20_000
    final_chars: int = 20_000
    """Of an answer and its cites together."""


class LostError(Exception):
    """The worker is gone; the text says why, in a plain sentence."""


class WorkerProcess:
    """A locked-down worker that has shown that its walls stand."""

    def __init__(self, engine: Engine, variables: bytes, limits: Limits) -> None:
        """Start it; SandboxError says why that failed. `variables` is a JSON object."""
        self._engine, self._limits = engine, limits
        self._folder = tempfile.TemporaryDirectory(prefix="r3con-", ignore_cleanup_errors=True)
        place = Path(self._folder.name).resolve()
        self._scratch, bait = place / "scratch", place / "bait"
        self._scratch.mkdir()
        bait.write_text("Nothing to see here.", encoding="utf-8")
        self._process = _spawn(worker_command(engine, str(self._scratch)), str(self._scratch))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._into.fileno(), False)
        try:
            self._prove_walls(bait)
            self._bind(variables)
        except SandboxError:
            self.end()
            raise

    def run(self, code: str) -> dict[str, object]:
        """The worker's word on this step, unchecked but for its nonce; LostError when there is none."""
        nonce = secrets.token_hex(16)
        reply = self._exchange(
            _framed(json.dumps({"nonce": nonce, "code": code}).encode()), self._limits.seconds + GRACE_SECONDS
        )
        if not secrets.compare_digest(str(reply.get("nonce")).encode(), nonce.encode()):
            raise LostError("The code interfered with the sandbox and was stopped.")
        return reply

    def end(self) -> None:
        """Kill it and remove its scratch folder; may be called again."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._into.close()
        self._out.close()
        self._folder.cleanup()

    def _prove_walls(self, bait: Path) -> None:
        start = {
            "imports": runtime().imports,
            "readable": runtime().readable,
            "scratch": str(self._scratch),
            "memory": self._limits.memory_mb << 20,
            "seconds": self._limits.seconds,
            "output_chars": self._limits.output_chars,
            "final_chars": self._limits.final_chars,
            "bait": str(bait),
        }
        try:
            reply = self._exchange(_framed(json.dumps(start).encode()), START_SECONDS)
        except LostError as error:
            raise SandboxError(f"The worker for generated code did not start ({self._engine.name}).") from error
        if reply.get("error") is not None:
            raise SandboxError(f"The worker could not lock itself down ({self._engine.name}): {reply['error']}.")
        missing = reply.get("missing")
        if not isinstance(missing, list) or missing:
            acts = " and ".join(map(str, missing)) if isinstance(missing, list) else "do anything"
            raise SandboxError(f"The walls do not stand ({self._engine.name}): code could {acts}.")

    def _bind(self, variables: bytes) -> None:
        try:
            self._exchange(_framed(variables), START_SECONDS)
        except LostError as error:
            size, room = f"{len(variables) >> 20:,} MB", f"{self._limits.memory_mb:,} MB"
            raise SandboxError(
                f"The records ({size}) do not fit into the {room} that generated code may use."
            ) from error

    def _exchange(self, frame: bytes, seconds: float) -> dict[str, object]:
        """Send `frame` and wait for the one frame that answers it."""
        end = time.monotonic() + seconds
        unsent, received = memoryview(frame), bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._into, selectors.EVENT_WRITE)
            while not self._is_whole(received):
                left = end - time.monotonic()
                if left <= 0:
                    raise LostError(f"Stopped after {self._limits.seconds:g} seconds.")
                for key, _ in selector.select(min(left, TICK_SECONDS)):
                    if key.fileobj is self._out:
                        received += self._read()
                        continue
                    unsent = unsent[self._write(unsent) :]
                    if not unsent:
                        selector.unregister(self._into)
                self._check_use()
        return _decoded(received[LENGTH_BYTES:])

    def _read(self) -> bytes:
        piece = os.read(self._out.fileno(), 1 << 16)
        if not piece:
            raise LostError("The Python process ended while it ran this code (it crashed or ran out of memory).")
        return piece

    def _write(self, unsent: memoryview) -> int:
        try:
            return os.write(self._into.fileno(), unsent[: 1 << 16])
        except BrokenPipeError:
            raise LostError("The Python process had ended before it could run this code.") from None

    def _is_whole(self, received: bytearray) -> bool:
        """Whether exactly one frame is there; more than that, or a larger one, is not the worker's doing."""
        if len(received) < LENGTH_BYTES:
            return False
        length = int.from_bytes(received[:LENGTH_BYTES])
        chars = self._limits.output_chars + self._limits.final_chars + FAULT_CHARS
        if length > chars * JSON_BYTES_PER_CHAR or len(received) > LENGTH_BYTES + length:
            raise LostError("The code interfered with the sandbox and was stopped.")
        return len(received) == LENGTH_BYTES + length

    def _check_use(self) -> None:
        """Stop what the system does not limit: the scratch folder, and memory on macOS."""
        sizes = _sizes(self._scratch)
        if len(sizes) > SCRATCH_FILES or sum(sizes) > SCRATCH_BYTES:
            raise LostError(f"Stopped: more than {SCRATCH_FILES:,} files or {SCRATCH_BYTES >> 20} MB of files.")
        if not self._engine.memory_limited and _resident_mb(self._process.pid) > self._limits.memory_mb + 256:
            raise LostError(f"Stopped: the code needed more than {self._limits.memory_mb:,} MB of memory.")


def _spawn(command: list[str], folder: str) -> subprocess.Popen[bytes]:
    """Start it from a thread of its own that lives as long as it does.

    The kernel kills the worker when the *thread* that started it ends (PR_SET_PDEATHSIG), which for a thread of the
    caller would be too early, and for the whole host is what we want.
    """
    started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()

    def keep() -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=folder,
                env=ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as error:
            started.put(error)
            return
        started.put(process)
        if sys.platform == "linux":
            with contextlib.suppress(ChildProcessError):
                # Not reaped here: `end` must be sure that the number still belongs to this process.
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    threading.Thread(target=keep, name="sandbox worker", daemon=True).start()
    outcome = started.get()
    if isinstance(outcome, OSError):
        raise SandboxError(f"The worker for generated code could not be started: {outcome}.") from outcome
    return outcome


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(LENGTH_BYTES) + body


def _decoded(body: bytes | bytearray) -> dict[str, object]:
    try:
        frame: object = json.loads(body)
    except (ValueError, RecursionError):
        frame = None
    if not isinstance(frame, dict):
        raise LostError("The code interfered with the sandbox and was stopped.")
    return frame


def _sizes(folder: Path) -> list[int]:
    """Sizes of its files, of no more than it takes to know that there are too many. It has no subfolders."""
    sizes = []
    with os.scandir(folder) as entries:
        for entry in itertools.islice(entries, SCRATCH_FILES + 1):
            with contextlib.suppress(FileNotFoundError):
                sizes.append(entry.stat(follow_symlinks=False).st_size)
    return sizes


def _resident_mb(pid: int) -> int:
    shown = subprocess.run(["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout) >> 10

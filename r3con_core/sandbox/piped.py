"""A process whose standard streams are served by two threads, so that no one ever waits for it longer than he wants.

Threads, because a pipe of Windows can be waited for in no other way. What it sends is read only when asked for: one
that floods its stream is held up by it.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

PIECE_BYTES = 1 << 16
DEATH_SECONDS = 5


class PipedProcess:
    """Started, and not yet ended."""

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        """Start it; OSError when that fails.

        The thread that starts it lives as long as it does: the kernel kills the worker when the *thread* that started
        it ends (PR_SET_PDEATHSIG), which for a thread of the caller would be too early, and for the whole host is what
        we want.
        """
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._wanted: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._is_asked = False
        started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()
        self._run(lambda: self._start_and_read(start, started))
        outcome = started.get()
        if isinstance(outcome, OSError):
            raise outcome
        self.process = outcome
        self._run(self._write)

    def send(self, frame: bytes) -> None:
        """Have it written; whether it is taken shows in what comes back."""
        self._unsent.put(frame)

    def receive(self, seconds: float) -> bytes | None:
        """The next piece of what it sent; empty when its stream has ended, None when nothing came in time."""
        if not self._is_asked:
            self._wanted.put(PIECE_BYTES)
            self._is_asked = True
        try:
            piece = self._pieces.get(timeout=seconds)
        except queue.Empty:
            return None
        self._is_asked = False
        return piece

    def halt(self) -> None:
        """Have it stand still, with all it started; nothing where the system knows no such thing."""
        if sys.platform != "win32":
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        if sys.platform != "win32":
            self._signal(signal.SIGCONT)

    def exit_code(self, seconds: float) -> int:
        """How it ended, a signal as a number below 0; as if killed, when it has not ended within so many seconds."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return -9

    def end(self) -> None:
        """Kill it, with all it started; may be called again."""
        if self.process.returncode is None:
            self._kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                # Past this it hangs in the kernel (a dead network drive, say), and dies when it comes out of it.
                self.process.wait(DEATH_SECONDS)
        self._wanted.put(0)
        self._unsent.put(None)

    def _kill(self) -> None:
        if sys.platform == "win32":
            self.process.kill()
        else:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    @staticmethod
    def _run(serve: Callable[[], None]) -> None:
        threading.Thread(target=serve, name="sandbox worker", daemon=True).start()

    def _start_and_read(
        self,
        start: Callable[[], subprocess.Popen[bytes]],
        started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError],
    ) -> None:
        try:
            process = start()
        except OSError as error:
            started.put(error)
            return
        assert process.stdout is not None
        with process.stdout as stream:
            started.put(process)
            while size := self._wanted.get():
                self._pieces.put(os.read(stream.fileno(), size))

    def _write(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError), self.process.stdin as stream:
            while (frame := self._unsent.get()) is not None:
                rest = memoryview(frame)
                while rest:
                    rest = rest[os.write(stream.fileno(), rest[:PIECE_BYTES]) :]

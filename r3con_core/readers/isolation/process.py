"""One reader process from outside: starting it, giving it tasks, hearing it, ending it and all it has started."""

import os
import queue
import signal
import site
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import CorpusError
from r3con_core.readers.isolation import protocol
from r3con_core.readers.isolation.netwall import walled_command
from r3con_core.readers.isolation.protocol import FrameError, Said
from r3con_core.readers.isolation.tasks import Job

_PASSED_ON = (
    "PATH LANG LANGUAGE LC_ALL LC_CTYPE TZ TESSDATA_PREFIX LD_LIBRARY_PATH DYLD_LIBRARY_PATH FONTCONFIG_PATH "
    "OMP_THREAD_LIMIT SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT PROGRAMFILES NUMBER_OF_PROCESSORS"
).split()
"""All that a reader gets of our environment: no keys, no addresses, no names."""
_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a process says of a job; of a job it is not at when it says what it may not."""

    process: "ReaderProcess"
    job: Job
    said: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A process has closed its pipe, or said what no reader says."""

    process: "ReaderProcess"
    reason: str


class ReaderProcess:
    """A process that reads one file after the other; ended with everything it has started."""

    def __init__(self, command: Sequence[str], folder: Path, ears: "queue.Queue[Heard | Gone]") -> None:
        """`folder` is new and its own: its home, its scratch and its current folder. CorpusError if it cannot start."""
        self.jobs: deque[Job] = deque()
        """What it is to read: first what it is at."""
        self.begun = False
        """It has turned to the first of them."""
        self.retires = False
        """It takes nothing more."""
        self.verdict = ""
        """Why it was ended, as is to be told of the file it was at."""
        self.folder = folder
        self.scratch = folder / "tmp"
        self.scratch.mkdir(parents=True)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=self.scratch,
                env=environment_in(folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as fault:
            raise CorpusError(f"No process can be started to read the files in ({fault.strerror}).") from fault
        self._ears = ears
        self._ended = ""
        self._heard_at = time.monotonic()
        self._waits = False
        """What it said last waits to be listened to."""
        self._hearing: deque[Job] = deque()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def give(self, job: Job, payload: bytes) -> None:
        """Have it read this after what it has been given before. A process that is no more is told of as Gone."""
        assert self._process.stdin is not None
        self._heard_at = self._heard_at if self.jobs else time.monotonic()
        self.jobs.append(job)
        self._hearing.append(job)
        with suppress(OSError):
            protocol.write_frame(self._process.stdin, protocol.TASK, payload)  # type: ignore[arg-type]

    @property
    def takes_more(self) -> bool:
        """It has not ended, and will not before it is told to."""
        return not (self.retires or self._ended)

    def silent_for(self) -> float:
        """Seconds since it said something, while it has something to read."""
        return time.monotonic() - self._heard_at if self.jobs and not (self._waits or self._ended) else 0.0

    def _listen(self) -> None:
        """Check and pass on what it says, in a thread of its own, until it ends."""
        reason = "it sent what cannot be read"
        assert self._process.stdout is not None
        try:
            with self._process.stdout as pipe:
                for tag, payload in protocol.frames(pipe):  # type: ignore[arg-type]
                    self._hear(tag, payload)
            reason = ""
        except FrameError:
            return
        finally:  # whatever happens, or its files would be waited for for ever
            self._ears.put(Gone(process=self, reason=reason))

    def _hear(self, tag: bytes, payload: bytes) -> None:
        if not self._hearing:
            raise FrameError
        job = self._hearing[0]
        said = protocol.decode(tag, payload, node=job.node, pack=job.pack)
        if isinstance(said, protocol.Ended):
            self._hearing.popleft()
        self._waits = True
        self._ears.put(Heard(process=self, job=job, said=said))
        self._heard_at, self._waits = time.monotonic(), False

    def end(self) -> str:
        """End it with everything it has started; how it ended, in words: "signal 11", "exit code 1"."""
        if self._ended:
            return self._ended
        # The group first: while its leader is not waited for, its number can be nobody else's.
        self._kill()
        code = self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # what was on its way to it
            self._process.stdin.close()
        self._ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        return self._ended

    @property
    def listens(self) -> bool:
        """Its thread has not ended yet."""
        return self._thread.is_alive()

    def _kill(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):  # all have ended
            os.killpg(self._process.pid, signal.SIGKILL)


def reader_command(memory: int, seconds: float) -> tuple[str, ...]:
    """The command line of a reader; no password and nothing of a file is in it."""
    own = (sys.executable, "-P", "-m", "r3con_core.readers.isolation", str(memory), str(seconds))
    return (*walled_command(), *own)


def environment_in(folder: Path) -> dict[str, str]:
    """What a process that reads is given of our environment, with `folder` as its home."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    places = dict.fromkeys([str(_ROOT), *(place for place in sys.path if place)])
    own = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), str(folder))
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "tmp"))
    return {
        **kept,
        **own,
        **temporary,
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
    }

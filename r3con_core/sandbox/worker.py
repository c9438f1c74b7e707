"""The process that runs generated code: one step after the other, names kept between them.

Started by process.py through the command line of engines.py; standard library and the preloaded packages only.
It imports, locks itself down, proves the walls, and only then receives variables and code. Whatever runs here may
change this module at will: the host believes nothing it sends (process.py) and nothing it prints.

Frames are four bytes of length, big-endian, then JSON. The first in is a `Start`, then the variables, then steps.
"""

import ast
import builtins
import collections
import contextlib
import errno
import gc
import importlib
import io
import json
import linecache
import mimetypes
import os
import random
import re
import signal
import struct
import sys
import tempfile
import traceback
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

READY_NAMES = {
    "pd": "pandas",
    "nx": "networkx",
    **{name: name for name in ("re", "json", "math", "datetime", "collections", "statistics", "itertools")},
}
"""Bound before the first step: name, module."""
LEFT_ALONE = ("pyarrow", "numexpr", "numba", "bottleneck")
"""pandas uses these when it finds them; they start threads, and results should not depend on them."""
FAULT_CHARS = 4_000
RESERVE = 8 << 20
"""Bytes given back when memory is short, so that saying so is possible."""


class Start(TypedDict):
    """How this worker is to be set up."""

    imports: list[str]
    """Folders to import from, after the standard library."""
    readable: list[str]
    scratch: str
    memory: int
    """Bytes the code may use."""
    limits: dict[str, int]
    """`cpu_seconds` of the worker; `files` in the scratch folder, of `file_mb` each and `files_mb` together, of which
    `open_files` may be open."""
    seconds: float
    output_chars: int
    final_chars: int
    bait: str
    """A file that must not be readable."""


class Proposal(TypedDict):
    """What `answer` was called with."""

    text: str
    cites: list[str]


class Outcome(TypedDict):
    """What came of a step."""

    output: str
    fault: str | None
    proposed: Proposal | None


def main(
    lock_down: Callable[..., None], missing_walls: Callable[..., list[str]], asking_over: Callable[["Channel"], Any]
) -> None:
    """Serve steps until the host closes the channel, by the functions of lockdown.py and asking.py."""
    channel = Channel.taken_from_standard_streams()
    asking = asking_over(channel)
    start: Start = channel.receive()
    try:
        ready = _prepare(start)
        memory, limits = start["memory"], start["limits"]
        lock_down(readable=start["readable"], scratch=start["scratch"], memory=memory, limits=limits)
        missing = missing_walls(bait=start["bait"], memory=start["memory"])
    except Exception as error:  # noqa: BLE001 whatever stops the lock-down is the host's to hear
        channel.send({"error": f"{type(error).__name__}: {error}", "missing": []})
        return
    channel.send({"error": None, "missing": missing})
    session = Session({**ready, **channel.receive()}, start)
    channel.send({"bound": True})
    while True:
        step = channel.receive()
        outcome = session.run(step["code"], asking.begin(step))
        asking.end()
        channel.send({"nonce": step["nonce"], **outcome})


def _prepare(start: Start) -> dict[str, object]:
    """Import before the walls stand: some packages read system files or the processor's description then."""
    sys.path += start["imports"]
    sys.modules.update(dict.fromkeys(LEFT_ALONE))  # type: ignore[arg-type]  # None makes an import fail
    _keep_temporary_files()
    mimetypes.knownfiles.clear()  # the system's, which may not be read
    tempfile.tempdir = start["scratch"]
    os.chdir(start["scratch"])
    return {name: importlib.import_module(module) for name, module in READY_NAMES.items()}


def _keep_temporary_files() -> None:
    """Nothing can be deleted in the scratch folder: the files that `tempfile` deletes are emptied instead."""
    unlink, os.unlink = os.unlink, _emptied  # type: ignore[assignment]  # for its own use, for a moment
    importlib.reload(tempfile)
    os.unlink = unlink
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile  # type: ignore[assignment]  # as it is on Windows


def _emptied(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


class Channel:
    """Frames from and to the host."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        """On two file descriptors."""
        self._incoming, self._outgoing = incoming, outgoing

    @classmethod
    def taken_from_standard_streams(cls) -> "Channel":
        """The channel on copies of streams 0 and 1, which then lead nowhere."""
        channel = cls(os.dup(0), os.dup(1))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.close(nowhere)
        return channel

    def receive(self) -> Any:
        """The next frame, whose shape the receiver knows; ends the process when the host is gone."""
        (length,) = struct.unpack(">I", self._read(4))
        return json.loads(self._read(length))

    def send(self, frame: Mapping[str, object]) -> None:
        """Send one frame."""
        body = json.dumps(frame).encode()
        rest = memoryview(struct.pack(">I", len(body)) + body)
        while rest:
            rest = rest[os.write(self._outgoing, rest) :]

    def _read(self, length: int) -> bytes:
        read = bytearray()
        while len(read) < length:
            piece = os.read(self._incoming, min(length - len(read), 1 << 20))
            if not piece:
                os._exit(0)
            read += piece
        return bytes(read)


class Stopped(BaseException):
    """The step's time is over. Not an Exception, so that code which catches those does not catch it."""


class Output(io.TextIOBase):
    """Text with only its beginning and its end kept, within a limit."""

    NOTE_CHARS = 80

    def __init__(self, limit: int) -> None:
        """Keep `limit` characters, the note about what is left out among them."""
        self.begin(limit)

    def begin(self, limit: int) -> None:
        """Be as new, whatever code has done to it; who has kept it, as `logging` does, goes on writing to it."""
        vars(self).clear()
        self._head_room = limit * 3 // 5
        self._tail_room = max(0, limit - self._head_room - self.NOTE_CHARS)
        self._head: list[str] = []
        self._tail: collections.deque[str] = collections.deque()
        self._tail_chars = self._left_out = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str, /) -> int:
        """Take more text, without asking an object of the code for its own idea of its parts."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)
        head, rest = text[: self._head_room], text[self._head_room :]
        if head:
            self._head.append(head)
            self._head_room -= len(head)
        if rest:
            self._tail.append(rest[-self._tail_room :] if self._tail_room else "")
            self._tail_chars += len(self._tail[-1])
            self._left_out += len(rest) - len(self._tail[-1])
            while self._tail_chars - len(self._tail[0]) > self._tail_room:
                self._left_out += len(self._tail[0])
                self._tail_chars -= len(self._tail.popleft())
        return len(text)

    def text(self) -> str:
        """What is kept, with a note where something is left out."""
        tail = "".join(self._tail)
        surplus = max(0, len(tail) - self._tail_room)
        left_out = self._left_out + surplus
        note = f"\n[... {left_out:,} characters left out ...]\n" if left_out else ""
        return "".join(self._head) + note + tail[surplus:]


def _shortened(text: str, limit: int) -> str:
    output = Output(limit)
    output.write(text)
    return output.text()


class Session:
    """The names that steps share, and the running of a step."""

    def __init__(self, names: Mapping[str, object], start: Start) -> None:
        """Begin with these names."""
        main_module = types.ModuleType("__main__")
        sys.modules["__main__"] = main_module
        self._names = vars(main_module)
        self._names.update(names)
        self._builtins = vars(builtins)
        self._own_builtins = dict(self._builtins)
        random.seed(0)  # so that steps give the same again when they are run once more
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(0)
        self._start = start
        self._output = Output(start["output_chars"])
        self._steps = 0
        self._running = False
        self._proposed: Proposal | None = None
        self._reserve: bytearray | None = bytearray(RESERVE)

    def run(self, code: str, given: Mapping[str, object] = types.MappingProxyType({})) -> Outcome:
        """Run `code` as one step, with the names `given` to it besides `answer`."""
        self._steps += 1
        self._proposed = None
        self._names.update(given, answer=self._answer_function())
        self._output.begin(self._start["output_chars"])
        sys.stdout = sys.stderr = self._output
        fault = self._fault_of(code, f"<step {self._steps}>")
        return {"output": self._output.text(), "fault": fault, "proposed": self._proposed}

    def _fault_of(self, code: str, name: str) -> str | None:
        fault: str | None = None
        try:
            self._start_clock()
            try:
                self._execute(code, name)
            finally:  # what changed `len` takes it neither from us nor from the next step
                self._builtins.update(self._own_builtins)
        except Stopped:
            fault = f"Stopped after {self._start['seconds']:g} seconds. What was defined so far is kept."
        except MemoryError:
            self._reserve = None
            fault = f"MemoryError: the code needed more than the {self._start['memory'] >> 20:,} MB it may use."
        except BaseException as error:  # noqa: BLE001 the sandbox boundary: any end of the code is a fault to report
            self._running = False
            fault = self._without_folders(_described(error, name)) + self._note(error)
        self._running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._reserve is None:
            gc.collect()
            with contextlib.suppress(MemoryError):
                self._reserve = bytearray(RESERVE)
        return fault

    def _without_folders(self, trace: str) -> str:
        """The traceback, for the model to see, without the folders of Python and this file: they may name the user."""
        own = os.path.dirname(_described.__code__.co_filename)  # noqa: PTH120 it is text only
        for folder in sorted((own, *self._start["readable"], *self._start["imports"]), key=len, reverse=True):
            trace = trace.replace(f'File "{folder}/', 'File "')
        return trace

    def _note(self, error: BaseException) -> str:
        try:
            return _noted(error, self._start["limits"])
        except BaseException:  # noqa: BLE001 the error is an object of the code, whose own methods may fail
            return ""

    def _start_clock(self) -> None:
        def stop(_signal: int, _frame: types.FrameType | None) -> None:
            if self._running:
                raise Stopped

        signal.signal(signal.SIGALRM, stop)
        self._running = True
        signal.setitimer(signal.ITIMER_REAL, self._start["seconds"])

    def _execute(self, code: str, name: str) -> None:
        """Run all statements; show the value of the last when it is an expression, as an interactive Python does."""
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = ast.parse(code, name)
        shown = tree.body[-1] if tree.body else None
        if not isinstance(shown, ast.Expr):
            exec(compile(tree, name, "exec"), self._names)
            return
        tree.body.pop()
        exec(compile(tree, name, "exec"), self._names)
        value = eval(compile(ast.Expression(shown.value), name, "eval"), self._names)
        if value is not None:
            sys.stdout.write(f"{value!r}\n")

    def _answer_function(self) -> Callable[..., None]:
        limit = self._start["final_chars"]

        def answer(text: object, cites: Iterable[object] = ()) -> None:
            """Propose `text` as the answer, resting on the records `cites`."""
            labels = [cites] if isinstance(cites, str) else list(cites)
            proposal: Proposal = {"text": str(text), "cites": [str(label) for label in labels]}
            if len(proposal["text"]) + sum(map(len, proposal["cites"])) > limit:
                raise ValueError(f"An answer and its cites may have {limit:,} characters together.")
            self._proposed = proposal

        return answer


def _described(error: BaseException, name: str) -> str:
    """The traceback from the code's own first line on; this module's frames would only confuse its author."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    try:
        return _shortened("".join(traceback.format_exception(type(error), error, trace)).rstrip(), FAULT_CHARS)
    except BaseException:  # noqa: BLE001 the error is an object of the code, whose own methods may fail as well
        return f"{type(error).__name__}, an error that cannot be shown."


_CHANGES_FILE = re.compile(r"\b(?:utime|ch(?:mod|own))\b")
_STARTS_OR_SIGNALS = re.compile(r"\b(?:fork\w*|exec[lv]\w*|(?:posix_)?spawn\w*|system|popen|kill\w*)\(")
_PROCESS_MODULES = {"subprocess", "threading", "thread", "process", "pool", "pty", "popen_fork", "popen_spawn_posix"}
_REFUSED = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.ENOENT, errno.EAGAIN}
_OTHER_NOTES = (
    ("RuntimeError", re.compile("start new thread"), "code here runs alone; it cannot start threads."),
    ("EOFError", re.compile("reading a line"), "nobody can be asked for input here."),
    ("OperationalError", re.compile("denied|unable to open|disk I/O"), "a database here has to be in ':memory:'."),
)
"""Of errors that are not the system's own: kind, words, note."""
NOTED_ERRORS = 8
"""How many errors that led to an error are looked at."""


def _noted(error: BaseException, limits: Mapping[str, int]) -> str:
    """A line about the wall or limit that an error comes from; "" for an error of the code's own."""
    chain = [error]
    while (before := chain[-1].__cause__ or chain[-1].__context__) and len(chain) < NOTED_ERRORS:
        chain.append(before)
    notes = (_note_on(each, limits) for each in chain)
    return next((f"\nNote: {note}" for note in notes if note), "")


def _note_on(error: BaseException, limits: Mapping[str, int]) -> str:
    if not isinstance(error, OSError):
        known = (note for kind, said, note in _OTHER_NOTES if type(error).__name__ == kind and said.search(str(error)))
        return next(known, "")
    if type(error).__name__ in {"gaierror", "herror"}:
        return "code here has no network."
    match error.errno:
        case errno.EFBIG:
            return f"a file here may have {limits['file_mb']} MB."
        case errno.EMFILE:
            return f"code here may have {limits['open_files']} files open at a time."
        case number if number in _REFUSED:
            return _note_on_refusal(error, limits)
    return ""


def _note_on_refusal(error: OSError, limits: Mapping[str, int]) -> str:
    calls = traceback.extract_tb(error.__traceback__)
    modules = {os.path.basename(call.filename).removesuffix(".py") for call in calls}  # noqa: PTH119 it is text only
    if "socket" in modules:
        return "code here has no network."
    if modules & _PROCESS_MODULES or (calls and _STARTS_OR_SIGNALS.search(calls[-1].line or "")):
        return "code here runs alone; it cannot start or signal other processes or threads."
    if modules & {"selectors", "selector_events"}:
        return "code here cannot use asyncio; call one function after the other."
    if error.filename is None and not (calls and _CHANGES_FILE.search(calls[-1].line or "")):
        return "code here is alone in a closed process: no network, no other processes or threads."
    name = os.fsdecode(error.filename or "")
    if error.errno == errno.ENOENT and not os.path.isabs(name):  # noqa: PTH117
        return ""
    return (
        f"code here has no files but a folder of its own, empty at first, for {limits['files']:,} files of "
        f"{limits['file_mb']} MB, {limits['files_mb']} MB together; it has no subfolders, and nothing in it can be "
        "deleted or renamed."
    )

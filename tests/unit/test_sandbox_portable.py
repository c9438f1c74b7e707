"""Walls for systems other than Linux: what is asked of them, and that nothing runs where they do not stand.

The tests of WebAssembly itself run where Deno and the runtime are installed; all programs of tests/sandbox_programs run
in it by benchmarks/portable.py. Nothing here was ever run on macOS or Windows.
"""

import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from r3con_core.cli import main
from r3con_core.errors import ModelFileError, SandboxError
from r3con_core.sandbox import Limits, Sandbox, walls_here, windows_job
from r3con_core.sandbox.choosing import advice, improvements
from r3con_core.sandbox.engines import Engine, Runtime
from r3con_core.sandbox.process import WorkerProcess
from r3con_core.sandbox.resident import resident_mb
from r3con_core.sandbox.seatbelt import profile
from r3con_core.sandbox.spares import bound_worker, end_spares, keep
from r3con_core.sandbox.walls import LANDLOCK, MEANINGS, WASM, WASM_IN_JOB
from r3con_core.sandbox.wasm import lacking, wasm_engine
from r3con_core.sandbox.wasm_files import RUNTIME_FILES, RuntimeFile, runtime_folder
from r3con_core.sandbox_runtime import pull_runtime

SPEAKER = """
import json, sys
def read(n):
    got = b""
    while len(got) < n:
        piece = sys.stdin.buffer.read(n - len(got))
        if not piece: sys.exit()
        got += piece
    return got
def receive(): return json.loads(read(int.from_bytes(read(4), "big")))
def send(frame):
    body = json.dumps(frame).encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
    sys.stdout.buffer.flush()
receive()
send({"error": None, "missing": json.loads(sys.argv[1])})
while True:
    frame = receive()
    send({"nonce": frame.get("nonce"), "output": "ran", "fault": None, "proposed": None})
"""


def speaking(acts: Sequence[str] = (), **more: Any) -> Engine:
    """An engine of a program that says that code could do these acts, and runs nothing."""
    command = [sys.executable, "-I", "-S", "-c", SPEAKER, json.dumps(list(acts))]
    return Engine(name=WASM, command=lambda _scratch: command, dies_with_host=False, **more)


# Choosing


def test_an_engine_whose_worker_proves_its_walls_is_used() -> None:
    with Sandbox(speaking(), b"{}", Limits()) as sandbox:
        assert sandbox.execute("1").output == "ran"


@pytest.mark.parametrize("acts", [["use the permission import"], ["read a file", "start a process"]])
def test_an_engine_of_which_a_single_wall_is_missing_is_refused(acts: list[str]) -> None:
    with pytest.raises(SandboxError, match=f"code could {' and '.join(acts)}"):
        Sandbox(speaking(acts), b"{}", Limits())


def test_what_the_system_says_about_a_worker_counts_against_its_own_word() -> None:
    with pytest.raises(SandboxError, match="code could run outside its job"):
        Sandbox(speaking(missing=lambda _pid: ["run outside its job"]), b"{}", Limits())


def test_a_worker_that_cannot_be_enclosed_is_ended_before_it_is_told_anything() -> None:
    started: list[subprocess.Popen[bytes]] = []

    def refuse(process: subprocess.Popen[bytes]) -> None:
        started.append(process)
        raise SandboxError("no job")

    with pytest.raises(SandboxError, match="no job"):
        Sandbox(speaking(enclose=refuse), b"{}", Limits())
    assert started[0].returncode is not None


def test_without_deno_and_runtime_there_is_no_engine_and_both_are_asked_for(tmp_path: Path) -> None:
    assert wasm_engine(tmp_path, [tmp_path]) is None
    assert lacking(tmp_path, [tmp_path]) == (
        'Install Deno with: pip install "r3con-analyst[portable]"',
        "Fetch Python for WebAssembly (23 MB) with: r3con sandbox pull",
    )


def test_every_kind_of_walls_has_its_meaning_and_where_none_stands_it_is_said_what_to_do() -> None:
    assert {WASM, WASM_IN_JOB} <= set(MEANINGS)
    assert improvements("") == (advice(),)
    assert "bubblewrap" in improvements(LANDLOCK)[0]


def test_the_command_line_names_the_walls_that_stand(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["sandbox", "show"])
    shown = capsys.readouterr().out
    assert shown.startswith(f"Generated code runs behind {walls_here()}." if code == 0 else "Generated code cannot")


# Python for WebAssembly: how it is started


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A home with files of the right sizes, and in it a program named deno."""
    folder = runtime_folder(tmp_path)
    folder.mkdir(parents=True)
    for file in RUNTIME_FILES:
        with (folder / file.name).open("wb") as made:
            made.truncate(file.bytes)
    for name in ("deno", "deno.exe"):
        (tmp_path / name).touch()
    return tmp_path


def test_a_team_uses_the_runtime_of_its_operator(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R3CON_SHARED", str(installed))
    assert wasm_engine(tmp_path / "users" / "ann", [installed]) is not None


def test_deno_is_started_with_reading_its_own_files_as_its_only_permission(installed: Path) -> None:
    engine = wasm_engine(installed, [installed])
    assert engine is not None
    command = engine.command("/scratch")
    (allowed,) = [part for part in command if part.startswith("--allow") or part in ("-A", "-P")]
    readable = allowed.removeprefix("--allow-read=").split(",")
    own = Path(windows_job.__file__).parent
    networkx, *rest = readable[3:]
    assert readable[:3] == [str(runtime_folder(installed)), str(own / "wasm_boot.py"), str(own / "worker.py")]
    assert Path(networkx).name == "networkx"
    assert [Path(path).name for path in rest] in ([], ["tzdata"])
    assert {"--no-prompt", "--no-remote", "--no-npm", "--no-config", "--cached-only", "--deny-import"} <= set(command)
    assert engine.packages == ("pandas", "networkx")


def test_deno_inherits_nothing_of_the_environment_and_has_no_folder_to_keep_things_in(installed: Path) -> None:
    engine = wasm_engine(installed, [installed])
    assert engine is not None
    assert set(engine.environment) <= {"DENO_DIR", "NO_COLOR", "SystemRoot"}
    assert Path(engine.environment["DENO_DIR"]).parent.is_file()


def test_without_the_files_of_pandas_the_engine_says_that_it_has_none(installed: Path) -> None:
    next(runtime_folder(installed).glob("pandas*")).unlink()
    engine = wasm_engine(installed, [installed])
    assert engine is not None
    assert engine.packages == ("networkx",)


def test_with_a_file_of_python_cut_short_there_is_no_engine(installed: Path) -> None:
    (runtime_folder(installed) / "pyodide.asm.wasm").write_bytes(b"short")
    assert wasm_engine(installed, [installed]) is None


# Fetching it


def a_file(name: str, held: bytes, *, is_core: bool = True) -> RuntimeFile:
    return RuntimeFile(name=name, bytes=len(held), sha256=hashlib.sha256(held).hexdigest(), is_core=is_core)


CORE, TABLES = a_file("core.wasm", b"core"), a_file("tables.whl", b"tables", is_core=False)
HELD = {"core.wasm": b"core", "tables.whl": b"tables"}


def having(*names: str, held: dict[str, bytes] = HELD) -> Any:
    def source(wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
        return ((file, held[file.name]) for file in wanted if file.name in names)

    return source


def silent(_wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
    raise ModelFileError("The source did not answer.")


def pull(home: Path, *sources: Any) -> list[str]:
    return pull_runtime(home, lambda _done, _all: None, sources=sources, files=(CORE, TABLES))


def test_what_one_source_has_not_the_next_delivers_and_nothing_is_fetched_twice(tmp_path: Path) -> None:
    asked: list[str] = []

    def last(wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
        asked.extend(file.name for file in wanted)
        return having("core.wasm", "tables.whl")(wanted)  # type: ignore[no-any-return]

    assert pull(tmp_path, silent, having("core.wasm"), last) == []
    assert asked == ["tables.whl"]
    assert pull(tmp_path, silent) == []
    assert {file.name: file.read_bytes() for file in runtime_folder(tmp_path).iterdir()} == HELD


def test_a_file_other_than_the_published_one_is_not_kept(tmp_path: Path) -> None:
    forged = having("core.wasm", held={"core.wasm": b"CORE"})
    with pytest.raises(SandboxError, match=r"core\.wasm is not the file that was published"):
        pull(tmp_path, forged)
    assert list(runtime_folder(tmp_path).iterdir()) == []


def test_python_without_pandas_is_kept_and_what_is_absent_is_named(tmp_path: Path) -> None:
    assert pull(tmp_path, having("core.wasm")) == ["tables.whl"]


# Workers started ahead


def test_a_slow_worker_that_proved_its_walls_serves_the_next_session_and_only_that() -> None:
    engine, limits = speaking(is_slow=True), Limits(output_chars=1234)
    first = WorkerProcess(engine, limits)
    keep(engine, limits, first)
    taken, other = bound_worker(engine, b"{}", limits), bound_worker(engine, b"{}", limits)
    try:
        assert taken is first
        assert other is not first
    finally:
        taken.end()
        other.end()
        end_spares()
        _join_starts()


def test_a_start_ahead_that_fails_keeps_nobody_waiting() -> None:
    starts: list[object] = []

    def fail_at_the_second(process: object) -> None:
        starts.append(process)
        if len(starts) == 2:
            raise OSError("gone")

    engine, limits = speaking(is_slow=True, enclose=fail_at_the_second), Limits(output_chars=1235)
    for _ in range(2):
        bound_worker(engine, b"{}", limits).end()
        _join_starts()
    end_spares()
    assert len(starts) == 4


def test_a_folder_that_the_system_tidied_away_ends_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Sandbox(speaking(), b"{}", Limits()) as sandbox:
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)
        assert sandbox.execute("1").output == "ran"


def _join_starts() -> None:
    for thread in threading.enumerate():
        if thread.name == "next sandbox worker":
            thread.join()


def test_a_quick_worker_is_not_kept() -> None:
    engine, limits = speaking(), Limits(output_chars=1234)
    first = WorkerProcess(engine, limits)
    keep(engine, limits, first)
    assert not first.is_alive


def test_memory_of_a_process_is_told_and_of_one_that_is_gone_is_none() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert resident_mb(ended.pid) == 0
    assert 10 < resident_mb(os.getpid()) < 10_000


# Windows


class Kernel:
    """Stands for kernel32: writes down what is called, and refuses what it is told to."""

    def __init__(self, pid: int, refused: str = "", threads: int = 1, held: int = 1) -> None:
        self.calls: list[str] = []
        self._pid, self._refused, self._threads, self._held = pid, refused, threads, held
        self._limits: windows_job.JobLimits | None = None

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(name)
            return 0 if name == self._refused else self._answer(name, arguments)

        return call

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> int:
        match name:
            case "SetInformationJobObject" if arguments[1] == 9:
                self._limits = windows_job.JobLimits.from_buffer_copy(arguments[2]._obj)  # noqa: SLF001 byref has no other
            case "QueryInformationJobObject" if self._limits is not None:
                ctypes.memmove(arguments[2], ctypes.byref(self._limits), ctypes.sizeof(self._limits))
            case "IsProcessInJob":
                arguments[2]._obj.value = self._held  # noqa: SLF001
            case "Thread32First" | "Thread32Next":
                entry = arguments[1]._obj  # noqa: SLF001
                self._threads, entry.process, entry.thread = self._threads - 1, self._pid, 77
                return int(self._threads >= 0)
        return 1


@pytest.fixture
def suspended() -> Any:
    """Stands for a process of Windows."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process


def test_structures_have_the_sizes_that_windows_of_64_bits_gives_them() -> None:
    sizes = [windows_job.BasicLimits, windows_job.Counters, windows_job.JobLimits, windows_job.ThreadEntry]
    assert [ctypes.sizeof(kind) for kind in sizes] == [64, 48, 144, 28]
    places = [windows_job.BasicLimits.flags, windows_job.BasicLimits.processes, windows_job.JobLimits.process_memory]
    assert [place.offset for place in places] == [16, 40, 112]


def test_a_process_runs_only_after_it_is_in_its_job(suspended: Any) -> None:
    kernel = Kernel(suspended.pid)
    windows_job.enclose(suspended, kernel)
    order = [name for name in kernel.calls if name in {"SetInformationJobObject", "AssignProcessToJobObject"}]
    assert order == ["SetInformationJobObject", "SetInformationJobObject", "AssignProcessToJobObject"]
    assert kernel.calls.index("AssignProcessToJobObject") < kernel.calls.index("ResumeThread")
    assert windows_job.CREATION_FLAGS & 0x4
    assert windows_job.missing(suspended.pid, kernel) == []


@pytest.mark.parametrize(
    "refused", ["CreateJobObjectW", "SetInformationJobObject", "OpenProcess", "AssignProcessToJobObject", "OpenThread"]
)
def test_a_process_that_windows_does_not_hold_is_never_let_go(refused: str, suspended: Any) -> None:
    kernel = Kernel(suspended.pid, refused)
    with pytest.raises(SandboxError, match="Windows could not"):
        windows_job.enclose(suspended, kernel)
    assert "ResumeThread" not in kernel.calls


def test_a_process_with_a_thread_too_many_is_never_let_go(suspended: Any) -> None:
    kernel = Kernel(suspended.pid, threads=2)
    with pytest.raises(SandboxError, match="2 threads"):
        windows_job.enclose(suspended, kernel)
    assert "ResumeThread" not in kernel.calls


def test_a_process_outside_its_job_is_noticed(suspended: Any) -> None:
    kernel = Kernel(suspended.pid, held=0)
    windows_job.enclose(suspended, kernel)
    assert windows_job.missing(suspended.pid, kernel) == ["run outside its job"]
    assert windows_job.missing(suspended.pid + 1, kernel) == ["run outside its job"]


# macOS


def rules(*, readable: tuple[str, ...] = ("/opt/python/lib",), scratch: str = "/nowhere/scratch") -> list[str]:
    runtime = Runtime(python="/opt/python/bin/python3", imports=(), readable=readable)
    return profile(runtime, scratch).splitlines()


def test_the_profile_denies_all_and_allows_writing_to_the_scratch_folder_only() -> None:
    assert rules()[:2] == ["(version 1)", "(deny default)"]
    assert [rule for rule in rules() if "write" in rule] == [
        '(allow file-read* file-write* (subpath "/nowhere/scratch"))',
        '(allow file-read* file-write-data (literal "/dev/null"))',
    ]


def test_the_profile_tells_of_the_folders_above_only_that_they_are_there() -> None:
    (told,) = [rule for rule in rules() if rule.startswith("(allow file-read-metadata")]
    assert '(literal "/nowhere")' in told
    assert "subpath" not in told
    readable = [rule for rule in rules() if "file-read*" in rule]
    assert not [rule for rule in readable if '(subpath "/")' in rule or '"/nowhere")' in rule or '"/Users' in rule]


def test_the_profile_starts_no_process_and_reaches_no_service() -> None:
    assert "(deny process-fork)" in rules()
    (programs,) = [rule for rule in rules() if rule.startswith("(allow process-exec")]
    assert re.findall(r'\((\S+) "([^"]*)"\)', programs)[0] == ("literal", "/opt/python/bin/python3")
    assert "subpath" not in programs
    assert rules()[-5:] == [
        f"(deny {act})" for act in ("network*", "mach-lookup", "mach-register", "ipc-posix*", "iokit-open")
    ]


def test_a_quote_in_a_path_does_not_end_its_rule() -> None:
    shown = "\n".join(rules(readable=('/opt/a")(allow network*)("',)))
    assert '(subpath "/opt/a\\")(allow network*)(\\"")' in shown
    assert "\n(allow network" not in shown


# WebAssembly itself, where it is installed

LIMITS = Limits(seconds=2, memory_mb=256, output_chars=2_000, rebuild_seconds=0)
ESCAPES = {
    "make a function of text": "import js; js.Object.constructor('return 1')()",
    "run JavaScript": "import pyodide.code; pyodide.code.run_js('1')",
    "get hold of Deno": "import js; js.Deno",
    "mount the computer's files": "import pyodide_js as p; p.FS.mkdir('/h'); "
    "p.FS.mount(p.FS.filesystems.NODEFS, {'root': '/'}, '/h')",
    "read a file": "open('@BAIT@').read()",
    "open an address": "import pyodide.http; pyodide.http.open_url('file://@BAIT@')",
    "connect": "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
    "start a thread": "import threading; threading.Thread(target=print).start()",
    "fork": "import os; os.fork()",
}


@pytest.fixture(scope="module")
def enclosed() -> Iterator[Sandbox]:
    engine = wasm_engine()
    if engine is None:
        pytest.skip(" ".join(lacking()))
    with Sandbox(engine, b'{"records": [1, 2]}', LIMITS) as sandbox:
        yield sandbox
    end_spares()


@pytest.mark.parametrize("act", ESCAPES)
def test_code_in_webassembly_cannot(act: str, enclosed: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bait").write_text("token", encoding="utf-8")
    execution = enclosed.execute(ESCAPES[act].replace("@BAIT@", str(tmp_path / "bait")))
    assert execution.fault is not None
    assert "token" not in execution.output


def test_code_in_webassembly_has_its_variables_and_packages_and_keeps_its_names(enclosed: Sandbox) -> None:
    enclosed.execute("kept = pd.Series(records).sum()")
    assert enclosed.execute("print(kept, nx.Graph([(1, 2)]).size())").output == "3 1\n"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("pd.Series([2_000_000_000, 2_000_000_000]).sum()", "np.int64(4000000000)"),
        ("pd.Series([3_000_000_000]).astype(int).tolist()", "[3000000000]"),
        ("pd.Series(['3000000000'], dtype='object').astype('int').sum()", "np.int64(3000000000)"),
        ("(pd.DataFrame({'a': [50_000]}) * 50_000).a.tolist()", "[2500000000]"),
    ],
)
def test_integers_in_webassembly_do_not_wrap_around_at_32_bits(code: str, shown: str, enclosed: Sandbox) -> None:
    assert enclosed.execute(code).output == f"{shown}\n"


def test_numpy_whose_integers_would_wrap_around_is_refused_in_webassembly(enclosed: Sandbox) -> None:
    fault = enclosed.execute("import numpy as np\nnp.array([2_000_000_000, 2_000_000_000]).sum()").fault or ""
    assert "numpy cannot be used by code on this system" in fault


@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(30)"])
def test_a_step_over_its_time_is_stopped_in_webassembly_and_names_are_kept(code: str, enclosed: Sandbox) -> None:
    enclosed.execute("kept = 1")
    fault = enclosed.execute(code).fault
    assert fault == "Stopped after 2 seconds. What was defined so far is kept."
    assert enclosed.execute("kept").output == "1\n"


def test_memory_and_files_in_webassembly_have_their_limits(enclosed: Sandbox) -> None:
    assert "MemoryError" in (enclosed.execute("x = bytearray(600 << 20)").fault or "")
    assert "No space left" in (enclosed.execute("open('big', 'wb').write(bytes(70 << 20))").fault or "")
    assert enclosed.execute("import os; os.unlink('big'); open('small', 'wb').write(bytes(9 << 20))").fault is None

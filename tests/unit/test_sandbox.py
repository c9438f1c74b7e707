"""Generated code runs as Python does, and each promise of the sandbox's limits holds."""

import ast
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from r3con_core.answers import Execution, Proposed
from r3con_core.errors import SandboxError
from r3con_core.sandbox import (
    Limits,
    Sandbox,
    client,
    code_can_run,
    finding,
    meaning_of,
    open_sandbox,
    process,
    walls_here,
)
from r3con_core.sandbox.engines import anyone_reaches, engines
from r3con_core.sandbox.outside import missing_from_outside
from r3con_core.sandbox.process import remove_leftovers
from r3con_core.sandbox.walls import LANDLOCK
from tests.remembered import open_remembered

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "sandbox_programs" / "benign"
BENIGN: list[dict[str, Any]] = json.loads((PROGRAMS / "manifest.json").read_text(encoding="utf-8"))
LIMITS = Limits(seconds=0.5, grace_seconds=0.3, memory_mb=256, output_chars=1_000, final_chars=1_000, rebuild_seconds=0)
BUILDING = replace(LIMITS, rebuild_seconds=30)
VARIABLES = {"records": {"Shipment": [{"id": "R1", "goods": "Öl", "tons": 12.5, "by": None}]}, "snippets": {"D1": "n"}}
LOST = "What earlier steps defined is lost; the next step starts with the given variables only."
AS_GIVEN = "The next step starts with the given variables only."
BUILT_AGAIN = "What earlier steps defined was built again by running them once more."
NO_FILES = (
    "Note: code here has no files but a folder of its own, empty at first, for 1,000 files of 8 MB, 64 MB together; it "
    "has no subfolders, and nothing in it can be deleted or renamed."
)
ALONE = "Note: code here runs alone; it cannot start or signal other processes or threads."
BAD_CALL = """
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("b814000000cd80c3"))  # the 32-bit way into the kernel
ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""
SEND_TO_ALL = """
import os, struct
for fd in range(40):
    try: os.write(fd, struct.pack(">I", len(b)) + b)
    except OSError: pass
"""

pytestmark = pytest.mark.skipif(code_can_run() != "", reason=code_can_run())


@pytest.fixture(scope="module")
def module_session() -> Iterator[Sandbox]:
    with open_sandbox(VARIABLES, LIMITS) as sandbox:
        yield sandbox


@pytest.fixture
def session(module_session: Sandbox) -> Sandbox:
    """Usable, whatever an earlier test did to it."""
    if module_session.execute("records['Shipment'][0]['id']").output != "'R1'\n":
        module_session.execute("import os; os._exit(0)")
    return module_session


@pytest.fixture(scope="module", params={engine.name: engine for engine in engines()}.values(), ids=lambda one: one.name)
def ordinary_session(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """With each engine of this system that works here."""
    records = (PROGRAMS / "records.json").read_text(encoding="utf-8")
    try:
        sandbox = Sandbox(request.param, f'{{"records": {records}}}'.encode(), Limits())
    except SandboxError as error:
        pytest.skip(str(error))
    with sandbox:
        yield sandbox


def outcome(execution: Execution) -> tuple[str, str | None, Proposed | None]:
    """All of it but the time."""
    return execution.output, execution.fault, execution.proposed


def test_the_results_to_expect_are_those_of_a_plain_cpython() -> None:
    command = [sys.executable, str(PROGRAMS.parent / "plain.py"), str(PROGRAMS), *(one["file"] for one in BENIGN)]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert said == {one["file"]: {"expect": one["expect"], "answer": one["answer"]} for one in BENIGN}


@pytest.mark.parametrize("program", BENIGN, ids=lambda program: program["name"])
def test_ordinary_program_gives_what_cpython_gives(program: dict[str, Any], ordinary_session: Sandbox) -> None:
    steps = (PROGRAMS / program["file"]).read_text(encoding="utf-8").split("# %%\n")
    executions = [ordinary_session.execute(code) for code in steps]
    proposed = None if program["answer"] is None else Proposed(text=program["answer"], cites=())
    assert [run.fault for run in executions] == [None] * len(steps)
    assert "".join(run.output for run in executions) == program["expect"]
    assert executions[-1].proposed == proposed


def test_variables_and_ready_names_are_there(session: Sandbox) -> None:
    modules = "pd, nx, re, json, math, datetime, collections, statistics, itertools"
    code = f"print(records, snippets)\nprint(*(module.__name__ for module in ({modules})))"
    expected = (
        "{'Shipment': [{'id': 'R1', 'goods': 'Öl', 'tons': 12.5, 'by': None}]} {'D1': 'n'}\n"
        "pandas networkx re json math datetime collections statistics itertools\n"
    )
    assert outcome(session.execute(code)) == (expected, None, None)


def test_the_value_of_a_last_expression_is_shown(session: Sandbox) -> None:
    assert outcome(session.execute("x = 'a'\nx")) == ("'a'\n", None, None)
    assert outcome(session.execute("None")) == ("", None, None)
    assert outcome(session.execute("")) == ("", None, None)


def test_names_are_kept_between_steps_also_after_an_error(session: Sandbox) -> None:
    session.execute("kept = [1]\nkept.append(2)\n1 / 0")
    assert session.execute("kept").output == "[1, 2]\n"


def test_a_fault_shows_the_codes_own_lines_only(session: Sandbox) -> None:
    fault = session.execute("def f(x):\n    return 1 / x\nf(0)").fault
    assert fault is not None
    assert fault.startswith('Traceback (most recent call last):\n  File "<step')
    assert fault.count("File ") == 2
    assert "return 1 / x" in fault
    assert fault.endswith("ZeroDivisionError: division by zero")


def test_a_fault_in_a_library_does_not_tell_where_python_lies(session: Sandbox) -> None:
    fault = session.execute("json.loads('x')").fault
    assert fault is not None
    assert 'File "json/decoder.py", line' in fault
    assert sys.base_prefix not in fault


@pytest.mark.parametrize("code", ["def f(:", "x = '", "(" * 500, "\0", "'\ud800' +"])
def test_code_that_cannot_be_compiled_is_a_fault(code: str, session: Sandbox) -> None:
    fault = session.execute(code).fault
    assert fault is not None
    assert LOST not in fault


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "raise KeyboardInterrupt", "import sys; sys.exit()"])
def test_leaving_is_a_fault_and_not_the_end(code: str, session: Sandbox) -> None:
    session.execute("kept = 1")
    assert session.execute(code).fault is not None
    assert session.execute("kept").output == "1\n"


def test_an_answer_comes_with_its_cites(session: Sandbox) -> None:
    proposed = Proposed(text="Twelve tons.", cites=("R1", "R2"))
    assert outcome(session.execute("answer('Twelve tons.', cites=['R1', 'R2'])")) == ("", None, proposed)
    assert session.execute("answer(13)").proposed == Proposed(text="13", cites=())
    assert session.execute("answer('a'); answer('b', 'R1')").proposed == Proposed(text="b", cites=("R1",))


def test_an_answer_belongs_to_its_step(session: Sandbox) -> None:
    session.execute("answer('a')")
    assert session.execute("print('b')").proposed is None


def test_a_variable_named_answer_does_not_close_the_channel(session: Sandbox) -> None:
    assert session.execute("import builtins\nanswer = 12\nbuiltins.len = builtins.vars = None").fault is None
    assert session.execute("answer(len('abc'))").proposed == Proposed(text="3", cites=())


def test_a_long_answer_is_refused(session: Sandbox) -> None:
    run = session.execute("answer('x' * 990, cites=['R1234567890'])")
    assert run.proposed is None
    assert run.fault is not None
    assert run.fault.endswith("ValueError: An answer and its cites may have 1,000 characters together.")


def test_output_is_cut_in_the_middle(session: Sandbox) -> None:
    output = session.execute("print('a' * 5000)\nprint('z' * 5000)").output
    assert len(output) <= LIMITS.output_chars
    assert output.startswith("a" * 600 + "\n[... 9,082 characters left out ...]\n" + "z" * 300)


def test_output_within_the_limit_is_whole(session: Sandbox) -> None:
    assert session.execute("for i in range(90): print('x' * 9)").output == ("x" * 9 + "\n") * 90


def test_only_text_is_output(session: Sandbox) -> None:
    session.execute("kept = 1")
    fault = session.execute("import sys; sys.stdout.write(b'x')").fault
    assert fault is not None
    assert fault.endswith("TypeError: write() argument must be str, not bytes")
    assert session.execute("kept").output == "1\n"


def test_what_has_kept_the_output_writes_into_later_steps(session: Sandbox) -> None:
    session.execute("import logging, sys; logging.basicConfig(force=True); logging.warning('one'); sys.stdout.close()")
    assert session.execute("logging.warning('two'); print('x', flush=True)").output == "WARNING:root:two\nx\n"


def test_no_fault_tells_where_this_program_lies(session: Sandbox) -> None:
    fault = session.execute("answer(1, 2)").fault
    assert fault is not None
    assert str(ROOT) not in fault


def test_an_alarm_can_be_set(session: Sandbox) -> None:
    assert session.execute("import signal; signal.alarm(0); signal.alarm(2), signal.alarm(0)").output == "(0, 2)\n"


def test_types_of_files_are_known_without_the_systems_list(session: Sandbox) -> None:
    assert session.execute("import mimetypes; mimetypes.guess_type('a.csv')").output == "('text/csv', None)\n"


def test_time_is_limited_and_names_are_kept(session: Sandbox) -> None:
    session.execute("kept = 1")
    run = session.execute("while True: pass")
    assert run.fault == "Stopped after 0.5 seconds. What was defined so far is kept."
    assert run.seconds < 1.5
    assert session.execute("kept").output == "1\n"


def test_code_that_does_not_let_itself_be_stopped_loses_its_session(session: Sandbox) -> None:
    session.execute("kept = 1; records.clear()")
    run = session.execute("import signal; signal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass")
    assert run.fault == f"Stopped after 0.5 seconds. {LOST}"
    assert session.execute("print(records == {}, 'kept' in globals())").output == "False False\n"


def test_memory_is_limited_and_names_are_kept(session: Sandbox) -> None:
    session.execute("kept = 1")
    assert (
        session.execute("bytearray(1 << 30)").fault == "MemoryError: the code needed more than the 256 MB it may use."
    )
    assert session.execute("kept").output == "1\n"


def test_memory_filled_by_small_things_is_limited() -> None:
    with open_sandbox({}, Limits(memory_mb=64)) as sandbox:
        fault = sandbox.execute("full = []\nwhile True: full.append('x' * (len(full) % 1000))").fault
        assert fault == "MemoryError: the code needed more than the 64 MB it may use."
        assert sandbox.execute("del full\nlen(bytes(32 << 20))").output == f"{32 << 20}\n"


def test_a_crash_is_told_and_the_next_step_is_fresh(session: Sandbox) -> None:
    session.execute("kept = 1")
    run = session.execute("import ctypes; ctypes.string_at(0)")
    assert run.fault == f"The Python process crashed (SIGSEGV) while it ran this code. {LOST}"
    assert session.execute("'kept' in globals(), records['Shipment'][0]['id']").output == "(False, 'R1')\n"


def test_forged_frames_end_the_worker(session: Sandbox) -> None:
    reply = {"nonce": "0" * 32, "output": "", "fault": None, "proposed": {"text": "forged", "cites": []}}
    assert outcome(session.execute(f"b = {json.dumps(reply).encode()!r}\n{SEND_TO_ALL}")) == (
        "",
        f"The code interfered with the sandbox and was stopped. {LOST}",
        None,
    )


@pytest.mark.parametrize(
    "reply",
    [
        {"output": 1, "fault": None, "proposed": None},
        {"output": "x" * 1001, "fault": None, "proposed": None},
        {"output": "", "fault": ["x"], "proposed": None},
        {"output": "", "fault": None, "proposed": "x"},
        {"output": "", "fault": None, "proposed": {"text": "x", "cites": "R1"}},
        {"output": "", "fault": None, "proposed": {"text": "x", "cites": [1]}},
        {"output": "", "fault": None, "proposed": {"text": "x" * 1001, "cites": []}},
        {"output": "", "fault": None, "proposed": {"text": None, "cites": []}},
    ],
)
def test_a_reply_of_another_shape_is_refused(reply: dict[str, Any], session: Sandbox) -> None:
    """Even with this step's nonce, which code can find in the worker's memory."""
    code = f"""
import json, sys
frame = sys._getframe()
while "step" not in frame.f_locals: frame = frame.f_back
b = json.dumps({{"nonce": frame.f_locals["step"]["nonce"], **json.loads({json.dumps(reply)!r})}}).encode()
{SEND_TO_ALL}"""
    fault = session.execute(code).fault
    assert fault == f"The code interfered with the sandbox and was stopped. {LOST}"


def test_text_that_is_no_text_is_made_storable(session: Sandbox) -> None:
    run = session.execute("answer('\\ud800', ['\\udfff'])\nprint('\\ud800')\nraise ValueError('\\ud800')")
    assert run.output == "?\n"
    assert run.fault is not None
    assert run.fault.endswith("ValueError: ?")
    assert run.proposed == Proposed(text="?", cites=("?",))


def test_the_environment_holds_nothing_of_the_host(session: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R3CON_SECRET", "s3cret")
    session.execute("import os; os._exit(0)")
    names = session.execute("import os; sorted(os.environ)").output
    allowed = (
        "LC_CTYPE MKL_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS PWD PYTHONHASHSEED TZ VECLIB_MAXIMUM_THREADS"
    )
    assert set(ast.literal_eval(names)) <= set(allowed.split())


def test_the_scratch_folder_can_be_used_and_is_removed() -> None:
    with open_sandbox({}, LIMITS) as sandbox:
        folder = sandbox.execute("import os; open('f', 'w').write('x'); print(os.getcwd())").output.strip()
        assert sandbox.execute("open('f').read()").output == "'x'\n"
        assert (
            sandbox.execute("pd.DataFrame({'a': [1]}).to_csv('t.csv'); pd.read_csv('t.csv').a[0].item()").output
            == "1\n"
        )
        assert Path(folder).is_dir()
    assert not Path(folder).parent.exists()


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(20_000): open(f'n{i}', 'w').close()",
        "for i in range(40):\n    with open(f'b{i}', 'wb') as f: f.write(bytes(4 << 20))",
    ],
)
def test_the_scratch_folder_is_limited(code: str) -> None:
    with open_sandbox({}) as sandbox:
        fault = sandbox.execute(f"{code}\nimport time; time.sleep(1)").fault
    assert fault == f"Stopped: more than 1,000 files or 64 MB of files. {AS_GIVEN}"


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("import socket; socket.socket()", "Note: code here has no network."),
        ("import urllib.request as u; u.urlopen('http://127.0.0.1:1')", "Note: code here has no network."),
        ("open('/etc/passwd')", NO_FILES),
        ("open('/tmp/x', 'w')", NO_FILES),
        ("import os; os.listdir('/')", NO_FILES),
        ("import os; os.mkdir('sub')", NO_FILES),
        ("import os; open('a', 'w').close(); os.remove('a')", NO_FILES),
        ("open('f', 'wb').write(bytes(9 << 20))", "Note: a file here may have 8 MB."),
        ("files = [open(f'f{i}', 'w') for i in range(40)]", "Note: code here may have 32 files open at a time."),
        ("import os; os.fork()", ALONE),
        ("import os; os.kill(os.getppid(), 0)", ALONE),
        ("import os; os.execv('/bin/true', ['true'])", ALONE),
        ("import subprocess; subprocess.run(['true'])", ALONE),
        ("input()", "Note: nobody can be asked for input here."),
        (
            "import sqlite3; sqlite3.connect('t.db').execute('create table t(a)')",
            "Note: a database here has to be in ':memory:'.",
        ),
        (
            "import asyncio; asyncio.new_event_loop()",
            "Note: code here cannot use asyncio; call one function after the other.",
        ),
        ("import os; open('a', 'w').close(); os.utime('a')", NO_FILES),
        (
            "import threading; threading.Thread(target=print).start()",
            "Note: code here runs alone; it cannot start threads.",
        ),
    ],
)
def test_a_limit_is_an_error_of_the_code_and_is_named(code: str, note: str, session: Sandbox) -> None:
    session.execute("kept = 1")
    fault = session.execute(code).fault
    assert fault is not None
    assert "Error: " in fault.splitlines()[-2]
    assert fault.splitlines()[-1] == note
    assert session.execute("kept").output == "1\n"


@pytest.mark.parametrize("code", ["open('none.csv')", "{}['x']", "raise OSError(5, 'my own')"])
def test_an_error_of_the_codes_own_gets_no_note(code: str, session: Sandbox) -> None:
    assert "Note:" not in str(session.execute(code).fault)


def test_temporary_files_and_the_null_device_work(session: Sandbox) -> None:
    code = """
import contextlib, os, tempfile
with contextlib.redirect_stdout(open(os.devnull, "w")): print("gone")
with tempfile.NamedTemporaryFile("w+") as file, tempfile.TemporaryFile() as other:
    file.write("kept"); file.seek(0); print(file.read(), other.write(b"x"))
"""
    assert outcome(session.execute(code)) == ("kept 1\n", None, None)


def test_a_killed_step_does_not_lose_what_earlier_steps_defined() -> None:
    kills = {
        "import ctypes; ctypes.string_at(0)": "The Python process crashed (SIGSEGV) while it ran this code.",
        "import signal; signal.pthread_sigmask(0, range(1, 64))\nwhile True: pass": "Stopped after 0.5 seconds.",
        BAD_CALL: "Stopped: the code asked the system for something that is forbidden here.",
    }
    seeded = "import random, numpy as np\nkept = random.random(), np.random.rand(), pd.DataFrame(records['Shipment'])"
    with open_sandbox(VARIABLES, BUILDING) as sandbox:
        sandbox.execute(seeded)
        sandbox.execute("records.clear(); half = 1\n1 / 0")
        before = sandbox.execute("kept, half, records").output
        faults = [sandbox.execute(code).fault for code in kills]
        after = sandbox.execute("kept, half, records").output
    assert faults == [f"{reason} {BUILT_AGAIN}" for reason in kills.values()]
    assert after == before


def test_a_remembered_session_goes_on_where_a_new_one_would() -> None:
    """Most runs that tests carry have one of these; see tests/remembered.py."""
    for number in (3, 4):
        with open_remembered(VARIABLES) as sandbox:
            assert sandbox.execute("kept = [1]").output == ""
            assert sandbox.execute(f"kept.append({number}); kept[-1]").output == f"{number}\n"
            assert sandbox.execute("len(kept)").output == "2\n"


def test_earlier_steps_that_come_out_otherwise_are_told() -> None:
    with open_sandbox({}, BUILDING) as sandbox:
        sandbox.execute("import time; time.time_ns()")
        fault = sandbox.execute("import os; os._exit(3)").fault
    assert fault == (
        "The Python process ended while it ran this code. Earlier steps were run once more, but did not all come out as "
        "before; check what they defined before using it."
    )


def test_earlier_steps_that_take_too_long_are_lost() -> None:
    with open_sandbox({}, replace(LIMITS, rebuild_seconds=0.1)) as sandbox:
        sandbox.execute("import time; kept = 1; time.sleep(0.2)")
        fault = sandbox.execute("import os; os._exit(3)").fault
        assert fault == f"The Python process ended while it ran this code. {LOST}"
        assert sandbox.execute("'kept' in globals()").output == "False\n"


def test_what_a_step_left_behind_does_not_cost_every_later_step_its_worker() -> None:
    with open_sandbox({}, BUILDING) as sandbox:
        sandbox.execute("import os, signal; signal.signal(signal.SIGCONT, lambda *_: os._exit(3))")
        assert sandbox.execute("1").fault == f"The Python process ended while it ran this code. {LOST}"
        assert sandbox.execute("1").output == "1\n"


def test_without_room_for_a_folder_no_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    why = "A folder for temporary files cannot be made: No such file or directory."
    with pytest.raises(SandboxError, match=why):
        open_sandbox({}, LIMITS)
    monkeypatch.setattr(client, "_engine", vars(client)["_engine"].__wrapped__)
    assert code_can_run().endswith(f"so answers need the direct mode. {why}")


def test_a_folder_that_cannot_be_given_away_is_an_error_of_the_sandbox(tmp_path: Path) -> None:
    """As for root without the rights of root, in a container."""
    hand_over = vars(process)["_hand_over"]
    with pytest.raises(SandboxError, match="cannot be given to its user: No such file or directory"):
        hand_over(os.geteuid(), (tmp_path, tmp_path / "gone"))


def test_the_processors_time_is_limited() -> None:
    with open_sandbox({}, replace(LIMITS, seconds=20, cpu_seconds=1)) as sandbox:
        fault = sandbox.execute("while True: pass").fault
    assert fault == f"Stopped: the code used more than its 1 s of the processor's time. {AS_GIVEN}"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_between_steps_the_worker_stands_still(session: Sandbox) -> None:
    session.execute("1")
    assert _within(5, lambda: "T" in _states_of_workers())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_that_says_its_walls_stand_is_not_believed() -> None:
    bare = next(engine for engine in engines() if engine.name == LANDLOCK and engine.uid is None)
    liar = bare.command("")
    liar[-2] = liar[-2].replace("lockdown.lock_down, lockdown.missing_walls", "lambda **_: None, lambda **_: []")
    with pytest.raises(SandboxError, match="code could make any system call and gain more rights"):
        Sandbox(replace(bare, command=lambda _: liar), b"{}", LIMITS)
    not_alone = replace(bare, missing=partial(missing_from_outside, namespaces=2))
    with pytest.raises(SandboxError, match="code could see other processes"):
        Sandbox(not_alone, b"{}", LIMITS)


def test_what_killed_apps_left_is_removed_after_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, old = 1 << 30, time.time() - 2 * 24 * 3600
    names = [f"r3con-sandbox-{dead}-old", f"r3con-sandbox-{dead}-new", f"r3con-sandbox-{os.getpid()}-old", "r3con-old"]
    for name in names:
        (tmp_path / name / "scratch").mkdir(parents=True)
        if name.endswith("old"):
            os.utime(tmp_path / name, (old, old))
    remove_leftovers()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == sorted(names[1:])


def test_the_walls_have_a_name_and_a_meaning(session: Sandbox) -> None:
    assert walls_here() == session.walls
    assert meaning_of(session.walls).startswith("Code ran in ")
    assert finding() == (True, f"Generated code runs behind {session.walls}. {meaning_of(session.walls)}")
    assert meaning_of("<b>other</b>") == ""


def test_what_is_closed_to_others_is_not_reached_by_an_unprivileged_worker(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "file").touch()
    tmp_path.chmod(0o700)
    assert not anyone_reaches(str(tmp_path / "open" / "file"))
    assert anyone_reaches("/usr/lib")


def test_results_do_not_depend_on_the_run() -> None:
    outputs = []
    for _ in range(2):
        with open_sandbox({}, LIMITS) as sandbox:
            outputs.append(sandbox.execute("{'a', 'b', 'c', 'd', 'e'}, datetime.datetime.fromtimestamp(0)").output)
    assert outputs[0] == outputs[1]


def test_large_variables_arrive() -> None:
    records = [{"id": f"R{number}", "text": "x" * 1000} for number in range(20_000)]
    with open_sandbox({"records": records}) as sandbox:
        assert sandbox.execute("len(records), records[-1]['id']").output == "(20000, 'R19999')\n"


def test_variables_larger_than_the_memory_are_an_error() -> None:
    with pytest.raises(SandboxError, match=r"could not be given .* which may use 64 MB"):
        open_sandbox({"text": "x" * (100 << 20)}, Limits(memory_mb=64))


def test_a_closed_sandbox_says_so() -> None:
    sandbox = open_sandbox({}, LIMITS)
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxError, match="is closed"):
        sandbox.execute("1")


def test_a_session_outlives_the_thread_that_opened_it() -> None:
    opened: list[Sandbox] = []
    opener = threading.Thread(target=lambda: opened.append(open_sandbox({}, LIMITS)))
    opener.start()
    opener.join()
    with opened[0] as sandbox:
        sandbox.execute("kept = 1")
        time.sleep(0.1)
        assert sandbox.execute("kept").output == "1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_host_leaves_no_worker_behind(tmp_path: Path) -> None:
    code = (
        "from r3con_core.sandbox import open_sandbox\n"
        "idle, sandbox = open_sandbox({}), open_sandbox({})\n"
        "idle.execute('1')\n"
        "print('open', flush=True)\n"
        "sandbox.execute('import os, time\\nos.closerange(0, 32)\\nwhile True: time.sleep(1)')"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # a killed host cannot remove its scratch folder
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert host.stdout is not None
    assert host.stdout.readline() == "open\n"
    workers = _descendants(host.pid)
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    assert workers
    assert _within(5, lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text(encoding="ascii").split()]
    return children + [below for child in children for below in _descendants(child)]


def _states_of_workers() -> str:
    """A letter each: T is stopped."""
    lines = [Path(f"/proc/{pid}/stat").read_text(encoding="ascii") for pid in _descendants(os.getpid())]
    return "".join(line.rpartition(")")[2].split()[0] for line in lines)


def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

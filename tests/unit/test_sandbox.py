"""Generated code runs as Python does, and each promise of the sandbox's limits holds."""

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from r3con_core.answers import Execution, Proposed
from r3con_core.errors import SandboxError
from r3con_core.sandbox import Limits, Sandbox, code_can_run, open_sandbox

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "sandbox_programs" / "benign"
BENIGN: list[dict[str, Any]] = json.loads((PROGRAMS / "manifest.json").read_text(encoding="utf-8"))
LIMITS = Limits(seconds=0.5, memory_mb=256, output_chars=1_000, final_chars=1_000)
VARIABLES = {"records": {"Shipment": [{"id": "R1", "goods": "Öl", "tons": 12.5, "by": None}]}, "snippets": {"D1": "n"}}
LOST = "What earlier steps defined is lost; the next step starts with the given variables only."
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


@pytest.fixture(scope="module")
def ordinary_session() -> Iterator[Sandbox]:
    records = json.loads((PROGRAMS / "records.json").read_text(encoding="utf-8"))
    with open_sandbox({"records": records}) as sandbox:
        yield sandbox


def outcome(execution: Execution) -> tuple[str, str | None, Proposed | None]:
    """All of it but the time."""
    return execution.output, execution.fault, execution.proposed


@pytest.mark.parametrize("program", BENIGN, ids=lambda program: program["name"])
def test_ordinary_program_gives_what_cpython_gives(program: dict[str, Any], ordinary_session: Sandbox) -> None:
    """`expect` and `answer` of the manifest are what the program prints and answers in a plain CPython."""
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
    session.execute("import builtins\nanswer = 12\nbuiltins.len = None")
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
    assert run.fault == f"The Python process ended while it ran this code (it crashed or ran out of memory). {LOST}"
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
    assert fault == f"Stopped: more than 1,000 files or 64 MB of files. {LOST}"


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "open('/etc/passwd')",
        "open('/tmp/x', 'w')",
        "import os; os.listdir('/')",
        "import os; os.mkdir('sub')",
        "import os; os.fork()",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.execv('/bin/true', ['true'])",
        "import subprocess; subprocess.run(['true'])",
    ],
)
def test_what_is_forbidden_is_an_error_of_the_code(code: str, session: Sandbox) -> None:
    session.execute("kept = 1")
    fault = session.execute(code).fault
    assert fault is not None
    assert "[Errno" in fault
    assert session.execute("kept").output == "1\n"


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
    with pytest.raises(SandboxError, match="do not fit into the 64 MB"):
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
        "sandbox = open_sandbox({})\n"
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
    assert _gone_within(5, workers)


def _descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text(encoding="ascii").split()]
    return children + [below for child in children for below in _descendants(child)]


def _gone_within(seconds: float, pids: list[int]) -> bool:
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

"""Code in the sandbox can ask a model by way of the host, and gets nothing through the wall by it but the replies."""

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.errors import BusyError, SandboxError
from r3con_core.sandbox import Limits, Sandbox, client, code_can_ask, code_can_run, open_sandbox
from r3con_core.sandbox.engines import Engine, engines

LIMITS = Limits(
    seconds=1,
    grace_seconds=0.3,
    memory_mb=256,
    output_chars=2_000,
    final_chars=1_000,
    rebuild_seconds=20,
    queries=6,
    query_chars=100,
    queries_at_once=4,
)
KILL = "import os; os._exit(3)"
BUILT_AGAIN = (
    "The Python process ended while it ran this code. What earlier steps defined was built again by running them once "
    "more."
)
INTERFERED = "The code interfered with the sandbox and was stopped."
FORGE = """
import json, os, struct, sys
def forge(**frame):
    body = json.dumps({"nonce": nonce(), **frame}).encode()
    for fd in range(3, 32):
        try: os.write(fd, struct.pack(">I", len(body)) + body)
        except OSError: pass
def nonce():
    frame = sys._getframe()
    while "step" not in frame.f_locals or not isinstance(frame.f_locals["step"], dict): frame = frame.f_back
    return frame.f_locals["step"]["nonce"]
"""

pytestmark = pytest.mark.skipif(code_can_ask() != "", reason=code_can_ask())


class Told:
    """Replies with what it was asked, in capitals, and keeps it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, prompts: Sequence[str]) -> list[str]:
        self.asked += prompts
        return [f"{len(self.asked)}: {prompt.upper()}" for prompt in prompts]


@pytest.mark.parametrize("engine", [pytest.param(engine, id=engine.name) for engine in engines()])
def test_code_asks_and_goes_on_with_the_replies_in_each_engine(engine: Engine) -> None:
    told = Told()
    try:
        opened = Sandbox(engine, b"{}", LIMITS, told)
    except SandboxError as error:
        pytest.skip(str(error))
    with opened as sandbox:
        run = sandbox.execute("print(llm_query('a')); llm_query_batched(['b', 'ö'])")
        assert (run.output, run.fault) == ("1: A\n['3: B', '3: Ö']\n", None)
        assert sandbox.execute("f = llm_query").fault is None
        assert sandbox.execute("answer(f('d'))").proposed is not None
    assert told.asked == ["a", "b", "ö", "d"]


def test_where_nobody_answers_there_is_nobody_to_ask() -> None:
    with open_sandbox({}, LIMITS) as sandbox:
        assert "NameError: name 'llm_query' is not defined" in str(sandbox.execute("llm_query('a')").fault)
        forged = sandbox.execute(f"{FORGE}\nforge(queries=['a'])").fault
    assert str(forged).startswith(INTERFERED)


def test_a_machine_whose_walls_cannot_make_code_stand_still_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    restless = replace(engines()[-1], dies_with_host=False)
    monkeypatch.setattr(client, "_engine", lambda: restless)
    assert code_can_run() == ""
    assert code_can_ask().startswith("Generated code cannot ask a model on this machine")
    with pytest.raises(SandboxError, match="cannot ask a model on this machine"):
        open_sandbox({}, LIMITS, Told())


def test_the_number_and_length_of_queries_is_bounded_and_told() -> None:
    told = Told()
    with open_sandbox({}, LIMITS, told) as sandbox:
        long = sandbox.execute("llm_query('x' * 101)").fault
        assert sandbox.execute("len(llm_query_batched([str(n) for n in range(5)]))").output == "5\n"
        more = sandbox.execute("llm_query_batched(['a', 'b'])").fault
        assert sandbox.execute("llm_query('last')").output == "'6: LAST'\n"
        none = sandbox.execute("llm_query('too much')").fault
    assert str(long).endswith("ValueError: A prompt may have 100 characters, and this one has 101. Split the text.")
    assert "A model may be asked 6 times in all; 1 are left, and this asks 2 times." in str(more)
    assert "A model may be asked 6 times in all; 0 are left" in str(none)
    assert told.asked == ["0", "1", "2", "3", "4", "last"]


@pytest.mark.parametrize(
    ("code", "fault"),
    [("llm_query(1)", "TypeError: A prompt must be text, not int."), ("llm_query(' ')", "must not be empty")],
)
def test_a_prompt_that_is_none_is_an_error_of_the_code(code: str, fault: str) -> None:
    told = Told()
    with open_sandbox({}, LIMITS, told) as sandbox:
        assert fault in str(sandbox.execute(code).fault)
        assert sandbox.execute("llm_query('a')").output == "'1: A'\n"
    assert told.asked == ["a"]


def test_time_that_the_host_takes_is_not_the_codes_and_gives_it_none() -> None:
    def slow(prompts: Sequence[str]) -> list[str]:
        threading.Event().wait(0.5)
        return list(prompts)

    with open_sandbox({}, replace(LIMITS, seconds=0.4), slow) as sandbox:
        patient = sandbox.execute("kept = 1; llm_query('a')")
        endless = sandbox.execute("llm_query('b')\nwhile True: pass")
        assert sandbox.execute("kept").output == "1\n"
    assert (patient.output, patient.fault) == ("'a'\n", None)
    assert patient.seconds > 0.5
    assert endless.fault == "Stopped after 0.4 seconds. What was defined so far is kept."


def test_a_killed_session_is_built_again_from_what_was_said_and_asks_nobody() -> None:
    told = Told()
    with open_sandbox({}, LIMITS, told) as sandbox:
        sandbox.execute("kept = llm_query_batched(['a', 'b'])")
        sandbox.execute("kept += [llm_query('a')]")
        assert sandbox.execute(f"llm_query('c')\n{KILL}").fault == BUILT_AGAIN
        assert sandbox.execute("kept").output == "['2: A', '2: B', '3: A']\n"
        sandbox.execute("llm_query_batched(['d', 'e'])")
        assert "0 are left" in str(sandbox.execute("llm_query('f')").fault)
    assert told.asked == ["a", "b", "a", "c", "d", "e"]


def test_a_step_that_asks_otherwise_when_it_is_run_again_asks_nobody() -> None:
    told = Told()
    with open_sandbox({}, LIMITS, told) as sandbox:
        sandbox.execute("import time; kept = llm_query(str(time.time_ns()))")
        assert "did not all come out as before" in str(sandbox.execute(KILL).fault)
    assert len(told.asked) == 1


def test_what_the_answering_raises_rises_and_ends_the_worker_alone() -> None:
    def refuse(_: Sequence[str]) -> list[str]:
        raise BusyError("The server went away.")

    with open_sandbox({}, LIMITS, refuse) as sandbox:
        with pytest.raises(BusyError):
            sandbox.execute("llm_query('a')")
        assert sandbox.execute("1 + 1").output == "2\n"


def test_the_worker_stands_still_while_the_host_answers() -> None:
    states: list[str] = []

    def look(prompts: Sequence[str]) -> list[str]:
        seen = threading.Event()
        while not (states and states[-1] == "T") and len(states) < 500:
            states.append(_state_of_worker())
            seen.wait(0.01)
        return list(prompts)

    with open_sandbox({}, LIMITS, look) as sandbox:
        forged = f"{FORGE}\nforge(queries=['a'])\nwhile True: pass"
        assert str(sandbox.execute(forged).fault).startswith("Stopped after 1 seconds.")
    assert states[-1] == "T"


def _state_of_worker() -> str:
    """Of the last descendant of this process that runs asking.py."""
    found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"import asking" in _read(path)]
    states = [_read(path.with_name("stat")).rpartition(b")")[2].split()[:1] for path in found]
    return "T" if states and all(state == [b"T"] for state in states) else "R"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


HOSTILE = {
    "no list": "forge(queries='a')",
    "nothing": "forge(queries=[])",
    "a number": "forge(queries=['a', 1])",
    "a blank": "forge(queries=['  '])",
    "too long": "forge(queries=['x' * 101])",
    "too many": "forge(queries=['x'] * 5)",
    "nested": "forge(queries=[['a']])",
    "another step's name": "forge(nonce='0' * 32, queries=['a'])",
    "a frame beyond all bounds": "forge(queries=['x' * 7_000_000])",
    "prompts and an outcome at once": "forge(queries=['x'], output=1) or forge(output=1)",
}


@pytest.fixture(scope="module")
def attacked() -> Iterator[tuple[Sandbox, Told]]:
    """One for all forged frames: whatever a frame costs, the next step has a new worker."""
    told = Told()
    with open_sandbox({}, replace(LIMITS, rebuild_seconds=0), told) as sandbox:
        yield sandbox, told


@pytest.mark.parametrize("attack", HOSTILE.values(), ids=HOSTILE)
def test_a_forged_frame_of_prompts_asks_nobody_and_ends_the_worker(attack: str, attacked: tuple[Sandbox, Told]) -> None:
    sandbox, told = attacked
    told.asked.clear()
    forge = FORGE.replace('{"nonce": nonce(), **frame}', '{**{"nonce": nonce()}, **frame}')
    run = sandbox.execute(f"{forge}\n{attack}\nwhile True: pass")
    assert run.output == ""
    assert run.fault is not None
    assert run.fault.startswith((INTERFERED, "Stopped after 1 seconds."))
    assert sandbox.execute("1 + 1").output == "2\n"
    assert told.asked in ([], ["x"])


def test_code_that_takes_the_limits_out_of_its_way_meets_them_at_the_host() -> None:
    told = Told()
    loosen = f"""{FORGE}
step = sys._getframe().f_back
while "asking" not in step.f_locals: step = step.f_back
step.f_locals["step"]["queries"].update(chars=10**9, at_once=10**9, chars_at_once=10**9)
"""
    with open_sandbox({}, replace(LIMITS, rebuild_seconds=0), told) as sandbox:
        assert str(sandbox.execute(f"{loosen}\nllm_query('x' * 101)").fault).startswith(INTERFERED)
        assert str(sandbox.execute(f"{loosen}\nllm_query_batched(['x'] * 5)").fault).startswith(INTERFERED)
        many = sandbox.execute(
            f"{FORGE}\nfor n in range(50):\n    try: llm_query(str(n))\n    except RuntimeError: pass\nprint('done')"
        )
        assert many.output == "done\n"
    assert told.asked == ["0", "1", "2", "3", "4", "5"]


def test_what_a_step_left_behind_cannot_ask() -> None:
    told = Told()
    late = "import signal\nsignal.signal(signal.SIGCONT, lambda *_: kept.append(llm_query('late')))\nkept = []"
    with open_sandbox({}, replace(LIMITS, rebuild_seconds=0), told) as sandbox:
        sandbox.execute(late)
        sandbox.execute("1")
    assert told.asked == []


def test_a_reply_is_text_and_nothing_else_whatever_it_holds() -> None:
    hostile = json.dumps({"nonce": "0", "code": "answer('SPOOFED')"}) + "\x00\ud800')\nanswer('SPOOFED')"
    with open_sandbox({}, LIMITS, lambda prompts: [hostile] * len(prompts)) as sandbox:
        run = sandbox.execute("reply = llm_query('a'); print(type(reply).__name__, len(reply))")
        assert (run.output, run.proposed) == (f"str {len(hostile)}\n", None)
        assert sandbox.execute("1").proposed is None

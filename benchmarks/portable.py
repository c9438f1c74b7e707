"""All programs of tests/sandbox_programs, good and bad, in Python for WebAssembly: what they reach, how long it takes.

    python benchmarks/portable.py [part of a name]

Needs Deno and the runtime (r3con doctor says how to get them). Attacks are judged from outside, as in
tests/unit/test_sandbox_attacks.py; `manifest.json` says which are put up with on any engine.
"""

# ruff: noqa: SLF001 - the test's own judges are used, so that both judge alike
import contextlib
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from r3con_core.answers import Execution
from r3con_core.sandbox import Limits, Sandbox
from r3con_core.sandbox.engines import Engine
from r3con_core.sandbox.resident import resident_mb
from r3con_core.sandbox.wasm import lacking, wasm_engine
from tests.unit import test_sandbox_attacks as attacks

BENIGN = attacks.PROGRAMS.parent / "benign"
LIMITS = Limits(seconds=2, memory_mb=256, output_chars=5_000, final_chars=5_000, rebuild_seconds=0)
IN_MEMORY = (
    *("exec_lib_site_poison", "write_empty_readable", "write_symlink", "write_tmp", "write_special_names"),
    *("write_library", "dos_disk_renamed", "read_dot_dot", "info_host", "net_dns"),
)
"""They claim what happens in memory here and ends with the session: files and packages are copies, and names of
hosts and users are made up by the C library of WebAssembly."""
LOOP = "n = 0\nfor i in range(1_000_000): n += i % 7\nprint(n)"


def main() -> None:
    """Run all whose name holds the first argument, and say what came of each."""
    engine = wasm_engine()
    if engine is None:
        sys.exit(" ".join(lacking()))
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    measure(engine)
    run_ordinary(engine, wanted)
    run_attacks(engine, wanted)


def measure(engine: Engine) -> None:
    """Start, step, loop, memory."""
    starts, steps = [], []
    for _ in range(3):
        begun = time.monotonic()
        with Sandbox(engine, b"{}", Limits()) as sandbox:
            starts.append(time.monotonic() - begun)
            steps += [sandbox.execute("xx = 1 + 1; print(xx)").seconds for _ in range(50)]
            loop = sandbox.execute(LOOP).seconds
            held = resident_mb(sandbox._worker._piped.process.pid) if sandbox._worker else 0
    print(f"start {min(starts):.1f}-{max(starts):.1f} s, step {statistics.median(steps) * 1000:.2f} ms, ", end="")
    print(f"loop of a million {loop * 1000:.0f} ms, memory {held} MB")


def run_ordinary(engine: Engine, wanted: str) -> None:
    """The programs that models write: CPython's results, or not."""
    records = (BENIGN / "records.json").read_bytes()
    programs = json.loads((BENIGN / "manifest.json").read_text("utf-8"))
    passed = 0
    with Sandbox(engine, b'{"records": ' + records + b"}", Limits()) as sandbox:
        for program in programs:
            if wanted not in program["name"]:
                continue
            steps = (BENIGN / program["file"]).read_text("utf-8").split("# %%\n")
            runs = [sandbox.execute(code) for code in steps]
            proposed = runs[-1].proposed
            same = "".join(run.output for run in runs) == program["expect"] and not any(run.fault for run in runs)
            same = same and (proposed.text if proposed else None) == program["answer"]
            passed += same
            if not same:
                print(
                    f"other than CPython, or refused: {program['name']}",
                    *(run.fault or run.output for run in runs),
                    sep="\n  ",
                )
    print(f"ordinary programs as CPython: {passed} of {len(programs)}")


def run_attacks(engine: Engine, wanted: str) -> None:
    """Each in the session of the one before, as long as that lives."""
    won = []
    chosen = [attack for attack in attacks.ATTACKS if wanted in attack["name"]]
    with _host() as host, contextlib.ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(engine, b"{}", LIMITS))
        for attack in chosen:
            host.restore()
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            first, *later = host.program(attack["file"])
            runs = [sandbox.execute(first)]
            probe = attacks._probed(sandbox)
            if attack["category"] == "integ":
                sandbox.close()
                sandbox = stack.enter_context(Sandbox(engine, b"{}", LIMITS))
            runs += [sandbox.execute(code) for code in later]
            if attack["category"] == "dos":
                sandbox.execute(attacks.TIDY)
            reached = host.reached(runs) | attacks._spoofed(attack, runs[0], probe) | _strain(runs, before)
            reached -= attacks._accepted(attack) | ({"claim"} if attack["name"] in IN_MEMORY else set())
            won += [attack["name"]] if reached else []
            _tell(attack["name"], reached, runs)
    print(f"attacks that reached something: {len(won)} of {len(chosen)}", *won)


def _strain(runs: list[Execution], before: int) -> set[str]:
    reached = attacks._strain(runs, before) - {"mem_over"}
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return reached | ({"mem_over"} if largest > max(before, 1500 << 10) else set())


def _tell(name: str, reached: set[str], runs: list[Execution]) -> None:
    last = (runs[0].fault or runs[0].output).strip().splitlines()[-1:] or [""]
    seconds = sum(run.seconds for run in runs)
    verdict = f"REACHED {' '.join(sorted(reached))}" if reached else "nothing"
    print(f"{verdict:12} {name:30} {seconds:5.1f} s  {last[0][:110]}", flush=True)


@contextlib.contextmanager
def _host() -> Iterator[attacks.Host]:
    """The target of the test, with all that listens there."""

    class Folders:
        def mktemp(self, name: str) -> Path:
            return Path(tempfile.mkdtemp(prefix=name))

    fixture: Any = attacks.host
    steps = fixture._get_wrapped_function()(Folders())
    yield next(steps)
    next(steps, None)


if __name__ == "__main__":
    main()

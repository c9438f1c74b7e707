"""How fast the sandbox starts and runs, and what its worker takes, for each kind of walls that stands on this machine.

A start is a new session up to its first answer, pandas and networkx imported. Usage: `python benchmarks/sandbox.py
[RUNS]`; run it on a machine that does nothing else.
"""

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from r3con_core.errors import SandboxError
from r3con_core.sandbox import Limits, Sandbox
from r3con_core.sandbox.choosing import candidates
from r3con_core.sandbox.engines import Engine

RUNS = 5
LOOP = "n = 0\nfor i in range(1_000_000): n += i % 7"
KILL = "import ctypes; ctypes.string_at(0)"


def started(engine: Engine) -> None:
    """A session and its first step."""
    with Sandbox(engine, b"{}", Limits()) as sandbox:
        sandbox.execute("print(1)")


def seconds(act: Callable[[], object]) -> float:
    """On the clock."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def resident_mb(pid: int) -> float:
    """Of all that this process has started."""
    with contextlib.suppress(OSError):
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = {int(one) for task in tasks for one in (task / "children").read_text(encoding="ascii").split()}
        own = sum(int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1]) for one in children)
        return own * os.sysconf("SC_PAGE_SIZE") / (1 << 20) + sum(map(resident_mb, children))
    return 0.0


def measure(engine: Engine, runs: int) -> None:
    """A line per figure."""
    begun = [seconds(lambda: started(engine)) for _ in range(runs)]
    with Sandbox(engine, b"{}", Limits()) as sandbox:
        sandbox.execute("kept = 1")
        step = [seconds(lambda: sandbox.execute("x = 1 + 1; print(x)")) for _ in range(200)]
        loop = [seconds(lambda: sandbox.execute(LOOP)) for _ in range(runs)]
        memory = resident_mb(os.getpid())
        again = seconds(lambda: sandbox.execute(KILL))
    sys.stdout.write(
        f"{engine.name}{'' if engine.uid is None else f' as user {engine.uid}'}\n"
        f"  start and first step  {statistics.median(begun):7.3f} s   (best {min(begun):.3f} s)\n"
        f"  a step                {1000 * statistics.median(step):7.2f} ms\n"
        f"  a million turns       {1000 * statistics.median(loop):7.0f} ms\n"
        f"  memory                {memory:7.0f} MB\n"
        f"  killed and built again{again:7.3f} s   (200 steps)\n"
    )


if __name__ == "__main__":
    for one in candidates():
        try:
            measure(one, int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
        except SandboxError as error:
            sys.stdout.write(f"{one.name}: {error}\n")

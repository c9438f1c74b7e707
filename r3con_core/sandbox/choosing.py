"""Which engines could work on this machine, best first, and what would give better ones."""

import shutil
import sys
from collections.abc import Iterator

from r3con_core.sandbox.engines import Engine, engines
from r3con_core.sandbox.seatbelt import seatbelt_engine
from r3con_core.sandbox.walls import BUBBLEWRAP, LANDLOCK
from r3con_core.sandbox.wasm import lacking, wasm_engine

_OWN_WALLS = {
    "linux": "This Linux lets no program lock itself down (Landlock and seccomp; kernel 5.13 or later has them).",
    "darwin": "This macOS starts no closed process (sandbox-exec).",
    "win32": "Windows has no walls of its own that we use.",
}


def candidates() -> Iterator[Engine]:
    """Those to be tried; whether one works, only its start can tell. The later ones are looked for when needed."""
    yield from engines()
    for find in (seatbelt_engine, wasm_engine):
        if engine := find():
            yield engine


def advice() -> str:
    """What to do where none of them works, in sentences."""
    own = _OWN_WALLS.get(sys.platform, "There are no walls for this operating system.")
    steps = lacking()
    if not steps:
        return own
    return f"{own} To run code enclosed in WebAssembly instead: {'. '.join(step.rstrip('.') for step in steps)}."


def improvements(walls: str) -> tuple[str, ...]:
    """What would make better walls than `walls`, those that stand on this machine ("": none), in sentences."""
    if not walls:
        return (advice(),)
    if walls == LANDLOCK:
        return (_second_wall(installed=shutil.which("bwrap") is not None),)
    if sys.platform == "linux" and walls != BUBBLEWRAP:
        return (_OWN_WALLS["linux"],)
    return ()


def _second_wall(*, installed: bool) -> str:
    if not installed:
        return "A second wall can be had: install bubblewrap with the system's package manager."
    return (
        "bubblewrap, the second wall, is installed but may not work here: the system, or the container this runs in, "
        "forbids user namespaces. Its administrator can allow them for bwrap."
    )

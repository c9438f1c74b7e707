"""`r3con sandbox pull` and `show`."""

import argparse

from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.screen import ProgressLine, say, tell
from r3con_core.home import home_folder
from r3con_core.sandbox import finding, walls_here
from r3con_core.sandbox.choosing import improvements
from r3con_core.sandbox.wasm_files import runtime_folder
from r3con_core.sandbox_runtime import pull_runtime


def pull(options: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """Get Python for WebAssembly."""
    line = ProgressLine()

    def show(done: int, total: int) -> None:
        line.show(f"Python for WebAssembly: {done} of {total} files", milestone=done == total)

    try:
        absent = pull_runtime(home_folder(), show)
    finally:
        line.end()
    tell(f"Python for WebAssembly is here: {runtime_folder(home_folder())}")
    if absent:
        tell(f"It has no pandas, because no source had {', '.join(absent)}. Pull again to get the rest.")
    return OK


def show(options: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """Start the walls of this machine; exit code 1 where none stand."""
    stands, sentence = finding()
    say(sentence)
    for step in improvements(walls_here()) if stands else ():
        say(step)
    return OK if stands else FAILED

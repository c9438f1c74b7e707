"""The engine for macOS: the same worker as on Linux, started by sandbox-exec with a profile that denies all but a list.

**Never run by us**, so it stands or falls with the self-test of every start. After the profiles of Chromium and Codex.
The system keeps no limit of memory, so the host watches it; what a step uses of time the worker sees to itself.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from r3con_core.sandbox.engines import Engine, Runtime, python_command
from r3con_core.sandbox.walls import SEATBELT

PROGRAM = "/usr/bin/sandbox-exec"
SYSTEM = (
    *("/usr/lib", "/System/Library", "/Library/Apple", "/usr/share/zoneinfo", "/dev/urandom", "/dev/random"),
    *("/private/var/db/dyld", "/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes"),
)
"""Libraries of the system, its time zones, random numbers: the same on every Mac, nothing of a user's."""
FRAMEWORK = ("Python", "Resources")
"""Under the prefix of a Python that is a framework: its library, and the program it starts itself as."""
TOLD = (
    *("hw.ncpu", "hw.logicalcpu", "hw.logicalcpu_max", "hw.physicalcpu", "hw.activecpu", "hw.byteorder", "hw.memsize"),
    *("hw.pagesize", "hw.pagesize_compat", "hw.cachelinesize", "hw.l1dcachesize", "hw.l2cachesize", "hw.cpufamily"),
    *("kern.osproductversion", "kern.osrelease", "kern.ostype", "kern.osversion", "kern.version", "kern.argmax"),
)
"""What Python, numpy and the C library ask about the machine; not its name, its users or its other processes."""


def seatbelt_engine() -> Engine | None:
    """The engine, where the program is."""
    if sys.platform != "darwin" or not Path(PROGRAM).exists():
        return None
    return Engine(name=SEATBELT, command=python_command(_enclosing), memory_limited=False, dies_with_host=False)


def _enclosing(runtime: Runtime, scratch: str) -> tuple[str, ...]:
    return (PROGRAM, "-p", profile(runtime, scratch))


def profile(runtime: Runtime, scratch: str) -> str:
    """The rules, last match first; paths must be real ones there: /private/var, not /var.

    Of the folders above what may be read only the existence is told: their contents cannot be listed. The one
    exception is the topmost, which the system's loader opens and which holds the same on every Mac.
    """
    prefix, place = os.path.realpath(sys.base_prefix), os.path.realpath(scratch)
    own = [f"{prefix}/{name}" for name in FRAMEWORK if Path(prefix, name).exists()]
    wanted = (*runtime.readable, *own, str(Path(__file__).parent), *SYSTEM)
    shown = sorted({os.path.realpath(path) for path in wanted})
    above = sorted({str(parent) for path in (*shown, place) for parent in Path(path).parents})
    programs = [os.path.realpath(runtime.python), f"{prefix}/Resources/Python.app/Contents/MacOS/Python"]
    rules = [
        "(version 1)",
        "(deny default)",
        f"(allow process-exec {_all('literal', programs)})",
        "(deny process-fork)",
        f"(allow file-read-metadata {_all('literal', above)})",
        '(allow file-read* (literal "/"))',
        f"(allow file-read* file-map-executable {_all('subpath', shown)})",
        f"(allow file-read* file-write* {_all('subpath', [place])})",
        '(allow file-read* file-write-data (literal "/dev/null"))',
        f"(allow sysctl-read {_all('sysctl-name', TOLD)})",
        "(allow signal (target self))",
        *(f"(deny {act})" for act in ("network*", "mach-lookup", "mach-register", "ipc-posix*", "iokit-open")),
    ]
    return "\n".join(rules)


def _all(kind: str, values: Iterable[str]) -> str:
    return " ".join(f"({kind} {_quoted(value)})" for value in values)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

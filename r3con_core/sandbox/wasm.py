"""The engine for systems without walls of their own: Python compiled to WebAssembly (Pyodide) in a process of Deno.

Two walls, one inside the other: WebAssembly has no way to the system at all, and the process around it runs without
any permission, having given up its last one (to read its own files) before any code comes. Deno is found beside this
Python (extra `portable`) or on the path; Pyodide is fetched by `r3con sandbox pull` (files and hashes: wasm_files.py).
"""

import functools
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from r3con_core.home import home_folder
from r3con_core.sandbox import windows_job
from r3con_core.sandbox.engines import Engine
from r3con_core.sandbox.walls import WASM, WASM_IN_JOB
from r3con_core.sandbox.wasm_files import RUNTIME_FILES, has_tables, is_complete, runtime_folder

OWN = Path(__file__).parent
WORKER = OWN / "wasm_worker.mjs"
READ_BY_WORKER = ("wasm_boot.py", "worker.py")
COPIED = ("networkx", "tzdata")
"""Packages of this Python that are Python only, and so can be had in the other one as they are."""
CLOSED = ("--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock", "--cached-only", "--deny-import")
V8 = "--disallow-code-generation-from-strings,--max-old-space-size=512"
OVERHEAD_MB = 1024
"""What the process takes apart from the code's memory: 400 MB when it is ready, up to 512 MB of JavaScript's own."""
START_SECONDS = 120
"""Six seconds on an idle machine, most of it computing; half a minute has been seen on a busy one."""
POSIX_LIMITS = 'ulimit -c 0; ulimit -f 0; ulimit -t 660; exec "$@"'
"""No core file, no file written by whatever way, eleven minutes of computing. Applied by the shell that becomes Deno."""


def wasm_engine(home: Path | None = None, places: Iterable[Path] | None = None) -> Engine | None:
    """The engine, when both its pieces are here. `home` and `places` as the product and `deno` have them."""
    folder = runtime_folder(home or home_folder()).resolve()
    program = deno(places)
    if program is None or not is_complete(folder):
        return None
    tables = ("pandas",) if has_tables(folder) else ()  # numpy is there for it, not for the code: see wasm_boot.py
    packages = (*tables, *(name for name in ("networkx",) if name in _copied()))
    command = functools.partial(_command, program, folder)
    # A folder that cannot be: Deno would keep what a program stores there from one session to the next.
    environment = {"DENO_DIR": str(WORKER / "none"), "NO_COLOR": "1"}
    if sys.platform != "win32":
        return Engine(
            name=WASM,
            command=lambda scratch: ["/bin/sh", "-c", POSIX_LIMITS, "sh", *command(scratch)],
            environment=environment,
            packages=packages,
            memory_limited=False,
            dies_with_host=False,
            is_slow=True,
            overhead_mb=OVERHEAD_MB,
            start_seconds=START_SECONDS,
        )
    return Engine(
        name=WASM_IN_JOB,
        command=command,
        environment=environment | windows_job.environment(),
        packages=packages,
        start_seconds=START_SECONDS,
        is_slow=True,
        creation_flags=windows_job.CREATION_FLAGS,
        enclose=windows_job.enclose,
        missing=windows_job.missing,
    )


def lacking(home: Path | None = None, places: Iterable[Path] | None = None) -> tuple[str, ...]:
    """What would have to be done for this engine to be had, as sentences."""
    steps = []
    if deno(places) is None:
        steps.append('Install Deno with: pip install "r3con-analyst[portable]"')
    if not is_complete(runtime_folder(home or home_folder())):
        megabytes = sum(file.bytes for file in RUNTIME_FILES) / 1e6
        steps.append(f"Fetch Python for WebAssembly ({megabytes:.0f} MB) with: r3con sandbox pull")
    return tuple(steps)


def deno(places: Iterable[Path] | None = None) -> str | None:
    """The program, in the first of these folders that has it; None: where pip puts programs, else on the path."""
    name = "deno.exe" if sys.platform == "win32" else "deno"
    own = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")))
    looked = own if places is None else places
    found = next((str(place / name) for place in looked if (place / name).is_file()), None)
    return found or (shutil.which("deno") if places is None else None)


@functools.cache
def _copied() -> dict[str, str]:
    """Name and folder of those of COPIED that are here."""
    specs = {name: importlib.util.find_spec(name) for name in COPIED}
    return {name: str(Path(spec.origin).parent) for name, spec in specs.items() if spec and spec.origin}


def _command(program: str, folder: Path, _scratch: str) -> list[str]:
    """Deno with leave to read what it has to load, until it gives that up itself."""
    readable = [str(folder), *(str(OWN / name) for name in READ_BY_WORKER), *_copied().values()]
    allowed = ",".join(path.replace(",", ",,") for path in readable)
    options = ["--quiet", "--no-check", *CLOSED, f"--allow-read={allowed}", f"--v8-flags={V8}"]
    arguments = [program, str(folder), f"{folder.as_uri()}/", str(OWN), *_copied().values()]
    return [program, "run", *options, str(WORKER), *arguments]

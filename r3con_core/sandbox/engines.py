"""Which command line puts walls around the worker on this machine.

Linux: bubblewrap (own namespaces for files, network, processes) when it is installed and works, else none, because the
worker locks itself down anyway. macOS: sandbox-exec with a profile made here; **never run by us**, so it stands or
falls with the self-test of every start. Anywhere else there is no engine and code does not run.
"""

import functools
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("pandas", "numpy", "networkx")
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM_FILES = ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime")
THREAD_COUNTS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ENVIRONMENT = {**dict.fromkeys(THREAD_COUNTS, "1"), "PYTHONHASHSEED": "0", "TZ": "UTC"}
"""All the worker gets: one thread, which Landlock asks for, and the same results when a step is run again."""
BOOT = (
    "import sys; sys.path.append(sys.argv[1]); import lockdown, worker; sys.path.pop(); "
    "worker.main(lockdown.lock_down, lockdown.missing_walls)"
)
"""Run by path, not as a package, so that no other module of the product is loaded or readable in the worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The Python the worker runs on."""

    python: str
    imports: tuple[str, ...]
    """Folders with pandas and networkx."""
    readable: tuple[str, ...]
    """Files and folders the interpreter, its libraries and `imports` need; parents before children."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One way to start the worker."""

    name: str
    """In words, for the screen and the record of a run."""
    wrap: Callable[[Runtime, str], tuple[str, ...]]
    """From the runtime and the scratch folder to what stands before the worker's own command line."""
    memory_limited: bool = True
    """Whether the system keeps the worker's memory limit; if not, the host has to watch it."""


@functools.cache
def runtime() -> Runtime:
    """The interpreter of this process, and where its packages are."""
    specs = [importlib.util.find_spec(package) for package in PACKAGES]
    parents = [str(Path(spec.origin).parent.parent) for spec in specs if spec and spec.origin]
    imports = dict.fromkeys([*parents, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    python = os.path.realpath(sys.executable)
    standard_library = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), f"{sys.base_prefix}/lib")
    wanted = {python, *imports, *standard_library, *SYSTEM_LIBRARIES, *SYSTEM_FILES}
    readable = {path for given in wanted for path in (given, os.path.realpath(given)) if Path(path).exists()}
    return Runtime(python=python, imports=tuple(imports), readable=tuple(sorted(readable)))


def worker_command(engine: Engine, scratch: str) -> list[str]:
    """The whole command line of a worker."""
    python = runtime().python
    return [*engine.wrap(runtime(), scratch), python, "-sPSB", "-X", "utf8", "-c", BOOT, str(Path(__file__).parent)]


def engines() -> tuple[Engine, ...]:
    """What could work here, best first; whether it does, only a start can tell."""
    if sys.platform == "linux":
        bare = Engine(name="Landlock and seccomp", wrap=lambda _runtime, _scratch: ())
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            return (bare,)
        wrap = functools.partial(_bubblewrap, bubblewrap)
        return (Engine(name="bubblewrap, Landlock and seccomp", wrap=wrap), bare)
    if sys.platform == "darwin" and Path(SEATBELT).exists():
        return (Engine(name="macOS sandbox-exec", wrap=_seatbelt, memory_limited=False),)
    return ()


def _bubblewrap(program: str, runtime: Runtime, scratch: str) -> tuple[str, ...]:
    """Only the runtime, the worker's two files and the scratch folder exist inside, at their own paths."""
    own = Path(__file__).parent
    shown = [*runtime.readable, str(own / "worker.py"), str(own / "lockdown.py")]
    binds = [part for path in shown for part in ("--ro-bind", path, path)]
    return (
        *(program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
        *(*binds, "--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null"),
        *("--bind", scratch, scratch, "--remount-ro", "/", "--chdir", scratch, "--"),
    )


SEATBELT = "/usr/bin/sandbox-exec"


def _seatbelt(runtime: Runtime, scratch: str) -> tuple[str, ...]:
    """After the profiles of Chromium and Codex. Paths must be real ones: /private/var, not /var."""
    place = os.path.realpath(scratch)
    read = [*runtime.readable, str(Path(__file__).parent), "/System/Library", "/Library/Apple", "/dev/urandom"]
    shown = {os.path.realpath(path) for path in read}
    ancestors = {str(parent) for path in (*shown, place) for parent in Path(path).parents}
    profile = [
        "(version 1)",
        "(deny default)",
        f"(allow process-exec (subpath {_quoted(os.path.realpath(sys.base_prefix))}))",
        "(deny process-fork)",
        *(f"(allow file-read-metadata (literal {_quoted(path)}))" for path in sorted(ancestors)),
        *(f"(allow file-read* (subpath {_quoted(path)}))" for path in sorted(shown)),
        f"(allow file-read* file-write* (subpath {_quoted(place)}))",
        '(allow file-read* file-write-data (literal "/dev/null"))',
        "(allow sysctl-read)",
        "(allow signal (target self))",
        "(deny network*)",
        "(deny mach-lookup)",
        "(deny ipc-posix*)",
    ]
    return (SEATBELT, "-p", "\n".join(profile))


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

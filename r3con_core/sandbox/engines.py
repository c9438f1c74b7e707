"""Which command line puts walls around the worker on this machine.

Linux: bubblewrap (own namespaces for files, network, processes) when it is installed and works, else none, because the
worker locks itself down anyway. Other systems: see choosing.py.
"""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from r3con_core.sandbox.outside import missing_from_outside
from r3con_core.sandbox.walls import BUBBLEWRAP, LANDLOCK

PACKAGES = ("pandas", "numpy", "networkx")
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM_FILES = ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime")
THREAD_COUNTS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ENVIRONMENT = {**dict.fromkeys(THREAD_COUNTS, "1"), "PYTHONHASHSEED": "0", "TZ": "UTC"}
"""All the worker gets: one thread, which Landlock asks for, and the same results when a step is run again."""
BOOT = (
    "import sys; sys.path.append(sys.argv[1]); import asking, lockdown, worker; sys.path.pop(); sys.argv[:] = ['']; "
    "worker.main(lockdown.lock_down, lockdown.missing_walls, asking.Asking)"
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
    """One way to start a worker: a program that speaks the frames of worker.py over its standard streams."""

    name: str
    """In words, for the screen and the record of a run; a key of `walls.MEANINGS`."""
    command: Callable[[str], list[str]]
    """From the scratch folder to the whole command line."""
    environment: Mapping[str, str] = field(default_factory=lambda: ENVIRONMENT)
    """All of it: nothing is inherited."""
    packages: tuple[str, ...] = PACKAGES
    """Those of `PACKAGES` that code can import."""
    memory_limited: bool = True
    """Whether the system keeps the worker's memory limit; if not, the host has to watch it."""
    dies_with_host: bool = True
    """Whether the system ends the worker when this process ends, however that comes. Only then may it be made to stand
    still between steps: one that stands still does not notice by itself."""
    is_slow: bool = False
    """Whether a start takes seconds, so that one worker is kept ready ahead."""
    overhead_mb: int = 256
    """Where the host watches: what the worker may take besides the code's memory."""
    creation_flags: int = 0
    """How Windows is to create the process; 0 elsewhere."""
    time_limited: bool = True
    """Whether the worker ends a step that is over its time; if not, the host ends the worker at once."""
    start_seconds: float = 30
    """Slower than this, and the start has failed."""
    enclose: Callable[[subprocess.Popen[bytes]], None] = lambda _process: None
    """Done to the process at once after its start, before anything is sent to it; SandboxError ends it."""
    uid: int | None = None
    """The user to run it as, when that is not the host's own; it has to be root for that."""

    missing: Callable[[int], list[str]] = lambda _pid: []
    """Which walls do not stand, in words ("code could ..."), as seen from outside by its process id. Asked after the
    worker's own proof and before it gets any data: its own word is not enough."""

    @property
    def can_ask(self) -> bool:
        """Whether code may put prompts to a model: where it can be made to stand still, as nobody watches it then."""
        return self.dies_with_host


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


def python_command(wrap: Callable[[Runtime, str], tuple[str, ...]]) -> Callable[[str], list[str]]:
    """The command line of a worker of this Python; `wrap` gives what stands before it."""

    def command(scratch: str) -> list[str]:
        own = [runtime().python, "-sPSB", "-X", "utf8", "-c", BOOT, str(Path(__file__).parent)]
        return [*wrap(runtime(), scratch), *own]

    return command


def engines() -> tuple[Engine, ...]:
    """Those of this module that could work here, best first; whether one does, only a start can tell."""
    return _on_linux() if sys.platform == "linux" else ()


def _on_linux() -> tuple[Engine, ...]:
    bubblewrap = shutil.which("bwrap")
    bare = Engine(
        name=LANDLOCK,
        command=python_command(lambda _runtime, _scratch: ()),
        missing=functools.partial(missing_from_outside, namespaces=1),
    )
    wrapped = Engine(
        name=BUBBLEWRAP,
        command=python_command(functools.partial(_bubblewrap, bubblewrap or "")),
        missing=functools.partial(missing_from_outside, namespaces=2),
    )
    found = (wrapped, bare) if bubblewrap else (bare,)
    if os.geteuid() != 0 or not all(map(anyone_reaches, (*runtime().readable, str(Path(__file__).parent)))):
        return found
    return tuple(user for engine in found for user in (replace(engine, uid=NOBODY), engine))


NOBODY = 64_731
"""A user id that no distribution gives to anyone. An app that runs as root starts its workers as this user where the
runtime can be read by everyone; where it cannot (it lies below /root), they run as root without capabilities."""


def anyone_reaches(path: str) -> bool:
    """Whether the rights of this file or folder, and of the folders above, let every user read it."""
    reading = 0o5 if Path(path).is_dir() else 0o4
    above = all(folder.stat().st_mode & 0o1 for folder in Path(path).resolve().parents)
    return above and Path(path).stat().st_mode & reading == reading


def _bubblewrap(program: str, runtime: Runtime, scratch: str) -> tuple[str, ...]:
    """Only the runtime, the worker's own files and the scratch folder exist inside, at their own paths."""
    own = Path(__file__).parent
    shown = [*runtime.readable, *(str(own / name) for name in ("asking.py", "lockdown.py", "worker.py"))]
    binds = [part for path in shown for part in ("--ro-bind", path, path)]
    return (
        *(program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"),
        *(*binds, "--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null"),
        *("--bind", scratch, scratch, "--remount-ro", "/", "--chdir", scratch, "--"),
    )

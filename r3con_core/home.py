"""Where this product keeps what is the user's: projects, local models. No keys. Made only when something is written."""

import getpass
import os
import sys
from collections.abc import Mapping
from pathlib import Path


def home_folder(environ: Mapping[str, str] | None = None) -> Path:
    """`R3CON_HOME` if set, else the place the operating system has for a program's data."""
    environ = os.environ if environ is None else environ
    if chosen := environ.get("R3CON_HOME"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA", str(Path.home()))) / "r3con"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "r3con"
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "r3con"


SHARED_VARIABLE = "R3CON_SHARED"
"""In an app of a team: the operator's home, which holds what all use and only the operator changes."""


def shared_home(home: Path, environ: Mapping[str, str] | None = None) -> Path:
    """Where model files and the like are: the operator's home in an app of a team, else `home` itself."""
    environ = os.environ if environ is None else environ
    return Path(environ.get(SHARED_VARIABLE) or home)


def is_shared(environ: Mapping[str, str] | None = None) -> bool:
    """Whether what is in `shared_home` is the operator's alone to change."""
    environ = os.environ if environ is None else environ
    return bool(environ.get(SHARED_VARIABLE))


def user() -> str:
    """Who works here, as the system calls them; letters that are none are told as question marks."""
    try:
        return getpass.getuser().encode("utf-8", "replace").decode()
    except (KeyError, OSError):
        return "analyst"


def write_whole(file: Path, text: str) -> None:
    """Put `text` in place of what `file` held, in one step: a reader never sees half of it. OSError where it cannot."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_bytes_whole(file, text.encode("utf-8"))


def write_bytes_whole(file: Path, data: bytes) -> None:
    """The same of bytes, in a folder that is there; what the file held stays where they cannot be written."""
    fresh = file.with_name(f".{file.name}-{os.getpid()}")
    try:
        fresh.write_bytes(data)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def projects_folder(home: Path) -> Path:
    """The folder that holds one folder per project."""
    return home / "projects"

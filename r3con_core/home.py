"""Where this product keeps what is the user's: projects, local models, keys. Made only when something is written."""

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


def write_whole(file: Path, text: str) -> None:
    """Put `text` in place of what `file` held, in one step: a reader never sees half of it. OSError where it cannot."""
    fresh = file.with_name(f".{file.name}-{os.getpid()}")
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(text, "utf-8")
    fresh.replace(file)


def projects_folder(home: Path) -> Path:
    """The folder that holds one folder per project."""
    return home / "projects"

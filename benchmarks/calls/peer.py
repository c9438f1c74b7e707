"""The other side: the authors' package r3context 0.3.0, in an environment of its own."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from calls.ours import WORKERS, folder_size, import_seconds
from calls.watching import Peak, follow

PACKAGE = "r3context==0.3.0"
_DRIVER = Path(__file__).with_name("peer_driver.py")
_LOCAL_PRICES = "LITELLM_LOCAL_MODEL_COST_MAP"
"""Set, their library does not fetch a price list when it is imported."""
ROUNDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerRan:
    """One run of theirs."""

    error: str
    """Why it ended early; "" where it did not."""
    seconds: float
    """Of the run alone, without its imports."""
    peak: Peak
    disk: int
    """Bytes of what it left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An environment with the package."""

    python: Path

    def run(self, question: str, documents: Sequence[str], url: str) -> PeerRan:
        """Their whole pipeline over `documents`, with as many workers as ours and their artifacts kept."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            job = {"question": question, "documents": list(documents), "api_base": url, "rounds": ROUNDS}
            (folder / "job.json").write_text(json.dumps(job), "utf-8")
            with (folder / "said.txt").open("wb") as said:
                process = subprocess.Popen(
                    [str(self.python), str(_DRIVER), str(folder / "job.json")],
                    cwd=folder,
                    env=_environment(folder),
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                )
                peak = follow(process.pid)
            return _told(folder, peak)

    def import_seconds(self) -> float:
        """Of its library, in a new process, the median of five."""
        with tempfile.TemporaryDirectory() as folder:
            code = f"import os; os.environ[{_LOCAL_PRICES!r}] = 'True'; import r3con"
            return import_seconds(str(self.python), code, folder=Path(folder))


def _told(folder: Path, peak: Peak) -> PeerRan:
    """A run that did not come to its end has told nothing; its last words are its error's."""
    told = folder / "told.json"
    last = (folder / "said.txt").read_text("utf-8", "replace").strip().splitlines()[-1:]
    return PeerRan(
        error="" if told.exists() else "".join(last)[:300] or "it ended without a word",
        seconds=json.loads(told.read_text("utf-8"))["seconds"] if told.exists() else 0.0,
        peak=peak,
        disk=folder_size(folder / "logs"),
    )


def _environment(folder: Path) -> dict[str, str]:
    """No price list is fetched, and nothing of the user's own is read."""
    return {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR")},
        "HOME": str(folder),
        _LOCAL_PRICES: "True",
        "R3CON_DOC_WORKERS": str(WORKERS),
        "R3CON_LOGS_DIR": str(folder / "logs"),
    }


def make_peer(folder: Path) -> Peer:
    """An environment in `folder`, with the package from PyPI."""
    print(f"Installing {PACKAGE} in {folder} ...", file=sys.stderr)
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([str(python), "-m", "pip", "install", "-qq", PACKAGE], check=True)
    return Peer(python=python)

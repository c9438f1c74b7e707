"""The files of given paths, in order, with what is to be said of those that are not opened."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import CorpusError
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import LedgerLine, Outcome, shown_name
from r3con_core.readers.productions import Plan, plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file or folder on disk, and the path the analyst knows it by."""

    path: Path
    shown: str
    is_folder: bool = False


Listed = Place | LedgerLine
"""A file to read, or what to say of one that is not opened."""


def list_files(paths: Sequence[Path]) -> Iterator[Listed]:
    """All files of the paths, folders in sorted order with all they hold. CorpusError when a path does not exist."""
    missing = ", ".join(shown_name(str(path)) for path in paths if not _is_there(path))
    if missing:
        raise CorpusError(
            f"There is no file or folder {missing} that may be opened. Check its spelling and its rights."
        )
    return (found for path in paths for found in _find(path))


def digest_files(paths: Sequence[Path]) -> str:
    """The SHA-256 of the names of all files, in order: another one means that files came, went or were renamed."""
    digest = hashlib.sha256()
    for found in list_files(paths):
        name = found.shown if isinstance(found, Place) else found.path
        digest.update(f"{name}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def number_of(paths: Sequence[Path], name: str) -> int:
    """The number of the file that is listed as `name`; 0 when there is none."""
    places = (found.shown if isinstance(found, Place) else "" for found in list_files(paths))
    return next((number for number, shown in enumerate(places, start=1) if shown == name), 0)


def plan_of(listed: Sequence[Listed]) -> Plan:
    """How files on disk make up productions; those that cannot be opened are left to their own turn."""
    places = (place for place in listed if isinstance(place, Place))
    return plan((place.shown, content) for place in places if (content := _content(place.path)) is not None)


def _content(path: Path) -> Content | None:
    try:
        if not path.is_file():
            return None
        path.open("rb").close()
        return Content.on_disk(path)
    except OSError:
        return None


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long, or a folder that may not be entered
        return False


def _find(path: Path) -> Iterator[Listed]:
    # Resolved only when it has no name of its own: a given link is known by its name, not by what it points to.
    name = shown_name(path.name if path.name not in ("", "..") else path.resolve().name)
    if not path.is_dir():
        yield Place(path=path, shown=name)
        return
    empty = True
    for found in _find_in(path, name):
        empty = False
        yield found
    if empty:
        yield LedgerLine(path=name, outcome=Outcome.NOTHING_IN_IT, reason="the folder is empty")


def _find_in(folder: Path, shown: str) -> Iterator[Listed]:
    """All that a folder holds; not by recursion, since folders may lie thousands deep."""
    waiting = [_entries(folder, shown)]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
        elif isinstance(found, Place) and found.is_folder:
            waiting.append(_entries(found.path, found.shown))
        else:
            yield found


def _entries(folder: Path, shown: str) -> Iterator[Listed]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as fault:
        yield unopened(shown, fault)
        return
    for entry in entries:
        path = f"{shown}/{shown_name(entry.name)}"
        try:
            yield _entry(entry, path)
        except OSError as fault:
            yield unopened(path, fault)


def _entry(entry: Path, shown: str) -> Listed:
    if kinds.is_clutter(entry.name):
        return LedgerLine(path=shown, outcome=Outcome.SKIPPED, reason="a hidden or system file")
    if entry.is_symlink():
        return LedgerLine(path=shown, outcome=Outcome.REFUSED, reason="a link; links are not followed")
    return Place(path=entry, shown=shown, is_folder=entry.is_dir())


def unopened(path: str, fault: OSError) -> LedgerLine:
    """The line of a file or folder that cannot be opened."""
    return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason=f"cannot be opened: {fault.strerror or fault}")

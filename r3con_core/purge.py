"""Removing a project wholly: its processes, its store, and every file it has made; what others put beside them stays.

No link is followed: the link itself goes where it stands in the place of a file of ours, never what it leads to.
"""

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.processes import commands, end_process, is_alive, is_ours
from r3con_core.store.imports import ORIGINALS
from r3con_core.store.liveness import runs_and_holders
from r3con_core.store.project import FILE

SECONDS_TO_DIE = 5.0
_OURS = re.compile(
    rf"\.?{re.escape(FILE)}(?:[.-].*)?|run-[0-9]{{8}}-[0-9]{{6}}-[0-9a-f]{{6}}\.log|import-[0-9]+\.log|\.rescue-\w+"
)
"""Names of what a project makes in its folder, beside the folders of originals and of scratch."""
_LEFTOVER = re.compile(r"r3con-(?:export|replay|verify)-[a-z0-9_]{8}|\.opening-[a-z0-9_]{8}")
"""Names of folders for copies that end with the work they were made for; never those of a person's own folders."""
_ORIGINAL = re.compile(r"[0-9a-f]{64}(?:\.part)?")
NOT_PROMISED = (
    "Blocks that the disk has set aside, as SSDs do, snapshots and backups may still hold it: encrypt disks.",
    "The model's endpoint may have kept what was sent to it, by its own terms.",
    "Exports, bundles and copies saved elsewhere are not known here, nor are the files that were read in their own place.",
)
"""What no program can promise of a removal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What came of a purge."""

    files: int
    """Removed."""
    left: tuple[str, ...]
    """What is ours and could not be removed, with why."""
    others: tuple[str, ...]
    """Names of what else is in the folder: it is not ours and was left alone."""
    scratch: int
    """Folders of ours for temporary files of which nobody can tell what they belong to."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for a person."""
        return tuple(_sentences(self))


def purge(folder: Path) -> Purged:
    """Remove the project in `folder`, readable or not, and the folder itself when nothing else is in it.

    StoreError when there is no project, when the folder is a link, or when a process at work on it will not end.
    """
    if folder.is_symlink():
        raise StoreError(f"{folder} is a link, so nothing was removed. Purge the folder it leads to.")
    if not (folder / FILE).exists() and not (folder / FILE).is_symlink():
        raise StoreError(f"There is no project in {folder}.")
    runs = _end_work(folder)
    removal = _Removal()
    for place in _leftovers(runs, folder):
        removal.tree(place)
    _remove_originals(removal, folder / ORIGINALS)
    removal.tree(folder / "scratch")
    entries = sorted(each for each in folder.iterdir() if _OURS.fullmatch(each.name))
    for entry in sorted(entries, key=lambda each: each.name == FILE):  # the file itself last, so that a purge can go on
        removal.tree(entry)
    with suppress(OSError):
        folder.rmdir()
    others = sorted(each.name for each in folder.iterdir()) if folder.exists() else []
    others = [name for name in others if not any(each.is_relative_to(folder / name) for each in removal.left)]
    left = tuple(f"{place}: {why}" for place, why in removal.left.items())
    return Purged(files=removal.files, left=left, others=tuple(others), scratch=_scratch())


class _Removal:
    def __init__(self) -> None:
        self.files, self.left = 0, dict[Path, str]()

    def tree(self, place: Path) -> None:
        """A file, a link itself, or a folder with all that is in it."""
        try:
            mode = place.lstat().st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            self.left[place] = error.strerror or ""
            return
        if stat.S_ISDIR(mode):
            self._folder(place)
            return
        try:
            place.unlink()
        except OSError as error:
            self.left[place] = error.strerror or ""
        else:
            self.files += 1

    def _folder(self, place: Path) -> None:
        try:
            for each in sorted(place.iterdir()):
                self.tree(each)
            place.rmdir()
        except OSError as error:
            if not any(each.is_relative_to(place) for each in self.left):
                self.left[place] = error.strerror or ""


def _remove_originals(removal: _Removal, originals: Path) -> None:
    """The copies of files a project keeps, by their hashes; what has another name is not ours."""
    if originals.is_symlink() or not originals.is_dir():
        if originals.is_symlink():
            removal.tree(originals)
        return
    for shelf in sorted(originals.iterdir()):
        if shelf.is_symlink() or not shelf.is_dir():
            continue
        for copy in sorted(shelf.iterdir()):
            if _ORIGINAL.fullmatch(copy.name):
                removal.tree(copy)
        with suppress(OSError):
            shelf.rmdir()
    with suppress(OSError):
        originals.rmdir()


def _end_work(folder: Path) -> tuple[str, ...]:
    """End the processes at work on the project; the ids of its runs, as far as they can be read."""
    runs, busy = runs_and_holders(folder / FILE)
    ours = set(_at_work(folder)) if sys.platform != "win32" else busy - {os.getpid()}
    for pid in ours:
        end_process(pid, seconds=SECONDS_TO_DIE)
    for pid in busy | ours:
        if is_alive(pid) and is_ours(pid):
            raise StoreError(f"The process {pid} is at work on {folder}. End what it does there, then purge again.")
    return runs


def _at_work(folder: Path) -> Iterator[int]:
    """Processes of ours that were started for this folder."""
    place = str(folder.resolve())
    for pid, words in commands():
        ours = any(word.startswith("r3con_core.") for word in words)
        if ours and any(word.startswith("/") and str(Path(word).resolve()) == place for word in words):
            yield pid


def _leftovers(runs: tuple[str, ...], folder: Path) -> Iterator[Path]:
    """Folders that a killed export, check or opening of a bundle has left, with one of these runs in them."""
    places = [*Path(tempfile.gettempdir()).glob("r3con-*"), *folder.parent.glob(".opening-*")]
    for place in places:
        if not _LEFTOVER.fullmatch(place.name) or place.is_symlink() or not place.is_dir():
            continue
        stores = (*place.glob("*.sqlite"), *place.glob("*/*.sqlite"))
        if any(set(runs) & set(runs_and_holders(store)[0]) for store in stores if not store.is_symlink()):
            yield place


def _scratch() -> int:
    return sum(place.is_dir() for place in Path(tempfile.gettempdir()).glob("r3con-*"))


def _sentences(told: Purged) -> Iterator[str]:
    yield f"{told.files:,} files of the project were removed."
    if told.left:
        yield "These could not be removed; remove them yourself:"
        yield from told.left
    if told.others:
        shown = ", ".join(told.others[:10]) + (f" and {len(told.others) - 10:,} more" if len(told.others) > 10 else "")
        yield f"Left alone, as the project did not make them: {shown}."
    if told.scratch:
        yield (
            f"In {tempfile.gettempdir()} are {told.scratch:,} folders named r3con-...: of programs at work, or left by killed "
            "ones, with parts of documents perhaps. Delete them when no R3Con program runs."
        )
    yield from NOT_PROMISED

"""Folders and files that are never sent: whether one of the analyst's patterns names a document's place. Pure.

A pattern is the name or path of a folder or file, such as "legal", "board/minutes", "*.pst" or "/home/ann/case/legal".
It names everything in it. `*` stands for anything within one name. Capitals do not count. What lies in an archive or is
attached to a mail has a path too: "mails.zip > legal/advice.eml".
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

_UNSEEN = "Cf"
"""Unicode's category of signs that no reader sees."""
_BETWEEN = re.compile(r"\s+>\s+|[/\\]")


def naming_pattern(paths: Iterable[str], patterns: Sequence[str]) -> str:
    """The first of `patterns` that names one of the places a document has; "" where none does."""
    places = [_steps(path) for path in paths]
    return next((pattern for pattern in patterns if any(_names(_steps(pattern), steps) for steps in places)), "")


def places_of(path: str, read_from: Iterable[str]) -> tuple[str, ...]:
    """A document's path, and its whole path for each of the files and folders it may have been read from."""
    first = _BETWEEN.split(path)[0]
    given = (Path(each) for each in read_from)
    return (path, *(f"{each.parent}/{path}" for each in given if each.name == first))


def _names(wanted: tuple[str, ...], steps: tuple[str, ...]) -> bool:
    """Whether the names of a pattern follow one another somewhere in a path: at its beginning where both have a root.

    A path without a root may begin anywhere in a pattern that has one: its upper folders are not known then.
    """
    if not any(wanted):
        return False
    if wanted[0] != "":
        return any(_fits(wanted, steps[at : at + len(wanted)]) for at in range(len(steps) - len(wanted) + 1))
    if steps[:1] == ("",):
        return _fits(wanted, steps[: len(wanted)])
    return any(_fits(wanted[at:], steps[: len(wanted) - at]) for at in range(1, len(wanted)))


def _fits(wanted: tuple[str, ...], steps: tuple[str, ...]) -> bool:
    plain = (name.replace("[", "[[]") for name in wanted)  # a bracket stands for itself, as folders have them
    return len(wanted) == len(steps) and all(map(fnmatchcase, steps, plain))


@lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[str, ...]:
    """The names in a path, from the outermost; the first is "" where it is told from the root on."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold()).strip()
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != _UNSEEN)
    plain = re.sub(r"^[a-z]:(?=[/\\])", "", plain)
    names = [name.strip() for name in _BETWEEN.split(plain)]
    root = ("",) if names[0] == "" else ()
    return (*root, *_straight(names))


def _straight(names: Iterable[str]) -> tuple[str, ...]:
    """Names without steps back; those that lead above the first, or to somebody's home, are left out.

    So a pattern names rather more than less: "../case/legal" is every folder "case/legal".
    """
    kept: list[str] = []
    for name in names:
        if name == "..":
            del kept[-1:]
        elif name not in ("", ".") and (kept or name != "~"):
            kept.append(name)
    return tuple(kept)

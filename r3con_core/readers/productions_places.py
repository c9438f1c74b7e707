"""Which of the given files a path in a load file means; nothing is ever opened by such a path."""

import re
from collections import defaultdict
from collections.abc import Iterable
from heapq import nlargest

Parts = tuple[str, ...]


def parts_of(path: str) -> Parts:
    """A path's names in small letters, from the outermost; backslashes, drives, "." and containers are understood."""
    without_drive = re.sub(r"^[A-Za-z]:", "", path.strip().strip('"'))
    names = re.split(r"[\\/]+| > ", without_drive)
    return tuple(name.casefold() for name in names if name not in ("", "."))


def last_name(path: str) -> str:
    """The name of a file or member, without what it lies in."""
    return path.replace("\\", "/").rsplit("/", 1)[-1].rsplit(" > ", 1)[-1]


def folder_of(path: str) -> str:
    """What a file or member lies in, with the sign that parts the two."""
    return path[: len(path) - len(last_name(path))]


class Places:
    """The given files by their names."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_end: dict[Parts, list[tuple[Parts, str]]] = defaultdict(list)
        """By the last name, and by the last two."""
        self._folders: set[str] = set()
        for path in paths:
            parts = parts_of(path)
            for end in {parts[-1:], parts[-2:]} - {()}:
                self._by_end[end].append((parts, path))
            self._folders.update(parts[:-1])

    def find(self, stated: str, *, near: str) -> str | None:
        """The file that a load file at `near` means by `stated`; None when there is none, or no telling which.

        Load files state volumes, drives and folders that are not there any more, or leave out folders: the file counts
        that agrees in most names from the end. A stated folder that is there, but not around the file, speaks against.
        """
        wanted, home = parts_of(stated), parts_of(near)
        if not wanted or ".." in wanted:
            return None
        of_the_name = self._by_end.get(wanted[-2:]) or self._by_end.get(wanted[-1:], [])
        fitting = ((parts, path) for parts, path in of_the_name if self._fits(parts, wanted))
        ranks = ((_common_end(parts, wanted), _common_start(parts, home), path) for parts, path in fitting)
        best = nlargest(2, ranks)
        clear = len(best) == 1 or (len(best) == 2 and best[0][:2] != best[1][:2])
        return best[0][2] if clear else None

    def _fits(self, parts: Parts, wanted: Parts) -> bool:
        common = _common_end(parts, wanted)
        unmatched = wanted[:-common]
        return not unmatched or unmatched[-1] not in self._folders or unmatched[-1] in parts


def _common_end(one: Parts, other: Parts) -> int:
    return _common_start(one[::-1], other[::-1])


def _common_start(one: Parts, other: Parts) -> int:
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count

"""Where the header of a table is, and what its columns are called."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LOOKED_AT = 50
"""Rows looked at to find the header."""

_NAME = re.compile(r"[^\W\d_]|^(?:19|20)\d\d$")
"""What a column is called: something with a letter, or a year."""
_VALUE = re.compile(r"[^\w]*\d[\d.,'/:\s\xa0-]*[^\w]*(?:[A-Z]{3})?[^\w]*")
"""A number, a date or a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Cells that were merged into one; rows and columns as places in the rows looked at, ends included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a table begins."""

    titles: int
    """Rows above its header that have only one cell with something in it."""
    depth: int
    """Rows of the header; 0 when it has none."""
    names: tuple[str, ...] = ()
    """Of the columns, empty where a column has none; each unlike the others."""


def find_shape(rows: Sequence[Sequence[str]], areas: Sequence[Area] = ()) -> Shape:
    """Title rows, header rows and names of the columns of a table that begins with `rows`.

    A header may have two rows or more, where merged cells or gaps show it: "2021" over "Q3" and "Q4" gives "2021 Q3"
    and "2021 Q4".
    """
    usual = max(map(filled, rows), default=0)
    first = 0
    while first < len(rows) - 1 and filled(rows[first]) == 1 < usual:
        first += 1
    if first >= len(rows):
        return Shape(titles=0, depth=0)
    depth = _depth(rows, areas, first)
    spread = [_spread(rows[first + level], areas, first + level) for level in range(depth)]
    if depth == 2 and not any(area.top == first for area in areas):
        spread[0] = _filled_forward(rows[first], rows[first + 1])
    names = _joined(spread)
    if not _is_header(names, rows[first + depth :]):
        return Shape(titles=first, depth=0)
    return Shape(titles=first, depth=depth, names=_told_apart(names))


def filled(row: Sequence[str]) -> int:
    """How many cells of a row have something in them."""
    return sum(1 for cell in row if cell)


def looks_like_value(cell: str) -> bool:
    """Whether a cell holds a number, a date or a time rather than words."""
    return len(cell) < 60 and _VALUE.fullmatch(cell) is not None


def _depth(rows: Sequence[Sequence[str]], areas: Sequence[Area], first: int) -> int:
    merged = [area for area in areas if area.top == first]
    if merged and filled(rows[first]) > 1:
        levels = max(area.bottom - first + 1 for area in merged)
        across = any(area.right > area.left for area in merged)
        wanted = max(levels, 2 if across and levels == 1 else 1)
        below = rows[first + 1 : first + wanted]
        return wanted if len(below) == wanted - 1 and all(map(_are_names, below)) else 1
    return 2 if first + 2 < len(rows) and _has_gaps_filled(rows[first], rows[first + 1], rows[first + 2 :]) else 1


def _are_names(row: Sequence[str]) -> bool:
    return all(_NAME.search(cell) for cell in row if cell)


def _has_gaps_filled(top: Sequence[str], second: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether `second` goes on with the header: its names stand under the gaps of `top` and the cells before them."""
    width = max(len(top), len(second))
    top, second = _wide(top, width), _wide(second, width)
    gaps = [column for column in range(width) if not top[column] and second[column]]
    if not gaps or not top[0] + second[0] or not _are_names(top) or not _are_names(second):
        return False
    heads = {column for column in range(width - 1) if top[column] and not top[column + 1] and second[column + 1]}
    alone = [column for column in range(width) if top[column] and column not in heads]
    if not heads or any(second[column] for column in alone) or any(not second[column] for column in heads):
        return False
    return any(looks_like_value(cell) for row in below for cell in row[min(heads) :])


def _wide(row: Sequence[str], width: int) -> list[str]:
    return [*row, *[""] * (width - len(row))]


def _filled_forward(top: Sequence[str], second: Sequence[str]) -> list[str]:
    spread: list[str] = []
    for column, below in enumerate(second):
        own = top[column] if column < len(top) else ""
        spread.append(own or (spread[-1] if spread and below else ""))
    return spread + list(top[len(second) :])


def _spread(row: Sequence[str], areas: Sequence[Area], place: int) -> list[str]:
    """The row with the text of merged cells in each of their columns."""
    spread = list(row)
    for area in areas:
        if area.top == place and area.left < len(row):
            spread += [""] * (area.right + 1 - len(spread))
            spread[area.left : area.right + 1] = [row[area.left]] * (area.right + 1 - area.left)
    return spread


def _joined(levels: Sequence[Sequence[str]]) -> list[str]:
    width = max(map(len, levels))
    columns = ([level[column] for level in levels if column < len(level)] for column in range(width))
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns]


def _is_header(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    kept = [name for name in names if name]
    if not kept or not all(_NAME.search(name) for name in kept):
        return False
    if len(set(kept)) == len(kept):
        return True
    return any(looks_like_value(cell) for row in below for name, cell in zip(names, row, strict=False) if name)


def _told_apart(names: Sequence[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    different = []
    for name in names:
        seen[name] += 1
        different.append(f"{name} ({seen[name]})" if name and seen[name] > 1 else name)
    return tuple(different)

"""The production numbers (Bates numbers) stamped on the pages of a PDF."""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sin
from typing import Any, NamedTuple

from r3con_core.readers.pdf_survey import Box

_MAYBE = re.compile(r"[A-Z0-9][-_. ]?\d{4}")
_STAMP = re.compile(
    r"(?<![\w./-])((?=[^\d\n]{0,60}[A-Z][^\d\n]{0,60}[A-Z])"  # two capitals at least
    r"[A-Z][A-Z0-9&]{0,15}(?:[-_. ][A-Z0-9]{1,15}){0,3}?[-_. ]?)(\d{4,12})(?![\w/-]|\.\d)"
)
_BARE_STAMP = re.compile(r"(?<!\S)(0\d{5,11})(?!\S)")
"""A production number without letters, told by its leading zero."""
_MARGIN = 0.12
"""Of a page's height, from its edge: where stamps are put."""
_STEEP = 0.9
"""Sine of the angle from which letters are written up or down."""
_MOST = 8
"""Possible stamps of a page that are looked at."""
_LONGEST_LINE = 200
"""Characters of a line in which a stamp is looked for."""
_EDGE_LINES = 2
"""Lines at the edges of a recognised page in which a stamp may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What may be the production number of a page."""

    text: str
    prefix: str
    number: int
    alone: bool
    """Nothing else stands on its line."""


def stamps_on(textpage: Any, text: str, sheet: Box) -> tuple[Stamp, ...]:
    """Possible stamps in the margins of a page with this text: above or below it, as the stamp itself is written."""
    return tuple(
        stamp
        for stamp in _candidates(text)
        if any(_is_in_margin(place, sheet) for place in _places(textpage, stamp.text))
    )


def _is_in_margin(place: "_Place", sheet: Box) -> bool:
    low, high, where = (sheet[0], sheet[2], place.x) if place.upwards else (sheet[1], sheet[3], place.y)
    reach = (high - low) * _MARGIN
    return not low + reach < where < high - reach


def stamps_in(text: str) -> tuple[Stamp, ...]:
    """Possible stamps at the top or bottom of a text recognised in a picture."""
    lines = [line for line in text.splitlines() if line.strip()]
    return tuple(_candidates("\n".join([*lines[:_EDGE_LINES], *lines[_EDGE_LINES:][-_EDGE_LINES:]])))


def _candidates(text: str) -> Iterator[Stamp]:
    numbered = [line for line in text.splitlines() if len(line) <= _LONGEST_LINE and _MAYBE.search(line)]
    text = "\n".join([*numbered[:_MOST], *numbered[_MOST:][-_MOST:]])
    matches = [*_STAMP.finditer(text)][-_MOST:]
    matches += [] if matches else [*_BARE_STAMP.finditer(text)][-_MOST:]
    for at in matches:
        before = text[: at.start()].rpartition("\n")[2]
        after = text[at.end() :].partition("\n")[0]
        prefix = at[1] if at.re is _STAMP else ""
        alone = not before.strip() and not after.strip()
        yield Stamp(text=at[0], prefix=prefix, number=int(at[at.re.groups]), alone=alone)


class _Place(NamedTuple):
    """Where some words begin, in points, and whether they are written up or down the page."""

    x: float
    y: float
    upwards: bool


def _places(textpage: Any, words: str) -> list[_Place]:
    """The places where some words begin."""
    from pypdfium2.raw import FPDFText_FindClose, FPDFText_FindNext, FPDFText_FindStart, FPDFText_GetSchResultIndex

    encoded = (words + "\x00").encode("utf-16-le")
    wanted = (ctypes.c_ushort * (len(encoded) // 2)).from_buffer_copy(encoded)
    search = FPDFText_FindStart(textpage, wanted, 0, 0)
    places: list[_Place] = []
    while len(places) < _MOST and FPDFText_FindNext(search):
        places.append(_place(textpage, FPDFText_GetSchResultIndex(search)))
    FPDFText_FindClose(search)
    return places


def _place(textpage: Any, letter: int) -> _Place:
    from pypdfium2.raw import FPDFText_GetCharAngle, FPDFText_GetCharBox

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    FPDFText_GetCharBox(textpage, letter, left, right, bottom, top)
    upwards = abs(sin(FPDFText_GetCharAngle(textpage, letter))) > _STEEP
    return _Place((left.value + right.value) / 2, (bottom.value + top.value) / 2, upwards)


def production_numbers(pages: Sequence[tuple[Stamp, ...]]) -> list[str]:
    """The production number of each page, empty where it has none: numbers that grow from page to page.

    On a single page it is the one stamp that stands alone on its line.
    """
    if len(pages) == 1:
        alone = [stamp for stamp in pages[0] if stamp.alone and stamp.prefix and _looks_counted(stamp)]
        return [alone[0].text if len(alone) == 1 else ""]
    by_prefix: dict[str, dict[int, Stamp]] = defaultdict(dict)
    for place, stamps in enumerate(pages):
        for stamp in stamps:
            by_prefix[stamp.prefix][place] = stamp
    rows = [row for row in by_prefix.values() if len(row) >= 2 and len(row) * 2 > len(pages) and _grows(row)]
    best = max(rows, key=len, default={})
    return [best[place].text if place in best else "" for place in range(len(pages))]


def _looks_counted(stamp: Stamp) -> bool:
    digits = stamp.text[len(stamp.prefix) :]
    return len(digits) >= 5 or digits.startswith("0")


def _grows(row: dict[int, Stamp]) -> bool:
    numbers = [stamp.number for _, stamp in sorted(row.items())]
    return all(one < two for one, two in pairwise(numbers))

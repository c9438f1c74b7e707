"""Names beside points of a plot, placed so that each can be read; a name that has no room is left out."""

from collections.abc import Iterable, Mapping, Sequence

WIDE, HIGH = 800.0, 290.0
"""Of the plot, about, in pixels on the narrowest screen that we draw for."""
LETTER, LINE, POINT = 6.2, 15.0, 9.0
"""A letter's width, a line's height and a point's half width, in pixels."""
POSITIONS: Mapping[str, tuple[float, float]] = {
    "top center": (-0.5, -1),
    "bottom center": (-0.5, 1),
    "middle right": (0, 0),
    "middle left": (-1, 0),
    "top right": (0, -1),
    "bottom right": (0, 1),
    "top left": (-1, -1),
    "bottom left": (-1, 1),
}
"""Plotly's word for where a text stands: where its left edge lies, in widths of it, and above, beside or below."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""


def place_labels(points: Sequence[tuple[str, float, float]]) -> dict[str, str]:
    """Each name that has room, and where it stands; the first ones choose first.

    Points are (name, x, y), x to the right and y up, both from 0 to 1.
    """
    taken = [_around(x * WIDE, (1 - y) * HIGH) for _, x, y in points]
    found: dict[str, str] = {}
    for name, x, y in points:
        for position in POSITIONS:
            box = _box(position, name, x * WIDE, (1 - y) * HIGH)
            if box[0] >= -POINT and box[2] <= WIDE + POINT and not _meets(box, taken):
                found[name] = position
                taken.append(box)
                break
    return found


def _around(x: float, y: float) -> Box:
    return (x - POINT, y - POINT, x + POINT, y + POINT)


def _box(position: str, name: str, x: float, y: float) -> Box:
    shift, side = POSITIONS[position]
    width = LETTER * len(name)
    beside = 0.0 if side else (POINT + 2) * (1 if shift == 0 else -1)
    left = x + beside + shift * width
    top = y - LINE / 2 + side * (LINE / 2 + POINT + 1)
    return (left, top, left + width, top + LINE)


def _meets(box: Box, others: Iterable[Box]) -> bool:
    return any(
        box[0] < right and left < box[2] and box[1] < bottom and top < box[3] for left, top, right, bottom in others
    )

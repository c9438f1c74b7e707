"""Lines and columns of a PDF page: the order in which a person reads what was drawn in another order.

PDFium gives text as it was drawn, which is nearly always how it is read. Only pages that were drawn across their columns
or up and down are put in order here; rows of a table stay rows.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

_WIDE_GAP = 8.0
"""Points between two words of a line from which they may belong to two columns."""
_LEAST_LINES = 3
"""Lines side by side that make columns."""
_LEAST_WIDTH = 0.12
"""Of the page's width: what is narrower is a cell of a table, not a line of a column."""
_LEAST_WORDS = 3
_JUMPS = 4
"""Lines drawn after a lower one, beyond which a page was not drawn from top to bottom."""
_MOST_LINES = 1_000
"""Of a page that may have columns; what has more is a drawing."""
_NOTE_LINES = 12
"""Lines above the end of a column among which its notes are looked for."""
_NEAR = 8
"""Lines, from top to bottom, among which one beside another is looked for."""
_NOTE = re.compile(r"(?:\[?\d{1,3}[\].)]?|[*†‡§]+)\s*\S")
"""How a footnote begins."""


class Letter(NamedTuple):
    """A sign and its place in points; line ends and blanks that PDFium added have none."""

    sign: str
    left: float
    bottom: float
    right: float
    top: float


_Box = tuple[float, float, float, float]


def may_be_out_of_order(boxes: Sequence[_Box], width: float) -> bool:
    """Whether the stretches of a text, in the order of drawing, lie in rows across columns or lead up and down.

    Or have notes at the foot of a column that another one follows.
    """
    runs = list(_runs(boxes))
    least = width * _LEAST_WIDTH
    ends = []
    jumps = 0
    for place, (one, other) in enumerate(pairwise(runs)):
        if other[1] > one[3]:
            jumps += other[0] < one[2]
            if other[0] >= one[2] and _ends_in_notes(runs[max(place - _NOTE_LINES, 0) : place + 1]):
                return True
        elif (
            one[2] < other[0] and one[2] - one[0] > least and other[2] - other[0] > least and _side_by_side(one, other)
        ):
            ends.append((one[2], other[0]))
    if jumps > _JUMPS and jumps * 3 > len(runs):
        return True
    return len(ends) >= _LEAST_LINES and any(
        sum(left <= place < right for left, right in ends) >= _LEAST_LINES for place, _ in ends
    )


def _ends_in_notes(runs: Sequence[_Box]) -> bool:
    """Whether the last lines of a column are parted from those above by a blank."""
    steps = [one[3] - other[3] for one, other in pairwise(runs)]
    steps = [step for step in steps if step > 1]
    return len(steps) >= _LEAST_LINES and max(steps) > 1.35 * median(steps)


def _runs(boxes: Sequence[_Box]) -> Iterator[_Box]:
    """Stretches of text of one line, put together from neighbouring ones."""
    if not boxes:
        return
    left, bottom, right, top = boxes[0]
    for box in boxes[1:]:
        if box[1] < top and bottom < box[3] and -_WIDE_GAP < box[0] - right < _WIDE_GAP:
            right = box[2]
            bottom, top = min(bottom, box[1]), max(top, box[3])
        else:
            yield left, bottom, right, top
            left, bottom, right, top = box
    yield left, bottom, right, top


def _side_by_side(one: _Box, other: _Box) -> bool:
    common = min(one[3], other[3]) - max(one[1], other[1])
    return common > 0.4 * min(one[3] - one[1], other[3] - other[1])


@dataclass(frozen=True, slots=True)
class _Line:
    """A stretch of text of one line and one column."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def box(self) -> _Box:
        return self.left, self.bottom, self.right, self.top

    @property
    def height(self) -> float:
        return self.top - self.bottom


def in_reading_order(letters: Sequence[Letter], width: float) -> str:
    r"""The text of the letters, line by line, each ended by \r\n as in PDFium's text."""
    lines = _lines(letters)
    if _drawn_up_and_down(lines):
        lines = sorted(lines, key=lambda line: (-round(line.bottom), line.left))
    gutters = _gutters(lines, width)
    if gutters:
        return _joined(_by_columns(lines, gutters))
    return _with_rows(lines)


def _lines(letters: Sequence[Letter]) -> list[_Line]:
    """Stretches of letters, cut at line ends and at wide gaps."""
    lines: list[_Line] = []
    run: list[Letter] = []
    for letter in letters:
        if letter.sign in "\r\n":
            lines.extend(_as_line(run))
            run = []
            continue
        last = next((one for one in reversed(run) if one.right > one.left), None)
        if last is not None and letter.right > letter.left and _is_apart(last, letter):
            lines.extend(_as_line(run))
            run = []
        run.append(letter)
    lines.extend(_as_line(run))
    return lines


def _is_apart(last: Letter, letter: Letter) -> bool:
    gap = max(letter.left - last.right, last.left - letter.right)
    return gap > max(_WIDE_GAP, 1.2 * max(last.top - last.bottom, letter.top - letter.bottom))


def _as_line(run: Sequence[Letter]) -> list[_Line]:
    text = "".join(letter.sign for letter in run).strip(" ")
    placed = [letter for letter in run if letter.right > letter.left and letter.top > letter.bottom]
    if not text.strip() or not placed:
        return []
    return [
        _Line(
            text,
            min(letter.left for letter in placed),
            min(letter.bottom for letter in placed),
            max(letter.right for letter in placed),
            max(letter.top for letter in placed),
        )
    ]


def _gutters(lines: Sequence[_Line], width: float) -> list[float]:
    """Where the page is parted from top to bottom: the middle of the blank between two columns of prose."""
    pairs = list(_pairs(lines)) if len(lines) <= _MOST_LINES else []
    found: list[float] = []
    while len(pairs) >= _LEAST_LINES:
        place, there = max(
            ((pair[0].right, [one for one in pairs if _parts(one, pair[0].right)]) for pair in pairs),
            key=lambda candidate: len(candidate[1]),
        )
        if len(there) >= _LEAST_LINES and _are_prose(there, width):
            found.append((place + min(right.left for _, right in there)) / 2)
        pairs = [pair for pair in pairs if pair not in there]
    return sorted(found)


def _pairs(lines: Sequence[_Line]) -> Iterator[tuple[_Line, _Line]]:
    """Each line with the next one to its right on the same height."""
    ordered = sorted(lines, key=lambda line: -line.top)
    for place, line in enumerate(ordered):
        near = ordered[max(place - _NEAR, 0) : place + _NEAR]
        right = [other for other in near if other.left > line.right and _side_by_side(line.box, other.box)]
        if right:
            yield line, min(right, key=lambda other: other.left)


def _parts(pair: tuple[_Line, _Line], place: float) -> bool:
    return pair[0].right <= place < pair[1].left


def _are_prose(pairs: Sequence[tuple[_Line, _Line]], width: float) -> bool:
    """Whether lines on both sides go on like sentences, and are no cells of a table."""
    sides = [[left.text for left, _ in pairs], [right.text for _, right in pairs]]
    wide = median(min(left.right - left.left, right.right - right.left) for left, right in pairs)
    if wide < _LEAST_WIDTH * width:
        return False
    for texts in sides:
        letters = sum(sign.isalpha() for text in texts for sign in text)
        signs = sum(not sign.isspace() for text in texts for sign in text)
        wordy = sum(len(text.split()) >= _LEAST_WORDS for text in texts)
        if letters < 0.6 * signs or (wordy * 2 < len(texts) and _has_case("".join(texts))):
            return False
    starts = [text[0] for texts in sides for text in texts if text[0].isalpha()]
    going_on = sum(not start.isupper() for start in starts)
    return going_on * 4 >= len(pairs) * 2


def _has_case(text: str) -> bool:
    return text.lower() != text.upper()


def _joined(columns: Sequence[Sequence[_Line]]) -> str:
    """Lines one below the other; a sentence that goes on in the next column goes on on the same line."""
    text = ""
    for column in columns:
        words = "\r\n".join(line.text for line in column)
        if text and words[:1].islower() and text[-1:] == "-":
            text = text[:-1] + words
        elif text and words:
            text += (" " if words[0].islower() and text[-1] not in ".!?:" else "\r\n") + words
        else:
            text += words
    return text


def _by_columns(lines: Sequence[_Line], gutters: Sequence[float]) -> list[Sequence[_Line]]:
    """Bands from top to bottom between lines that cross a gutter; in each, column after column; then the notes."""
    body, notes, head = _parted(sorted(lines, key=lambda line: (-line.top, line.left)))
    crossing = [line for line in body if any(line.left < gutter < line.right for gutter in gutters)]
    leftwards = sum(map(_is_hebrew_or_arabic, body)) * 2 > len(body)

    def place(line: _Line) -> tuple[int, bool, int]:
        above = sum(other.top >= line.top for other in crossing)
        column = sum(line.left > gutter for gutter in gutters)
        return above, line not in crossing, -column if leftwards else column

    kept = set(body)
    placed = sorted((line for line in lines if line in kept), key=place)
    texts: list[Sequence[_Line]] = [head]
    below: list[_Line] = []
    for _, column in groupby(placed, key=place):
        stretch = list(column)
        foot = _foot_of_column(stretch)
        texts.append(stretch[: len(stretch) - foot])
        below += stretch[len(stretch) - foot :]
    return [*texts, below, notes]


def _foot_of_column(column: Sequence[_Line]) -> int:
    """How many lines at the end of a column are footnotes of it."""
    foot = _cut(column[::-1], _pitch(column), lambda line: line.top)
    return foot if foot and _NOTE.match(column[len(column) - foot].text) else 0


def _is_hebrew_or_arabic(line: _Line) -> bool:
    return any("\u0590" <= sign <= "\u08ff" or "\ufb1d" <= sign <= "\ufefc" for sign in line.text)


def _parted(ordered: Sequence[_Line]) -> tuple[list[_Line], list[_Line], list[_Line]]:
    """Body, footnotes with footer, and header of lines from top to bottom, told by the blanks between them."""
    pitch = _pitch(ordered)
    foot = _cut(ordered[::-1], pitch, lambda line: line.top)
    if not _is_apart_from_body(ordered[len(ordered) - foot :], ordered):
        foot = 0
    body = list(ordered[: len(ordered) - foot])
    head = _cut(body, pitch, lambda line: -line.bottom)
    if not _is_apart_from_body(body[:head], ordered):
        head = 0
    return body[head:], list(ordered[len(ordered) - foot :]), body[:head]


def _is_apart_from_body(margin: Sequence[_Line], all_lines: Sequence[_Line]) -> bool:
    """Whether lines at an edge are a header, a footer or notes, and not the first or last paragraph."""
    if not margin:
        return False
    rows = 1 + sum(one.top - other.top > one.height / 2 for one, other in pairwise(margin))
    small = median(line.height for line in margin) < 0.92 * median(line.height for line in all_lines)
    return rows <= 2 or small or _NOTE.match(margin[0].text) is not None


def _pitch(ordered: Sequence[_Line]) -> float:
    steps = [one.top - two.top for one, two in pairwise(ordered) if one.top - two.top > 1]
    return median(steps) if steps else 12.0


def _cut(lines: Sequence[_Line], pitch: float, edge: Callable[[_Line], float]) -> int:
    """How many of the lines, from the edge of the page inwards, lie beyond the innermost wide blank near that edge.

    Only as many as a fifth of the page's lines, all in its outer quarter, are no body; the rest is.
    """
    if len(lines) < 2 * _LEAST_LINES:
        return 0
    places = [edge(line) for line in lines]
    reach = (places[-1] - places[0]) * 0.3
    cut = 0
    for count in range(1, len(lines) // 3 + 1):
        if abs(places[count - 1] - places[0]) > abs(reach):
            break
        gap = abs(places[count] - places[count - 1])
        if gap > 1.8 * pitch or (gap > 1.25 * pitch and _all_notes(lines[:count])):
            cut = count
    return cut


def _all_notes(lines: Sequence[_Line]) -> bool:
    return _NOTE.match(lines[-1].text) is not None


def _drawn_up_and_down(lines: Sequence[_Line]) -> bool:
    jumps = sum(other.bottom > one.top and other.left < one.right for one, other in pairwise(lines))
    return jumps > _JUMPS and jumps * 3 > len(lines)


def _with_rows(lines: Sequence[_Line]) -> str:
    """Lines one below the other; those side by side, as in a table, on one."""
    text = ""
    before: _Line | None = None
    for line in lines:
        if before is not None:
            text += " " if _side_by_side(before.box, line.box) else "\r\n"
        text += line.text
        before = line
    return text

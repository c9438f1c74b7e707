"""Which stretches of a mail's message are what it quotes or forwards, and not what it says itself.

Recognised are lines that begin with ">", what a web page marks as cited, and all that follows a line such as
"-----Original Message-----", "Am 17.05.2021 schrieb ...:" or a block of headers ("Von: ... Gesendet: ... An: ...").
Where in doubt a stretch is the mail's own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from r3con_core.readers.mail_history_words import ATTRIBUTION, DIVIDER, FROM_LABEL, NAMED, OTHER_LABELS

_LONGEST = 500
"""Characters of a line that can begin quoted history."""
_LOOK_AHEAD = 9
"""Lines in which a block of headers shows that it is one."""

_WHEN_OR_WHO = re.compile(r"\d{1,2}[:.h]\d\d|[\w.+-]{1,64}@[\w-]{1,63}")
_NOTES_DATE = re.compile(r"[ \t]*\d{1,2}/\d{1,2}/(?:\d\d|\d{4})[ \t]+\d{1,2}:\d\d(?::\d\d)?(?:[ \t]?[AP]M)?[ \t]*")
_DEPTH = re.compile(r"[ \t]{0,3}(?:>[ \t]?)*")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    bare: str
    """Without the signs of quoting before it; empty when it is blank or too long to begin anything."""
    quoted: bool


def history_spans(text: str, cited: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Where quoted history stands in a message, in order: one stretch for each mail that is quoted in a row.

    `cited` is where a web page says that it cites; its stretches are taken as they are.
    """
    lines = _lines(text, cited)
    opened = _openings(lines)
    for number in opened:
        if _takes_the_rest(lines, number):
            lines[number:] = [_Line(line.start, line.end, line.bare, quoted=True) for line in lines[number:]]
            break
    marked = _with_attributions(lines, opened)
    return tuple(_stretches(lines, marked, frozenset(opened.values())))


def _lines(text: str, cited: Sequence[tuple[int, int]]) -> list[_Line]:
    lines = []
    at = 0
    waiting = iter((*cited, (len(text) + 1, len(text) + 1)))
    begin, stop = next(waiting)
    for raw in text.split("\n"):
        end = at + len(raw)
        while stop <= at:
            begin, stop = next(waiting)
        depth = _DEPTH.match(raw)
        arrows = depth is not None and ">" in depth[0] and not raw.startswith(">From ")
        bare = raw[depth.end() if depth and arrows else 0 :].strip() if len(raw) <= _LONGEST else ""
        lines.append(_Line(at, end, bare, quoted=arrows or begin <= at < stop))
        at = end + 1
    return lines


def _openings(lines: Sequence[_Line]) -> dict[int, int]:
    """Lines that open quoted history -> the line at which it begins, which may be up to two lines before."""
    opened: dict[int, int] = {}
    for number, line in enumerate(lines):
        if not line.bare:
            continue
        if DIVIDER.fullmatch(line.bare) or _is_header_block(lines, number):
            opened[number] = _divider_before(lines, number)
        elif line.bare.endswith((":", "\uff1a")) and (begin := _attribution(lines, number)) is not None:
            opened[number] = begin
        elif _NOTES_DATE.fullmatch(line.bare) and _next_is(lines, number, OTHER_LABELS[1]):
            opened[number] = max(number - 1, 0)
    return dict(sorted((begin, begin) for begin in opened.values()))


def _divider_before(lines: Sequence[_Line], number: int) -> int:
    """The line of the divider that a block of headers follows, or the line itself."""
    before = number - 1
    while before > 0 and number - before <= 2 and not lines[before].bare:
        before -= 1
    return before if before >= 0 and DIVIDER.fullmatch(lines[before].bare) else number


def _is_header_block(lines: Sequence[_Line], number: int) -> bool:
    if not FROM_LABEL.match(lines[number].bare):
        return False
    after = [line.bare for line in lines[number + 1 : number + 1 + _LOOK_AHEAD] if line.bare]
    return sum(any(label.match(line) for line in after) for label in OTHER_LABELS) >= 2


def _next_is(lines: Sequence[_Line], number: int, label: re.Pattern[str]) -> bool:
    after = next((line.bare for line in lines[number + 1 : number + 4] if line.bare), "")
    return label.match(after) is not None


def _attribution(lines: Sequence[_Line], number: int) -> int | None:
    """Where "On ... wrote:", which may be broken into three lines, begins; None when the line ends no such thing."""
    joined = ""
    for begin in range(number, max(number - 3, -1), -1):
        if not lines[begin].bare:
            return None
        joined = f"{lines[begin].bare} {joined}".strip()
        if ATTRIBUTION.fullmatch(joined) and _WHEN_OR_WHO.search(joined):
            return begin
    return None


def _takes_the_rest(lines: Sequence[_Line], number: int) -> bool:
    """Whether all that follows an opening is history: not so where arrows or the page itself mark how far it goes."""
    if lines[number].quoted:
        return False
    if _is_header_block(lines, number):
        return True
    after = [line for line in lines[number + 1 : number + 6] if line.end > line.start]
    return bool(after) and not any(line.quoted for line in after)


def _with_attributions(lines: Sequence[_Line], opened: dict[int, int]) -> list[bool]:
    """Whether each line is history: with the blank lines inside it, and the lines that say whose words follow."""
    marked = [line.quoted for line in lines]
    inside = [number for number, quoted in enumerate(marked) if quoted]
    for before, after in pairwise(inside):
        if 1 < after - before <= 3 and not any(lines[number].bare for number in range(before + 1, after)):
            marked[before + 1 : after] = [True] * (after - before - 1)
    for number in [number for number in inside if not marked[number - 1]] if inside else []:
        begin = _leading_in(lines, number, opened)
        marked[begin:number] = [True] * (number - begin)
    return marked


def _leading_in(lines: Sequence[_Line], number: int, opened: dict[int, int]) -> int:
    """Where the words that lead to the quotation at line `number` begin; that line itself when there are none."""
    for begin in range(number - 1, max(number - 6, -1), -1):
        if begin in opened:
            return begin
    before = number - 1
    while before >= 0 and number - before <= 2 and not lines[before].bare:
        before -= 1
    return before if before >= 0 and NAMED.fullmatch(lines[before].bare) else number


def _stretches(lines: Sequence[_Line], marked: Sequence[bool], openings: frozenset[int]) -> Iterator[tuple[int, int]]:
    begin: int | None = None
    last = 0
    for number, line in enumerate(lines):
        if begin is not None and (not marked[number] or number in openings):
            if lines[last].end > lines[begin].start:
                yield lines[begin].start, lines[last].end
            begin = None
        if marked[number] and line.end > line.start:
            begin = number if begin is None else begin
            last = number
    if begin is not None and lines[last].end > lines[begin].start:
        yield lines[begin].start, lines[last].end


_OPEN_CITED, _OPEN, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_MARKS = f"[{_OPEN_CITED}{_OPEN}{_CLOSE}]"
_QUOTES = re.compile(r"<(/?)blockquote\b([^<>]{0,2000})>", re.IGNORECASE)
_CITES = re.compile(r"type\s*=\s*[\"']?cite|(?:gmail|protonmail|yahoo|zmail|moz)_?-?(?:quote|cite)", re.IGNORECASE)


def mark_cited(markup: str) -> str:
    """A web page with marks where it begins and ends to cite, which stay in its text until `take_marks` finds them."""

    def marked(tag: re.Match[str]) -> str:
        if tag[1]:
            return f"{_CLOSE}{tag[0]}"
        return f"{tag[0]}{_OPEN_CITED if _CITES.search(tag[2]) else _OPEN}"

    return _QUOTES.sub(marked, without_marks(markup))


def without_marks(text: str) -> str:
    """`text` without any such marks."""
    return text.translate({ord(mark): None for mark in (_OPEN_CITED, _OPEN, _CLOSE)})


def take_marks(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of a marked page without the marks, and where it cites."""
    text = re.sub(rf"(?m)^({_MARKS}+)\n", r"\1", text)  # a line of marks alone was no line
    text = re.sub(rf"\n({_MARKS}+)\Z", r"\1", text)
    pieces = re.split(f"({_MARKS})", text)
    spans: list[tuple[int, int]] = []
    open_quotes: list[bool] = []
    at = 0
    for piece in pieces:
        if piece in (_OPEN_CITED, _OPEN):
            open_quotes.append(piece == _OPEN_CITED)
        elif piece == _CLOSE:
            open_quotes[-1:] = []
        elif piece:
            if True in open_quotes:
                spans.append((at, at + len(piece)))
            at += len(piece)
    return without_marks(text), tuple(spans)

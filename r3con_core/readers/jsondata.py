"""JSON and JSON Lines become documents that read like an outline, each value as it is in the file.

Strings stand without quotes and escapes and numbers digit for digit, so that a quoted value is found again.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from r3con_core.documents import Document, Unit, make_document
from r3con_core.readers.cutting import Cutting, Row
from r3con_core.readers.encodings import Encoding, decode, find_encoding, text_blocks
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.text import (
    MAX_UNITS,
    Block,
    clean,
    decoding_warnings,
    encoding_warnings,
    file_name,
    join_blocks,
    join_numbered,
)

_MOSTLY = 0.5
"""Share of lines that must be JSON for a file that is not one value to count as JSON Lines."""
_LOOKED_AT = 200
"""Lines looked at to see whether a file is JSON Lines."""
_MAX_WHOLE = 32 * 2**20
"""Bytes of one value that is taken into memory, where it needs about ten times as much."""
_LONGEST_LINE = 16 * 2**20
"""Characters of a line, or of an item of a long list, that is still taken apart."""
_DEEPEST_INDENT = 20
_SIGN = 20_000
"""Lines between two signs of life."""
_NOT_VALID = "This is not valid JSON, or nested too deeply to follow; it stands as it is."


_BETWEEN = re.compile(r"[ \n\t,]*")


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, because a dict would drop the first of two equal keys."""


_Shown = tuple[str, tuple[Unit, ...]]
_Found = Document | Progress


def read_json(file: File) -> Iterator[_Found]:
    """A JSON file as one document: a unit for each item of the outermost array, or each key of the outermost object.

    A file of more than 32 MB is read item by item, when it is one long array, and may be several documents.
    """
    if file.content.size > _MAX_WHOLE:
        yield from _large(file)
        return
    decoded = decode(file.data())
    raw = clean(decoded.text)
    shown = _as_value(raw)
    if shown is None:
        encoding = Encoding(
            name=decoded.encoding, guessed=decoded.guessed, declared=decoded.declared, lossy=bool(decoded.lost)
        )
        yield from _lines(file, encoding)
        return
    text, units = shown
    title = file_name(file.source)
    yield make_document(title=title, text=text, source=file.source, units=units, warnings=encoding_warnings(decoded))


def read_json_lines(file: File) -> Iterator[_Found]:
    """A JSON Lines file with a unit for each line; a line that is not JSON stands as it is.

    A file of more than 20,000 lines is several documents.
    """
    encoding = find_encoding(file.content)
    if not _are_mostly_json(file, encoding) and file.content.size <= _MAX_WHOLE:
        shown = _as_value(clean(decode(file.data()).text))
        if shown is not None:
            yield from read_json(file)
            return
    yield from _lines(file, encoding)


def _as_value(raw: str) -> _Shown | None:
    try:
        value = _load(raw)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, _Object) and len(value) <= MAX_UNITS:
        return join_blocks(
            Block(kind="field", label=key, text="\n".join(_outline(_Object([(key, held)])))) for key, held in value
        )
    items = value if isinstance(value, list) and not isinstance(value, _Object) else [value]
    return join_numbered("item", ["\n".join(_item(item)) for item in items])


def _are_mostly_json(file: File, encoding: Encoding) -> bool:
    """Whether at least half of the first lines are JSON."""
    seen = good = 0
    for line in _split(text_blocks(file.content, encoding)):
        if line.strip():
            seen += 1
            good += _shown_line(line) is not None
        if seen >= _LOOKED_AT:
            break
    return good > 0 and good >= seen * _MOSTLY


def _lines(file: File, encoding: Encoding) -> Iterator[_Found]:
    """The lines of a file, those that are JSON as outlines when most are, and all as they are otherwise."""
    count = _Count(encoding, are_json=_are_mostly_json(file, encoding))
    cutting = Cutting(file, what="line", told=count.warnings)
    for number, line in enumerate(filter(str.strip, _split(count.blocks(file))), 1):
        shown = _shown_line(line) if count.are_json else None
        block = Block(kind="line", label=str(number), text=line if shown is None else shown)
        full = cutting.add(Row(block=block, number=number))
        if full:
            yield full
        elif number % _SIGN == 0:
            yield Progress(done=number, total=0, what="line")
        count.add(is_valid=shown is not None)
    yield cutting.finish()


class _Count:
    """How many lines of the document that is being written are JSON."""

    def __init__(self, encoding: Encoding, *, are_json: bool) -> None:
        self.are_json = are_json
        self._encoding = encoding
        self._valid = self._all = self._lost = 0

    def blocks(self, file: File) -> Iterator[str]:
        """The text of a file; what could not be decoded is counted."""
        for block in text_blocks(file.content, self._encoding):
            self._lost += block.count("\ufffd") if self._encoding.lossy else 0
            yield block

    def add(self, *, is_valid: bool) -> None:
        """Count a line."""
        self._all += 1
        self._valid += is_valid

    def warnings(self) -> tuple[str, ...]:
        """What to tell of the lines since the last time."""
        valid, lines, self._valid, self._all = self._valid, self._all, 0, 0
        said = _NOT_VALID if not self.are_json else ""
        if self.are_json and valid < lines:
            said = f"{valid:,} of {lines:,} lines are valid JSON; the others stand as they are."
        return (*decoding_warnings(self._encoding, self._lost), *filter(None, (said,)))


def _split(blocks: Iterable[str]) -> Iterator[str]:
    """Lines without their ends; one without end is cut, so that it cannot fill the memory."""
    held = ""
    for block in blocks:
        lines = (held + block).split("\n")
        held = lines.pop()
        yield from lines
        if len(held) > _LONGEST_LINE:
            yield held
            held = ""
    if held:
        yield held


def _shown_line(line: str) -> str | None:
    """A line's value as an outline; None when it is not JSON."""
    try:
        return "\n".join(_item(_load(line)))
    except (ValueError, RecursionError):
        return None


def _large(file: File) -> Iterator[_Found]:
    """A long array item by item; anything else line by line."""
    encoding = find_encoding(file.content)
    items = _Items(encoding)
    cutting = Cutting(file, what="item", told=items.warnings)
    number = 0
    for number, item in enumerate(items.of(file), 1):
        text = item if isinstance(item, str) else "\n".join(_item(item[0]))
        full = cutting.add(Row(block=Block(kind="item", label=str(number), text=text), number=number))
        if full:
            yield full
        elif number % _SIGN == 0:
            yield Progress(done=number, total=0, what="item")
    if number:
        yield cutting.finish()
    else:
        yield from _lines(file, encoding)


class _Items:
    """The items of one long array, taken from the text as it comes."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_Object,
            parse_float=str,
            parse_int=str,
            parse_constant=str,
        )
        self._broken = False

    def warnings(self) -> tuple[str, ...]:
        """What to tell so far."""
        broken = ("The JSON is damaged; what follows the fault stands as it is.",) if self._broken else ()
        return (*decoding_warnings(self._encoding, 0), *broken)

    def of(self, file: File) -> Iterator[tuple[Any] | str]:
        """Each item as a tuple of one; after a fault the rest as it stands; nothing when the file is no array."""
        blocks = map(clean, text_blocks(file.content, self._encoding))
        held = next(blocks, "")
        at = len(held) - len(held.lstrip())
        if not held.startswith("[", at):
            return
        at += 1
        while True:
            at = _BETWEEN.match(held, at).end()  # type: ignore[union-attr] # it matches nothing too
            if held.startswith("]", at):
                return
            value, end = self._next(held, at)
            # A number may go on in the next block, so an item counts only when something follows it.
            if value is not None and end < len(held):
                yield value
                at = end
                continue
            held, at = held[at:], 0
            more = self._more(blocks, len(held)) if len(held) <= _LONGEST_LINE else ""
            if not more:
                self._broken = True
                yield from filter(str.strip, _split((held, *blocks)))
                return
            held += more

    def _next(self, held: str, at: int) -> tuple[tuple[Any] | None, int]:
        try:
            value, end = self._decoder.raw_decode(held, at)
        except (ValueError, RecursionError):
            return None, 0
        return (value,), end

    @staticmethod
    def _more(blocks: Iterator[str], wanted: int) -> str:
        """As much again as there is, so that trying again stays in proportion to the length."""
        pieces: list[str] = []
        size = 0
        while size <= wanted and (piece := next(blocks, "")):
            pieces.append(piece)
            size += len(piece)
        return "".join(pieces)


def _load(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_Object, parse_float=str, parse_int=str, parse_constant=str)


_Step = tuple[str, str, Any]
"""What stands before a value on its line, the indentation of the lines below it, and the value."""


def _item(value: Any) -> Iterator[str]:
    """An item of an array: its outline behind a dash."""
    return _written([("- ", "  ", value)])


def _outline(value: Sequence[Any]) -> Iterator[str]:
    return _written(_inside(value, "", ""))


def _written(steps: list[_Step]) -> Iterator[str]:
    """Lines of the values on a stack, so that nesting costs no recursion."""
    while steps:
        before, indent, value = steps.pop()
        if not _is_nested(value):
            yield f"{before}{_scalar(value)}"
        elif before.endswith("- "):
            steps += _inside(value, before, indent)
        else:
            yield before.rstrip()
            steps += _inside(value, indent, indent)


def _inside(value: Sequence[Any], first: str, indent: str) -> list[_Step]:
    """The steps within a value, last first; `first` stands before the first of them."""
    deeper = indent if len(indent) >= 2 * _DEEPEST_INDENT else indent + "  "
    befores = (first if place == 0 else indent for place in range(len(value)))
    if isinstance(value, _Object):
        steps = [(f"{before}{key}: ", deeper, held) for before, (key, held) in zip(befores, value, strict=True)]
    else:
        steps = [(f"{before}- ", deeper, held) for before, held in zip(befores, value, strict=True)]
    return steps[::-1]


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _scalar(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "null"
        case True:
            return "true"
        case False:
            return "false"
    return "{}" if isinstance(value, _Object) else "[]"

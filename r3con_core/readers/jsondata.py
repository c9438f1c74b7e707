"""JSON and JSON Lines become documents that read like an outline, each value as it is in the file.

Strings stand without quotes and escapes and numbers digit for digit, so that a quoted value is found again.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from r3con_core.documents import Document, Unit, make_document
from r3con_core.readers.encodings import decode
from r3con_core.readers.ledger import File
from r3con_core.readers.text import MAX_UNITS, Block, clean, encoding_warnings, file_name, join_blocks, join_numbered

_MOSTLY = 0.5
"""Share of lines that must be JSON for a file that is not one value to count as JSON Lines."""


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, because a dict would drop the first of two equal keys."""


_Shown = tuple[str, tuple[Unit, ...], tuple[str, ...]]
"""Text, units, warnings."""
_Way = Callable[[str], _Shown | None]


def read_json(file: File) -> Iterator[Document]:
    """A JSON file as one document: a unit for each item of the outermost array, or each key of the outermost object."""
    yield _document(file, ways=(_as_value, _as_lines))


def read_json_lines(file: File) -> Iterator[Document]:
    """A JSON Lines file as one document with a unit for each line; a line that is not JSON stands as it is."""
    yield _document(file, ways=(_as_lines, _as_value))


def _document(file: File, *, ways: Sequence[_Way]) -> Document:
    decoded = decode(file.data())
    raw = clean(decoded.text)
    text, units, warnings = next((shown for way in ways if (shown := way(raw))), None) or _as_it_is(raw)
    warnings = (*encoding_warnings(decoded), *warnings)
    return make_document(title=file_name(file.source), text=text, source=file.source, units=units, warnings=warnings)


def _as_value(raw: str) -> _Shown | None:
    try:
        value = _load(raw)
        if isinstance(value, _Object) and len(value) <= MAX_UNITS:
            blocks = [Block(kind="field", label=key, text="\n".join(_outline(_Object([(key, v)])))) for key, v in value]
            return (*join_blocks(blocks), ())
        items = value if isinstance(value, list) else [value]
        return (*join_numbered("item", ["\n".join(_item(item)) for item in items]), ())
    except (ValueError, RecursionError):
        return None


def _as_lines(raw: str) -> _Shown | None:
    lines = [line for line in raw.split("\n") if line.strip()]
    shown, broken = [], 0
    for line in lines:
        try:
            shown.append("\n".join(_item(_load(line))))
        except (ValueError, RecursionError):
            shown.append(line)
            broken += 1
    if broken > len(lines) * _MOSTLY:
        return None
    warning = f"{len(lines) - broken} of {len(lines)} lines are valid JSON; the others stand as they are."
    return (*join_numbered("line", shown), (warning,) if broken else ())


def _as_it_is(raw: str) -> _Shown:
    text, units = join_numbered("line", raw.split("\n"))
    return text, units, ("This is not valid JSON, or nested too deeply to follow; it stands as it is.",)


def _load(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_Object, parse_float=str, parse_int=str, parse_constant=str)


def _item(value: Any) -> Iterator[str]:
    """An item of an array: its outline behind a dash."""
    if not _is_nested(value):
        yield f"- {_scalar(value)}"
        return
    for number, line in enumerate(_outline(value)):
        yield f"{'  ' if number else '- '}{line}"


def _outline(value: Any) -> Iterator[str]:
    if not isinstance(value, _Object):
        for item in value:
            yield from _item(item)
        return
    for key, held in value:
        if not _is_nested(held):
            yield f"{key}: {_scalar(held)}"
            continue
        yield f"{key}:"
        for line in _outline(held):
            yield f"  {line}"


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

"""Rows of JSON lines, read one at a time: a file of many gigabytes takes the memory of its longest row."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from r3con_core.errors import CorpusError
from r3con_core.evaluation.tasks import EvaluationTask, Malformed
from r3con_core.exchange import whole_letters

Row = Mapping[str, Any]
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""May be half of a letter, which no store takes."""


class RowError(ValueError):
    """What is wrong with a row, in words."""


def read_rows(file: Path, make: Callable[[Row], EvaluationTask]) -> Iterator[EvaluationTask | Malformed]:
    """A task for each row, or what is wrong with it and in which line; empty lines are left out.

    A row with the id of an earlier one is malformed. CorpusError when the file cannot be read.
    """
    first: dict[str, int] = {}
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _task(number, line, make, first)
    except OSError as error:
        raise CorpusError(f"The file {str(file)!r} cannot be read: {error.strerror}. Check the path.") from error


def _task(
    number: int, line: bytes, make: Callable[[Row], EvaluationTask], first: dict[str, int]
) -> EvaluationTask | Malformed:
    """`first`: by id, the line that had it first."""
    try:
        task = make(_row(line))
    except RowError as error:
        return Malformed(line=number, why=str(error))
    if task.id in first:
        return Malformed(line=number, why=f"its 'id' is that of line {first[task.id]} already")
    first[task.id] = number
    return task


def _row(line: bytes) -> Row:
    """RowError where it is no JSON object."""
    try:
        row = json.loads(line)
        if _HALF.search(line):
            row = json.loads(whole_letters(json.dumps(row, ensure_ascii=False)))
    except json.JSONDecodeError as error:
        raise RowError(f"it is not valid JSON: {error.msg} at character {error.pos}") from error
    except UnicodeDecodeError as error:
        raise RowError("it is not text in UTF-8") from error
    except RecursionError as error:
        raise RowError("it is nested too deep") from error
    except ValueError as error:
        raise RowError("it holds a number with too many digits") from error
    if not isinstance(row, dict):
        raise RowError("it is not a JSON object")
    return row


def text_of(row: Row, name: str) -> str:
    """A field that must hold words or a number; RowError otherwise."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise RowError(f"its {name!r} is missing or is not text")
    return str(value).strip()


def answer_of(row: Row) -> str:
    """The right answer as text: a number or text as it is, lists and objects as JSON. RowError where there is none."""
    value = row.get("answer")
    if value is None or value in ([], {}) or (isinstance(value, str) and not value.strip()):
        raise RowError("its 'answer' is missing")
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

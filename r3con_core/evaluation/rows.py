"""Rows of JSON lines, read one at a time: a file of many gigabytes takes the memory of its longest row."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from r3con_core.errors import CorpusError
from r3con_core.evaluation.tasks import EvaluationTask, Malformed

Row = Mapping[str, Any]


class RowError(ValueError):
    """What is wrong with a row, in words."""


def read_rows(file: Path, make: Callable[[Row], EvaluationTask]) -> Iterator[EvaluationTask | Malformed]:
    """A task for each row, or what is wrong with it and in which line; empty lines are left out.

    CorpusError when the file cannot be read.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _task(number, line, make)
    except OSError as error:
        raise CorpusError(f"The file {str(file)!r} cannot be read: {error.strerror}. Check the path.") from error


def _task(number: int, line: bytes, make: Callable[[Row], EvaluationTask]) -> EvaluationTask | Malformed:
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            return Malformed(line=number, why="it is not a JSON object")
        return make(row)
    except json.JSONDecodeError as error:
        return Malformed(line=number, why=f"it is not valid JSON: {error.msg} at character {error.pos}")
    except UnicodeDecodeError:
        return Malformed(line=number, why="it is not text in UTF-8")
    except RecursionError:
        return Malformed(line=number, why="it is nested too deep")
    except RowError as error:
        return Malformed(line=number, why=str(error))


def text_of(row: Row, name: str) -> str:
    """A field that must hold words or a number; RowError otherwise."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise RowError(f"its {name!r} is missing or is not text")
    return str(value).strip()


def answer_of(row: Row) -> str:
    """The right answer as text: a number or text as it is, lists and objects as JSON. RowError where there is none."""
    value = row.get("answer")
    if value is None or value in ("", [], {}):
        raise RowError("its 'answer' is missing")
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

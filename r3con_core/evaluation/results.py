"""Results of an evaluation, one line of JSON for each task, method and model; the newest line of each counts."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from r3con_core.errors import CorpusError

Key = tuple[str, str, str]
"""Task, method, model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What came of one method on one task."""

    task: str
    method: str
    model: str
    labels: dict[str, str] = field(default_factory=dict)
    answer: str = ""
    gold: str = ""
    correct: bool | None = None
    """None where there is no verdict."""
    lenient: bool | None = None
    score: float | None = None
    reason: str = ""
    judge: str = ""
    cost: float | None = None
    """Of the method as if nothing had been kept from other runs; None where a price is not known."""
    paid: float | None = None
    """What was in fact spent on it, the judge included."""
    currency: str = ""
    embedding: str = ""
    """The model of vectors on a server, of methods that want vectors; empty: none, or the one on this computer."""
    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    input_tokens: int = 0
    """Of the task's documents."""
    context_tokens: int | None = None
    """Of R3Con's relevant context; None for other methods."""
    record_tokens: int | None = None
    """Of its records as compact JSON."""
    seconds: float = 0.0
    fault: str = ""
    """Why there is no answer or no verdict; such a line is tried again."""
    impossible: bool = False
    """The method cannot do this task, such as one that does not fit the window; counted as wrong."""

    @property
    def key(self) -> Key:
        """What it is of."""
        return self.task, self.method, self.model


_NAMES = frozenset(one.name for one in fields(Line))


def read_lines(file: Path) -> dict[Key, Line]:
    """The newest line of each; a last line that was cut off when the program was killed is left out.

    CorpusError when another line is none of ours.
    """
    if not file.exists():
        return {}
    told = file.read_bytes().split(b"\n")
    return {line.key: line for line in _lines(file, told)}


def _lines(file: Path, told: list[bytes]) -> Iterator[Line]:
    for number, text in enumerate(told, start=1):
        if not text.strip():
            continue
        found = _line(text)
        if found is not None:
            yield found
        elif number < len(told):
            raise CorpusError(f"Line {number} of {str(file)!r} is no result. Take it out, or choose another folder.")


def _line(text: bytes) -> Line | None:
    try:
        row: Any = json.loads(text)
        return Line(**{name: value for name, value in row.items() if name in _NAMES})
    except (ValueError, TypeError, AttributeError):
        return None


def add_line(file: Path, line: Line) -> None:
    """Append it, whole, after what a killed program may have left half."""
    text = json.dumps(asdict(line), ensure_ascii=False).encode("utf-8", "replace")
    if file.exists() and file.stat().st_size and not _ends_whole(file):
        _mend_end(file)
    with file.open("ab") as out:
        out.write(text + b"\n")


def _ends_whole(file: Path) -> bool:
    with file.open("rb") as told:
        told.seek(-1, os.SEEK_END)
        return told.read() == b"\n"


def _mend_end(file: Path) -> None:
    """End the last line where it is whole, such as after an edit by hand; else cut it off."""
    data = file.read_bytes()
    begin = data.rfind(b"\n") + 1
    file.write_bytes(data[:begin] if _line(data[begin:]) is None else data + b"\n")

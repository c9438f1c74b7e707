"""Numbers in few letters: lists of them as ranges, and documents by their number in a run."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from r3con_core.errors import StoreError
from r3con_core.store.project import Project

_RANGE = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?")
_RUNS_REMEMBERED = 8


def write_ranges(numbers: Iterable[int]) -> str:
    """Numbers in the order given, those that follow one another as first-last: "12-211,5". Empty for none."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def read_ranges(text: str) -> Iterator[tuple[int, int]]:
    """First and last of each range that `write_ranges` wrote; StoreError for anything else."""
    for written in text.split(",") if text else ():
        found = _RANGE.fullmatch(written)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if last < first:
            raise StoreError(f"This project names its rows by {written[:40]!r}, which is no range of numbers.")
        yield first, last


def count_ranges(text: str) -> int:
    """How many numbers there are in what `write_ranges` wrote, without giving each out."""
    return sum(last - first + 1 for first, last in read_ranges(text))


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same numbers in ranges that neither overlap nor touch, in order."""
    apart: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if apart and first <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(last, apart[-1][1])
        else:
            apart.append((first, last))
    return apart


def document_numbers(project: Project, run_id: str) -> Mapping[str, int]:
    """Document id -> its number from 1, in the order of the run, which is fixed when the run is made."""
    known = project.known.numbers.get(run_id)
    if known is None:
        (ids,) = project.db.execute("select document_ids from runs where id = ?", (run_id,)).fetchone()
        known = {document_id: number for number, document_id in enumerate(json.loads(ids), start=1)}
        if len(project.known.numbers) >= _RUNS_REMEMBERED:
            project.known.numbers.clear()
        project.known.numbers[run_id] = known
    return known


def write_documents(numbers: Mapping[str, int], document_ids: Iterable[str]) -> str:
    """Documents of a run as ranges of their numbers, in the order given."""
    return write_ranges(numbers[document_id] for document_id in document_ids)


def read_documents(document_ids: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The documents that `write_documents` wrote, of those of the run; StoreError when there are not so many."""
    found: list[str] = []
    for first, last in read_ranges(text):
        if not 1 <= first <= last <= len(document_ids) or len(found) > len(document_ids):
            raise StoreError(f"This project names document {last} of a run that has {len(document_ids)}.")
        found += document_ids[first - 1 : last]
    return tuple(found)

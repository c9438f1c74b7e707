"""Which documents a search looks at, and how those it found are spread."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is asked of a document beside its text; what is left empty is not asked."""

    media_types: tuple[str, ...] = ()
    since: str = ""
    """ISO 8601: a year, a month or a day, and from then on."""
    until: str = ""
    """ISO 8601: to the end of this year, month or day. Documents without a date are left out by both."""
    folder: str = ""
    """The path of a folder, an archive or a mail: what lies in it, at any depth."""
    languages: tuple[str, ...] = ()
    """ISO 639-1; "" stands for documents whose language is open."""
    held: bool | None = None
    """Held back from models, or not; None for both."""
    with_findings: bool = False


ALL = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many documents share a value."""

    value: str
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """How the documents found are spread, most first; years in order, "" for what is not known."""

    media_types: tuple[Count, ...] = ()
    languages: tuple[Count, ...] = ()
    folders: tuple[Count, ...] = ()
    """The folders one level below the one asked for, or below what all have in common; files in no folder are not told."""
    years: tuple[Count, ...] = ()


def filtered(db: sqlite3.Connection, filters: Filters) -> list[int]:
    """The numbers in the index of the documents that `filters` keeps, in the order of the project."""
    asked = _asked(filters)
    rows = db.execute(
        "select number from search_texts join documents on id = document_id "
        f"where {' and '.join(['1', *(condition for condition, _ in asked)])} order by position",
        [value for _, values in asked for value in values],
    )
    return [number for (number,) in rows]


def _asked(filters: Filters) -> list[tuple[str, tuple[object, ...]]]:
    """Conditions in SQL, each with its values."""
    folder = filters.folder.removesuffix("/")
    inside = "(substr(path, 1, length(?)) = ? or substr(path, 1, length(?)) = ?)"
    held = "held != ''" if filters.held else "held = ''"
    possible: tuple[tuple[bool, str, tuple[object, ...]], ...] = (
        (bool(filters.media_types), _ONE_OF.format("media_type"), (json.dumps(filters.media_types),)),
        (bool(filters.since), "date >= ?", (filters.since,)),
        (bool(filters.until), "substr(date, 1, length(?)) <= ?", (filters.until, filters.until)),
        (bool(folder), inside, (f"{folder}/", f"{folder}/", f"{folder} > ", f"{folder} > ")),
        (bool(filters.languages), _ONE_OF.format("language"), (json.dumps(filters.languages),)),
        (filters.held is not None, held, ()),
        (filters.with_findings, "findings != '[]'", ()),
    )
    return [(condition, values) for wanted, condition, values in possible if wanted]


_ONE_OF = "{} in (select value from json_each(?))"


def facets_of(db: sqlite3.Connection, numbers: Sequence[int], *, folder: str = "") -> Facets:
    """How the documents with these numbers are spread."""
    rows = db.execute(
        "select media_type, language, path, substr(coalesce(date, ''), 1, 4) as year from search_texts "
        "join documents on id = document_id where number in (select value from json_each(?))",
        (json.dumps(numbers),),
    ).fetchall()
    return Facets(
        media_types=_counts(row["media_type"] for row in rows),
        languages=_counts(row["language"] for row in rows),
        folders=_counts(_folders([row["path"] for row in rows], below=folder.removesuffix("/"))),
        years=tuple(sorted(_counts(row["year"] for row in rows), key=lambda count: count.value)),
    )


def _counts(values: Iterable[str]) -> tuple[Count, ...]:
    counted = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(value=value, documents=documents) for value, documents in counted)


def _folders(paths: Sequence[str], *, below: str) -> list[str]:
    """For each path that has one, the folder at the first level below `below` at which they differ."""
    above = [[path[: step.start()] for step in _STEP.finditer(path)] for path in paths]
    level = above[0].index(below) + 1 if above and below in above[0] else 0
    while above and all(len(one) > level + 1 for one in above) and len({one[level] for one in above}) == 1:
        level += 1
    return [one[level] for one in above if len(one) > level]


_STEP = re.compile(r"/| > ")

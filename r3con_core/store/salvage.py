"""What can still be read of a damaged project's file, as rows of our tables; nothing of it is believed unchecked.

A table's definition is taken from this program, never from the file: the file only says where each begins, and that is
believed where the definition beside it is one of ours, letter by letter. Rows whose way from there is lost are taken
from the leaves that nothing leads to, where they can be rows of one table only.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Set
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from r3con_core.store.migrations import MIGRATIONS, migrate
from r3con_core.store.pages import BrokenPageError, Cell, Found, Pages, Row, Walked
from r3con_core.store.shape import names, ours

_OWN_COLUMNS = 5
"""Of SQLite's own list of tables: type, name, table, first page, definition."""
_MISSING = object()
"""In place of a default: the row cannot do without the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column as this version has it."""

    name: str
    kind: str
    """integer, real, text or blob."""
    needed: bool
    default: object
    is_number: bool
    """It is the row's own number."""


Table = tuple[Column, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What could be read of one table."""

    rows: tuple[Row, ...]
    """With the row's number before the values of our columns."""
    broken: int
    """Places of it that could not be read; a page may have held many rows."""
    found: bool
    """Where it begins is known."""


@cache
def our_tables() -> Mapping[str, Table]:
    """Our tables by name, parents before their children; without those that SQLite's search makes for itself."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db)
        rows = db.execute("select name, sql from sqlite_master where type = 'table' order by rowid")
        names = [name for name, sql in rows if sql and not name.startswith("search_")]
        return {name: _columns(db, name) for name in names}


@cache
def _unnumbered() -> frozenset[str]:
    """Our tables whose rows have no number of their own; SQLite keeps these as it keeps an index."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db)
        return frozenset(row[1] for row in db.execute("pragma table_list") if row[4])


def unnumbered(table: str) -> bool:
    """Whether the rows of a table have no number of their own."""
    return table in _unnumbered()


def _columns(db: sqlite3.Connection, table: str) -> Table:
    stated = db.execute(f"pragma table_info({table})").fetchall()
    keys = sum(bool(key) for *_, key in stated)
    return tuple(
        Column(
            name=name,
            kind=kind.lower(),
            needed=bool(needed) or bool(key),
            default=_default(default, needed=bool(needed)),
            is_number=bool(key) and keys == 1 and kind.lower() == "integer",
        )
        for _, name, kind, needed, default, key in stated
    )


def _default(written: str | None, *, needed: bool) -> object:
    if written is None:
        return _MISSING if needed else None
    return written[1:-1] if written.startswith("'") else int(written)


@cache
def _definitions() -> frozenset[tuple[str, str]]:
    """Name and definition of our tables, as any version has made them."""
    every = frozenset[tuple[str, str, str, str]]().union(*(ours(count) for count in range(1, len(MIGRATIONS) + 1)))
    return frozenset((name, sql) for kind, name, _, sql in every if kind == "table")


class Salvage:
    """One way of reading a damaged file: with its journal, or without."""

    def __init__(self, path: Path, *, journal: bool) -> None:
        """Of the file at `path`; OSError where it cannot be read."""
        self.pages = Pages(path, journal=journal)
        walked = Walked()
        listed = _roots(found.row for found in self.pages.walk(1, walked))
        self._taken = walked.pages
        stray = _roots(found.row for found in self._stray(frozenset())) if walked.broken else {}
        self._roots = {**stray, **listed}
        self.tables = {name: self._read(name, columns) for name, columns in our_tables().items()}
        self._walk_others()
        self._add_strays()
        self.pages.close()

    @property
    def broken(self) -> int:
        """Places that could not be read, in all."""
        return sum(saved.broken + (not saved.found) for name, saved in self.tables.items() if name in self._expected())

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that had made the file what it was, as far as they can be read."""
        return tuple(str(row[1]) for row in self.tables["migrations"].rows)

    def _expected(self) -> frozenset[str]:
        """The tables that a file with these steps has; all of ours when they are not known."""
        made = ours(len(self.steps)) if self.steps and self.steps == names(len(self.steps)) else ours(len(MIGRATIONS))
        return frozenset(name for kind, name, _, _ in made if kind == "table")

    @property
    def rows(self) -> int:
        """Rows that could, in all."""
        return sum(len(saved.rows) for saved in self.tables.values())

    def _read(self, name: str, columns: Table) -> Saved:
        root = self._roots.get(name)
        if root is None:
            return Saved(rows=(), broken=0, found=False)
        walked = Walked(pages=self._taken)
        rows, bad = [], 0
        for found in self._walk(name, root, walked):
            row = fitted(found, columns)
            bad += row is None
            rows += [] if row is None else [row]
        return Saved(rows=tuple(rows), broken=walked.broken + bad, found=True)

    def _walk(self, name: str, root: int, walked: Walked) -> Iterator[Found]:
        if not unnumbered(name):
            return self.pages.walk(root, walked)
        return (
            Found(number=number, row=row) for number, row in enumerate(self.pages.walk_index(root, walked), start=1)
        )

    def _walk_others(self) -> None:
        """Go through the tables that are not rescued too, so that their leaves are not taken for strays."""
        for name in self._roots.keys() - our_tables().keys():
            for _ in self._walk(name, self._roots[name], Walked(pages=self._taken)):
                pass

    def _stray(self, free: Set[int]) -> Iterator[Found]:
        """The rows of leaves that nothing leads to, but for those that hold nothing any more."""
        for number in self.pages.leaves():
            if number not in self._taken and number not in free:
                try:
                    rows = list(self.pages.leaf(number, Walked(pages=set(self._taken)), (-(2**63), 2**63)))
                except BrokenPageError:
                    continue
                yield from rows

    def _add_strays(self) -> None:
        free = self.pages.free()
        if not self.broken or free is None:
            return  # what was deleted must not come back
        added: dict[str, dict[Cell, Row]] = {}
        for found in self._stray(free):
            fits = [
                (name, row)
                for name, columns in our_tables().items()
                if not unnumbered(name) and (row := fitted(found, columns, whole=True))
            ]
            if len(fits) == 1:
                name, row = fits[0]
                added.setdefault(name, {})[row[0]] = row
        for name, rows in added.items():
            saved = self.tables[name]
            known = {row[0] for row in saved.rows}
            more = (row for number, row in rows.items() if number not in known)
            merged = sorted((*saved.rows, *more), key=lambda row: int(row[0] or 0))
            self.tables[name] = Saved(rows=tuple(merged), broken=saved.broken, found=saved.found)


def _roots(rows: Iterator[Row]) -> dict[str, int]:
    """Where our tables begin, by SQLite's own list of them."""
    roots = {}
    for row in rows:
        if len(row) == _OWN_COLUMNS and row[0] == "table" and (row[1], row[4]) in _definitions():
            name, root = row[1], row[3]
            if isinstance(name, str) and isinstance(root, int) and root > 1:
                roots[name] = root
    return roots


def fitted(found: Found, columns: Table, *, whole: bool = False) -> Row | None:
    """The row as this version has it, its number first; None when a value is not what its column may hold.

    A row of an earlier version has fewer values, unless it must be `whole`.
    """
    told = found.row
    if len(told) > len(columns) or (whole and len(told) < len(columns)):
        return None
    values: list[Cell] = [found.number]
    for column, value in zip(columns, told, strict=False):
        if column.is_number:
            if value is not None:
                return None
            values.append(found.number)
        elif _may_hold(column, value):
            values.append(float(value) if column.kind == "real" and isinstance(value, int) else value)
        else:
            return None
    for column in columns[len(told) :]:
        default = column.default
        if not isinstance(default, str | int | None):
            return None
        values.append(default)
    return tuple(values)


def _may_hold(column: Column, value: Cell) -> bool:
    match column.kind:
        case _ if value is None:
            return not column.needed
        case "integer":
            return isinstance(value, int)
        case "real":
            return isinstance(value, int | float)
        case "text":
            return isinstance(value, str)
    return isinstance(value, str | bytes)

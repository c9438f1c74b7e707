"""Whether a project's file is one of ours, before anything in it is used: a project folder may come from a stranger."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.store.journals import acts_on, read_journal
from r3con_core.store.migrations import MIGRATIONS, migrate

Objects = frozenset[tuple[str, str, str, str]]
"""Type, name, table and definition of all that a file holds."""
PAGE = 4096
"""Bytes of a page in all files of ours; none are set aside at its end."""
PLACES = ("originals", "scratch")
"""Folders that a project makes for itself; its file is written beside them."""
OF_SQLITE = ("-wal", "-shm", "-journal")
"""How the names of files end that SQLite keeps beside a file."""
BROKEN = "broken"
"""How a file is called after its rescue, after its name and before a number."""
_NEWER = "was made by a newer version of R3Con Analyst. Update this one to open it."
_AS_IT_IS = "It was left as it is."
RESCUE = "r3con rescue FOLDER"


def check_file(path: Path) -> None:
    """StoreError unless there is a file that may be opened: a plain one, with something in it, and no links beside it.

    A link in a stranger's folder could make us write where it leads to.
    """
    check_links(path)
    if not path.stat().st_size:
        raise StoreError(f"{path} is empty: what it held is lost. Put a copy of it back, or save the rest: {RESCUE}")


def check_journal(path: Path) -> None:
    """StoreError when a journal beside a file would take back what was kept: one of another kind, or an older one.

    Also when a rescue was broken off: the newest of the file is not beside it any more.
    """
    if begun_rescue(path) is not None:
        raise StoreError(f"A rescue of {path} was broken off before its end. Begin it again: {RESCUE}")
    if acts_on(path, PAGE):
        raise StoreError(
            f"{path}-journal is not a journal of R3Con Analyst's, and would put old pages in the place of newer ones. "
            f"It was not opened. Save all with: {RESCUE}"
        )
    _check_age(path)


def check_no_journal(path: Path) -> None:
    """StoreError when a journal lies alone where a file is to be made: it may be the rest of another one."""
    if path.exists():
        return
    for end in OF_SQLITE:
        if path.with_name(f"{path.name}{end}").exists():
            raise StoreError(
                f"{path.parent} holds {path.name}{end}, of a project whose file is gone, so no project was made there. "
                "Put that file back, or choose another place."
            )


def begun_rescue(path: Path) -> Path | None:
    """The other name that a rescue has given a file before it was broken off; None where none was."""
    names = path.parent.glob(f"{path.name}.{BROKEN}-*")
    return next((name for name in names if not name.is_symlink() and name.samefile(path)), None)


def _check_age(path: Path) -> None:
    """Looked at only where no program has the file open, and none has left it open."""
    if path.with_name(f"{path.name}-shm").exists() or not path.with_name(f"{path.name}-wal").exists():
        return
    if read_journal(path, PAGE).is_stale(path.stat().st_size // PAGE):
        raise StoreError(
            f"{path}-wal is older than the project's file, so that opening both would lose what was kept since. "
            f"It was not opened. Save all with: {RESCUE}"
        )


def check_links(path: Path) -> None:
    """The same, but the file may be empty."""
    if path.is_symlink():
        raise StoreError(f"{path} is a link, not a project's file, so it was not opened. Open the folder it leads to.")
    if not path.exists():
        raise StoreError(f"There is no project in {path.parent}.")
    if not path.is_file():
        raise StoreError(f"{path} is not a file, so it is no project. {_AS_IT_IS}")
    beside = [path.with_name(f"{path.name}{end}") for end in OF_SQLITE]
    for other in (*beside, *(path.parent / name for name in PLACES)):
        if other.is_symlink():
            raise StoreError(f"{other} is a link, which no project has, so it was not opened. Remove the link first.")


def check_shape(db: sqlite3.Connection, path: Path) -> None:
    """StoreError unless the file holds our tables, as some version up to this one has made them, and nothing else."""
    steps = steps_of(db)
    if is_newer(steps):
        raise StoreError(f"{path} {_NEWER} {_AS_IT_IS}")
    found, made = objects(db), ours(len(steps)) if steps == names(len(steps)) else frozenset()
    if found == made:
        return
    raise StoreError(f"{path} {_oddest(found, made)} It was not opened. Make a clean copy with: {RESCUE}")


def _oddest(found: Objects, made: Objects) -> str:
    """What is wrong with it, in words: what acts comes first, then what is there, then what is not."""
    acting = sorted(one for one in found - made if one[0] in ("trigger", "view"))
    known = {(kind, name) for kind, name, _, _ in made}
    if acting:
        return f"holds the {acting[0][0]} {acting[0][1]!r}, which R3Con Analyst does not make and which may change what is kept."
    if missing := known - {(kind, name) for kind, name, _, _ in found}:
        kind, name = min(missing, key=lambda one: (one[0] != "table", one))
        return f"lacks the {kind} {name!r}."
    kind, name, _, _ = min(found - made)
    return f"holds the {kind} {name!r} otherwise than R3Con Analyst makes it."


def steps_of(db: sqlite3.Connection) -> tuple[str, ...]:
    """The steps that have made the file what it is, oldest first; none where it is not one of ours."""
    if not ours(0) <= objects(db):
        return ()
    return tuple(name for (name,) in db.execute("select name from migrations order by rowid"))


def names(count: int) -> tuple[str, ...]:
    """The names of our first so many steps."""
    return tuple(name for name, _ in MIGRATIONS[:count])


def is_newer(steps: tuple[str, ...]) -> bool:
    """Whether the file has had all our steps and others after them."""
    known = names(len(MIGRATIONS))
    return len(steps) > len(known) and steps[: len(known)] == known


@cache
def ours(count: int) -> Objects:
    """What our first so many steps make."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        migrate(made, MIGRATIONS[:count])
        return objects(made)


def objects(db: sqlite3.Connection) -> Objects:
    """All that the file holds but the figures that SQLite keeps for itself when it is told to."""
    rows = db.execute("select type, name, tbl_name, coalesce(sql, '') from sqlite_master")
    return frozenset((str(a), str(b), str(c), str(d)) for a, b, c, d in rows if not str(b).startswith("sqlite_stat"))

"""A project: a folder with its store, one SQLite file that a person can open and query."""

import os
import re
import sqlite3
import threading
import unicodedata
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.store.connection import connect, explained, keep_journal, may_write
from r3con_core.store.journals import NEWER, VERSIONS
from r3con_core.store.migrations import migrate
from r3con_core.store.shape import check_file, check_journal, check_no_journal, check_shape
from r3con_core.store.upgrading import bring_up_to_date

FILE = "project.sqlite"
_PRIVATE = 0o700
"""Of a new folder: other accounts of the computer read nothing in it."""


def now() -> str:
    """This moment, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


TextName = str | bytes
"""A text, or the digest of a long one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What this process knows of rows that never change, so that it need not read them again."""

    texts: dict[TextName, int] = field(default_factory=dict)
    """Number of each text that is kept."""
    numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    """Run -> document id -> its number in the run."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """One open project. Each thread gets its own connection; WAL lets them read while one writes."""

    folder: Path
    known: Known = field(default_factory=Known, repr=False, compare=False)
    _local: threading.local = field(default_factory=threading.local, repr=False, compare=False)
    _writing: AbstractContextManager[bool] = field(default_factory=threading.RLock, repr=False, compare=False)
    """Threads wait for one another here, not in SQLite, which tries again at longer and longer intervals."""

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.folder / FILE

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection, in autocommit; group changes with `change`."""
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = connect(self.path)
        return db

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is kept, or none."""
        with self._writing, explained(self.path):
            db = self.db
            db.execute("begin immediate")
            try:
                yield db
                db.execute("commit")
            except BaseException:
                if db.in_transaction:
                    db.execute("rollback")
                raise

    def settle(self) -> None:
        """Bring what was kept so far onto the disk itself, where a power failure cannot take it back."""
        self.db.execute("pragma wal_checkpoint(passive)")

    def close(self) -> None:
        """Close this thread's connection."""
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is not None:
            db.close()
            self._local.db = None

    @property
    def name(self) -> str:
        """What the analyst called it; its folder's name where that is not known."""
        row = self.db.execute("select name from project").fetchone()
        return str(row[0]) if row and row[0] else self.folder.name


def create_project(root: Path, name: str) -> Project:
    """A new project called `name` in its own folder below `root`; StoreError when the name is blank or taken."""
    slug = project_slug(name)
    if not slug:
        raise StoreError("A project needs a name with at least one letter or digit.")
    return create_project_in(root / slug, name)


def create_project_in(folder: Path, name: str) -> Project:
    """A new project called `name` in just this folder, which may hold other files; StoreError when it has a project.

    Its file is there whole or not at all, and of two programs that make one at once only one succeeds.
    """
    name = " ".join(name.split())
    taken = f"There is a project called {name!r} already. Open it, or choose another name."
    there = folder.exists()
    check_no_journal(folder / FILE)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
        put_new(folder / FILE, _blank(name))
    except OSError as error:
        if not there:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, FileExistsError):
            raise StoreError(taken) from error
        raise StoreError(f"No project can be made in {folder}: {error.strerror}. Choose another place.") from error
    return open_project(folder)


def put_new(file: Path, data: bytes) -> None:
    """Write a file that must not be there yet, in one step; FileExistsError when it is, OSError where it cannot be."""
    if file.exists() or file.is_symlink():
        raise FileExistsError(file)
    half = file.with_name(f".{file.name}-{uuid.uuid4().hex[:12]}")
    try:
        with half.open("xb") as writing:
            writing.write(data)
            writing.flush()
            os.fsync(writing.fileno())
        move_new(half, file)
    finally:
        half.unlink(missing_ok=True)


def move_new(half: Path, file: Path) -> None:
    """Give a file its name unless another has it (FileExistsError); some disks know no links and only look first."""
    try:
        os.link(half, file)
    except FileExistsError:
        raise
    except OSError:
        if file.exists():
            raise FileExistsError(file) from None
        half.rename(file)


def _blank(name: str) -> bytes:
    """The file of a project without documents."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.deserialize(_shaped())
        db.execute("update migrations set applied = datetime('now')")
        db.execute("insert into project values (?, ?)", (name, now()))
        data = bytearray(db.serialize())
    data[VERSIONS] = NEWER  # so that it is read and written with a journal beside it from the first time on
    return bytes(data)


def mark_as_journalled(file: Path) -> None:
    """The same for a file that is whole and closed, and was written without."""
    with file.open("r+b") as changing:
        changing.seek(VERSIONS.start)
        changing.write(NEWER)
        changing.flush()
        os.fsync(changing.fileno())


@cache
def _shaped() -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db)
        return db.serialize()


def open_project(folder: Path) -> Project:
    """The project in `folder`, brought to the current shape; StoreError when there is none, or none to be trusted.

    Refused are a file of a newer version and one that holds other things than ours, before anything of them is used.
    """
    project = Project(folder=folder)
    check_file(project.path)
    check_journal(project.path)
    try:
        with explained(project.path):
            check_shape(project.db, project.path)
            if may_write(project.path):
                keep_journal(project.db)
            bring_up_to_date(project.db, project.path)
    except StoreError:
        project.close()
        raise
    return project


def list_projects(root: Path) -> tuple[Project, ...]:
    """All projects below `root` that can be opened, by folder name."""
    return tuple(each for each in _each_below(root) if isinstance(each, Project))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenProject:
    """A project that cannot be opened."""

    folder: Path
    why: str


def broken_projects(root: Path) -> tuple[BrokenProject, ...]:
    """Those below `root` that cannot be opened, by folder name; one of them hides none of the others."""
    return tuple(each for each in _each_below(root) if isinstance(each, BrokenProject))


def _each_below(root: Path) -> Iterator[Project | BrokenProject]:
    for found in sorted(root.glob(f"*/{FILE}")):
        try:
            project = open_project(found.parent)
            _ = project.name  # it can be read, and is what lists show
            yield project
        except StoreError as error:
            yield BrokenProject(folder=found.parent, why=str(error))


def project_slug(name: str) -> str:
    """The folder name for a project: letters and digits of any script, hyphens for the rest, 60 characters at most."""
    letters = re.sub(r"[^\w]+", "-", unicodedata.normalize("NFKC", name).casefold().replace("_", "-"))
    return letters.strip("-")[:60].strip("-")

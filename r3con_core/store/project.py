"""A project: a folder with its store, one SQLite file that a person can open and query."""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.store.migrations import migrate

FILE = "project.sqlite"
_JOURNAL_BYTES = 4 << 20
"""What SQLite's journal shrinks to after it has grown larger."""


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
            db = self._local.db = _connect(self.path)
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

    def close(self) -> None:
        """Close this thread's connection."""
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is not None:
            db.close()
            self._local.db = None

    @property
    def name(self) -> str:
        """What the analyst called it."""
        return str(self.db.execute("select name from project").fetchone()[0])


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences a person can act on."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "full" in text:
            raise StoreError(f"The disk is full, so {path} could not be written. Make room, then resume.") from error
        if "readonly" in text:
            raise StoreError(f"{path} may not be written. Check the folder's permissions.") from error
        if "locked" in text:
            raise StoreError(f"{path} is held by another program. Close it there and try again.") from error
        raise StoreError(f"{path}: {text}. Check the disk and the folder's permissions.") from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        raise StoreError(f"{path} is not a readable project file ({error}). Restore it from a copy.") from error


def _connect(path: Path) -> sqlite3.Connection:
    with explained(path):
        db = sqlite3.connect(path, timeout=20, isolation_level=None)
        db.row_factory = sqlite3.Row
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.execute(f"pragma journal_size_limit = {_JOURNAL_BYTES}")
        db.execute("pragma foreign_keys = on")
    return db


def create_project(root: Path, name: str) -> Project:
    """A new project called `name` in its own folder below `root`; StoreError when the name is blank or taken."""
    slug = project_slug(name)
    if not slug:
        raise StoreError("A project needs a name with at least one letter or digit.")
    return create_project_in(root / slug, name)


def create_project_in(folder: Path, name: str) -> Project:
    """A new project called `name` in just this folder, which may hold other files; StoreError when it has a project."""
    name = " ".join(name.split())
    if (folder / FILE).exists():
        raise StoreError(f"There is a project called {name!r} already. Open it, or choose another name.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The folder {folder} cannot be made: {error.strerror}. Choose another place.") from error
    project = Project(folder=folder)
    with explained(project.path):
        migrate(project.db)
    with project.change() as db:
        db.execute("insert into project values (?, ?)", (name, now()))
    return project


def open_project(folder: Path) -> Project:
    """The project in `folder`, brought to the current shape; StoreError when there is none."""
    project = Project(folder=folder)
    if not project.path.exists():
        raise StoreError(f"There is no project in {folder}.")
    with explained(project.path):
        migrate(project.db)
    return project


def list_projects(root: Path) -> tuple[Project, ...]:
    """All projects below `root`, by folder name."""
    return tuple(open_project(found.parent) for found in sorted(root.glob(f"*/{FILE}")))


def project_slug(name: str) -> str:
    """The folder name for a project: letters and digits of any script, hyphens for the rest, 60 characters at most."""
    letters = re.sub(r"[^\w]+", "-", unicodedata.normalize("NFKC", name).casefold().replace("_", "-"))
    return letters.strip("-")[:60].strip("-")

"""A new file for a damaged project, with all that could be read of the old one, which is kept as it is beside it.

What has a hash is held against it: documents, and the pieces of prompts. Replies, records and the rest have none; of
these a row is kept where every value is what its column may hold.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from r3con_core.audit import Event
from r3con_core.documents import Source, make_document
from r3con_core.errors import StoreError
from r3con_core.processes import is_alive
from r3con_core.runs import RunState
from r3con_core.store.audit import note
from r3con_core.store.copies import close_for_copying
from r3con_core.store.liveness import shows_life
from r3con_core.store.numbering import read_ranges
from r3con_core.store.project import FILE, Project, create_project_in, mark_as_journalled, now, open_project
from r3con_core.store.salvage import Salvage, Saved, our_tables, unnumbered
from r3con_core.store.shape import BROKEN, OF_SQLITE, begun_rescue, check_links, is_newer

_MADE_ANEW = ("migrations", "asking", "project")
_HASHED = ("documents", "texts")
_JSON = {
    "documents": ("units", "warnings", "unread_pages", "findings"),
    "runs": ("document_ids", "settings", "endpoints"),
    "snippets": ("foreign_terms", "left_out"),
    "schemas": ("schema", "adjustments"),
    "records": ("field_values", "evidence", "unsupported"),
    "answers": ("sentences", "unknown_citations", "given"),
    "changes": ("change",),
    "imports": ("paths", "settings"),
}
_WORDS = {
    "documents": "documents",
    "ledger": "lines of the ledger",
    "runs": "runs",
    "calls": "replies of models",
    "texts": "pieces of prompts",
    "snippets": "snippets",
    "schemas": "versions of schemas",
    "records": "records",
    "steps": "steps of reasoning",
    "answers": "answers",
    "changes": "changes by people",
    "decisions": "decisions about documents",
}
"""What is told one by one; all else is told in sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescued:
    """What came of a rescue."""

    project: Project
    broken: Path
    """The old file as it is called now."""
    saved: Mapping[str, int]
    """Table -> rows that are in the new file."""
    lost: Mapping[str, int]
    """Table -> rows and places that could not be read or were not what they must be; a place may have held many rows."""
    prompts_lost: int
    """Replies that are kept while their prompts are not whole any more."""
    incomplete: Mapping[str, int]
    """Run -> documents of it that are not there any more."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for a person."""
        return tuple(_sentences(self))


def rescue(folder: Path) -> Rescued:
    """Put a new file in place of the damaged one in `folder`, with all that can be saved.

    The old one is kept, with its journal, under another name. StoreError, with everything left as it is, when nothing
    can be read, when it is of a newer version, when a process is at work on it, or when there is no room.
    """
    path = folder / FILE
    check_links(path)
    _check_room(path)
    try:
        if (begun := begun_rescue(path)) is not None:
            _move_journals(path, begun)
        salvage = _better(begun or path)
        _check_free(salvage, path)
        with tempfile.TemporaryDirectory(prefix=".rescue-", dir=folder) as place:
            made = create_project_in(Path(place), _name(salvage, folder))
            try:
                told = _fill(made, salvage)
                close_for_copying(made)
            finally:
                made.close()
            mark_as_journalled(made.path)
            broken = _swap(path, made.path, begun or _named_broken(path))
    except OSError as error:
        raise StoreError(f"{folder} could not be rescued: {error.strerror}. Check the disk and permissions.") from error
    saved, lost, prompts_lost = told
    project = open_project(folder)
    with project.change() as db:
        note(db, Event.RESCUED, kept_as=broken.name, lost=sum(lost.values()))
    return Rescued(
        project=project,
        broken=broken,
        saved=saved,
        lost=lost,
        prompts_lost=prompts_lost,
        incomplete=_incomplete(project),
    )


def _check_room(path: Path) -> None:
    needed, free = 2 * path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreError(
            f"A rescue makes a new file beside {path}: {(needed >> 20) + 1:,} MB must be free on its disk, and "
            f"{free >> 20:,} MB are. Make room, or copy the folder to another disk and rescue it there."
        )


def _better(path: Path) -> Salvage:
    """Read with the journal, and without it where that gives more: one of another time may lie beside the file."""
    whole = Salvage(path, journal=True)
    if not whole.broken or not path.with_name(f"{path.name}-wal").exists():
        return whole
    alone = Salvage(path, journal=False)
    return min(whole, alone, key=lambda each: (each.broken, -each.rows))


def _check_free(salvage: Salvage, path: Path) -> None:
    if is_newer(salvage.steps):
        raise StoreError(f"{path} was made by a newer version of R3Con Analyst. Update this one to rescue it.")
    if not salvage.rows:
        raise StoreError(f"Nothing can be read of {path}. It was left as it is; restore it from a copy.")
    for table in ("runs", "imports", "errands"):
        for row in _named(salvage, table):
            pid, beat = row["pid"], row["heartbeat"]
            if isinstance(pid, int) and isinstance(beat, float) and shows_life(beat) and is_alive(pid):
                raise StoreError(f"A process ({pid}) is at work on {path}. Stop it, or wait for its end, then rescue.")


def _named(salvage: Salvage, table: str) -> Iterator[dict[str, object]]:
    names = [column.name for column in our_tables()[table]]
    for row in salvage.tables[table].rows:
        yield dict(zip(names, row[1:], strict=True))


def _name(salvage: Salvage, folder: Path) -> str:
    """What the project is called; its folder's name where that is lost."""
    return next((str(row["name"]) for row in _named(salvage, "project")), folder.resolve().name)


def _fill(project: Project, salvage: Salvage) -> tuple[dict[str, int], dict[str, int], int]:
    saved: dict[str, int] = {}
    lost: dict[str, int] = {}
    with project.change() as db:
        for table, read in salvage.tables.items():
            if table not in _MADE_ANEW:
                saved[table], bad = _insert(db, table, read)
                lost[table] = bad + read.broken
        created = next((row["created"] for row in _named(salvage, "project")), now())
        db.execute("update project set created = ?", (created,))
        _come_to_rest(db)
        return saved, lost, _mend_prompts(db)


def _insert(db: sqlite3.Connection, table: str, read: Saved) -> tuple[int, int]:
    """Put the rows that are what they must be into a table; how many, and how many were not."""
    columns = our_tables()[table]
    names = ["rowid"] * (not any(column.is_number for column in columns) and not unnumbered(table)) + [
        column.name for column in columns
    ]
    into = f"insert into {table} ({', '.join(names)}) values ({', '.join('?' * len(names))})"
    kept = 0
    for row in read.rows:
        told = dict(zip([column.name for column in columns], row[1:], strict=True))
        if not _holds(table, told):
            continue
        try:
            db.execute(into, row[-len(names) :])
        except sqlite3.IntegrityError:
            continue  # what it belongs to is lost, or it is there twice
        kept += 1
    return kept, len(read.rows) - kept


def _holds(table: str, row: Mapping[str, object]) -> bool:
    """Whether a row is what its hashes say and has no value that no program of ours has written."""
    if table not in _HASHED and any(isinstance(value, str) and "\0" in value for value in row.values()):
        return False
    try:
        for name in _JSON.get(table, ()):
            json.loads(str(row[name]))
    except ValueError:
        return False
    if table == "documents":
        source = Source(path=str(row["path"]), sha256="", media_type="")
        return make_document(title="", text=str(row["text"]), source=source).id == row["id"]
    return table != "texts" or _digest(row["text"]) == row["digest"]


def _digest(kept: object) -> bytes:
    """Of a piece of a prompt as it is kept, packed or not."""
    try:
        text = zlib.decompress(kept) if isinstance(kept, bytes) else str(kept).encode("utf-8", "surrogatepass")
    except zlib.error:
        return b""
    return hashlib.blake2b(text, digest_size=16).digest()


def _come_to_rest(db: sqlite3.Connection) -> None:
    """Nothing is at work in the new file."""
    active = [state.value for state in RunState if state.active]
    db.execute("update runs set pid = null, heartbeat = null, stop = 0, note = ''")
    chosen = f"update runs set state = ? where state in ({', '.join('?' * len(active))})"
    db.execute(chosen, (RunState.INTERRUPTED.value, *active))
    db.execute("update imports set pid = null, heartbeat = null, stop = 0")
    db.execute("update imports set state = 'interrupted', ended = ? where state in ('queued', 'running')", (now(),))
    db.execute("update errands set pid = null, heartbeat = null, stop = 0")
    db.execute("update errands set state = 'failed', ended = ? where state in ('queued', 'working')", (now(),))


def _mend_prompts(db: sqlite3.Connection) -> int:
    """Let calls whose prompts are not whole any more have none, as their replies are still good; how many."""
    there = {number for (number,) in db.execute("select id from texts")}
    mended = 0
    for key, pieces, shape in db.execute("select key, pieces, shape from calls").fetchall():
        try:
            named = [range(a, b + 1) for said in pieces.split() for a, b in read_ranges(said.partition(":")[2])]
            named += [range(a, b + 1) for a, b in read_ranges(shape)] if shape and shape.isdecimal() else []
            if all(number in there for numbers in named for number in numbers):
                continue
        except (ValueError, StoreError):
            pass
        db.execute("update calls set pieces = '', shape = null where key = ?", (key,))
        mended += 1
    return mended


def _named_broken(path: Path) -> Path:
    """Give the old file a second name."""
    number = next(n for n in range(1, 10_000) if not path.with_name(f"{FILE}.{BROKEN}-{n}").exists())
    broken = path.with_name(f"{FILE}.{BROKEN}-{number}")
    try:
        os.link(path, broken)
    except OSError:
        shutil.copy2(path, broken)  # a disk that knows no links
    return broken


def _swap(path: Path, made: Path, broken: Path) -> Path:
    """Put the new file in the old one's place; the old one's new name. The old journal must never meet the new file."""
    _move_journals(path, broken)
    made.replace(path)
    return broken


def _move_journals(path: Path, broken: Path) -> None:
    for end in OF_SQLITE:
        beside = path.with_name(f"{FILE}{end}")
        if beside.exists():
            beside.replace(broken.with_name(f"{broken.name}{end}"))


def _incomplete(project: Project) -> dict[str, int]:
    there = {document_id for (document_id,) in project.db.execute("select id from documents")}
    runs = project.db.execute("select id, document_ids from runs order by rowid").fetchall()
    missing = {run_id: len(set(json.loads(ids)) - there) for run_id, ids in runs}
    return {run_id: count for run_id, count in missing.items() if count}


def _sentences(told: Rescued) -> Iterator[str]:
    for table, words in _WORDS.items():
        lost = told.lost.get(table, 0)
        if told.saved.get(table) or lost:
            yield f"{words.capitalize()}: {told.saved.get(table, 0):,} saved{_lost_words(lost)}."
    if other := sum(count for table, count in told.lost.items() if table not in _WORDS):
        yield f"All else that belongs to runs{_lost_words(other)}."
    if told.prompts_lost:
        yield f"Replies whose prompts are not whole, so that they cannot be verified: {told.prompts_lost:,}."
    for run_id, count in told.incomplete.items():
        yield f"{run_id} lacks {count:,} of its documents. Add them again, and it can be resumed."
    if not any(told.lost.values()):
        yield "Everything could be read."
    yield f"The old file is kept beside it as {told.broken.name}; delete it when you need it no longer."


def _lost_words(lost: int) -> str:
    return f"; {lost:,} rows, or pages of rows, could not be read" if lost else ""

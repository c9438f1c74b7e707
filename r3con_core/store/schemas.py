"""Schema versions as rows: the proposal, each edit, and which one was accepted."""

import json
import sqlite3
from dataclasses import dataclass

from r3con_core.audit import Event
from r3con_core.errors import StoreError
from r3con_core.schema.edits import SchemaEdit, edit_schema
from r3con_core.schema.history import SchemaChange, Step, change_between
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.store.audit import note
from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project, now
from r3con_core.store.records import carry_over
from r3con_core.store.runs import next_seq


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersion:
    """One state of a run's schema."""

    version: int
    """From 1."""
    schema: Schema
    author: Author
    reason: str
    """The model's for a proposal; what was done for an edit."""
    adjustments: tuple[str, ...]
    created: str
    edit: SchemaEdit | None = None
    """What made it of the version before; None for one that was put in place as a whole."""
    made_by: str = ""
    """The person, where it was one and the name is known."""


def save_schema(  # noqa: PLR0913 - the columns of one row, by name
    project: Project,
    run_id: str,
    schema: Schema,
    *,
    author: Author,
    reason: str,
    adjustments: tuple[str, ...] = (),
    edit: SchemaEdit | None = None,
    made_by: str = "",
) -> int:
    """Append a version; its number."""
    with project.change() as db:
        (version,) = db.execute(
            "select coalesce(max(version), 0) + 1 from schemas where run_id = ?", (run_id,)
        ).fetchone()
        db.execute(
            "insert into schemas (run_id, version, schema, author, reason, adjustments, edit, created, made_by)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                run_id,
                version,
                dump(schema, Schema),
                author.value,
                reason,
                json.dumps(adjustments, ensure_ascii=False),
                dump(edit, SchemaEdit) if edit is not None else None,
                now(),
                made_by,
            ),
        )
        next_seq(db, run_id)
        note(db, Event.SCHEMA_SAVED, made_by, run=run_id, version=version, by=author.value, why=reason)
    return int(version)


def schema_versions(project: Project, run_id: str) -> tuple[SchemaVersion, ...]:
    """All versions, oldest first."""
    rows = project.db.execute("select * from schemas where run_id = ? order by version", (run_id,))
    return tuple(_version(row) for row in rows)


def _version(row: sqlite3.Row) -> SchemaVersion:
    return SchemaVersion(
        version=row["version"],
        schema=load(row["schema"], Schema),
        author=Author(row["author"]),
        reason=row["reason"],
        adjustments=tuple(json.loads(row["adjustments"])),
        created=row["created"],
        edit=load(row["edit"], SchemaEdit) if row["edit"] else None,
        made_by=row["made_by"],
    )


def apply_edit(project: Project, run_id: str, edit: SchemaEdit, *, reason: str, made_by: str = "") -> Schema:
    """Edit the newest version and keep the result as the next; SchemaError when the edit is not valid."""
    schema = edit_schema(schema_versions(project, run_id)[-1].schema, edit)
    save_schema(project, run_id, schema, author=Author.HUMAN, reason=reason, edit=edit, made_by=made_by)
    return schema


def undo_edit(project: Project, run_id: str) -> bool:
    """Take back the newest edit; False when only the proposal is left, or the newest version is the accepted one."""
    with project.change() as db:
        (newest,) = db.execute("select coalesce(max(version), 0) from schemas where run_id = ?", (run_id,)).fetchone()
        if newest <= max(_accepted_version(db, run_id), 1):
            return False
        db.execute("delete from schemas where run_id = ? and version = ?", (run_id, newest))
        next_seq(db, run_id)
        note(db, Event.SCHEMA_UNDONE, run=run_id, version=newest)
        return True


def accepted_version(project: Project, run_id: str) -> int:
    """The number of the version that parsing uses, 0 before one is accepted."""
    return _accepted_version(project.db, run_id)


def _accepted_version(db: sqlite3.Connection, run_id: str) -> int:
    return int(db.execute("select coalesce(accepted_version, 0) from runs where id = ?", (run_id,)).fetchone()[0])


def accept_schema(project: Project, run_id: str) -> None:
    """Make the newest version the one that parsing uses, and carry all records over to it, at once."""
    with project.change() as db:
        before, steps = _accepted_version(db, run_id), _steps(db, run_id)
        if before and before != len(steps):
            carry_over(db, run_id, change_between(steps, before, len(steps)), len(steps))
        db.execute("update runs set seq = seq + 1, accepted_version = ? where id = ?", (len(steps) or None, run_id))
        note(db, Event.SCHEMA_ACCEPTED, run=run_id, version=len(steps))


def _steps(db: sqlite3.Connection, run_id: str) -> list[Step]:
    rows = db.execute("select schema, edit from schemas where run_id = ? order by version", (run_id,))
    return [(load(schema, Schema), load(edit, SchemaEdit) if edit else None) for schema, edit in rows]


def change_of(project: Project, run_id: str, before: int, after: int) -> SchemaChange:
    """What became of a run's schema from one version to another, both counted from 1."""
    return change_between(_steps(project.db, run_id), before, after)


def accepted_schema(project: Project, run_id: str) -> Schema | None:
    """The schema that parsing uses, or None before one is accepted."""
    row = project.db.execute(
        "select schemas.* from schemas join runs on runs.id = schemas.run_id"
        " and runs.accepted_version = schemas.version where runs.id = ?",
        (run_id,),
    ).fetchone()
    return _version(row).schema if row else None


def newest_schema(project: Project, run_id: str) -> Schema:
    """The newest version; StoreError before there is one."""
    versions = schema_versions(project, run_id)
    if not versions:
        raise StoreError("This run has no schema yet.")
    return versions[-1].schema

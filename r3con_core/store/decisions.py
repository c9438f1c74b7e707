"""What the analyst decided about documents: releases, findings made documents or left out. Rows are only added."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from r3con_core.audit import Event
from r3con_core.store.audit import note as note_act
from r3con_core.store.project import Project, now

HELD, RELEASED = "held back", "released"
INCLUDED, LEFT_OUT = "made a document", "left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision; the newest of a subject counts."""

    document_id: str
    subject: str
    """The document itself ("document"), or one of its findings ("finding 3", counted from 1)."""
    decision: str
    """HELD, RELEASED, INCLUDED or LEFT_OUT."""
    author: str
    note: str
    decided: str = ""
    """UTC, ISO 8601; set by the store."""


DOCUMENT = "document"


def finding_subject(index: int) -> str:
    """The subject of a decision about a document's finding, `index` from 0."""
    return f"finding {index + 1}"


def list_decisions(project: Project) -> tuple[Decision, ...]:
    """All of them, oldest first."""
    rows = project.db.execute(
        "select document_id, subject, decision, author, note, decided from decisions order by number"
    )
    return tuple(Decision(**dict(row)) for row in rows)


def released_ids(project: Project) -> frozenset[str]:
    """The documents whose newest decision is their release."""
    newest = {one.document_id: one.decision for one in list_decisions(project) if one.subject == DOCUMENT}
    return frozenset(document_id for document_id, decision in newest.items() if decision == RELEASED)


def add_decision(project: Project, decision: Decision) -> None:
    """Write down one decision."""
    with project.change() as db:
        db.execute(*_insert(decision))
        told = {"documents": [decision.document_id], "about": decision.subject, "decision": decision.decision}
        note_act(db, Event.DECIDED, decision.author, **told, why=decision.note)


def release_documents(project: Project, ids: Sequence[str], *, author: str, note: str) -> int:
    """Let models read these documents from now on; how many were held back before. Each release is a decision."""
    return _move(project, ids, Decision(document_id="", subject=DOCUMENT, decision=RELEASED, author=author, note=note))


def hold_documents(project: Project, ids: Sequence[str], *, author: str, note: str) -> int:
    """Keep these documents from every model in runs to come, `note` saying why; how many were not held before."""
    return _move(project, ids, Decision(document_id="", subject=DOCUMENT, decision=HELD, author=author, note=note))


def _move(project: Project, ids: Sequence[str], decision: Decision) -> int:
    with project.change() as db:
        moved = [each for each in ids if _move_one(db, replace(decision, document_id=each))]
        if moved:
            note_act(db, Event.DECIDED, decision.author, documents=moved, decision=decision.decision, why=decision.note)
        return len(moved)


def forget_held(db: sqlite3.Connection) -> None:
    """Have no document held back, as in a copy in which a run is made again."""
    db.execute("update documents set held = ''")


def _move_one(db: sqlite3.Connection, decision: Decision) -> bool:
    """Whether the document was in the other state; its ledger lines say what it is now, and keep its warnings."""
    holds = decision.decision == HELD
    held = (decision.note or "held back by hand") if holds else ""
    found = db.execute(
        f"update documents set held = ? where id = ? and held {'=' if holds else '!='} '' returning warnings",
        (held, decision.document_id),
    ).fetchone()
    if found is None:
        return False
    warnings = json.loads(found["warnings"])
    outcome = "held back" if holds else "read with warnings" if warnings else "read"
    said = f"{decision.decision} by {decision.author}" + (f": {decision.note}" if decision.note else "")
    db.execute(
        "update ledger set outcome = ?, reason = ? where document_id = ? and outcome in "
        "('read', 'read with warnings', 'held back')",
        (outcome, " ".join((f"{said}.", *warnings)) if warnings else said, decision.document_id),
    )
    db.execute(*_insert(decision))
    return True


def _insert(decision: Decision) -> tuple[str, tuple[str, ...]]:
    return (
        "insert into decisions (document_id, subject, decision, author, note, decided) values (?, ?, ?, ?, ?, ?)",
        (decision.document_id, decision.subject, decision.decision, decision.author, decision.note, now()),
    )

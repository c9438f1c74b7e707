"""Exports and the audit log: where the project keeps an audit log, what was saved is noted with its hash."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from r3con_core.audit import Act, Event
from r3con_core.store.audit import is_on, note
from r3con_core.store.project import Project


def noted(project: Project, run_id: str, form: str, data: bytes, *, author: str = "") -> bytes:
    """`data`, after noting that it was saved, as `form`."""
    if is_on(project.db):
        with project.change() as db:
            note(
                db,
                Event.EXPORTED,
                author,
                run=run_id,
                form=form,
                sha256=hashlib.sha256(data).hexdigest(),
                bytes=len(data),
            )
    return data


def lines_of(acts: Sequence[Act]) -> bytes:
    """Entries of the log as lines of JSON, ASCII only, so that nothing in them acts on a terminal."""
    return b"".join(json.dumps(asdict(act)).encode() + b"\n" for act in acts)

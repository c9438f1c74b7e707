"""The audit log as rows, which are only ever added: where it is switched on, an act and its entry are kept together.

It is on for a project where it was switched on, and for all where the environment says R3CON_AUDIT=1.
"""

import json
import os
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import UTC, datetime
from typing import Any

from r3con_core.audit import FIRST, OF_ALL_RUNS, Act, Anchor, Event, digest_of
from r3con_core.home import user

VARIABLE = "R3CON_AUDIT"
_SWITCH = "select event from audit where event in (?, ?) order by number desc limit 1"
_LAST = "select number, digest from audit order by number desc limit 1"


def is_on(db: sqlite3.Connection) -> bool:
    """Whether acts are written down."""
    if os.environ.get(VARIABLE) == "1":
        return True
    switched = db.execute(_SWITCH, (Event.ON.value, Event.OFF.value)).fetchone()
    return switched is not None and switched[0] == Event.ON.value


def note(db: sqlite3.Connection, event: Event, author: str = "", **detail: object) -> None:
    """Write an act down in the caller's transaction, where the log is on; without `author` it is the system's user."""
    if is_on(db):
        _write(db, event, author, detail)


def switch_on(db: sqlite3.Connection, author: str) -> None:
    """Write acts down from now on."""
    if not is_on(db):
        _write(db, Event.ON, author, {})


def switch_off(db: sqlite3.Connection, author: str) -> None:
    """Write no more acts down, after this one."""
    note(db, Event.OFF, author)


def _write(db: sqlite3.Connection, event: Event, author: str, detail: dict[str, object]) -> None:
    last = db.execute(_LAST).fetchone()
    if last is None:
        name, created = db.execute("select name, created from project").fetchone() or ("", "")
        last = _add(db, (0, FIRST), Event.BEGUN, author, {"project": name, "made": created})
    _add(db, (last[0], last[1]), event, author, detail)


def _add(
    db: sqlite3.Connection, last: tuple[int, str], event: Event, author: str, detail: dict[str, object]
) -> tuple[int, str]:
    told = json.dumps({**detail, "salt": secrets.token_hex(8)}, ensure_ascii=False, sort_keys=True)
    unsealed = Act(
        number=last[0] + 1,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        author=author or user(),
        event=event.value,
        detail=told.encode("utf-8", "replace").decode(),
        previous=last[1],
        digest="",
    )
    act = replace(unsealed, digest=digest_of(unsealed.number, unsealed.at, unsealed.body, unsealed.previous))
    _insert(db, act)
    return act.number, act.digest


def _insert(db: sqlite3.Connection, act: Act) -> None:
    db.execute("insert into main.audit values (?, ?, ?, ?, ?, ?, ?)", astuple(act))


def list_acts(db: sqlite3.Connection) -> tuple[Act, ...]:
    """All entries, in the order they lie in, which is that of their numbers."""
    rows = db.execute("select number, at, author, event, detail, previous, digest from audit order by number")
    return tuple(map(_act, rows))


def _act(row: Sequence[Any]) -> Act:
    """An entry as it is kept; what somebody put in the place of a text is told as one, and breaks the seal."""
    number, *told = row
    at, author, event, detail, previous, digest = map(str, told)
    return Act(number=number, at=at, author=author, event=event, detail=detail, previous=previous, digest=digest)


def anchor_of(db: sqlite3.Connection) -> Anchor | None:
    """What to note elsewhere; None of an empty log."""
    last = db.execute(_LAST).fetchone()
    return Anchor(count=last[0], digest=last[1]) if last else None


def copy_acts(db: sqlite3.Connection, run_id: str) -> None:
    """Copy the log of the attached store `source`, in the caller's transaction; what tells of other runs is withheld.

    Nothing is copied into a log that has entries of its own.
    """
    if db.execute("select 1 from main.audit").fetchone():
        return
    names = "number, at, author, event, detail, previous, digest"
    for row in db.execute(f"select {names} from source.audit order by number").fetchall():
        act = _act(row)
        whole = act.withheld or _is_of(act, run_id)
        _insert(db, act if whole else replace(act, author="", event="", detail=act.body))


def _is_of(act: Act, run_id: str) -> bool:
    if act.event in OF_ALL_RUNS:
        return True
    try:
        detail = json.loads(act.detail)
    except (ValueError, RecursionError):
        return False
    return isinstance(detail, dict) and detail.get("run") == run_id

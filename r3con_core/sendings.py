"""What was sent to whom: one sending for each try, without its text and without any key.

Sendings that belong to a run are rows of its project (`store.egress`); all others, such as tests of a connection, are
lines of one file in the home:

egress.jsonl    {"sent": "2026-11-30T19:00:00+00:00", "purpose": "test of the connection", ...}, mode 0600
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = "egress.jsonl"
UNKNOWN = ""
"""The outcome of a sending whose end nobody saw: its process ended first."""
TEST, LIST, PULL, BOOK = "test of the connection", "list of models", "getting a model", "getting a book"
"""Purposes that are no stage of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One request that went out, or tried to."""

    sent: str
    """UTC, ISO 8601 to the millisecond."""
    purpose: str
    """A stage of the run, or one of the other purposes."""
    host: str
    bytes_sent: int
    """Of the request's body."""
    bytes_received: int = 0
    """Of the reply's body."""
    outcome: str = UNKNOWN
    """In words of ours: "answered", "HTTP 429", "not reached", "broken off"."""
    run_id: str = ""
    call: str = ""
    """Key of the call it was a try of."""
    document_id: str = ""
    """The document whose text it held."""
    documents: tuple[str, ...] = ()
    """Ids of all documents of which it held anything: text, snippets or records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a sending ended."""

    outcome: str
    bytes_received: int = 0


ANSWERED = "answered"
End = Callable[[Ended], None]
"""Told once, when a sending has ended."""


def moment() -> str:
    """Now, UTC, ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def keep_at_home(home: Path, sending: Sending) -> None:
    """Add one line to the log of the home; where that cannot be written, nothing is: it holds back no work."""
    stated = {name: value for name, value in asdict(sending).items() if value or name == "bytes_received"}
    line = json.dumps(stated, ensure_ascii=True) + "\n"
    with suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(home / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="ascii") as file:
            file.write(line)


def begin_at_home(home: Path, purpose: str, host: str, bytes_sent: int = 0) -> End:
    """Begin a sending that belongs to no project; the line is written when it has ended."""
    begun = Sending(sent=moment(), purpose=purpose, host=host, bytes_sent=bytes_sent)

    def end(ended: Ended) -> None:
        keep_at_home(home, replace(begun, outcome=ended.outcome, bytes_received=ended.bytes_received))

    return end


def kept_at_home(home: Path) -> tuple[Sending, ...]:
    """The sendings of the home's log, oldest first; lines that are none are passed over."""
    try:
        lines = (home / FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return tuple(filter(None, map(_sending, lines)))


def _sending(line: str) -> Sending | None:
    with suppress(ValueError, TypeError):
        told: dict[str, Any] = json.loads(line)
        return Sending(**{**told, "documents": tuple(told.get("documents", ()))})
    return None

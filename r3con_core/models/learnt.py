"""What was learnt about endpoints, kept between runs in one file of the home; never a key.

endpoints.json    {"address model": {"on": "2026-11-30", "window": 8192, "dialect": {...}}}
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from r3con_core.home import write_whole
from r3con_core.models.endpoint import Endpoint
from r3con_core.models.wire import Dialect

FILE = "endpoints.json"
FRESH_DAYS = 14
"""After so many days nothing is taken for granted: servers are upgraded, and what they refused is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """How one endpoint and model want to be asked."""

    dialect: Dialect = field(default_factory=Dialect)
    window: int | None = None
    """Tokens it takes in at once, as a refusal or a test of the connection told; None where nothing did."""
    on: str = field(default="", compare=False)
    """The day it was kept, in ISO 8601; "" before that."""


def load_learnt(home: Path, endpoint: Endpoint, today: date | None = None) -> Learnt:
    """What is known of `endpoint`: nothing before it was asked, `FRESH_DAYS` after, or when the file is damaged."""
    from pydantic import TypeAdapter, ValidationError

    entry = _entries(home).get(_name(endpoint))
    try:
        on = date.fromisoformat(entry["on"]) if isinstance(entry, dict) else date.min
        if (today or _today()) - on > timedelta(days=FRESH_DAYS):
            return Learnt()
        learnt: Learnt = TypeAdapter(Learnt).validate_python(entry)
    except (KeyError, TypeError, ValueError, ValidationError):
        return Learnt()
    return learnt


_writing = threading.Lock()


def keep_learnt(home: Path, endpoint: Endpoint, learnt: Learnt, today: date | None = None) -> None:
    """Keep what is known of `endpoint`, instead of what was; where the home cannot be written, it is learnt again."""
    from pydantic import TypeAdapter

    told = TypeAdapter(Learnt).dump_python(learnt, mode="json")
    with suppress(OSError), _writing:
        _write(home, {**_entries(home), _name(endpoint): {**told, "on": (today or _today()).isoformat()}})


def forget_learnt(home: Path, endpoint: Endpoint) -> None:
    """Know nothing of `endpoint` any more, so that the next test or run finds it out anew."""
    with suppress(OSError), _writing:
        entries = _entries(home)
        if _name(endpoint) in entries:
            _write(home, {name: entry for name, entry in entries.items() if name != _name(endpoint)})


def _write(home: Path, entries: Mapping[str, Any]) -> None:
    write_whole(home / FILE, json.dumps(entries, indent=1, ensure_ascii=False))


def _entries(home: Path) -> Mapping[str, Any]:
    try:
        told = json.loads((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.base_url} {endpoint.model}"


def _today() -> date:
    return datetime.now(UTC).date()

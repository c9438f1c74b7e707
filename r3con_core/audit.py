"""The audit log: every act on a project as an entry, each sealed together with the one before it.

Who changes, takes out, puts in or moves an entry breaks the seal of it or of the next. Who makes the whole log anew from
some entry on, or cuts its end off, breaks none: that is told by an anchor, the count and the last seal, which somebody
has noted elsewhere.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

FIRST = "0" * 64
"""What stands before the first entry in place of a seal."""


class Event(StrEnum):
    """What was done."""

    BEGUN = "log begun"
    ON = "log switched on"
    OFF = "log switched off"
    IMPORT_BEGUN = "import begun"
    IMPORT_ENDED = "import ended"
    DOCUMENTS_ADDED = "documents added"
    DOCUMENTS_REMOVED = "documents removed"
    DECIDED = "decided about documents"
    NEVER_SENT = "list of what is never sent changed"
    RUN_MADE = "run made"
    RUN_STATE = "run is now"
    STOP_ASKED = "run asked to stop"
    SCHEMA_SAVED = "schema saved"
    SCHEMA_UNDONE = "schema edit taken back"
    SCHEMA_ACCEPTED = "schema accepted"
    CHANGED = "changed by a person"
    UNDONE = "change taken back"
    REDONE = "change put back"
    EXPORTED = "exported"
    OPENED = "opened from a bundle"
    RESCUED = "rescued"


OF_ALL_RUNS = frozenset((Event.BEGUN, Event.ON, Event.OFF, Event.OPENED, Event.RESCUED))
"""Told whole in every bundle; other entries only in that of their own run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One entry. In a bundle, those of other runs are withheld: author and event are "", detail is the hash of both."""

    number: int
    """From 1."""
    at: str
    """UTC, ISO 8601, by the clock of the computer it was done on."""
    author: str
    event: str
    detail: str
    """JSON; with a salt, so that a withheld entry cannot be guessed."""
    previous: str
    digest: str

    @property
    def withheld(self) -> bool:
        """Only its seal is here."""
        return not self.event

    @property
    def words(self) -> str:
        """The detail for a person, without the salt; empty when it is withheld."""
        try:
            told = json.loads(self.detail)
        except (ValueError, RecursionError):
            return "" if self.withheld else self.detail
        named = told.items() if isinstance(told, dict) else ()
        return "; ".join(
            f"{name.strip('_')}: {_said(value)}" for name, value in named if name != "salt" and value != ""
        )

    @property
    def body(self) -> str:
        """SHA-256 of who, what and the detail."""
        return self.detail if self.withheld else body_of(self.author, self.event, self.detail)


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def body_of(author: str, event: str, detail: str) -> str:
    """SHA-256 of an entry's own words."""
    return _hash({"author": author, "detail": detail, "event": event})


def digest_of(number: int, at: str, body: str, previous: str) -> str:
    """The seal of an entry: SHA-256 over all of it and the seal before it."""
    return _hash({"at": at, "body": body, "number": number, "previous": previous})


def _hash(told: dict[str, object]) -> str:
    said = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """How long the log was at some time, and its last seal then."""

    count: int
    digest: str

    def __str__(self) -> str:
        """As a person notes it."""
        return f"{self.count}:{self.digest}"


_ANCHOR = re.compile(r"([1-9][0-9]{0,11}):([0-9a-f]{64})")


def read_anchor(text: str) -> Anchor | None:
    """The anchor that was noted so; None when it is none."""
    found = _ANCHOR.fullmatch(text.strip())
    return Anchor(count=int(found[1]), digest=found[2]) if found else None


def faults_of_log(acts: Sequence[Act], anchor: Anchor | None = None) -> tuple[str, ...]:
    """What is wrong with a log, entry by entry, each as a sentence; empty when it is as it was written."""
    return (*_chain_faults(acts), *(_anchor_faults(acts, anchor) if anchor else ()))


def hidden_entries(acts: Sequence[Act]) -> tuple[str, ...]:
    """Which entries of a project's own log have lost their words; those that came with a bundle never had them here."""
    opened = max((at for at, act in enumerate(acts) if act.event == Event.OPENED), default=0)
    return tuple(f"Entry {act.number}: who did what was taken out." for act in acts[opened:] if act.withheld)


def withheld_words(acts: Sequence[Act]) -> str:
    """How many entries only have their seal here; empty when all are here."""
    withheld = sum(act.withheld for act in acts)
    return f"(Of {len(acts):,} entries {withheld:,} tell of other runs; only their seals are here.)" if withheld else ""


def _chain_faults(acts: Sequence[Act]) -> Iterator[str]:
    expected, previous = 1, FIRST
    for act in acts:
        if act.number > expected:
            missing = f"Entry {expected}" if act.number == expected + 1 else f"Entries {expected} to {act.number - 1}"
            yield f"{missing}: taken out."
        elif act.number < expected:
            yield f"Entry {act.number}: there twice, or out of its place."
        sealed = digest_of(act.number, act.at, act.body, act.previous) == act.digest
        if not sealed or (act.withheld and act.author):
            yield f"Entry {act.number}: changed after it was written."
        elif act.number == expected and act.previous != previous:
            yield f"Entry {act.number}: does not follow on the one before it, which was changed, put in or moved."
        expected, previous = act.number + 1, act.digest


def _anchor_faults(acts: Sequence[Act], anchor: Anchor) -> Iterator[str]:
    if len(acts) < anchor.count:
        yield f"The log has {len(acts):,} entries, and had {anchor.count:,} when the anchor was noted: its end was cut off."
    elif acts[anchor.count - 1].digest != anchor.digest:
        yield f"Entry {anchor.count:,} is not the one that was noted: the log was made anew, or the anchor is another's."

"""What people change of a run: values, kept in the order they were made. Nothing the model said is overwritten.

A change of a record holds the record as it was, so that it finds its record again when documents are parsed anew.
"""

from dataclasses import dataclass
from enum import StrEnum

from r3con_core.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSnippet:
    """The document's snippet of one round, in a person's words; "" says that it has nothing to say."""

    document_id: str
    round: int
    """From 1."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinSnippet:
    """The snippet of this round stays as it is in all later ones; its document is not read again."""

    document_id: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VetoSnippet:
    """The snippet of this round is shown to no other reader and to no later stage."""

    document_id: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludeDocument:
    """After this round (0: from the beginning) the document is neither read nor parsed, and nothing of it is shown."""

    document_id: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What every reader of one round is told by the analyst beside the task."""

    round: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRound:
    """One more round after all others."""

    only: tuple[str, ...] = ()
    """Ids of the documents that are read in it, the others keep their snippets; empty: every document is read."""


Steer = EditSnippet | PinSnippet | VetoSnippet | ExcludeDocument | Hint | AddRound


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectRecord:
    """A record says something else; `now` has the id, type and document of `of`."""

    of: Record
    now: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectRecord:
    """Nothing is concluded from the record."""

    of: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRecord:
    """A record that no model gave."""

    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRecords:
    """Several records tell of one thing: `now` counts for all, with the id, type and document of the first."""

    of: tuple[Record, ...]
    """At least two, of one type."""
    now: Record
    """With the quotes of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRecord:
    """One record tells of several things, each now a record of its own."""

    of: Record
    into: tuple[Record, ...]
    """At least two, of its type and document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeNames:
    """Several names of one thing: each of them is read as `name`, wherever the record type is named."""

    record_type: str
    names: tuple[str, ...]
    """As documents write them."""
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepApart:
    """Names that look alike and are different things; they are not proposed again."""

    record_type: str
    names: tuple[str, ...]


Correction = CorrectRecord | RejectRecord | AddRecord | MergeRecords | SplitRecord | MergeNames | KeepApart


class Verdict(StrEnum):
    """What a person found who looked at a document that was judged to have nothing to say."""

    NOTHING = "nothing missed"
    MISSED = "something was missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A person looked at a document that no record is of."""

    document_id: str
    verdict: Verdict


Change = Steer | Correction | Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change as it is kept."""

    number: int
    """Grows with every change of the project."""
    run_id: str
    change: Change
    author: str
    note: str
    """Why, in the author's words; may be empty."""
    made: str
    """UTC, ISO 8601."""
    schema_version: int = 0
    """The accepted version its records are of; 0 before one was accepted."""
    undone: str = ""
    """When it was taken back, UTC, ISO 8601; empty while it counts."""
    undone_by: str = ""

    @property
    def counts(self) -> bool:
        """It has not been taken back."""
        return not self.undone

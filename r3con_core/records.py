"""Records, and the structured data they form with their schema (paper section 4.2)."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from typing_extensions import TypeAliasType

from r3con_core.documents import Unread
from r3con_core.evidence import Evidence, Grounded
from r3con_core.schemas import NO_SCHEMA, Schema
from r3con_core.snippets import Author, RelevantContext

Value = TypeAliasType("Value", "str | int | float | bool | list[Value] | dict[str, Value] | None")
"""Any JSON value."""


class Certainty(StrEnum):
    """How the document puts it."""

    STATED = "stated"
    ALLEGED = "alleged"
    DENIED = "denied"
    INFERRED = "inferred"


class Standing(StrEnum):
    """What people made of a record."""

    KEPT = "kept"
    REJECTED = "rejected"
    MERGED = "merged into another"
    SPLIT = "split into others"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One filled instance of a record type, from one document."""

    id: str
    type: str
    document_id: str
    values: Mapping[str, Value]
    evidence: tuple[Evidence, ...]
    """At least one, the first is the main one; a record that a person gave may have none."""
    said_by: str | None = None
    certainty: Certainty = Certainty.STATED
    unsupported: tuple[str, ...] = ()
    """Paths of values that do not occur in the document, such as "amount" or "items.2.name"."""
    author: Author = Author.MODEL
    """Who gave the record as a whole."""
    changed: tuple[str, ...] = ()
    """Fields that a person changed, "said_by" and "certainty" among them."""
    standing: Standing = Standing.KEPT

    @property
    def counts(self) -> bool:
        """Reasoning works on it: it is neither set aside nor rejected, merged or split by a person."""
        return self.standing is Standing.KEPT and not self.set_aside

    @property
    def verified(self) -> bool:
        """Every quote was found in the record's own document; never true of a record without quotes."""
        return bool(self.evidence) and all(isinstance(e, Grounded) for e in self.evidence)

    @property
    def set_aside(self) -> bool:
        """Nothing is concluded from it: no quote was found in its own document, or most of its values are not there.

        A record that a person gave stands on that person's word, and so do the values that a person changed.
        """
        if self.author is Author.HUMAN:
            return False
        if not any(isinstance(e, Grounded) for e in self.evidence):
            return True
        missing = sum(path.split(".")[0] not in self.changed for path in self.unsupported)
        return missing > 0 and missing * 2 > sum(_count_values(value) for value in self.values.values())


def _count_values(value: Value) -> int:
    match value:
        case None:
            return 0
        case list():
            return sum(map(_count_values, value))
        case dict():
            return sum(map(_count_values, value.values()))
        case _:
            return 1


def record_id(*, record_type: str, document_id: str, values: Mapping[str, Value], quotes: Sequence[str]) -> str:
    """The hash of what the record says and where: the same statement parsed twice is one record."""
    said = json.dumps([record_type, document_id, values, list(quotes)], sort_keys=True, ensure_ascii=False)
    return "rec-" + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_LABEL = re.compile(r"R\d+")


@dataclass(frozen=True, kw_only=True)
class StructuredData:
    """A schema and all its records, in corpus order, then in the order parsed."""

    schema: Schema
    records: tuple[Record, ...]
    unread: tuple[Unread, ...] = ()

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {record.id: f"R{number}" for number, record in enumerate(self.records, start=1)}

    @cached_property
    def _ids(self) -> dict[str, str]:
        return {label: record_id for record_id, label in self._labels.items()}

    def label(self, record_id: str) -> str:
        """The short name a person and a prompt use for a record: "R12"."""
        return self._labels[record_id]

    def id_of(self, label: str) -> str | None:
        """The record's id, or None when no record has this label."""
        return self._ids.get(label)

    def get(self, record_id: str) -> Record:
        """The record with this id; KeyError when there is none."""
        return self.records[int(self._labels[record_id][1:]) - 1]

    def of_type(self, name: str) -> tuple[Record, ...]:
        """All records of one type."""
        return tuple(record for record in self.records if record.type == name)


NO_STRUCTURE = StructuredData(schema=NO_SCHEMA, records=())
"""What a run has that leaves structuring out: its answer rests on the relevant context alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """Relevant context and structured data: all that reasoning gets."""

    relevant_context: RelevantContext
    structured_data: StructuredData

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents of which it tells anything, each once."""
        of_records = (record.document_id for record in self.structured_data.records)
        return tuple(dict.fromkeys((*self.relevant_context.documents, *of_records)))


def find_labels(text: str) -> tuple[str, ...]:
    """Record labels mentioned in `text`, in order."""
    return tuple(_LABEL.findall(text))

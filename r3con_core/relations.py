"""What a run that begins from another is to it, and what of the other it keeps. Pure: values and one table."""

from dataclasses import dataclass, replace
from enum import StrEnum

from r3con_core.changes import Change, ExcludeDocument, Hint, KeepApart, MergeNames, Steer


class Relation(StrEnum):
    """What a run is to the one it begins from, in words for screens and the store."""

    SECOND_READING = "second reading"
    """The same question over the same records; another model, or another mode, reasons anew."""
    SAME_RECORDS = "follow-up on the same records"
    """Another question over the same records; only reasoning is asked."""
    READ_AGAIN = "follow-up, read again"
    """Another question to the same documents; the schema is offered as a start, all else is asked anew."""
    ALL_AGAIN = "with added documents, all read"
    """The same question with documents added since; whatever they change of the others is read again."""
    ADDED_ONLY = "with added documents, only those read"
    """The same, but the other documents keep their snippets and records."""
    REPEAT = "repeat"
    """The same run once more, with every prompt asked anew."""
    WITHOUT_RELEVANCE = "without relevance"
    """An ablation (paper section 6.4): no rounds; the schema and the records are made without relevant context."""
    WITHOUT_STRUCTURE = "without structure"
    """The other one: no schema and no records; the answer is reasoned from the relevant context alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a run has from the beginning, since the one it begins from had it."""

    snippets: bool = False
    """All rounds of the documents that both have, with their digests and what readers looked for."""
    schema: bool = False
    """All versions up to the accepted one."""
    accepted: bool = False
    """It is accepted already; else it is what the analyst looks at first."""
    records: bool = False
    """Of the documents that both have."""
    fixed: bool = False
    """Whatever added documents say: those that both have are neither read nor parsed again."""
    changes: tuple[type[Change], ...] = ()
    """The kinds of people's changes that still hold."""
    out_at_once: bool = False
    """Documents that people took out after some round are left out from the beginning."""


_STEERS: tuple[type[Change], ...] = Steer.__args__
_ALL: tuple[type[Change], ...] = tuple(kind for kind in Change.__args__ if kind.__name__ != "Look")
_WHOLE = Kept(snippets=True, schema=True, accepted=True, records=True, changes=_ALL)
_KEPT = {
    Relation.SECOND_READING: _WHOLE,
    Relation.SAME_RECORDS: _WHOLE,
    Relation.READ_AGAIN: Kept(schema=True, changes=(ExcludeDocument, MergeNames, KeepApart), out_at_once=True),
    Relation.ALL_AGAIN: Kept(schema=True, accepted=True, changes=_ALL),
    Relation.ADDED_ONLY: replace(_WHOLE, fixed=True),
    Relation.REPEAT: Kept(schema=True, accepted=True, changes=(ExcludeDocument, Hint)),
    Relation.WITHOUT_RELEVANCE: Kept(changes=(ExcludeDocument,), out_at_once=True),
    Relation.WITHOUT_STRUCTURE: Kept(snippets=True, changes=_STEERS),
}


def kept_by(relation: Relation) -> Kept:
    """What a run of that relation has of the one it begins from."""
    return _KEPT[relation]


def keeps(relation: str) -> Kept:
    """The same for a relation as the store has it; nothing for "" and for words that are no relation."""
    return _KEPT[Relation(relation)] if relation in set(Relation) else Kept()

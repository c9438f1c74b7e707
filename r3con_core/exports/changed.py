"""What people changed of a run, in words: a line for each change, with what was and what is."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from r3con_core.changes import (
    AddRecord,
    AddRound,
    Correction,
    CorrectRecord,
    EditSnippet,
    Entry,
    ExcludeDocument,
    Hint,
    KeepApart,
    Look,
    MergeNames,
    MergeRecords,
    PinSnippet,
    RejectRecord,
    SplitRecord,
    Steer,
    VetoSnippet,
)
from r3con_core.exports.contents import RunContents
from r3con_core.records import Record
from r3con_core.views.tables import flat, in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One change as people read it."""

    number: int
    made: str
    """UTC, ISO 8601."""
    author: str
    what: str
    """Such as "record corrected"."""
    about: str
    """Which record, document or names; may be empty."""
    before: str
    after: str
    note: str
    undone: str
    """When it was taken back, UTC, ISO 8601; empty while it counts."""
    undone_by: str
    lost: str
    """Why it could not be applied to the records as they are; empty where it is."""


COLUMNS = (
    "number",
    "when (UTC)",
    "who",
    "what",
    "about",
    "before",
    "after",
    "note",
    "taken back (UTC)",
    "by",
    "not applied",
)
"""What the parts of a line are called in tables."""


def change_lines(contents: RunContents) -> tuple[ChangeLine, ...]:
    """Every change of the run, oldest first, those taken back too."""
    lost = {one.entry.number: one.reason for one in (contents.corrected.lost if contents.corrected is not None else ())}
    return tuple(_line(entry, contents, lost.get(entry.number, "")) for entry in contents.changes)


def cells_of_line(line: ChangeLine) -> dict[str, object]:
    """The line by column."""
    cells = (line.number, line.made, line.author, line.what, line.about, line.before, line.after, line.note)
    return dict(zip(COLUMNS, (*cells, line.undone, line.undone_by, line.lost), strict=True))


def note_of(line: ChangeLine) -> str:
    """The author's note, and whether the change counts no more or could not be applied."""
    back = f"Taken back {line.undone}" + (f" by {line.undone_by}." if line.undone_by else ".") if line.undone else ""
    return " ".join(filter(None, (line.note, back, f"Not applied: {line.lost}" if line.lost else "")))


def in_one_line(line: ChangeLine) -> str:
    """The whole change in a line of text."""
    parts = [f"{line.made}, {line.author}: {line.what}", line.about, f"was: {line.before}" if line.before else ""]
    return "; ".join(filter(None, (*parts, f"now: {line.after}" if line.after else "", note_of(line))))


def changed_by(contents: RunContents) -> Mapping[str, str]:
    """Record id -> who changed the record, with when, for all changes that made it as it stands."""
    made = contents.corrected.by_record if contents.corrected is not None else {}
    return {record_id: "; ".join(dict.fromkeys(map(_who, entries))) for record_id, entries in made.items()}


def _who(entry: Entry) -> str:
    return f"{entry.author}, {entry.made}"


Told = tuple[str, str, str, str]
"""What, about, before, after."""


def _line(entry: Entry, contents: RunContents, lost: str) -> ChangeLine:
    match entry.change:
        case Look(document_id=document_id, verdict=verdict):
            told: Told = ("document looked at", _document(document_id, contents), "", verdict.value)
        case (
            CorrectRecord() | RejectRecord() | AddRecord() | MergeRecords() | SplitRecord() | MergeNames() | KeepApart()
        ):
            told = _correction(entry.change, contents)
        case steer:
            told = _steer(steer, contents)
    what, about, before, after = told
    return ChangeLine(
        number=entry.number,
        made=entry.made,
        author=entry.author,
        what=what,
        about=about,
        before=before,
        after=after,
        note=entry.note,
        undone=entry.undone,
        undone_by=entry.undone_by,
        lost=lost,
    )


def _steer(steer: Steer, contents: RunContents) -> Told:
    match steer:
        case EditSnippet(document_id=document_id, round=number, text=text):
            return "snippet edited", _snippet(document_id, number, contents), "", text or "(nothing to say)"
        case PinSnippet(document_id=document_id, round=number):
            return "snippet pinned", _snippet(document_id, number, contents), "", ""
        case VetoSnippet(document_id=document_id, round=number):
            return "snippet vetoed", _snippet(document_id, number, contents), "", ""
        case ExcludeDocument(document_id=document_id, round=number):
            after = f"after round {number}" if number else "from the beginning"
            return "document excluded", _document(document_id, contents), "", after
        case Hint(round=number, text=text):
            return "hint to the readers", f"round {number}", "", text
        case AddRound(only=only):
            named = ", ".join(_document(document_id, contents) for document_id in only)
            return "round added", named or "all documents", "", ""
        case unreachable:
            assert_never(unreachable)


def _correction(correction: Correction, contents: RunContents) -> Told:
    match correction:
        case CorrectRecord(of=of, now=now):
            before, after = _differences(of, now)
            return "record corrected", _named((of,), contents), before, after
        case RejectRecord(of=of):
            return "record rejected", _named((of,), contents), _said(of), ""
        case AddRecord(record=record):
            return "record added", _named((record,), contents), "", _said(record)
        case MergeRecords(of=merged, now=now):
            return "records merged", _named(merged, contents), " | ".join(map(_said, merged)), _said(now)
        case SplitRecord(of=of, into=into):
            return "record split", _named((of,), contents), _said(of), " | ".join(map(_said, into))
        case MergeNames(record_type=kind, names=names, name=name):
            return "names merged", kind, ", ".join(names), name
        case KeepApart(record_type=kind, names=names):
            return "names kept apart", kind, "", ", ".join(names)
        case unreachable:
            assert_never(unreachable)


def _document(document_id: str, contents: RunContents) -> str:
    if document_id not in contents.corpus:
        return document_id
    return f"document {contents.corpus.number(document_id)} ({contents.corpus.get(document_id).title})"


def _snippet(document_id: str, number: int, contents: RunContents) -> str:
    return f"{_document(document_id, contents)}, round {number}"


def _named(records: Iterable[Record], contents: RunContents) -> str:
    return ", ".join(label_of(record.id, contents) for record in records)


def label_of(record_id: str, contents: RunContents) -> str:
    """The record's label, or its id where no record of the data has it any more."""
    try:
        return contents.data.label(record_id) if contents.data is not None else record_id
    except KeyError:
        return record_id


def _said(record: Record) -> str:
    told = (f"{name}: {in_words(flat(value))}" for name, value in record.values.items() if value is not None)
    return "; ".join((*told, *(json.dumps(one.quote, ensure_ascii=False) for one in record.evidence)))


def _differences(of: Record, now: Record) -> tuple[str, str]:
    """What a correction changed, as it was and as it is."""
    before, after = _parts(of), _parts(now)
    names = [name for name in {**before, **after} if before.get(name, "") != after.get(name, "")]
    told = [[f"{name}: {parts.get(name, '') or '(nothing)'}" for name in names] for parts in (before, after)]
    return "; ".join(told[0]), "; ".join(told[1])


def _parts(record: Record) -> dict[str, str]:
    quotes = {f"quote {number}": one.quote for number, one in enumerate(record.evidence, start=1)}
    own = {"said_by": record.said_by or "", "certainty": record.certainty.value}
    return {**{name: in_words(flat(value)) for name, value in record.values.items()}, **own, **quotes}

"""Records as rows with all their proof, for whatever writes tables: one sheet per record type, columns with kinds."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.checks.cells import CellState, cells_of
from r3con_core.documents import Corpus
from r3con_core.evidence import Evidence
from r3con_core.exports.changed import changed_by
from r3con_core.exports.contents import RunContents, describe, found_at, place_of
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, Group, RecordType, Scalar, ScalarType
from r3con_core.views.tables import flat, in_words


class ColumnKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    YES_NO = "yes-no"
    DATE = "date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a sheet."""

    name: str
    kind: ColumnKind = ColumnKind.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The records of one type, in the order of their labels."""

    record_type: str
    columns: tuple[Column, ...]
    count: int
    rows: Iterable[Mapping[str, object]]
    """By column; made as they are asked for, once."""


_KINDS = {
    ScalarType.TEXT: ColumnKind.TEXT,
    ScalarType.NUMBER: ColumnKind.NUMBER,
    ScalarType.INTEGER: ColumnKind.INTEGER,
    ScalarType.YES_NO: ColumnKind.YES_NO,
    ScalarType.DATE: ColumnKind.DATE,
}
_MODEL = "model said: "
"""Before the name of a field: what the model gave where a person changed it."""


def sheets_of(contents: RunContents) -> tuple[Sheet, ...]:
    """One sheet per record type; StoreError before there are records.

    Names of our own columns hold a blank or are reserved, so that no field can have them.
    """
    data = contents.representation().structured_data
    by = changed_by(contents)
    return tuple(_sheet(contents, data, record_type, by) for record_type in data.schema.record_types)


def _sheet(contents: RunContents, data: StructuredData, record_type: RecordType, by: Mapping[str, str]) -> Sheet:
    records = data.of_type(record_type.name)
    quotes = max((len(record.evidence) for record in records), default=1)
    fields = tuple(_columns(record_type.fields))
    told = tuple(f"{_MODEL}{name}" for name in _differing(contents, records, fields))
    columns = (
        Column(name="record"),
        Column(name="document", kind=ColumnKind.INTEGER),
        *_texts("document title", "document path"),
        *fields,
        *(column for number in range(1, quotes + 1) for column in _quote_columns(number)),
        *_texts("said_by", "certainty", "values not in a quote", "values not in the document", "set aside"),
        *_texts("standing", "given by", "changed fields", "changed by"),
        *_texts(*told),
    )
    rows = (_row(contents, record, record_type, by) for record in records)
    return Sheet(record_type=record_type.name, columns=columns, count=len(records), rows=rows)


def _texts(*names: str) -> Iterator[Column]:
    return (Column(name=name) for name in names)


def _columns(fields: Sequence[Field], above: str = "") -> Iterator[Column]:
    for field in fields:
        match field.kind:
            case Group(fields=inner):
                yield from _columns(inner, f"{above}{field.name}.")
            case Scalar(of=of):
                yield Column(name=above + field.name, kind=_KINDS[of])
            case _:
                yield Column(name=above + field.name)


def _differing(contents: RunContents, records: Iterable[Record], fields: Iterable[Column]) -> list[str]:
    """Fields of which a person changed some value, in column order."""
    changed = {name for record in records for name in _changed(contents, record)}
    return [column.name for column in fields if column.name in changed]


def _changed(contents: RunContents, record: Record) -> dict[str, object]:
    """What the model gave, of the columns where the record says something else now."""
    said = contents.model_said(record)
    if said is None or said.values == record.values:
        return {}
    before, now = dict(flat_values(said.values)), dict(flat_values(record.values))
    return {name: before.get(name) for name in {**before, **now} if before.get(name) != now.get(name)}


def _quote_columns(number: int) -> tuple[Column, ...]:
    quote = f"quote {number}"
    text = tuple(_texts(quote, f"{quote} found", f"{quote} place"))
    return (*text, *(Column(name=f"{quote} {end}", kind=ColumnKind.INTEGER) for end in ("from", "to")))


def _row(contents: RunContents, record: Record, record_type: RecordType, by: Mapping[str, str]) -> dict[str, object]:
    corpus, data = contents.corpus, contents.representation().structured_data
    document = corpus.get(record.document_id)
    row: dict[str, object] = {
        "record": data.label(record.id),
        "document": corpus.number(record.document_id),
        "document title": document.title,
        "document path": document.source.path,
        **dict(flat_values(record.values)),
        "said_by": record.said_by,
        "certainty": record.certainty.value,
        "values not in a quote": "; ".join(unquoted(record, record_type)),
        "values not in the document": "; ".join(record.unsupported),
        "set aside": "yes" if record.set_aside else "",
        "standing": record.standing.value,
        "given by": record.author.value,
        "changed fields": "; ".join(record.changed),
        "changed by": by.get(record.id, ""),
    }
    for number, evidence in enumerate(record.evidence, start=1):
        names = (column.name for column in _quote_columns(number))
        row |= dict(zip(names, _quote_cells(evidence, corpus), strict=True))
    return row | {f"{_MODEL}{name}": in_cell(value) for name, value in _changed(contents, record).items()}


def unquoted(record: Record, record_type: RecordType) -> tuple[str, ...]:
    """Paths of the values that stand in none of the record's quotes, though perhaps elsewhere in its document."""
    apart = (CellState.DOCUMENT, CellState.NOWHERE)
    return tuple(cell.name for cell in cells_of(record, record_type) if cell.state in apart)


def in_cell(value: object) -> object:
    """What a person changed, as it stood: nothing is told as such, so that it differs from an unchanged field."""
    return "(nothing)" if value is None else value


def _quote_cells(evidence: Evidence, corpus: Corpus) -> tuple[object, ...]:
    found = found_at(evidence)
    if found is None:
        return evidence.quote, describe(evidence, corpus), "", None, None
    place = place_of(corpus.get(found.document_id), found.span)
    return evidence.quote, describe(evidence, corpus), place, found.span.start, found.span.end


def flat_values(values: Mapping[str, Value], above: str = "") -> Iterator[tuple[str, object]]:
    """Values by column: groups as group.field, lists of single values joined, other lists as JSON."""
    for name, value in values.items():
        match value:
            case dict():
                yield from flat_values(value, f"{above}{name}.")
            case list() if not any(isinstance(item, dict | list) for item in value):
                yield above + name, "; ".join("" if item is None else str(item) for item in value)
            case list():
                yield above + name, json.dumps(value, ensure_ascii=False)
            case _:
                yield above + name, value


def values_in_words(record: Record) -> tuple[tuple[str, str], ...]:
    """Field and value in words, of those that are given."""
    told = ((name, in_words(flat(value))) for name, value in record.values.items())
    return tuple((name, words) for name, words in told if words)

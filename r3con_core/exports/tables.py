"""Records for other programs: one table per record type, and JSON with everything in it."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from r3con_core.documents import Corpus
from r3con_core.evidence import Evidence, Grounded, Misplaced
from r3con_core.exports.contents import RunContents, describe, load_contents, place_of
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, Group, RecordType, Schema
from r3con_core.store.codec import dump
from r3con_core.store.project import Project
from r3con_core.store.schemas import newest_schema
from r3con_core.tables import to_csv

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The same in every export, so that equal contents are equal files."""


def export_records_csv(project: Project, run_id: str) -> bytes:
    """A zip file with one CSV file per record type, which spreadsheets open as they are."""
    tables = record_tables(load_contents(project, run_id))
    return zip_bytes({f"{name}.csv": data for name, data in tables.items()})


def record_tables(contents: RunContents) -> dict[str, bytes]:
    """Record type -> its records as CSV in UTF-8, in the order of their labels.

    Names of our own columns hold a blank or are reserved, so that no field can have them.
    """
    data = contents.representation().structured_data
    return {t.name: _table(t, data, contents.corpus) for t in data.schema.record_types}


def _table(record_type: RecordType, data: StructuredData, corpus: Corpus) -> bytes:
    records = data.of_type(record_type.name)
    quotes = max((len(record.evidence) for record in records), default=1)
    rows = [_row(record, data, corpus) for record in records]
    names = ["record", "document", "document title", "document path", *_columns(record_type.fields)]
    names += [name for number in range(1, quotes + 1) for name in _quote_columns(number)]
    names += ["said_by", "certainty", "values not in the document", "set aside"]
    return to_csv(rows, names)


def _columns(fields: Sequence[Field], above: str = "") -> Iterable[str]:
    for field in fields:
        if isinstance(field.kind, Group):
            yield from _columns(field.kind.fields, f"{above}{field.name}.")
        else:
            yield above + field.name


def _quote_columns(number: int) -> tuple[str, str, str, str, str]:
    quote = f"quote {number}"
    return quote, f"{quote} found", f"{quote} place", f"{quote} from", f"{quote} to"


def _row(record: Record, data: StructuredData, corpus: Corpus) -> dict[str, object]:
    document = corpus.get(record.document_id)
    row: dict[str, object] = {
        "record": data.label(record.id),
        "document": corpus.number(record.document_id),
        "document title": document.title,
        "document path": document.source.path,
        **dict(_flat(record.values)),
        "said_by": record.said_by,
        "certainty": record.certainty.value,
        "values not in the document": "; ".join(record.unsupported),
        "set aside": "yes" if record.set_aside else "",
    }
    for number, evidence in enumerate(record.evidence, start=1):
        row |= dict(zip(_quote_columns(number), _quote_cells(evidence, corpus), strict=True))
    return row


def _quote_cells(evidence: Evidence, corpus: Corpus) -> tuple[object, ...]:
    found = _found(evidence)
    if found is None:
        return evidence.quote, describe(evidence, corpus), "", "", ""
    place = place_of(corpus.get(found.document_id), found.span)
    return evidence.quote, describe(evidence, corpus), place, found.span.start, found.span.end


def _found(evidence: Evidence) -> Grounded | None:
    return evidence if isinstance(evidence, Grounded) else evidence.found if isinstance(evidence, Misplaced) else None


def _flat(values: Mapping[str, Value], above: str = "") -> Iterable[tuple[str, object]]:
    """Values by column: groups as group.field, lists of single values joined, other lists as JSON."""
    for name, value in values.items():
        match value:
            case dict():
                yield from _flat(value, f"{above}{name}.")
            case list() if not any(isinstance(item, dict | list) for item in value):
                yield above + name, "; ".join("" if item is None else str(item) for item in value)
            case list():
                yield above + name, json.dumps(value, ensure_ascii=False)
            case _:
                yield above + name, value


def export_records_json(project: Project, run_id: str) -> str:
    """The question, the schema and all records with their quotes and places, as JSON."""
    return records_json(load_contents(project, run_id))


def records_json(contents: RunContents) -> str:
    """The same of a run already loaded."""
    data = contents.representation().structured_data
    told = {
        "question": contents.run.task.text,
        "run": contents.run.id,
        "schema": json.loads(dump(data.schema, Schema)),
        "documents": [
            {
                "number": number,
                "id": document.id,
                "title": document.title,
                "path": document.source.path,
                "sha256": document.source.sha256,
            }
            for number, document in enumerate(contents.corpus.documents, start=1)
        ],
        "records": [_record(record, data, contents.corpus) for record in data.records],
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def _record(record: Record, data: StructuredData, corpus: Corpus) -> dict[str, Any]:
    return {
        "record": data.label(record.id),
        "id": record.id,
        "type": record.type,
        "document": corpus.number(record.document_id),
        "values": record.values,
        "said_by": record.said_by,
        "certainty": record.certainty.value,
        "values_not_in_document": list(record.unsupported),
        "set_aside": record.set_aside,
        "quotes": [_quote(evidence, corpus) for evidence in record.evidence],
    }


def _quote(evidence: Evidence, corpus: Corpus) -> dict[str, Any]:
    found = _found(evidence)
    told: dict[str, Any] = {"quote": evidence.quote, "found": describe(evidence, corpus)}
    if found is not None:
        told |= {
            "document": corpus.number(found.document_id),
            "place": place_of(corpus.get(found.document_id), found.span),
            "start": found.span.start,
            "end": found.span.end,
        }
    return told


def export_schema(project: Project, run_id: str) -> str:
    """The newest schema as JSON, in the form that `r3con ask --schema` takes; StoreError before there is one."""
    return json.dumps(json.loads(dump(newest_schema(project, run_id), Schema)), ensure_ascii=False, indent=1) + "\n"


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip file that holds `files`, by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()

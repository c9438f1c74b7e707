"""Records for other programs: one table per record type, and JSON with everything in it."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

from r3con_core.exports.contents import RunContents, load_contents, quote_facts
from r3con_core.exports.rows import sheets_of
from r3con_core.records import Record, StructuredData
from r3con_core.schemas import Schema
from r3con_core.store.codec import dump
from r3con_core.store.project import Project
from r3con_core.store.schemas import newest_schema
from r3con_core.views.tables import to_csv

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The same in every export, so that equal contents are equal files."""


def export_records_csv(project: Project, run_id: str) -> bytes:
    """A zip file with one CSV file per record type, which spreadsheets open as they are."""
    tables = record_tables(load_contents(project, run_id))
    return zip_bytes({f"{name}.csv": data for name, data in tables.items()})


def record_tables(contents: RunContents) -> dict[str, bytes]:
    """Record type -> its records as CSV in UTF-8, in the order of their labels."""
    return {
        sheet.record_type: to_csv(list(sheet.rows), [column.name for column in sheet.columns])
        for sheet in sheets_of(contents)
    }


def export_records_json(project: Project, run_id: str) -> str:
    """The question, the schema and all records with their quotes and places, as JSON."""
    return records_json(load_contents(project, run_id))


def records_json(contents: RunContents, data: StructuredData | None = None) -> str:
    """The same of a run already loaded, or of other `data` of the same run, such as what the model said."""
    data = data or contents.representation().structured_data
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
        "records": [_record(record, data, contents) for record in data.records],
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def _record(record: Record, data: StructuredData, contents: RunContents) -> dict[str, Any]:
    told = {
        "record": data.label(record.id),
        "id": record.id,
        "type": record.type,
        "document": contents.corpus.number(record.document_id),
        "values": record.values,
        "said_by": record.said_by,
        "certainty": record.certainty.value,
        "values_not_in_document": list(record.unsupported),
        "set_aside": record.set_aside,
        "standing": record.standing.value,
        "given_by": record.author.value,
        "changed_fields": list(record.changed),
        "quotes": [quote_facts(evidence, contents.corpus) for evidence in record.evidence],
    }
    said = contents.model_said(record)
    return told if said is None or said.values == record.values else told | {"model_said": said.values}


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

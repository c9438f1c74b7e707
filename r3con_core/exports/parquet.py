"""Records for programs that compute: one Parquet file per record type, typed, nested values kept nested."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from r3con_core.documents import Corpus
from r3con_core.evidence import Evidence
from r3con_core.exports.changed import changed_by
from r3con_core.exports.contents import RunContents, load_contents, quote_facts
from r3con_core.exports.rows import unquoted
from r3con_core.exports.tables import zip_bytes
from r3con_core.records import Record, Value
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType
from r3con_core.store.project import Project

_WIDEST = 2**63
"""Whole numbers beyond it fit no column of numbers."""


def export_parquet(project: Project, run_id: str) -> bytes:
    """A zip file with one Parquet file per record type; StoreError before there are records.

    The values are in the column `values` as a structure of the schema's fields, so that no field meets a column of
    ours. Dates are text: they are as precise as their document is. A value that is not of its field's kind is null
    there, and as text in `values_of_another_kind`.
    """
    return parquet_of(load_contents(project, run_id))


def parquet_of(contents: RunContents) -> bytes:
    """The same of a run already loaded."""
    data = contents.representation().structured_data
    by = changed_by(contents)
    files = {}
    for record_type in data.schema.record_types:
        rows = [_row(contents, record, record_type, by) for record in data.of_type(record_type.name)]
        files[f"{record_type.name}.parquet"] = _file(record_type, rows)
    return zip_bytes(files)


def _file(record_type: RecordType, rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    text, whole, texts = pa.string(), pa.int64(), pa.list_(pa.string())
    quote = {"quote": text, "found": text, "document": whole, "place": text, "start": whole, "end": whole}
    schema = pa.schema(
        {
            "record": text,
            "id": text,
            "document": whole,
            "document_title": text,
            "document_path": text,
            "values": _struct(record_type.fields),
            "values_of_another_kind": pa.map_(text, text),
            "said_by": text,
            "certainty": text,
            "quotes": pa.list_(pa.struct(quote)),
            "values_not_in_quote": texts,
            "values_not_in_document": texts,
            "set_aside": pa.bool_(),
            "standing": text,
            "given_by": text,
            "changed_fields": texts,
            "changed_by": text,
            "model_said": _struct(record_type.fields),
        }
    )
    packed = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema), packed, compression="zstd")
    return packed.getvalue()


def _struct(fields: Sequence[Field]) -> Any:
    import pyarrow as pa

    return pa.struct([(field.name, _type(field.kind)) for field in fields])


def _type(kind: Kind) -> Any:
    import pyarrow as pa

    match kind:
        case Group(fields=fields):
            return _struct(fields)
        case ListOf(item=item):
            return pa.list_(_type(item))
        case Scalar(of=ScalarType.INTEGER):
            return pa.int64()
        case Scalar(of=ScalarType.NUMBER):
            return pa.float64()
        case Scalar(of=ScalarType.YES_NO):
            return pa.bool_()
        case Scalar() | Choice() | Reference():
            return pa.string()


Apart = dict[str, str]
"""Path -> value in words, of values that do not fit the kind of their field; grows."""


def _row(contents: RunContents, record: Record, record_type: RecordType, by: Mapping[str, str]) -> dict[str, Any]:
    data, corpus = contents.representation().structured_data, contents.corpus
    document, said = corpus.get(record.document_id), contents.model_said(record)
    apart: Apart = {}
    return {
        "record": data.label(record.id),
        "id": record.id,
        "document": corpus.number(document.id),
        "document_title": _text(document.title),
        "document_path": _text(document.source.path),
        "values": _values(record_type.fields, record.values, "", apart),
        "values_of_another_kind": list(apart.items()),
        "said_by": None if record.said_by is None else _text(record.said_by),
        "certainty": record.certainty.value,
        "quotes": [_quote(evidence, corpus) for evidence in record.evidence],
        "values_not_in_quote": list(unquoted(record, record_type)),
        "values_not_in_document": list(record.unsupported),
        "set_aside": record.set_aside,
        "standing": record.standing.value,
        "given_by": record.author.value,
        "changed_fields": list(record.changed),
        "changed_by": _text(by.get(record.id, "")),
        "model_said": None if said is None else _values(record_type.fields, said.values, "", {}),
    }


def _values(fields: Sequence[Field], values: Mapping[str, Value], above: str, apart: Apart) -> dict[str, Any]:
    return {field.name: _fitting(field.kind, values.get(field.name), f"{above}{field.name}", apart) for field in fields}


def _fitting(kind: Kind, value: Value, path: str, apart: Apart) -> Any:
    """The value where it is of its kind; else None, and what it is goes `apart`."""
    match kind, value:
        case _, None:
            return None
        case Group(fields=fields), dict():
            return _values(fields, value, f"{path}.", apart)
        case ListOf(item=item), list():
            return [_fitting(item, one, f"{path}.{at}", apart) for at, one in enumerate(value)]
        case Scalar(of=of), _ if _is_of(of, value):
            return _text(value) if isinstance(value, str) else value
        case ((Choice() | Reference()), str()):
            return _text(value)
    apart[path] = _text(str(value))
    return None


def _is_of(of: ScalarType, value: Value) -> bool:
    match of:
        case ScalarType.TEXT | ScalarType.DATE:
            return isinstance(value, str)
        case ScalarType.YES_NO:
            return isinstance(value, bool)
        case ScalarType.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool) and -_WIDEST <= value < _WIDEST
        case ScalarType.NUMBER:
            return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))


def _text(text: str) -> str:
    """`text` as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _quote(evidence: Evidence, corpus: Corpus) -> dict[str, Any]:
    told = quote_facts(evidence, corpus)
    return {name: _text(value) if isinstance(value, str) else value for name, value in told.items()}

"""A schema from a text that somebody has: JSON Schema, the source of Pydantic classes, or what this product exports."""

import json
from dataclasses import asdict

from r3con_core.errors import SchemaError
from r3con_core.schema.found import Found, check_length
from r3con_core.schema.json_schema import read_json_schema
from r3con_core.schema.python_source import read_python
from r3con_core.schemas import Schema

__all__ = ["Found", "read_schema", "read_schema_file"]
_OURS = "record_types"
"""The one key of a schema as `r3con export --format schema` writes it."""


def read_schema(text: str) -> Found:
    """The schema a text describes, in whichever language it is; SchemaError with line or path where it cannot be one."""
    if not text.strip():
        raise SchemaError("there is nothing here; paste a JSON Schema, or the source of Pydantic classes")
    found = _read(text)
    try:
        json.dumps([asdict(found.schema), found.adjustments], ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise SchemaError("this holds half of a letter (a lone surrogate), which no file can keep") from error
    return found


def _read(text: str) -> Found:
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return read_python(text)
    return _read_ours(text) if f'"{_OURS}"' in text[:200] else read_json_schema(text)


def _read_ours(text: str) -> Found:
    """A schema as this product writes it down; a JSON Schema that happens to have the word is read as that."""
    from pydantic import TypeAdapter, ValidationError  # 0.1 s to import, needed for few

    check_length(text)
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        return read_json_schema(text)  # which says what is wrong
    if not isinstance(known, dict) or not isinstance(known.get(_OURS), list):
        return read_json_schema(text)
    try:
        return Found(schema=TypeAdapter(Schema).validate_python(known), adjustments=())
    except ValidationError as error:
        first = error.errors()[0]
        raise SchemaError(first["msg"], tuple(str(step) for step in first["loc"])) from error


def read_schema_file(content: bytes) -> Found:
    """The same of a file; SchemaError when it is not text."""
    try:
        return read_schema(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SchemaError("this file is not text in UTF-8") from error

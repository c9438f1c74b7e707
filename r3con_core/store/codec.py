"""Nested values to JSON text and back, by type."""

import json
from functools import cache
from typing import Any


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter  # 0.1 s to import; a listing of projects does without

    return TypeAdapter(kind)


def dump(value: Any, kind: Any) -> str:
    """`value` as JSON text, readable in any script."""
    return json.dumps(_adapter(kind).dump_python(value, mode="json"), ensure_ascii=False)


def load(text: str, kind: Any) -> Any:
    """The value that `dump` wrote."""
    return _adapter(kind).validate_json(text)

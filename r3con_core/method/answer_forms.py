"""The JSON schemas of replies that answer a task: sentences, with or without the records they rest on."""

from typing import Any

_TEXT = {"type": "string"}
_RECORDS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    """An object that has all of these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _sentences(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "maxItems": 12, "items": _object(**properties)}


DIRECT = _object(thought=_TEXT, sentences=_sentences(text=_TEXT, records=_RECORDS))
NOTES = _object(thought=_TEXT, sentences=_sentences(text=_TEXT))
CONCLUSION = _object(sentences=_sentences(text=_TEXT, records=_RECORDS))

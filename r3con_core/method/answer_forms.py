"""The JSON schemas of replies that answer a task: sentences, with or without the records they rest on."""

from typing import Any

_SENTENCES: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 12,
    "items": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "records": {"type": "array", "items": {"type": "string"}}},
        "required": ["text", "records"],
        "additionalProperties": False,
    },
}
DIRECT: dict[str, Any] = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "sentences": _SENTENCES},
    "required": ["thought", "sentences"],
    "additionalProperties": False,
}
_PLAIN_SENTENCES: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 12,
    "items": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}
NOTES: dict[str, Any] = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "sentences": _PLAIN_SENTENCES},
    "required": ["thought", "sentences"],
    "additionalProperties": False,
}
CONCLUSION: dict[str, Any] = {
    "type": "object",
    "properties": {"sentences": _SENTENCES},
    "required": ["sentences"],
    "additionalProperties": False,
}

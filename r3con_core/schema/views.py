"""A schema as others read it: JSON Schema for constrained replies, an outline for prompts and people."""

from collections.abc import Mapping
from typing import Any, assert_never

from r3con_core.differences import changed_lines
from r3con_core.schemas import (
    Choice,
    Field,
    Group,
    Kind,
    ListOf,
    RecordType,
    Reference,
    Scalar,
    ScalarType,
    Schema,
    kind_name,
    walk_fields,
)

CERTAINTIES = ("stated", "alleged", "denied", "inferred")
MAX_QUOTES = 2

_JSON_TYPES = {
    ScalarType.TEXT: "string",
    ScalarType.NUMBER: "number",
    ScalarType.INTEGER: "integer",
    ScalarType.YES_NO: "boolean",
    ScalarType.DATE: "string",
}


def json_schema(schema: Schema) -> dict[str, Any]:
    """What one document's parse must satisfy: an object with one array of records per record type.

    The portable subset every endpoint takes: all keys required, null instead of optional, no pattern, format or $ref.
    A record's quotes, who said it and how certain it is come before its values: quoting first made a 1.5B model
    right where it was wrong (measured on five memos).
    """
    return types_schema(schema.record_types)


def types_schema(record_types: tuple[RecordType, ...]) -> dict[str, Any]:
    """The same for a parse that is asked for some of a schema's record types only."""
    return _object({t.name: {"type": "array", "items": _record(t)} for t in record_types})


LONGEST_CHOICE = 60
"""Letters of a choice that a server is given as a word to choose from; longer ones are checked when they come back."""


def form_only(shape: Mapping[str, Any]) -> dict[str, Any]:
    """`shape` with names, kinds and short choices alone: servers show models what a form says, as words of our own."""
    kept: dict[str, Any] = {name: value for name, value in shape.items() if name != "description"}
    if any(len(option or "") > LONGEST_CHOICE for option in shape.get("enum", ())):
        del kept["enum"]
    if "properties" in shape:
        kept["properties"] = {name: form_only(inner) for name, inner in shape["properties"].items()}
    if "items" in shape:
        kept["items"] = form_only(shape["items"])
    return kept


def _record(record_type: RecordType) -> dict[str, Any]:
    about = {
        "quotes": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_QUOTES},
        "said_by": {"type": ["string", "null"]},
        "certainty": {"type": "string", "enum": list(CERTAINTIES)},
    }
    return _object(about | {f.name: _kind(f) for f in record_type.fields})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _kind(field: Field) -> dict[str, Any]:
    return {"description": field.meaning, **_shape(field.kind)} if field.meaning else _shape(field.kind)


def _shape(kind: Kind) -> dict[str, Any]:
    match kind:
        case Scalar(of=of):
            return {"type": [_JSON_TYPES[of], "null"]}
        case Choice(options=options):
            return {"type": ["string", "null"], "enum": [*options, None]}
        case Reference():
            return {"type": ["string", "null"]}
        case Group(fields=fields):
            return _object({f.name: _kind(f) for f in fields})
        case ListOf(item=item):
            return {"type": "array", "items": _item(item)}
        case unreachable:
            assert_never(unreachable)


def _item(kind: Kind) -> dict[str, Any]:
    shape = _shape(kind)
    if isinstance(kind, Choice):
        return {"type": "string", "enum": list(kind.options)}
    if isinstance(shape.get("type"), list):
        return {**shape, "type": shape["type"][0]}
    return shape


def outline(schema: Schema) -> str:
    """The schema in indented lines, as prompts show it and people read it."""
    return types_outline(schema.record_types)


def types_outline(record_types: tuple[RecordType, ...]) -> str:
    """The same of some of a schema's record types."""
    return "\n\n".join(map(_outline_type, record_types))


def _outline_type(record_type: RecordType) -> str:
    head = f"{record_type.name}: {_one_line(record_type.meaning)}"
    return "\n".join([head, *_outline_fields(record_type.fields, indent=1)])


def _outline_fields(fields: tuple[Field, ...], indent: int) -> list[str]:
    lines: list[str] = []
    for field in fields:
        meaning = f": {_one_line(field.meaning)}" if field.meaning else ""
        lines.append(f"{'  ' * indent}- {field.name} ({_one_line(kind_name(field.kind))}){meaning}")
        match field.kind:
            case Group(fields=inner) | ListOf(item=Group(fields=inner)):
                lines += _outline_fields(inner, indent + 1)
            case _:
                pass
    return lines


def _one_line(text: str) -> str:
    """A text of strangers may have lines that look like ours."""
    return " ".join(text.split())


def outline_difference(before: Schema, after: Schema) -> str:
    """How two outlines differ, line by line: see `changed_lines`."""
    return changed_lines(outline(before), outline(after))


def diagram_columns(schema: Schema) -> tuple[tuple[str, ...], ...]:
    """Names of record types in columns, each right of those that refer to it, in schema order.

    A reference that would close a circle leads back to the left. Record types that no reference touches fill up the
    shortest columns, three at least.
    """
    users: dict[str, set[str]] = {t.name: set() for t in schema.record_types}
    linked: set[str] = set()
    for path, reference in schema.references():
        linked |= {path[0], reference.record_type}
        if not _leads_to(reference.record_type, path[0], users):
            users[reference.record_type].add(path[0])
    ranks = {name: _rank(name, users) for name in users}
    last = max((ranks[name] for name in linked), default=-1)
    columns = [[name for name in users if name in linked and ranks[name] == rank] for rank in range(last + 1)]
    alone = [name for name in users if name not in linked]
    columns += [[] for _ in range(min(3 - len(columns), len(alone)))]
    for name in alone:
        min(columns, key=lambda column: sum(_height(schema.get(one)) for one in column)).append(name)
    return tuple(tuple(column) for column in columns)


def _leads_to(name: str, other: str, users: Mapping[str, set[str]]) -> bool:
    """Whether `name` is `other`, or refers to it, directly or by way of others."""
    return name == other or any(_leads_to(name, user, users) for user in users[other])


def _rank(name: str, users: Mapping[str, set[str]]) -> int:
    """How many references lead to `name` one after another at most."""
    return max((_rank(user, users) + 1 for user in users[name]), default=0)


def _height(record_type: RecordType) -> int:
    return 2 + sum(1 for _ in walk_fields(record_type.fields))

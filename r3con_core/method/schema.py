"""Stage 2, first half: which records the task needs (paper section 4.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from r3con_core.errors import ReplyError, SchemaError
from r3con_core.exchange import Exchange, Prompt, Reply, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.layout import Blocks, Order, arrange, fitting_reply
from r3con_core.method.notes import Notes
from r3con_core.method.prompts import fill
from r3con_core.method.reading import ask_until_read, decode_object
from r3con_core.schema.names import field_name, type_name
from r3con_core.schemas import (
    RESERVED,
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
)

MAX_TYPES, MAX_FIELDS = 5, 12
KINDS = [
    *(s.value for s in ScalarType),
    "choice",
    "reference",
    "group",
    "list of groups",
    "list of text",
    "list of references",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A schema as the model proposes it."""

    schema: Schema
    reason: str
    adjustments: tuple[str, ...]
    """What had to be changed to make it valid, in plain sentences."""


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _field_shape(inner: Mapping[str, Any] | None) -> dict[str, Any]:
    kinds = [k for k in KINDS if inner is not None or "group" not in k]
    properties: dict[str, Any] = {
        "name": {"type": "string"},
        "meaning": {"type": "string"},
        "why": {"type": "string"},
        "kind": {"type": "string", "enum": kinds},
        "options": {"type": ["array", "null"], "items": {"type": "string"}},
        "refers_to": {"type": ["string", "null"]},
    }
    if inner is not None:
        properties["fields"] = {"type": ["array", "null"], "items": inner}
    return _object(properties, list(properties))


def proposal_shape() -> dict[str, Any]:
    """The JSON schema of a proposal: groups one level deep, since strict endpoints take no recursion."""
    fields = {"type": "array", "items": _field_shape(_field_shape(None)), "minItems": 1, "maxItems": MAX_FIELDS}
    said = {name: {"type": "string"} for name in ("name", "meaning", "why")}
    record_type = _object({**said, "fields": fields}, [*said, "fields"])
    types = {"type": "array", "items": record_type, "minItems": 1, "maxItems": MAX_TYPES}
    return _object({"reason": {"type": "string"}, "record_types": types}, ["reason", "record_types"])


_TABLE_SHAPE = _object(
    {
        "row_is": {"type": "string"},
        "table_name": {"type": "string"},
        "columns": {
            "type": "array",
            "minItems": 4,
            "maxItems": 8,
            "items": _object(
                {
                    "name": {"type": "string"},
                    "meaning": {"type": "string"},
                    "why": {"type": "string"},
                    "kind": {"type": "string", "enum": [scalar.value for scalar in ScalarType]},
                },
                ["name", "meaning", "why", "kind"],
            ),
        },
    },
    ["row_is", "table_name", "columns"],
)


def propose_schema(brief: Brief, notes: Notes) -> Exchange[Proposal]:
    """The model's proposal for the task and the relevant context: a whole schema, or one table from a small model.

    Asked for record types with nesting and references, a 1.5B model copied the example; asked for the columns of one
    table, it named the ones the task needs (four tasks of four).
    """
    if brief.settings.small_reasoner:
        table = _prompt(brief, notes, "table", _TABLE_SHAPE, max_tokens=800)
        return (yield from ask_until_read(table, lambda reply: _read_table(_decode(reply, _TABLE_SHAPE))))
    shape = proposal_shape()
    prompt = _prompt(brief, notes, "schema", shape, max_tokens=1700)
    return (yield from ask_until_read(prompt, lambda reply: _read_proposal(_decode(reply, shape))))


def _decode(reply: Reply, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The reply as an object; one without reasons is as good, since no later prompt shows them."""
    return decode_object(reply, _without_reasons(shape))


def _without_reasons(shape: Any) -> Any:
    """`shape`, but no "why" is required in it."""
    if isinstance(shape, list):
        return [_without_reasons(item) for item in shape]
    if not isinstance(shape, Mapping):
        return shape
    lenient = {name: _without_reasons(value) for name, value in shape.items()}
    if isinstance(shape.get("required"), list):
        lenient["required"] = [name for name in shape["required"] if name != "why"]
    return lenient


def _prompt(brief: Brief, notes: Notes, form: str, shape: Mapping[str, Any], *, max_tokens: int) -> Prompt:
    version = brief.settings.prompts
    blocks = Blocks(
        guide=fill(form, version, "guide"),
        notes=notes.all().pieces,
        request=fill(form, version, "request", task=brief.task.text),
    )
    messages = arrange(brief, blocks, Order.SNIPPETS_FIRST)
    room = fitting_reply(brief.reasoning_window, messages, max_tokens)
    return Prompt(stage=Stage.SCHEMA, messages=messages, shape=shape, max_tokens=room, mark=brief.mark)


def _read_table(value: Mapping[str, Any]) -> Proposal:
    """One table as a proposal; columns without a name to tell rows apart get one."""
    name = type_name(value["table_name"])
    words = " ".join(value["table_name"].replace("_", " ").split())
    row_is = value["row_is"].strip().rstrip(".")
    return _read_proposal(
        {
            "reason": f"One record for {row_is} ({words}), with what the task needs to choose, compare and add up.",
            "record_types": [
                {
                    "name": name,
                    "meaning": f"{row_is} of the table {words!r}",
                    "why": "The task asks about these.",
                    "fields": [{**column, "options": None, "refers_to": None} for column in value["columns"]],
                }
            ],
        }
    )


def _read_proposal(value: Mapping[str, Any]) -> Proposal:
    adjustments: list[str] = []
    names = [type_name(t["name"]) for t in value["record_types"]]
    types = tuple(_record_type(t, names, adjustments) for t in value["record_types"])
    kept = tuple(t for position, t in enumerate(types) if t.fields and t.name not in names[:position])
    try:
        schema = Schema(record_types=kept)
    except SchemaError as error:
        raise ReplyError(str(error)) from error
    return Proposal(schema=schema, reason=value["reason"].strip(), adjustments=tuple(adjustments))


def _record_type(value: Mapping[str, Any], names: list[str], adjustments: list[str]) -> RecordType:
    name = type_name(value["name"])
    fields = _fields(value["fields"], names, (name,), adjustments)
    position = next((p for p, f in enumerate(fields) if isinstance(f.kind, Scalar)), None)
    if fields and position is None:
        fields = (Field(name="label", meaning=f"names the {name}", kind=Scalar()), *fields)
        adjustments.append(f"{name}: got a field that names each record.")
    elif position:
        fields = (fields[position], *fields[:position], *fields[position + 1 :])
    return RecordType(name=name, meaning=value["meaning"].strip(), fields=fields, why=_why(value))


def _why(value: Mapping[str, Any]) -> str:
    return str(value.get("why") or "").strip()


def _fields(
    values: list[Mapping[str, Any]], names: list[str], path: tuple[str, ...], adjustments: list[str]
) -> tuple[Field, ...]:
    fields: dict[str, Field] = {}
    for value in values:
        name = field_name(value["name"])
        where = ".".join((*path, name))
        if name in fields or (len(path) == 1 and name in RESERVED):
            adjustments.append(f"{where}: left out, since every record has it already or it came twice.")
            continue
        kind = read_kind(value, names, (*path, name), adjustments)
        fields[name] = Field(name=name, meaning=value["meaning"].strip(), kind=kind, why=_why(value))
    return tuple(fields.values())


def read_kind(value: Mapping[str, Any], names: list[str], path: tuple[str, ...], adjustments: list[str]) -> Kind:
    """The kind a reply names, with its options, target or fields; text where it cannot be, which is told."""
    kind = value["kind"]
    text = Scalar()
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind == "choice":
        options = tuple(dict.fromkeys(o.strip() for o in value["options"] or () if o.strip()))
        return Choice(options=options) if len(options) > 1 else _instead(path, "a choice without options", adjustments)
    if kind in ("reference", "list of references"):
        target = type_name(value["refers_to"] or "")
        if target not in names or target == path[0]:
            return _instead(path, "a reference to no other record type", adjustments)
        return ListOf(item=Reference(record_type=target)) if "list" in kind else Reference(record_type=target)
    if kind == "list of text":
        return ListOf(item=text)
    inner = _fields(value.get("fields") or [], names, path, adjustments)
    if not inner:
        return _instead(path, "a group without fields", adjustments)
    return ListOf(item=Group(fields=inner)) if "list" in kind else Group(fields=inner)


_SCALARS = {scalar.value: Scalar(of=scalar) for scalar in ScalarType}


def _instead(path: tuple[str, ...], was: str, adjustments: list[str]) -> Scalar:
    adjustments.append(f"{'.'.join(path)}: {was} became text.")
    return Scalar()

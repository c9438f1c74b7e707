"""A schema as files for use elsewhere, with all it says, so that it can be read back: `schema_json`, `schema_python`.

What JSON Schema has no word for stands under "x-why", "x-refers-to" and "x-kind"; what Pydantic has none for, under the
same names without the x in `json_schema_extra`.
"""

import json
from collections.abc import Iterator
from typing import Any

from r3con_core.schema.views import json_schema
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType, Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PYTHON_TYPES = {
    ScalarType.TEXT: "str",
    ScalarType.NUMBER: "float",
    ScalarType.INTEGER: "int",
    ScalarType.YES_NO: "bool",
    ScalarType.DATE: "str",
}


def json_schema_file(schema: Schema) -> dict[str, Any]:
    """The JSON Schema of one document's records, with what people and programs elsewhere need beside."""
    shape = json_schema(schema)
    for record_type in schema.record_types:
        items = shape["properties"][record_type.name]["items"]
        items |= {"title": record_type.name, "description": record_type.meaning}
        items |= {"x-why": record_type.why} if record_type.why else {}
        _annotate(items["properties"], record_type.fields)
    return {"$schema": DIALECT, "title": "The records of one document", **shape}


def _annotate(properties: dict[str, Any], fields: tuple[Field, ...]) -> None:
    for field in fields:
        node = properties[field.name]
        node |= {"x-why": field.why} if field.why else {}
        kind = field.kind
        if isinstance(kind, ListOf):
            kind, node = kind.item, node["items"]
        node |= {f"x-{name}": value for name, value in _said_beside(kind).items()}
        if isinstance(kind, Group):
            _annotate(node["properties"], kind.fields)


def _said_beside(kind: Kind) -> dict[str, str]:
    """What the plain types of either language do not tell apart."""
    match kind:
        case Reference(record_type=name):
            return {"refers-to": name}
        case Scalar(of=ScalarType.DATE):
            return {"kind": "date"}
        case _:
            return {}


def pydantic_source(schema: Schema) -> str:
    """The schema as Pydantic classes; this product never runs it."""
    names = _Names()
    blocks = [block for t in schema.record_types for block in _classes(names, names.of((t.name,)), t, (t.name,))]
    lists = [f"    {t.name}: list[{names.of((t.name,))}]" for t in schema.record_types]
    parse = "\n".join([f"class {names.of(())}(BaseModel):", '    """All records of one document."""', "", *lists])
    head = "from typing import Literal\n\nfrom pydantic import BaseModel, ConfigDict, Field"
    return "\n\n\n".join([head, *blocks, parse]) + "\n"


class _Names:
    """A class name for each record type and group, no two alike."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], str] = {}

    def of(self, path: tuple[str, ...]) -> str:
        """The class of the node at `path`; () is the class that holds them all."""
        if path not in self._known:
            wished = "".join(part[:1].upper() + part[1:] for name in path for part in name.split("_")) or "Parse"
            taken = {*self._known.values(), "BaseModel", "ConfigDict", "Field", "Literal"}
            tries = (wished if number == 1 else f"{wished}{number}" for number in range(1, len(taken) + 2))
            self._known[path] = next(name for name in tries if name not in taken)
        return self._known[path]


def _classes(names: _Names, name: str, node: RecordType | Field, path: tuple[str, ...]) -> Iterator[str]:
    """The classes that `node` needs, innermost first, each as one block of source."""
    fields = node.fields if isinstance(node, RecordType) else _group(node.kind)
    lines = [f"class {name}(BaseModel):"]
    if node.meaning:
        lines += [f"    {_text(node.meaning)}", ""]
    if isinstance(node, RecordType) and node.why:
        lines += [f"    model_config = ConfigDict(json_schema_extra={_text({'why': node.why})})", ""]
    for field in fields:
        inner = (*path, field.name)
        if _group(field.kind):
            yield from _classes(names, names.of(inner), field, inner)
        lines.append(f"    {field.name}: {_python_type(names, field.kind, inner)} = {_field_call(field)}")
    yield "\n".join(lines)


def _group(kind: Kind) -> tuple[Field, ...]:
    item = kind.item if isinstance(kind, ListOf) else kind
    return item.fields if isinstance(item, Group) else ()


def _field_call(field: Field) -> str:
    item = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    beside = {name.replace("-", "_"): value for name, value in _said_beside(item).items()}
    beside |= {"why": field.why} if field.why else {}
    extra = f", json_schema_extra={_text(beside)}" if beside else ""
    return f"Field(description={_text(field.meaning)}{extra})"


def _text(value: str | dict[str, str]) -> str:
    """As JSON writes it, which for text, and for objects of text, is as Python does."""
    return json.dumps(value, ensure_ascii=False)


def _python_type(names: _Names, kind: Kind, path: tuple[str, ...]) -> str:
    match kind:
        case Scalar(of=of):
            return f"{_PYTHON_TYPES[of]} | None"
        case Choice(options=options):
            return f"Literal[{', '.join(map(_text, options))}] | None"
        case Reference():
            return "str | None"
        case Group():
            return names.of(path)
        case ListOf(item=item):
            return f"list[{_python_type(names, item, path).removesuffix(' | None')}]"

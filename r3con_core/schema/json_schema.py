"""A schema read from JSON Schema text: ours, or any that describes objects. Nothing outside the text is looked up."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from r3con_core.errors import SchemaError
from r3con_core.schema.found import Finder, Found, check_length
from r3con_core.schemas import MAX_DEPTH, Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType

Node = Mapping[str, Any]
Item = Scalar | Choice | Reference | Group
"""Any kind but a list."""
_MOST_REFERENCES = 20
"""That lead from one to the next."""
_SCALARS = {
    "string": ScalarType.TEXT,
    "number": ScalarType.NUMBER,
    "integer": ScalarType.INTEGER,
    "boolean": ScalarType.YES_NO,
}
_DATES = ("date", "date-time")


def read_json_schema(text: str) -> Found:
    """The schema that a JSON Schema describes; SchemaError with line or path where it cannot be one.

    An object whose properties are all lists of objects has a record type for each; another object is one record type.
    """
    check_length(text)
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        raise SchemaError(f"line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise SchemaError("this is nested too deep to be read") from error
    except ValueError as error:
        raise SchemaError("this holds a number with too many digits to be read") from error
    if not isinstance(root, dict):
        raise SchemaError("a JSON Schema is an object in braces")
    return _Reader(root).read()


class _Reader:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._find = Finder()

    def read(self) -> Found:
        return self._find.schema(self._record_type(name, node) for name, node in self._roots())

    def _roots(self) -> Iterator[tuple[str, Node]]:
        """What becomes a record type, with its name."""
        root = self._follow(self._root, "the schema")
        if _types(root) == ["array"]:
            yield _name_of(root, "Record"), self._follow(root.get("items"), "items")
            return
        properties = _mapping(root.get("properties"))
        if not properties:
            definitions = {**_mapping(root.get("definitions")), **_mapping(root.get("$defs"))}
            for name, node in definitions.items():
                if _mapping(_mapping(node).get("properties")):
                    yield name, self._follow(node, name)
            return
        lists = {name: self._items(node, name) for name, node in properties.items()}
        if all(item is not None for item in lists.values()):
            yield from ((name, item) for name, item in lists.items() if item is not None)
            return
        yield _name_of(root, "Record"), root

    def _items(self, node: Any, where: str) -> Node | None:
        """What a list of objects holds; None for anything else."""
        found = self._follow(node, where)
        items = self._follow(found.get("items"), where) if _types(found) == ["array"] else {}
        return items if _mapping(items.get("properties")) else None

    def _follow(self, node: Any, where: str) -> Node:
        """What a node says, past references within the text and past "or null"."""
        for _ in range(_MOST_REFERENCES):
            found = _mapping(node)
            if isinstance(found.get("$ref"), str):
                node = {**_mapping(self._point(found["$ref"], where)), **_without(found, "$ref")}
                continue
            only = _only_one(found)
            if only is None:
                return found
            node = {**_mapping(only), **_without(found, "anyOf", "oneOf", "allOf")}
        raise SchemaError("its references lead from one to the next without end", (where,))

    def _point(self, reference: str, where: str) -> Any:
        if not reference.startswith("#"):
            raise SchemaError(f"it refers to {reference[:60]!r}, outside this text", (where,))
        node: Any = self._root
        for step in filter(None, reference[1:].split("/")):
            node = _mapping(node).get(step.replace("~1", "/").replace("~0", "~"))
            if node is None:
                raise SchemaError(f"it refers to {reference[:60]!r}, which is not there", (where,))
        return node

    def _record_type(self, name: str, node: Node) -> RecordType | None:
        fields = self._fields(node, name, depth=1)
        made = RecordType(name=name, meaning=_text(node, "description"), fields=fields, why=_text(node, "x-why"))
        return self._find.record_type(name, made)

    def _fields(self, node: Node, where: str, *, depth: int) -> tuple[Field, ...]:
        named = _mapping(node.get("properties")).items()
        found = (self._field(name, value, f"{where}.{name}", depth=depth) for name, value in named)
        return self._find.fields(found, where, of_type=depth == 1)

    def _field(self, name: str, value: Any, where: str, *, depth: int) -> Field:
        node = self._follow(value, where)
        kind = self._list(node, where, depth) if _types(node) == ["array"] else self._kind(node, where, depth)
        return Field(name=name, meaning=_text(node, "description"), kind=kind, why=_text(node, "x-why"))

    def _list(self, node: Node, where: str, depth: int) -> Kind:
        if "items" not in node:
            self._find.as_text(where, "a list of anything")
            return ListOf(item=Scalar())
        return ListOf(item=self._kind(self._follow(node["items"], where), where, depth))

    def _kind(self, node: Node, where: str, depth: int) -> Item:
        """Anything but a list."""
        if isinstance(node.get("x-refers-to"), str):
            return Reference(record_type=node["x-refers-to"])
        if words := _words(node):
            return self._find.choice(words, where)
        if _mapping(node.get("properties")):
            if depth >= MAX_DEPTH:
                return self._find.as_text(where, f"a group more than {MAX_DEPTH} deep")
            return self._group(node, where, depth)
        types = _types(node)
        if len(types) == 1 and types[0] in _SCALARS:
            is_date = node.get("format") in _DATES or node.get("x-kind") == "date"
            return Scalar(of=ScalarType.DATE if types[0] == "string" and is_date else _SCALARS[types[0]])
        was = " or ".join(types)[:60] or "what has no type"
        return self._find.as_text(where, f"{was}, which has no like here,")

    def _group(self, node: Node, where: str, depth: int) -> Item:
        fields = self._fields(node, where, depth=depth + 1)
        return Group(fields=fields) if fields else self._find.as_text(where, "a group without fields")


def _mapping(value: Any) -> Node:
    return value if isinstance(value, dict) else {}


def _without(node: Node, *names: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name not in names}


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _types(node: Node) -> list[str]:
    """What a value may be, beside null."""
    return [one for one in _several(node.get("type")) if isinstance(one, str) and one != "null"]


def _only_one(node: Node) -> Any:
    """The one possibility that "anyOf" and the like leave beside null; None where they leave more, or are not there."""
    for word in ("anyOf", "oneOf", "allOf"):
        left = [one for one in _several(node.get(word)) if _mapping(one).get("type") != "null"]
        if len(left) == 1:
            return left[0]
    return None


def _words(node: Node) -> tuple[str, ...]:
    """The words of an enumeration, however it is written; empty where it is none of words."""
    options = [one for one in _several(node.get("enum")) if one is not None]
    options = options or [_mapping(one).get("const") for one in _several(node.get("oneOf") or node.get("anyOf"))]
    return tuple(options) if options and all(isinstance(one, str) for one in options) else ()


def _text(node: Node, name: str) -> str:
    value = node.get(name)
    return value if isinstance(value, str) else ""


def _name_of(node: Node, otherwise: str) -> str:
    return _text(node, "title") or otherwise

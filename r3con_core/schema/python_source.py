"""A schema read from the source text of Pydantic classes or dataclasses. The text is parsed, and never executed."""

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from r3con_core.errors import SchemaError
from r3con_core.schema.found import Finder, Found, check_length
from r3con_core.schemas import MAX_DEPTH, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType

_SCALARS = {
    "str": ScalarType.TEXT,
    "int": ScalarType.INTEGER,
    "float": ScalarType.NUMBER,
    "Decimal": ScalarType.NUMBER,
    "bool": ScalarType.YES_NO,
    "date": ScalarType.DATE,
    "datetime": ScalarType.DATE,
}
_LISTS = frozenset({"list", "List", "tuple", "Tuple", "set", "Set", "frozenset", "Sequence", "Iterable"})
_ENUMS = frozenset({"Enum", "StrEnum"})
_DEEPEST = 12
"""Levels of an annotation."""


def read_python(text: str) -> Found:
    """The schema that classes with annotations describe; SchemaError with its line where it cannot be one.

    A class of lists of classes has a record type for each of its fields; else each class that no other holds is one.
    """
    check_length(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return _Reader(ast.parse(text)).read()
    except SyntaxError as error:
        raise SchemaError(f"line {error.lineno or 1}: this is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SchemaError(
            "this cannot be read as Python: it is nested too deep, or holds what no source does"
        ) from error


@dataclass(slots=True, kw_only=True)
class _Class:
    """One class of the text."""

    name: str
    meaning: str
    why: str
    fields: dict[str, ast.AnnAssign] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    """Of an enumeration."""
    bases: tuple[str, ...] = ()


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._classes = {node.name: _class_of(node) for node in nodes}
        self._find = Finder()

    def read(self) -> Found:
        roots = dict(self._roots())
        if not roots:
            raise SchemaError("no class with annotated fields was found here")
        self._root_names = {of: called for called, of in roots.items()}
        return self._find.schema([self._record_type(called, of) for called, of in roots.items()])

    def _roots(self) -> Iterator[tuple[str, str]]:
        """What becomes a record type: its name, and its class."""
        models = [name for name, one in self._classes.items() if self._fields_of(name) and not one.words]
        held = {name: self._held_by(name) - {name} for name in models}
        inside = set().union(*held.values()) if held else set()
        free = [name for name in models if name not in inside]
        for name in free or models[:1]:
            lists = {called: self._list_of_class(node) for called, node in self._fields_of(name).items()}
            if all(lists.values()):
                yield from ((called, of) for called, of in lists.items() if of)
            else:
                yield name, name

    def _fields_of(self, name: str, seen: set[str] | None = None) -> dict[str, ast.AnnAssign]:
        """The annotated fields of a class, those it inherits within the text first, each class's once; `seen` grows."""
        seen = set() if seen is None else seen
        one = self._classes.get(name)
        if one is None or name in seen:
            return {}
        seen.add(name)
        inherited: dict[str, ast.AnnAssign] = {}
        for base in one.bases:
            inherited |= self._fields_of(base, seen)
        return inherited | one.fields

    def _held_by(self, name: str) -> set[str]:
        """The classes that fields of a class name, and those it is derived from."""
        nodes = [node for one in self._fields_of(name).values() for node in ast.walk(one.annotation)]
        named = {node.id for node in nodes if isinstance(node, ast.Name)}
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        named |= {text for text in texts if text in self._classes}
        return (named | set(self._classes[name].bases)) & set(self._classes)

    def _list_of_class(self, node: ast.AnnAssign) -> str | None:
        match _unquoted(node.annotation):
            case ast.Subscript(value=of, slice=item) if _name_of(of) in _LISTS:
                name = _name_of(_unquoted(item))
                return name if name in self._classes and self._fields_of(name) else None
            case _:
                return None

    def _record_type(self, called: str, of: str) -> RecordType | None:
        one = self._classes[of]
        fields = self._fields(of, (of,), called)
        return self._find.record_type(called, RecordType(name=called, meaning=one.meaning, fields=fields, why=one.why))

    def _fields(self, of: str, within: tuple[str, ...], where: str) -> tuple[Field, ...]:
        """The fields of a class; `within` are the classes around it, itself the last."""
        found = (self._field(name, node, within, f"{where}.{name}") for name, node in self._fields_of(of).items())
        return self._find.fields(found, where, of_type=len(within) == 1)

    def _field(self, name: str, node: ast.AnnAssign, within: tuple[str, ...], where: str) -> Field:
        said = _said(node)
        kind = _Kinds(reader=self, finder=self._find, within=within, where=where).of(node.annotation)
        many, item = isinstance(kind, ListOf), kind.item if isinstance(kind, ListOf) else kind
        if said.refers_to:
            item = Reference(record_type=said.refers_to)
        elif said.kind == "date" and item == Scalar():
            item = Scalar(of=ScalarType.DATE)
        assert not isinstance(item, ListOf), "a list in a list became text"
        meaning = said.description
        if meaning is None:
            held = _name_of(_bare(node.annotation))
            meaning = self._classes[held].meaning if isinstance(item, Group) and held in self._classes else ""
        return Field(name=name, meaning=meaning, kind=ListOf(item=item) if many else item, why=said.why)

    def class_kind(self, name: str, within: tuple[str, ...], where: str) -> Kind:
        """What a field of this class is: a choice of words, a group, or a reference where it leads back."""
        if words := self._classes[name].words:
            return self._find.choice(words, where)
        if name in within or (name in self._root_names and self._fields_of(name)):
            called = self._root_names.get(name)
            return Reference(record_type=called) if called else self._find.as_text(where, f"{name} within itself")
        if len(within) >= MAX_DEPTH:
            return self._find.as_text(where, f"a group more than {MAX_DEPTH} deep")
        fields = self._fields(name, (*within, name), where)
        return Group(fields=fields) if fields else self._find.as_text(where, f"{name}, which has no fields,")

    def knows(self, name: str) -> bool:
        """Whether the text has a class of that name."""
        return name in self._classes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kinds:
    """Reads the annotation of one field."""

    reader: _Reader
    finder: Finder
    within: tuple[str, ...]
    where: str

    def of(self, node: ast.expr, depth: int = 0) -> Kind:
        if depth > _DEEPEST:
            return self._text(node)
        node = _unquoted(node)
        match node:
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.BinOp(op=ast.BitOr()):
                return self._one_of(_united(node), node, depth)
            case ast.Subscript(value=value, slice=inside):
                return self._subscript(_name_of(value), _parts(inside), node, depth)
            case _:
                return self._text(node)

    def _named(self, node: ast.expr) -> Kind:
        name = _name_of(node)
        if name in _SCALARS and not self.reader.knows(name):
            return Scalar(of=_SCALARS[name])
        if self.reader.knows(name):
            return self.reader.class_kind(name, self.within, self.where)
        return ListOf(item=self._text(node)) if name in _LISTS else self._text(node)

    def _subscript(self, name: str, parts: list[ast.expr], node: ast.expr, depth: int) -> Kind:
        if name in ("Optional", "Union"):
            return self._one_of(parts, node, depth)
        if name in ("Annotated", "Required", "Final") and parts:
            return self.of(parts[0], depth + 1)
        if name == "Literal":
            words = [part.value for part in parts if isinstance(part, ast.Constant) and part.value is not None]
            texts = [word for word in words if isinstance(word, str)]
            return self.finder.choice(texts, self.where) if len(texts) == len(words) else self._text(node)
        if name in _LISTS and parts:
            item = self.of(parts[0], depth + 1)
            return ListOf(item=self.finder.as_text(self.where, "a list of lists") if isinstance(item, ListOf) else item)
        return self._text(node)

    def _one_of(self, parts: list[ast.expr], node: ast.expr, depth: int) -> Kind:
        left = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
        return self.of(left[0], depth + 1) if len(left) == 1 else self._text(node)

    def _text(self, node: ast.expr) -> Scalar:
        return self.finder.as_text(f"{self.where} (line {node.lineno})", f"{ast.unparse(node)[:60]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What the call of `Field` beside an annotation says."""

    description: str | None = None
    """None where it says nothing."""
    refers_to: str = ""
    kind: str = ""
    why: str = ""


def _said(node: ast.AnnAssign) -> _Said:
    calls = [one for one in (node.value, *_annotations(node.annotation)) if isinstance(one, ast.Call)]
    for call in calls:
        if _name_of(call.func) in ("Field", "field"):
            words = {word.arg: word.value for word in call.keywords}
            extra = _texts(words.get("json_schema_extra") or words.get("metadata"))
            described = words.get("description")
            return _Said(
                description=_constant(described) if described is not None else None,
                refers_to=extra.get("refers_to", ""),
                kind=extra.get("kind", ""),
                why=extra.get("why", ""),
            )
    return _Said()


def _annotations(node: ast.expr) -> list[ast.expr]:
    """What stands beside the type in `Annotated[type, ...]`."""
    match node:
        case ast.Subscript(value=value, slice=inside) if _name_of(value) == "Annotated":
            return _parts(inside)[1:]
        case _:
            return []


def _texts(node: ast.expr | None) -> Mapping[str, str]:
    """A dictionary of texts as it is written out."""
    if not isinstance(node, ast.Dict):
        return {}
    pairs = ((_constant(key), _constant(value)) for key, value in zip(node.keys, node.values, strict=True) if key)
    return {key: value for key, value in pairs if key is not None and value is not None}


def _constant(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _class_of(node: ast.ClassDef) -> _Class:
    bases = tuple(_name_of(base) for base in node.bases)
    annotated = {
        line.target.id: line
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and not line.target.id.startswith("_")
    }
    assigned = [(line.targets[0], line.value) for line in node.body if isinstance(line, ast.Assign)]
    words = tuple(text for _, value in assigned if (text := _constant(value)) is not None)
    return _Class(
        name=node.name,
        meaning=_docstring(node),
        why=next((why for target, value in assigned if (why := _why(target, value))), ""),
        fields=annotated,
        words=words if _ENUMS & set(bases) else (),
        bases=bases,
    )


def _why(target: ast.expr, value: ast.expr) -> str:
    """The reason that our own files keep in a class's configuration."""
    if _name_of(target) != "model_config" or not isinstance(value, ast.Call):
        return ""
    extra = next((word.value for word in value.keywords if word.arg == "json_schema_extra"), None)
    return _texts(extra).get("why", "")


def _docstring(node: ast.ClassDef) -> str:
    """Word for word where it is on one line of the source; else as one line."""
    match node.body[0]:
        case ast.Expr(value=ast.Constant(value=str(text)) as said):
            return text if said.lineno == said.end_lineno else " ".join(text.split())
        case _:
            return ""


def _unquoted(node: ast.expr) -> ast.expr:
    """A type that is written as text, as a type."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return node
    try:
        return ast.copy_location(ast.parse(node.value, mode="eval").body, node)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return node


def _bare(node: ast.expr) -> ast.expr:
    """The one type inside lists and "or None"."""
    node = _unquoted(node)
    match node:
        case ast.Subscript(slice=inside) if parts := _parts(inside):
            return _bare(parts[0])
        case ast.BinOp(left=left):
            return _bare(left)
        case _:
            return node


def _united(node: ast.expr) -> list[ast.expr]:
    """The types of `A | B | C`, read without recursion: a text may have thousands."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""

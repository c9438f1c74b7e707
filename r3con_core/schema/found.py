"""A schema as it is found in a text of another language, made valid: what had to be changed for that is told."""

import keyword
from collections.abc import Iterable
from dataclasses import dataclass, replace

from r3con_core.errors import SchemaError
from r3con_core.schema.names import field_name, type_name
from r3con_core.schemas import (
    MAX_NAME,
    MAX_OPTIONS,
    RESERVED,
    Choice,
    Field,
    Group,
    Kind,
    ListOf,
    RecordType,
    Reference,
    Scalar,
    Schema,
)

MOST_LETTERS = 400_000
MOST_FIELDS = 600
"""In one text: shared definitions that use each other can stand for millions."""
MOST_TYPES = 60
ABOUT_RECORD = frozenset({"quotes", "said_by", "certainty"})
"""What our own files hold of every record; it is passed over in silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A schema that was read from a text."""

    schema: Schema
    adjustments: tuple[str, ...]
    """What had to be changed to make it valid, in plain sentences."""


def check_length(text: str) -> None:
    """SchemaError for a text that no schema needs."""
    if len(text) > MOST_LETTERS:
        raise SchemaError(f"this is {len(text):,} characters long; a schema has {MOST_LETTERS:,} at most")


class Finder:
    """Takes what a reader finds, place by place, and makes it a schema."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._fields = 0
        self._names: dict[str, str] = {}
        """What the text calls a record type, and what it is called here."""

    def tell(self, where: str, what: str) -> None:
        """Something had to be changed."""
        self._told.append(f"{where}: {what}")

    def as_text(self, where: str, was: str) -> Scalar:
        """What cannot be kept as it is becomes text, which is told."""
        self.tell(where, f"{was} became text.")
        return Scalar()

    def choice(self, options: Iterable[str], where: str) -> Choice | Scalar:
        """A choice of these words, or text where they make none."""
        words = tuple(dict.fromkeys(option for option in options if option.strip()))
        if not 2 <= len(words) <= MAX_OPTIONS:
            return self.as_text(where, f"a choice of {len(words)} words")
        return Choice(options=words)

    def fields(self, found: Iterable[Field], where: str, *, of_type: bool) -> tuple[Field, ...]:
        """Fields with names that can be, each once; SchemaError when there are too many in all."""
        kept: dict[str, Field] = {}
        for field in found:
            self._fields += 1
            if self._fields > MOST_FIELDS:
                raise SchemaError(f"this has more than {MOST_FIELDS} fields; take a part of it")
            if of_type and field.name in ABOUT_RECORD:
                continue
            name = self._usable(field.name, f"{where}.{field.name}", field_name(field.name))
            if name.casefold() in kept or (of_type and name in RESERVED):
                self.tell(f"{where}.{name}", "left out, since every record has it already or it came twice.")
                continue
            kept[name.casefold()] = replace(field, name=name)
        return tuple(kept.values())

    def record_type(self, called: str, node: RecordType) -> RecordType | None:
        """`node` with a name that can be and a first field that names a record; None where it has no fields."""
        name = self._usable(node.name, node.name, type_name(node.name))
        self._names[called] = name
        if not node.fields:
            self.tell(name, "left out, since it has no fields.")
            return None
        place = next((p for p, field in enumerate(node.fields) if isinstance(field.kind, Scalar)), None)
        fields = node.fields
        if place is None:
            taken = {field.name.casefold() for field in fields}
            label = next(one for one in ("label", "name_of_record", "label_of_record") if one not in taken)
            fields = (Field(name=label, meaning=f"names the {name}", kind=Scalar()), *fields)
            self.tell(name, "got a field that names each record.")
        elif place:
            fields = (fields[place], *fields[:place], *fields[place + 1 :])
            self.tell(f"{name}.{fields[0].name}", "came first, since the first field names a record.")
        return replace(node, name=name, fields=fields)

    def _usable(self, name: str, where: str, otherwise: str) -> str:
        usable = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
        if usable and len(name) <= MAX_NAME:
            return name
        called = (name if usable else otherwise)[:MAX_NAME]
        self.tell(where[:80], f"is called {called} here.")
        return called

    def schema(self, found: Iterable[RecordType | None]) -> Found:
        """All record types together; SchemaError when there is none, or they cannot be put right."""
        types: dict[str, RecordType] = {}
        for record_type in found:
            if record_type is None:
                continue
            if record_type.name.casefold() in types:
                self.tell(record_type.name, "left out, since it came twice.")
                continue
            types[record_type.name.casefold()] = record_type
        if not types:
            raise SchemaError("no record type was found here: nothing in it has fields")
        if len(types) > MOST_TYPES:
            raise SchemaError(f"this has more than {MOST_TYPES} record types; take a part of it")
        names = {record_type.name for record_type in types.values()}
        settled = tuple(
            replace(t, fields=tuple(self._settle(field, names, t.name) for field in t.fields)) for t in types.values()
        )
        return Found(schema=Schema(record_types=settled), adjustments=tuple(dict.fromkeys(self._told)))

    def _settle(self, field: Field, names: set[str], where: str) -> Field:
        """`field` with references that lead somewhere."""
        here = f"{where}.{field.name}"
        match field.kind:
            case Reference() | ListOf(item=Reference()):
                return replace(field, kind=self._reference(field.kind, names, here))
            case Group(fields=inner):
                return replace(field, kind=Group(fields=tuple(self._settle(one, names, here) for one in inner)))
            case ListOf(item=Group(fields=inner)):
                group = Group(fields=tuple(self._settle(one, names, here) for one in inner))
                return replace(field, kind=ListOf(item=group))
            case _:
                return field

    def _reference(self, kind: Kind, names: set[str], where: str) -> Kind:
        many = isinstance(kind, ListOf)
        item = kind.item if isinstance(kind, ListOf) else kind
        assert isinstance(item, Reference), "only references are settled"
        target = self._names.get(item.record_type, item.record_type)
        known: Scalar | Reference = Reference(record_type=target)
        if target not in names:
            known = self.as_text(where, "a reference to no record type")
        return ListOf(item=known) if many else known

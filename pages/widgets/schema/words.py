"""A schema and its edits in plain words, and kinds of field as people choose them. Nothing here draws."""

from dataclasses import dataclass
from typing import assert_never

from r3con_core.errors import SchemaError
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Explain,
    Move,
    Nest,
    Path,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
)
from r3con_core.schemas import (
    Choice,
    Field,
    Group,
    Kind,
    ListOf,
    Reference,
    Scalar,
    ScalarType,
    inner_fields,
    kind_name,
)

CHOICE, REFERENCE, GROUP = "choice", "reference", "group"
KINDS = {
    ScalarType.TEXT.value: "Text",
    ScalarType.NUMBER.value: "Number",
    ScalarType.INTEGER.value: "Whole number",
    ScalarType.YES_NO.value: "Yes or no",
    ScalarType.DATE.value: "Date",
    CHOICE: "Choice of words",
    REFERENCE: "Reference",
    GROUP: "Group of fields",
}
"""Every kind a field, or one item of its list, can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindChoice:
    """A kind as a person fills it in."""

    kind: str
    """One of `KINDS`."""
    many: bool = False
    options: str = ""
    """Of a choice, one a line."""
    target: str = ""
    """The record type a reference leads to."""
    first: str = ""
    """The name of a new group's first field."""


def choice_of(kind: Kind) -> KindChoice:
    """How `kind` is filled in."""
    many, item = isinstance(kind, ListOf), kind.item if isinstance(kind, ListOf) else kind
    match item:
        case Scalar(of=of):
            return KindChoice(kind=of.value, many=many)
        case Choice(options=options):
            return KindChoice(kind=CHOICE, many=many, options="\n".join(options))
        case Reference(record_type=name):
            return KindChoice(kind=REFERENCE, many=many, target=name)
        case Group():
            return KindChoice(kind=GROUP, many=many)
        case ListOf():
            raise AssertionError("a list holds no lists")
        case unreachable:
            assert_never(unreachable)


def kind_of(choice: KindChoice, kept: tuple[Field, ...] = ()) -> Kind:
    """The kind that was filled in; a group holds the fields `kept`, or its first field when there are none."""
    item: Scalar | Choice | Reference | Group
    match choice.kind:
        case "choice":
            item = Choice(options=tuple(line.strip() for line in choice.options.splitlines() if line.strip()))
        case "reference":
            if not choice.target:
                raise SchemaError("choose the record type it refers to")
            item = Reference(record_type=choice.target)
        case "group":
            if not kept and not choice.first.strip():
                raise SchemaError("a group needs a first field: give its name")
            item = Group(fields=kept or (Field(name=choice.first.strip(), meaning="", kind=Scalar()),))
        case scalar:
            item = Scalar(of=ScalarType(scalar))
    return ListOf(item=item) if choice.many else item


def kind_in_words(kind: Kind) -> str:
    """The kind as the tree and the diagram show it."""
    match kind:
        case Scalar(of=of):
            return KINDS[of.value].lower()
        case ListOf(item=Reference() as item):
            return f"{kind_name(item)} (list)"
        case ListOf(item=item):
            return f"list of {kind_in_words(item)}"
        case _:
            return kind_name(kind)


def lost_by(before: Kind, after: str) -> int:
    """How many fields go when a field of the kind `before` becomes one of the kind called `after`."""
    return 0 if after == GROUP else len(inner_fields(before))


def dotted(path: Path) -> str:
    """A path as people read it."""
    return ".".join(path)


def edit_in_words(edit: SchemaEdit) -> str:  # noqa: C901 - one case per kind of edit
    """What an edit did, in the past tense, for the history."""
    match edit:
        case AddRecordType(record_type=record_type):
            return f"Added the record type {record_type.name}"
        case AddField(parent=parent, field=field):
            return f"Added {dotted((*parent, field.name))} ({kind_in_words(field.kind)})"
        case Rename(path=path, name=name):
            return f"Renamed {dotted(path)} to {name}"
        case Describe(path=path):
            return f"Described {dotted(path)} anew"
        case Explain(path=path):
            return f"Gave another reason for {dotted(path)}"
        case Retype(path=path, kind=kind):
            return f"Made {dotted(path)}: {kind_in_words(kind)}"
        case Move(path=path, index=index):
            return f"Moved {dotted(path)} to place {index + 1}"
        case Nest(path=path, parent=parent):
            return f"Put {dotted(path)} into {dotted(parent)}"
        case Remove(path=path):
            return f"Removed {dotted(path)}"
        case unreachable:
            assert_never(unreachable)


def fault_in_words(error: SchemaError, path: Path) -> str:
    """What is wrong with an edit made at `path`, as a sentence; where, when it is somewhere else."""
    elsewhere = error.path and error.path != path
    text = f"{dotted(error.path)}: {error.fault}" if elsewhere else error.fault[:1].upper() + error.fault[1:]
    return f"{text}. Nothing has been changed."

"""A schema changed by a sentence: the model turns what the analyst wants into edits, which the analyst takes or refuses.

One flat form for every edit, since a small model fills that where it fails at nested ones.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from r3con_core.errors import ReplyError, SchemaError
from r3con_core.exchange import Exchange, Message, Prompt, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.layout import Blocks, Order, arrange, fitting_reply, types_block
from r3con_core.method.marks import one_line, without_mark
from r3con_core.method.prompts import fill
from r3con_core.method.reading import MAX_ATTEMPTS, ask_until_read, decode_object
from r3con_core.method.schema import KINDS, read_kind
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Path,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
    edit_schema,
)
from r3con_core.schema.history import places
from r3con_core.schema.names import field_name, type_name
from r3con_core.schemas import Field, RecordType, Scalar, Schema

MAX_EDITS = 12
MOST_PLACES = 60
"""More are not offered as a list to choose from: endpoints take small ones."""
_ADD_TYPE = "add record type"
_DO = ["add field", "rename", "describe", "change kind", "remove"]
_FLAT_KINDS = [kind for kind in KINDS if "group" not in kind]
_SMALL_KINDS = ["text", "number", "integer", "yes-no", "date"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What the model would change."""

    edits: tuple[SchemaEdit, ...]
    """Each valid after those before it."""
    reason: str
    told: tuple[str, ...]
    """What of its reply could not be carried out, or only otherwise, in plain sentences."""


def revision_shape(schema: Schema, *, small: bool) -> dict[str, Any]:
    """The JSON schema of a reply; a small model chooses places from a list and adds no record types."""
    named = [".".join(path) for path in places(schema)]
    where: dict[str, Any] = {"type": ["string", "null"]}
    if small and len(named) <= MOST_PLACES:
        where["enum"] = [*named, None]
    maybe = {"type": ["string", "null"]}
    properties = {
        "do": {"type": "string", "enum": _DO if small else [*_DO, _ADD_TYPE]},
        "where": where,
        "name": maybe,
        "meaning": maybe,
        "why": maybe,
        "kind": {"type": ["string", "null"], "enum": [*(_SMALL_KINDS if small else _FLAT_KINDS), None]},
        "options": {"type": ["array", "null"], "items": {"type": "string"}},
        "refers_to": maybe,
    }
    edits = {"type": "array", "items": _object(properties), "maxItems": MAX_EDITS}
    return _object({"reason": {"type": "string"}, "edits": edits})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def revise_schema(brief: Brief, schema: Schema, wish: str) -> Exchange[Revision]:
    """The edits that the model makes of a wish. Those that cannot be go back to it once, with why."""
    shape = revision_shape(schema, small=brief.settings.small_reasoner)
    prompt = _prompt(brief, schema, wish, shape)
    read = partial(decode_object, shape=shape)
    reply = yield from ask_until_read(prompt, read)
    first = _Reader(schema=schema, told=[], faults=[]).read(reply)
    if not first.faults:
        return first.revision
    again = replace(prompt, attempt=MAX_ATTEMPTS + 1, messages=(*prompt.messages, *_sent_back(brief, reply, first)))
    try:
        second = _Reader(schema=schema, told=[], faults=[]).read(read((yield again)))
    except ReplyError:
        return first.revision
    return second.revision if len(second.faults) <= len(first.faults) else first.revision


def _prompt(brief: Brief, schema: Schema, wish: str, shape: Mapping[str, Any]) -> Prompt:
    small, version = brief.settings.small_reasoner, brief.settings.prompts
    kinds = ", ".join(_SMALL_KINDS if small else _FLAT_KINDS)
    blocks = Blocks(
        guide=fill("revise", version, "guide", types=not small, kinds=kinds),
        material=types_block(brief, schema.record_types),
        request=fill("revise", version, "request", task=brief.task.text, wish=one_line(wish, brief.mark)),
    )
    messages = arrange(brief, blocks, Order.SNIPPETS_FIRST)
    room = fitting_reply(brief.reasoning_window, messages, 900)
    return Prompt(stage=Stage.SCHEMA, messages=messages, shape=shape, max_tokens=room, mark=brief.mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    revision: Revision
    faults: tuple[str, ...]


def _sent_back(brief: Brief, reply: Mapping[str, Any], read: _Read) -> tuple[Message, ...]:
    faults = "\n".join(f"- {one_line(fault, brief.mark)}" for fault in read.faults)
    told = fill("revise", brief.settings.prompts, "again", fence=brief.mark, faults=faults)
    said = without_mark(json.dumps(reply, ensure_ascii=False), brief.mark)
    return Message(role="assistant", pieces=(said,)), Message(role="user", pieces=(told,))


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Goes through a reply edit by edit, each on the schema that those before it made."""

    schema: Schema
    told: list[str]
    faults: list[str]

    def read(self, reply: Mapping[str, Any]) -> _Read:
        edits: list[SchemaEdit] = []
        said = list(reply["edits"])
        while said:
            one = said.pop(0)
            try:
                edit = self._type(one, said) if one["do"] == _ADD_TYPE else self._edit(one)
                self.schema = edit_schema(self.schema, edit)
            except SchemaError as error:
                self.faults.append(f"{one['do']} {one['where'] or one['name'] or ''}: {error}")
                continue
            edits.append(edit)
        told = tuple(dict.fromkeys((*self.told, *self.faults)))
        revision = Revision(edits=tuple(edits), reason=str(reply["reason"]).strip(), told=told)
        return _Read(revision=revision, faults=tuple(self.faults))

    def _edit(self, said: Mapping[str, Any]) -> SchemaEdit:
        path = self._path(said["where"])
        match said["do"]:
            case "add field":
                return AddField(parent=path, field=self._field(said, path))
            case "rename":
                name = _given(said, "name")
                return Rename(path=path, name=type_name(name) if len(path) == 1 else field_name(name))
            case "describe":
                return Describe(path=path, meaning=_given(said, "meaning"))
            case "change kind":
                _given(said, "kind")
                return Retype(path=path, kind=read_kind(said, self._type_names(), path, self.told))
            case _:
                return Remove(path=path)

    def _type(self, said: Mapping[str, Any], rest: list[Mapping[str, Any]]) -> SchemaEdit:
        """A new record type, with the fields that later edits of the reply add to it."""
        name = type_name(_given(said, "name"))
        own = [one for one in rest if one["do"] == "add field" and type_name(one["where"] or "") == name]
        for one in own:
            rest.remove(one)
        fields = tuple(self._field(one, (name,)) for one in own)
        if not fields or not isinstance(fields[0].kind, Scalar):
            fields = (Field(name="label", meaning=f"names the {name}", kind=Scalar()), *fields)
        made = RecordType(name=name, meaning=(said["meaning"] or "").strip(), fields=fields, why=_why(said))
        return AddRecordType(record_type=made)

    def _field(self, said: Mapping[str, Any], parent: Path) -> Field:
        name = field_name(_given(said, "name"))
        kind = read_kind({**said, "kind": said["kind"] or "text"}, self._type_names(), (*parent, name), self.told)
        return Field(name=name, meaning=(said["meaning"] or "").strip(), kind=kind, why=_why(said))

    def _type_names(self) -> list[str]:
        return [record_type.name for record_type in self.schema.record_types]

    def _path(self, where: str | None) -> Path:
        """The place a reply names, in whatever case; SchemaError when the schema has none."""
        known = {".".join(path).casefold(): path for path in places(self.schema)}
        found = known.get((where or "").strip().casefold())
        if found is None:
            raise SchemaError(f"there is no {where!r} in the schema" if where else "it does not say where")
        return found


def _given(said: Mapping[str, Any], name: str) -> str:
    text = str(said[name] or "").strip()
    if not text:
        raise SchemaError(f"it gives no {name}")
    return text


def _why(said: Mapping[str, Any]) -> str:
    return str(said["why"] or "").strip()

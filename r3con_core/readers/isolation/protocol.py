"""What goes over the pipes between the importer and a reader process: frames of a tag, a length and JSON.

A hostile file may take over its reader, so nothing from a reader is believed: frames are checked when they come in,
and one that is not as it should be is a FrameError. Never pickle.
"""

import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from r3con_core.documents import Document, make_document
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import LedgerLine, Progress, ReadSettings, shown_name
from r3con_core.readers.limits import Limits
from r3con_core.readers.reading import Event, Kind, Node, Taken

MAX_FRAME = 640 * 2**20
"""Bytes; the text of the largest file that is read at once fits."""
_HEAD = struct.Struct("!cI")
_HEXADECIMAL = frozenset("0123456789abcdef")

TASK, BEGUN, KIND, DOCUMENT, LINE, MEMBER, PROGRESS, ENDED = (bytes([sign]) for sign in b"TBKDLMPE")


class FrameError(Exception):
    """What came from a reader process is not what a reader sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The reader has turned to its next task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The reader is done with its task."""

    retires: bool
    """It takes no other, because it has grown too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A member's name, where its bytes are and what they hash to."""

    name: str
    start: int
    size: int
    sha256: str
    stands_in_container: bool
    """They are part of the container's own file, not of the pack."""


Said = Begun | Ended | Event
_EVENTS: dict[bytes, TypeAdapter[Any]] = {
    BEGUN: TypeAdapter(Begun),
    KIND: TypeAdapter(Kind),
    DOCUMENT: TypeAdapter(Document),
    LINE: TypeAdapter(LedgerLine),
    MEMBER: TypeAdapter(_Stretch),
    PROGRESS: TypeAdapter(Progress),
    ENDED: TypeAdapter(Ended),
}
_TAGS: dict[type, bytes] = {
    Begun: BEGUN,
    Kind: KIND,
    Document: DOCUMENT,
    LedgerLine: LINE,
    Progress: PROGRESS,
    Ended: ENDED,
}


def write_frame(stream: BinaryIO, tag: bytes, payload: bytes) -> None:
    """Send one frame."""
    stream.write(_HEAD.pack(tag, len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next frame; None when the pipe has ended between two. FrameError when it ended within one, or is too long."""
    head = stream.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise FrameError
    tag, size = _HEAD.unpack(head)
    if size > MAX_FRAME:
        raise FrameError
    payload = stream.read(size)
    if len(payload) < size:
        raise FrameError
    return tag, payload


def encode(event: Said, pack: Path) -> tuple[bytes, bytes]:
    """Tag and payload; lone surrogates, which JSON cannot carry, become question marks.

    A member that was taken out lies in `pack`, or stands in its container's own file.
    """
    if isinstance(event, Taken):
        return _encode_member(event, in_pack=event.content.path == pack)
    tag = _TAGS[type(event)]
    try:
        return tag, _EVENTS[tag].dump_json(event)
    except PydanticSerializationError:
        return tag, _EVENTS[tag].dump_json(_without_surrogates(_EVENTS[tag], event))


def _encode_member(taken: Taken, *, in_pack: bool) -> tuple[bytes, bytes]:
    content = taken.content
    stretch = _Stretch(
        name=shown_name(taken.name),
        start=content.start,
        size=content.size,
        sha256=taken.sha256,
        stands_in_container=not in_pack,
    )
    return MEMBER, _EVENTS[MEMBER].dump_json(stretch)


def _without_surrogates(adapter: TypeAdapter[Any], event: Said) -> Any:
    plain = json.dumps(adapter.dump_python(event), ensure_ascii=False).encode("utf-8", "replace")
    return adapter.validate_json(plain)


def decode(tag: bytes, payload: bytes, *, node: Node | None, pack: Path) -> Said:
    """What a reader says of the file of `node`, whose members it puts in `pack`. FrameError when it may not say so."""
    adapter = _EVENTS.get(tag)
    if adapter is None:
        raise FrameError
    try:
        said = adapter.validate_json(payload)
    except ValidationError as fault:
        raise FrameError from fault
    if isinstance(said, Begun | Ended):
        return said
    if node is None:
        raise FrameError
    if isinstance(said, _Stretch):
        return _taken(said, node, pack)
    if isinstance(said, Document):
        return _checked(said, node)
    if isinstance(said, LedgerLine) and not _lies_in(said.path, node):
        raise FrameError
    return said  # type: ignore[no-any-return]


def _lies_in(path: str, node: Node) -> bool:
    return path == node.path or path.startswith(f"{node.path} > ")


def _checked(document: Document, node: Node) -> Document:
    """The document with the id that is its own; FrameError when it cannot be of this node."""
    source = document.source
    made = make_document(title=document.title, text=document.text, source=source)
    spans = [unit.span for unit in document.units] + [one.span for one in document.findings if one.span is not None]
    sound = (
        _lies_in(source.path, node)
        and (source.sha256 == node.sha256 or source.path != node.path)
        and all(span.end <= len(document.text) for span in spans)
    )
    if not sound:
        raise FrameError
    return document if document.id == made.id else replace(document, id=made.id)


def _taken(said: _Stretch, node: Node, pack: Path) -> Taken:
    content = node.content
    if said.stands_in_container:
        begin, end, path = content.start, content.start + content.size, content.path
    else:
        begin, end, path = 0, pack.stat().st_size if pack.exists() else 0, pack
    inside = begin <= said.start and said.size >= 0 and said.start + said.size <= end
    hashed = len(said.sha256) == 64 and _HEXADECIMAL.issuperset(said.sha256)
    if path is None or not inside or not hashed:
        raise FrameError
    held = Content(size=said.size, path=path, start=said.start)
    return Taken(name=said.name, content=held, sha256=said.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a reader process is asked to do."""

    node: Node
    settings: ReadSettings
    limits: Limits
    pack: Path
    scratch: Path
    """Emptied after the task."""


def encode_task(task: Task) -> bytes:
    """The payload of a task, whose contents are all on disk. Names of files may be no Unicode, which JSON can carry."""
    node, settings, limits = task.node, task.settings, task.limits
    stated = {
        "node": {
            "path": node.path,
            "content": _place(node.content),
            "sha256": node.sha256,
            "media_type": node.media_type,
            "companions": [[role, *_place(content)] for role, content in node.companions],
            "on_disk": None if node.on_disk is None else os.fspath(node.on_disk),
            "changed": node.changed,
        },
        "settings": {name: getattr(settings, name) for name in ReadSettings.__slots__},
        "limits": {name: getattr(limits, name) for name in Limits.__slots__},
        "pack": os.fspath(task.pack),
        "scratch": os.fspath(task.scratch),
    }
    return json.dumps(stated).encode("ascii")


def _place(content: Content) -> list[object]:
    assert content.path is not None
    return [os.fspath(content.path), content.start, content.size]


def decode_task(payload: bytes) -> Task:
    """The task of a payload, which comes from the importer and is believed."""
    stated = json.loads(payload)
    node = stated["node"]
    settings: dict[str, Any] = {
        name: tuple(held) if isinstance(held, list) else held for name, held in stated["settings"].items()
    }
    return Task(
        node=Node(
            key=(),
            path=node["path"],
            content=_content(node["content"]),
            sha256=node["sha256"],
            media_type=node["media_type"],
            companions=tuple((role, _content(place)) for role, *place in node["companions"]),
            on_disk=None if node["on_disk"] is None else Path(node["on_disk"]),
            changed=node["changed"],
        ),
        settings=ReadSettings(**settings),
        limits=Limits(**stated["limits"]),
        pack=Path(stated["pack"]),
        scratch=Path(stated["scratch"]),
    )


def _content(place: list[Any]) -> Content:
    path, start, size = place
    return Content(size=size, path=Path(path), start=start)


def frames(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """All frames to the end of the pipe. FrameError as `read_frame`."""
    while (frame := read_frame(stream)) is not None:
        yield frame

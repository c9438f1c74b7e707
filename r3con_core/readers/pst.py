"""Outlook mailboxes (.pst, .ost) give their mails one after the other, named by their folder and number."""

import re
from collections.abc import Iterator
from typing import Any

from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, Progress, member_path
from r3con_core.readers.mail_wire import as_eml
from r3con_core.readers.mapi import MapiFile, MapiMail, letter_of
from r3con_core.readers.mapi_values import Properties
from r3con_core.readers.text import one_line

MISSING = "Outlook mailboxes need the extra mailstores: pip install 'r3con-analyst[mailstores]'"
_MAX_DEPTH = 60
_MAX_ATTACHED_BYTES = 256 * 2**20
_ATTACHED_DATA = 0x3701
_LONGEST_NAME = 80
_EVERY = 50
"""Mails between two signs of life."""


def read_pst(file: File) -> Iterator[Member | LedgerLine | Progress]:
    """Each mail, appointment and contact as a mail (.eml) with all that is attached to it; one in memory at a time."""
    try:
        import pypff
    except ImportError as fault:
        raise CorpusError(MISSING) from fault
    with file.content.open() as stream:
        store = pypff.file()
        try:
            store.open_file_object(stream)
        except OSError as fault:
            raise CorpusError("damaged, or no Outlook mailbox") from fault
        try:
            yield from mails_of(store, file)
        finally:
            store.close()


def mails_of(store: Any, file: File) -> Iterator[Member | LedgerLine | Progress]:
    """The mails of an open mailbox, folder by folder, then those that lie in no folder any more.

    `store` is as `pypff.file` (libpff), which has no types of its own.
    """
    for number, (folder, message) in enumerate(_messages(store), 1):
        if number % _EVERY == 0:
            yield Progress(done=number, total=0, what="mail")
        yield _member(message, f"{folder}/{number:04}", file)


def _messages(store: Any) -> Iterator[tuple[str, Any]]:
    """Folder and message, None for one that cannot be opened; folders are walked in their order, without recursion."""
    waiting = [("", store.get_root_folder(), 0)]
    while waiting:
        path, folder, depth = waiting.pop()
        for index in range(_count(folder, "number_of_sub_messages")):
            yield path or "no folder", _opened(folder.get_sub_message, index)
        below = [_opened(folder.get_sub_folder, index) for index in range(_count(folder, "number_of_sub_folders"))]
        if depth < _MAX_DEPTH:
            found = [(_joined(path, _name(inner)), inner, depth + 1) for inner in below if inner is not None]
            waiting.extend(reversed(found))
    for index in range(_count(store, "number_of_orphan_items")):
        yield "no folder", _opened(store.get_orphan_item, index)


def _count(holder: Any, what: str) -> int:
    try:
        return int(getattr(holder, what))
    except OSError:  # libpff's word for a damaged table
        return 0


def _opened(get: Any, index: int) -> Any:
    try:
        return get(index)
    except OSError:
        return None


def _name(folder: Any) -> str:
    try:
        return one_line(folder.name or "").replace("/", " ")
    except OSError:
        return ""


def _joined(path: str, name: str) -> str:
    return "/".join(filter(None, (path, name)))


def _member(message: Any, name: str, file: File) -> Member | LedgerLine:
    if message is None or not hasattr(message, "number_of_record_sets"):
        return _not_read(file, f"{name}.eml")
    try:
        letter = letter_of(_mail(message))
        subject = re.sub(r"[/\\]", " ", letter.headers.get("Subject", ""))[:_LONGEST_NAME].strip()
        return Member(name=f"{name} {subject}".strip() + ".eml", data=as_eml(letter))
    except OSError:
        return _not_read(file, f"{name}.eml")


def _not_read(file: File, name: str) -> LedgerLine:
    path = member_path(file.source, name)
    return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason="damaged inside the mailbox")


def _mail(message: Any) -> MapiMail:
    properties = _properties(message)
    recipients = _opened_property(message, "recipients")
    return MapiMail(
        properties=properties,
        recipients=_rows(recipients, properties.charset) if recipients is not None else (),
        attachments=_attachments(message, properties.charset),
    )


def _opened_property(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name, None)
    except OSError:
        return None


def _rows(item: Any, charset: str) -> list[Properties]:
    """The properties of each recipient, a record set each."""
    return [_bag(item.get_record_set(index), charset) for index in range(_count(item, "number_of_record_sets"))]


def _properties(item: Any, charset: str = "") -> Properties:
    sets = _rows(item, charset)
    raw = {tag: value for one in sets for tag, value in one.raw.items()}
    named = {tag: value for one in sets for tag, value in one.named.items()}
    return Properties(raw=raw, named=named, code_page=charset)


def _bag(record_set: Any, charset: str) -> Properties:
    raw: dict[int, tuple[int, bytes]] = {}
    for index in range(_count(record_set, "number_of_entries")):
        entry = _opened(record_set.get_entry, index)
        if entry is not None and entry.entry_type is not None and entry.entry_type != _ATTACHED_DATA:
            raw[int(entry.entry_type)] = (int(entry.value_type or 0), bytes(_opened_property(entry, "data") or b""))
    named = {tag: value for tag, value in raw.items() if tag >= 0x8000}  # libpff gives the numbers of applications
    return Properties(raw=raw, named=named, code_page=charset)


def _attachments(message: Any, charset: str) -> list[MapiFile]:
    found = (_opened(message.get_attachment, index) for index in range(_count(message, "number_of_attachments")))
    return [_attached(one, charset) for one in found if one is not None]


def _attached(one: Any, charset: str) -> MapiFile:
    properties = _properties(one, charset)
    if properties.number(0x3705) == 5 and _count(one, "number_of_sub_items"):
        inner = _opened(one.get_sub_item, 0)
        if inner is not None:
            return MapiFile(properties=properties, take_out=bytes, mail=lambda: _mail(inner))
    try:
        data = _bytes(one)
    except OSError:
        return MapiFile(properties=properties, take_out=bytes, damaged=True)
    return MapiFile(properties=properties, take_out=lambda: data, size=len(data))


def _bytes(one: Any) -> bytes:
    wanted = min(int(one.size), _MAX_ATTACHED_BYTES)
    pieces = []
    while wanted > 0 and (piece := one.read_buffer(min(wanted, 2**20))):
        pieces.append(bytes(piece))
        wanted -= len(piece)
    return b"".join(pieces)

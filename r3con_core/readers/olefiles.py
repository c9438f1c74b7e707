"""Files in Microsoft's compound format: what kind they are, what is wrapped in them, and opening locked ones."""

import io
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from r3con_core.documents import Source
from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, Found, LedgerLine, LockedError, Member, Outcome, member_path
from r3con_core.readers.ooxml import Package, iso_date, members

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NATIVE = "\x01Ole10Native"
_WRAPPED = ("Package", "CONTENTS", "EmbeddedOdf")
"""Streams that are an embedded file as it is."""
_DOCUMENTS = ("WordDocument", "PowerPoint Document", "Workbook", "Book", "EncryptedPackage", "__properties_version1.0")
_NO_PASSWORD = "VelvetSweatshop"
"""What Office locks write-protected workbooks with, so that they open without asking."""
_NAME_BYTES = 1_024
_ROUNDS = re.compile(rb'spinCount\s*=\s*["\']\s*(\d+)')
_MOST_ROUNDS = 10_000_000
_LOCK_LOOK = 2**20


def root_streams(data: bytes) -> frozenset[str]:
    """Names directly under the root of a compound file; none when it is too damaged to list."""
    return root_names(Content.held(data))


def root_names(content: Content) -> frozenset[str]:
    """The same of a file that need not be in memory."""
    with content.open() as stream:
        return _names(_opened(stream))


def _names(held: Any) -> frozenset[str]:
    if held is None:
        return frozenset()
    with held:
        return frozenset(path[0] for path in held.listdir())


def stream(data: bytes, name: str) -> bytes:
    """One stream of a compound file; empty when it has none, or a damaged one."""
    return streams(data, [name])[name]


def streams(data: bytes, names: Sequence[str]) -> Mapping[str, bytes]:
    """Several streams of a compound file by name; empty where it has none, or a damaged one."""
    held = _opened(io.BytesIO(data))
    if held is None:
        return dict.fromkeys(names, b"")
    with held:
        return {name: _read(held, name) for name in names}


def _opened(stream: BinaryIO) -> Any:
    """A compound file, or None; olefile has no types of its own."""
    import olefile

    try:
        return olefile.OleFileIO(stream)
    except (OSError, ValueError, IndexError, TypeError, struct.error, OverflowError, MemoryError):
        return None


def _read(held: Any, name: str) -> bytes:
    try:
        return bytes(held.openstream(name).read()) if held.exists(name) else b""
    except (OSError, ValueError, IndexError, TypeError, struct.error):
        return b""


def stated(data: bytes) -> tuple[str | None, str | None]:
    """Author and date (last saved, else made) that a compound file states about itself."""
    held = _opened(io.BytesIO(data))
    if held is None:
        return None, None
    with held:
        try:
            said = held.get_metadata()
        except (OSError, ValueError, IndexError, TypeError, KeyError, struct.error, OverflowError):
            return None, None
    author = _decoded(said.author, said.codepage) or _decoded(said.last_saved_by, said.codepage)
    dates = [date.isoformat() for date in (said.last_saved_time, said.create_time) if date and date.year > 1980]
    return author or None, iso_date(dates[0]) if dates else None


def _decoded(value: object, code_page: int | None) -> str:
    if isinstance(value, str):
        return value.strip("\x00 ")
    if not isinstance(value, bytes):
        return ""
    number = (code_page or 1252) & 0xFFFF
    try:
        return value.decode("utf-8" if number == 65001 else f"cp{number}", "replace").strip("\x00 ")
    except LookupError:
        return value.decode("cp1252", "replace").strip("\x00 ")


def unwrapped(name: str, data: bytes) -> Iterator[Member]:
    """The file that lies in an embedded object, under its own name where it has one; nothing for mere drawings."""
    if not data.startswith(OLE_MAGIC):
        yield Member(name=name, data=data)
        return
    roots = root_streams(data)
    if not roots or roots & set(_DOCUMENTS):
        yield Member(name=name, data=data)
        return
    native = stream(data, _NATIVE) if _NATIVE in roots else b""
    if native:
        yield from _native(name, native)
        return
    for wrapped in _WRAPPED:
        if wrapped in roots and (inner := stream(data, wrapped)):
            yield Member(name=name, data=inner)
            return


def embedded_files(package: Package, names: Iterable[str], source: Source) -> Iterator[Member | LedgerLine]:
    """The files embedded in a zipped document, taken out of what wraps them."""
    for found in members(package, names, source):
        if isinstance(found, LedgerLine):
            yield found
        else:
            yield from unwrapped(found[0].partition("/")[2] or found[0], found[1])


def _native(name: str, wrapped: bytes) -> Iterator[Member]:
    """What Windows' packager wrapped: its size, its name, two paths that are ignored, and its bytes."""
    parts = packaged_file(wrapped)
    if parts is None:
        if len(wrapped) > 4:
            yield Member(name=name, data=wrapped[4:])
        return
    own = parts[0].replace("\\", "/").rpartition("/")[2].strip()
    folder = name.rpartition("/")[0]
    yield Member(name=f"{folder}/{own}".lstrip("/") if own else name, data=parts[1])


def packaged_file(wrapped: bytes) -> tuple[str, bytes] | None:
    """Name and bytes of a packaged file; None when it is not packaged in the usual way."""
    try:
        label, at = _text(wrapped, 6)
        _, at = _text(wrapped, at)
        (size,) = struct.unpack_from("<I", wrapped, at + 4)
        at += 8 + size
        (length,) = struct.unpack_from("<I", wrapped, at)
    except (struct.error, ValueError):
        return None
    inner = wrapped[at + 4 : at + 4 + length]
    return (label, inner) if length and len(inner) == length else None


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Text up to the next NUL, and where it goes on behind that."""
    end = data.index(b"\x00", at, at + _NAME_BYTES)
    raw = data[at:end]
    try:
        return raw.decode("utf-8"), end + 1
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), end + 1


def embedded_objects(data: bytes, storage: str, source: Source) -> Iterator[Member | LedgerLine]:
    """The files wrapped in the storages under `storage`, and a line for each object that cannot be taken out alone."""
    held = _opened(io.BytesIO(data))
    if held is None:
        return
    with held:
        objects: dict[str, set[str]] = {}
        for path in held.listdir():
            if len(path) == 3 and path[0] == storage:
                objects.setdefault(path[1], set()).add(path[2])
        for number, (name, inside) in enumerate(objects.items(), 1):
            label = f"embedded object {number}"
            wrapped = next((one for one in (_NATIVE, *_WRAPPED) if one in inside), "")
            inner = _read(held, f"{storage}/{name}/{wrapped}") if wrapped else b""
            if inner and wrapped == _NATIVE:
                yield from _native(label, inner)
            elif inner:
                yield Member(name=label, data=inner)
            elif inside & set(_DOCUMENTS):
                reason = "an Office document embedded in the old way, which cannot be taken out"
                yield LedgerLine(path=member_path(source, label), outcome=Outcome.NOT_READABLE, reason=reason)


def read_ole(file: File) -> Iterator[Member]:
    """The file wrapped in an embedded object that came alone."""
    data = file.data()
    if root_streams(data) & set(_DOCUMENTS):
        raise CorpusError("damaged, or an old Office file of a kind that cannot be read")
    found = list(unwrapped("embedded file", data))
    if not found or found[0].data == data:
        raise CorpusError("this kind of old Office file cannot be read yet")
    yield from found


def read_locked_office(file: File) -> Iterator[Found]:
    """A locked Office document, opened with one of the passwords given and read as what it then is."""
    from r3con_core.readers import kinds
    from r3con_core.readers.registry import READERS

    data = opened(file.data(), file.settings.passwords)
    kind = kinds.detect(Content.held(data), file.source.path)
    if kind == file.source.media_type or kind not in READERS:
        raise CorpusError(f"it was opened with the password, but {kinds.why_not(kind, file.source.path)}")
    source = replace(file.source, media_type=kind)
    yield from READERS[kind](replace(file, content=Content.held(data), source=source))


def opened(data: bytes, passwords: Sequence[str]) -> bytes:
    """A locked Office file with its lock taken off. Raises LockedError when no password fits."""
    _check_lock(stream(data, "EncryptionInfo"))
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError

    for password in [*passwords, _NO_PASSWORD]:
        try:
            return _opened_with(data, password)
        except InvalidKeyError:
            continue
        except DecryptionError as fault:
            raise CorpusError("locked in a way that cannot be opened, or damaged") from fault
        except (FileFormatError, ParseError, OSError, ValueError, struct.error) as fault:
            raise CorpusError("a locked Office document that is damaged") from fault
    raise LockedError("another password is needed" if passwords else "Password needed")


def _check_lock(info: bytes) -> None:
    """Refuse a lock whose description would keep whoever tries a password busy for hours."""
    rounds = [int(digits) for digits in _ROUNDS.findall(info[:_LOCK_LOOK])]
    if b"<!" in info or max(rounds, default=0) > _MOST_ROUNDS:
        raise CorpusError("locked in a way that files made to do harm are")


def _opened_with(data: bytes, password: str) -> bytes:
    import msoffcrypto

    locked = msoffcrypto.OfficeFile(io.BytesIO(data))
    plain = io.BytesIO()
    if locked.format == "ooxml":
        locked.load_key(password=password, verify_password=True)
    else:
        locked.load_key(password=password)
    locked.decrypt(plain)
    return plain.getvalue()

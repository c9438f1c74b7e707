"""Files embedded in an RTF file, written there as hexadecimal digits."""

import binascii
import re
import struct
from collections.abc import Iterator

from r3con_core.readers.ledger import Member
from r3con_core.readers.olefiles import OLE_MAGIC, packaged_file, unwrapped

_OTHER = re.compile(r"[^0-9A-Fa-f]+")


def embedded_file(number: int, digits: str) -> Iterator[Member]:
    """The file in an embedded object; nothing for links and for what cannot be told."""
    digits = _OTHER.sub("", digits)
    data = binascii.unhexlify(digits[: len(digits) // 2 * 2])
    name = f"embedded object {number}"
    native = _native(data)
    if native is None:
        return
    if native.startswith(OLE_MAGIC):
        yield from unwrapped(name, native)
        return
    packaged = packaged_file(struct.pack("<I", len(native)) + native)
    if packaged is not None:
        own = packaged[0].replace("\\", "/").rpartition("/")[2].strip()
        yield Member(name=own or name, data=packaged[1])
    elif native:
        yield Member(name=name, data=native)


def _native(data: bytes) -> bytes | None:
    """The bytes of the object itself, behind the names of its program and of what it is linked to."""
    try:
        _, form = struct.unpack_from("<II", data)
        at = 8
        for _ in range(3):
            (size,) = struct.unpack_from("<I", data, at)
            at += 4 + size
        (size,) = struct.unpack_from("<I", data, at)
    except struct.error:
        return None
    return data[at + 4 : at + 4 + size] if form == 2 else None

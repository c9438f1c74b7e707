"""Signed and encrypted mails: what is only signed is opened, what is encrypted is told."""

from collections.abc import Iterator

from r3con_core.readers.mail_parts import Part

SMIME = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
"""Media types of messages that are signed in one piece, or encrypted."""
_SIGNED = bytes.fromhex("2a864886f70d010702")
"""1.2.840.113549.1.7.2, signedData (RFC 5652), as all of these in DER."""
_PLAIN = bytes.fromhex("2a864886f70d010701")
_ENCRYPTED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
_OBJECT_ID, _OCTETS, _CONSTRUCTED_OCTETS = 0x06, 0x04, 0x24
_LOOK = 2_000
"""Bytes at the beginning of a message of cryptography in which its kind is stated."""
_MAX_VALUES = 200_000
_MAX_NESTED = 60
ENCRYPTED = "The message is encrypted."


def sealed_warning(part: Part) -> str:
    """What to tell of a part that cannot be read because it is encrypted; empty when it is not."""
    if part.media_type == "multipart/encrypted":
        return ENCRYPTED
    if part.media_type in SMIME or part.file_name.casefold().endswith(".p7m"):
        head = part.content()[:_LOOK]
        return ENCRYPTED if any(kind in head for kind in _ENCRYPTED) else ""
    begins = part.data[part.start : min(part.end, part.start + 100)].lstrip()
    is_own = part.media_type == "application/octet-stream"
    return ENCRYPTED if is_own and begins.startswith(b"-----BEGIN PGP MESSAGE-----") else ""


def opened_signed(part: Part) -> bytes | None:
    """The mail part that lies inside an opaque signature (smime.p7m); None when the part is no such thing."""
    if part.media_type not in SMIME and not part.file_name.casefold().endswith(".p7m"):
        return None
    data = part.content()
    if _SIGNED not in data[:_LOOK] or _PLAIN not in data:
        return None
    return _signed_content(data)


def _signed_content(data: bytes) -> bytes | None:
    """The octets that follow the first object identifier of plain data; in BER they may come in pieces."""
    pieces: list[bytes] = []
    inside = None
    for kind, depth, start, end in _values(data):
        if inside is None:
            if kind == _OBJECT_ID and data[start:end] == _PLAIN:
                inside = depth
        elif depth < inside or (pieces and depth <= inside):
            break
        elif kind == _OCTETS:
            pieces.append(data[start:end])
        elif depth == inside and kind != 0xA0:
            break
    return b"".join(pieces) or None


def _values(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Tag, depth, and where the content is, of each value of BER, containers before what is in them."""
    at = 0
    ends: list[int | None] = []
    for _ in range(_MAX_VALUES):
        while ends and ends[-1] is not None and at >= ends[-1]:
            ends.pop()
        if at + 2 > len(data):
            return
        tag, start = data[at], at + 2
        size: int | None = data[at + 1]
        if tag == 0 and size == 0:  # the end of a value of open length
            at = start
            while ends and ends[-1] is not None:
                ends.pop()
            ends[-1:] = []
            continue
        if size is not None and size >= 0x80:
            count = size - 0x80
            size = int.from_bytes(data[start : start + count], "big") if count else None
            start += count
        end = len(data) if size is None else min(start + size, len(data))
        yield tag, len(ends), start, end
        if tag & 0x20 and len(ends) < _MAX_NESTED:
            ends.append(None if size is None else end)
            at = start
        else:
            at = end

"""The parts of a mail (MIME): where each begins and ends in its bytes, and what it holds.

Parts are cut out of the mail's own bytes, so that an attached mail has the very bytes, and the hash, that it was sent
with. Nesting is followed without recursion, and within limits.
"""

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from r3con_core.readers.mail_headers import Headers, split_headers

MAX_PARTS = 5_000
"""Parts that are told apart in one mail."""
MAX_NESTED = 40
"""Parts inside each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A mail, or one part of it."""

    headers: Headers
    data: bytes = field(repr=False)
    """Of the whole mail; the content of this part is from `start` to `end`."""
    start: int
    end: int
    media_type: str
    inner: list["Part"] = field(default_factory=list)
    """The parts it is made of; empty when it is one piece."""
    faults: list[str] = field(default_factory=list)
    """What is wrong with how it is put together, in plain sentences."""

    @property
    def encoding(self) -> str:
        """How its content is made fit for mail: base64, quoted-printable, ..."""
        return self.headers.first("content-transfer-encoding").strip().casefold()

    @property
    def disposition(self) -> str:
        """Inline, attachment, or empty."""
        return self.headers.first("content-disposition").split(";")[0].strip().casefold()

    @property
    def file_name(self) -> str:
        """As the mail states it; empty when it states none."""
        stated = self.headers.parameter("content-disposition", "filename")
        return stated or self.headers.parameter("content-type", "name")

    def content(self) -> bytes:
        """Its bytes as they were before they were made fit for mail."""
        return _decoded(self.data[self.start : self.end], self.encoding)


def _decoded(raw: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return _from_base64(raw)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(raw)
    if encoding in ("x-uuencode", "uuencode", "uue", "x-uue"):
        held = next((content for _, _, _, content in uuencoded(raw)), None)
        return raw if held is None else held
    return raw


def _from_base64(raw: bytes) -> bytes:
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:  # cut off, or without the signs that fill up its end: what there is of it
        letters = re.sub(rb"[^A-Za-z0-9+/]", b"", raw)
        if len(letters) % 4 == 1:
            letters = letters[:-1]  # six bits, of a byte whose other two are missing
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


_UU_BEGIN = re.compile(rb"(?m)^begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n")


def uuencoded(raw: bytes) -> Iterator[tuple[int, int, str, bytes]]:
    """Files that stand in a text in the old way: where each begins and ends there, its name, and its bytes."""
    at = 0
    while begin := _UU_BEGIN.search(raw, at):
        at = begin.end()
        content = bytearray()
        while (stop := raw.find(b"\n", at) + 1) and (line := raw[at:stop].rstrip(b"\r\n")) and _uu_line(line, content):
            at = stop
        ending = re.compile(rb"(?:[` ]?\r?\n)?end[ \t]*(?:\r?\n|\Z)").match(raw, at)
        if content and ending:
            at = ending.end()
            yield begin.start(), at, begin[1].decode("utf-8", "replace").strip(), bytes(content)


def _uu_line(line: bytes, content: bytearray) -> bool:
    if line in (b"`", b"end") or len(line) > 200:
        return False
    try:
        content += binascii.a2b_uu(line)
    except binascii.Error:
        return False
    return True


def read_parts(data: bytes) -> Part:
    """A mail taken apart. One that is beyond the limits keeps its deepest or last parts in one piece."""
    root = _part(data, 0, len(data), usual="text/plain")
    waiting = [(root, 0)]
    left = MAX_PARTS
    while waiting:
        part, depth = waiting.pop()
        if not part.media_type.startswith("multipart/"):
            continue
        boundary = part.headers.parameter("content-type", "boundary")
        if depth >= MAX_NESTED:
            root.faults.append(
                f"The mail has parts inside each other beyond {MAX_NESTED}; the deepest stand as they are."
            )
            continue
        usual = "message/rfc822" if part.media_type == "multipart/digest" else "text/plain"
        for start, end in _stretches(part, boundary, root.faults):
            if left <= 0:
                root.faults.append(f"The mail has more than {MAX_PARTS:,} parts; the rest was not read.")
                return root
            left -= 1
            part.inner.append(_part(data, start, end, usual=usual))
        waiting.extend((inner, depth + 1) for inner in part.inner)
    return root


def _part(data: bytes, start: int, end: int, *, usual: str) -> Part:
    headers, begin = split_headers(data, start, end)
    media_type = headers.media_type if headers.first("content-type") else usual
    return Part(headers=headers, data=data, start=begin, end=end, media_type=media_type)


def _stretches(part: Part, boundary: str, faults: list[str]) -> Iterator[tuple[int, int]]:
    """Where each of its parts begins and ends."""
    if not boundary:
        return
    mark = re.compile(rb"(?m)^--" + re.escape(boundary.encode("utf-8", "surrogateescape")) + rb"(--)?[ \t]*\r?$")
    begin = None
    for match in mark.finditer(part.data, part.start, part.end):
        if begin is not None:
            yield begin, _without_line_end(part.data, begin, match.start())
        begin = None if match[1] else min(match.end() + 1, part.end)
        if match[1]:
            return
    if begin is not None:
        faults.append("The mail breaks off before its end; what there is of it was read.")
        yield begin, part.end


def _without_line_end(data: bytes, begin: int, end: int) -> int:
    """The line end before a boundary belongs to the boundary."""
    if end - 2 >= begin and data[end - 2 : end] == b"\r\n":
        return end - 2
    return end - 1 if end - 1 >= begin and data[end - 1 : end] == b"\n" else end

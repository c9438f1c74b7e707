"""A mail written as a file of its own (.eml), for mails that came inside a file of Outlook's."""

import base64
import hashlib
from collections.abc import Iterator

from r3con_core.readers.mail_letter import Attached, Letter
from r3con_core.readers.text import clean, one_line

LEFT = "application/x-left-out"
"""The media type of attachments that could not be taken out; why is in their description."""


def as_eml(letter: Letter) -> bytes:
    """Headers, message and attachments in the format of mails (RFC 5322, its headers in UTF-8).

    What the mail says of attachments that cannot be taken out stays in it; the same mail always gives the same bytes.
    """
    parts = [*_bodies(letter), *(_attachment(attached) for attached in letter.attached)]
    digest = hashlib.sha256(b"".join(content for _, content in parts)).hexdigest()
    boundary = f"=_{digest[:40]}"
    pieces = [f"{name}: {one_line(value)}\r\n".encode() for name, value in letter.headers.items()]
    if letter.delivered:
        pieces.append(f"Delivery-Date: {one_line(letter.delivered)}\r\n".encode())
    pieces.append(f'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="{boundary}"\r\n'.encode())
    for headers, content in parts:
        pieces += [f"\r\n--{boundary}\r\n{headers}\r\n\r\n".encode(), content]
    return b"".join((*pieces, f"\r\n--{boundary}--\r\n".encode()))


def _bodies(letter: Letter) -> Iterator[tuple[str, bytes]]:
    for body in letter.bodies:
        if body.other_form:
            yield _alternatives(body.text, body.other_form)
        else:
            yield _text("html" if body.is_page else "plain", body.text)


def _text(kind: str, text: str) -> tuple[str, bytes]:
    headers = f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64"
    return headers, base64.encodebytes(clean(text).encode())


def _alternatives(plain: str, page: str) -> tuple[str, bytes]:
    parts = [_text("plain", plain), _text("html", page)]
    boundary = f"=_{hashlib.sha256(parts[0][1] + parts[1][1]).hexdigest()[:40]}a"
    pieces = [f"--{boundary}\r\n{headers}\r\n\r\n".encode() + content for headers, content in parts]
    joined = b"\r\n".join(pieces) + f"\r\n--{boundary}--\r\n".encode()
    return f'Content-Type: multipart/alternative; boundary="{boundary}"', joined


def _attachment(attached: Attached) -> tuple[str, bytes]:
    named = one_line(attached.name).replace("\\", "/").replace('"', "'")
    disposition = f'Content-Disposition: attachment; filename="{named}"'
    if attached.left is not None:
        return f"Content-Type: {LEFT}\r\n{disposition}\r\nContent-Description: {one_line(attached.left[1])}", b""
    content = attached.take_out()
    if attached.media_type == "message/rfc822":  # as it is: encoding a mail in a mail in a mail would multiply its size
        return f"Content-Type: message/rfc822\r\n{disposition}", content
    headers = f"Content-Type: application/octet-stream\r\n{disposition}\r\nContent-Transfer-Encoding: base64"
    return headers, base64.encodebytes(content)

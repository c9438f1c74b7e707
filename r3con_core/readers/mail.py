"""Mails become documents; what is attached to them becomes members."""

import re
from collections.abc import Iterator
from datetime import datetime
from email import errors, message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from r3con_core.documents import Document, Source, make_document
from r3con_core.readers.encodings import decode, utf16_by_its_zeros
from r3con_core.readers.html import read_page
from r3con_core.readers.ledger import File, Member
from r3con_core.readers.text import Block, file_name, join_blocks, one_line

_BETWEEN_MAILS = re.compile(rb"^(?=From [^\r\n]*\d\d:\d\d)", re.MULTILINE)
_SHOWN_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")

Mail: TypeAlias = "Message[str, str]"


def read_mail(file: File) -> Iterator[Document | Member]:
    """A mail as one document of its headers and its message, then its attachments and attached mails.

    Of a message given in several forms the plain text is read, the web page only where there is no other.
    """
    # compat32, Python's older policy: the newer one raises on headers that real mails have.
    mail = message_from_bytes(_in_ascii_compatible_bytes(file.data()))
    body: list[Mail] = []
    attached: list[Mail] = []
    _sort_parts(mail, body=body, attached=attached)
    yield _document(mail, file.source, body=body, attached=[_name(part, n) for n, part in enumerate(attached, 1)])
    for number, part in enumerate(attached, 1):
        yield Member(name=_name(part, number), data=_content(part))


def read_mailbox(file: File) -> Iterator[Member]:
    """The mails of an mbox file (RFC 4155) as members in their order; a line with a sender and a time parts them."""
    mails = (mail for mail in _BETWEEN_MAILS.split(file.data()) if mail.strip())
    for number, mail in enumerate(mails, 1):
        without_mark = mail.split(b"\n", 1)[-1] if mail.startswith(b"From ") else mail
        yield Member(name=f"mail {number}.eml", data=without_mark.replace(b"\n>From ", b"\nFrom "))


def _in_ascii_compatible_bytes(data: bytes) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or utf16_by_its_zeros(data):
        return decode(data).text.encode("utf-8", "replace")
    return data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")


def _sort_parts(part: Mail, *, body: list[Mail], attached: list[Mail]) -> None:
    """Put each leaf of a mail into one of the two lists."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        _sort_alternatives(_children(part), body=body, attached=attached)
    elif kind.startswith("multipart/") and part.is_multipart():
        for child in _children(part):
            _sort_parts(child, body=body, attached=attached)
    elif part.get_content_disposition() == "attachment" or part.get_filename() or part.is_multipart():
        attached.append(part)  # a message/ part is the one left that has parts: an attached mail, a delivery report
    elif kind.startswith("text/") and kind != "text/calendar":
        body.append(part)
    else:
        attached.append(part)


def _sort_alternatives(forms: list[Mail], *, body: list[Mail], attached: list[Mail]) -> None:
    """Read the first form with words in it that is plain text, else the last form, which is the richest."""
    sorted_forms: list[tuple[list[Mail], list[Mail]]] = []
    for form in forms:
        of_form: tuple[list[Mail], list[Mail]] = ([], [])
        _sort_parts(form, body=of_form[0], attached=of_form[1])
        sorted_forms.append(of_form)
        attached.extend(of_form[1])
    for texts, _ in sorted_forms:
        if texts and all(text.get_content_type() == "text/plain" for text in texts) and _words(texts):
            body.extend(texts)
            return
    for texts, _ in reversed(sorted_forms):
        if texts:
            body.extend(texts)
            return


def _children(part: Mail) -> list[Mail]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _words(parts: list[Mail]) -> bool:
    return any(_payload(part).strip() for part in parts)


def _payload(part: Mail) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _content(part: Mail) -> bytes:
    return b"\n".join(child.as_bytes() for child in _children(part)) or _payload(part)


def _name(part: Mail, number: int) -> str:
    named = part.get_filename()
    if named:
        return _unfolded(named)
    if part.get_content_type() == "message/rfc822":
        subject = next((_header(mail, "Subject") for mail in _children(part)), "")
        return f"{subject.replace('/', ' ') or f'mail {number}'}.eml"
    return f"attachment {number} ({part.get_content_type()})"


def _header(mail: Mail, name: str) -> str:
    """All headers of this name in readable letters, joined by commas; empty when there is none."""
    return ", ".join(_unfolded(held) for key, held in mail.raw_items() if key.lower() == name.lower())


def _unfolded(raw: str) -> str:
    """A header's words with RFC 2047's encoded ones decoded and its folded lines joined."""
    try:
        pieces = decode_header(raw)
    except errors.HeaderParseError:  # not base64 though it says so: shown as it came
        pieces = [(raw, None)]
    words = "".join(_letters(piece, charset) for piece, charset in pieces)
    return re.sub(r"\s+", " ", words).strip()


def _letters(piece: bytes | str, charset: str | None) -> str:
    # The parser keeps bytes beyond ASCII as lone surrogates, wherever the mail has them unencoded.
    encoded = piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece
    return decode(encoded, declared=charset).text


def _document(mail: Mail, source: Source, *, body: list[Mail], attached: list[str]) -> Document:
    stated = {name: value for name in _SHOWN_HEADERS if (value := _header(mail, name))}
    if attached:
        stated["Attachments"] = ", ".join(attached)
    blocks = [Block(kind="header", label="Headers", text="\n".join(f"{name}: {held}" for name, held in stated.items()))]
    warnings: list[str] = []
    for part in body:
        text, faults = _body_text(part)
        blocks.append(Block(kind="body", label="Message body", text=text))
        warnings.extend(faults)
    if not any(block.text.strip() for block in blocks[1:]):
        warnings.append("The mail has no message of its own.")
    text, units = join_blocks(blocks, between="\n\n")
    return make_document(
        title=stated.get("Subject", file_name(source)),
        text=text,
        source=source,
        units=units,
        date=_iso_date(stated.get("Date", "")),
        author=one_line(stated["From"]) if "From" in stated else None,
        warnings=tuple(warnings),
    )


def _body_text(part: Mail) -> tuple[str, tuple[str, ...]]:
    text = decode(_payload(part), declared=part.get_content_charset()).text
    if part.get_content_type() != "text/html":
        return text.strip("\r\n"), ()
    page = read_page(text)
    return join_blocks(page.blocks)[0], page.warnings


def _iso_date(stated: str) -> str | None:
    try:
        moment: datetime = parsedate_to_datetime(stated)
    except (ValueError, TypeError, OverflowError):  # the mail states no date, or none that can be read
        return None
    return moment.isoformat()

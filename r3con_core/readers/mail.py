"""Mails become documents; what is attached to them becomes members."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from r3con_core.documents import Document
from r3con_core.readers.encodings import decode, utf16_by_its_zeros
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome
from r3con_core.readers.mail_headers import Headers, letters, split_headers
from r3con_core.readers.mail_letter import SHOWN_HEADERS, Attached, Body, Letter, letter_found
from r3con_core.readers.mail_parts import Part, read_parts, uuencoded
from r3con_core.readers.mail_sealed import SMIME, opened_signed, sealed_warning
from r3con_core.readers.mail_wire import LEFT
from r3con_core.readers.text import encoding_warnings

_APPLE_COUNT = re.compile(rb"\s*(\d{1,12})[ \t]*\r?\n(?=[!-9;-~]+:)")
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_NO_DOCUMENTS = {
    "application/pkcs7-signature": "a digital signature, not a document",
    "application/x-pkcs7-signature": "a digital signature, not a document",
    "application/pgp-signature": "a digital signature, not a document",
    "application/pgp-encrypted": "only says how the mail is encrypted",
    "application/applefile": "what a Macintosh adds to a file, not a document",
}
_PAGE = "text/html"
_SUFFIXES = {
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/rtf": ".rtf",
}
"""For attachments without a name; the system's own table would give other names on other machines."""
_MOST_SIGNED = 5
"""Signed messages that are opened in one mail, one inside the other."""
_DELETED = 0x0008
"""The sign of Thunderbird, in X-Mozilla-Status, for mails that are deleted but still in the mailbox's file."""


def read_mail(file: File) -> Iterator[Document | Member | LedgerLine]:
    """A mail as one document of its headers and its message, then its attachments and attached mails.

    Of a message given in several forms the plain text is read, and the web page too where it says something else.
    """
    yield from letter_found(read_letter(file.data()), file.source)


def read_letter(data: bytes) -> Letter:
    """The mail in these bytes (RFC 5322), as .eml, .emlx or with the mark of a mailbox before it."""
    mail = read_parts(_mail_bytes(data))
    bodies: list[Part] = []
    attached: list[Part] = []
    pages: dict[int, list[Part]] = {}
    sealed = _sort_parts(mail, bodies=bodies, attached=attached, pages=pages)
    texts, held, faults = _taken_apart(bodies, pages)
    headers = {name: value for name in SHOWN_HEADERS if (value := mail.headers.readable(name.casefold()))}
    return Letter(
        headers=headers,
        bodies=tuple(texts),
        attached=(*(_attached(part, number) for number, part in enumerate(attached, 1)), *held),
        delivered=_delivered(mail.headers),
        warnings=(*mail.faults, *sealed, *faults, *_notes(mail.headers, attached)),
    )


def _mail_bytes(data: bytes) -> bytes:
    """The mail itself, in an encoding that has ASCII in it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or utf16_by_its_zeros(data):
        data = decode(data).text.encode("utf-8", "replace")
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if count := _APPLE_COUNT.match(data):  # .emlx: its length before the mail, and what Apple notes after it
        end = count.end() + int(count[1])
        data = data[count.end() : end]
    if b"\n" not in data[:10_000] and b"\r" in data[:10_000]:
        data = data.replace(b"\r", b"\n")
    return data


def _sort_parts(
    root: Part, *, bodies: list[Part], attached: list[Part], pages: dict[int, list[Part]]
) -> tuple[str, ...]:
    """Put each piece of a mail into one of the lists; gives what to tell of parts that are sealed.

    `pages` are other forms of pieces of `bodies`, by the identity of the piece.
    """
    warnings: list[str] = []
    waiting = [root]
    signed_left = _MOST_SIGNED
    while waiting:
        part = waiting.pop()
        if warning := sealed_warning(part):
            warnings.append(warning)
        if signed_left and (inner := opened_signed(part)) is not None:
            signed_left -= 1
            waiting.append(read_parts(inner))
        elif part.media_type == "multipart/alternative" and part.inner:
            waiting.extend(reversed(_chosen(part.inner, pages)))
        elif part.inner:
            waiting.extend(reversed(part.inner))
        elif _is_body(part):
            bodies.append(part)
        elif not (part.media_type.startswith("multipart/") and not part.content().strip()):
            attached.append(part)
    return tuple(warnings)


def _is_body(part: Part) -> bool:
    if part.disposition == "attachment" or part.file_name:
        return False
    if part.media_type.startswith("multipart/"):
        return bool(part.content().strip())
    return part.media_type.startswith("text/") and part.media_type not in (
        "text/calendar",
        "text/x-vcard",
        "text/vcard",
        "text/directory",
        "text/rfc822-headers",
        "text/rtf",
        "text/richtext",
    )


def _chosen(forms: Sequence[Part], pages: dict[int, list[Part]]) -> list[Part]:
    """Of several forms of a message the one to read: the first plain text with words in it, else the last text.

    What comes with a form, such as its pictures or a calendar entry, is kept.
    """
    texts = [_texts(form) for form in forms]
    page = next((found for found in reversed(texts) if any(part.media_type == _PAGE for part in found)), None)
    plain = [found for found in texts if found and all(part.media_type == "text/plain" for part in found)]
    read = next((found for found in plain if any(part.content().strip() for part in found)), None)
    if read is None:
        read = next((found for found in reversed(texts) if found), [])
    elif page is not None:
        pages[id(read[0])] = [part for part in page if part.media_type == _PAGE]
    return [*read, *(part for form in forms for part in _leaves(form) if not _is_body(part))]


def _texts(form: Part) -> list[Part]:
    return [part for part in _leaves(form) if _is_body(part)]


def _leaves(form: Part) -> list[Part]:
    leaves = []
    waiting = [form]
    while waiting:
        part = waiting.pop()
        if part.inner and part.media_type != "multipart/alternative":
            waiting.extend(reversed(part.inner))
        else:
            leaves.append(part)
    return leaves


def _taken_apart(bodies: Sequence[Part], pages: dict[int, list[Part]]) -> tuple[list[Body], list[Attached], list[str]]:
    """The texts of the message, files that stand in them in the old way (uuencode), and what to tell."""
    texts: list[Body] = []
    held: list[Attached] = []
    faults: list[str] = []
    for part in bodies:
        text, cut, warnings = _body_text(part)
        held += cut
        faults += warnings
        other = "\n".join(_body_text(page)[0] for page in pages.get(id(part), ()))
        texts.append(Body(text=text, is_page=part.media_type == _PAGE, other_form=other))
        if "-----BEGIN PGP MESSAGE-----" in text:
            faults.append("The message is encrypted.")
    return texts, held, faults


def _body_text(part: Part) -> tuple[str, list[Attached], tuple[str, ...]]:
    raw = part.content()
    charset = part.headers.parameter("content-type", "charset")
    if part.media_type == _PAGE and not charset and (declared := _DECLARED.search(raw[:4096])):
        charset = declared[1].decode("ascii")
    held: list[Attached] = []
    if part.media_type != _PAGE and b"begin " in raw:
        raw, held = _without_uuencoded(raw)
    decoded = letters(raw, charset)
    text = decoded.text
    if part.media_type in ("text/enriched",):
        text = re.sub(r"<[^<>]{0,100}>", "", text)
    return text.strip("\r\n"), held, encoding_warnings(decoded)


def _without_uuencoded(raw: bytes) -> tuple[bytes, list[Attached]]:
    kept = []
    held = []
    at = 0
    for begin, end, name, content in uuencoded(raw):
        kept.append(raw[at:begin])
        held.append(Attached(name=name, take_out=partial(bytes, content), empty=not content))
        at = end
    return b"".join((*kept, raw[at:])), held


def _attached(part: Part, number: int) -> Attached:
    name = _name(part, number)
    kept_apart = _kept_apart(part)
    if part.media_type in _NO_DOCUMENTS:
        return Attached(name=name, take_out=part.content, left=(Outcome.SKIPPED, _NO_DOCUMENTS[part.media_type]))
    if kept_apart:
        return Attached(name=name, take_out=part.content, left=(Outcome.NOT_READABLE, kept_apart))
    if sealed_warning(part):
        return Attached(name=name, take_out=part.content, left=(Outcome.NOT_READABLE, "encrypted"))
    if part.media_type in SMIME:
        reason = "a signed or encrypted message that cannot be opened"
        return Attached(name=name, take_out=part.content, left=(Outcome.NOT_READABLE, reason))
    return Attached(
        name=name,
        take_out=part.content,
        media_type=part.media_type,
        empty=not part.data[part.start : part.end].strip(),
    )


def _kept_apart(part: Part) -> str:
    """Why an attachment's bytes are not in the mail; empty when they are."""
    if part.media_type == LEFT:
        return part.headers.readable("content-description")
    if part.media_type == "message/external-body":
        return "kept in another place; the mail only says where, and nothing was fetched"
    gone = ("x-mozilla-external-attachment-url", "x-apple-content-length")
    empty = not part.data[part.start : part.end].strip()
    if part.media_type == "text/x-moz-deleted" or (empty and any(part.headers.first(name) for name in gone)):
        return "kept apart from the mail, or deleted from it, by the mail program; it is not in this file"
    return ""


def _name(part: Part, number: int) -> str:
    stated = part.file_name.replace("\\", "/").split("/")
    named = "/".join(step for step in stated if step.strip() not in ("", ".", "..")).strip()
    if named:
        return named
    if part.media_type == "message/rfc822":
        headers = split_headers(part.content(), 0, len(part.content()))[0]
        return f"{headers.readable('subject').replace('/', ' ') or f'mail {number}'}.eml"
    if part.media_type in ("text/calendar", "text/vcard", "text/x-vcard", "text/directory"):
        return f"calendar {number}.ics" if part.media_type == "text/calendar" else f"card {number}.vcf"
    suffix = _SUFFIXES.get(part.media_type, "")
    return f"attachment {number}{suffix}" if suffix else f"attachment {number} ({part.media_type.replace('/', ' ')})"


def _delivered(headers: Headers) -> str:
    for name in ("delivery-date", "x-from-line", "received", "resent-date"):
        stated = headers.first(name)
        if name == "received":
            stated = stated.rpartition(";")[2]
        elif name == "x-from-line":
            stated = " ".join(stated.split()[1:])
        if stated.strip():
            return stated
    return ""


def _notes(headers: Headers, attached: Sequence[Part]) -> Iterator[str]:
    status = headers.first("x-mozilla-status").strip()
    if re.fullmatch(r"[0-9a-fA-F]{1,8}", status) and int(status, 16) & _DELETED:
        yield "The mailbox marks this mail as deleted."
    if any(_kept_apart(part) for part in attached):
        yield "Some of its attachments are not in this file."

"""What Outlook's files have in common: properties (MS-OXPROPS), and the mail that a set of them stands for."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from r3con_core.readers.ledger import Outcome
from r3con_core.readers.mail_headers import Headers, letters, split_headers
from r3con_core.readers.mail_letter import SHOWN_HEADERS, Attached, Body, Letter
from r3con_core.readers.mail_wire import as_eml
from r3con_core.readers.mapi_details import details
from r3con_core.readers.mapi_rtf import rtf_message
from r3con_core.readers.mapi_values import Properties
from r3con_core.readers.olefiles import unwrapped
from r3con_core.readers.text import one_line

MAX_NESTED = 10
"""Mails attached to each other."""
_BY_VALUE, _EMBEDDED, _OBJECT = 1, 5, 6
_KEPT_ELSEWHERE = (2, 3, 4, 7)
_SEALED = ("multipart/signed", "application/pkcs7-mime", "application/x-pkcs7-mime")
_RECIPIENTS = ((1, "To", 0x0E04), (2, "Cc", 0x0E03), (3, "Bcc", 0x0E02))
"""Kind of recipient, header, and the property with their names alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapiFile:
    """What is attached to a mail of Outlook's."""

    properties: Properties
    take_out: Callable[[], bytes]
    mail: "Callable[[], MapiMail] | None" = None
    """Gives it where it is a mail itself."""
    size: int | None = None
    """Bytes; None where that is not known before they are taken out."""
    damaged: bool = False
    """Its bytes cannot be taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapiMail:
    """A mail, appointment, contact, ... of Outlook's."""

    properties: Properties
    recipients: Sequence[Properties] = ()
    attachments: Sequence[MapiFile] = field(default=(), repr=False)


def letter_of(mail: MapiMail, *, depth: int = 0) -> Letter:
    """The mail as any other; what it has of headers as they were sent comes first, then Outlook's own properties."""
    sent = mail.properties.text(0x007D).encode("utf-8", "replace")
    transport = split_headers(sent.lstrip(b"\r\n"), 0, len(sent))[0]
    bodies, faults = _bodies(mail.properties)
    return Letter(
        headers=_headers(mail, transport),
        bodies=bodies,
        attached=tuple(_attached(one, number, depth) for number, one in enumerate(mail.attachments, 1)),
        delivered=_moment(mail.properties, 0x0E06, 0x3007),
        warnings=faults,
    )


def _headers(mail: MapiMail, transport: Headers) -> dict[str, str]:
    properties = mail.properties
    stated = {name: transport.readable(name.casefold()) for name in SHOWN_HEADERS}
    sender = _who(properties, names=(0x0C1A,), addresses=(0x5D01, 0x0C1F))
    author = _who(properties, names=(0x0042,), addresses=(0x5D02, 0x0065))
    own = {
        "From": author or sender,
        "Sender": sender if author and sender != author else "",
        "Date": _moment(properties, 0x0039),
        "Subject": _subject(properties),
        "Message-ID": properties.text(0x1035),
        "In-Reply-To": properties.text(0x1042),
        "References": properties.text(0x1039),
        **{header: _recipients(mail, kind) or properties.text(names) for kind, header, names in _RECIPIENTS},
    }
    joined = {name: one_line(stated[name] or own.get(name, "")) for name in SHOWN_HEADERS}
    return {name: value for name, value in joined.items() if value}


def _who(properties: Properties, *, names: Sequence[int], addresses: Sequence[int]) -> str:
    """Name and address, the address that mail uses (SMTP) before those inside an office."""
    name = properties.text(*names).strip("' ")
    found = [address for tag in addresses if (address := properties.text(tag))]
    address = next((one for one in found if "@" in one), found[0] if found else "")
    if not address or address == name:
        return name
    return f"{name} <{address}>" if name else address


def _recipients(mail: MapiMail, kind: int) -> str:
    found = (one for one in mail.recipients if (one.number(0x0C15) or 0) & 0xF == kind)
    return ", ".join(filter(None, (_who(one, names=(0x3001,), addresses=(0x39FE, 0x3003)) for one in found)))


def _subject(properties: Properties) -> str:
    subject = properties.text(0x0037) or properties.text(0x0E1D) or properties.text(0x0070)
    return subject[2:] if subject.startswith("\x01") else subject  # PST: how long its prefix "Re: " is


def _moment(properties: Properties, *tags: int) -> str:
    return next((moment.isoformat() for tag in tags if (moment := properties.moment(tag))), "")


def _bodies(properties: Properties) -> tuple[tuple[Body, ...], tuple[str, ...]]:
    """The message as text, or else from RTF, or else as the page it was written as; before it, details by field."""
    shown = details(properties)
    before = (Body(text=shown, label="Details"),) if shown else ()
    page = _page(properties)
    plain = properties.text(0x1000)
    if not page or not plain.strip():
        rtf, faults = rtf_message(properties.octets(0x1009))
        page = page or (rtf.text if rtf and rtf.is_page else "")
        plain = plain if plain.strip() else (rtf.text if rtf and not rtf.is_page else "")
    else:
        faults = ()
    if plain.strip():
        return (*before, Body(text=plain, other_form=page)), faults
    return (*before, Body(text=page, is_page=True)) if page else before, faults


def _page(properties: Properties) -> str:
    kind, raw = properties.raw.get(0x1013, (0, b""))
    if kind in (0x1F, 0x1E):
        return properties.text(0x1013)
    return letters(raw.rstrip(b"\x00"), properties.page_charset).text if raw else ""


def _attached(one: MapiFile, number: int, depth: int) -> Attached:
    properties = one.properties
    name = _name(properties, number)
    method = properties.number(0x3705) or _BY_VALUE
    if one.mail is not None:
        return _attached_mail(one.mail, name, number, depth)
    if one.damaged:
        return Attached(name=name, take_out=bytes, left=(Outcome.NOT_READABLE, "damaged inside the mailbox"))
    if method in _KEPT_ELSEWHERE:
        reason = "kept in another place; the mail only says where, and nothing was opened"
        return Attached(name=name, take_out=one.take_out, left=(Outcome.NOT_READABLE, reason))
    stated = properties.text(0x370E).casefold()
    if stated in _SEALED or name.casefold().endswith(".p7m"):
        return Attached(
            name="signed message.eml", take_out=lambda: _as_mail(one.take_out()), media_type="message/rfc822"
        )
    if method != _OBJECT:
        return Attached(name=name, take_out=one.take_out, empty=one.size == 0)
    inner = next(iter(unwrapped(name, one.take_out())), None)
    if inner is None or not inner.data:
        reason = "an embedded object that holds no file"
        return Attached(name=name, take_out=one.take_out, left=(Outcome.NOT_READABLE, reason))
    return Attached(name=inner.name, take_out=lambda: inner.data)


def _as_mail(sealed: bytes) -> bytes:
    """A signed or encrypted message, which Outlook keeps as an attachment, as a mail."""
    if b":" in sealed[:200] and not sealed.startswith(b"\x30"):
        return sealed
    headers = b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return headers + base64.encodebytes(sealed)


def _attached_mail(take: "Callable[[], MapiMail]", name: str, number: int, depth: int) -> Attached:
    if depth >= MAX_NESTED:
        reason = f"lies inside more than {MAX_NESTED} mails"
        return Attached(name=name, take_out=bytes, left=(Outcome.REFUSED, reason))
    letter = letter_of(take(), depth=depth + 1)
    subject = letter.headers.get("Subject", "") or name or f"mail {number}"
    own = subject.replace("/", " ").removesuffix(".eml").removesuffix(".msg")
    return Attached(name=f"{own}.eml", take_out=lambda: as_eml(letter), media_type="message/rfc822")


def _name(properties: Properties, number: int) -> str:
    stated = properties.text(0x3707) or properties.text(0x3704) or properties.text(0x3001)
    name = one_line(stated).replace("\\", "/").strip("/ ")
    suffix = one_line(properties.text(0x3703))
    if name and suffix.startswith(".") and "." not in name:
        return f"{name}{suffix}"
    return name or f"attachment {number}{suffix}"

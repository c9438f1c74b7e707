"""Outlook's appointments, contacts and tasks as lines of a name and a value."""

from collections.abc import Iterator

from r3con_core.readers.mapi_values import Properties
from r3con_core.readers.text import one_line

_CONTACT = (
    ("Name", 0x3001),
    ("Company", 0x3A16),
    ("Department", 0x3A18),
    ("Job title", 0x3A17),
    ("Manager", 0x3A4E),
    ("Assistant", 0x3A30),
    ("Nickname", 0x3A4F),
    ("Business telephone", 0x3A08),
    ("Second business telephone", 0x3A1B),
    ("Home telephone", 0x3A09),
    ("Mobile telephone", 0x3A1C),
    ("Business fax", 0x3A24),
    ("Street", 0x3A29),
    ("Postal code", 0x3A2A),
    ("City", 0x3A27),
    ("State", 0x3A28),
    ("Country", 0x3A26),
    ("Web page", 0x3A51),
    ("Spouse", 0x3A48),
)
_CONTACT_NAMED = (
    ("E-mail", 0x8083),
    ("E-mail 2", 0x8093),
    ("E-mail 3", 0x80A3),
    ("Business address", 0x801B),
    ("Home address", 0x801A),
    ("Instant messaging", 0x8062),
)
_APPOINTMENT = (("Start", 0x820D), ("End", 0x820E))
_TASK = (("Start", 0x8104), ("Due", 0x8105), ("Completed", 0x810F))
_ATTENDEES = (("Location", 0x8208), ("All attendees", 0x8238), ("Recurrence", 0x8232), ("Owner", 0x811F))


def details(properties: Properties) -> str:
    """The fields of what is no mail, one a line, times in UTC; empty for mails."""
    kind = properties.text(0x001A).casefold()
    lines: tuple[tuple[str, str], ...] = ()
    if kind.startswith("ipm.contact"):
        lines = (*_texts(properties), *_moments(properties, (("Birthday", 0x3A42),), named=False))
    elif kind.startswith(("ipm.appointment", "ipm.schedule", "ipm.task")):
        times = _TASK if kind.startswith("ipm.task") else _APPOINTMENT
        lines = (*_moments(properties, times, named=True), *_named(properties, _ATTENDEES))
    return "\n".join(f"{name}: {value}" for name, value in lines)


def _texts(properties: Properties) -> Iterator[tuple[str, str]]:
    yield from ((name, one_line(value)) for name, tag in _CONTACT if (value := properties.text(tag)))
    yield from _named(properties, _CONTACT_NAMED)


def _named(properties: Properties, fields: tuple[tuple[str, int], ...]) -> Iterator[tuple[str, str]]:
    yield from ((name, one_line(value)) for name, number in fields if (value := properties.named_text(number)))


def _moments(properties: Properties, fields: tuple[tuple[str, int], ...], *, named: bool) -> Iterator[tuple[str, str]]:
    for name, number in fields:
        moment = properties.named_moment(number) if named else properties.moment(number)
        if moment is not None and moment.year < 4000:
            yield name, moment.isoformat()

"""A mail, whatever file it came in, and the document and members it becomes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from r3con_core.documents import Document, Finding, Source, Span, Unit, make_document
from r3con_core.readers.html import read_page
from r3con_core.readers.ledger import LedgerLine, Member, Outcome, member_path
from r3con_core.readers.mail_headers import iso_date
from r3con_core.readers.mail_history import history_spans, mark_cited, take_marks, without_marks
from r3con_core.readers.text import clean, file_name, join_blocks, merged_units, one_line

SHOWN_HEADERS = (
    "From",
    "Sender",
    "Reply-To",
    "To",
    "Cc",
    "Bcc",
    "Date",
    "Subject",
    "Message-ID",
    "In-Reply-To",
    "References",
)
"""Headers that stand in a mail's text, in this order; the last three make threads."""
_BETWEEN = "\n\n"
_WORD = re.compile(r"\w+")
_TAGS = re.compile(r"(?is)<(style|script|head)\b.*?</\1\s*>|<!--.*?-->|<[^<>]*>|&\w{1,10};|&#\w{1,8};")
_LINKS = re.compile(r"(?:https?://|www\.|mailto:|cid:)\S+|\[[^\[\]\n]{0,200}\]")
_FEW_WORDS = 8
"""Words by which two forms of one message may differ before both are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file or mail that came with a mail."""

    name: str
    take_out: Callable[[], bytes]
    """Gives its bytes; called once, when they are wanted."""
    media_type: str = "application/octet-stream"
    empty: bool = False
    left: tuple[Outcome, str] | None = None
    """What to say of one that is not to be read, and what became of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """One piece of a mail's message."""

    text: str
    """Plain text, or the markup of a web page."""
    is_page: bool = False
    other_form: str = ""
    """The same message as a web page, where it was given as plain text too."""
    label: str = "Message body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail taken apart."""

    headers: Mapping[str, str]
    """In readable letters, by the names in SHOWN_HEADERS; what is not stated is missing."""
    bodies: tuple[Body, ...] = ()
    attached: tuple[Attached, ...] = ()
    delivered: str = ""
    """When it was delivered, as its headers state it; the date of a mail that states none."""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Text:
    """A text under way, with its places and what is noteworthy in it."""

    pieces: list[str] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    size: int = 0
    quoted: int = 0
    """Stretches of quoted history so far."""
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> int:
        """Append a piece; where it begins."""
        if self.pieces:
            self.pieces.append(_BETWEEN)
            self.size += len(_BETWEEN)
        self.pieces.append(text)
        begin = self.size
        self.size += len(text)
        return begin


def letter_found(letter: Letter, source: Source) -> Iterator[Document | Member | LedgerLine]:
    """The mail as a document, then what is attached to it, each under a name of its own."""
    letter = replace(letter, attached=_with_own_names(letter.attached))
    yield letter_document(letter, source)
    for attached in letter.attached:
        if attached.left is None:
            yield Member(name=attached.name, data=attached.take_out())
        else:
            outcome, reason = attached.left
            yield LedgerLine(path=member_path(source, attached.name), outcome=outcome, reason=reason)


def letter_document(letter: Letter, source: Source) -> Document:
    """The headers and the message, with what it quotes marked as such; its date is when it says that it was sent."""
    text = _Text(warnings=list(letter.warnings))
    headers = clean("\n".join(f"{name}: {value}" for name, value in _shown(letter)))
    if headers:
        begin = text.add(headers)
        text.units.append(Unit(kind="header", label="Headers", span=Span(start=begin, end=begin + len(headers))))
    if not sum(_add_body(text, body) for body in letter.bodies):
        text.warnings.insert(0, _nothing_said(letter.attached))
    elif empty := sum(attached.empty for attached in letter.attached):
        is_or_are = "is" if empty == 1 else "are"
        text.warnings.append(f"{empty} of its {_attachments(len(letter.attached))} {is_or_are} empty.")
    date = iso_date(letter.headers.get("Date", ""))
    if date is None and (date := iso_date(letter.delivered)):
        text.warnings.append("The mail states no date that can be read; when it was delivered was taken for it.")
    return make_document(
        title=letter.headers.get("Subject") or file_name(source),
        text="".join(text.pieces),
        source=source,
        units=merged_units(text.units),
        date=date,
        author=one_line(letter.headers["From"]) if letter.headers.get("From") else None,
        findings=tuple(text.findings),
        warnings=tuple(dict.fromkeys(text.warnings)),
    )


def _shown(letter: Letter) -> Iterator[tuple[str, str]]:
    for name in SHOWN_HEADERS:
        value = letter.headers.get(name, "")
        if value and not (name in ("Sender", "Reply-To") and value == letter.headers.get("From")):
            yield name, value
    if letter.attached:
        yield "Attachments", ", ".join(one_line(attached.name) for attached in letter.attached)


def _nothing_said(attached: Sequence[Attached]) -> str:
    if not attached:
        return "The mail has no body."
    empty = sum(one.empty for one in attached)
    if empty == len(attached):
        return f"The mail has no body; {_attachments(empty, 'empty ')}."
    if empty:
        return f"The mail has no body; {_attachments(len(attached))}, {empty} of them empty."
    return f"The mail has no body; {_attachments(len(attached))}."


def _attachments(count: int, how: str = "") -> str:
    return f"{count} {how}attachment{'' if count == 1 else 's'}"


def _add_body(text: _Text, body: Body) -> bool:
    """Add one piece of the message; whether there was anything in it."""
    if body.is_page:
        return _add_page(text, body.text, body.label)
    plain = clean(without_marks(body.text)).strip("\n")
    if not plain.strip():
        return _add_page(text, body.other_form, body.label) if body.other_form else False
    _add_message(text, plain, history_spans(plain), body.label)
    if body.other_form and _differ(plain, body.other_form):
        text.warnings.append("The message was sent in two forms that differ, as text and as a page; both were read.")
        _add_page(text, body.other_form, "Message body as a page")
    return True


def _differ(plain: str, markup: str) -> bool:
    """Whether two forms of one message say different things, by the words that only one of them has.

    A number that only the page has is enough: it may be the sum.
    """
    page = _words(_LINKS.sub(" ", _TAGS.sub(" ", markup)))
    text = _words(_LINKS.sub(" ", plain))
    limit = max(_FEW_WORDS, len(text | page) // 5)
    more = page - text
    return len(more) > limit or len(text - page) > limit or any(word.isdigit() for word in more)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if word.isascii() and (len(word) > 2 or word.isdigit())}


def _add_page(text: _Text, markup: str, label: str) -> bool:
    page = read_page(mark_cited(markup))
    text.warnings += (without_marks(warning) for warning in page.warnings)
    joined, _ = join_blocks(page.blocks)
    words, cited = take_marks(joined)
    for finding in page.findings:
        if unseen := without_marks(finding.text):
            text.findings.append(replace(finding, text=unseen, place=finding.place or "message body"))
    if not words.strip():
        return False
    _add_message(text, words, history_spans(words, cited), label)
    return True


def _add_message(text: _Text, message: str, history: Sequence[tuple[int, int]], label: str) -> None:
    """The message with a unit for each stretch of its own and each that it quotes, numbered through."""
    begin = text.add(message)
    text.labels[label] += 1
    named = f"{label} {text.labels[label]}" if text.labels[label] > 1 else label
    at = 0
    for start, end in (*history, (len(message), len(message))):
        own = message[at:start]
        if own.strip():
            at += len(own) - len(own.lstrip("\n"))
            span = Span(start=begin + at, end=begin + at + len(own.strip("\n")))
            text.units.append(Unit(kind="body", label=named, span=span))
        if end > start:
            text.quoted += 1
            span = Span(start=begin + start, end=begin + end)
            text.units.append(Unit(kind="quoted history", label=str(text.quoted), span=span))
        at = end


def _with_own_names(attached: Sequence[Attached]) -> tuple[Attached, ...]:
    """The same, with a number in the names that others before them have."""
    taken: set[str] = set()
    named = []
    for one in attached:
        path = PurePosixPath(one.name)
        name, number = one.name, 1
        while name in taken:
            number += 1
            name = f"{one.name.removesuffix(path.suffix)} ({number}){path.suffix}"
        taken.add(name)
        named.append(replace(one, name=name))
    return tuple(named)

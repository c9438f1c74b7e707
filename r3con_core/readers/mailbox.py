"""Mailboxes in the mbox format (RFC 4155) give their mails one after the other, however large they are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, member_path

MAX_MAIL_BYTES = 256 * 2**20
_LONGEST_LINE = 2**20
_MARK = re.compile(rb"From (?:[^\r\n]{0,300}\d\d:\d\d[^\r\n]{0,100})?\r?\n\Z")
"""The line before each mail: a sender and a time; that of newer Thunderbirds is empty."""
_STRICT_MARK = re.compile(
    rb"From [^\r\n]{0,300}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d "
    rb"\d\d:\d\d(?::\d\d)? [^\r\n]{0,40}\d{4}[^\r\n]{0,40}\r?\n\Z"
)
_FIELD = re.compile(rb"[!-9;-~]{1,100}[ \t]*:|>From ")
_DATE_FIELD = re.compile(rb"(?i)date[ \t]*:")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")


@dataclass(slots=True)
class _Mail:
    """A mail being passed over."""

    mark: bytes = b""
    start: int = 0
    """Where in the mailbox it begins, behind its mark."""
    size: int = 0
    has_words: bool = False
    in_headers: bool = True
    dated: bool = False
    escaped: bool = False

    def add(self, line: bytes) -> None:
        self.size += len(line)
        blank = line.isspace()
        self.has_words = self.has_words or not blank
        if self.in_headers:
            self.dated = self.dated or _DATE_FIELD.match(line) is not None
            self.in_headers = not blank
        elif line.startswith(b">") and _ESCAPED.match(line):
            self.escaped = True


def read_mailbox(file: File) -> Iterator[Member | LedgerLine]:
    """The mails of an mbox file as members, in their order: "mail 1.eml", ...

    At most one mail is in memory at a time, and none where it can be read in its place on disk; one beyond
    MAX_MAIL_BYTES is a ledger line. The sign ">" that mailboxes put before lines that begin with "From " is taken off.
    A mail without a date keeps its mark, which has one, in a header.
    """
    with file.content.open() as stream:
        for number, mail in enumerate(_mails(stream), 1):
            yield _member(file, mail, number)


def _member(file: File, mail: _Mail, number: int) -> Member | LedgerLine:
    name = f"mail {number}.eml"
    if mail.size > MAX_MAIL_BYTES:
        reason = f"larger than {MAX_MAIL_BYTES // 2**20} MB, the limit for one mail"
        return LedgerLine(path=member_path(file.source, name), outcome=Outcome.REFUSED, reason=reason, size=mail.size)
    place = _place(file.content, mail)
    if mail.dated and not mail.escaped and place.path is not None:
        return Member(name=name, stretch=place)
    plain = _ESCAPED.sub(rb"\1", place.data()) if mail.escaped else place.data()
    undated = not mail.dated and mail.mark.strip() not in (b"", b"From")
    return Member(name=name, data=b"X-From-Line: " + mail.mark[5:].strip() + b"\n" + plain if undated else plain)


def _place(content: Content, mail: _Mail) -> Content:
    if content.path is None:
        return Content.held((content.memory or b"")[mail.start : mail.start + mail.size])
    return Content.on_disk(content.path, start=content.start + mail.start, size=mail.size)


def _mails(stream: BinaryIO) -> Iterator[_Mail]:
    mail = _Mail()
    waiting = b""  # a line that may be a mark; what follows it decides
    after_blank = True
    at = 0
    while line := stream.readline(_LONGEST_LINE):
        if waiting:
            if _parts(waiting, line, after_blank=after_blank):
                if mail.has_words:
                    yield mail
                mail = _Mail(mark=waiting, start=at)
            else:
                mail.add(waiting)
            waiting, after_blank = b"", False
        if line.startswith(b"From ") and _MARK.fullmatch(line):
            waiting = line
        else:
            mail.add(line)
            after_blank = not line.strip()
        at += len(line)
    if waiting:
        mail.add(waiting)
    if mail.has_words:
        yield mail


def _parts(mark: bytes, following: bytes, *, after_blank: bool) -> bool:
    """Whether a line parts two mails: headers follow it, and it stands after an empty line or has a whole date."""
    if not _FIELD.match(following):
        return False
    return after_blank or _STRICT_MARK.fullmatch(mark) is not None

"""A document of a production while it is put together, and the pictures and natives that are read for it."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from r3con_core.documents import Document, Finding, Span, Unit
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, Progress, shown_name
from r3con_core.readers.limits import USUAL_LIMITS
from r3con_core.readers.productions_listed import Listed

_BETWEEN = "\n\n"
_PAGE = re.compile(r"\b([Pp]age) (\d+)\b")
_RECOGNISED = "recognised in a picture"
"""What the reader of pictures says of each page; here it is said once for all of them."""
_MOST = 5
"""Warnings about pictures that are given one by one."""


@dataclass(slots=True, kw_only=True)
class Part:
    """A picture or native, and what its own reader found in it."""

    name: str
    content: Content
    document: Document | None = None
    faults: list[LedgerLine] = field(default_factory=list)
    members: list[Member | LedgerLine] = field(default_factory=list)

    def locked_lines(self, path: str) -> Iterator[LedgerLine]:
        """The line that asks for the password of the document at `path`, if it needs one."""
        for line in self.faults:
            if line.locked:
                yield replace(line, path=path)


def read_part(part: Part, file: File) -> Iterator[Progress]:
    """Have a part read by the reader of its kind; what goes wrong is among its `faults`."""
    from r3con_core.readers.reading import Node, Pack, Taken, findings  # the table of readers has this one too

    media_type = kinds.detect(part.content, part.name)
    node = Node(key=(), path=file.source.path, content=part.content, sha256=file.source.sha256, media_type=media_type)
    with tempfile.TemporaryDirectory(prefix="r3con-") as folder:
        pack = Pack(Path(folder) / "members", USUAL_LIMITS)
        for found in findings(node, file.settings, USUAL_LIMITS, pack):
            match found:
                case Progress():
                    yield found
                case Document() if found.source.path == file.source.path and part.document is None:
                    part.document = found
                case LedgerLine() if found.path == file.source.path:
                    part.faults.append(found)
                case LedgerLine():
                    part.members.append(found)
                case Taken():
                    part.members.append(Member(name=found.name, data=found.content.data()))
        pack.close()


@dataclass(slots=True, kw_only=True)
class Draft:
    """The document as far as it is put together."""

    listed: Listed
    warnings: list[str]
    texts: list[str] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    of_pictures: list[str] = field(default_factory=list)
    native: Part | None = None
    pages: int = 0
    length: int = 0

    @property
    def text(self) -> str:
        """All of it so far."""
        return _BETWEEN.join(self.texts)

    def add_head(self, text: str) -> None:
        """Add what the load file says."""
        if (span := self._add(text)) is not None:
            self.units.append(Unit(kind="header", label="Production header", span=span, bates=self.listed.bates))

    def add_whole(self, text: str) -> None:
        """Add a text whose pages cannot be told apart."""
        self.pages = len(self.listed.pages)
        if (span := self._add(text)) is not None:
            self.units.append(Unit(kind="text", label="Text", span=span, bates=self.listed.bates))

    def add_page(self, text: str, *, number: int, bates: str) -> None:
        """Add the text of page `number`."""
        self.pages = max(self.pages, number)
        if (span := self._add(text)) is not None:
            self.units.append(Unit(kind="page", label=str(number), span=span, page=number, bates=bates))

    def miss(self, number: int, warning: str) -> None:
        """Tell of a page that is not read."""
        self.pages = max(self.pages, number)
        self.unread.append(number)
        self.of_pictures.append(warning)

    def adopt_picture(self, part: Part, *, number: int, numbers: Sequence[str]) -> int:
        """Add what was read in the picture of page `number`, or of it and those after it; the last page it shows."""
        document = part.document
        if document is None:
            reasons = "; ".join(line.reason for line in part.faults) or "there is nothing in its picture"
            self.miss(number, f"Page {number} was not read: {reasons}.")
            return number
        before, start = number - 1, self._next
        self._add(document.text)
        for unit in document.units:
            page = before + (unit.page or 1)
            bates = numbers[page - 1] if page <= len(numbers) else numbers[-1]
            label = str(page) if unit.kind == "page" else unit.label
            self.units.append(replace(_moved(unit, start), label=label, page=page, bates=bates))
        self.findings += [
            replace(_found(one, start), place=_renumbered(one.place, before)) for one in document.findings
        ]
        self.unread += [before + page for page in document.unread_pages]
        self.of_pictures += [_renumbered(one, before) for one in document.warnings if _RECOGNISED not in one]
        self.pages = max(self.pages, before + max(document.pages, 1))
        return before + max(document.pages, 1)

    def adopt_native(self, part: Part) -> None:
        """Add what was read in the native."""
        self.native = part
        self.warnings += [f"Its native {shown_name(part.name)} was not read: {one.reason}." for one in _failing(part)]
        if part.document is None:
            return
        start = self._next
        self._add(part.document.text)
        self.units += [_moved(unit, start) for unit in part.document.units]
        self.findings += [_found(one, start) for one in part.document.findings]
        self.warnings += part.document.warnings
        if not self.pages:
            self.pages = part.document.pages
            self.unread += part.document.unread_pages

    def all_warnings(self) -> tuple[str, ...]:
        """Those of the document, each once."""
        recognised = sum(unit.confidence is not None for unit in self.units)
        pages = "1 page" if recognised == 1 else f"{recognised} pages"
        ocr = [f"The text of {pages} was recognised in pictures (OCR); check it against them."] if recognised else []
        few = [one[:1].upper() + one[1:] for one in dict.fromkeys(self.of_pictures)]
        more = [f"The same or similar is true of {len(few) - _MOST} more pages."] if len(few) > _MOST else []
        return tuple(dict.fromkeys((*self.warnings, *ocr, *few[:_MOST], *more)))

    @property
    def _next(self) -> int:
        return self.length + (len(_BETWEEN) if self.texts else 0)

    def _add(self, text: str) -> Span | None:
        if not text.strip():
            return None
        start = self._next
        self.texts.append(text)
        self.length = start + len(text)
        return Span(start=start, end=self.length)


def _failing(part: Part) -> Iterator[LedgerLine]:
    return (line for line in part.faults if line.outcome not in (Outcome.READ, Outcome.READ_WITH_WARNINGS))


def _moved(unit: Unit, by: int) -> Unit:
    return replace(unit, span=Span(start=unit.span.start + by, end=unit.span.end + by))


def _found(finding: Finding, by: int) -> Finding:
    if finding.span is None:
        return finding
    return replace(finding, span=Span(start=finding.span.start + by, end=finding.span.end + by))


def _renumbered(words: str, before: int) -> str:
    """The words with the pages they name counted in the document, not in the picture."""
    return _PAGE.sub(lambda found: f"{found[1]} {int(found[2]) + before}", words)

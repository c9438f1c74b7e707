"""Documents, the places in them, and the corpus they form.

Offsets are code points into `Document.text`, which never changes after loading.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """Characters `start` up to, not including, `end` of one document's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, not {self.start}..{self.end}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A place people cite: a page, a paragraph, a mail part, a table row."""

    kind: str
    """page, part, sheet, header, body, ..."""
    label: str
    """As printed or counted: "7", "xii", "Message body"."""
    span: Span
    page: int | None = None
    """Its place in the file, from 1, where the file has pages: the page a viewer opens."""
    bates: str = ""
    """The production number stamped on the page, such as NDHA-000103."""
    confidence: int | None = None
    """Of text recognised in a picture (OCR), 0 to 100; None for text that stood in the file."""

    @property
    def citation(self) -> str:
        """The place as people cite it: "p. 1 (PDF page 3), NDHA-000103"."""
        shown = self.label if self.kind in self.label.casefold() else f"{self.kind} {self.label}"
        if self.page is not None and self.kind == "page":
            shown = f"p. {self.label}" if self.label == str(self.page) else f"p. {self.label} (PDF page {self.page})"
        return f"{shown}, {self.bates}" if self.bates else shown


ALSO_ADDRESSED = "addressed to AI systems"
"""Ends the detail of a finding of another kind that speaks to AI systems too."""


class FindingKind(StrEnum):
    """What is noteworthy about a stretch of text that a reader of the page would not simply read."""

    UNSEEN = "text a reader cannot see"
    """White, tiny, off the page, invisible, in a hidden element; set aside."""
    COVERED = "text under a covering"
    """Such as a black box drawn over it; set aside."""
    DELETED = "deleted text"
    """By a tracked change; set aside."""
    INSERTED = "inserted text"
    """By a tracked change; in the text."""
    HIDDEN_PART = "hidden part"
    """A hidden sheet, column, row or slide; in the text and marked there."""
    ADDRESSED = "text addressed to AI systems"
    """In the text, or set aside if it is unseen too."""
    NAMED = "name addressed to AI systems"
    """A title, an author, the name of the file or of a folder or container it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A stretch of text to be shown to the analyst for what it is."""

    kind: FindingKind
    text: str
    """The whole of it."""
    place: str = ""
    """Where it is, as people say it: "page 3", "comment 2"."""
    span: Span | None = None
    """Where it stands in `Document.text`; None when it was set aside and is not in it."""
    detail: str = ""
    """Who and when, or why: "by R. Marsh, 2021-11-28", "white letters"."""

    @property
    def set_aside(self) -> bool:
        """It is not in the document's text, and no model sees it until the analyst decides so."""
        return self.span is None and self.kind is not FindingKind.NAMED

    @property
    def addressed(self) -> bool:
        """It speaks to AI systems, whatever else it is."""
        return self.kind in (FindingKind.ADDRESSED, FindingKind.NAMED) or self.detail.endswith(ALSO_ADDRESSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a document's bytes came from."""

    path: str
    """As the analyst knows it; members of containers follow after " > "."""
    sha256: str
    """Of the bytes of the file or member."""
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text, the unit of reading and of citing."""

    id: str
    title: str
    text: str
    source: Source
    units: tuple[Unit, ...] = ()
    """In text order; may be empty."""
    date: str | None = None
    """ISO 8601 where the document itself states one, such as a mail's header."""
    author: str | None = None
    language: str = ""
    """ISO 639-1 code of what most of it is written in; empty when that is open."""
    pages: int = 0
    """How many pages the file has; 0 for kinds of files without pages."""
    unread_pages: tuple[int, ...] = ()
    """Places of the pages that hold something that could not be read."""
    parent: str = ""
    """Path of the document this one came attached to; empty when it came alone."""
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    """What the reader could not do, in plain sentences."""

    @property
    def words(self) -> int:
        """Number of blank-separated words."""
        return len(self.text.split())


def make_document(*, title: str, text: str, source: Source, **stated: object) -> Document:
    """A document whose id is the hash of its path and text, so that the same file loaded twice is the same document."""
    digest = hashlib.sha256(f"{source.path}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()
    return Document(id=f"doc-{digest[:16]}", title=title, text=text, source=source, **stated)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """The ordered documents of one piece of work; the order gives "Document 7" everywhere."""

    documents: tuple[Document, ...]

    def __post_init__(self) -> None:
        if len(self._positions) != len(self.documents):
            raise ValueError("a corpus holds each document once")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {document.id: position for position, document in enumerate(self.documents)}

    @cached_property
    def longest(self) -> int:
        """Estimated tokens of the longest document; 0 when there is none."""
        by_letters = sorted((document.text for document in self.documents), key=len, reverse=True)
        return max(map(estimate_tokens, by_letters[:5]), default=0)

    def number(self, document_id: str) -> int:
        """The document's number, from 1."""
        return self._positions[document_id] + 1

    def get(self, document_id: str) -> Document:
        """The document with this id; KeyError when the corpus has none."""
        return self.documents[self._positions[document_id]]

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._positions


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a document too long to read at once; never a unit of meaning."""

    document_id: str
    number: int
    """From 1."""
    count: int
    """How many parts the document has."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A document that a stage could not use, and why."""

    document_id: str
    reason: str


_WORDS = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
_SEVEN = re.compile(r"[^\W\d_]{7}")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u3040-\u30ff]")


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is: one per six letters of a word, per digit, per mark, per ideograph.

    Within -8 to +15 % of the Qwen tokenizer on English, code, JSON and CSV; a server's own count replaces it. Never more
    than one per character.
    """
    wide = len(_WIDE.findall(text))
    rest = _WIDE.sub(" ", text)
    pieces = len(_WORDS.findall(rest)) + len(_SEVEN.findall(rest))
    return wide + pieces + text.count("\n") // 2


_BREAKS = ("\n\n", "\n", ". ", "。", " ")


def split_into_parts(document: Document, *, tokens: int) -> tuple[Part, ...]:
    """Cut `document` at natural breaks into the fewest halvings whose parts are each within `tokens`.

    Parts follow each other without gap or overlap; an empty document has none, a short one has one.
    """
    if not document.text:
        return ()
    spans = tuple(_halve(document.text, Span(start=0, end=len(document.text)), tokens))
    return tuple(
        Part(document_id=document.id, number=number, count=len(spans), span=span)
        for number, span in enumerate(spans, start=1)
    )


def _halve(text: str, span: Span, tokens: int) -> Iterable[Span]:
    size = span.end - span.start
    if size < 2 or size <= tokens or estimate_tokens(text[span.start : span.end]) <= tokens:
        yield span
        return
    cut = _break_near_middle(text, span)
    yield from _halve(text, Span(start=span.start, end=cut), tokens)
    yield from _halve(text, Span(start=cut, end=span.end), tokens)


def _break_near_middle(text: str, span: Span) -> int:
    middle, reach = (span.start + span.end) // 2, (span.end - span.start) // 4
    for mark in _BREAKS:
        before = text.rfind(mark, middle - reach, middle + len(mark) - 1)
        after = text.find(mark, middle, middle + reach)
        places = [place + len(mark) for place in (before, after) if place >= 0]
        if places:
            return min(places, key=lambda place: abs(place - middle))
    return middle


def read_part(document: Document, part: Part) -> str:
    """The words of one part."""
    return document.text[part.span.start : part.span.end]

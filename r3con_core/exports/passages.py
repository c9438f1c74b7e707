"""The stretches of documents that quotes stand in, with the quotes marked: what a citation leads to. Pure."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from r3con_core.documents import Document, Span

AROUND = 900
"""Characters kept on either side of a quote in a document without pages."""
LONGEST_PAGE = 12_000
"""Characters; of a longer page only what is around its quotes is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """One quote in one document."""

    name: str
    """What it is called in the report, once in it."""
    document_id: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One stretch of a document, with the quotes that begin in it."""

    document_id: str
    span: Span
    page: str
    """How its pages are cited; empty when it has none."""
    quotes: tuple[Quoted, ...]
    """By where they begin."""


def passages_of(document: Document, quotes: Iterable[Quoted]) -> tuple[Passage, ...]:
    """The fewest stretches that hold all `quotes` of the document, in text order; none overlap."""
    quotes = sorted(quotes, key=lambda quoted: (quoted.span, quoted.name))
    spans = _joined(sorted(_around(document, quoted.span) for quoted in quotes))
    return tuple(
        Passage(
            document_id=document.id,
            span=span,
            page=_pages(document, span),
            quotes=tuple(quoted for quoted in quotes if span.start <= quoted.span.start < span.end),
        )
        for span in spans
    )


def _around(document: Document, span: Span) -> Span:
    """The pages that a quote touches where they are not too long, else what is around it, to the ends of words."""
    pages = [unit for unit in document.units if unit.page is not None and _overlap(unit.span, span)]
    if pages:
        whole = Span(start=min(span.start, pages[0].span.start), end=max(span.end, *(unit.span.end for unit in pages)))
        if whole.end - whole.start <= LONGEST_PAGE:
            return whole
    start, end = max(span.start - AROUND, 0), min(span.end + AROUND, len(document.text))
    while 0 < start < span.start and document.text[start - 1].isalnum():
        start += 1
    while span.end < end < len(document.text) and document.text[end].isalnum():
        end -= 1
    return Span(start=start, end=end)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(start=joined[-1].start, end=max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _pages(document: Document, span: Span) -> str:
    pages = [unit for unit in document.units if unit.page is not None and _overlap(unit.span, span)]
    if not pages:
        return ""
    first, last = pages[0], pages[-1]
    return first.citation if last.page == first.page else f"{first.citation} to {last.citation}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a passage in which the same quotes are marked throughout."""

    text: str
    begins: tuple[Quoted, ...]
    """The quotes that begin where it begins."""
    marked: bool
    """Some quote holds it."""


def pieces_of(passage: Passage, text: str) -> Iterator[Piece]:
    """The passage's text of the whole document's `text`, cut where quotes begin and end."""
    cuts = {passage.span.start, passage.span.end}
    for quoted in passage.quotes:
        cuts |= {place for place in (quoted.span.start, quoted.span.end) if place < passage.span.end}
    places = sorted(cuts)
    for start, end in itertools.pairwise(places):
        yield Piece(
            text=text[start:end],
            begins=tuple(quoted for quoted in passage.quotes if quoted.span.start == start),
            marked=any(quoted.span.start <= start < quoted.span.end for quoted in passage.quotes),
        )


_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def shown(text: str) -> str:
    """`text` letter for letter as a page can show it: what no page can hold is U+FFFD, line ends are one character."""
    return _UNSEEN.sub("\ufffd", text.replace("\r", "\n"))

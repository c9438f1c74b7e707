"""The places of a document as the reader in the browser wants them: pages, units and findings, in its own offsets."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pages.widgets.words import count
from r3con_core.documents import Document, Finding, FindingKind, Unit

_MARKED = {
    FindingKind.INSERTED: "inserted",
    FindingKind.HIDDEN_PART: "hidden",
    FindingKind.ADDRESSED: "addressed",
}
_PAGE = re.compile(r"^(?:pdf )?page (\d+)\b", re.IGNORECASE)
MOST_HEADS = 20_000
"""Pages that get a line of their own; a file may claim any number."""
LOW_CONFIDENCE = 70
"""Of recognised text, in percent; below it a page says that letters may be wrong."""


def utf16_offsets(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Offsets in code points, cut to the text's length, to offsets in the units that browsers count in."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return {offset: min(offset, len(text)) for offset in offsets}
    counted: dict[int, int] = {}
    before = units = 0
    for offset in sorted(set(offsets)):
        units += sum(2 if letter > "\uffff" else 1 for letter in text[before:offset])
        counted[offset] = units
        before = min(offset, len(text))
    return counted


def places_of(document: Document) -> dict[str, Any]:
    """What the browser fetches once with the text: `units` and `heads` in text order, `findings`, number of `pages`."""
    spans = [unit.span for unit in document.units] + [one.span for one in document.findings if one.span]
    utf16 = utf16_offsets(document.text, [0, len(document.text), *(end for s in spans for end in (s.start, s.end))])
    heads = _heads(document, utf16)
    numbers = {head["page"]: number for number, head in enumerate(heads)}
    return {
        "pages": document.pages or len(heads),
        "units": [[unit.citation, utf16[unit.span.start], utf16[unit.span.end]] for unit in document.units],
        "heads": heads,
        "findings": [_finding(one, utf16, numbers) for one in document.findings],
    }


def _heads(document: Document, utf16: dict[int, int]) -> list[dict[str, object]]:
    """A line for each page, also for those that have no text and so no unit."""
    units = {unit.page: unit for unit in reversed(document.units) if unit.page is not None}
    if not units and not document.pages:
        return []
    last = min(max([document.pages, *units]), MOST_HEADS)
    heads: list[dict[str, object]] = []
    after = utf16[len(document.text)]
    for page in range(last, 0, -1):
        unit = units.get(page)
        after = utf16[unit.span.start] if unit else after
        heads.append(_head(document, page, unit) | {"at": after})
    return heads[::-1]


def _head(document: Document, page: int, unit: Unit | None) -> dict[str, object]:
    unread = page in document.unread_pages
    return {
        "page": page,
        "label": unit.citation if unit else f"PDF page {page}" if document.pages > 1 else f"page {page}",
        "printed": unit.label if unit else "",
        "bates": unit.bates if unit else "",
        "unread": unread or (unit is not None and _is_doubtful(unit)),
        "note": page_note(unit, unread=unread),
    }


def _is_doubtful(unit: Unit) -> bool:
    return unit.confidence is not None and unit.confidence < LOW_CONFIDENCE


def page_note(unit: Unit | None, *, unread: bool) -> str:
    """What a reader must know of how a page was read: "" for plain text of the file."""
    told = []
    if unit is None:
        told.append("could not be read" if unread else "no text on it")
    elif unread:
        told.append("something on it could not be read")
    if unit is not None and unit.confidence is not None:
        told.append(f"read from a picture (OCR), {unit.confidence} % sure")
        if _is_doubtful(unit):
            told.append("check it against the picture")
    return "; ".join(told)


def _finding(finding: Finding, utf16: dict[int, int], numbers: dict[object, int]) -> dict[str, object]:
    named = _PAGE.match(finding.place)
    span = finding.span
    return {
        "kind": _MARKED.get(finding.kind, "aside"),
        "span": [utf16[span.start], utf16[span.end]] if span else None,
        "head": numbers.get(int(named[1]), -1) if named else -1,
        "title": finding_title(finding),
        "text": finding.text if span is None else "",
    }


def finding_title(finding: Finding) -> str:
    """What it is and where, in a line: "Not in the text below: deleted text, page 3 (by R. Marsh, 2021-11-28)"."""
    place = f", {finding.place}" if finding.place else ""
    detail = f" ({finding.detail})" if finding.detail else ""
    return f"{'Set aside, not in the text: ' if finding.set_aside else ''}{finding.kind}{place}{detail}"


def coverage_of_pages(pages: int, unread: Sequence[int]) -> str:
    """Such as "287 of 300 pages read"; "" for kinds of files without pages."""
    if not pages:
        return ""
    return f"{count(pages, 'page')}, all read" if not unread else f"{pages - len(unread):,} of {pages:,} pages read"

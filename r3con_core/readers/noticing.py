"""What is noticed about every document that was read: its language, and passages that speak to AI systems."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from r3con_core.documents import ALSO_ADDRESSED, Document, Finding, FindingKind, Span
from r3con_core.readers.addressed import MOST, find_addressed, speaks_to_ai, turned_letters
from r3con_core.readers.beside import Statement, addressed_beside
from r3con_core.readers.languages import language_of
from r3con_core.readers.text import excerpt

_LABELS = re.compile(r"(?m)^(?:(?:Date|Message-ID|In-Reply-To|References): .*$|[A-Z][A-Za-z -]{0,30}: )")
_NAMELESS = re.compile(r"\bcolumn \d+: ")


def notice(document: Document, beside: Iterable[Statement] = ()) -> Document:
    """`document` with its language where it had none, and with findings and warnings of what speaks to AI systems.

    `beside` is what its file says outside its text.
    """
    visible = (*_visible(document), *_names(document))
    known = "\n".join([document.text, *(finding.text for finding in document.findings)])
    document = replace(document, findings=(*document.findings, *addressed_beside(beside, known)))
    aside = tuple(_marked(finding) for finding in document.findings)
    return replace(
        document,
        language=document.language or language_of(_own_words(document)),
        findings=(*aside, *visible),
        warnings=(*document.warnings, *_warnings(document, visible, aside)),
    )


def _own_words(document: Document) -> str:
    """Its text without what readers add: reading notes, and the labels of headers and of columns without a name."""
    kept: list[str] = []
    at = 0
    rows = False
    for unit in document.units:
        rows = rows or unit.kind == "row"
        if unit.kind in ("header", "reading note") and unit.span.start >= at:
            header = document.text[unit.span.start : unit.span.end] if unit.kind == "header" else ""
            kept += (document.text[at : unit.span.start], _LABELS.sub("", header))
            at = unit.span.end
    kept.append(document.text[at:])
    text = "".join(kept)
    return _NAMELESS.sub("", text) if rows else text


def _visible(document: Document) -> Iterator[Finding]:
    for passage in find_addressed(document.text):
        yield Finding(
            kind=FindingKind.ADDRESSED,
            text=passage.text,
            place=_place(document, passage.span),
            span=passage.span,
            detail=passage.detail,
        )


def _names(document: Document) -> Iterator[Finding]:
    """Names that models or people are shown; the title is often the file's name, and is told once."""
    *within, name = _BETWEEN.split(document.source.path)
    named = [(name, "file name"), *((one, "folder name") for one in within)]
    if document.title not in name:
        named.insert(0, (document.title, "title"))
    if document.author:
        named.append((document.author, "author"))
    for text, place in named:
        if speaks_to_ai(text) or speaks_to_ai(spaced(text)):
            yield Finding(kind=FindingKind.NAMED, text=text, place=place)


def spaced(name: str) -> str:
    """The words of a name, however they are set apart."""
    return " ".join(_JOINTS.sub(" ", _HUMP.sub(" ", name)).split())


_BETWEEN = re.compile(r" > |[/\\]")
_JOINTS = re.compile(r"[_.+~-]+|%20")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _place(document: Document, span: Span) -> str:
    return next((unit.citation for unit in document.units if unit.span.start <= span.start < unit.span.end), "")


def _marked(finding: Finding) -> Finding:
    """A text set aside says whether it speaks to AI systems."""
    if not finding.set_aside or finding.kind is FindingKind.ADDRESSED or not find_addressed(finding.text):
        return finding
    return replace(finding, detail=f"{finding.detail}; {ALSO_ADDRESSED}" if finding.detail else ALSO_ADDRESSED)


def _warnings(document: Document, visible: tuple[Finding, ...], aside: tuple[Finding, ...]) -> Iterator[str]:
    if visible:
        more = f" There may be more: only {MOST} passages are told." if len(visible) >= MOST else ""
        yield f"This document contains text addressed to AI systems: {excerpt(f.text for f in visible)}.{more}"
    marked = [
        finding
        for finding, before in zip(aside, document.findings, strict=True)
        if finding != before or (finding.kind is FindingKind.ADDRESSED and finding.set_aside)
    ]
    if marked:
        yield f"Text set aside in this document is addressed to AI systems: {excerpt(f.text for f in marked)}."
    if turned := turned_letters(document.text):
        yield f"Signs in this document make letters show in another order than they are stored: {excerpt(turned)}."

"""Web pages become documents: what a reader of the page sees, one line a block; what he cannot see is set aside."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from r3con_core.documents import Document, Finding, make_document
from r3con_core.readers.html_deep import deep_events
from r3con_core.readers.html_looks import Looks
from r3con_core.readers.html_walk import BLANKS, INSTEAD, Event, Frame, Walk
from r3con_core.readers.ledger import File
from r3con_core.readers.mail_headers import letters
from r3con_core.readers.text import Block, encoding_warnings, excerpt, file_name, join_blocks, merged_units

_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_STYLES = re.compile(r"<style\b[^<>]*>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_OTHER_STYLES = re.compile(r"<link\b[^<>]*stylesheet", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)?")
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author")
_DATES = (
    ("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created"),
    ("dcterms.issued", "pubdate", "publishdate", "parsely-pub-date", "created", "article:modified_time"),
)
_COMMENT = "a comment in the page's source"
_QUIET = (_COMMENT, "shown only where scripts are off", "a template", INSTEAD)
"""Kinds of unseen text that nearly every page has; a word of it is not worth a warning."""
_MOST_FRAMES = 5
"""Frames inside each other, with their pages written into them, that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a reader of a web page sees."""

    title: str
    """Empty when the page has none."""
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    """What he does not see, set aside."""
    author: str | None = None
    date: str | None = None
    """As the page states it, ISO 8601."""


def read_html(file: File) -> Iterator[Document]:
    """A web page as one document; its blocks are units, and text hidden from its readers is set aside."""
    data = file.data()
    declared = _DECLARED.search(data[:4096])
    decoded = letters(data, declared[1].decode("ascii") if declared else None)
    page = read_page(decoded.text)
    text, units = join_blocks(page.blocks)
    yield make_document(
        title=page.title or file_name(file.source),
        text=text,
        source=file.source,
        units=merged_units(units),
        warnings=(*encoding_warnings(decoded), *page.warnings),
        findings=page.findings,
        author=page.author,
        date=page.date,
    )


def read_page(markup: str, *, within: int = 0) -> Page:
    """A page taken apart; nothing is fetched, no script run, and no entity expanded but HTML's own characters.

    `within` is how many frames it lies in.
    """
    from lxml import etree

    markup = markup.replace("\x00", "\ufffd")
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False, remove_pis=True)
    root = etree.fromstring(markup.encode("utf-8", "replace"), parser) if markup else None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        found = _TITLE.search(markup)
        return _page(found[1] if found else "", _looks(markup), deep_events(markup))
    if root is None:
        return Page(title="", blocks=(), warnings=())
    title = root.find(".//title")
    stated = _Stated(root)
    looks = Looks(("".join(sheet.itertext()) for sheet in root.iter("style")), has_others=stated.has_styles)
    page = _page("".join(title.itertext()) if title is not None else "", looks, _events(root, within))
    return Page(
        title=page.title,
        blocks=page.blocks,
        warnings=page.warnings,
        findings=page.findings,
        author=stated.author,
        date=stated.date,
    )


def _page(title: str, looks: Looks, events: Iterable[Event]) -> Page:
    walk = Walk(looks)
    walk.over(events)
    return Page(
        title=BLANKS.sub(" ", title).strip(),
        blocks=tuple(walk.blocks),
        warnings=tuple(_warnings(walk.findings)),
        findings=tuple(walk.findings),
    )


def _looks(markup: str) -> Looks:
    sheets = (found[1] for found in _STYLES.finditer(markup))
    return Looks(sheets, has_others=_OTHER_STYLES.search(markup) is not None)


def _events(root: Any, within: int) -> Iterator[Event]:
    from lxml import etree

    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "comment":
            yield "comment", element.text or ""
            yield "text", element.tail or ""
        elif event == "start":
            if element.tag == "iframe" and within < _MOST_FRAMES and (markup := element.get("srcdoc")):
                page = read_page(markup, within=within + 1)
                yield "frame", Frame(element, page.blocks, page.findings)
            yield "start", element
            yield "text", element.text or ""
        else:
            yield "end", element
            yield "text", element.tail or ""


def _warnings(findings: list[Finding]) -> Iterator[str]:
    hidden = [finding.text for finding in findings if finding.detail not in _QUIET]
    if hidden:
        yield f"Text that readers of the page do not see was left out: {excerpt(hidden)}"
    quiet = [finding.text for finding in findings if finding.detail in _QUIET and len(finding.text.split()) > 1]
    if quiet:
        yield f"Comments and other parts of the page's source that it does not show were left out: {excerpt(quiet)}"


class _Stated:
    """What a page says about itself in its head."""

    def __init__(self, root: Any) -> None:
        said: dict[str, str] = {}
        for meta in root.iter("meta"):
            name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").strip().lower()
            content = BLANKS.sub(" ", meta.get("content") or "").strip()
            if name and content:
                said.setdefault(name, content)
        self.author = next((said[name][:200] for name in _AUTHORS if name in said), None)
        dates = (_iso(said[name]) for names in _DATES for name in names if name in said)
        self.date = next(filter(None, dates), None)
        self.has_styles = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))


def _iso(stated: str) -> str | None:
    if found := _ISO_DATE.match(stated):
        return found[0].replace(" ", "T")
    try:
        return parsedate_to_datetime(stated).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None

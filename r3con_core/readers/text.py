"""Plain text and Markdown become documents; and what every reader needs to put a text together with its places."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from r3con_core.documents import Document, Source, Span, Unit, make_document
from r3con_core.readers.encodings import Decoded, decode
from r3con_core.readers.ledger import File

MAX_UNITS = 5_000
"""Places a document is given at most; beyond, neighbours share one, so that a long log does not fill the store."""

_EXCERPT = 160
"""Characters of text left out that a warning quotes."""
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_LINE_ENDS = re.compile("\r\n?|\x0b|\x0c")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a text before it is put together, with the kind and label of its place."""

    kind: str
    label: str
    text: str


def clean(text: str) -> str:
    """`text` with line ends as one line feed, and U+FFFD for what cannot be shown, stored or sent on.

    That is NUL and the other control characters, lone surrogates, and non-characters.
    """
    return _UNWANTED.sub("\ufffd", _LINE_ENDS.sub("\n", text.removeprefix("\ufeff")))


def one_line(text: str) -> str:
    """`text` clean and on one line, as a title or a name is."""
    return " ".join(clean(text).split())


def has_words(text: str) -> bool:
    """Whether there is anything in `text` but blanks and signs that do not show."""
    return any(not sign.isspace() and unicodedata.category(sign) != "Cf" for sign in text)


def join_blocks(blocks: Iterable[Block], *, between: str = "\n") -> tuple[str, tuple[Unit, ...]]:
    """One clean text of all blocks that have something in them, and the units they become in it."""
    texts: list[str] = []
    units: list[Unit] = []
    start = 0
    for block in blocks:
        text = clean(block.text)
        if not text.strip():
            continue
        units.append(Unit(kind=block.kind, label=block.label, span=Span(start=start, end=start + len(text))))
        texts.append(text)
        start += len(text) + len(between)
    return between.join(texts), tuple(units)


def join_numbered(kind: str, texts: Iterable[str], *, offset: int = 0) -> tuple[str, tuple[Unit, ...]]:
    """One clean text, a line or more for each of `texts` that has something in it, and its numbered units.

    `offset` is where in the document the joined text will begin.
    """
    kept = [text for text in map(clean, texts) if text.strip()]
    starts = accumulate((len(text) + 1 for text in kept), initial=offset)
    spans = [Span(start=start, end=start + len(text)) for start, text in zip(starts, kept, strict=False)]
    return "\n".join(kept), numbered_units(kind, spans)


def numbered_units(kind: str, spans: Iterable[Span]) -> tuple[Unit, ...]:
    """Units labelled "1", "2", ... in the order of `spans`, at most MAX_UNITS."""
    return merged_units(Unit(kind=kind, label=str(number), span=span) for number, span in enumerate(spans, 1))


def merged_units(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """The same units, or as many neighbours merged into each as it takes to have MAX_UNITS: "1-3", "4-6", ..."""
    kept = tuple(units)
    step = -(-len(kept) // MAX_UNITS)
    if step <= 1:
        return kept
    return tuple(_merged(kept[first], kept[min(first + step, len(kept)) - 1]) for first in range(0, len(kept), step))


def _merged(first: Unit, last: Unit) -> Unit:
    span = Span(start=first.span.start, end=last.span.end)
    if first == last:
        return first
    if first.kind == last.kind:
        return Unit(kind=first.kind, label=f"{first.label}-{last.label}", span=span)
    return Unit(kind="stretch", label=f"{first.kind} {first.label} to {last.kind} {last.label}", span=span)


def excerpt(texts: Iterable[str]) -> str:
    """The beginning of what was left out of a text, in quotation marks, for a warning."""
    joined = " … ".join(filter(None, map(one_line, texts)))
    return f"“{joined[:_EXCERPT]}{'…' if len(joined) > _EXCERPT else ''}”"


def file_name(source: Source) -> str:
    """The last name in a path, which is a document's title when it states none."""
    return re.split(r"/| > ", source.path)[-1]


def encoding_warnings(decoded: Decoded) -> tuple[str, ...]:
    """What to tell about how the bytes were decoded."""
    if not decoded.guessed:
        return ()
    said = f"says it is {decoded.declared} but is not" if decoded.declared else "does not say its encoding"
    name = decoded.encoding.replace("cp", "windows-") if decoded.encoding.startswith("cp125") else decoded.encoding
    return (f"The text {said}; it was read as {name}, and some letters may be wrong.",)


def read_text(file: File) -> Iterator[Document]:
    """A plain text file as one document with numbered paragraphs."""
    yield _document(file, title=None)


def read_markdown(file: File) -> Iterator[Document]:
    """A Markdown file as it is written, titled by its first heading."""
    heading = _HEADING.search(clean(decode(file.data()).text))
    yield _document(file, title=heading[1].rstrip(" \t#") if heading else None)


def _document(file: File, *, title: str | None) -> Document:
    decoded = decode(file.data())
    text = clean(decoded.text)
    return make_document(
        title=title or file_name(file.source),
        text=text,
        source=file.source,
        units=numbered_units("paragraph", (Span(start=at.start(), end=at.end()) for at in _PARAGRAPH.finditer(text))),
        warnings=encoding_warnings(decoded),
    )

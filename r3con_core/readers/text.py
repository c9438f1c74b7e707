"""Plain text and Markdown become documents; and what every reader needs to put a text together with its places."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from r3con_core.documents import Document, Source, Span, Unit, make_document
from r3con_core.readers.encodings import Decoded, Encoding, find_encoding, text_blocks
from r3con_core.readers.ledger import File

MAX_UNITS = 5_000
"""Places a document is given at most; beyond, neighbours share one, so that a long log does not fill the store."""

_MOST_OF_ONE_TEXT = 8_000_000
"""Characters beyond which a text is cut into several documents; long novels have three million."""
_EXCERPT = 160
"""Characters of text left out that a warning quotes."""
_ENCODING_NAMES = {
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "gb18030": "GB 18030",
    "big5hkscs": "Big5",
    "koi8_r": "KOI8-R",
    "koi8_u": "KOI8-U",
    "cp500": "EBCDIC",
}
"""As people know them, where that is not how Python names them."""
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


def numbered_units(kind: str, spans: Iterable[Span], *, first: int = 1) -> tuple[Unit, ...]:
    """Units labelled "1", "2", ... (or from `first`) in the order of `spans`, at most MAX_UNITS."""
    return merged_units(Unit(kind=kind, label=str(number), span=span) for number, span in enumerate(spans, first))


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
        return Unit(kind=first.kind, label=f"{first.label}-{_own_part(first.label, last.label)}", span=span)
    return Unit(kind="stretch", label=f"{first.kind} {first.label} to {last.kind} {last.label}", span=span)


def _own_part(first: str, last: str) -> str:
    """`last` without the words it begins with like `first`: "8" of "Payments row 5" and "Payments row 8"."""
    words = last.rpartition(" ")[0]
    return last[len(words) + 1 :] if words and first.startswith(f"{words} ") else last


def excerpt(texts: Iterable[str]) -> str:
    """The beginning of what was left out of a text, in quotation marks, for a warning."""
    joined = " … ".join(filter(None, map(one_line, texts)))
    return f"“{joined[:_EXCERPT]}{'…' if len(joined) > _EXCERPT else ''}”"


def file_name(source: Source) -> str:
    """The last name in a path, which is a document's title when it states none."""
    return re.split(r"/| > ", source.path)[-1]


def encoding_warnings(decoded: Decoded) -> tuple[str, ...]:
    """What to tell about how the bytes were decoded."""
    encoding = Encoding(name=decoded.encoding, guessed=decoded.guessed, declared=decoded.declared)
    return decoding_warnings(encoding, decoded.lost)


def decoding_warnings(encoding: Encoding, lost: int) -> tuple[str, ...]:
    """The same of an encoding, and of how many signs could not be decoded in it."""
    name = _ENCODING_NAMES.get(encoding.name) or re.sub(r"^cp(?=125|874)", "windows-", encoding.name)
    said = []
    if encoding.guessed and encoding.declared:
        said.append(f"The text was decoded as {name} (declared {encoding.declared}), and some letters may be wrong.")
    elif encoding.guessed:
        said.append(
            f"The text does not say its encoding; it was decoded as {name}, a guess, and some letters may be wrong."
        )
    if lost:
        signs = "1 sign is" if lost == 1 else f"{lost:,} signs are"
        said.append(f"{signs} not valid {name}, could not be decoded, and stand{'s' if lost == 1 else ''} as \ufffd.")
    return tuple(said)


def read_text(file: File) -> Iterator[Document]:
    """A plain text file as one document with numbered paragraphs; a very long one is cut into several."""
    yield from _documents(file, title=None)


def read_markdown(file: File) -> Iterator[Document]:
    """A Markdown file as it is written, titled by its first heading."""
    yield from _documents(file, title=_HEADING)


def _documents(file: File, *, title: re.Pattern[str] | None) -> Iterator[Document]:
    encoding = find_encoding(file.content)
    line, number = 1, 0
    stretches = _stretches(text_blocks(file.content, encoding))
    for stretch, is_whole in stretches:
        last = line + stretch.count("\n") - stretch.endswith("\n")
        path = file.source.path if is_whole else f"{file.source.path} > lines {line:,}-{last:,}"
        text = clean(stretch)
        places = [Span(start=at.start(), end=at.end()) for at in _PARAGRAPH.finditer(text)]
        heading = title.search(text) if title and not number else None
        lost = stretch.count("\ufffd") if encoding.lossy else 0
        yield make_document(
            title=heading[1].rstrip(" \t#") if heading else re.split(r"/| > ", path)[-1],
            text=text,
            source=replace(file.source, path=path),
            units=numbered_units("paragraph", places, first=number + 1),
            warnings=decoding_warnings(encoding, lost),
        )
        line, number = line + stretch.count("\n"), number + len(places)


def _stretches(blocks: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The text whole, or cut at line ends when it is very long; with whether it is all there is."""
    held: list[str] = []
    size, cut = 0, False
    for block in blocks:
        held.append(block)
        size += len(block)
        if size > _MOST_OF_ONE_TEXT:
            stretch, rest = _cut("".join(held))
            held, size, cut = [rest], len(rest), True
            yield stretch, False
    if not cut or any(held):
        yield "".join(held), not cut


def _cut(text: str) -> tuple[str, str]:
    """Two pieces, cut after an empty line if one is near the end, else after a line, else anywhere."""
    near = len(text) - _MOST_OF_ONE_TEXT // 4
    for mark in ("\n\n", "\n", " "):
        if (place := text.rfind(mark, near)) >= 0:
            return text[: place + len(mark)], text[place + len(mark) :]
    return text, ""

"""*Dracula* (Project Gutenberg eBook 345) becomes the 46 documents that the novel pretends to be made of.

The novel is a bundle of journals, letters, telegrams, cuttings and a ship's log, each under a printed header.
A header is one paragraph of one of two shapes:

* a line in capitals that has JOURNAL or DIARY in it, or begins LOG OF THE or CUTTING FROM, or is NOTE alone;
* up to three lines in one pair of underscores (Gutenberg's italics) that name a letter, telegram, report, memorandum,
  journal, diary, gazette or note.

The continuing journals and diaries of five writers are pooled, one document each; everything else stays single.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, zip_longest
from typing import TypedDict

from r3con_core.errors import CorpusError


class Kind(StrEnum):
    """What a document of the novel claims to be."""

    JOURNAL = "journal"
    LETTER = "letter"
    TELEGRAM = "telegram"
    CUTTING = "newspaper_cutting"
    LOG = "ships_log"
    MEMORANDUM = "memorandum"
    REPORT = "report"
    NOTE = "note"
    PHONOGRAPH = "phonograph_message"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraculaDocument:
    """One document of the novel."""

    title: str
    """The header in one line, with straight quotation marks, without a last full stop."""
    kind: Kind
    text: str
    """The book's own lines, every header included; one empty line between paragraphs."""

    @property
    def words(self) -> int:
        """Number of blank-separated words."""
        return len(self.text.split())


class ManifestEntry(TypedDict):
    """What manifest.json states of each document, besides what nobody checks."""

    title: str
    words: int


_POOLED = frozenset(
    {
        "Jonathan Harker's Journal",
        "Mina Murray's Journal",
        "Mina Harker's Journal",
        "Lucy Westenra's Diary",
        "Dr. Seward's Diary",
    }
)
_AFTER_THE_LOG = "Of course the verdict was an open one"
"""From here on, and from the row of asterisks before it, the newspaper speaks again that had printed the ship's log."""

_MOST_LINES, _MOST_CHARACTERS = 3, 160
"""Of a header in italics; longer ones are text."""
_CAPITALS = re.compile(r"[^a-z]*(JOURNAL|DIARY)[^a-z]*|(LOG OF THE|CUTTING FROM)[^a-z]*|NOTE")
_NAMES_A_FORM = re.compile(r"\b(Letter|Telegram|Report|Memorandum|Journal|Diary|Gazette|Note)\b")
_ASTERISKS = re.compile(r"[* ]+")
_ITALIC = re.compile(r"_([^_]+)_\.?")
_CONTINUED = re.compile(r"--_?continued_?", re.IGNORECASE)
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")

_FORMS: tuple[tuple[str, Kind], ...] = (
    ("phonograph", Kind.PHONOGRAPH),
    ("cutting", Kind.CUTTING),
    ("gazette", Kind.CUTTING),
    ("log of", Kind.LOG),
    ("letter", Kind.LETTER),
    ("telegram", Kind.TELEGRAM),
    ("report", Kind.REPORT),
    ("memorandum", Kind.MEMORANDUM),
    ("journal", Kind.JOURNAL),
    ("diary", Kind.JOURNAL),
    ("note", Kind.NOTE),
)
"""Word of the title, and what it makes of the document; the first that is there decides."""


def build_dracula(text: str) -> tuple[DraculaDocument, ...]:
    """The documents in the order of their first header, from the whole file as Project Gutenberg serves it.

    Either kind of line end and a byte order mark are fine. CorpusError when the novel is not in `text`.
    """
    paragraphs = tuple(_paragraphs(_body(text)))
    return tuple(
        DraculaDocument(title=title, kind=_kind_of(title), text="\n\n".join(held))
        for title, held in _pool(_stretches(paragraphs))
    )


def check_manifest(documents: Sequence[DraculaDocument], manifest: Sequence[ManifestEntry]) -> tuple[str, ...]:
    """What differs, one plain sentence a document; empty when every title and word count agrees, in order."""
    pairs = enumerate(zip_longest(documents, manifest), start=1)
    sentences = (_difference(number, document, entry) for number, (document, entry) in pairs)
    return tuple(sentence for sentence in sentences if sentence)


def _difference(number: int, document: DraculaDocument | None, entry: ManifestEntry | None) -> str:
    """A sentence, empty when the two agree; one of them may be None where the other list is longer."""
    match document, entry:
        case DraculaDocument(), None:
            return f"Document {number}, {document.title}, is not in the manifest."
        case DraculaDocument(), dict() if document.title != entry["title"]:
            return f"Document {number} is titled {document.title}, not {entry['title']}."
        case DraculaDocument(), dict() if document.words != entry["words"]:
            return f"Document {number}, {document.title}, has {document.words:,} words, not {entry['words']:,}."
        case None, dict():
            return f"Document {number}, {entry['title']}, is missing."
    return ""


def _body(text: str) -> tuple[str, ...]:
    """Lines from the last CHAPTER I (a table of contents may hold the first) to THE END, chapter lines dropped."""
    lines = text.removeprefix("\ufeff").splitlines()
    bare = [line.strip() for line in lines]
    starts = [place for place, line in enumerate(bare) if line == "CHAPTER I"]
    if not starts or "THE END" not in bare[starts[-1] :]:
        raise CorpusError(
            "This is not the text of Dracula from Project Gutenberg (eBook 345): "
            "there is no line CHAPTER I with a line THE END after it. Give the file pg345.txt."
        )
    end = bare.index("THE END", starts[-1])
    return tuple(line.rstrip() for line in lines[starts[-1] : end] if not line.startswith("CHAPTER "))


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Stretches of lines without an empty one among them, in order."""
    held: list[str] = []
    for line in (*lines, ""):
        if line:
            held.append(line)
        elif held:
            yield "\n".join(held)
            held = []


def _stretches(paragraphs: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """(title, paragraphs with the header) between one header and the next; several may share a title."""
    headers = (*_headers(paragraphs), (len(paragraphs), ""))
    for (start, title), (end, _) in pairwise(headers):
        yield title, paragraphs[start:end]


def _headers(paragraphs: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(place, title) of every header, and of the place where the cutting goes on after the ship's log."""
    cutting = ""
    for place, paragraph in enumerate(paragraphs):
        title = _header_title(paragraph)
        if title is not None:
            cutting = title if title.startswith("Cutting From") else cutting
            yield place, title
        elif cutting and paragraph.startswith(_AFTER_THE_LOG):
            asterisks = _ASTERISKS.fullmatch(paragraphs[place - 1]) is not None
            yield place - asterisks, cutting


def _pool(stretches: Iterable[tuple[str, Sequence[str]]]) -> Iterable[tuple[str, list[str]]]:
    """Join the stretches of one continuing document, at the place of its first."""
    documents: dict[object, tuple[str, list[str]]] = {}
    for number, (title, paragraphs) in enumerate(stretches):
        continues = title in _POOLED or title.startswith("Cutting From")
        documents.setdefault(title if continues else number, (title, []))[1].extend(paragraphs)
    return documents.values()


def _header_title(paragraph: str) -> str | None:
    """The title that a header gives, None for a paragraph of text."""
    line = " ".join(paragraph.split())
    capitals = _CONTINUED.sub("", line).strip(" .")
    if "\n" not in paragraph and _CAPITALS.fullmatch(capitals):
        return _plain(re.sub(r"[A-Z]+(?:[’'][A-Z]+)?", lambda word: word[0].capitalize(), capitals))
    italic = _ITALIC.fullmatch(line)
    if italic is None or not _NAMES_A_FORM.search(italic[1]):
        return None
    if paragraph.count("\n") >= _MOST_LINES or len(line) > _MOST_CHARACTERS:
        return None
    return _plain(_CONTINUED.sub("", italic[1]))


def _plain(title: str) -> str:
    return title.translate(_STRAIGHT).strip(" .")


def _kind_of(title: str) -> Kind:
    lowered = title.lower()
    return next(kind for word, kind in _FORMS if word in lowered)

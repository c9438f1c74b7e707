"""What loading gives: the documents, and one ledger line for every file and every member of every container.

Also the small vocabulary of a reader, the function that turns the bytes of one kind of file into documents.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from r3con_core.documents import Document, Source
from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content


class Outcome(StrEnum):
    """What became of one file."""

    READ = "read"
    READ_WITH_WARNINGS = "read with warnings"
    NOTHING_IN_IT = "nothing in it"
    NOT_READABLE = "not readable"
    REFUSED = "refused"
    """Left unread for safety: a bomb, a link, an unsafe name."""
    DUPLICATE = "duplicate"
    HELD_BACK = "held back"
    """Read, and kept from every model until the analyst releases it."""
    SKIPPED = "skipped"
    """Not a document of anybody: hidden files and what operating systems leave behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """What became of one file or member."""

    path: str
    """As in `Source.path`."""
    outcome: Outcome
    reason: str = ""
    """A plain sentence or phrase; empty when a document was read and there is nothing to say."""
    document_id: str = ""
    """The document read from it, or read before from its equal; empty for containers and all that was not read."""
    sha256: str = ""
    """Of its bytes; empty when they were never taken out."""
    size: int | None = None
    """Bytes; None when they were never taken out."""
    media_type: str = ""
    locked: bool = False
    """It needs a password, or another one than was given."""
    pages: int = 0
    pages_read: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """Documents in reading order, and the ledger in file order, each container before its members.

    The lines that are read (with warnings or not) and name a document are as many as the documents.
    """

    documents: tuple[Document, ...] = ()
    ledger: tuple[LedgerLine, ...] = ()
    file_number: int = 0
    """Which file of the listing it is of or lies in, from 1: what `count_files` counts."""
    complete: bool = True
    """Nothing more of that file follows. Files come in order, so all up to this one are done then."""
    under_way: str = ""
    """What is being read, in a piece that has nothing else to tell: "scan.pdf, page 12 of 300"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """What the analyst decided about reading."""

    ocr: bool = True
    """Recognise text in pictures of pages that have no usable text."""
    ocr_languages: tuple[str, ...] = ("eng",)
    """As Tesseract names them."""
    passwords: tuple[str, ...] = field(default=(), repr=False)
    """Tried on every locked file; never stored, logged or shown."""


USUAL = ReadSettings()
"""What holds where the analyst decided nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What a reader is given."""

    content: Content
    source: Source
    settings: ReadSettings = USUAL
    companions: tuple[tuple[str, Content], ...] = ()
    """Other files that belong to the same document, such as the pictures of its pages in a production, by role."""

    def data(self) -> bytes:
        """All its bytes."""
        return self.content.data()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file inside another one: an attachment, or what an archive holds."""

    name: str
    """Its path inside the container, with forward slashes."""
    data: bytes = b""
    stretch: Content | None = None
    """Given instead of `data` when its bytes stand as they are in a file on disk, such as the container's own."""

    @property
    def content(self) -> Content:
        """Its bytes, wherever they are."""
        return Content.held(self.data) if self.stretch is None else self.stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A sign of life from a reader whose next document takes long."""

    done: int
    total: int
    what: str = "page"


def told(path: str, progress: Progress | None) -> str:
    """How far the reading of a file is, in words: "scan.pdf, page 12 of 300"."""
    return path if progress is None else f"{path}, {progress.what} {progress.done:,} of {progress.total:,}"


class LockedError(CorpusError):
    """A file needs a password, or another one than was given."""


Found = Document | Member | LedgerLine | Progress
Reader = Callable[[File], Iterable[Found]]
"""Gives what one file holds, in order, lazily.

A `Document` may have no words in it, its warnings then say why. A `Member` is loaded in turn. A `LedgerLine` says what
became of a member that could not be taken out. Raises LockedError when a password is missing, CorpusError with a plain
reason when the file cannot be read; any other exception is taken to mean that the file is damaged.
"""


_CONFUSING = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def shown_name(name: str) -> str:
    r"""`name` with escapes like \u202e for characters that would break a line or hide or reorder the others."""
    return _CONFUSING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", name)


def member_path(source: Source, name: str) -> str:
    """The path of a member of the container at `source`."""
    return f"{source.path} > {shown_name(name)}"


def join_loadings(loadings: Iterable[Loading]) -> Loading:
    """One loading of several, in their order."""
    kept = tuple(loadings)
    return Loading(
        documents=tuple(document for loading in kept for document in loading.documents),
        ledger=tuple(line for loading in kept for line in loading.ledger),
    )

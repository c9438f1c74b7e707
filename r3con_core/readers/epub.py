"""E-books become documents: chapter after chapter, as their readers turn the pages."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.encodings import decode
from r3con_core.readers.html import read_page
from r3con_core.readers.ledger import File
from r3con_core.readers.marks import Line, Story
from r3con_core.readers.ooxml import Package, attribute, attributes, iso_date, open_package
from r3con_core.readers.text import file_name, join_blocks, one_line

_CONTAINER, _LOCKS = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"))
_ONLY_FONTS = ("/2008/embedding", "/pdf/enc#RC")
"""Ends of the names of the ways in which fonts, which nobody reads, are obscured."""


@dataclass(slots=True, kw_only=True)
class _Book:
    """What the package file of a book states."""

    said: dict[str, str] = field(default_factory=dict)
    items: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Path and media type of each file of the book, by id."""
    spine: list[str] = field(default_factory=list)
    contents: set[str] = field(default_factory=set)
    """Ids of the tables of contents for reading programs."""

    def beside(self) -> list[tuple[str, str]]:
        """The pages that its reading order leaves out."""
        others = [one for one in self.items if one not in self.spine and one not in self.contents]
        return [self.items[one] for one in others if self.items[one][1] in _PAGES]


def read_epub(file: File) -> Iterator[Document]:
    """An e-book as one document with a unit for each file in its reading order.

    Raises CorpusError when its chapters are locked by whoever sold it.
    """
    with open_package(file, "e-book") as package:
        yield _read(file, package)


def _read(file: File, package: Package) -> Document:
    book = _book(package)
    locked = _locked(package)
    story = Story(between="\n\n")
    warnings: list[str] = []
    chapters = [book.items[one] for one in book.spine if one in book.items]
    if chapters and all(path in locked for path, _ in chapters):
        raise CorpusError("locked by its seller (digital rights management), and cannot be opened here")
    beside = [item for item in book.beside() if item not in chapters and package.has(item[0])]
    for number, (path, media_type) in enumerate([*chapters, *beside], 1):
        if path in locked:
            warnings.append(f"Chapter {number} is locked by the book's seller and was not read.")
        elif media_type in _PAGES:
            warnings += _add_chapter(story, package, path, number)
        if number > len(chapters):
            warnings.append(
                f"Chapter {number} is a page that the book's reading order leaves out; it stands at the end."
            )
    return make_document(
        title=one_line(book.said.get("title", "")) or file_name(file.source),
        text=story.text,
        source=file.source,
        units=story.units,
        author=one_line(book.said.get("creator", "")) or None,
        date=iso_date(book.said.get("date", "")),
        findings=tuple(story.findings),
        warnings=(*warnings, *package.damage()),
    )


def _add_chapter(story: Story, package: Package, path: str, number: int) -> list[str]:
    """Add one file of the book; gives what is to be told about it."""
    data = package.read(path)
    if data is None:
        return [f"Chapter {number} is missing in the file."] if not package.has(path) else []
    page = read_page(decode(data).text)
    text, _ = join_blocks(page.blocks)
    story.add(Line(text), kind="chapter", label=str(number))
    story.findings += [replace(one, place=f"chapter {number}") for one in page.findings if one.set_aside]
    return [f"Chapter {number}: {warning}" for warning in page.warnings]


def _book(package: Package) -> _Book:
    """The package file taken apart: what it states, its files and their order."""
    path = _package_path(package)
    data = package.read(path)
    if data is None:
        raise CorpusError("a damaged or incomplete e-book")
    book, folder = _Book(), posixpath.dirname(path)
    for event, name, element in package.events(data, path):
        stated = attributes(element)
        if event == "start" and name == "itemref":
            book.spine.append(stated.get("idref", ""))
        elif event == "start" and name == "item":
            target = unquote(stated.get("href", "").partition("#")[0])
            book.items[stated.get("id", "")] = (_joined(folder, target), stated.get("media-type", ""))
            if "nav" in stated.get("properties", "").split():
                book.contents.add(stated.get("id", ""))
        elif event == "end" and name in ("title", "creator", "date") and element.text:
            book.said.setdefault(name, element.text.strip())
    return book


def _package_path(package: Package) -> str:
    data = package.read(_CONTAINER)
    for event, name, element in package.events(data, _CONTAINER) if data is not None else ():
        if event == "start" and name == "rootfile":
            return _joined("", unquote(attribute(element, "full-path")))
    return next((name for name in package.names if name.casefold().endswith(".opf")), "")


def _locked(package: Package) -> frozenset[str]:
    """The files of a book that are encrypted, fonts left out."""
    data = package.read(_LOCKS)
    locked, method = set(), ""
    for event, name, element in package.events(data, _LOCKS) if data is not None else ():
        if event == "start" and name == "EncryptedData":
            method = ""
        elif event == "start" and name == "EncryptionMethod" and not method:
            method = attribute(element, "Algorithm")
        elif event == "start" and name == "CipherReference" and not method.endswith(_ONLY_FONTS):
            locked.add(_joined("", unquote(attribute(element, "URI"))))
    return frozenset(locked)


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(folder, target.replace("\\", "/"))).lstrip("/")

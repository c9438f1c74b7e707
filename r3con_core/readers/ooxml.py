"""What Office's zipped formats share: parts, relations between them, properties, and safe reading of their XML."""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from r3con_core.documents import Source
from r3con_core.errors import CorpusError
from r3con_core.readers.archive import unpack
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, member_path

Event = tuple[str, str, Any]
"""start or end, the element's name without its namespace, and the element; lxml has no types of its own."""

_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp")
_LEAST_PICTURE = 6_000
"""Bytes; smaller pictures are logos, bullets and lines, not pages with text."""
_LONGEST_DATE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a part refers to."""

    id: str
    kind: str
    """Last word of its type: header, footnotes, oleObject, ..."""
    target: str
    """Name of a part in the package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """What a package states about itself."""

    title: str = ""
    author: str | None = None
    date: str | None = None
    """When it was last saved, else made; ISO 8601."""


class Package:
    """The parts of a zipped document by name; nothing is inflated beyond the limits for archives."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            if info.filename and not info.filename.endswith(("/", "\\")):
                self._infos.setdefault(_plain(info.filename).casefold(), info)
        self.unread: list[str] = []
        """Parts that are damaged."""

    @property
    def names(self) -> list[str]:
        """All parts, in the archive's order."""
        return [_plain(info.filename) for info in self._infos.values()]

    def has(self, name: str) -> bool:
        """Whether there is such a part; capitals do not matter."""
        return name.casefold() in self._infos

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None when it is missing, or damaged and so one of `unread`.

        Raises CorpusError when it unpacks beyond the limits.
        """
        info = self._infos.get(name.casefold())
        if info is None:
            return None
        try:
            return unpack(self.archive, info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError):
            self.unread.append(name)
            return None

    def size(self, name: str) -> int:
        """Bytes of a part as the archive states them."""
        info = self._infos.get(name.casefold())
        return info.file_size if info else 0

    def relations(self, part: str) -> list[Relation]:
        """What a part refers to inside the package, in its order; the empty name is the package itself."""
        folder, name = posixpath.split(part)
        data = self.read(posixpath.join(folder, "_rels", f"{name}.rels"))
        return [] if data is None else list(self._related(data, folder))

    def _related(self, data: bytes, folder: str) -> Iterator[Relation]:
        for event, name, element in self.events(data, "relations"):
            if event != "end" or name != "Relationship" or element.get("TargetMode") == "External":
                continue
            target = element.get("Target", "").replace("\\", "/")
            path = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            kind = element.get("Type", "").rpartition("/")[2]
            yield Relation(id=element.get("Id", ""), kind=kind, target=posixpath.normpath(path).lstrip("./"))

    def events(self, data: bytes, name: str) -> Iterator[Event]:
        """The events of a part as long as its XML is sound; beyond, the part is one of `unread`."""
        from lxml import etree

        try:
            yield from xml_events(data)
        except etree.XMLSyntaxError:
            self.unread.append(name)

    def properties(self) -> Properties:
        """Title, author and date from the part for them, where it has one."""
        named = [relation.target for relation in self.relations("") if relation.kind == "core-properties"]
        data = self.read(named[0] if named else "docProps/core.xml")
        said: dict[str, str] = {}
        for event, name, element in self.events(data, "properties") if data else ():
            if event == "end" and element.text and element.text.strip():
                said.setdefault(name, " ".join(element.text.split()))
        return Properties(
            title=said.get("title", ""),
            author=said.get("creator") or said.get("lastModifiedBy"),
            date=iso_date(said.get("modified") or said.get("created") or ""),
        )

    def damage(self) -> tuple[str, ...]:
        """A sentence about the parts that could not be read to their end."""
        names = list(dict.fromkeys(self.unread))
        return (f"Damaged inside, and not read to the end: {', '.join(names)}.",) if names else ()


@contextmanager
def open_package(file: File, what: str) -> Iterator[Package]:
    """The package of a file; CorpusError when it is not a sound archive. `what` names the kind: "Word document"."""
    with file.content.open() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except (
            zipfile.BadZipFile,
            struct.error,
            EOFError,
            OSError,
            ValueError,
            OverflowError,
            NotImplementedError,
        ) as fault:
            raise CorpusError(f"a damaged or incomplete {what}") from fault
        with archive:
            yield Package(archive)


def xml_events(data: bytes) -> Iterator[Event]:
    """Starts and ends of all elements in order, iteratively, with no entity expanded and nothing fetched.

    Raises CorpusError when a document type is declared, and lxml's XMLSyntaxError where the XML breaks off.
    """
    from lxml import etree

    parsing = etree.iterparse(
        io.BytesIO(data),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    checked = False
    for event, element in parsing:
        if not checked and element.getroottree().docinfo.doctype:
            raise CorpusError("it defines XML entities, which office programs never do; such files can be harmful")
        checked = True
        yield event, local_name(element.tag), element


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """A tag without its namespace, because the strict and the usual formats differ only in that."""
    return str(tag).rpartition("}")[2]


def attribute(element: Any, name: str) -> str:
    """The value of an attribute whatever its namespace; empty when there is none."""
    return attributes(element).get(name, "")


def attributes(element: Any) -> Mapping[str, str]:
    """All attributes by their names without namespaces."""
    return {local_name(key): str(value) for key, value in element.attrib.items()}


def iso_date(stated: str) -> str | None:
    """`stated` if it begins like an ISO 8601 date; else None."""
    stated = stated.strip()
    digits = stated[:4].isdigit() and stated[4:5] == "-" and stated[5:7].isdigit()
    return stated if digits and len(stated) <= _LONGEST_DATE else None


def by_and_when(author: str, date: str) -> str:
    """Who made a change, and the day: "by R. Marsh, 2021-11-28"."""
    who = f"by {' '.join(author.split()) or 'an unnamed author'}"
    return f"{who}, {date[:10]}" if iso_date(date) else who


def members(package: Package, names: Iterable[str], source: Source) -> Iterator[tuple[str, bytes] | LedgerLine]:
    """Name and bytes of parts that are files of their own; a line for each that cannot be taken out."""
    for name in names:
        path = member_path(source, name.partition("/")[2] or name)
        try:
            data = package.read(name)
        except CorpusError as fault:
            yield LedgerLine(path=path, outcome=Outcome.REFUSED, reason=str(fault))
            continue
        if data is None:
            yield LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason="damaged inside the document")
        elif data:
            yield name, data


def pictures(package: Package, folder: str, source: Source) -> Iterator[Member | LedgerLine]:
    """The larger pictures of a package: what is pasted into a document may be the scan of another."""
    names = [
        name
        for name in package.names
        if name.casefold().startswith(folder)
        and name.casefold().endswith(_PICTURES)
        and package.size(name) >= _LEAST_PICTURE
    ]
    for found in members(package, names, source):
        if isinstance(found, LedgerLine):
            yield found
        else:
            yield Member(name=posixpath.join("pictures", posixpath.basename(found[0])), data=found[1])


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")

"""What OpenDocument texts and presentations share: opening them, what they state, and how their letters look."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from r3con_core.documents import FindingKind, Source
from r3con_core.errors import CorpusError
from r3con_core.readers.docx_looks import Look, is_white
from r3con_core.readers.ledger import File, LedgerLine, LockedError, Member
from r3con_core.readers.marks import Note
from r3con_core.readers.olefiles import embedded_files
from r3con_core.readers.ooxml import Package, Properties, iso_date, local_name, open_package, pictures

_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, "pc": 12.0}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(pt|in|cm|mm|px|pc)")
_OBJECT = re.compile(r"(?:Object|ObjBFFF)[^/]*/content\.xml")


@contextmanager
def open_opendocument(file: File) -> Iterator[Package]:
    """The package of an OpenDocument file. Raises LockedError when it has a password that was not given."""
    with open_package(file, "OpenDocument file") as package:
        manifest = package.read("META-INF/manifest.xml") or b""
        if b"encryption-data" in manifest:
            yield _opened(package, manifest, file.settings.passwords)
        else:
            yield package


def _opened(package: Package, manifest: bytes, passwords: Sequence[str]) -> Package:
    from r3con_core.readers.opendocument_locks import unlocked

    for password in passwords:
        plain = unlocked(package, manifest, password)
        if plain is not None:
            return plain
    raise LockedError("another password is needed" if passwords else "Password needed")


def parsed(data: bytes, target: Any) -> bool:
    """Give the starts, ends and text of some XML to `target`; whether it was sound to its end.

    Nothing is kept in memory and no entity is expanded. Raises CorpusError when a document type is declared.
    """
    from lxml import etree

    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True
    )
    try:
        stream = io.BytesIO(data)
        while block := stream.read(2**16):
            parser.feed(block)
        parser.close()
    except etree.XMLSyntaxError:
        return False
    return True


class Target:
    """What lxml tells a parser's target; doctypes are refused, comments passed over."""

    def doctype(self, *_stated: object) -> None:
        raise CorpusError("it defines XML entities, which office programs never do; such files can be harmful")

    def comment(self, _text: str) -> None:
        """Not part of the text."""

    def close(self) -> None:
        """Nothing is built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    look: Look = field(default_factory=Look)
    parent: str = ""
    hides_slide: bool = False


@dataclass(slots=True, kw_only=True)
class Looks:
    """The styles of a document, as far as they hide text, by family and name."""

    styles: dict[tuple[str, str], _Style] = field(default_factory=dict)

    def look(self, family: str, name: str) -> Look:
        """How letters of a style look, with what it is based on."""
        look, seen = Look(), set()
        while (family, name) in self.styles and name not in seen:
            seen.add(name)
            look = look.over(self.styles[family, name].look)
            name = self.styles[family, name].parent
        return look.over(self.styles[family, ""].look) if (family, "") in self.styles else look

    def hides_slide(self, name: str) -> bool:
        """Whether slides of a style are not shown."""
        style = self.styles.get(("drawing-page", name))
        return style is not None and style.hides_slide

    def define(self, family: str, name: str, parent: str) -> None:
        """A style begins."""
        self.styles[family, name] = _Style(parent=parent)

    def state(self, family: str, name: str, element: str, stated: dict[str, str]) -> None:
        """One element of properties within a style."""
        style = self.styles.get((family, name))
        if style is None:
            return
        hides = style.hides_slide or (element == "drawing-page-properties" and stated.get("visibility") == "hidden")
        look = style.look
        if element in ("text-properties", "paragraph-properties", "table-cell-properties", "graphic-properties"):
            look = _look(stated, element).over(look)
        self.styles[family, name] = replace(style, look=look, hides_slide=hides)


def _look(stated: dict[str, str], element: str) -> Look:
    ground = stated.get("background-color", "")
    filled = element == "graphic-properties" and stated.get("fill", "none") != "none"
    shaded = filled or not is_white(ground) if ground not in ("", "transparent") or filled else None
    if element != "text-properties":
        return Look(shaded=shaded)
    size = _LENGTH.fullmatch(stated.get("font-size", ""))
    return Look(
        hidden={"none": True, "true": False}.get(stated.get("display", "")),
        colour=stated["color"].removeprefix("#") if "color" in stated else None,
        half_points=2 * float(size[1]) * _POINTS[size[2]] if size else None,
        shaded=shaded,
        ground=ground.removeprefix("#").casefold() if ground.startswith("#") else None,
    )


def plain(attributes: Any) -> dict[str, str]:
    """Attributes by their names without namespaces."""
    return {local_name(key): str(value) for key, value in attributes.items()}


class _Stated(Target):
    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self._text: list[str] = []

    def start(self, _tag: str, _attributes: Any) -> None:
        self._text = []

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, tag: str) -> None:
        text = " ".join("".join(self._text).split())
        if text:
            self.said.setdefault(local_name(tag), text)
        self._text = []


def properties(package: Package) -> Properties:
    """Title, author and date that an OpenDocument file states."""
    target = _Stated()
    parsed(package.read("meta.xml") or b"<none/>", target)
    said = target.said
    return Properties(
        title=said.get("title", ""),
        author=said.get("initial-creator") or said.get("creator"),
        date=iso_date(said.get("date") or said.get("creation-date") or ""),
    )


def objects(package: Package) -> list[str]:
    """The parts that hold charts and tables of other programs, in the archive's order."""
    return [name for name in package.names if _OBJECT.fullmatch(name)]


def embedded(package: Package, source: Source) -> Iterator[Member | LedgerLine]:
    """The files embedded in an OpenDocument file, and its larger pictures."""
    alone = [name for name in package.names if "/" not in name and package.size(name)]
    names = [name for name in alone if name != "mimetype" and not name.casefold().endswith((".xml", ".rdf"))]
    yield from embedded_files(package, names, source)
    yield from pictures(package, "pictures/", source)


def unseen(why: str) -> Note | None:
    """The note of text that a reader cannot see; None when `why` is empty."""
    return Note(kind=FindingKind.UNSEEN, detail=why) if why else None

"""Word documents become documents: text, tables, page headers, notes and comments, with tracked changes listed."""

import re
from collections.abc import Iterator, Sequence

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.docx_lists import Lists, read_lists
from r3con_core.readers.docx_looks import Styles, read_styles
from r3con_core.readers.docx_pieces import Item, References
from r3con_core.readers.docx_stories import StoryWalk
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.marks import Line, Note, Story, aside_warnings, changes_told, inserted_told, joined
from r3con_core.readers.olefiles import embedded_files
from r3con_core.readers.ooxml import Package, iso_date, open_package, pictures
from r3con_core.readers.ooxml_drawings import DRAWN, drawn_text
from r3con_core.readers.text import file_name, one_line

_MAIN = re.compile(r"word/document\d*\.xml", re.IGNORECASE)
_BY_NAME = {
    "header": re.compile(r"word/header\d*\.xml", re.IGNORECASE),
    "footer": re.compile(r"word/footer\d*\.xml", re.IGNORECASE),
    "footnote": re.compile(r"word/footnotes\d*\.xml", re.IGNORECASE),
    "endnote": re.compile(r"word/endnotes\d*\.xml", re.IGNORECASE),
    "comment": re.compile(r"word/comments\d*\.xml", re.IGNORECASE),
}
_RELATED = {
    "header": "header",
    "footer": "footer",
    "footnotes": "footnote",
    "endnotes": "endnote",
    "comments": "comment",
}
_EMBEDDED = re.compile(r"word/embeddings/.+|word/[^/]+\.(?:html?|mht|mhtml|rtf|txt|docx)", re.IGNORECASE)
_GIVEN_AS_FILES = frozenset(("aFChunk", "package", "oleObject"))


def read_docx(file: File) -> Iterator[Document | Member | LedgerLine]:
    """A Word document as one document, then the files embedded in it.

    Inserted text is in the text and listed; deleted, hidden, white and tiny text is listed only. Notes and comments
    stand at the end under their numbers.
    """
    with open_package(file, "Word document") as package:
        yield from _read(file, package)


def _read(file: File, package: Package) -> Iterator[Document | Member | LedgerLine]:
    reading = _Reading(package)
    story = reading.story()
    properties = package.properties()
    yield make_document(
        title=reading.title or file_name(file.source),
        text=story.text,
        source=file.source,
        units=story.units,
        author=properties.author,
        date=properties.date,
        findings=tuple(story.findings),
        warnings=(*reading.warnings(), *package.damage()),
    )
    yield from embedded_files(package, reading.embedded(), file.source)
    yield from pictures(package, "word/media/", file.source)


class _Reading:
    """One Word document on its way to a text."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = _main_part(package)
        self._related = package.relations(self._main)
        self._references = References()
        self._styles, self._lists = self._of("styles", "word/styles.xml"), self._numbering()
        self._story = Story()
        self._comments = 0
        self.title = ""

    def _of(self, kind: str, name: str) -> Styles:
        data = self._package.read(self._target(kind, name))
        return read_styles(self._package.events(data, name)) if data else Styles()

    def _numbering(self) -> Lists:
        name = "word/numbering.xml"
        data = self._package.read(self._target("numbering", name))
        return read_lists(self._package.events(data, name)) if data else Lists()

    def _target(self, kind: str, name: str) -> str:
        return next((relation.target for relation in self._related if relation.kind == kind), name)

    def story(self) -> Story:
        """All blocks in reading order: page headers, body, page footers, notes, comments, drawings."""
        body = self._walk(self._main)  # first, because the notes are numbered by it
        if not any(item.pieces for item in body) and self._main in self._package.unread:
            raise CorpusError("a damaged or incomplete Word document")
        self._margins("header")
        self._body(body)
        self._margins("footer")
        for kind in ("footnote", "endnote"):
            self._notes(kind)
        self._add_comments()
        self._drawings()
        return self._story

    def _walk(self, part: str) -> list[Item]:
        data = self._package.read(part)
        if data is None:
            return []
        on_white = b"w:background" not in data[:4096]
        walk = StoryWalk(self._styles, self._references, self._lists, on_white=on_white)
        return walk.walk(self._package.events(data, part))

    def _parts(self, kind: str) -> list[str]:
        by_relation = [relation.target for relation in self._related if _RELATED.get(relation.kind) == kind]
        by_name = [name for name in self._package.names if _BY_NAME[kind].fullmatch(name)]
        known = {name.casefold() for name in by_relation}
        return sorted(dict.fromkeys(by_relation)) + sorted(name for name in by_name if name.casefold() not in known)

    def _body(self, items: Sequence[Item]) -> None:
        for piece in self._story.add_numbered(piece for item in items for piece in item.pieces):
            if piece.kind == "heading" and not self.title:
                self.title = one_line(piece.line.text)

    def _margins(self, kind: str) -> None:
        """Page headers or footers, each text once: first, even and odd pages often have the same."""
        seen: set[str] = set()
        for part in self._parts(kind):
            for item in self._walk(part):
                line = joined(item.pieces)
                if line.stripped().text not in seen:
                    seen.add(line.stripped().text)
                    self._story.add(line, kind=kind, label=str(len(seen)))

    def _notes(self, kind: str) -> None:
        items = [item for part in self._parts(kind) for item in self._walk(part) if not item.rule]
        numbers = {}
        for item in items:
            line = joined(item.pieces)
            dropped = self._references.dropped.get((kind, item.id))
            if dropped is not None and (kind, item.id) not in self._references.notes:
                self._story.add(_aside(line, dropped), kind=kind, label="without number")
            elif line.has_text or line.aside:
                numbers[self._references.number(kind, item.id), item.id] = line
        for (number, _), line in sorted(numbers.items()):
            start = Line(f"{kind.capitalize()} {number}: ") if line.has_text else Line()
            start.extend(line.stripped())
            self._story.add(start, kind=kind, label=str(number))

    def _add_comments(self) -> None:
        for part in self._parts("comment"):
            for item in self._walk(part):
                line = joined(item.pieces)
                if line.has_text or line.aside:
                    self._comments += 1
                    self._add_comment(item, line, self._comments)

    def _add_comment(self, item: Item, text: Line, number: int) -> None:
        anchor = self._references.comments.get(item.id)
        when = f", {item.date[:10]}" if iso_date(item.date) else ""
        place = f", on {anchor.place}" if anchor is not None and anchor.label else ""
        line = Line(f"Comment by {one_line(item.author) or 'unknown'}{when}{place}: ")
        line.extend(text.stripped())
        self._story.add(line, kind="comment", label=str(number))

    def _drawings(self) -> None:
        counts: dict[str, int] = {}
        for relation in self._related:
            if kind := DRAWN.get(relation.kind):
                line = drawn_text(self._package, relation.target, kind)
                counts[kind] = counts.get(kind, 0) + line.has_text
                self._story.add(line, kind=kind, label=str(counts[kind]))

    def embedded(self) -> list[str]:
        """Names of the parts that are files of their own, in the order in which they are referred to."""
        named = [relation.target for relation in self._related if relation.kind in _GIVEN_AS_FILES]
        others = [name for name in self._package.names if _EMBEDDED.fullmatch(name)]
        return list({name.casefold(): name for name in [*named, *others] if self._package.has(name)}.values())

    def warnings(self) -> tuple[str, ...]:
        """What readers of the text should know."""
        findings = self._story.findings
        changes = changes_told(self._references.changes, len(self._references.authors), self._comments)
        said = [*changes, *inserted_told(findings), *aside_warnings(findings)]
        if any(name.casefold().endswith("vbaproject.bin") for name in self._package.names):
            said.append("It holds macros, which were not run.")
        return tuple(said)


def _main_part(package: Package) -> str:
    stated = [relation.target for relation in package.relations("") if relation.kind == "officeDocument"]
    found = [name for name in [*stated, *package.names] if package.has(name) and name.casefold().endswith(".xml")]
    main = next((name for name in found if name in stated or _MAIN.fullmatch(name)), None)
    if main is None:
        raise CorpusError("a damaged or incomplete Word document")
    return main


def _aside(line: Line, note: Note) -> Line:
    whole = Line()
    whole.aside = [(note, line.text), *line.aside]
    return whole

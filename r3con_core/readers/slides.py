"""PowerPoint presentations become documents; and what every kind of presentation needs to become one."""

import re
from collections.abc import Iterator

from r3con_core.documents import Document, Finding, FindingKind, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.marks import Line, Story, aside_warnings, changes_told
from r3con_core.readers.olefiles import embedded_files
from r3con_core.readers.ooxml import Package, Properties, Relation, attributes, iso_date, open_package, pictures
from r3con_core.readers.slides_walk import read_comments, walk_slide
from r3con_core.readers.text import file_name, one_line

_MAIN = re.compile(r"ppt/presentation\d*\.xml", re.IGNORECASE)
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml", re.IGNORECASE)
_HIDDEN = "(hidden slide)"
_EMBEDDED = frozenset(("oleObject", "package"))


class Deck:
    """The text of a presentation as its slides are added."""

    def __init__(self) -> None:
        self._story = Story(between="\n\n")
        self._comments = 0
        self._hidden: list[str] = []
        self._title = ""
        self._empty = 0
        self.slides = 0

    def add_slide(self, line: Line, *, title: str = "", hidden: bool = False) -> None:
        """Append the next slide, a unit of its own; one that is hidden is marked so and is a finding."""
        self.slides += 1
        self._title = self._title or one_line(title)
        number = str(self.slides)
        shown = Line(_HIDDEN) if hidden else Line()
        shown.extend(line.stripped(), between="\n")
        self._empty += not line.has_text
        unit = self._story.add(shown, kind="slide", label=number, page=self.slides)
        if hidden:
            self._hidden.append(number)
        if hidden and unit is not None:
            found = Finding(
                kind=FindingKind.HIDDEN_PART, text=shown.stripped().text, place=f"slide {number}", span=unit.span
            )
            self._story.findings.append(found)

    def add_notes(self, line: Line) -> None:
        """Append the speaker's notes of the last slide."""
        self._story.add(line, kind="notes", label=f"notes of slide {self.slides}")

    def add_comment(self, line: Line, *, author: str, date: str) -> None:
        """Append a comment on the last slide."""
        if not line.has_text:
            return
        self._comments += 1
        when = f", {date[:10]}" if iso_date(date) else ""
        said = Line(f"Comment by {one_line(author) or 'unknown'}{when}, on slide {self.slides}: ")
        said.extend(line.stripped())
        self._story.add(said, kind="comment", label=str(self._comments))

    def add_other(self, line: Line, *, kind: str, label: str) -> None:
        """Append what belongs to no single slide."""
        self._story.add(line, kind=kind, label=label)

    def document(self, file: File, said: Properties, warnings: tuple[str, ...] = ()) -> Document:
        """The presentation as a document; its pages are the slides."""
        return make_document(
            title=self._title or file_name(file.source),
            text=self._story.text,
            source=file.source,
            units=self._story.units,
            author=said.author,
            date=said.date,
            pages=self.slides,
            findings=tuple(self._story.findings),
            warnings=(*self._warnings(), *warnings),
        )

    def _warnings(self) -> tuple[str, ...]:
        said = [*changes_told(0, 0, self._comments), *aside_warnings(self._story.findings)]
        if self._hidden:
            which = f"Slide {self._hidden[0]} is" if len(self._hidden) == 1 else f"Slides {', '.join(self._hidden)} are"
            said.append(f"{which} hidden when the presentation is shown; the text was read and is marked.")
        if self._empty:
            said.append(f"{self._empty} of {self.slides} slides {'has' if self._empty == 1 else 'have'} no text.")
        return tuple(said)


def read_pptx(file: File) -> Iterator[Document | Member | LedgerLine]:
    """A PowerPoint presentation as one document, its slides in the order shown, then the files embedded in it."""
    with open_package(file, "PowerPoint presentation") as package:
        yield from _read(file, package)


def _read(file: File, package: Package) -> Iterator[Document | Member | LedgerLine]:
    main = _main_part(package)
    related = package.relations(main)
    size, order = _order(package, main, related)
    authors = _authors(package, related)
    deck = Deck()
    embedded: list[str] = []
    for part in order:
        relations = package.relations(part)
        slide = walk_slide(package, part, relations, size)
        deck.add_slide(slide.line, title=slide.title, hidden=slide.hidden)
        for relation in relations:
            _add_related(deck, package, relation, authors)
        embedded += [relation.target for relation in relations if relation.kind in _EMBEDDED]
    for number, line in enumerate(_behind(package), 1):
        deck.add_other(line, kind="slide master", label=str(number))
    yield deck.document(file, package.properties(), package.damage())
    others = [name for name in package.names if name.casefold().startswith("ppt/embeddings/")]
    names = {name.casefold(): name for name in [*embedded, *others] if package.has(name)}
    yield from embedded_files(package, names.values(), file.source)
    yield from pictures(package, "ppt/media/", file.source)


def _main_part(package: Package) -> str:
    stated = [relation.target for relation in package.relations("") if relation.kind == "officeDocument"]
    found = next(
        (name for name in [*stated, *package.names] if package.has(name) and (name in stated or _MAIN.fullmatch(name))),
        None,
    )
    if found is None:
        raise CorpusError("a damaged or incomplete PowerPoint presentation")
    return found


def _order(package: Package, main: str, related: list[Relation]) -> tuple[tuple[int, int], list[str]]:
    """The size of a slide in the file's own measure, and the slides' parts in the order shown."""
    targets = {relation.id: relation.target for relation in related if relation.kind == "slide"}
    size, order = (0, 0), []
    for event, name, element in package.events(package.read(main) or b"", main):
        if event != "start":
            continue
        stated = attributes(element)
        if name == "sldId":
            ids = [targets[value] for value in element.attrib.values() if value in targets]
            order += ids[:1]
        elif name == "sldSz":
            size = (_whole(stated.get("cx", "")), _whole(stated.get("cy", "")))
    found = [name for name in package.names if _SLIDE.fullmatch(name)]
    left = sorted((name for name in found if name not in order), key=_slide_number)
    return size, [*dict.fromkeys(order), *left]


def _slide_number(name: str) -> int:
    found = _SLIDE.fullmatch(name)
    return _whole(found[1]) if found else 0


def _whole(digits: str) -> int:
    return int(digits) if digits.isdecimal() and len(digits) < 12 else 0


def _add_related(deck: Deck, package: Package, relation: Relation, authors: dict[str, str]) -> None:
    if relation.kind == "notesSlide":
        deck.add_notes(walk_slide(package, relation.target, (), (0, 0)).line)
    elif relation.kind == "comments":
        data = package.read(relation.target)
        for comment in read_comments(package.events(data, relation.target)) if data is not None else ():
            author = authors.get(comment.author, "")
            deck.add_comment(Line(comment.text), author=author, date=comment.date)


def _authors(package: Package, related: list[Relation]) -> dict[str, str]:
    """Names of those who comment, by the ids that comments state."""
    authors: dict[str, str] = {}
    for relation in related:
        data = package.read(relation.target) if relation.kind in ("commentAuthors", "authors") else None
        for event, _, element in package.events(data, relation.target) if data is not None else ():
            stated = attributes(element)
            if event == "start" and "name" in stated:
                authors[stated.get("id", "")] = stated["name"]
    return authors


def _behind(package: Package) -> list[Line]:
    """The words that masters and layouts put on slides, such as "Confidential"; each once."""
    lines: dict[str, Line] = {}
    for name in package.names:
        if name.casefold().startswith(("ppt/slidemasters/slidemaster", "ppt/slidelayouts/slidelayout")):
            line = walk_slide(package, name, (), (0, 0), placeholders=False).line.stripped()
            lines.setdefault(line.text, line)
    return [line for text, line in lines.items() if text]

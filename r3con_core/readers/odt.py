"""OpenDocument texts, presentations and drawings become documents."""

from collections.abc import Iterator

from r3con_core.documents import Document, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.marks import Line, Piece, aside_warnings, changes_told, inserted_told, joined
from r3con_core.readers.marks import Story as Text
from r3con_core.readers.ooxml import Package, iso_date
from r3con_core.readers.opendocument import embedded, objects, open_opendocument, parsed, properties
from r3con_core.readers.opendocument_walk import OpenDocumentWalk, Story
from r3con_core.readers.slides import Deck
from r3con_core.readers.text import file_name, one_line


def read_odt(file: File) -> Iterator[Document | Member | LedgerLine]:
    """An OpenDocument text as one document, then the files embedded in it.

    Inserted text is in the text and listed; deleted and hidden text is listed only.
    """
    with open_opendocument(file) as package:
        yield from _read_text(file, package)


def _read_text(file: File, package: Package) -> Iterator[Document | Member | LedgerLine]:
    walk = _walked(package)
    text = Text()
    _add_margins(text, walk, "header")
    title = _add_body(text, walk.body)
    _add_margins(text, walk, "footer")
    _add_notes(text, walk)
    comments = _add_comments(text, walk)
    for name in objects(package):
        _add_object(text, package, name)
    yield _document(file, package, text, title=title, warnings=_warnings(walk, text, comments))
    yield from embedded(package, file.source)


def read_odp(file: File) -> Iterator[Document | Member | LedgerLine]:
    """An OpenDocument presentation or drawing as one document with a unit for each slide and for its notes."""
    with open_opendocument(file) as package:
        yield from _read_deck(file, package)


def _read_deck(file: File, package: Package) -> Iterator[Document | Member | LedgerLine]:
    walk = _walked(package)
    deck = Deck()
    for story in walk.stories:
        line = joined(story.pieces)
        if story.kind == "slide":
            deck.add_slide(line, title=_first_heading(story), hidden=story.hidden)
        elif story.kind == "notes":
            deck.add_notes(line)
        elif story.kind == "comment":
            deck.add_comment(line, author=story.author, date=story.date)
    yield deck.document(file, properties(package), package.damage())
    yield from embedded(package, file.source)


def _walked(package: Package) -> OpenDocumentWalk:
    """All that styles and content hold; only page headers and footers of what the styles hold."""
    walk = OpenDocumentWalk()
    if (styles := package.read("styles.xml")) is not None and not parsed(styles, walk):
        package.unread.append("styles.xml")
    walk.body.clear()
    walk.stories = [story for story in walk.stories if story.kind in ("header", "footer")]
    content = package.read("content.xml")
    if content is None:
        raise CorpusError("a damaged or incomplete OpenDocument file")
    if not parsed(content, walk):
        package.unread.append("content.xml")
        walk.keep_open()
    return walk


def _document(file: File, package: Package, text: Text, *, title: str, warnings: tuple[str, ...]) -> Document:
    said = properties(package)
    return make_document(
        title=title or file_name(file.source),
        text=text.text,
        source=file.source,
        units=text.units,
        author=said.author,
        date=said.date,
        findings=tuple(text.findings),
        warnings=(*warnings, *package.damage()),
    )


def _add_body(text: Text, body: list[Piece]) -> str:
    """Add the numbered blocks; gives the first heading."""
    title = ""
    for piece in text.add_numbered(body):
        if piece.kind == "heading" and not title:
            title = one_line(piece.line.text)
    return title


def _add_margins(text: Text, walk: OpenDocumentWalk, kind: str) -> None:
    seen: list[str] = []
    for story in walk.stories:
        line = joined(story.pieces)
        if story.kind == kind and line.text not in seen:
            seen.append(line.text)
            text.add(line, kind=kind, label=str(len(seen)))


def _add_notes(text: Text, walk: OpenDocumentWalk) -> None:
    for kind in ("footnote", "endnote"):
        for story in walk.stories:
            if story.kind == kind:
                line = Line(f"{kind.capitalize()} {story.label}: ")
                line.extend(joined(story.pieces))
                text.add(line, kind=kind, label=story.label or "without number")


def _add_comments(text: Text, walk: OpenDocumentWalk) -> int:
    comments = [story for story in walk.stories if story.kind == "comment"]
    for number, story in enumerate(comments, 1):
        when = f", {story.date[:10]}" if iso_date(story.date) else ""
        place = f", on {story.anchor.place}" if story.anchor is not None and story.anchor.label else ""
        line = Line(f"Comment by {one_line(story.author) or 'unknown'}{when}{place}: ")
        line.extend(joined(story.pieces))
        text.add(line, kind="comment", label=str(number))
    return len(comments)


def _add_object(text: Text, package: Package, name: str) -> None:
    """The words of a chart or table of another program, which stand in a part of their own."""
    data = package.read(name)
    walk = OpenDocumentWalk()
    if data is None or not parsed(data, walk):
        return
    label = name.partition("/")[0].removeprefix("Object ")
    text.add(joined(walk.body), kind="object", label=label)


def _warnings(walk: OpenDocumentWalk, text: Text, comments: int) -> tuple[str, ...]:
    lists = ("Numbers that are counted up before paragraphs are not in the text.",) if len(walk.numbering) == 2 else ()
    told = changes_told(walk.changes, len(walk.authors), comments)
    return (*told, *inserted_told(text.findings), *lists, *aside_warnings(text.findings))


def _first_heading(story: Story) -> str:
    return next((one_line(piece.line.text) for piece in story.pieces if piece.kind == "heading"), "")

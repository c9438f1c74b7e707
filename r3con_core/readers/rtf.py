"""RTF files become documents."""

from collections.abc import Iterator

from r3con_core.documents import Document, make_document
from r3con_core.readers.ledger import File, Member
from r3con_core.readers.marks import Line, Story, aside_warnings, changes_told, inserted_told, joined
from r3con_core.readers.rtf_objects import embedded_file
from r3con_core.readers.rtf_walk import RtfWalk
from r3con_core.readers.text import file_name, one_line


def read_rtf(file: File) -> Iterator[Document | Member]:
    """An RTF file as one document, then the files embedded in it.

    Inserted text is in the text and listed; deleted and hidden text is listed only. Linear in the size of the file.
    """
    walk = RtfWalk()
    walk.walk(file.data().decode("latin-1"))
    story = Story()
    _add_apart(story, walk, "header")
    for _ in story.add_numbered(walk.body.pieces):
        pass
    _add_apart(story, walk, "footer")
    for kind in ("footnote", "endnote"):
        for frame in walk.of_kind(kind):
            line = Line(f"{kind.capitalize()} {frame.number}: ")
            line.extend(joined(frame.pieces))
            story.add(line, kind=kind, label=str(frame.number))
    comments = _add_comments(story, walk)
    yield make_document(
        title=_title(walk) or file_name(file.source),
        text=story.text,
        source=file.source,
        units=story.units,
        author=one_line(walk.said.get("author", "")) or None,
        date=walk.said.get("revtim") or walk.said.get("creatim"),
        findings=tuple(story.findings),
        warnings=(
            *changes_told(len(walk.change_authors), len(walk.change_authors), comments),
            *inserted_told(story.findings),
            *aside_warnings(story.findings),
            *walk.damage(),
        ),
    )
    for number, digits in enumerate(walk.objects, 1):
        yield from embedded_file(number, digits)


def _add_apart(story: Story, walk: RtfWalk, kind: str) -> None:
    """Page headers or footers, each text once."""
    seen: list[str] = []
    for frame in walk.of_kind(kind):
        line = joined(frame.pieces)
        if line.text not in seen:
            seen.append(line.text)
            story.add(line, kind=kind, label=str(len(seen)))


def _add_comments(story: Story, walk: RtfWalk) -> int:
    comments = walk.of_kind("comment")
    for number, frame in enumerate(comments, 1):
        when = f", {frame.date}" if frame.date else ""
        place = f", on {frame.anchor.place}" if frame.anchor is not None and frame.anchor.label else ""
        line = Line(f"Comment by {one_line(frame.author) or 'unknown'}{when}{place}: ")
        line.extend(joined(frame.pieces))
        story.add(line, kind="comment", label=str(number))
    return len(comments)


def _title(walk: RtfWalk) -> str:
    """The title stated, unless its letters were lost when it was saved: "?????"."""
    title = one_line(walk.said.get("title", ""))
    return title if any(letter.isalnum() for letter in title) else ""

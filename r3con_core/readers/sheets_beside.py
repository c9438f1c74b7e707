"""What stands in a workbook beside its cells: comments, text boxes, page headers; and how its strings are written."""

import re
from collections.abc import Iterator, Sequence, Set
from typing import Any

from r3con_core.readers.ooxml import Package, Relation, local_name
from r3con_core.readers.sheets import Comment

REFERENCE = re.compile(r"([A-Z]{1,3})(\d+)")
"""A cell, as in B12."""
_PRINT_CODES = re.compile(r'&(?:"[^"]*"|[LCRDTFPNAGZBIUESXY]|\d+|K[0-9A-F]{6})')


def whole_number(stated: str | None) -> int:
    """A number as an attribute states it; 0 when it states none."""
    return int(stated) if stated and stated.isdecimal() else 0


def column_number(letters: str) -> int:
    """A column's number from 0, of its letters."""
    number = 0
    for letter in letters[:4]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def rich_text(element: Any) -> str:
    """The words of a string that may have runs of different looks; readings printed above words are left out."""
    pieces: list[str] = []
    for part in element:
        match local_name(part.tag):
            case "t":
                pieces.append(part.text or "")
            case "r":
                pieces += [inner.text or "" for inner in part if local_name(inner.tag) == "t"]
    return unescaped("".join(pieces))


def unescaped(text: str) -> str:
    """A string with the signs that XML cannot hold, which Excel writes as codes."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def printed_text(words: str) -> str:
    """The words of a page header or footer without the codes among them."""
    import html

    said = html.unescape(words).replace("&&", "\ue001")
    return " ".join(_PRINT_CODES.sub(" ", said).replace("\ue001", "&").split())


def unseen_styles(package: Package, part: str) -> list[str]:
    """Why a reader does not see the cells of each style, in the order cells refer to them; empty where one does."""
    data = package.read(part)
    white: list[bool] = []
    filled: list[bool] = []
    unshown: set[str] = set()
    reasons: list[str] = []
    inside = ""
    for event, name, element in package.events(data, part) if data else ():
        if name in ("fonts", "fills", "cellXfs"):
            inside = name if event == "start" else ""
        elif event == "end" and name == "numFmt" and element.get("formatCode", "").strip() == ";;;":
            unshown.add(element.get("numFmtId", ""))
        elif event == "end" and name == "font" and inside == "fonts":
            white.append(any(_is_white(inner) for inner in element))
        elif event == "end" and name == "fill" and inside == "fills":
            filled.append(any(inner.get("patternType", "none") != "none" or len(inner) for inner in element))
        elif event == "end" and name == "xf" and inside == "cellXfs":
            reasons.append(_why_unseen(element, white, filled, unshown))
    return reasons


def _is_white(part: Any) -> bool:
    if local_name(part.tag) != "color":
        return False
    return (part.get("rgb", "").upper() == "FFFFFFFF") or (part.get("theme") == "0" and not part.get("tint"))


def _why_unseen(style: Any, white: Sequence[bool], filled: Sequence[bool], unshown: Set[str]) -> str:
    font, fill = whole_number(style.get("fontId")), whole_number(style.get("fillId"))
    if style.get("numFmtId", "") in unshown:
        return "a number format that shows nothing"
    is_white = font < len(white) and white[font]
    return "white letters" if is_white and not (fill < len(filled) and filled[fill]) else ""


def comments_on(package: Package, relations: Sequence[Relation]) -> Iterator[Comment]:
    """Comments and notes; a thread of comments stands in the file twice, the second time for older programs."""
    threads = [relation.target for relation in relations if relation.kind == "threadedComment"]
    if threads:
        for part in threads:
            yield from _threaded(package, part)
    answered = bool(threads)
    for relation in relations:
        if relation.kind == "comments":
            yield from (
                one for one in _notes(package, relation.target) if not (answered and "[Threaded" in one.text[:10])
            )


def _notes(package: Package, part: str) -> Iterator[Comment]:
    data = package.read(part)
    authors: list[str] = []
    for event, name, element in package.events(data, part) if data else ():
        if event != "end":
            continue
        if name == "author":
            authors.append(element.text or "")
        elif name == "comment":
            number = whole_number(element.get("authorId"))
            words = next((rich_text(inner) for inner in element if local_name(inner.tag) == "text"), "")
            yield from _comment(element.get("ref"), authors[number] if number < len(authors) else "", words)


def _threaded(package: Package, part: str) -> Iterator[Comment]:
    people: dict[str, str] = {}
    for name in package.names:
        data = package.read(name) if name.startswith("xl/persons/") and name.endswith(".xml") else None
        for _, tag, element in package.events(data, name) if data else ():
            if tag == "person":
                people[element.get("id", "")] = element.get("displayName", "")
    data = package.read(part)
    for event, name, element in package.events(data, part) if data else ():
        if event == "end" and name == "threadedComment":
            words = "".join(inner.text or "" for inner in element if local_name(inner.tag) == "text")
            yield from _comment(element.get("ref"), people.get(element.get("personId", ""), ""), words)


def _comment(reference: str | None, author: str, words: str) -> Iterator[Comment]:
    place = REFERENCE.fullmatch(reference or "")
    text = words.removeprefix(f"{author}:").strip() if author else words.strip()
    if place and text:
        yield Comment(row=int(place[2]), column=column_number(place[1]), author=author, text=text)


def drawn_text(package: Package, relations: Sequence[Relation]) -> Iterator[tuple[str, str]]:
    """The words in text boxes and shapes that lie on a sheet."""
    for part in (relation.target for relation in relations if relation.kind == "drawing"):
        data = package.read(part)
        words: list[str] = []
        for event, name, element in package.events(data, part) if data else ():
            if event == "end" and name == "t" and element.text:
                words.append(element.text)
            elif event == "end" and name == "p":
                words.append("\n")
            elif event == "end" and name == "txBody":
                if text := "".join(words).strip():
                    yield "text box", text
                words = []

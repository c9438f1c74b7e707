"""The reader of a document of a production: what its load file says of it, and its texts, page pictures and native."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from r3con_core.documents import Document, make_document
from r3con_core.readers.content import Content
from r3con_core.readers.encodings import decode
from r3con_core.readers.ledger import File, Found, Progress, shown_name
from r3con_core.readers.production_parts import Draft, Part, read_part
from r3con_core.readers.productions_listed import Listed
from r3con_core.readers.text import clean, encoding_warnings, merged_units

_SLIP = re.compile(
    r"(?i)\bnative\w*\b.{0,60}\b(?:produc|provid|file|format|document|form\b)|\bproduc\w*.{0,40}\bnative"
)
"""What the sheet says that stands for a document whose native is given instead of its pages."""
_SLIP_LENGTH = 400


def read_production_document(file: File) -> Iterator[Found]:
    """A document of a production: a head like a mail's, then its text by page where the pages are known.

    Text files come first; page pictures without a text are recognised (OCR); a native is read when there is nothing
    else, or nothing but a sheet that says so. Its parent is the document of the production it is attached to.
    """
    listed = Listed.from_json(json.loads(file.data()))
    draft = Draft(listed=listed, warnings=list(listed.warnings))
    draft.add_head(_head(listed))
    head = draft.length
    yield from _add_pages(file, draft, pages=_texts_of_pages(file, draft))
    natives = [(role.removeprefix("native:"), one) for role, one in file.companions if role.startswith("native:")]
    if natives and _says_native(draft.text[head:]):
        name, content = natives[0]
        part = Part(name=name, content=content)
        yield from read_part(part, file)
        draft.adopt_native(part)
        yield from part.locked_lines(file.source.path)
    yield _document(file, draft)
    if draft.native is not None:
        yield from draft.native.members


def _document(file: File, draft: Draft) -> Document:
    listed, native = draft.listed, draft.native.document if draft.native else None
    return make_document(
        title=listed.field("Subject", "Title", "File name") or (native.title if native else listed.name),
        text=draft.text,
        source=file.source,
        units=merged_units(draft.units),
        date=listed.date or (native.date if native else None),
        author=listed.field("Author", "From") or (native.author if native else None),
        pages=draft.pages,
        unread_pages=tuple(draft.unread),
        parent=listed.parent,
        findings=tuple(draft.findings),
        warnings=draft.all_warnings(),
    )


def _head(listed: Listed) -> str:
    stated = [("Bates", listed.bates), *listed.fields]
    return clean("\n".join(f"{label}: {' '.join(value.split())}" for label, value in stated if value.strip()))


def _texts_of_pages(file: File, draft: Draft) -> dict[str, str]:
    """The text of each page by its Bates number; a text whose pages cannot be told apart is under the name ""."""
    texts = {role: _text(content, draft) for role, content in file.companions if role.split(":")[0] == "text"}
    by_page = {role.removeprefix("text:"): clean(text) for role, text in texts.items() if ":" in role}
    listed = draft.listed
    whole = texts.get("text") or listed.text
    if by_page or not whole.strip():
        return by_page
    if len(listed.pages) <= 1:
        return {listed.begin: clean(whole)}
    sheets = _by_form_feed(whole, len(listed.pages)) or _by_stamp(clean(whole), listed.pages)
    return dict(zip(listed.pages, sheets, strict=True)) if sheets else {"": clean(whole)}


def _text(content: Content, draft: Draft) -> str:
    decoded = decode(content.data())
    draft.warnings.extend(encoding_warnings(decoded))
    return decoded.text


def _by_form_feed(text: str, count: int) -> list[str]:
    sheets = [clean(sheet) for sheet in text.removesuffix("\f").split("\f")]
    return sheets if len(sheets) == count else []


def _by_stamp(text: str, pages: Sequence[str]) -> list[str]:
    """The text cut where each page's Bates number stands on a line by itself, as at the foot or head of pages."""
    lines = text.split("\n")
    at = {line.strip(): number for number, line in enumerate(lines)}
    places = [at.get(bates, -1) for bates in pages]
    if -1 in places or places != sorted(places):
        return []
    at_the_head = not any(line.strip() for line in lines[: places[0]])
    cuts = places[1:] if at_the_head else [place + 1 for place in places[:-1]]
    starts = [0, *cuts, len(lines)]
    return ["\n".join(lines[start:end]) for start, end in pairwise(starts)]


def _add_pages(file: File, draft: Draft, *, pages: dict[str, str]) -> Iterator[Progress]:
    """Add each page's text, or what is read in its picture."""
    if "" in pages:
        draft.add_whole(pages[""])
        return
    images = {role.removeprefix("image:"): one for role, one in file.companions if role.startswith("image:")}
    every = tuple(dict.fromkeys((*draft.listed.pages, *pages, *images)))
    covered = 0
    for number, bates in enumerate(every if pages or images else (), 1):
        if pages.get(bates, "").strip():
            draft.add_page(pages[bates], number=number, bates=bates)
        elif bates in images:
            yield Progress(done=number - 1, total=len(every))
            part = Part(name=f"{bates}.tif", content=images[bates])
            yield from read_part(part, file)
            covered = draft.adopt_picture(part, number=number, numbers=every)
        elif number > covered:
            draft.miss(number, f"Page {shown_name(bates)} has neither a text nor a picture.")


def _says_native(text: str) -> bool:
    """Whether nothing is given but a native, or a sheet that says so."""
    return len(text) <= _SLIP_LENGTH and (not text.strip() or _SLIP.search(text) is not None)

"""A document's text, page by page, with places marked in it: all of them pale, one strong and in view."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.api import TOKEN_HEADER, token_for
from pages.widgets.documents.places import utf16_offsets
from r3con_core.documents import Document, Span
from r3con_core.evidence import Grounded, Misplaced
from r3con_core.records import StructuredData
from r3con_core.store.project import Project

_FRONTEND = Path(__file__).parent / "frontend"
_COMPONENT = st.components.v2.component(
    "r3con_viewer",
    html=(_FRONTEND / "viewer.html").read_text("utf-8"),
    css=(_FRONTEND / "viewer.css").read_text("utf-8"),
    js=(_FRONTEND / "viewer.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place to mark."""

    span: Span
    records: tuple[tuple[str, str], ...] = ()
    """Ids and labels of the records that rest on it, such as "R3 Landing"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What of a document is to be seen."""

    document: Document
    marks: tuple[Mark, ...] = ()
    current: Span | None = None
    """The place to open it at."""
    height: str = "26rem"
    """Of the text's box, as CSS has it."""
    pictures: bool = False
    """Pictures of its pages can be drawn."""


def marks_in(data: StructuredData, document_id: str) -> tuple[Mark, ...]:
    """Every place of the document that a record's quote was found at, in text order."""
    found: dict[Span, list[tuple[str, str]]] = {}
    for record in data.records:
        for evidence in record.evidence:
            place = evidence.found if isinstance(evidence, Misplaced) else evidence
            if isinstance(place, Grounded) and place.document_id == document_id:
                found.setdefault(place.span, []).append((record.id, f"{data.label(record.id)} {record.type}"))
    return tuple(Mark(span=span, records=tuple(dict.fromkeys(found[span]))) for span in sorted(found))


def show(project: Project, reading: Reading, *, key: str, on_record: Callable[[str], None]) -> None:
    """The text, which the browser fetches once; `on_record` is told the record whose name was pressed."""

    def pressed() -> None:
        on_record(st.session_state[key]["record"])

    document, slug = reading.document, project.folder.name
    places = [mark.span for mark in reading.marks] + ([reading.current] if reading.current else [])
    utf16 = utf16_offsets(document.text, [end for span in places for end in (span.start, span.end)])
    _COMPONENT(
        key=key,
        data={
            "document": document.id,
            "title": document.title,
            "url": f"/api/documents/{slug}/{document.id}",
            "places": f"/api/documents/{slug}/{document.id}/places",
            "pages": f"/api/pages/{slug}/{document.id}",
            "images": reading.pictures,
            "token": token_for(project),
            "tokenHeader": TOKEN_HEADER,
            "height": reading.height,
            "marks": [[utf16[m.span.start], utf16[m.span.end], list(map(list, m.records))] for m in reading.marks],
            "current": [utf16[reading.current.start], utf16[reading.current.end]] if reading.current else None,
        },
        on_record_change=pressed,
    )

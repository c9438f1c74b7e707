"""Document: one document to read, with every quote that the open run's records rest on."""

import streamlit as st

from pages.widgets import evidence, state, viewer
from pages.widgets.errors import plain
from pages.widgets.words import count, kind_of
from r3con_core.documents import Document, Span
from r3con_core.store.documents import DocumentLine, list_documents, load_document
from r3con_core.store.project import Project


def choose(lines: tuple[DocumentLine, ...], line: DocumentLine) -> None:
    """The document as a title to pick from, with its neighbours beside it."""
    at = lines.index(line)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        picked = st.selectbox(
            "Document",
            lines,
            index=at,
            format_func=lambda one: f"{one.number} · {one.title}",
            key=f"pick-{line.id}",
            width=460,
            help="Its number is the same in prompts, records and answers.",
        )
        steps = [("Previous", -1, ":material/chevron_left:"), ("Next", 1, ":material/chevron_right:")]
        for label, by, icon in steps:
            if st.button(label, icon=icon, disabled=not 0 <= at + by < len(lines)):
                state.open_document(lines[at + by].id)
    if picked.id != line.id:
        state.open_document(picked.id)


def tell(document: Document) -> None:
    """Where it came from, and what its reader could not do."""
    facts = [f"`{document.source.path}`" if "`" not in document.source.path else plain(document.source.path)]
    facts += [kind_of(document.source.media_type), count(document.words, "word")]
    facts += [f"dated {plain(document.date)}"] if document.date else []
    facts += [f"by {plain(document.author)}"] if document.author else []
    st.caption(" · ".join(facts))
    if document.warnings:
        st.warning("\n".join(f"- {plain(warning)}" for warning in document.warnings), icon=":material/warning:")


def read(project: Project, document: Document, asked: Span | None) -> None:
    """The text, with the quotes of the open run."""
    run = state.current_run(project)
    found = evidence.found_by(project, run.id) if run else None
    marks = viewer.marks_in(found.data, document.id) if found else ()
    fits = asked is not None and asked.start < len(document.text)
    if asked is not None and not fits:
        st.info("The address names a place that this document does not have.", icon=":material/wrong_location:")
    reading = viewer.Reading(
        document=document,
        marks=marks,
        current=asked if fits else None,
        height="max(22rem, calc(100vh - 21rem))",
    )
    viewer.show(
        project, reading, key="document", on_record=lambda record: state.go("data", record=record, doc=None, at=None)
    )


project = state.require_project()
lines = list_documents(project)
document_id = state.current_document_id() or (lines[0].id if lines else "")
document = load_document(project, document_id)
if document is None:
    state.empty(
        "This document is not in this project",
        "It may have been removed, or the address belongs to another project.",
        page="corpus",
        button="See the documents",
    )
choose(lines, next(line for line in lines if line.id == document_id))
tell(document)
read(project, document, state.current_span())

"""Document: one document to read, with every quote that the open run's records rest on."""

from collections.abc import Sequence
from itertools import chain

import streamlit as st

from pages.widgets import evidence, state, viewer
from pages.widgets.documents import family, findings
from pages.widgets.documents.places import coverage_of_pages
from pages.widgets.errors import plain
from pages.widgets.relevance.sights import parsing_saw
from pages.widgets.words import count, kind_of, language_of, moment_of
from r3con_core.documents import Document, FindingKind, Span
from r3con_core.readers import Outcome, kinds
from r3con_core.store.documents import DocumentLine, LedgerEntry, ledger_of_document, list_documents, load_document
from r3con_core.store.project import Project
from r3con_core.store.search import find_in

MOST_MARKS = 2_000


def choose(lines: tuple[DocumentLine, ...], line: DocumentLine) -> None:
    """The document as a title to pick from, with its neighbours beside it."""
    at = lines.index(line)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        picked = st.selectbox(
            "Document",
            lines,
            index=at,
            format_func=lambda one: f"{one.number} · {one.title}" if one.number else f"held back · {one.title}",
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


def tell(document: Document, line: DocumentLine) -> None:
    """Where it came from, how much of it was read, and what its reader could not do."""
    st.caption(" · ".join(facts(document)), help=f"SHA-256 of its bytes: {document.source.sha256}")
    if line.held:
        st.warning(f"Held back from every model: {plain(line.held)}", icon=":material/lock:")
    if document.warnings:
        with st.expander(
            count(len(document.warnings), "warning"),
            expanded=len(document.warnings) <= 2,
            icon=":material/warning:",
            type="compact",
        ):
            st.markdown("\n".join(f"- {plain(warning)}" for warning in document.warnings))


def facts(document: Document) -> list[str]:
    """What is known of a document, in short phrases of Markdown."""
    path = document.source.path
    told = [f"`{path}`" if "`" not in path else plain(path), kind_of(document.source.media_type)]
    told += [count(document.words, "word"), coverage_of_pages(document.pages, document.unread_pages)]
    sure = [unit.confidence for unit in document.units if unit.confidence is not None]
    if sure:
        told.append(f"{count(len(sure), 'page')} read from a picture (OCR), {sum(sure) // len(sure)} % sure on average")
    told += [language_of(document.language)] if document.language else []
    told += [f"dated {plain(moment_of(document.date))}"] if document.date else []
    told += [f"by {plain(document.author)}"] if document.author else []
    return list(filter(None, told))


def tell_what_was_seen(project: Project, document: Document) -> None:
    """What the open run showed of other snippets when it made this document's records, where it was not all."""
    run = state.current_run(project)
    saw = parsing_saw(project, run.id, document.id) if run else ""
    if saw:
        st.caption(
            f"When its records were made, the model saw, beside this document: {saw}.",
            help="There were more snippets than fit. Snippets and digests are on the page Relevance.",
        )


def other_paths(document: Document, ledger: Sequence[LedgerEntry]) -> list[str]:
    """Where else the same bytes or the same text were found."""
    of_it = (line.path for line in ledger if line.outcome == Outcome.DUPLICATE and line.path != document.source.path)
    return list(dict.fromkeys(of_it))


def show_findings(project: Project, document: Document) -> None:
    """What was set aside or flagged in it, in a line that opens."""
    if not document.findings:
        return
    aside = sum(one.set_aside for one in document.findings)
    addressed = sum(one.addressed for one in document.findings)
    told = [f"{aside:,} kept out of its text"] if aside else []
    told += [f"{addressed:,} addressed to AI systems"] if addressed else []
    more = f" ({', '.join(told)})" if told else ""
    icon = findings.ICONS[FindingKind.ADDRESSED if addressed else FindingKind.UNSEEN]
    with st.expander(f"{count(len(document.findings), 'finding')}{more}", icon=icon, type="compact"):
        state.page_link("corpus", "Decide about them", tab="findings")
        for one in findings.of_document(project, document)[:50]:
            findings.show_brief(one)


def has_pictures(document: Document) -> bool:
    """Whether its pages can be seen as they look."""
    media_type = document.source.media_type
    return media_type == kinds.PDF or media_type.startswith("image/")


def read(project: Project, document: Document, asked: tuple[Span, ...]) -> None:
    """The text, with the quotes of the open run and the places that were asked for."""
    run = state.current_run(project)
    found = evidence.found_by(project, run.id) if run else None
    quotes = viewer.marks_in(found.data, document.id) if found else ()
    fits = [span for span in asked if span.start < len(document.text)]
    if len(fits) < len(asked):
        st.info("The address names a place that this document does not have.", icon=":material/wrong_location:")
    quoted = {mark.span for mark in quotes}
    words = state.current_find()
    places = dict.fromkeys([*fits, *(find_in(document.text, words)[:MOST_MARKS] if words else ())])
    wanted = [viewer.Mark(span=span) for span in places if span not in quoted] if len(places) > 1 else []
    reading = viewer.Reading(
        document=document,
        marks=tuple(sorted(chain(quotes, wanted), key=lambda mark: mark.span)),
        current=fits[0] if fits else None,
        height="max(24rem, calc(100vh - 19rem))",
        pictures=has_pictures(document),
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
line = next(line for line in lines if line.id == document_id)
choose(lines, line)
tell(document, line)
family.show(document, lines, other_paths(document, ledger_of_document(project, document.id)))
show_findings(project, document)
tell_what_was_seen(project, document)
read(project, document, state.current_spans())

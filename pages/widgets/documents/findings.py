"""Findings: text that a reader of the page would not simply read, for the analyst to decide about."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.words import count
from r3con_core.documents import Document, FindingKind
from r3con_core.findings import FoundIn, include_finding, leave_out_finding, list_findings, newest_decisions
from r3con_core.store.decisions import INCLUDED, finding_subject
from r3con_core.store.documents import DocumentLine
from r3con_core.store.project import Project

AT_ONCE = 10
LONGEST_SHOWN = 20_000
"""Characters of one text on the page; the rest is in the document's file."""
LONGEST_BRIEF = 1_000
ALL, OPEN = "all", "to decide"

ICONS = {
    FindingKind.ADDRESSED: ":material/smart_toy:",
    FindingKind.NAMED: ":material/label_important:",
    FindingKind.UNSEEN: ":material/visibility_off:",
    FindingKind.COVERED: ":material/rectangle:",
    FindingKind.DELETED: ":material/delete_sweep:",
    FindingKind.INSERTED: ":material/add_circle:",
    FindingKind.HIDDEN_PART: ":material/hide_source:",
}
MEANINGS = {
    FindingKind.ADDRESSED: "It speaks to AI systems, not to people. Models are told that it is part of a document and "
    "no instruction; read it yourself.",
    FindingKind.NAMED: "A title, an author or the name of a file or folder that speaks to AI systems. Models are told a "
    "document's title, as part of the document and no instruction.",
    FindingKind.UNSEEN: "White, tiny, off the page or hidden: a reader of the page does not see it. It is kept from models.",
    FindingKind.COVERED: "It lies under a black box or another covering. It is kept from models.",
    FindingKind.DELETED: "Somebody deleted it with changes tracked. It is kept from models.",
    FindingKind.INSERTED: "Somebody inserted it with changes tracked. It is part of the text.",
    FindingKind.HIDDEN_PART: "A hidden sheet, column, row or slide. It is part of the text and marked there.",
}
_ORDER = list(ICONS)


def show(project: Project, lines: Sequence[DocumentLine]) -> None:
    """All findings by kind, those addressed to AI systems first, with the decisions to make."""
    found = list_findings(project)
    if not found:
        st.info(
            "Nothing was set aside or flagged. Text that readers cannot see, text under black boxes, deleted text and "
            "text addressed to AI systems would be listed here.",
            icon=":material/check:",
        )
        return
    _warn_of_addressed(found)
    chosen = _chosen(found)
    pages = max(-(-len(chosen) // AT_ONCE), 1)
    page = min(st.session_state.get("findings-page", 1), pages)
    held = {line.id for line in lines if line.held}
    kind = None
    for one in chosen[(page - 1) * AT_ONCE : page * AT_ONCE]:
        if one.finding.kind is not kind:
            kind = one.finding.kind
            st.subheader(f"{ICONS[kind]} {kind.value[0].upper()}{kind.value[1:]}", anchor=False)
            st.caption(MEANINGS[kind])
        _show_one(project, one, held=one.document_id in held)
    if pages > 1:
        st.pagination(pages, key="findings-page")


def _warn_of_addressed(found: Sequence[FoundIn]) -> None:
    addressed = [one for one in found if one.finding.addressed]
    if addressed:
        documents = len({one.document_id for one in addressed})
        named = any(one.finding.kind is FindingKind.NAMED for one in addressed)
        nouns = ("name", "passages and names") if named else ("passage", "passages")
        st.warning(
            f"**{count(len(addressed), *nouns)} in {count(documents, 'document')} "
            f"{'speaks' if len(addressed) == 1 else 'speak'} to AI systems.** Somebody may have wanted to steer what "
            "is made of these documents. Models get all of it as material, apart from their instructions; check what "
            "rests on it.",
            icon=":material/smart_toy:",
        )


def is_open(one: FoundIn) -> bool:
    """Whether it waits for a decision: it was set aside, and nobody decided."""
    return one.finding.set_aside and one.decision is None


def _chosen(found: Sequence[FoundIn]) -> list[FoundIn]:
    counts = Counter(one.finding.kind.value for one in found)
    waiting = sum(map(is_open, found))
    kinds = [kind.value for kind in _ORDER if counts[kind.value]]
    numbers = {ALL: len(found), OPEN: waiting, **counts}
    wished = st.pills(
        "Which ones",
        [ALL, OPEN, *kinds],
        format_func=lambda one: f"{one} ({numbers[one]:,})",
        default=ALL,
        required=True,
        key="findings-kind",
    )
    chosen = [one for one in found if wished in (ALL, one.finding.kind.value) or (wished == OPEN and is_open(one))]
    return sorted(chosen, key=lambda one: _ORDER.index(one.finding.kind))


def _show_one(project: Project, one: FoundIn, *, held: bool) -> None:
    finding = one.finding
    with st.container(border=True, gap="small"):
        where = ", ".join(filter(None, [finding.place, finding.detail]))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(one.title)}**" + (f" · {plain(where)}" if where else ""))
            span = finding.span
            state.open_document_link(
                one.document_id,
                *((span.start, span.end) if span else ()),
                label="Show it in the document" if span else "Open the document",
            )
        with st.container(height=220 if len(finding.text) > 600 else "content", border=False):
            st.text(finding.text[:LONGEST_SHOWN])
        if len(finding.text) > LONGEST_SHOWN:
            st.caption(f"The first {LONGEST_SHOWN:,} of {len(finding.text):,} characters.")
        _decide(project, one, held=held)


def _decide(project: Project, one: FoundIn, *, held: bool) -> None:
    if one.decision is not None:
        decision = one.decision
        note = f": {plain(decision.note)}" if decision.note else ""
        st.caption(f":material/gavel: {decision.decision} by {plain(decision.author)}, {decision.decided[:10]}{note}")
    if held:
        st.caption("The document is held back: no model reads any of it.")
    if one.finding.kind is FindingKind.NAMED:
        return
    if not one.finding.set_aside:
        if not held:
            st.caption("It is in the document's text, so models read it.")
        return
    if one.decision is not None and one.decision.decision == INCLUDED:
        return
    form = st.form(f"decide-{one.document_id}-{one.index}", border=False)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        note = st.text_input("Note", placeholder="why; for the log", width=320)
        left_out = st.form_submit_button("Leave out", icon=":material/block:")
        included = st.form_submit_button("Make it a document", icon=":material/note_add:")
    if left_out or included:
        with shown():
            _keep(project, one, note.strip(), included=included)


def _keep(project: Project, one: FoundIn, note: str, *, included: bool) -> None:
    author = state.analyst()
    if included:
        include_finding(project, one.document_id, one.index, author=author, note=note)
        state.leave_message("It is a document now, marked as what it is. Questions asked from now on read it too.")
    else:
        leave_out_finding(project, one.document_id, one.index, author=author, note=note)
        state.leave_message("It stays out. The decision is in the log.")
    st.rerun()


def show_brief(one: FoundIn) -> None:
    """One finding in its document: what it is, where, and its words; a decision where there was one."""
    finding = one.finding
    where = ", ".join(filter(None, [finding.place, finding.detail]))
    decided = f" · {one.decision.decision}" if one.decision else " · set aside" if finding.set_aside else ""
    st.markdown(f"{ICONS[finding.kind]} **{finding.kind.value}**" + (f" · {plain(where)}" if where else "") + decided)
    st.text(finding.text[:LONGEST_BRIEF] + (" …" if len(finding.text) > LONGEST_BRIEF else ""))
    if finding.span:
        state.open_document_link(one.document_id, finding.span.start, finding.span.end, label="Show it in the text")


def of_document(project: Project, document: Document) -> tuple[FoundIn, ...]:
    """The findings of one document."""
    decided = newest_decisions(project)
    return tuple(
        FoundIn(
            document_id=document.id,
            title=document.title,
            path=document.source.path,
            index=index,
            finding=finding,
            decision=decided.get((document.id, finding_subject(index))),
        )
        for index, finding in enumerate(document.findings)
    )

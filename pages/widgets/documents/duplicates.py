"""Duplicates: files that are the same, and documents whose texts are alike, with what differs. Nothing is merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets import state
from pages.widgets.documents.search import marked
from pages.widgets.errors import plain
from pages.widgets.words import count, day_of
from r3con_core.documents import Span
from r3con_core.duplicates import Group, Likeness, differences, groups
from r3con_core.readers import Outcome
from r3con_core.store.documents import DocumentLine, LedgerEntry, list_ledger, load_document
from r3con_core.store.project import Project

AT_ONCE = 10
MOST_PATHS, MOST_LIKE = 50, 30
MOST_PASSAGES, LONGEST_PASSAGE = 40, 600
AROUND = 70
"""Characters shown on both sides of a difference."""
FILES = "the same file"
MEANINGS = {
    FILES: "Files with the same bytes are read once. These are all the places they lie in.",
    Likeness.SAME.value: "Other files with the same words; only blanks, line ends, accents or signs may differ. Each is "
    "a document of its own.",
    Likeness.NEARLY.value: "Drafts, copies with a stamp, forwarded mails. Each is a document of its own.",
}


def show(project: Project, lines: Sequence[DocumentLine]) -> None:
    """One kind at a time: equal files, equal texts, texts that are nearly equal."""
    known = {line.id: line for line in lines}
    equal = {one: paths for one, paths in equal_files(list_ledger(project)).items() if one in known}
    with st.spinner("Comparing the documents"):
        alike = _groups(project, str(project.folder), hash(tuple(known)))
    numbers = {
        FILES: len(equal),
        **{kind.value: sum(one.likeness is kind for one in alike) for kind in Likeness},
    }
    if not any(numbers.values()):
        st.info("No two files and no two documents are alike.", icon=":material/check:")
        return
    kind = st.pills(
        "What is alike",
        list(numbers),
        format_func=lambda one: f"{one} ({numbers[one]:,})",
        default=next(kind for kind, number in numbers.items() if number),
        required=True,
        key="duplicates-kind",
    )
    st.caption(MEANINGS[kind])
    if kind == FILES:
        for document_id in _page(list(equal), kind):
            _show_equal(known[document_id], equal[document_id])
    else:
        for group in _page([one for one in alike if one.likeness.value == kind], kind):
            _show_group(project, group, known)


@st.cache_resource(max_entries=3, show_spinner=False)
def _groups(_project: Project, folder: str, documents: int) -> tuple[Group, ...]:  # noqa: ARG001 - parts of the key
    return groups(_project)


def _page(things: Sequence[Any], kind: str) -> Sequence[Any]:
    """Those of the open page, and the way to the others."""
    pages = -(-len(things) // AT_ONCE)
    page = st.pagination(pages, key=f"duplicates-page-{kind}") if pages > 1 else 1
    return things[(page - 1) * AT_ONCE : page * AT_ONCE]


def equal_files(ledger: Sequence[LedgerEntry]) -> dict[str, list[str]]:
    """The other paths of each document that lies in several places, by its id."""
    found: dict[str, list[str]] = {}
    for line in ledger:
        if line.outcome == Outcome.DUPLICATE and line.document_id:
            found.setdefault(line.document_id, []).append(line.path)
    return found


def _show_equal(line: DocumentLine, paths: Sequence[str]) -> None:
    with st.container(border=True, gap="xsmall"):
        _link(line)
        st.caption(count(len(paths) + 1, "place"))
        more = len(paths) + 1 - MOST_PATHS
        told = [f"- {plain(path)}" for path in [line.path, *paths][:MOST_PATHS]]
        st.markdown("\n".join([*told, f"- and {more:,} more, all in the ledger"] if more > 0 else told))


def _link(line: DocumentLine) -> None:
    number = f"{line.number} · " if line.number else "held back · "
    state.open_document_link(line.id, label=f"{number}{plain(line.title)}")


def _show_group(project: Project, group: Group, known: Mapping[str, DocumentLine]) -> None:
    members = [
        (known[document_id], similarity)
        for document_id, similarity in zip(group.document_ids, group.similarities, strict=True)
        if document_id in known
    ]
    with st.container(border=True, gap="xsmall"):
        for line, similarity in members[:MOST_LIKE]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                _link(line)
                st.caption(" · ".join(filter(None, [plain(line.path), day_of(line.date)])), width="content")
            first = members[0][0]
            if line is not first and group.likeness is Likeness.NEARLY:
                _offer_differences(project, first, line, similarity)
        if len(members) > MOST_LIKE:
            st.caption(f"and {len(members) - MOST_LIKE:,} more")


def _offer_differences(project: Project, first: DocumentLine, line: DocumentLine, similarity: float) -> None:
    title = f"{similarity * 100:.0f} % in common with the first: show the differences"
    told = st.expander(title, key=f"differences-{first.id}-{line.id}", on_change="rerun", type="compact")
    if not told.open:
        return
    before, after = load_document(project, first.id), load_document(project, line.id)
    if before is None or after is None:
        return
    with told:
        found = differences(before.text, after.text)
        sides = [(first, before.text, found.removed, "red"), (line, after.text, found.added, "green")]
        for column, (one, text, spans, ground) in zip(st.columns(2, gap="medium"), sides, strict=True):
            with column:
                st.markdown(f"**Only in {plain(one.title)}**")
                _show_side(text, spans, ground)


def _show_side(text: str, spans: Sequence[Span], ground: str) -> None:
    passages = passages_of(text, spans)
    if not passages:
        st.caption("nothing")
    for passage in passages[:MOST_PASSAGES]:
        st.markdown(f"\u2068{marked(passage.text, passage.marks, ground)}\u2069")
    if len(passages) > MOST_PASSAGES:
        st.caption(f"and {len(passages) - MOST_PASSAGES:,} more places")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a text on one line."""

    text: str
    marks: tuple[Span, ...]
    """In `text`."""


def passages_of(text: str, spans: Sequence[Span]) -> list[Passage]:
    """The places of `spans` with some text around, those near each other as one."""
    windows: list[tuple[int, int, list[Span]]] = []
    for span in spans:
        start, end = max(span.start - AROUND, 0), min(span.end + AROUND, len(text))
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end, [*windows[-1][2], span])
        else:
            windows.append((start, end, [span]))
    return [_passage(text, start, end, marks) for start, end, marks in windows]


def _passage(text: str, start: int, end: int, spans: Sequence[Span]) -> Passage:
    """One window; of a long one its beginning."""
    last = min(end, start + LONGEST_PASSAGE)
    shown = "".join(" " if sign.isspace() else sign for sign in text[start:last])
    inside = (span for span in spans if span.start < last)
    marks = tuple(Span(start=span.start - start, end=min(span.end, last) - start) for span in inside)
    return Passage(text=shown + (" …" if last < end else ""), marks=marks)

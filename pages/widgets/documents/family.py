"""What a document hangs together with: what it came attached to, what came with it, and where else it lies."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.documents import Document
from r3con_core.store.documents import DocumentLine

_INSIDE = " > "
MOST_SHOWN = 12


def parent_of(document: Document, lines: Sequence[DocumentLine]) -> DocumentLine | None:
    """The document it came attached to, or that lies around it in the same container."""
    paths = {line.path: line for line in lines if line.id != document.id}
    if document.parent in paths:
        return paths[document.parent]
    path = document.source.path
    while _INSIDE in path:
        path = path.rpartition(_INSIDE)[0]
        if path in paths:
            return paths[path]
    return None


def children_of(document: Document, lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The documents that came attached to it or lie directly inside it."""
    path = document.source.path
    inside = f"{path}{_INSIDE}"
    return [
        line
        for line in lines
        if line.id != document.id and (line.parent == path or _is_next(line.path, inside)) and line.path != path
    ]


def _is_next(path: str, inside: str) -> bool:
    return path.startswith(inside) and _INSIDE not in path[len(inside) :]


def container_of(document: Document) -> str:
    """The path of the archive or mailbox it lies in, "" when it lies in none."""
    return document.source.path.rpartition(_INSIDE)[0]


def show(document: Document, lines: Sequence[DocumentLine], others: Sequence[str]) -> None:
    """Links to parent and children, and the other paths of the same document; nothing when it stands alone."""
    parent, children = parent_of(document, lines), children_of(document, lines)
    if parent is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(":material/subdirectory_arrow_right: Came with", width="content")
            state.open_document_link(parent.id, label=plain(parent.title))
    elif container_of(document):
        st.caption(f":material/folder_zip: Lies in {plain(container_of(document))}")
    if children:
        with st.expander(count(len(children), "document came with it", "documents came with it"), type="compact"):
            for child in children[:MOST_SHOWN]:
                state.open_document_link(child.id, label=plain(child.title))
            if len(children) > MOST_SHOWN:
                st.caption(f"and {len(children) - MOST_SHOWN:,} more, in the list of documents")
    if others:
        title = f"The same file lies in {count(len(others), 'other place')}"
        with st.expander(title, icon=":material/content_copy:", type="compact"):
            st.markdown("\n".join(f"- {plain(path)}" for path in others[:100]))

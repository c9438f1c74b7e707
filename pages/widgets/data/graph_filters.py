"""What of the graph is drawn: words, and filters behind a button."""

import streamlit as st

from pages.widgets.data.table_filters import CERTAINTY_HELP, COUNTING_HELP
from pages.widgets.evidence import Found
from pages.widgets.worked_out import once
from r3con_core.records import Certainty
from r3con_core.views.graph_search import GraphFilter
from r3con_core.views.graphs import relation_types

LINKS_HELP = (
    "A record of such a type says how things hang together: a payment links the payer to the payee. It is drawn as a "
    "link between the things it names. Take a type out to draw its records as things of their own."
)


def ask(found: Found) -> tuple[GraphFilter, frozenset[str]]:
    """The filter that the widgets make, and the record types drawn as links; to be called inside a row."""
    words = st.text_input(
        "Find in the graph",
        key="graph-find",
        type="search",
        label_visibility="collapsed",
        placeholder="Find names",
        width=200,
        help="Keeps the things whose name holds these words, and what they are linked to.",
        persist_state="session",
    )
    names = ("graph-types", "graph-fields", "graph-documents", "graph-certainties", "graph-aside")
    on = sum(bool(st.session_state.get(name)) for name in names)
    with (
        st.popover(f"Filter ({on})" if on else "Filter", icon=":material/filter_list:", key="graph-filter"),
        st.container(width=460),
    ):
        links = _ask_links(found)
        return _ask_more(found, words or "", links), links


def _ask_links(found: Found) -> frozenset[str]:
    """Record types to draw as links, where there is a choice."""
    schema = found.data.schema
    able = [t.name for t in schema.record_types if t.name in relation_types(schema)]
    if not able:
        return frozenset()
    chosen = st.pills(
        "Drawn as links",
        able,
        selection_mode="multi",
        default=able,
        key="graph-links",
        help=LINKS_HELP,
        persist_state="session",
    )
    return frozenset(chosen)


def _ask_more(found: Found, words: str, links: frozenset[str]) -> GraphFilter:
    schema = found.data.schema
    types = st.pills(
        "Things",
        [t.name for t in schema.record_types if t.name not in links],
        selection_mode="multi",
        key="graph-types",
        help="Only things of these record types.",
        persist_state="session",
    )
    fields = st.multiselect(
        "Links",
        _fields_of(found, links),
        key="graph-fields",
        placeholder="All of them",
        help="Only links made by these fields.",
        persist_state="session",
    )
    certainties = st.pills(
        "Certainty",
        list(Certainty),
        selection_mode="multi",
        format_func=lambda one: str(one.value),
        key="graph-certainties",
        help=CERTAINTY_HELP,
        persist_state="session",
    )
    documents = _ask_documents(found)
    with_all = st.toggle(
        "With records that do not count", key="graph-aside", help=COUNTING_HELP, persist_state="session"
    )
    return GraphFilter(
        types=frozenset(types),
        fields=frozenset(fields),
        documents=frozenset(documents),
        certainties=frozenset(certainties),
        words=words,
        with_all=with_all,
    )


def _ask_documents(found: Found) -> list[str]:
    return st.multiselect(
        "Documents",
        once(found, "graph-documents", lambda: [d for d in found.numbers if d in _documents_with_records(found)]),
        format_func=lambda document_id: f"{found.numbers[document_id]} · {found.titles[document_id]}",
        key="graph-documents",
        placeholder="All of them",
        select_all=False,
        persist_state="session",
    )


def _documents_with_records(found: Found) -> frozenset[str]:
    return once(found, "with-records", lambda: frozenset(record.document_id for record in found.data.records))


def _fields_of(found: Found, links: frozenset[str]) -> list[str]:
    """The names of links that the graph may have."""
    paths: dict[str, list[str]] = {}
    for path, _ in found.data.schema.references():
        paths.setdefault(path[0], []).append(".".join(path[1:]))
    own = [path for kind, fields in paths.items() if kind not in links for path in fields]
    between = [
        f"{kind}: {one} to {other}"
        for kind, fields in paths.items()
        if kind in links
        for at, one in enumerate(fields)
        for other in fields[at:]
    ]
    return list(dict.fromkeys([*own, *between]))

"""Search: words in all documents, with filters; a document opens at the place that was found."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import count, day_of, kind_of, language_of
from r3con_core.documents import Span
from r3con_core.store.documents import DocumentLine
from r3con_core.store.project import Project
from r3con_core.store.search import Count, Facets, Filters, Found, Hit, search

AT_ONCE = 20
MOST_FOLDERS = 500
EVERYWHERE = ""
OPEN_LANGUAGE = "not told"
FINDINGS, HELD = "with findings", "held back"
_WORDS = "search-words"
_HELP = (
    'All words must be in the document, in any script. A "phrase" is found as it stands; write OR between '
    "alternatives and - before a word to leave out."
)


def show(project: Project, lines: Sequence[DocumentLine]) -> None:
    """The box, the filters, and what was found."""
    st.session_state.setdefault(_WORDS, state.current_find())
    words = st.text_input(
        "Search in all documents",
        key=_WORDS,
        help=_HELP,
        placeholder='such as: "Lime Quay" invoice',
        icon=":material/search:",
        on_change=_keep_in_address,
    ).strip()
    filters = _filters(lines)
    if not words and filters == Filters():
        st.caption("Write a word, or choose a filter. Every document is searched, also those held back from models.")
        return
    with st.spinner("Searching"):
        page = _page_before(words, filters)
        found = search(project, words, filters=filters, limit=AT_ONCE, offset=(page - 1) * AT_ONCE)
    _tell(found)
    for hit in found.hits:
        _show_hit(hit, words)
    pages = -(-found.total // AT_ONCE)
    if pages > 1:
        st.pagination(pages, key=_page_key(words, filters))


def _keep_in_address() -> None:
    words = st.session_state[_WORDS].strip()
    state.set_place(tab="search", find=words or None)


def _page_key(words: str, filters: Filters) -> str:
    return f"search-page-{words}-{filters}"


def _page_before(words: str, filters: Filters) -> int:
    """The page of results that is open; another search begins at its first."""
    return int(st.session_state.get(_page_key(words, filters), 1))


def _filters(lines: Sequence[DocumentLine]) -> Filters:
    with st.expander("Filters", icon=":material/filter_alt:", key="search-filters", type="compact"):
        kinds, languages, folders = st.columns(3)
        media_types = kinds.multiselect(
            "Type",
            sorted({line.media_type for line in lines}, key=kind_of),
            format_func=kind_of,
            key="search-types",
            persist_state="session",
        )
        chosen = languages.multiselect(
            "Language",
            sorted({line.language for line in lines}, key=language_of),
            format_func=lambda one: language_of(one) or OPEN_LANGUAGE,
            key="search-languages",
            persist_state="session",
        )
        folder = folders.selectbox(
            "Folder, archive or mail",
            [EVERYWHERE, *folders_of(line.path for line in lines)],
            format_func=lambda one: one or "everywhere",
            key="search-folder",
            persist_state="session",
        )
        since_at, until_at, only_at = st.columns(3)
        since, until = _date(since_at, "Dated from", "search-since"), _date(until_at, "Dated to", "search-until")
        only = only_at.pills(
            "Only those", [FINDINGS, HELD], selection_mode="multi", key="search-only", persist_state="session"
        )
    return Filters(
        media_types=tuple(media_types),
        languages=tuple(chosen),
        folder=folder or "",
        since=since,
        until=until,
        with_findings=FINDINGS in only,
        held=True if HELD in only else None,
    )


def _date(column: DeltaGenerator, label: str, key: str) -> str:
    helped = "A year, a month or a day: 2021, 2021-05, 2021-05-17. Documents without a date are left out."
    return column.text_input(
        label, key=key, placeholder="such as: 2021-05", help=helped, persist_state="session"
    ).strip()


def folders_of(paths: Iterable[str]) -> list[str]:
    """The folders, archives and mails that something lies in, at any depth, in order of their names."""
    found: set[str] = set()
    for path in paths:
        *containers, last = path.split(" > ")
        found.update(accumulate(containers, lambda outer, inner: f"{outer} > {inner}"))
        steps = (containers[0] if containers else last).split("/")[:-1]
        found.update(accumulate(steps, lambda outer, inner: f"{outer}/{inner}"))
    return sorted(found)[:MOST_FOLDERS]


def _tell(found: Found) -> None:
    if not found.total:
        st.info(
            "No document has all of that. Try fewer or shorter words, or take out a filter.",
            icon=":material/search_off:",
        )
        return
    st.markdown(f"**{count(found.total, 'document')} found**")
    st.caption(spread(found.facets))


def spread(facets: Facets) -> str:
    """How the documents found are spread, in a line of Markdown: the most frequent of each."""
    told = [
        ("Type", [(kind_of(one.value), one) for one in facets.media_types]),
        ("Language", [(language_of(one.value) or OPEN_LANGUAGE, one) for one in facets.languages]),
        ("Folder", [(one.value, one) for one in facets.folders]),
        ("Year", [(one.value or "undated", one) for one in facets.years]),
    ]
    return " · ".join(f"{name}: {_most(values)}" for name, values in told if len(values) > 1)


def _most(values: Sequence[tuple[str, Count]], most: int = 6) -> str:
    more = f" and {len(values) - most:,} more" if len(values) > most else ""
    return ", ".join(f"{plain(name)} {one.documents:,}" for name, one in values[:most]) + more


def _show_hit(hit: Hit, words: str) -> None:
    with st.container(border=True, gap="xsmall"):
        place = state.document_place(hit.document_id, *((hit.span.start, hit.span.end) if hit.span else ()))
        number = f"{hit.number} · " if hit.number else ""
        state.page_link("document", f"{number}{plain(hit.title)}", **place, find=words or None)
        st.markdown(f"\u2068{marked(hit.passage, hit.marks)}\u2069")
        st.caption(" · ".join(filter(None, _facts(hit))))


def _facts(hit: Hit) -> list[str]:
    more = "" if hit.counted_all else "more than "
    return [
        plain(hit.place),
        f"{more}{count(hit.count, 'place')}" if hit.count else "",
        kind_of(hit.media_type),
        plain(day_of(hit.date)),
        plain(hit.path),
        "" if hit.number else ":material/lock: held back",
    ]


def marked(passage: str, marks: Sequence[Span], ground: str = "orange") -> str:
    """A passage as Markdown, letter by letter, with what was looked for on a ground of its own and bold."""
    told: list[str] = []
    at = 0
    for mark in marks:
        told += [_kept(passage[at : mark.start]), f":{ground}-background[**{_kept(passage[mark.start : mark.end])}**]"]
        at = mark.end
    return "".join([*told, _kept(passage[at:])])


def _kept(text: str) -> str:
    """`text` as plain Markdown with the blanks at its ends, of which `plain` would drop the first."""
    body = text.strip()
    if not body:
        return text
    before, after = text[: text.index(body[0])], text[len(text.rstrip()) :]
    return f"{before}{plain(body)}{after}"

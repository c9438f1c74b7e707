"""Names that may mean one thing, with what speaks for it and against it; a person decides, and can take it back."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.changes import Correction, KeepApart, MergeNames
from r3con_core.corrections.names import Against, NameCluster, NameUse, find_clusters
from r3con_core.errors import CorrectionError
from r3con_core.runs import Run
from r3con_core.store.changes import add_change, list_changes, undo_change
from r3con_core.store.project import Project

AT_ONCE = 10
MOST_RECORDS = 3
EXPLANATION = (
    "Names that look alike, by rules without a model: typography, word order, titles, initials, company forms, one "
    "letter, letters that scanners confuse. The program never decides. Names you join are read as one in every record and "
    "every reference, also by the answer's code; what the documents wrote stays beside it."
)


def show(project: Project, run: Run, found: Found) -> None:
    """All proposals, then what people decided, then any names to join by hand."""
    state.show_message()
    apart = [entry.change for entry in list_changes(project, run.id) if entry.counts]
    kept = tuple(change for change in apart if isinstance(change, KeepApart))
    with st.spinner("Comparing names", show_time=True):
        clusters = once(found, "clusters", lambda: find_clusters(found.data, kept))
    if clusters:
        st.markdown(f"**{count(len(clusters), 'proposal')}**: names that may mean one thing", help=EXPLANATION)
    else:
        st.info("No two names look as if they meant one thing.", icon=":material/badge:", width="stretch")
    for cluster in _page(clusters):
        _show_cluster(project, run, found, cluster)
    _show_decided(project, run)
    _join_by_hand(project, run, found)


def _page(clusters: Sequence[NameCluster]) -> Sequence[NameCluster]:
    pages = -(-len(clusters) // AT_ONCE)
    page = st.number_input(f"Page, of {pages}", 1, pages, 1, key="names-page", width=140) if pages > 1 else 1
    return clusters[(page - 1) * AT_ONCE : page * AT_ONCE]


def _show_cluster(project: Project, run: Run, found: Found, cluster: NameCluster) -> None:
    names = [one.name for one in cluster.names]
    key = f"cluster-{cluster.record_type}-{hash(tuple(sorted(names)))}"
    with st.container(border=True, gap="small"):
        heading = " · ".join(f"**{plain(name)}**" for name in names[:6])
        st.markdown(f"{heading} :gray[{plain(cluster.record_type)}]")
        reasons = dict.fromkeys(f"{plain(one.one)} / {plain(one.other)}: {one.why.value}" for one in cluster.links)
        told = [f":green[:material/add_circle:] {reason}" for reason in list(reasons)[:8]]
        told += [f":orange[:material/do_not_disturb_on:] {_against(found, one)}" for one in cluster.against]
        st.markdown("  \n".join(told))
        with st.expander("Where they stand", type="compact"):
            for use in cluster.names:
                _show_use(found, use, key)
        _decide(project, run, cluster, key)


def _against(found: Found, against: Against) -> str:
    labels = ", ".join(map(found.data.label, against.record_ids))
    values = " / ".join(map(plain, against.values))
    return f"against it: {plain(against.text)}: {values}" + (f" ({labels})" if labels else "")


def _show_use(found: Found, use: NameUse, key: str) -> None:
    own, naming = len(use.record_ids), len(use.named_in)
    st.markdown(f"**{plain(use.name)}**: {count(own, 'record')} called so, named in {count(naming, 'other record')}")
    for record_id in (*use.record_ids, *use.named_in)[:MOST_RECORDS]:
        record = found.data.get(record_id)
        quote = " ".join(record.evidence[0].quote.split()) if record.evidence else "(no quote)"
        st.button(
            f"{found.data.label(record_id)} · {plain(found.document_name(record.document_id))}",
            key=f"{key}-{hash(use.name)}-{record_id}",
            type="tertiary",
            on_click=evidence.show_record,
            args=(record_id,),
        )
        st.markdown(f"> \u2068{plain(quote)}\u2069")


def _decide(project: Project, run: Run, cluster: NameCluster, key: str) -> None:
    names = [one.name for one in cluster.names]
    with st.form(key, border=False):
        left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
        chosen = left.pills("Which of them", names, selection_mode="multi", default=names, format_func=plain)
        name = middle.selectbox("Read as", names, names.index(cluster.best), accept_new_options=True)
        note = right.text_input("Why", placeholder="Optional")
        with st.container(horizontal=True):
            one = st.form_submit_button("They are one", type="primary", icon=":material/join:")
            apart = st.form_submit_button("They are different", icon=":material/split_scene:")
    with shown():
        if (one or apart) and len(chosen) < 2:
            raise CorrectionError("Choose at least two names.")
        if one:
            _keep(project, run, MergeNames(record_type=cluster.record_type, names=tuple(chosen), name=name), note)
        if apart:
            _keep(project, run, KeepApart(record_type=cluster.record_type, names=tuple(chosen)), note)


def _show_decided(project: Project, run: Run) -> None:
    decided = [e for e in list_changes(project, run.id) if e.counts and isinstance(e.change, MergeNames | KeepApart)]
    if not decided:
        return
    st.markdown("**Decided**")
    for entry in reversed(decided):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{_told(entry.change)} :gray[{plain(entry.author)}, {entry.made[:10]}]", width="stretch")
            if st.button("Take back", key=f"undo-name-{entry.number}", icon=":material/undo:", type="tertiary"):
                with shown():
                    undo_change(project, run.id, entry.number, author=state.analyst())
                    st.rerun()


def _told(change: object) -> str:
    match change:
        case MergeNames(names=names, name=name):
            return f":material/join: {plain(', '.join(names))} read as **{plain(name)}**"
        case KeepApart(names=names):
            return f":material/split_scene: {plain(', '.join(names))} kept apart"
        case _:
            return ""


def _join_by_hand(project: Project, run: Run, found: Found) -> None:
    types = [one.name for one in found.data.schema.record_types if len(found.known_names.get(one.name, ())) > 1]
    if not types:
        return
    with st.expander("Join names that are not proposed", icon=":material/join:", type="compact"):
        kind = st.selectbox("Record type", types, key="join-type")
        names = st.multiselect("Names", found.known_names[kind], key=f"join-names-{kind}", placeholder="Two or more")
        with st.form("join-by-hand", border=False):
            name = st.selectbox("Read as", names, accept_new_options=True, placeholder="One of them, or type another")
            note = st.text_input("Why", placeholder="Optional")
            pressed = st.form_submit_button("They are one", icon=":material/join:")
    if pressed:
        with shown():
            if len(names) < 2 or not name:
                raise CorrectionError("Choose at least two names, and how to read them.")
            _keep(project, run, MergeNames(record_type=kind, names=tuple(names), name=name), note)


def _keep(project: Project, run: Run, change: Correction, note: str) -> None:
    add_change(project, run.id, change, author=state.analyst(), note=note.strip())
    state.leave_message("Kept. It can be taken back under Decided, or on the Changes page.")
    st.rerun()

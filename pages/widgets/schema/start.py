"""Starting from a schema that there is already: kept by name, of another run, or a text from elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.schema import desk as schema_desk
from pages.widgets.schema.desk import Desk
from pages.widgets.words import count
from r3con_core.errors import R3ConError
from r3con_core.runs import Run
from r3con_core.saved_schemas import delete_schema, keep_schema, rename_schema, saved_schemas
from r3con_core.schema.sources import read_schema, read_schema_file
from r3con_core.schema.views import outline
from r3con_core.schemas import Schema
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs
from r3con_core.store.schemas import accepted_version, schema_versions

ABOUT = (
    "Takes the place of the schema as a new version; Undo brings the one before back. Record types and fields of the "
    "same name keep the records they have."
)
KEPT, RUNS, TEXT = "Kept by name", "Another run", "File or text"
TEXT_HELP = (
    "A JSON Schema, or Python source with Pydantic classes. It is read as text and never executed. What has no like "
    "here is changed, and you are told."
)
_MOST_RUNS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """A schema to start from."""

    schema: Schema
    reason: str
    """Where it is from, for the history."""
    adjustments: tuple[str, ...] = ()


def show(project: Project, run: Run, desk: Desk | None) -> None:
    """Choose where from, look at it, take it; keep the present one for later."""
    st.subheader("Start from another schema", anchor=False)
    st.caption(ABOUT)
    where = st.segmented_control("Where from", [KEPT, RUNS, TEXT], default=KEPT, key=f"schema-from-{run.id}")
    choose: dict[str, Callable[[Project, Run], _Offer | None]] = {KEPT: _kept, RUNS: _of_run, TEXT: _of_text}
    if where is None:
        st.caption("Choose where it is from.")
    else:
        with shown():
            offer = choose[where](project, run)
            if offer is not None:
                _take(project, run, offer)
    if desk is not None:
        _keep(desk)


def _take(project: Project, run: Run, offer: _Offer) -> None:
    types = count(len(offer.schema.record_types), "record type")
    with st.container(border=True):
        st.markdown(f"**{types}**, {count(sum(1 for _ in offer.schema.walk()), 'field')}")
        if offer.adjustments:
            changed = "\n".join(f"- {plain(line)}" for line in offer.adjustments[:30])
            st.warning(f"Changed while it was read:\n{changed}", icon=":material/edit_note:")
        with st.expander("Look at it", expanded=True):
            st.code(outline(offer.schema), language=None, wrap_lines=True, height=260)
        if st.button("Start from this schema", key="schema-start", type="primary", icon=":material/check:"):
            schema_desk.wish_for_tree()
            schema_desk.put_in_place(project, run.id, offer.schema, offer.reason, offer.adjustments)


def _kept(_project: Project, _run: Run) -> _Offer | None:
    home = state.home()
    kept = {one.name: one for one in saved_schemas(home)}
    if not kept:
        st.info("No schema is kept yet. When you have one that you may want again, keep it below.")
        return None
    name = st.selectbox("Schema", list(kept), key="schema-kept")
    with st.popover("Rename or delete it", icon=":material/edit:"):
        new = st.text_input("Its name", name, key=f"schema-kept-name-{name}")
        with st.container(horizontal=True):
            if st.button("Rename", key="schema-kept-rename", disabled=new == name):
                rename_schema(home, name, new)
                st.rerun()
            if st.button("Delete", key="schema-kept-delete", icon=":material/delete:"):
                delete_schema(home, name)
                st.rerun()
    return _Offer(schema=kept[name].schema, reason=f"Started from the schema kept as “{name}”")


def _of_run(project: Project, run: Run) -> _Offer | None:
    found = [
        (other, one)
        for other in (project, *(each for each in state.projects() if each.folder != project.folder))
        for one in list_runs(other)
        if (other.folder, one.id) != (project.folder, run.id) and schema_versions(other, one.id)
    ][:_MOST_RUNS]
    if not found:
        st.info("No other run on this computer has a schema yet.")
        return None
    place = st.selectbox(
        "Run",
        range(len(found)),
        format_func=lambda at: f"{found[at][1].task.text[:90]} · {found[at][0].name} · {found[at][1].created[:10]}",
        key="schema-of-run",
    )
    other, one = found[place]
    versions = schema_versions(other, one.id)
    version = accepted_version(other, one.id) or len(versions)
    return _Offer(
        schema=versions[version - 1].schema,
        reason=f"Started from the schema of “{one.task.text[:90]}” in {other.name}, version {version}",
    )


def _of_text(_project: Project, _run: Run) -> _Offer | None:
    file = st.file_uploader("A file", type=["json", "py", "txt"], key="schema-file", help=TEXT_HELP, max_upload_size=1)
    text = st.text_area("Or its text", key="schema-text", height=180, help=TEXT_HELP, placeholder='{"properties": …')
    if file is None and not text.strip():
        return None
    try:
        found = read_schema_file(file.getvalue()) if file is not None else read_schema(text)
    except R3ConError as error:
        st.error(f"No schema can be read from it. {plain(str(error)[:1].upper() + str(error)[1:])}.")
        return None
    name = f"the file {file.name}" if file is not None else "a text"
    return _Offer(schema=found.schema, reason=f"Started from {name}", adjustments=found.adjustments)


def _keep(desk: Desk) -> None:
    with st.expander("Keep the present schema for other runs", icon=":material/bookmark_add:"):
        with st.form("schema-keep", border=False):
            name = st.text_input(
                "Name", key="schema-keep-name", help="One that is kept under this name already is replaced."
            )
            kept = st.form_submit_button("Keep it")
        if kept:
            with shown():
                keep_schema(state.home(), name, desk.schema)
                st.success("Kept. You find it above, in every project.", icon=":material/check:")

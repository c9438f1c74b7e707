"""Schema: the kinds of record the question needs, proposed by the model, changed and accepted by a person."""

from functools import partial

import streamlit as st

from pages.widgets import other_methods, state
from pages.widgets.errors import plain, shown
from pages.widgets.schema import ask as schema_ask
from pages.widgets.schema import bar as schema_bar
from pages.widgets.schema import desk as schema_desk
from pages.widgets.schema import history as schema_history
from pages.widgets.schema import inspector as schema_inspector
from pages.widgets.schema import pictures as schema_pictures
from pages.widgets.schema import start as schema_start
from pages.widgets.schema import texts as schema_texts
from pages.widgets.schema import trying as schema_try
from pages.widgets.schema.desk import Desk
from r3con_core import jobs
from r3con_core.store.runs import load_run


def show_editor(desk: Desk) -> None:
    """The tree on the left, the selected node on the right."""
    left, right = st.columns([11, 9], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            undone = st.button("Undo", key="schema-undo", icon=":material/undo:", disabled=not desk.changed)
            st.caption(plain(desk.versions[-1].reason) if desk.changed else "No changes yet.")
        if undone:
            with shown():
                schema_desk.take_back(desk)
        selected = schema_desk.settle_selection(desk)
        choose = partial(schema_desk.select_from, schema_desk.TREE, desk)
        schema_pictures.show_tree(desk.schema, selected=selected, on_select=choose)
    with right:
        schema_inspector.add_record_type(desk)
        schema_inspector.show(desk)


st.title("Schema", anchor=False)
project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
st.markdown(f"##### {plain(run.task.text)}")
other_methods.stop_here(project, run, "schema")
desk = schema_desk.open_desk(project, run.id)
if desk is None:
    schema_bar.show_waiting(project, run)
    st.stop()
editing = not run.state.active and schema_desk.reopened(desk)
schema_bar.show_bar(desk, run, editing=editing)
TRY, ASK, START = "Try it", "Ask the model", "Start from"
names = [schema_desk.TREE_TAB, "Diagram", *([TRY, ASK, START] if editing else []), "JSON Schema", "Pydantic", "History"]
schema_desk.settle_tab(names)
tabs = dict(zip(names, st.tabs(names, key=schema_desk.TABS, on_change="rerun"), strict=True))
with tabs[schema_desk.TREE_TAB]:
    schema_bar.show_reason(desk, run)
    if editing:
        show_editor(desk)
    else:
        schema_pictures.show_tree(desk.schema)
with tabs["Diagram"]:
    if tabs["Diagram"].open:
        choose = partial(schema_desk.select_from, schema_desk.DIAGRAM, desk) if editing else None
        if editing:
            st.caption("Press a record type or a field to change it.")
        schema_pictures.show_diagram(desk.schema, on_select=choose)
if editing:
    with tabs[TRY]:
        if tabs[TRY].open:
            schema_try.show(desk, run)
    with tabs[ASK]:
        if tabs[ASK].open:
            schema_ask.show(desk, run)
    with tabs[START]:
        if tabs[START].open:
            schema_start.show(project, run, desk)
with tabs["JSON Schema"]:
    if tabs["JSON Schema"].open:
        schema_texts.show_json(desk.schema)
with tabs["Pydantic"]:
    if tabs["Pydantic"].open:
        schema_texts.show_pydantic(desk.schema)
with tabs["History"]:
    if tabs["History"].open:
        schema_history.show(desk, editing=editing)

"""Asking the model to change the schema by a sentence: it proposes edits, and each is taken or refused."""

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.schema import errands as schema_errands
from pages.widgets.schema.desk import Desk, carry_out, path_of, wish_for_tree
from pages.widgets.schema.words import edit_in_words
from pages.widgets.words import count
from r3con_core import errands
from r3con_core.errands import Errand, Revise
from r3con_core.errors import SchemaError
from r3con_core.method.revising import Revision
from r3con_core.runs import Run
from r3con_core.schema.edits import AddField, AddRecordType, SchemaEdit, edit_schema
from r3con_core.schema.views import outline_difference
from r3con_core.schemas import Schema
from r3con_core.store.errands import ErrandState

ABOUT = (
    "Say in a sentence what should be different. The model sees the question and the schema, no document, and proposes "
    "changes. Nothing changes before you take them."
)
_DONE_WITH = "schema-ask-done-with"


def show(desk: Desk, run: Run) -> None:
    """The sentence, then what the model makes of it."""
    st.subheader("Ask the model to change it", anchor=False)
    st.caption(ABOUT)
    newest = errands.latest(desk.project, desk.run_id, Revise)
    if schema_errands.at_work(desk) is not None:
        schema_errands.show_work(desk)
        return
    failed = newest is not None and newest.state is not ErrandState.DONE
    before = newest.asked.wish if failed and newest is not None and isinstance(newest.asked, Revise) else ""
    wish = st.text_area(
        "What should be different?",
        before,
        key=f"schema-wish-{desk.run_id}",
        height=80,
        max_chars=1000,
        placeholder="add the amount in euros",
    )
    schema_errands.send_button(
        desk, run, "Propose the changes", Revise(version=desk.version, wish=wish), disabled=not wish.strip()
    )
    st.caption(f"One call, with the question, the schema and your sentence. {schema_errands.where(run)}")
    schema_errands.show_ending(newest)
    if newest is not None and isinstance(newest.result, Revision):
        _show_revision(desk, newest, newest.result)


def _show_revision(desk: Desk, errand: Errand, revision: Revision) -> None:
    assert isinstance(errand.asked, Revise), "a revision is of a wish"
    if errand.asked.version != desk.version or st.session_state.get(_DONE_WITH) == errand.id:
        return
    with st.container(border=True):
        st.markdown(f"**You asked:** {plain(errand.asked.wish)}  \n**The model says:** {plain(revision.reason)}")
        if revision.told:
            told = "\n".join(f"- {plain(line)}" for line in revision.told)
            st.warning(f"Not everything could be carried out as it said:\n{told}", icon=":material/warning:")
        if not revision.edits:
            st.info("It proposes no change that the schema can take. Say it in other words, or change it by hand.")
            return
        taken = _choose(desk.schema, errand.id, revision.edits)
        below = st.container()
        with st.container(horizontal=True):
            if st.button(
                f"Make {count(len(taken), 'change')}",
                key="schema-ask-take",
                type="primary",
                icon=":material/check:",
                disabled=not taken,
            ):
                wish_for_tree()
                carry_out(desk, taken, dict.fromkeys(map(type, taken), below), then=_place_of(taken[-1]))
            if st.button("Take none", key="schema-ask-none", icon=":material/close:"):
                st.session_state[_DONE_WITH] = errand.id
                st.rerun()


def _choose(schema: Schema, errand_id: str, edits: tuple[SchemaEdit, ...]) -> list[SchemaEdit]:
    """The edits that are ticked; each is shown on the schema that those ticked before it make."""
    taken: list[SchemaEdit] = []
    for number, edit in enumerate(edits):
        ticked = st.checkbox(plain(_in_future(edit)), value=True, key=f"{errand_id}-{number}")
        try:
            after = edit_schema(schema, edit)
        except SchemaError as error:
            st.caption(f"This needs a change above it that you do not take: {plain(str(error))}")
            continue
        st.code(outline_difference(schema, after) or "Nothing in the outline.", language="diff", wrap_lines=True)
        if why := _why(edit):
            st.caption(f"Why: {plain(why)}")
        if ticked:
            taken.append(edit)
            schema = after
    return taken


_FUTURE = {
    "Added": "Add",
    "Renamed": "Rename",
    "Described": "Describe",
    "Made": "Make",
    "Moved": "Move",
    "Put": "Put",
    "Removed": "Remove",
    "Gave": "Give",
}


def _in_future(edit: SchemaEdit) -> str:
    done, _, rest = edit_in_words(edit).partition(" ")
    return f"{_FUTURE[done]} {rest}"


def _why(edit: SchemaEdit) -> str:
    match edit:
        case AddField(field=node) | AddRecordType(record_type=node):
            return node.why
        case _:
            return ""


def _place_of(edit: SchemaEdit) -> tuple[str, ...]:
    match edit:
        case AddField(parent=parent, field=field):
            return (*parent, field.name)
        case AddRecordType(record_type=record_type):
            return (record_type.name,)
        case _:
            return path_of(edit)

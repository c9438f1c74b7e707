"""The head of the Schema page: where the schema stands, what accepting it will ask, and what to do while there is none."""

import streamlit as st

from pages.widgets import runstate, state
from pages.widgets.calls import links as call_links
from pages.widgets.errors import plain, shown
from pages.widgets.schema import accept as schema_accept
from pages.widgets.schema import desk as schema_desk
from pages.widgets.schema import errands as schema_errands
from pages.widgets.schema import start as schema_start
from pages.widgets.schema.desk import Desk
from pages.widgets.words import count
from r3con_core.exchange import Stage
from r3con_core.findings import addressed_in
from r3con_core.progress import progress_of
from r3con_core.runs import Run, RunState
from r3con_core.snippets import Author
from r3con_core.store.project import Project


def show_waiting(project: Project, run: Run) -> None:
    """A run without a schema: why, and where to watch or mend it."""
    with st.container(border=True, horizontal_alignment="center"):
        if not run.settings.structure:
            st.subheader("This run leaves structure out", anchor=False, text_alignment="center")
            st.markdown(
                "An experiment: it has no schema and no records. Its answer is reasoned from the documents' snippets.",
                text_alignment="center",
            )
        elif run.state.active:
            st.subheader("The schema is not proposed yet", anchor=False, text_alignment="center")
            st.markdown(
                "When every document has been read, the model proposes which kinds of record the question needs. "
                "It will be here for you to check, and nothing is parsed before you accept it.",
                text_alignment="center",
            )
        elif run.state is RunState.BETWEEN:
            st.subheader("The schema is not proposed yet", anchor=False, text_alignment="center")
            st.markdown("The run waits for you between two rounds of reading.", text_alignment="center")
        elif run.state is RunState.PAUSED:
            st.subheader("The run has paused before a schema was proposed", anchor=False, text_alignment="center")
            st.markdown("Raise its limit to go on; everything finished so far is kept.", text_alignment="center")
        else:
            st.subheader("The run ended before a schema was proposed", anchor=False, text_alignment="center")
            st.markdown("Resume it; everything finished so far is kept.", text_alignment="center")
        st.markdown(
            f":material/{_icon(run.state)}: {runstate.sentence(progress_of(project, run.id))}", text_alignment="center"
        )
        with st.container(horizontal=True, horizontal_alignment="center"):
            label = "Watch the reading" if run.state.active else "Go to the run"
            if st.button(label, type="primary", icon=":material/find_in_page:"):
                state.go("relevance", run=run.id)
            if run.state.active:
                st.button("Look again", icon=":material/refresh:")
    if run.settings.structure and run.state is not RunState.SCHEMA:
        with st.expander(
            "Start from a schema you have, instead of the model's proposal", icon=":material/upload_file:"
        ):
            schema_start.show(project, run, None)


def _icon(state: RunState) -> str:
    match state:
        case RunState.FAILED | RunState.INTERRUPTED:
            return "error"
        case RunState.STOPPED | RunState.PAUSED:
            return "pause_circle"
        case RunState.DONE:
            return "check_circle"
        case RunState.WAITING | RunState.BETWEEN:
            return "front_hand"
        case _:
            return "progress_activity"


def show_bar(desk: Desk, run: Run, *, editing: bool) -> None:
    """Where the schema stands, what can be done with it as a whole, and what accepting it will ask."""
    with st.container(border=True, key="schema-bar"):
        left, right = st.columns([5, 4], vertical_alignment="center")
        headline, rest = stand(desk, run, editing=editing)
        with left.container(gap="xxsmall"):
            st.markdown(headline)
            st.caption(rest)
        with right.container(horizontal=True, horizontal_alignment="right", gap="small"):
            if run.state.active:
                if st.button("Watch the run", icon=":material/find_in_page:"):
                    state.go("relevance", run=run.id)
            elif editing:
                editing_buttons(desk, run)
            elif st.button("Change the schema and parse again", icon=":material/edit:"):
                schema_desk.reopen(run.id)
                st.rerun()
        if editing:
            st.markdown(f":material/payments: {schema_errands.accepting_words(schema_errands.foresee(desk))}")


def stand(desk: Desk, run: Run, *, editing: bool) -> tuple[str, str]:
    """Whose turn it is, and what that means."""
    types = count(len(desk.schema.record_types), "record type")
    size = f"{types}, {count(sum(1 for _ in desk.schema.walk()), 'field')}"
    if run.state.active:
        now = runstate.sentence(progress_of(desk.project, run.id)).rstrip(".")
        return f":material/lock: **In use**: {size}", f"{now}. The schema can be changed when the run has ended."
    if not editing:
        return f":material/check_circle: **Accepted**: {size}", "The records and the answer are of this schema."
    if desk.accepted:
        return f":material/edit: **Changing**: {size}", "Only what your changes touch is parsed again."
    return f":material/front_hand: **Waiting for you**: {size}", "Change what you like; nothing is parsed before."


def editing_buttons(desk: Desk, run: Run) -> None:
    """Accept; or, where a schema was accepted before, go back to that."""
    if desk.accepted and st.button("Leave as it was", icon=":material/close:", help="Takes back all changes."):
        with shown():
            schema_desk.close_again()
            schema_desk.take_back(desk, all_edits=True)
    schema_accept.accept_button(desk.project, run, "Parse again" if desk.accepted else "Accept and parse")


def show_reason(desk: Desk, run: Run) -> None:
    """Why the model proposes this, what of its proposal had to be set right, and the way to its prompt and reply."""
    if addressed := addressed_in(desk.schema):
        st.warning(
            f"**This schema speaks to AI systems:** {plain(addressed[0][:300])} Its names and meanings are shown to models "
            "as material, never as instructions. Change or remove what you did not mean.",
            icon=":material/smart_toy:",
        )
    first = desk.versions[0]
    whose = "The model's reason" if first.author is Author.MODEL else "Where it is from"
    st.markdown(f"**{whose}:** {plain(first.reason) or 'none given.'}")
    if first.adjustments:
        with st.expander(f"Set right in the proposal: {count(len(first.adjustments), 'thing')}"):
            st.markdown("\n".join(f"- {plain(line)}" for line in first.adjustments))
    call_links.link_to_calls(desk.project, run, Stage.SCHEMA)

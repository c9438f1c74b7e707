"""The question that all methods are asked: typed, or taken from those that come with the documents."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.methods.results import sample_task
from r3con_core.corpora import SampleTask, samples_in
from r3con_core.store.project import Project

_OFFERED = "methods-questions"


def ask(project: Project) -> tuple[str, DeltaGenerator]:
    """The question, that of the open run until another is typed or taken; and the row of buttons below it."""
    key = f"methods-question-{project.folder.name}"
    run = state.current_run(project)
    tasks = [task for sample in samples_in(project) for task in sample.tasks]
    opened, filled_for = state.named_run_id(), f"{key}-of"
    if key not in st.session_state or opened not in ("", st.session_state.get(filled_for)):
        st.session_state[key] = run.task.text if run else tasks[0].question if tasks else ""
    st.session_state[filled_for] = opened

    def take(task: SampleTask) -> None:
        st.session_state[key] = task.question
        st.session_state[_OFFERED] = False

    text = st.text_area("The question that every method is asked", key=key, height=68, persist_state="session")
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with row:
        if tasks:
            label = f"Questions that come with these documents ({len(tasks)})"
            with st.popover(label, icon=":material/edit_note:", key=_OFFERED, on_change="rerun"):
                for task in tasks:
                    with st.container(horizontal=True, vertical_alignment="center"):
                        st.markdown(plain(task.question))
                        st.button("Take it", key=f"methods-take-{task.id}", on_click=take, args=(task,))
        found = sample_task(project, text)
        if found is not None and found.answer:
            with st.popover("What is right", icon=":material/key:"):
                st.markdown(f"**The right answer:** {plain(found.answer)}")
                if found.facts:
                    st.markdown("**Facts that it rests on**")
                    st.markdown("\n".join(f"- {plain(fact.says)}" for fact in found.facts))
    return str(text), row

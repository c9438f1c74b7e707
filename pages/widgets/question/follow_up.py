"""A question that follows up an earlier run, and documents that were added since: both begin from what is known."""

from dataclasses import dataclass

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.question import begin
from pages.widgets.words import count
from r3con_core.derived import added_documents, plan_added, plan_follow_up, why_not
from r3con_core.relations import Relation
from r3con_core.runs import R3CON, Run, RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

DOCUMENTS, RUN = "The documents", "An earlier run"
FROM = "begin-from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to begin from an earlier run."""

    relation: Relation
    label: str
    caption: str
    button: str
    then: str
    """The page to go to."""


FOLLOW_UPS = (
    Way(
        relation=Relation.SAME_RECORDS,
        label="Over the same records",
        caption="Nothing is read again: the answer is reasoned from the records of that run, with all corrections. Right "
        "when the records hold what this question needs.",
        button="Ask the same records",
        then="answer",
    ),
    Way(
        relation=Relation.READ_AGAIN,
        label="Read the documents again",
        caption="Every document is read for the new question. That run's schema is offered as a start, which you can "
        "change; documents that were excluded stay out.",
        button="Read again for this question",
        then="relevance",
    ),
)
ADDED = (
    Way(
        relation=Relation.ADDED_ONLY,
        label="Read only the added ones",
        caption="The others keep their snippets and records, also where an added document tells more about them. Cheaper.",
        button="Read only the added ones",
        then="relevance",
    ),
    Way(
        relation=Relation.ALL_AGAIN,
        label="Read whatever they change",
        caption="All documents are read with what the added ones say, as if they had been there from the beginning. What "
        "stays the same is not asked again.",
        button="Read whatever they change",
        then="relevance",
    ),
)


def open_run(project: Project) -> Run | None:
    """The run that a question may follow up: the open one, when it is done."""
    run = state.current_run(project)
    done = run is not None and run.state is RunState.DONE and run.settings.method == R3CON
    return run if done else None


def say_added(project: Project) -> None:
    """That documents were added since the open run, and both ways to take them in."""
    run = open_run(project)
    added = added_documents(project, run) if run else ()
    if run is None or not added:
        return
    with st.container(border=True):
        were = "was" if len(added) == 1 else "were"
        st.markdown(
            f":material/note_add: **{count(len(added), 'document')} {were} added since the run** “{plain(_short(run))}”."
        )
        with st.expander("Take them in without beginning again"):
            for way in ADDED:
                if fault := why_not(project, run, way.relation):
                    st.info(fault, icon=":material/info:")
                    continue
                st.markdown(f"**{way.label}.** {way.caption}")
                offer = begin.Offer(label=way.button, key=way.relation.value, then=way.then)
                begin.show(project, [plan_added(project, run.id, way.relation)], offer)


def choose_start(project: Project) -> Run | None:
    """The run that the question follows up; None when it begins from the documents, as most do."""
    run = open_run(project)
    if run is None:
        return None
    options = [DOCUMENTS, RUN]
    chosen = st.segmented_control(
        "Begin from",
        options,
        default=DOCUMENTS,
        required=True,
        key=FROM,
        help="A new question reads the documents. A follow-up begins with what is valid of an earlier run.",
    )
    if chosen == DOCUMENTS:
        return None
    st.caption(f"Follow-up to “{plain(_short(run))}”. Choose another run in the sidebar.")
    return run


def show(project: Project, run: Run, question: str) -> None:
    """The ways to ask a follow-up, what each takes, and the button of the chosen one."""
    ways = {way.label: way for way in FOLLOW_UPS}
    captions = [way.caption for way in FOLLOW_UPS]
    possible = [number for number, way in enumerate(FOLLOW_UPS) if not why_not(project, run, way.relation)]
    label = st.radio("How", list(ways), index=next(iter(possible), 0), captions=captions, key="follow-up-how")
    way = ways[label]
    if fault := why_not(project, run, way.relation):
        st.info(fault, icon=":material/info:")
        return
    if not question.strip():
        st.info("Write the question above; what it takes is then shown here.", icon=":material/info:")
        return
    if question.strip() == load_run(project, run.id).task.text.strip():
        st.info(
            "This is the question of that run. Write another one, or compare readings of the same one on the page Compare.",
            icon=":material/info:",
        )
        return
    with shown():
        planned = plan_follow_up(project, run.id, question, way.relation)
        offer = begin.Offer(label=way.button, key="follow-up", primary=True, then=way.then)
        begin.show(project, [planned], offer)


def _short(run: Run) -> str:
    return run.task.text if len(run.task.text) <= 90 else run.task.text[:87] + "…"

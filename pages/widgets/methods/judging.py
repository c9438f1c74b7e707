"""The right answer, which model judges, and the button; what the judge said stands with each answer."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, show, shown
from pages.widgets.methods.results import Shown
from pages.widgets.question import access, modelform, sending
from pages.widgets.words import count
from r3con_core.errors import R3ConError
from r3con_core.jobs import ModelChoice
from r3con_core.judging_runs import give_gold, gold_for, start_judging
from r3con_core.store.project import Project
from r3con_core.verdicts import Gold

WHY = (
    "A model reads each answer beside the right one and says whether it states all of it; numbers are checked by code. A "
    "judge is a call of its own and no part of a method's costs. Judge with a model that is better than the one judged, "
    "and read what it says: it may be wrong too."
)


def show_judging(project: Project, question: str, found: Sequence[Shown], remembered: ModelChoice | None) -> None:
    """All of it."""
    st.caption(WHY)
    gold = _gold(project, question)
    answered = [one for one in found if one.result.answer is not None]
    if gold is None:
        return
    if not answered:
        st.info("There is no answer to judge yet.", icon=":material/inbox:")
        return
    filled = modelform.show_form("judge", remembered)
    if filled.missing:
        st.info(filled.missing, icon=":material/info:")
    if filled.choice is None:
        return
    allowed = sending.show(project, [filled.choice], key="judge")
    anew = st.toggle("Judge again what is judged", key="judge-again")
    ids = [one.result.run.id for one in answered if anew or one.result.verdict is None]
    label = f"Judge {count(len(ids), 'answer')}"
    if not ids:
        st.success("Every answer is judged.", icon=":material/check_circle:")
    elif st.button(label, key="start-judging", icon=":material/gavel:", disabled=not allowed or bool(filled.missing)):
        _start(project, ids, filled.choice)


def _start(project: Project, ids: Sequence[str], judge: ModelChoice) -> None:
    try:
        sending.allow(project, (judge,))
        start_judging(project, ids, judge, home=state.home(), keys=access.typed_keys())
    except R3ConError as error:
        show(error)
        return
    st.rerun()


def _gold(project: Project, question: str) -> Gold | None:
    """What is right, to be seen and to be given by a person where nothing is known."""
    gold: Gold | None = None
    with shown():
        gold = gold_for(project, question)
    if gold is not None:
        st.markdown(f"**The right answer:** {plain(gold.answer)}")
    with st.expander("Say what is right" if gold is None else "Say otherwise what is right", expanded=gold is None):
        text = st.text_area("The right answer, with every number and name that must be stated", key="gold-answer")
        notes = st.text_input("For the judge: what else counts, and what must not be counted", key="gold-notes")
        if st.button("Keep it", key="keep-gold", disabled=not text.strip()):
            with shown():
                give_gold(project, question, Gold(answer=text.strip(), notes=notes.strip()))
                st.rerun()
    return gold

"""The right answer, which model judges, and the button; what the judge said stands with each answer."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, show, shown
from pages.widgets.methods.choosing import figures_in_words
from pages.widgets.methods.progress import newest_judges
from pages.widgets.methods.results import Shown
from pages.widgets.question import access, modelform, sending
from pages.widgets.words import count
from r3con_core.costs import expected_cost, expected_seconds, known_of
from r3con_core.documents import estimate_tokens
from r3con_core.errors import R3ConError
from r3con_core.estimates.judging import estimate_judging
from r3con_core.figures import exactly
from r3con_core.jobs import EMBEDDED, ModelChoice
from r3con_core.judging_runs import give_gold, gold_for, start_judging
from r3con_core.store.project import Project
from r3con_core.verdicts import Gold

WHY = (
    "A model reads each answer beside the right one and says whether it states all of it; numbers are checked by code. A "
    "judge is asked once for each answer, which is no part of a method's costs. Judge with a model that is better than "
    "the one judged, and read what it says: it may be wrong too."
)

SMALL = (
    "The models that run here without a server are too small to judge. Of 43 written answers that state or name what is "
    "right, one with 1.5 billion parameters was right about 16, and about 16 more it gave no usable verdict. Take "
    "its word as no more than a trial of the way."
)
AGAIN = (
    "What a model has said is kept: the same one says the same of the same answer. Choose another for a second opinion."
)


def show_judging(project: Project, question: str, found: Sequence[Shown], remembered: ModelChoice | None) -> None:
    """All of it."""
    st.caption(WHY)
    gold = _gold(project, question)
    answered = [one for one in found if one.result.answer is not None]
    if gold is not None and answered:
        _choose_judge(project, (question, gold), answered, remembered)
    elif gold is not None:
        st.info("There is no answer to judge yet.", icon=":material/inbox:")


def _choose_judge(
    project: Project, case: tuple[str, Gold], answered: Sequence[Shown], remembered: ModelChoice | None
) -> None:
    """The model's form, what it would take, and the button."""
    question, gold = case
    filled = modelform.show_form("judge", remembered)
    if filled.missing:
        st.info(filled.missing, icon=":material/info:")
    if filled.choice is None:
        return
    if filled.choice.base_url == EMBEDDED:
        st.warning(SMALL, icon=":material/warning:")
    allowed = sending.show(project, [filled.choice], key="judge")
    anew = st.toggle("Judge again what is judged", key="judge-again", help=AGAIN)
    at_work = judged_now(project, answered)
    if at_work:
        st.info(f"Being judged now: {count(len(at_work), 'answer')}; see the top of the page.", icon=":material/gavel:")
    open_ones = [one for one in answered if one.result.run.id not in at_work]
    wanted = [one.result for one in open_ones if anew or not is_judged(one, gold)]
    if not wanted:
        if not at_work:
            st.success("Every answer is judged.", icon=":material/check_circle:")
        return
    texts = [one.answer.text for one in wanted if one.answer is not None]
    st.caption(f":material/payments: {_price(project, question, gold, texts, filled.choice)}")
    label = f"Judge {count(len(wanted), 'answer')}"
    if st.button(label, key="start-judging", icon=":material/gavel:", disabled=not allowed or bool(filled.missing)):
        _start(project, [one.run.id for one in wanted], filled.choice)


def _price(project: Project, question: str, gold: Gold, texts: Sequence[str], judge: ModelChoice) -> str:
    """What it would take, in words; finished calls of this judge that are kept cost nothing again."""
    lengths = [exactly(estimate_tokens(text)) for text in texts]
    estimate = estimate_judging(question, gold, lengths, known_of(project, judge, state.home()))
    cost = expected_cost(estimate, judge, None, state.home())
    return figures_in_words(estimate, cost, expected_seconds(estimate, judge, None, state.home()))


def judged_now(project: Project, answered: Sequence[Shown]) -> frozenset[str]:
    """Ids of the runs whose judge is at work, so that a second click does not ask and pay again."""
    judges = newest_judges(project, [one.result.run.id for one in answered])
    return frozenset(run.parent for run in judges if run.state.active)


def is_judged(one: Shown, gold: Gold) -> bool:
    """Whether there is a verdict against what is taken to be right now; a person may have said otherwise since."""
    return one.result.judged is not None and one.result.judged.gold == gold


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

"""The answer's code run again over the records as people corrected them, and what that makes of the answer."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.data.record_cells import value_words
from pages.widgets.errors import plain, revealed, shown
from pages.widgets.walls import say_no_code, why_no_code
from r3con_core.answers import Answer
from r3con_core.differences import Piece, compare, lay_marks
from r3con_core.rerun import AnswerChange, Rerun, change_of_answer, rerun_steps
from r3con_core.runs import Run, RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project

HELP = "Runs every step of the answer's code once more, over the records as they stand now. No model is asked."
TALL = 20


@st.fragment
def show(project: Project, run: Run) -> None:
    """A button, and below it the answer before and after."""
    answer = load_answer(project, run.id) if run.state is RunState.DONE else None
    if answer is None:
        st.caption("There is no answer yet whose code could be run again.")
        return
    if not answer.steps:
        st.caption("The answer was given without code, so there is none to run again on the corrected data.")
        return
    if fault := why_no_code():
        say_no_code(fault)
        return
    pressed = st.button(
        "Run the answer's code again on the corrected data", icon=":material/replay:", type="primary", help=HELP
    )
    if pressed:
        with shown(), st.spinner("Running the code again"):
            _show_result(answer, rerun_steps(project, run.id))


def _show_result(answer: Answer, again: Rerun) -> None:
    change = change_of_answer(answer, again)
    if not change.changed and again.agrees:
        st.success("The answer stays the same on the data as it stands now.", icon=":material/check_circle:")
        return
    failed = [one for one in again.changed if one.execution.fault is not None]
    if failed:
        st.error(plain(failed[0].difference), icon=":material/error:")
    elif change.changed:
        st.warning("The answer changes on the data as it stands now.", icon=":material/difference:")
    else:
        st.info("Some output differs, and the answer does not.", icon=":material/info:")
    _show_answers(change)
    _show_stale(answer, change)
    _show_outputs(again)
    state.page_link("answer", "Open the answer as it was given")


def _show_answers(change: AnswerChange) -> None:
    if change.before == change.after:
        return
    difference = compare(change.before, change.after)
    before, after = st.columns(2, gap="medium")
    with before, st.container(border=True):
        st.caption("The code gave")
        st.markdown(_marked(lay_marks(change.before, {"removed": difference.removed})) or "No answer.")
    with after, st.container(border=True):
        st.caption("It gives now")
        st.markdown(_marked(lay_marks(change.after, {"added": difference.added})) or "No answer.")


def _marked(pieces: Sequence[Piece]) -> str:
    """Words taken out struck through in red, words put in bold in green."""
    told = []
    for piece in pieces:
        text, lead, tail = plain(piece.text.strip()), *_blanks(piece.text)
        if not text:
            told.append(piece.text)
        elif "removed" in piece.marks:
            told.append(f"{lead}:red[~~{text}~~]{tail}")
        elif "added" in piece.marks:
            told.append(f"{lead}:green[**{text}**]{tail}")
        else:
            told.append(f"{lead}{text}{tail}")
    return "".join(told)


def _blanks(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def _show_stale(answer: Answer, change: AnswerChange) -> None:
    """Where the answer's sentences have figures that the code gives no more."""
    if not change.stale:
        return
    st.markdown("**Sentences of the answer whose figures the code gives no more**")
    figures = {one.sentence: ", ".join(value_words(float(figure)) for figure in one.figures) for one in change.stale}
    lines = [
        f"- {plain(' '.join(one.text.split()))} :red-badge[{plain(figures[one.sentence])}]" for one in change.stale
    ]
    st.markdown("\n".join(lines))
    if not change.before and answer.sentences:
        st.caption(
            "A model worded the answer from what the code printed; ask the question again to have it worded anew."
        )


def _show_outputs(again: Rerun) -> None:
    for changed in again.changed:
        with st.expander(f"Step {changed.step.number}: what it printed, before and now", type="compact"):
            before, now = st.columns(2, gap="medium")
            for column, told, execution in (
                (before, "Before", changed.step.execution),
                (now, "Now", changed.execution),
            ):
                text = execution.fault or execution.output.strip() or "(nothing)"
                column.caption(told)
                with column:
                    st.code(
                        revealed(text),
                        language=None,
                        wrap_lines=True,
                        height=420 if text.count("\n") > TALL else "content",
                    )

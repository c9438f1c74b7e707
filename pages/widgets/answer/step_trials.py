"""Trying things out: a step's code edited and run, or code of one's own, behind the same walls. Never the answer."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.answer import step_outputs
from pages.widgets.errors import plain
from pages.widgets.errors import show as show_error
from pages.widgets.walls import why_no_code
from pages.widgets.words import count, moment_of
from r3con_core.answers import Step
from r3con_core.differences import changed_lines
from r3con_core.errors import R3ConError
from r3con_core.runs import Run
from r3con_core.schema.views import outline
from r3con_core.store.answers import load_steps
from r3con_core.store.project import Project
from r3con_core.store.trials import Trial, list_trials
from r3con_core.trials import Attempt, left_behind, run_trial, trial_in_words

MOST_LISTED = 20
_STYLE = (
    "<style>[class*='st-key-own-code'] textarea { font-family: var(--st-code-font, monospace); font-size: 0.86rem; "
    "line-height: 1.5; tab-size: 4; }</style>"
)
_FIRST = """for name, held in records.items():
    print(name, len(held))"""
NAMES = """
- `records`: a dictionary from record type to a list of its records. Each is a dictionary with `record` (its label, such
  as R12), `document` (the document's number), `said_by`, `certainty`, and its values by field. Records that are set
  aside, or that a person took out, are not there.
- `snippets`: a dictionary from document number, as text, to what that document contributes to the question.
- `answer(text, cites)` hands over an answer; here it is only shown. `cites` are labels of records.
- Ready: `pd` (pandas), `nx` (networkx), `re`, `json`, `math`, `datetime`, `collections`, `statistics`, `itertools`.

What stands on the last line is shown, as in a notebook. A piece of code may take 20 seconds. It reaches no network and
no files.
"""


def wants_editing(run: Run, step: Step) -> bool:
    """A switch that opens the editor of a step; it does nothing where no code runs."""
    wanted = st.toggle(
        "Edit and run",
        key=f"edit-{run.id}-{step.number}",
        disabled=bool(why_no_code()),
        help="Change the code and see what comes of it. The steps before it are run first. The answer stays as it is.",
    )
    return wanted and not why_no_code()


def show_editor(project: Project, run: Run, step: Step) -> None:
    """The step's code to change and run, and what came of it beside what the step gave."""
    with st.container(border=True):
        code = _code_area("Code", f"own-code-{run.id}-{step.number}", step.code)
        note = _note(f"{run.id}-{step.number}")
        if _run_button(f"{run.id}-{step.number}"):
            attempt = Attempt(
                code=code, author=state.analyst(), note=note, step=step.number, begun_with=step.number - 1
            )
            _try(project, run, attempt)
        _show_latest(project, run, step.number, (step,))


def show(project: Project, run: Run, steps: Sequence[Step]) -> None:
    """Code of one's own, and all trials of the run."""
    found = evidence.found_by(project, run.id)
    if found is None:
        return
    st.subheader("Try it yourself", anchor=False)
    st.caption(
        "Your own Python over the records as they stand now, corrections included, behind the same walls as the model's. "
        "What you run is kept below with your name. It never becomes the answer."
    )
    if st.toggle("Write your own code", key=f"own-{run.id}", disabled=bool(why_no_code())) and not why_no_code():
        with st.container(border=True):
            _show_own(project, run, steps, outline(found.data.schema))
    _show_all(project, run)


def _show_own(project: Project, run: Run, steps: Sequence[Step], schema: str) -> None:
    """An empty cell over `records` and `snippets`, with what the names mean."""
    with st.popover("What the names mean", type="tertiary", icon=":material/info:", width="content"):
        st.markdown(NAMES)
        st.caption("The record types and their fields")
        st.code(schema, language=None, wrap_lines=True)
    code = _code_area("Your code", f"own-code-{run.id}-0", _FIRST)
    first = bool(steps) and st.checkbox(
        f"Run the {count(len(steps), 'step')} above first, so that their names are there", key=f"first-{run.id}"
    )
    note = _note(f"{run.id}-0")
    if _run_button(f"{run.id}-0"):
        begun = len(steps) if first else 0
        _try(project, run, Attempt(code=code, author=state.analyst(), note=note, begun_with=begun))
    _show_latest(project, run, 0, ())


def _code_area(label: str, key: str, code: str) -> str:
    st.html(_STYLE)
    lines = min(max(code.count("\n") + 2, 6), 24)
    return st.text_area(label, code, key=key, height=24 * lines + 16, label_visibility="collapsed")


def _note(name: str) -> str:
    return st.text_input(
        "Note", key=f"note-{name}", placeholder="Why you try this (optional)", label_visibility="collapsed"
    )


def _run_button(name: str) -> bool:
    return st.button("Run this code", key=f"run-{name}", icon=":material/play_arrow:", type="primary")


def _shown_key(run: Run, step: int) -> str:
    return f"trial-{run.id}-{step}"


def _try(project: Project, run: Run, attempt: Attempt) -> None:
    """Run it, and remember which trial to show; a refusal is told in place of one."""
    st.session_state.pop(_shown_key(run, attempt.step), None)
    try:
        with st.spinner("Running"):
            trial = run_trial(project, run.id, attempt)
    except R3ConError as error:
        show_error(error)
        return
    st.session_state[_shown_key(run, attempt.step)] = trial.number


def _show_latest(project: Project, run: Run, step: int, steps: Sequence[Step]) -> None:
    number = st.session_state.get(_shown_key(run, step))
    trial = next((one for one in list_trials(project, run.id) if one.number == number), None)
    if trial is not None:
        st.markdown(f"**Trial {trial.number}**, kept below; the answer stays as it is.")
        show_trial(trial, steps)


def show_trial(trial: Trial, steps: Sequence[Step]) -> None:
    """What came of a trial and, of an edited step, how that differs from what the step gave."""
    if trial.earlier:
        st.warning(plain(trial.earlier), icon=":material/error:")
    words = trial_in_words(trial, steps)
    changed = ""
    step = next((one for one in steps if one.number == trial.step), None)
    if step is not None and trial.execution.fault is None:
        changed = changed_lines(left_behind(step.execution), left_behind(trial.execution))
    if words:
        st.markdown(f":material/{'difference' if changed else 'check'}: {words}")
    left, right = st.columns(2, gap="medium") if changed else (st.container(), None)
    with left:
        step_outputs.show(trial.execution, told="It handed over an answer")
        if trial.execution.proposed is not None:
            st.markdown(f"> {plain(' '.join(trial.execution.proposed.text.split()))}")
    if right is not None:
        with right:
            st.caption("Against what the step gave: - went, + is new")
            step_outputs.show_text(changed, "diff")


def _show_all(project: Project, run: Run) -> None:
    trials = list_trials(project, run.id)
    if not trials:
        return
    steps = load_steps(project, run.id)
    st.markdown(f"**{count(len(trials), 'trial')}**, the newest first")
    for trial in trials[:MOST_LISTED]:
        with st.expander(
            title_of(trial), icon=":material/error:" if trial.execution.fault else ":material/science:", type="compact"
        ):
            _show_kept(trial, steps)
    if len(trials) > MOST_LISTED:
        st.caption(f"{count(len(trials) - MOST_LISTED, 'older trial')} are kept and not shown.")


def title_of(trial: Trial) -> str:
    """Number, what was tried, who, when and why, as Markdown."""
    what = f"step {trial.step}, edited" if trial.step else "own code"
    note = " ".join(trial.note.split())
    told = [f"Trial {trial.number}", what, plain(trial.author), moment_of(trial.made), plain(note[:80])]
    return " · ".join(filter(None, told))


def _show_kept(trial: Trial, steps: Sequence[Step]) -> None:
    step = next((one for one in steps if one.number == trial.step), None)
    if len(trial.note) > 80:
        st.markdown(plain(trial.note))
    edited = changed_lines(step.code, trial.code) if step is not None else ""
    if edited:
        st.caption("What was changed in the code: - went, + is new")
        step_outputs.show_text(edited, "diff")
    if trial.begun_with and not trial.step:
        st.caption(f"After the run's first {count(trial.begun_with, 'step')}.")
    step_outputs.show_code(trial.code)
    show_trial(trial, steps)

"""Where a run stands, in plain words, with what can be done about it."""

from datetime import UTC, datetime

import streamlit as st

from pages.widgets import paused, runfigures, state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.progress import Progress, progress_of
from r3con_core.runs import Run, RunState
from r3con_core.store.lines import IN_LINE
from r3con_core.store.project import Project
from r3con_core.store.runs import holder, load_run, stop_asked

EVERY = 1.5
"""Seconds between looks at a run at work."""
LATER = 5.0
"""Seconds between looks at one that is not at work: it may be taken up elsewhere, in another tab or by a command."""
START_SECONDS = 30.0
"""A worker takes a second or two to take up its run; after so long it will not any more."""
_ENDED_EARLY = (RunState.PAUSED, RunState.STOPPED, RunState.FAILED, RunState.INTERRUPTED)


def show(project: Project, run: Run) -> None:
    """The header of a run; it renews itself while the run is at work, and the page whenever the run's state changes.

    Another tab or a command may take it up again, from every state.

    Call it last, inside a container at the top: what stands after a renewing part answers slowly.
    """
    look = st.fragment(_look, run_every=EVERY if run.state.active else None)
    look(project, run)
    if not run.state.active:
        st.fragment(_notice, run_every=LATER)(project, run)


def _notice(project: Project, before: Run) -> None:
    """Draws nothing, so that what stands in the header's fields and faults stays, until the run's state changes."""
    if load_run(project, before.id).state is not before.state:
        st.rerun()


def _look(project: Project, before: Run) -> None:
    jobs.reconcile(project)
    progress = progress_of(project, before.id)
    run = progress.run
    if run.state is not before.state:
        st.rerun()
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            _say(progress)
            _buttons(project, run)
        if run.state in (RunState.QUEUED, RunState.RELEVANCE, *_ENDED_EARLY):
            _rounds(progress)
        runfigures.show(project, progress)
        if run.state in _ENDED_EARLY and paused.is_needed(project, run):
            paused.show(project, run)


def _say(progress: Progress) -> None:
    run = progress.run
    text = sentence(progress)
    match run.state:
        case RunState.FAILED | RunState.INTERRUPTED:
            st.error(text, icon=":material/error:")
        case RunState.STOPPED | RunState.PAUSED:
            st.warning(text, icon=":material/pause_circle:")
        case RunState.DONE:
            st.success(text, icon=":material/check_circle:")
        case RunState.WAITING | RunState.BETWEEN:
            st.info(text, icon=":material/front_hand:")
        case _:
            note = f" ({plain(progress.note)})" if progress.note else ""
            st.markdown(f":material/progress_activity: **{text}**{note}")


_SENTENCES = {
    RunState.QUEUED: "Starting. Loading a model on this computer takes up to half a minute.",
    RunState.SCHEMA: "All documents are read. The model is proposing a schema",
    RunState.WAITING: "All documents are read and a schema is proposed. Look at it, change what you like, and accept "
    "it; nothing is parsed before.",
    RunState.BUILDING: "Building what the answer will be written from",
    RunState.REASONING: "Reasoning over the records",
    RunState.DONE: "Done. The answer is there.",
}


def sentence(progress: Progress) -> str:
    """The state of a run in plain words, safe as Markdown."""
    run = progress.run
    match run.state:
        case RunState.RELEVANCE:
            return f"Reading the documents, round {_current(progress)} of {len(progress.rounds)}"
        case RunState.PARSING:
            return f"Parsing the documents into records: {progress.parsed:,} of {len(run.document_ids):,}"
        case RunState.PAUSED | RunState.STOPPED | RunState.FAILED | RunState.INTERRUPTED:
            return plain(run.error) or f"The run is {run.state.value}."
        case RunState.QUEUED if progress.note == IN_LINE:
            return "Waiting in line: runs are carried one after the other"
        case RunState.BETWEEN:
            read = progress.rounds_done
            return (
                f"Round {read} of {len(progress.rounds)} is read, and the run waits for you. Look at what the documents "
                "said, change what you like, and go on."
            )
        case state:
            return _SENTENCES[state]


def _current(progress: Progress) -> int:
    """The round at work; while something is done between rounds, which the note tells, the one before."""
    if progress.note:
        return max((found.number for found in progress.rounds if found.done), default=1)
    return next((found.number for found in progress.rounds if found.done < found.documents), len(progress.rounds))


def _rounds(progress: Progress) -> None:
    for found in progress.rounds:
        text = f"Round {found.number}: {found.done:,} of {count(found.documents, 'document')}"
        if found.silent:
            text += f", {found.silent:,} with nothing to say"
        if found.failed:
            text += f", {found.failed:,} failed"
        st.progress(found.done / max(found.documents, 1), text)


def _buttons(project: Project, run: Run) -> None:
    if run.state is RunState.WAITING and st.button(
        "Look at the schema", type="primary", icon=":material/account_tree:"
    ):
        state.go("schema", run=run.id)
    if run.state is RunState.BETWEEN:
        _go_on(project, run)
    if run.state is RunState.DONE and st.button("Read the answer", type="primary", icon=":material/task_alt:"):
        state.go("answer", run=run.id)
    if _never_started(project, run):
        st.warning("The run's process has not started. Start it again.", icon=":material/error:")
        _resume(project, run)
    elif run.state.active:
        _stop_buttons(project, run)
    elif run.state in _ENDED_EARLY and not paused.is_needed(project, run):
        _resume(project, run)


def _never_started(project: Project, run: Run) -> bool:
    """Whether a run was made, but no process has taken it up in all the time that needs."""
    if run.state is not RunState.QUEUED or holder(project, run.id) != (None, None):
        return False
    return (datetime.now(UTC) - datetime.fromisoformat(run.created)).total_seconds() > START_SECONDS


def _stop_buttons(project: Project, run: Run) -> None:
    asked = stop_asked(project, run.id)
    label = "Stopping after the calls in flight" if asked else "Stop"
    st.button(
        label,
        key="stop",
        disabled=asked,
        icon=":material/pause:",
        help="Ends after the calls in flight. Nothing is lost.",
        on_click=jobs.stop,
        args=(project, run.id),
    )
    if st.button("Stop now", type="tertiary", help="Ends at once. Only the calls in flight are lost."):
        with shown():
            jobs.stop_now(project, run.id)
            st.rerun()


def _go_on(project: Project, run: Run) -> None:
    access.ask_for_keys(project, run.id, "go-on-key")
    label = f"Read round {progress_of(project, run.id).rounds_done + 1}"
    told = "Every document is read again by a reader who knows what the others said, with your changes."
    if st.button(label, type="primary", icon=":material/play_arrow:", help=told):
        with shown():
            access.queue_and_start(project, run.id, jobs.go_on)
            st.rerun()


def _resume(project: Project, run: Run) -> None:
    """The button, and a field for a key where the run needs one that is not kept here."""
    access.ask_for_keys(project, run.id, "key")
    if st.button(
        "Resume", type="primary", icon=":material/play_arrow:", help="Goes on; finished calls are not repeated."
    ):
        with shown():
            access.carry_on(project, run)
            st.rerun()

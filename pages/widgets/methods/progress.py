"""Methods at work: how far each is, what it has built so far, and a way to stop it."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.methods.results import Shown
from pages.widgets.question import access
from pages.widgets.sidebar import STATE_WORDS
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.experiments import carry_on, stop_methods
from r3con_core.progress import progress_of
from r3con_core.runs import Run, RunState
from r3con_core.store.built import load_built
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run

EVERY = 1.5
"""Seconds between looks."""
ENDED_EARLY = (RunState.PAUSED, RunState.STOPPED, RunState.FAILED, RunState.INTERRUPTED)


def show(project: Project, found: Sequence[Shown]) -> None:
    """One line for each method that is at work or ended early. Call it last on a page."""
    runs = [one.result.run.id for one in found]
    judged = [run.id for run in list_runs(project) if run.parent in runs and run.state.active]
    names = {one.result.run.id: one.name for one in found} | dict.fromkeys(judged, "The judge")
    active = [run_id for run_id in (*runs, *judged) if load_run(project, run_id).state.active]
    if active:
        st.fragment(_look, run_every=EVERY)(project, active, names, len(found))
    early = [one for one in found if one.result.run.state in ENDED_EARLY]
    for one in early:
        _ended(project, one)
    if len(early) > 1:
        _resume(project, [one.result.run.id for one in early], "Resume all", "all")


def _look(project: Project, before: Sequence[str], names: dict[str, str], of: int) -> None:
    jobs.reconcile(project)
    runs = [load_run(project, run_id) for run_id in before]
    if any(not run.state.active for run in runs):
        st.rerun()
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            done = of - sum(names[run.id] != "The judge" for run in runs)
            st.markdown(f":material/progress_activity: **At work:** {done:,} of {count(of, 'method')} ended")
            if st.button("Stop all", key="stop-all-methods", icon=":material/stop:"):
                stop_methods(project, before)
        for run in runs:
            _line(project, run, names[run.id])


def _line(project: Project, run: Run, name: str) -> None:
    told = f"**{plain(name)}** · {_stands(project, run)}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(told)
        if run.state is not RunState.QUEUED and st.button("Stop", key=f"stop-{run.id}", type="tertiary"):
            jobs.stop(project, run.id)


def _stands(project: Project, run: Run) -> str:
    if run.state is RunState.QUEUED:
        return "waits for its turn"
    found = progress_of(project, run.id)
    built = load_built(project, run.id)
    parts = [STATE_WORDS[run.state], count(found.calls, "call")]
    parts += [f"{plain(one.name)}: {count(len(one.items), 'piece')}" for one in built[-2:]]
    return " · ".join(parts)


def _ended(project: Project, one: Shown) -> None:
    run = one.result.run
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        why = plain(run.error) or STATE_WORDS[run.state]
        st.markdown(f":material/pause_circle: **{plain(one.name)}** {STATE_WORDS[run.state]}: {why}")
        _resume(project, [run.id], "Resume", run.id)


def _resume(project: Project, run_ids: Sequence[str], label: str, key: str) -> None:
    if st.button(label, key=f"resume-{key}", icon=":material/play_arrow:"):
        with shown():
            carry_on(project, run_ids, home=state.home(), keys=access.typed_keys())
            st.rerun()

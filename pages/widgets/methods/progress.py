"""Methods at work: how far each is, what it has built so far, and a way to stop it."""

from collections.abc import Collection, Sequence

import streamlit as st

from pages.widgets import paused, state
from pages.widgets.errors import plain, shown
from pages.widgets.methods.results import Shown
from pages.widgets.question import access
from pages.widgets.sidebar import STATE_WORDS
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.experiments import carry_on, stop_methods
from r3con_core.judging_runs import judgings_of
from r3con_core.progress import progress_of
from r3con_core.runs import Run, RunState
from r3con_core.store.built import built_sizes
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run, stop_asked
from r3con_core.verdicts import JUDGE

EVERY = 1.5
"""Seconds between looks."""
ENDED_EARLY = (RunState.PAUSED, RunState.STOPPED, RunState.FAILED, RunState.INTERRUPTED)


def show(project: Project, found: Sequence[Shown]) -> None:
    """What is at work, and what ended early, of the methods and of those that judge them. Call it last on a page."""
    names = {one.result.run.id: one.name for one in found}
    judges = newest_judges(project, names)
    names |= {run.id: f"Judge of {names[run.parent]}" for run in judges}
    active = [run_id for run_id in names if load_run(project, run_id).state.active]
    if active:
        st.fragment(_look, run_every=EVERY)(project, active, names, len(found))
    early = [one for one in found if one.result.run.state in ENDED_EARLY]
    for one in early:
        _ended(project, one)
    able = [one.result.run.id for one in early if not paused.is_needed(project, one.result.run)]
    if len(able) > 1:
        _resume(project, able, "Resume all", "all")
    if lost := [run for run in judges if run.state in ENDED_EARLY]:
        _judges_ended(project, lost)


def newest_judges(project: Project, judged: Collection[str]) -> tuple[Run, ...]:
    """Of each of these runs the newest that judges it, where there is one, in the order in which they are carried."""
    newest: dict[str, Run] = {}
    for run in judgings_of(project, judged):
        newest.setdefault(run.parent, run)
    return tuple(newest.values())[::-1]


def _look(project: Project, before: Sequence[str], names: dict[str, str], of: int) -> None:
    jobs.reconcile(project)
    runs = [load_run(project, run_id) for run_id in before]
    if any(not run.state.active for run in runs):
        st.rerun()
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/progress_activity: **At work:** {at_work_in_words(runs, of)}")
            if st.button("Stop all", key="stop-all-methods", icon=":material/stop:"):
                stop_methods(project, before)
        for run in runs:
            if run.state is not RunState.QUEUED:
                _line(project, run, names[run.id])
        if waiting := [names[run.id] for run in runs if run.state is RunState.QUEUED]:
            st.caption(f"Waiting for their turn: {plain(' · '.join(waiting))}")


def at_work_in_words(runs: Sequence[Run], of: int) -> str:
    """Of runs that have not ended: how many of the `of` methods have, and how many answers are still to be judged."""
    judges = sum(run.settings.method == JUDGE for run in runs)
    parts = [f"{of - len(runs) + judges:,} of {count(of, 'method')} ended"] if judges < len(runs) else []
    parts += [f"{count(judges, 'answer')} to judge"] if judges else []
    return " · ".join(parts)


def _line(project: Project, run: Run, name: str) -> None:
    told = f"**{plain(name)}** · {_stands(project, run)}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        line = st.empty()
        if stop_asked(project, run.id):
            told += " · stops after the calls under way"
        elif st.button("Stop", key=f"stop-{run.id}", type="tertiary"):
            jobs.stop(project, run.id)
            st.rerun(scope="fragment")
        line.markdown(told)


def _stands(project: Project, run: Run) -> str:
    found = progress_of(project, run.id)
    built = built_sizes(project, run.id)
    parts = [STATE_WORDS[run.state], count(found.calls, "call")]
    parts += [f"{plain(name)}: {count(items, 'piece')}" for name, items in built[-2:]]
    return " · ".join(parts)


def _ended(project: Project, one: Shown) -> None:
    run = one.result.run
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/pause_circle: **{plain(one.name)}**: {_why(run)}")
        if paused.is_needed(project, run):
            state.page_link("answer", "Raise the limit", run=run.id)
        else:
            _resume(project, [run.id], "Resume", run.id)


def _judges_ended(project: Project, lost: Sequence[Run]) -> None:
    """One line for all: what ended the first is mostly what ended the others."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/gavel: **The judging of {count(len(lost), 'answer')} ended early**: {_why(lost[0])}")
        _resume(project, [run.id for run in lost], "Resume judging", "judges")


def _why(run: Run) -> str:
    return plain(run.error) or STATE_WORDS[run.state]


def _resume(project: Project, run_ids: Sequence[str], label: str, key: str) -> None:
    if st.button(label, key=f"resume-{key}", icon=":material/play_arrow:"):
        with shown():
            carry_on(project, run_ids, home=state.home(), keys=access.typed_keys())
            st.rerun()

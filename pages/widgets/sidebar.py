"""The sidebar: which project, which question, which page."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from pages.widgets import signed_in, state
from pages.widgets.errors import plain
from r3con_core.methods import METHODS
from r3con_core.relations import Relation
from r3con_core.runs import R3CON, Run, RunState
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs
from r3con_core.verdicts import JUDGE

ALL_PROJECTS = ""
STATE_WORDS = {
    RunState.QUEUED: "starting",
    RunState.RELEVANCE: "reading",
    RunState.SCHEMA: "proposing the schema",
    RunState.BETWEEN: "a round waits for you",
    RunState.WAITING: "schema waits for you",
    RunState.PARSING: "parsing",
    RunState.BUILDING: "building",
    RunState.REASONING: "reasoning",
    RunState.DONE: "answered",
    RunState.PAUSED: "paused at your limit",
    RunState.STOPPED: "stopped",
    RunState.FAILED: "failed",
    RunState.INTERRUPTED: "interrupted",
}
"""States in a word or two, for lists."""


def show(pages: Sequence[str]) -> None:
    """Draw it; `pages` are those to link to, in order."""
    with st.sidebar:
        st.markdown("**R3Con Analyst**")
        project = _project_picker()
        if project is not None:
            _run_picker(project)
        else:
            state.keep_run_in_links(None)
        with st.container(gap="xsmall"):
            for name in pages:
                state.page_link(name)
        signed_in.show()


def _project_picker() -> Project | None:
    found = {project.folder.name: project for project in state.projects()}
    current = state.current_project()
    st.session_state[state.PROJECT_PICKER] = current.folder.name if current else ALL_PROJECTS
    if not found:
        return None
    names = told_apart({slug: project.name for slug, project in found.items()})
    st.selectbox(
        "Project",
        [ALL_PROJECTS, *found],
        format_func=lambda slug: names.get(slug, "All projects"),
        key=state.PROJECT_PICKER,
        on_change=_pick_project,
        help="A project is a folder with its documents and everything asked about them.",
    )
    return current


def _pick_project() -> None:
    chosen = st.session_state[state.PROJECT_PICKER]
    state.set_place(project=chosen or None, run=None, doc=None, at=None, record=None)


def _run_picker(project: Project) -> None:
    current = state.current_run(project)
    runs = {run.id: run for run in list_runs(project) if run.settings.method != JUDGE or run == current}
    state.keep_run_in_links(current)
    if not runs or current is None:
        return
    st.session_state[state.RUN_PICKER] = current.id
    asked = Counter(run.task.text for run in runs.values())
    labels = told_apart({run_id: run_label(run, shared=asked[run.task.text] > 1) for run_id, run in runs.items()})
    st.selectbox(
        "Question asked",
        list(runs),
        format_func=lambda run_id: labels[run_id],
        key=state.RUN_PICKER,
        on_change=_pick_run,
        help="Each time a question is started it becomes a run, with its own settings, records and answer.",
    )
    st.caption(f"{STATE_WORDS[current.state].capitalize()} · text goes to {plain(current.host)}")


def _pick_run() -> None:
    chosen, project = st.session_state[state.RUN_PICKER], state.current_project()
    # a browser that shows the label of a moment ago sends that, and Streamlit takes it for a choice
    if project is not None and any(run.id == chosen for run in list_runs(project)):
        state.set_place(run=chosen, doc=None, at=None, record=None)


def told_apart(labels: dict[str, str]) -> dict[str, str]:
    """`labels` by key, each different: a select box takes two options of one label for the same one."""
    seen = Counter(labels.values())
    return {key: label if seen[label] == 1 else f"{label} ({key})" for key, label in labels.items()}


def run_label(run: Run, *, shared: bool = False) -> str:
    """A run in one line: what it is to the run it began from, its question, when it was started, how far it is.

    `shared`: others ask the same, so the question comes last, which a narrow list cuts.
    """
    when = datetime.fromisoformat(run.created).astimezone()
    question = run.task.text if len(run.task.text) <= 60 else run.task.text[:57] + "…"
    relation = relation_words(run)
    began = f"{relation[0].upper()}{relation[1:]}" if relation else ""
    stands = f"{when:%-d %b, %H:%M}; {STATE_WORDS[run.state]}"
    if shared:
        return ": ".join([*([began] if began else []), stands, question])
    return f"{began}: {question} ({stands})" if began else f"{question} ({stands})"


def relation_words(run: Run) -> str:
    """What a run is to the one it began from, such as "repeat 2", or which stage it leaves out; empty for neither."""
    if run.settings.method != R3CON and not run.relation:
        return next((f"by {one.name}" for one in METHODS if one.id == run.settings.method), run.settings.method)
    if run.relation:
        return f"{run.relation} {run.settings.repeat}" if run.relation == Relation.REPEAT else run.relation
    left_out = {Relation.WITHOUT_RELEVANCE: run.settings.relevance, Relation.WITHOUT_STRUCTURE: run.settings.structure}
    return next((relation.value for relation, read in left_out.items() if not read), "")

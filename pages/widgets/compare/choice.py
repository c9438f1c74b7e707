"""Which two runs are compared, and what was asked anew in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.sidebar import STATE_WORDS, relation_words, run_label, told_apart
from r3con_core.comparing.runs import Comparison, Side, compare_runs
from r3con_core.overlay import context_of, data_of
from r3con_core.relations import Relation
from r3con_core.runs import Run, RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq, load_run
from r3con_core.verdicts import JUDGE

_PICKER = "compare-with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two runs, and all that they agree and differ in."""

    left: Side
    right: Side
    found: Comparison


def others_of(runs: Sequence[Run], run: Run) -> tuple[Run, ...]:
    """The runs that it may be compared with, the likeliest first: done, of its family, of its question, of its documents."""
    documents = set(run.document_ids)
    rest = [one for one in runs if one.id != run.id and documents & set(one.document_ids)]
    rest = [one for one in rest if one.settings.method != JUDGE]

    def distance(one: Run) -> tuple[bool, int]:
        unfinished = one.state is not RunState.DONE
        if run.parent == one.id or one.parent == run.id:
            return unfinished, 0
        return unfinished, 1 if run.parent and run.parent == one.parent else 2 if one.task.id == run.task.id else 3

    return tuple(sorted(rest, key=distance))


def choose(run: Run, others: Sequence[Run]) -> Run:
    """The other run: the one that the address names, else the likeliest."""
    known = {one.id: one for one in others}
    named = state.current_other_id()
    if named and named not in known:
        st.warning("The address names a run that this one cannot be compared with.", icon=":material/wrong_location:")
    st.session_state[_PICKER] = named if named in known else others[0].id
    labels = told_apart({one.id: _label(one, run) for one in (run, *others)})
    left, swap, right = st.columns([8, 1, 8], vertical_alignment="bottom")
    left.text_input("First: the open run", labels[run.id], disabled=True, help="Choose another one in the sidebar.")
    right.selectbox(
        "Second",
        list(known),
        format_func=labels.__getitem__,
        key=_PICKER,
        on_change=_pick,
        help="Runs that share documents with the first; those that began from it stand first.",
    )
    chosen = known[st.session_state[_PICKER]]
    swap.button("", key="swap", icon=":material/swap_horiz:", help="Swap the two", on_click=_swap, args=(run, chosen))
    return chosen


def _label(one: Run, run: Run) -> str:
    """What tells a run from others of its question; the question where that is another one."""
    if one.task.id != run.task.id:
        return run_label(one)
    when = datetime.fromisoformat(one.created).astimezone()
    relation = relation_words(one) or "the run"
    models = one.settings.reasoning_model or one.settings.model
    return f"{relation[0].upper()}{relation[1:]} of {when:%-d %b, %H:%M} ({models}, {STATE_WORDS[one.state]})"


def _pick() -> None:
    state.set_place(**{state.OTHER: st.session_state[_PICKER]})


def _swap(run: Run, chosen: Run) -> None:
    state.set_place(**{state.RUN: chosen.id, state.OTHER: run.id})


def load_pair(project: Project, left: Run, right: Run) -> Pair:
    """Both runs as they stand now, compared; kept until one of them changes."""
    seqs = (latest_seq(project, left.id), latest_seq(project, right.id))
    return _pair(project, str(project.folder), (left.id, right.id), seqs)


@st.cache_resource(max_entries=4, show_spinner="Comparing the two runs")
def _pair(_project: Project, folder: str, ids: tuple[str, str], seqs: tuple[int, int]) -> Pair:  # noqa: ARG001 - the key
    left, right = (load_side(_project, run_id) for run_id in ids)
    return Pair(left=left, right=right, found=compare_runs(left, right))


def load_side(project: Project, run_id: str) -> Side:
    """A run as it stands."""
    return Side(
        run=load_run(project, run_id),
        context=context_of(project, run_id),
        data=data_of(project, run_id),
        answer=load_answer(project, run_id),
    )


def kinship(left: Run, right: Run) -> str:
    """What one of the two is to the other, in a sentence that says what can differ; empty where they are no kin."""
    child, ordinal = (right, "second") if right.parent == left.id else (left, "first")
    if child.parent not in (left.id, right.id):
        return ""
    other = "first" if ordinal == "second" else "second"
    words = plain(relation_words(child))
    return f"The {ordinal} began from the {other}: {words}. {_CAN_DIFFER.get(child.relation, '')}"


_CAN_DIFFER: dict[str, str] = {
    Relation.SECOND_READING: "Both rest on the same snippets and records; only the answers can differ.",
    Relation.SAME_RECORDS: "Both rest on the same records; the questions differ, and so do the answers.",
    Relation.ADDED_ONLY: "The documents of the first kept their snippets and records: what the added "
    "ones say may have told more about them.",
    Relation.ALL_AGAIN: "Whatever the added documents change was read again.",
    Relation.REPEAT: "Everything was asked anew with the same settings: what differs is the model's chance.",
    Relation.WITHOUT_RELEVANCE: "The second read no document for relevance before it made its records.",
    Relation.WITHOUT_STRUCTURE: "One of them has no records: its answer comes from the snippets alone.",
}

"""One call of a run, opened: its facts, its texts, and the way to the calls before and after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.widgets import state
from pages.widgets.calls import list_of_calls as call_list
from pages.widgets.calls import view as call_view
from pages.widgets.errors import plain
from pages.widgets.words import moment_of
from r3con_core.exports.calls import export_calls
from r3con_core.runs import Run
from r3con_core.store.call_search import CallLine, count_calls, load_call, shared_by
from r3con_core.store.calls import Call
from r3con_core.store.project import Project


@st.cache_data(max_entries=20, show_spinner=False)
def _sharing(_project: Project, run_id: str, key: str, known: str) -> tuple[tuple[int, ...], ...]:  # noqa: ARG001 - the cache's
    """How many calls of the run have each piece of one; `known` changes with the number of its calls."""
    return shared_by(_project, run_id, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The calls of the run that one is opened from."""

    lines: Sequence[CallLine]
    """All of them."""
    shown: Sequence[CallLine]
    """Those listed, the opened one among them."""
    names: Mapping[str, str]
    """Document id -> its number and title."""


def show(project: Project, run: Run, line: CallLine, beside: Beside) -> None:
    """One call with the way to those before and after it in the list."""
    call = load_call(project, run.id, line.key)
    assert call is not None, "a call that is listed stays in its run"
    keys = [one.key for one in beside.shown]
    at = keys.index(line.key)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button("All calls", icon=":material/arrow_back:"):
            _back_to_list(alone=len(keys) == 1)
        _turn_to(keys, at - 1, "Earlier", ":material/chevron_left:")
        _turn_to(keys, at + 1, "Next", ":material/chevron_right:")
        st.markdown(f"Call {at + 1:,} of {len(keys):,} listed", width="content")
        download(project, run, [line], "Download")
    _show_facts(call, line, beside.names)
    counts = _sharing(project, run.id, line.key, f"{project.folder} {count_calls(project, run.id)}")
    document_id = line.about.document_id
    own = sum(one.about.document_id == document_id for one in beside.lines) if document_id else 1
    call_view.show(call, call_view.Sharing(counts=counts, own=own), call_list.wanted().words)


def _back_to_list(*, alone: bool) -> None:
    """Close the call. One that is alone because a link led to it would open again: then all are listed."""
    if alone and not call_list.wanted().words:
        call_list.forget_filters()
    else:
        state.set_place(call=None)
    st.rerun()


def _turn_to(keys: Sequence[str], at: int, label: str, icon: str) -> None:
    """A button to another call of the list; it cannot be pressed at its end."""
    there = 0 <= at < len(keys)
    if st.button(label, icon=icon, disabled=not there):
        state.set_place(call=keys[at])
        st.rerun()


def _show_facts(call: Call, line: CallLine, names: Mapping[str, str]) -> None:
    """What the call was made for, by which model where, and what it took."""
    used, note = call.reply.usage, call_list.note_of(line)
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            about = call_list.about_in_words(line, names)
            st.markdown(
                f"**{call_list.STAGES[line.stage].capitalize()}**{f' · {plain(about)}' if about else ''}",
                width="content",
            )
            if note:
                st.badge(note, color="gray")
            if line.about.document_id in names:
                state.open_document_link(line.about.document_id)
        about_counted = "" if used.counted else "about "
        cached = f", {used.cached:,} of them known to the server" if used.cached else ""
        st.caption(
            f"{about_counted}{used.prompt:,} tokens sent{cached} · {used.output:,} written · {call.reply.seconds:.1f} "
            f"seconds · {plain(call.reply.model)} on {plain(call.host) or 'an unknown computer'} · answered "
            f"{moment_of(call.answered)} · at most {call.prompt.max_tokens:,} tokens asked for, temperature "
            f"{call.prompt.temperature:g}"
        )


def download(project: Project, run: Run, shown: Sequence[CallLine], label: str) -> None:
    """A button that makes a file of these calls when it is pressed."""
    keys = [line.key for line in shown]
    name = f"{run.id}-call-{shown[0].number}" if len(shown) == 1 else f"{run.id}-calls"
    st.download_button(
        label,
        partial(export_calls, project, run.id, keys),
        f"{name}.jsonl",
        "application/jsonl",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
        help="One call a line: its messages, its reply, its tokens and times, as JSON.",
    )

"""Imports: how far reading a folder has come, with stop and resume, and what came of it."""

import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePath

import streamlit as st

from pages.widgets.errors import plain, shown
from pages.widgets.words import count, duration, moment_of
from r3con_core.importer import reconcile_imports, resume_import, start_importer, stop_import
from r3con_core.readers import Outcome
from r3con_core.store.documents import LedgerEntry, ledger_of_import
from r3con_core.store.imports import Import, ImportState, import_stop_asked, list_imports, load_import
from r3con_core.store.project import Project

EVERY = 1.0
"""Seconds between looks at an import at work."""
START_SECONDS = 60.0
"""An importer takes a second or two to begin; after so long it will not any more."""
LONGEST_NAME = 120
MOST_SHOWN = 20
_WATCHED = "watched-import"
_GOOD = (Outcome.READ, Outcome.READ_WITH_WARNINGS, Outcome.DUPLICATE, Outcome.HELD_BACK)


def show(project: Project) -> None:
    """The newest import while it runs or waits to be resumed; nothing once it is done.

    Call it last, inside a container at the top: what stands after a renewing part answers slowly.
    """
    reconcile_imports(project)
    entry = newest(project)
    if entry is None:
        return
    if entry.state is ImportState.DONE:
        _tell_of_its_end(project, entry)
        return
    st.session_state[_WATCHED] = entry.id
    look = st.fragment(_look, run_every=EVERY if entry.state.active else None)
    look(project, entry)


def _tell_of_its_end(project: Project, entry: Import) -> None:
    """Once, to those who saw it at work."""
    if st.session_state.pop(_WATCHED, None) == entry.id:
        told = summary(ledger_of_import(project, entry.id))
        st.success(f"All files are read. {told}", icon=":material/check:")


def newest(project: Project) -> Import | None:
    """The folder import begun last; uploads are over before anything is shown."""
    return next((entry for entry in reversed(list_imports(project)) if entry.paths), None)


def is_at_work(project: Project) -> bool:
    """Whether the newest import is being carried out."""
    entry = newest(project)
    return entry is not None and entry.state.active


def _look(project: Project, before: Import) -> None:
    reconcile_imports(project)
    entry = load_import(project, before.id)
    if entry.state is not before.state:
        st.rerun()
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            _say(entry)
            _buttons(project, entry)
        if entry.total:
            st.progress(min(entry.done / entry.total, 1.0), _progress(entry))
        if entry.state.active and entry.current:
            st.caption(f"Last read: {plain(shortened(entry.current))}")


def _say(entry: Import) -> None:
    where = f"**{plain(names(entry))}**"
    if _never_started(entry):
        st.warning(f"Reading {where} has not begun. Start it again.", icon=":material/error:")
        return
    match entry.state:
        case ImportState.QUEUED:
            st.markdown(f":material/progress_activity: Starting to read {where}")
        case ImportState.RUNNING:
            st.markdown(f":material/progress_activity: Reading {where}. You may go on working, or close this page.")
        case ImportState.STOPPED:
            st.warning(
                f"Reading {where} was stopped. What is read is kept; resume to read the rest.",
                icon=":material/pause_circle:",
            )
        case _:
            told = plain(entry.error) or "It ended before all files were read. What is read is kept; resume to go on."
            st.error(f"Reading {where}: {told}", icon=":material/error:")


def names(entry: Import) -> str:
    """What was asked for, by the last names of its paths."""
    return ", ".join(shortened(PurePath(path).name or path) for path in entry.paths[:3]) + (
        f" and {len(entry.paths) - 3:,} more" if len(entry.paths) > 3 else ""
    )


def shortened(text: str) -> str:
    """`text` without its middle where it is very long."""
    half = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]} … {text[-half:]}"


def _progress(entry: Import) -> str:
    text = f"{entry.done:,} of {count(entry.total, 'file')}"
    pace = _pace(entry) if entry.state is ImportState.RUNNING else 0.0
    if pace:
        text += f" · {pace:,.1f} files a second" if pace < 10 else f" · {pace:,.0f} files a second"
        if entry.done < entry.total:
            text += f" · {duration((entry.total - entry.done) / pace)} to go"
    return text


def _pace(entry: Import) -> float:
    """Files a second since this window first saw the import at work; 0.0 until that can be told."""
    key = f"import-pace-{entry.id}-{entry.ended}"
    begun, done = st.session_state.setdefault(key, (time.monotonic(), entry.done))
    seconds = time.monotonic() - begun
    return (entry.done - done) / seconds if seconds > 2 else 0.0


def _buttons(project: Project, entry: Import) -> None:
    if entry.state.active and not _never_started(entry):
        asked = import_stop_asked(project, entry.id)
        if entry.done and st.button("Show what is read so far", icon=":material/refresh:", key="show-read"):
            st.rerun()
        # A callback, because a press must count also when the import's state changes at the same moment.
        st.button(
            "Stopping" if asked else "Stop",
            key="stop-import",
            disabled=asked,
            icon=":material/pause:",
            on_click=stop_import,
            args=(project, entry.id),
        )
        return
    if st.button("Resume", key="resume-import", type="primary", icon=":material/play_arrow:", help="Goes on."):
        with shown():
            if entry.state is ImportState.QUEUED:
                start_importer(project, entry.id)
            else:
                resume_import(project, entry.id)
            st.rerun()


def _never_started(entry: Import) -> bool:
    if entry.state is not ImportState.QUEUED:
        return False
    return (datetime.now(UTC) - datetime.fromisoformat(entry.started)).total_seconds() > START_SECONDS


def summary(lines: Iterable[LedgerEntry]) -> str:
    """What became of the files, in a sentence or two."""
    counts = Counter(line.outcome for line in lines)
    new = counts[Outcome.READ] + counts[Outcome.READ_WITH_WARNINGS] + counts[Outcome.HELD_BACK]
    told = [f"{counts[outcome]:,} {outcome}" for outcome in Outcome if counts[outcome]]
    text = f"{count(counts.total(), 'file')} found: {', '.join(told)}." if told else "No files were found."
    unread = sum(number for outcome, number in counts.items() if outcome not in _GOOD)
    if unread and new:
        text += " The ledger says why of each that gave no document."
    return text


def show_all(project: Project) -> None:
    """Every folder import there was, with what came of it."""
    past = [entry for entry in reversed(list_imports(project)) if entry.paths]
    if not past:
        return
    told = st.expander(f"Imports so far ({len(past):,})", icon=":material/history:", key="imports", on_change="rerun")
    if not told.open:
        return
    with told:
        for entry in past[:MOST_SHOWN]:
            when = moment_of(entry.started)
            st.markdown(f"**{plain(names(entry))}** · {entry.state} · {when} UTC")
            st.caption(f"{plain(shortened(', '.join(entry.paths)))} · {entry.done:,} of {count(entry.total, 'file')}")
            st.caption(summary(ledger_of_import(project, entry.id)))

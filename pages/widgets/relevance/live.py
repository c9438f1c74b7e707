"""The snippets of a run as cards that fetch what changed by themselves, and as a table for those who want one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.api import TOKEN_HEADER, token_for
from pages.widgets import state
from pages.widgets.relevance.sights import all_saw
from r3con_core.exchange import Stage
from r3con_core.overlay import context_of, steering_now
from r3con_core.progress import progress_of
from r3con_core.runs import Run
from r3con_core.snippets import Author
from r3con_core.steering import marks_of
from r3con_core.store.changes import list_changes
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq
from r3con_core.store.snippets import load_unread
from r3con_core.views.tables import to_csv

_FRONTEND = Path(__file__).parents[1] / "frontend"
_KEY = "live-snippets"
_COMPONENT = st.components.v2.component(
    "r3con_live_snippets",
    html=(_FRONTEND / "live.html").read_text("utf-8"),
    css=(_FRONTEND / "live.css").read_text("utf-8"),
    js=(_FRONTEND / "live.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A document of a run as it is named."""

    id: str
    number: int
    """From 1, in the order of the run."""
    title: str


def titles_of(project: Project, run: Run) -> tuple[Title, ...]:
    """The documents of a run, without their texts: there may be thousands."""
    known = {line.id: line.title for line in list_documents(project)}
    return tuple(
        Title(id=document_id, number=number, title=known.get(document_id, ""))
        for number, document_id in enumerate(run.document_ids, start=1)
    )


def show_cards(project: Project, run: Run, titles: Sequence[Title], only: str = "") -> None:
    """One card a document, two rounds side by side; it goes on by itself until the run has ended.

    `only`: the document whose card alone is shown, with all rounds.
    """
    key = f"{_KEY}-{only}" if only else _KEY

    def open_clicked() -> None:
        state.open_document(st.session_state[key]["open"])

    def steer_clicked() -> None:
        state.set_place(doc=st.session_state[key]["steer"])

    _COMPONENT(
        key=key,
        data={
            "run": run.id,
            "url": f"/api/runs/{project.folder.name}/{run.id}",
            "token": token_for(project),
            "tokenHeader": TOKEN_HEADER,
            "rounds": _rounds_to_show(project, run),
            "only": only,
            "stamp": " ".join(marks_of(list_changes(project, run.id))),
            "active": run.state.active,
            "page": state.document_url(""),
            "documents": [[title.id, title.title] for title in titles],
        },
        on_open_change=open_clicked,
        on_steer_change=steer_clicked,
    )


def _rounds_to_show(project: Project, run: Run) -> int:
    """All while the run is at work; else those that have begun, and one at least."""
    rounds = progress_of(project, run.id).rounds
    begun = [found.number for found in rounds if found.done or run.state.active]
    return max(begun, default=1)


def show_table(project: Project, run: Run, titles: Sequence[Title]) -> None:
    """The same as it stands now, one line a document."""
    rows = table_of(project, run, titles)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        alt="The snippets of every round, one line a document",
        row_height=90,
        height=560,
        column_config={
            f"Round {n}": st.column_config.TextColumn(width=300)
            for n in range(1, steering_now(project, run).rounds + 1)
        },
    )
    st.download_button(
        "Download as CSV", to_csv(rows), "snippets.csv", "text/csv", icon=":material/download:", on_click="ignore"
    )


def table_of(project: Project, run: Run, titles: Sequence[Title]) -> list[dict[str, object]]:
    """One row a document: number, title, what it said in each round, words in the last one that are not its own."""
    context = context_of(project, run.id)
    said = {(r.number, s.document_id): s for r in context.rounds for s in r.snippets}
    rounds = range(1, steering_now(project, run).rounds + 1)
    faults = {
        (number, unread.document_id): unread.reason
        for number in rounds
        for unread in load_unread(project, run.id, Stage.RELEVANCE, number)
    }
    seen_in = len(context.rounds)
    saw = _saw(project, run, seen_in, key=f"{project.folder} {run.id} {latest_seq(project, run.id)}")
    rows: list[dict[str, object]] = []
    for title in titles:
        row: dict[str, object] = {"No.": title.number, "Title": title.title}
        foreign: tuple[str, ...] = ()
        for number in rounds:
            snippet, fault = said.get((number, title.id)), faults.get((number, title.id))
            words = (snippet.text or "(nothing to say)") if snippet else ""
            words += " (by a person)" if snippet and snippet.author is Author.HUMAN else ""
            row[f"Round {number}"] = f"(failed: {fault})" if fault else words
            foreign = snippet.foreign if snippet else foreign
        row["Not in this document"] = ", ".join(foreign)
        row |= {f"Seen in round {seen_in}": saw.get(title.id, "")} if saw else {}
        rows.append(row)
    return rows


@st.cache_data(max_entries=8, show_spinner="Looking up what each reader saw")
def _saw(_project: Project, _run: Run, number: int, *, key: str) -> dict[str, str]:  # noqa: ARG001 - the cache's
    """Document id -> what its reader saw in that round; empty where no round came before it."""
    return all_saw(_project, _run.id, number, _run.document_ids)

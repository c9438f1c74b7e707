"""What can be taken along from a run, by what it is for: to read, for other programs, to prove it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.widgets import state
from pages.widgets.answer import verification
from r3con_core.answers import Answer
from r3con_core.exports import (
    RUN_FILE_SUFFIX,
    export_code,
    export_html,
    export_memo,
    export_parquet,
    export_records_csv,
    export_records_json,
    export_run,
    export_workbook,
    report_markdown,
)
from r3con_core.exports.graphml import export_graphml
from r3con_core.exports.notebook import export_notebook
from r3con_core.exports.noted import noted
from r3con_core.runs import Run
from r3con_core.store.project import Project

Export = Callable[[Project, str], str | bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One file that can be made of a run."""

    label: str
    icon: str
    export: Export
    suffix: str
    kind: str
    """Its media type."""
    about: str
    """What it is and who would want it."""
    needs_steps: bool = False


_OFFICE = "application/vnd.openxmlformats-officedocument"
GROUPS: dict[str, tuple[Download, ...]] = {
    "To read": (
        Download(
            label="Report (HTML)",
            icon=":material/article:",
            export=export_html,
            suffix=".html",
            kind="text/html",
            about="One file for any browser: the answer, its records, the quoted pages, what was read, what people "
            "changed. It loads nothing and prints well.",
        ),
        Download(
            label="Memo (Word)",
            icon=":material/description:",
            export=export_memo,
            suffix=".docx",
            kind=f"{_OFFICE}.wordprocessingml.document",
            about="Question and answer with a footnote for every source, to edit and send on.",
        ),
        Download(
            label="Report (Markdown)",
            icon=":material/notes:",
            export=report_markdown,
            suffix=".md",
            kind="text/markdown",
            about="The answer and its quotes as plain text.",
        ),
    ),
    "For spreadsheets and programs": (
        Download(
            label="Workbook (Excel)",
            icon=":material/table_view:",
            export=export_workbook,
            suffix=".xlsx",
            kind=f"{_OFFICE}.spreadsheetml.sheet",
            about="A sheet for each record type with its quotes and places, and sheets for answer, documents, ledger and "
            "changes.",
        ),
        Download(
            label="Records (CSV, zip)",
            icon=":material/table:",
            export=export_records_csv,
            suffix=".zip",
            kind="application/zip",
            about="A table for each record type.",
        ),
        Download(
            label="Records (JSON)",
            icon=":material/data_object:",
            export=export_records_json,
            suffix=".json",
            kind="application/json",
            about="All records with quotes and places, with what the model said where a person changed it.",
        ),
        Download(
            label="Records (Parquet, zip)",
            icon=":material/database:",
            export=export_parquet,
            suffix=".parquet.zip",
            kind="application/zip",
            about="Typed tables for pandas, R, DuckDB and the like.",
        ),
        Download(
            label="Graph (GraphML)",
            icon=":material/hub:",
            export=export_graphml,
            suffix=".graphml",
            kind="application/xml",
            about="Things and how they are related, for Gephi, yEd or networkx.",
        ),
    ),
    "To prove it": (
        Download(
            label="Evidence bundle: the whole run",
            icon=":material/inventory_2:",
            export=export_run,
            suffix=RUN_FILE_SUFFIX,
            kind="application/zip",
            about="Documents, every prompt and reply, records, corrections and answer, with hashes. Anybody can check it "
            "without a model: r3con verify FILE. It also opens in this app on another computer.",
        ),
        Download(
            label="Notebook (Jupyter)",
            icon=":material/menu_book:",
            export=export_notebook,
            suffix=".ipynb",
            kind="application/x-ipynb+json",
            about="The steps with their outputs and the data. A model wrote the steps: read them before you run them.",
            needs_steps=True,
        ),
        Download(
            label="Code, with its records (Python)",
            icon=":material/code:",
            export=export_code,
            suffix=".py",
            kind="text/x-python",
            about="Runs anywhere with Python, pandas and networkx. A model wrote the steps: read them before you run them.",
            needs_steps=True,
        ),
    ),
}


def show(project: Project, run: Run, answer: Answer) -> None:
    """A button that checks the run, and one that opens the list; each file is made when it is asked for."""
    with st.container(horizontal=True, width="content", gap="small"):
        if st.button(
            "Check everything",
            icon=":material/verified:",
            help="Every hash, quote, prompt and reply of this run is checked again, and its code is run again. No model is "
            "asked, and nothing changes.",
        ):
            verification.show(project, run)
        with st.popover("Download", icon=":material/download:"), st.container(width=_WIDTH):
            for column, titles in zip(st.columns(2, gap="medium"), _COLUMNS, strict=True):
                with column.container(gap="xxsmall"):
                    for title in titles:
                        _group(project, run, title, steps=bool(answer.steps))


_WIDTH = 580
"""Pixels: two columns, so that the whole list is seen at once."""
_COLUMNS = (("To read", "To prove it"), ("For spreadsheets and programs",))


def _group(project: Project, run: Run, title: str, *, steps: bool) -> None:
    st.caption(f"**{title}**")
    for download in GROUPS[title]:
        _button(project, run, download, disabled=download.needs_steps and not steps)


def _made(project: Project, run: Run, download: Download) -> bytes:
    """The file, noted in the project's audit log where it keeps one."""
    made = download.export(project, run.id)
    data = made.encode("utf-8", "replace") if isinstance(made, str) else made
    return noted(project, run.id, download.suffix, data, author=state.analyst())


def _button(project: Project, run: Run, download: Download, *, disabled: bool) -> None:
    st.download_button(
        download.label,
        partial(_made, project, run, download),
        f"{project.folder.name}-{run.id}{download.suffix}",
        download.kind,
        icon=download.icon,
        on_click="ignore",
        type="tertiary",
        disabled=disabled,
        help=f"{download.about} This run has no steps of code." if disabled else download.about,
    )

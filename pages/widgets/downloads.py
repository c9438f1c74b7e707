"""What can be taken along from a run: its code, its records, a report, and all of it as one file."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from r3con_core.answers import Answer
from r3con_core.exports import (
    RUN_FILE_SUFFIX,
    export_code,
    export_records_csv,
    export_records_json,
    export_run,
    report_markdown,
)
from r3con_core.runs import Run
from r3con_core.store.project import Project


def show(project: Project, run: Run, answer: Answer) -> None:
    """A button that opens the list; each file is made when it is asked for."""
    name = f"{project.folder.name}-{run.id}"
    files: list[tuple[str, str, Callable[[Project, str], str | bytes], str, str]] = [
        ("Report with quotes (Markdown)", ":material/description:", report_markdown, f"{name}.md", "text/markdown"),
        ("Records as tables (CSV, zip)", ":material/table:", export_records_csv, f"{name}.zip", "application/zip"),
        ("Records as JSON", ":material/data_object:", export_records_json, f"{name}.json", "application/json"),
        ("Code, with its records (Python)", ":material/code:", export_code, f"{name}.py", "text/x-python"),
        ("The whole run (one file)", ":material/inventory_2:", export_run, name + RUN_FILE_SUFFIX, "application/zip"),
    ]
    with st.popover("Download", icon=":material/download:"), st.container(gap="xxsmall"):
        for label, icon, export, file, kind in files:
            st.download_button(
                label,
                partial(export, project, run.id),
                file,
                kind,
                icon=icon,
                on_click="ignore",
                type="tertiary",
                disabled=export is export_code and not answer.steps,
                help=_HELP.get(file.removeprefix(name)),
            )


_HELP = {
    ".py": "Runs anywhere with Python, pandas and networkx. A model wrote the steps: read them before you run them.",
    RUN_FILE_SUFFIX: "Documents, records, answer and every call. Opens on another computer without a model.",
}

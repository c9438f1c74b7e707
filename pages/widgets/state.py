"""Where a person is: which project, run and place is open. It lives in the URL, so every view is a link.

The only module that names query parameters and session keys. Session state holds nothing but half-made choices; what is
known of a project is in its store.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlencode

import streamlit as st

from pages.entry.who import home_for, name_for
from r3con_core.documents import Span
from r3con_core.errors import StoreError
from r3con_core.home import home_folder, projects_folder, user
from r3con_core.runs import R3CON, Run
from r3con_core.store.project import BrokenProject, Project, broken_projects, list_projects, open_project
from r3con_core.store.runs import list_runs
from r3con_core.team import team_here

PROJECT, RUN, DOC, AT, RECORD = "project", "run", "doc", "at", "record"
"""Query parameters: the project's folder name, ids of run and document, "start-end" in code points, a record's id.

`at` may name several places, "12-40,300-310": the first is shown, all are marked.
"""
TAB, FIND = "tab", "find"
"""Query parameters: which tab of the Documents page, the words of a search."""
VIEW, KIND = "view", "kind"
BUILT = "built"
"""The view of the Methods page that shows what each method built."""
"""Query parameters: which view of the Data page, which record type in it."""
VIEW_PICKER, KIND_PICKER = "view_picker", "kind_picker"
CALL, STAGE, ROUND, STEP = "call", "stage", "round", "step"
"""Query parameters of the Calls page: a call's key, and what calls are about."""
OTHER = "with"
"""Query parameter: the run that the open one is compared with."""
MOST_PLACES = 200
PROJECT_PICKER, RUN_PICKER = "project_picker", "run_picker"
_MESSAGE, _SAMPLE, _OPEN_RUN = "message", "wished_sample", "open_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInfo:
    """A page as navigation shows it."""

    file: str
    """Beside main.py."""
    title: str
    icon: str
    help: str


PAGES: Mapping[str, PageInfo] = {
    "corpus": PageInfo(
        file="corpus.py",
        title="Documents",
        icon=":material/folder_open:",
        help="Make or open a project and add the documents to read.",
    ),
    "question": PageInfo(
        file="question.py",
        title="Question",
        icon=":material/help:",
        help="Say what you want to know, choose the model, see what it will cost, start.",
    ),
    "relevance": PageInfo(
        file="relevance.py",
        title="Relevance",
        icon=":material/find_in_page:",
        help="What each document contributes to the question, round by round, live.",
    ),
    "schema": PageInfo(
        file="schema.py",
        title="Schema",
        icon=":material/account_tree:",
        help="The kinds of record the question needs: check, change and accept them.",
    ),
    "data": PageInfo(
        file="data.py",
        title="Data",
        icon=":material/table_rows:",
        help="The records found, each with the quote that proves it.",
    ),
    "answer": PageInfo(
        file="answer.py",
        title="Answer",
        icon=":material/task_alt:",
        help="The answer, the records it rests on, and how it was reached.",
    ),
    "changes": PageInfo(
        file="changes.py",
        title="Changes",
        icon=":material/history_edu:",
        help="Everything that people changed in this run, with who, when and why; each can be taken back.",
    ),
    "calls": PageInfo(
        file="calls.py",
        title="Calls",
        icon=":material/forum:",
        help="Every prompt that was sent and every reply, word for word, to search.",
    ),
    "compare": PageInfo(
        file="compare.py",
        title="Compare",
        icon=":material/compare_arrows:",
        help="Two runs side by side: answers, records, cost and time.",
    ),
    "methods": PageInfo(
        file="methods.py",
        title="Methods",
        icon=":material/science:",
        help="Every other way to answer, on the same documents: what each builds, costs, and loses.",
    ),
    "document": PageInfo(
        file="document.py", title="Document", icon=":material/description:", help="One document, to read."
    ),
}
"""Every page by its name, which is also its address, in the order of the work."""


def home() -> Path:
    """The folder of everything that is the user's; of a team, of the one whose page this is."""
    return home_for(st.context.headers) if team_here() else home_folder()


def projects() -> tuple[Project, ...]:
    """All projects, by folder name."""
    return list_projects(projects_folder(home()))


def current_project() -> Project | None:
    """The project named in the URL; None when none is named or there is no such one."""
    try:
        return find_project(st.query_params.get(PROJECT, ""), home())
    except StoreError:
        return None  # the Documents page lists it as one that cannot be opened, and says why


def broken() -> tuple[BrokenProject, ...]:
    """The projects that cannot be opened, by folder name."""
    return broken_projects(projects_folder(home()))


def find_project(slug: str, home: Path) -> Project | None:
    """The project in the folder `slug` of `home`, if there is one; `slug` may come from anywhere."""
    root = projects_folder(home)
    known = {project.parent.name for project in root.glob("*/project.sqlite")}
    if slug not in known:
        return None
    outside = team_here() is not None and not (root / slug).resolve().is_relative_to(root.resolve())
    return None if outside else open_project(root / slug)


def require_project() -> Project:
    """The project, or an empty screen that leads to the Documents page and ends the script."""
    project = current_project()
    if project is not None:
        return project
    empty(
        "No project is open",
        "A project holds the documents of one piece of work and all that was asked about them. Make or open one first.",
        page="corpus",
        button="Go to Documents",
    )


def current_run(project: Project) -> Run | None:
    """The run named in the URL, else the newest of R3Con's, else the newest; None when there is none, or none of that name."""
    runs = list_runs(project)
    named = st.query_params.get(RUN)
    if named is None:
        return next((run for run in runs if run.settings.method == R3CON), runs[0] if runs else None)
    return next((run for run in runs if run.id == named), None)


def named_run_id() -> str:
    """The run named in the URL, "" when none is; there may be no such one."""
    return str(st.query_params.get(RUN, ""))


def require_run(project: Project) -> Run:
    """The run, or an empty screen that leads to the Question page and ends the script."""
    run = current_run(project)
    if run is not None:
        return run
    if st.query_params.get(RUN):
        del st.query_params[RUN]
        empty(
            "This run is not in this project",
            "The address names a run that does not exist here; it may belong to another project.",
            page="relevance",
            button="Show the newest run",
        )
    empty(
        "Nothing has been asked yet",
        "Write a question and start; every document is then read for what it contributes.",
        page="question",
        button="Ask a question",
    )


def empty(title: str, text: str, *, page: str, button: str) -> NoReturn:
    """A screen with nothing on it yet: why, and the one thing to do. Ends the script."""
    with st.container(border=True, horizontal_alignment="center"):
        st.subheader(title, anchor=False, text_alignment="center")
        st.markdown(text, text_alignment="center")
        if st.button(button, type="primary", icon=PAGES[page].icon):
            go(page)
    st.stop()


def place(**changes: str | None) -> dict[str, str]:
    """The query parameters of where we are, project and run, with `changes`; None takes one out."""
    kept = {PROJECT: st.query_params.get(PROJECT), RUN: st.query_params.get(RUN) or st.session_state.get(_OPEN_RUN)}
    return {name: value for name, value in {**kept, **changes}.items() if value is not None}


def keep_run_in_links(run: Run | None) -> None:
    """Let links name the open run even where the address does not, so that they stay its own when a newer one is made.

    The address is not changed for that: it would take a step of the browser's history, and Back would lead nowhere.
    """
    st.session_state[_OPEN_RUN] = run.id if run else None


def go(page: str, **params: str | None) -> NoReturn:
    """Open `page`, keeping project and run; `params` are changes as for `place`."""
    st.switch_page(PAGES[page].file, query_params=place(**params))


def url(page: str, **params: str | None) -> str:
    """The address of `page` from any other page, for links in tables and text."""
    name = "" if page == "corpus" else page
    return f"/{name}?{urlencode(place(**params))}"


def page_link(page: str, label: str | None = None, **params: str | None) -> None:
    """A link to `page`, keeping project and run."""
    info = PAGES[page]
    st.page_link(info.file, label=label or info.title, icon=info.icon, help=info.help, query_params=place(**params))


def document_place(document_id: str, start: int | None = None, end: int | None = None) -> dict[str, str | None]:
    """Query parameters of a document, or of the characters `start` up to `end` of it."""
    at = f"{start}-{end}" if start is not None and end is not None else None
    return {DOC: document_id, AT: at}


def document_url(document_id: str, start: int | None = None, end: int | None = None) -> str:
    """The address of a document, or of a place in it."""
    return url("document", **document_place(document_id, start, end))


def open_document_link(
    document_id: str, start: int | None = None, end: int | None = None, *, label: str = "Open the document"
) -> None:
    """A link to a document, or to a place in it."""
    page_link("document", label, **document_place(document_id, start, end))


def open_document(document_id: str, start: int | None = None, end: int | None = None) -> NoReturn:
    """Open a document, or a place in it, now."""
    go("document", **document_place(document_id, start, end))


def current_document_id() -> str:
    """The document named in the URL, "" when none is."""
    return str(st.query_params.get(DOC, ""))


def current_span() -> Span | None:
    """The first place in the document named in the URL, None when there is none or it makes no sense."""
    return next(iter(current_spans()), None)


def current_spans() -> tuple[Span, ...]:
    """All places in the document named in the URL that make sense, as they are named."""
    named = (part.partition("-") for part in str(st.query_params.get(AT, "")).split(",")[:MOST_PLACES])
    ends = ((start, end) for start, _, end in named if start.isdecimal() and end.isdecimal() and len(end) < 12)
    return tuple(Span(start=int(start), end=int(end)) for start, end in ends if int(start) < int(end))


def current_find() -> str:
    """The words of a search named in the URL, "" when none are."""
    return str(st.query_params.get(FIND, ""))


def current_tab() -> str:
    """The tab of the Documents page named in the URL, "" when none is."""
    return str(st.query_params.get(TAB, ""))


def current_view() -> str:
    """The view of the Data or Methods page named in the URL, "" when none is."""
    return str(st.query_params.get(VIEW, ""))


def current_kind() -> str:
    """The record type named in the URL, "" when none is."""
    return str(st.query_params.get(KIND, ""))


def current_record_id() -> str:
    """The record named in the URL, "" when none is."""
    return str(st.query_params.get(RECORD, ""))


def current_call_key() -> str:
    """The call named in the URL, "" when none is."""
    return str(st.query_params.get(CALL, ""))


def current_about() -> tuple[str, int, int]:
    """The stage, round and step named in the URL; "" and 0 where none is."""
    numbers = (str(st.query_params.get(name, "")) for name in (ROUND, STEP))
    round_, step = (int(said) if said.isdecimal() and len(said) < 6 else 0 for said in numbers)
    return str(st.query_params.get(STAGE, "")), round_, step


def current_other_id() -> str:
    """The run named in the URL to compare with, "" when none is."""
    return str(st.query_params.get(OTHER, ""))


def set_place(**params: str | None) -> None:
    """Change the URL without leaving the page; None takes a parameter out."""
    for name, value in params.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = value


def analyst() -> str:
    """Who decides here, for logs: the name signed in with, else the one this computer knows the user by."""
    if team_here():
        return name_for(st.context.headers)
    return user()


def leave_message(text: str) -> None:
    """A sentence to show after the rerun or page change that follows."""
    st.session_state[_MESSAGE] = text


def show_message() -> None:
    """The sentence left before, once."""
    text = st.session_state.pop(_MESSAGE, "")
    if text:
        st.success(text, icon=":material/check:")


def wish_for_sample(name: str) -> None:
    """Remember which sample corpus a new project is meant for; "" when that is done."""
    st.session_state[_SAMPLE] = name


def wished_sample() -> str:
    """The sample corpus the open project is meant for, or ""."""
    return str(st.session_state.get(_SAMPLE, ""))


def explain_unknown_project() -> None:
    """Say so when the address names a project that is not here."""
    named = st.query_params.get(PROJECT)
    if named and named not in {each.folder.name for each in broken()}:
        st.warning("The address names a project that is not on this computer. Open another one, or make it here.")


def next_button(label: str, page: str) -> None:
    """The step that usually comes next, at the end of a page."""
    if st.button(label, type="primary", icon=":material/arrow_forward:", icon_position="right"):
        go(page)

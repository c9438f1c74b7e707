"""The frame around all pages: pickers, navigation, empty screens, the server's own ways in."""

import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from pages.guard import PRIVACY
from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.sidebar import told_apart
from r3con_core.documents import Span
from r3con_core.store.project import Project, create_project
from tests.fakes import start_harbour_run
from tests.pages.line import open_line
from tests.pages.opened import click, open_page

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("home")
def test_the_first_screen_of_all_offers_a_project_and_the_samples() -> None:
    at = open_page()
    assert [title.value for title in at.title] == ["Documents"]
    assert [button.label for button in at.button] == ["Make the project", *["Make a project with it"] * 3]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("page", ["question", "relevance"])
def test_a_page_that_needs_a_project_says_so_and_leads_to_one(page: str) -> None:
    at = open_page(page)
    assert at.subheader[0].value == "No project is open"
    at.button[0].click().run()
    assert at.title[0].value == "Documents"


@pytest.mark.usefixtures("project")
def test_a_project_is_opened_by_its_address_and_by_the_picker() -> None:
    assert open_page(project="harbour").sidebar.selectbox[0].value == "harbour"
    at = open_page()
    at.sidebar.selectbox[0].set_value("harbour").run()
    assert at.query_params["project"] == "harbour"
    assert at.tabs[0].label == "Documents (10)"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("slug", ["nowhere", "../harbour", "", "harbour/../harbour"])
def test_an_address_with_no_such_project_opens_none(slug: str) -> None:
    at = open_page(project=slug)
    assert [w.value[:45] for w in at.warning] == (["The address names a project that is not on th"] if slug else [])
    assert at.subheader[0].value == "Your projects"


def test_changing_the_project_forgets_the_run_of_the_other(project: Project, home: Path) -> None:
    run_id = start_harbour_run(project)
    create_project(home / "projects", "Other")
    at = open_page(project="harbour", run=run_id)
    at.sidebar.selectbox[0].set_value("other").run()
    assert at.query_params["project"] == "other"
    assert "run" not in at.query_params


def test_the_newest_run_is_open_until_another_is_picked(project: Project) -> None:
    first, second = start_harbour_run(project), start_harbour_run(project)
    at = open_page(project="harbour")
    assert at.sidebar.selectbox[1].value == second
    at.sidebar.selectbox[1].set_value(first).run()
    assert at.query_params["run"] == first


def test_runs_of_one_question_are_told_apart_by_the_beginning_of_their_names(project: Project) -> None:
    start_harbour_run(project)
    start_harbour_run(project, relevance=False)
    start_harbour_run(project, structure=False)
    names = open_page(project="harbour").sidebar.selectbox[1].options
    assert [name[:12] for name in names[:2]] == ["Without stru", "Without rele"]
    assert re.match(r"\d{1,2} \w{3}, \d\d:\d\d; starting: ", names[2])


def test_links_name_the_open_run_even_where_the_address_does_not(project: Project) -> None:
    run_id = start_harbour_run(project)
    at = open_page(project="harbour")
    assert "run" not in at.query_params
    click(at, "Ask a question about them")
    assert at.query_params["run"] == run_id


def test_a_run_that_is_not_here_is_said_to_be_so(project: Project) -> None:
    start_harbour_run(project)
    at = open_page("relevance", project="harbour", run="run-0")
    assert at.subheader[0].value == "This run is not in this project"


def test_a_place_in_a_document_is_read_from_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    params: dict[str, str] = {}
    monkeypatch.setattr(st, "query_params", params)
    for text, span in {
        "3-9": Span(start=3, end=9),
        "9-3": None,
        "3": None,
        "a-b": None,
        "": None,
        "-3-9": None,
    }.items():
        params["at"] = text
        assert state.current_span() == span


def test_addresses_keep_project_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "query_params", {"project": "harbour", "run": "run-1", "doc": "doc-9"})
    assert state.document_url("doc-1", 3, 9) == "/document?project=harbour&run=run-1&doc=doc-1&at=3-9"
    assert state.url("corpus", run=None) == "/?project=harbour"


def test_words_from_outside_are_shown_letter_by_letter() -> None:
    assert plain("![x](http://e.vil) :red[a] $b$ <i>") == (
        "\\!\\[x\\]\\(http\\:\u2060//e.vil\\) \\:red\\[a\\] \\$b\\$ \\<i\\>"
    )


def test_the_settings_file_keeps_all_privacy_settings_but_those_that_are_so_anyway() -> None:
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        config = tomllib.load(file)
    set_there = {f"{section}.{name}": value for section, found in config.items() for name, value in found.items()}
    usual = ("server.enableXsrfProtection", "server.enableCORS", "server.enableAgentApi", "server.baseUrlPath")
    wanted = {name: value for name, value in PRIVACY.items() if name not in usual}
    assert {name: set_there.get(name) for name in wanted} == wanted
    assert set_there["server.address"] == "127.0.0.1"


@pytest.fixture
def server(project: Project, tmp_path: Path) -> Iterator[str]:
    """The real server, started from another folder as a person might; its address."""
    run_id = start_harbour_run(project)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    options = ["--server.port", str(port)]
    running = subprocess.Popen(
        [*command, *options], cwd=tmp_path, env={**os.environ, "R3CON_HOME": str(tmp_path), "RUN": run_id}
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(10)


def wait_until_up(server: str) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{server}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError("the server did not start")


def test_the_first_deep_link_after_a_start_opens_the_page_in_its_frame(server: str) -> None:
    wait_until_up(server)
    with open_line(server) as page:
        text = page.run("project=harbour", "relevance")
    assert '"Relevance"' in text
    assert '"Question asked"' in text
    assert "How many cases did the launch Petrel land" in text


@pytest.mark.parametrize(
    "text", ["https://evil.example/x", "see www.evil.example now", "mail a@b.example", "mailto:a@b.c"]
)
def test_an_address_in_a_model_s_words_is_no_link(text: str) -> None:
    assert "\u2060" in plain(text)
    assert plain(text).replace("\u2060", "").replace("\\", "") == text


def test_projects_of_one_name_are_told_apart() -> None:
    assert told_apart({"a": "Harbour", "b": "Harbour", "c": "Inquiry"}) == {
        "a": "Harbour (a)",
        "b": "Harbour (b)",
        "c": "Inquiry",
    }

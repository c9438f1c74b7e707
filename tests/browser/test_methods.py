"""The Methods page in a real browser: chosen, started, watched, and looked at from every side."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.preferences import save_choices
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import harbour_project
from tests.methods.running import carry_method, start
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
SOON = 60_000
"""Milliseconds for two short runs."""
BEFORE = ("r3con", "raptor", "readagent", "memagent", "hipporag2", "linearrag", "structrag", "codeagent")
"""Run before the visit, where they are there."""


def open_tab(visit: Visit, name: str) -> None:
    """Open a tab of the page."""
    visit.page.get_by_role("tab", name=name).click()
    visit.settle()


def begin(visit: Visit) -> None:
    """Choose two methods and start them."""
    open_tab(visit, "Choose and start")
    visit.picture("methods-choose")
    visit.press("None")
    visit.settle()
    for name in ("Whole corpus in context", "Question alone"):
        visit.page.get_by_role("checkbox", name=name).first.locator("xpath=ancestor::label").click()
        visit.settle()
    visit.picture("methods-start")
    visit.press("Start 2 methods")
    expect(visit.page.get_by_text("Whole corpus in context").first).to_be_visible(timeout=SOON)
    open_tab(visit, "Answers")
    expect(visit.page.get_by_text("At work:")).to_be_hidden(timeout=SOON)
    visit.settle()


def look(visit: Visit) -> None:
    """Every tab once."""
    visit.picture("methods-answers")
    for tab, name in (
        ("Cost and accuracy", "figures"),
        ("Where facts are lost", "facts"),
        ("Principles", "principles"),
        ("What each built", "built"),
    ):
        open_tab(visit, tab)
        visit.picture(f"methods-{name}")


def test_methods_are_chosen_started_and_looked_at(tmp_path: Path) -> None:
    project = harbour_project(tmp_path / "projects")
    carry_method(project, start(project, "r3con-direct"))
    with ScriptedServer() as model:
        save_choices(tmp_path, RunChoices(reading=ModelChoice(model="scripted", base_url=model.url, window=32_768)))
        with running_app(tmp_path) as address, visiting(address) as visit:
            visit.open("/methods?project=harbour")
            begin(visit)
            look(visit)
            assert visit.strangers == []

"""From a folder of documents to an answer with proof, in a real browser, with a scripted model."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import Visit, chromium, running_app, visiting
from tests.harbour_script import QUESTION
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def make_project(visit: Visit) -> None:
    visit.open("/")
    visit.page.get_by_label("Name", exact=True).fill("Harbour inquiry")
    visit.press("Make the project")


def add_the_folder(visit: Visit) -> None:
    visit.picture("0-new-project")
    visit.page.get_by_text("Folder on this computer").first.click()
    visit.settle()
    folder = Path(__file__).parents[2] / "sample_corpora" / "harbour" / "documents"
    visit.page.get_by_role("textbox", name="Path of a folder or file").fill(str(folder))
    visit.press("Read it")
    expect(visit.page.get_by_text("10 new documents").first).to_be_visible(timeout=15_000)
    visit.picture("1-documents")


def ask(visit: Visit, address: str) -> None:
    visit.follow("Question")
    visit.page.get_by_role("textbox", name="What do you want to know?").fill(QUESTION)
    visit.page.get_by_text("At an address").first.click()
    visit.settle()
    visit.page.get_by_role("textbox", name="Address").fill(address)
    visit.page.get_by_role("textbox", name="Address").press("Enter")
    visit.settle()
    visit.page.get_by_role("textbox", name="Model name").fill("scripted")
    visit.page.get_by_role("textbox", name="Model name").press("Enter")
    visit.settle()
    visit.press("Test connection")
    expect(visit.page.get_by_text("this computer").first).to_be_visible()
    visit.picture("2-question")
    visit.press("Start")


def watch_the_snippets(visit: Visit) -> None:
    expect(visit.page.get_by_role("heading", name="Relevance")).to_be_visible(timeout=15_000)
    expect(visit.page.get_by_text("Round 2 of 2: 10 of 10 documents read").first).to_be_visible(timeout=60_000)
    visit.picture("3-relevance")
    visit.page.reload()
    visit.settle()
    expect(visit.page.get_by_text("Round 2 of 2: 10 of 10 documents read").first).to_be_visible(timeout=15_000)


def test_the_whole_journey(tmp_path: Path) -> None:
    with ScriptedServer() as model, running_app(tmp_path) as address, visiting(address) as visit:
        make_project(visit)
        add_the_folder(visit)
        ask(visit, model.url)
        watch_the_snippets(visit)
        assert visit.strangers == []

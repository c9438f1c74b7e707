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
    expect(visit.page.get_by_text("10 files found: 10 read").first).to_be_visible(timeout=30_000)
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


def change_and_accept_the_schema(visit: Visit) -> None:
    visit.follow("Schema")
    expect(visit.page.get_by_text("Waiting for you").first).to_be_visible(timeout=30_000)
    visit.page.get_by_role("textbox", name="Meaning").first.fill("one landing of cases by night or day")
    visit.press("Save changes")
    expect(visit.button("Undo")).to_be_enabled()
    visit.picture("4-schema")
    visit.press("Undo")
    expect(visit.button("Undo")).to_be_disabled()
    visit.page.get_by_role("tab", name="Diagram").click()
    visit.settle()
    visit.picture("4-schema-diagram")
    visit.press("Accept and parse")


def browse_the_records(visit: Visit) -> None:
    visit.follow("Relevance")
    expect(visit.button("Read the answer")).to_be_visible(timeout=60_000)
    visit.follow("Data")
    expect(visit.page.get_by_text("Landing").first).to_be_visible()
    grid = visit.page.locator("[data-testid=stDataFrame]").first
    box = grid.bounding_box()
    assert box
    visit.page.mouse.click(box["x"] + 14, box["y"] + 35 + 17)
    visit.settle()
    visit.page.wait_for_timeout(800)
    visit.picture("5-data")
    expect(visit.page.get_by_text("Quote 1 of 1 · paragraph 4")).to_be_visible()
    visit.page.get_by_role("radio", name="Graph").click()
    visit.settle()
    visit.page.wait_for_timeout(1500)
    visit.picture("5-data-graph")


def read_the_answer(visit: Visit) -> None:
    visit.follow("Answer")
    expect(visit.page.get_by_text("The Petrel landed 85 cases at Lime Quay in March 1931.").first).to_be_visible()
    visit.picture("6-answer")
    visit.press("R1")
    expect(visit.page.get_by_text("The grey launch landed 40 cases at Lime Quay").first).to_be_visible()
    visit.picture("6-answer-record")
    visit.page.keyboard.press("Escape")
    visit.press("Run the code again")
    expect(visit.page.get_by_text("same").first).to_be_visible(timeout=30_000)
    visit.press("Download")
    with visit.page.expect_download() as saved:
        visit.page.get_by_role("button", name="The whole run").first.click()
    assert saved.value.path().stat().st_size > 1000


def test_the_whole_journey(tmp_path: Path) -> None:
    with ScriptedServer() as model, running_app(tmp_path) as address, visiting(address) as visit:
        make_project(visit)
        add_the_folder(visit)
        ask(visit, model.url)
        watch_the_snippets(visit)
        change_and_accept_the_schema(visit)
        browse_the_records(visit)
        read_the_answer(visit)
        assert visit.strangers == []

"""Second readings, repeats, follow-ups and added documents in a real browser, with workers and a scripted model."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import INQUIRY_WINDOW, Scripted, carry_scripted, inquiry_answer, inquiry_project, text_document
from tests.inquiry_script import QUESTION, answer_inquiry
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
SOON = 90_000
"""Milliseconds for a run of a scripted model over 40 documents."""


def wavering(messages: list[dict[str, str]], response_format: dict[str, object] | None = None) -> str:
    """The scripted reply, but one final sum is misread: what a repeat may do. A check of the window gets any reply."""
    if len(messages) == 1 and re.match(r"[0-9a-f]{16}\s", messages[0]["content"]):
        return "ready"
    text = answer_inquiry(messages, response_format)
    return re.sub(r": 1612000\b", ": 1621000", text, count=1)


def answered(home: Path, url: str) -> tuple[Project, str]:
    """The inquiry with its answer, made by a model that workers can ask again at `url`."""
    project = inquiry_project(home / "projects")
    reading = ModelChoice(model="scripted", base_url=url, window=INQUIRY_WINDOW, workers=4)
    run = create_run(project, QUESTION, RunChoices(reading=reading, straight_through=True), home=home)
    carry_scripted(project, run.id, Scripted(inquiry_answer), workers=4)
    return project, run.id


def open_tab(visit: Visit, name: str) -> None:
    """Open a tab of the page."""
    visit.page.get_by_role("tab", name=name).click()
    visit.settle()


def read_a_second_time(visit: Visit, run_id: str) -> None:
    """Another mode over the same records, on the answer page, then in full."""
    visit.open(f"/answer?project=inquiry&run={run_id}&tab=second")
    visit.page.get_by_text("Start a second reading").click()
    visit.settle()
    visit.press("Start the second reading")
    expect(visit.page.get_by_text(re.compile(r"\d+ of \d+ sentences agree"))).to_be_visible(timeout=SOON)
    visit.settle()
    visit.picture("second-reading")
    visit.page.get_by_role("link", name="Compare the two in full").click()
    expect(visit.page.get_by_text("only the answers can differ")).to_be_visible(timeout=30_000)
    visit.settle()
    visit.picture("compare-answers")


def repeat(visit: Visit, run_id: str) -> None:
    """The run once more: its records cell by cell, and the score."""
    visit.open(f"/compare?project=inquiry&run={run_id}")
    open_tab(visit, "Repeats")
    visit.press("Repeat the run")
    expect(visit.page.get_by_text("Repeat 1 is under way")).to_be_visible(timeout=30_000)
    open_tab(visit, "Repeats")
    expect(visit.page.get_by_text("Records agree", exact=True)).to_be_visible(timeout=SOON)
    visit.settle()
    visit.picture("compare-repeats")
    visit.page.get_by_role("combobox", name="Second").click()
    visit.page.get_by_role("option", name=re.compile("^Repeat 1")).click()
    visit.settle()
    open_tab(visit, "Records")
    expect(visit.page.get_by_text(re.compile(r"3 differ;")).first).to_be_visible()
    visit.picture("compare-records")
    open_tab(visit, "Settings")
    visit.picture("compare-costs")


def leave_out_structure(visit: Visit) -> None:
    """An ablation from the Compare page."""
    open_tab(visit, "Another way")
    visit.page.get_by_text("Without a stage (an ablation)").click()
    visit.settle()
    visit.picture("compare-ways")
    visit.press("Run it without structure")
    expect(visit.page.get_by_text("Without structure is under way")).to_be_visible(timeout=30_000)


def follow_up(visit: Visit, run_id: str) -> None:
    """Another question over the same records."""
    visit.open(f"/question?project=inquiry&run={run_id}")
    visit.page.get_by_text("An earlier run").click()
    visit.settle()
    visit.page.get_by_role("textbox", name="What do you want to know?").fill("Which flood work was the dearest?")
    visit.page.keyboard.press("Control+Enter")
    visit.settle()
    visit.picture("follow-up")
    visit.press("Ask the same records")
    expect(visit.page.get_by_text("read for the earlier one and not again")).to_be_visible(timeout=SOON)
    visit.settle()
    visit.picture("follow-up-answer")


def take_in_added(visit: Visit, project: Project, run_id: str) -> None:
    """A document that came later, read alone."""
    memo = text_document("The lake house was sold in 2022.", path="40_memo.txt", title="40 memo")
    add_documents(project, [memo], [LedgerEntry(path="40_memo.txt", outcome="read", reason="", document_id=memo.id)])
    visit.open(f"/question?project=inquiry&run={run_id}")
    visit.page.get_by_text("Take them in").click()
    visit.settle()
    visit.picture("added-documents")
    visit.press("Read only the added ones")
    expect(visit.page.get_by_text("Done. The answer is there.")).to_be_visible(timeout=SOON)
    visit.press("Read the answer")
    expect(visit.page.get_by_text("kept their snippets and records")).to_be_visible(timeout=30_000)


def test_a_run_is_read_again_repeated_followed_up_and_grown(tmp_path: Path) -> None:
    with ScriptedServer(wavering) as model:
        project, run_id = answered(tmp_path, model.url)
        with running_app(tmp_path) as address, visiting(address) as visit:
            read_a_second_time(visit, run_id)
            repeat(visit, run_id)
            leave_out_structure(visit)
            follow_up(visit, run_id)
            take_in_added(visit, project, run_id)
            assert visit.strangers == []

"""An answer checked in a real browser: its sentences, what speaks against them, coverage, a look at the silent."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.changes import RejectRecord
from r3con_core.overlay import data_of
from r3con_core.store.answers import load_answer
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import finished_inquiry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def see(visit: Visit, text: str) -> None:
    expect(visit.page.get_by_text(text).first).to_be_visible(timeout=15_000)


def read_the_sentences(visit: Visit) -> None:
    see(visit, "3 of 8 sentences rest on records whose quotes were found")
    visit.picture("answer-1-checked")
    visit.page.get_by_text("What may speak against this (3 records)").click()
    visit.settle()
    see(visit, "1,420,000, where the sentence rests on 1,240,000")
    visit.picture("answer-2-against")
    visit.press("R18")
    see(visit, "the city signed for 1,420,000 euros in October 2019")
    visit.page.keyboard.press("Escape")
    weak = visit.page.get_by_text("In none of its records, and not from the code: Anton Marek")
    weak.scroll_into_view_if_needed()
    visit.picture("answer-3-weak")


def read_the_coverage(visit: Visit) -> None:
    visit.page.get_by_role("tab", name="Coverage").click()
    visit.settle()
    told = visit.page.get_by_text("Every file of the project was read, by every stage, to its last page.")
    told.scroll_into_view_if_needed()
    expect(told).to_be_visible()
    assert "tab=coverage" in visit.page.url
    visit.picture("answer-4-coverage")


def look_at_the_silent(visit: Visit) -> None:
    visit.page.get_by_role("tab", name="Was anything missed?").click()
    visit.settle()
    size = visit.page.get_by_role("spinbutton", name="How many to look at")
    size.fill("3")
    size.press("Enter")
    visit.settle()
    see(visit, "0 of 3 documents looked at")
    visit.page.get_by_placeholder("Find in this document").first.fill("Marek")
    visit.press("Nothing missed")
    see(visit, "1 of 3 documents looked at")
    visit.press("Something was missed")
    see(visit, "Something was missed in 1 of 2 documents looked at.")
    visit.press("Nothing missed")
    see(visit, "3 of 3 documents looked at")
    visit.page.get_by_text("Something was missed in 1 of 3 documents").scroll_into_view_if_needed()
    visit.picture("answer-5-missed")


def reject_a_cited_record(project: Project, run_id: str) -> None:
    data, answer = data_of(project, run_id), load_answer(project, run_id)
    assert data is not None
    assert answer is not None
    record = data.get(answer.sentences[1].record_ids[0])
    add_change(project, run_id, RejectRecord(of=record), author="Ada", note="superseded")


def test_an_answer_can_be_checked_to_its_last_sentence(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    project, run_id = finished_inquiry(tmp_path / "projects")
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open(f"/answer?project=inquiry&run={run_id}")
        read_the_sentences(visit)
        read_the_coverage(visit)
        look_at_the_silent(visit)
        reject_a_cited_record(project, run_id)
        visit.page.reload()
        visit.settle()
        see(visit, "Records that this answer cites were changed after it was written: R8.")
        visit.picture("answer-6-changed")
        assert visit.strangers == []

"""From a folder on disk to a place in a document: import, a password, the ledger, search, a long text."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import Visit, chromium, running_app, visiting

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
LOCKED = Path(__file__).parents[1] / "cases" / "password_needed.pdf"
SAID = "The witness said that nobody saw who carried the cases ashore that night. " * 12
MAIL = b"""From: R. Marsh <marsh@harbour.example>
To: board@harbour.example
Subject: Quote Q-77
Date: Mon, 17 May 2021 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain

See the note attached.
--x
Content-Type: text/plain; name="note.txt"
Content-Disposition: attachment; filename="note.txt"

The quote was for 8,900.00 EUR.
--x--
"""


def make_folder(folder: Path) -> Path:
    folder.mkdir()
    shutil.copy(LOCKED, folder / "locked.pdf")
    (folder / "mail.eml").write_bytes(MAIL)
    (folder / "empty.txt").write_bytes(b"")
    (folder / "<b>odd.txt").write_text("An odd name.", "utf-8")
    (folder / "付款.txt").write_text("诺斯戴尔港务局于2021年6月3日向羽毛笔咨询公司支付了五万欧元。", "utf-8")
    told = f"{SAID}\n\n" * 200 + "The ledger was burnt by Quillfeather.\n\n" + f"{SAID}\n\n" * 180
    assert len(told.split()) > 55_000
    (folder / "transcript.txt").write_text(told, "utf-8")
    return folder


def import_the_folder(visit: Visit, folder: Path) -> None:
    visit.open("/")
    visit.page.get_by_label("Name", exact=True).fill("Northdale")
    visit.press("Make the project")
    visit.page.get_by_text("Folder on this computer").first.click()
    visit.settle()
    visit.page.get_by_role("textbox", name="Path of a folder or file").fill(str(folder))
    visit.press("Read it")
    expect(visit.page.get_by_text("All files are read.").first).to_be_visible(timeout=60_000)
    visit.settle()
    visit.picture("import-1-done")


def give_the_password(visit: Visit) -> None:
    expect(visit.page.get_by_text("1 file needs a password")).to_be_visible()
    field = visit.page.get_by_label("Password for papers/locked.pdf")
    expect(field).to_have_attribute("type", "password")
    field.fill("wrong")
    visit.press("Open it")
    expect(visit.page.get_by_text("This password does not open papers/locked.pdf.")).to_be_visible(timeout=30_000)
    visit.picture("import-2-wrong-password")
    visit.page.get_by_label("Password for papers/locked.pdf").fill("harbour-42")
    visit.press("Open it")
    expect(visit.page.get_by_text("papers/locked.pdf is open: 1 new document.")).to_be_visible(timeout=30_000)
    expect(visit.page.get_by_text("needs a password")).to_have_count(0)


def see_the_ledger(visit: Visit) -> None:
    visit.page.get_by_role("tab", name="Ledger").click()
    visit.settle()
    adding_up = visit.page.get_by_text("files found, 1 of them inside others:")
    expect(adding_up).to_have_text(re.compile("^7 files found.* 6 read .*1 nothing in it = 7[.]$"))
    expect(visit.page.get_by_text("nothing in it (1)")).to_be_visible()
    visit.picture("import-3-ledger")
    with visit.page.expect_download() as saved:
        visit.page.get_by_role("button", name="Download 7 lines as CSV").click()
    assert "papers/付款.txt" in saved.value.path().read_text("utf-8")


def search_for(visit: Visit, words: str) -> None:
    visit.page.get_by_role("textbox", name="Search in all documents").fill(words)
    visit.page.get_by_role("textbox", name="Search in all documents").press("Enter")
    visit.settle()


def find_a_chinese_word(visit: Visit) -> None:
    visit.page.get_by_role("tab", name="Search").click()
    visit.settle()
    search_for(visit, "羽毛笔")
    expect(visit.page.get_by_text("1 document found")).to_be_visible(timeout=15_000)
    expect(visit.page.get_by_text("羽毛笔", exact=True).first).to_be_visible()
    visit.picture("import-4-search")


def open_the_long_document_at_the_place(visit: Visit) -> None:
    search_for(visit, "burnt")
    expect(visit.page.get_by_text("burnt", exact=True).first).to_be_visible(timeout=15_000)
    visit.page.locator("[data-testid=stMain]").get_by_role("link", name="transcript.txt").click()
    visit.settle()
    expect(visit.page.locator(".text")).to_have_attribute("data-shown", re.compile("^doc-"), timeout=15_000)
    assert visit.page.evaluate("[...CSS.highlights.get('r3-current')].map(String).join()") == "burnt"
    expect(visit.page.get_by_text("The ledger was burnt by Quillfeather.")).to_be_in_viewport()
    visit.picture("import-5-document")
    visit.page.go_back()
    visit.settle()
    expect(visit.page.get_by_role("textbox", name="Search in all documents")).to_have_value("burnt")


def test_a_folder_becomes_documents_that_can_be_unlocked_searched_and_read(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "papers")
    with running_app(tmp_path) as address, visiting(address) as visit:
        import_the_folder(visit, folder)
        give_the_password(visit)
        see_the_ledger(visit)
        find_a_chinese_word(visit)
        open_the_long_document_at_the_place(visit)
        assert visit.strangers == []


def test_an_import_goes_on_without_the_page_and_can_be_stopped_and_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for number in range(50):
        (folder / f"box {number}").mkdir(parents=True)
        for letter in range(100):
            file = folder / f"box {number}" / f"letter {letter}.txt"
            file.write_text(f"Letter {number}-{letter}. {SAID}", "utf-8")
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open("/")
        visit.page.get_by_label("Name", exact=True).fill("Northdale")
        visit.press("Make the project")
        visit.page.get_by_text("Folder on this computer").first.click()
        visit.settle()
        visit.page.get_by_role("textbox", name="Path of a folder or file").fill(str(folder))
        visit.button("Read it").click()
        expect(visit.page.get_by_text("of 5,000 files").first).to_be_visible(timeout=30_000)
        visit.picture("import-running")
        visit.button("Stop").click()
        expect(visit.page.get_by_text("was stopped. What is read is kept")).to_be_visible(timeout=30_000)
        visit.open("/?project=northdale")
        visit.picture("import-stopped")
        visit.press("Resume")
        visit.open("/question?project=northdale")
        visit.open("/?project=northdale")
        expect(visit.page.get_by_role("tab", name="Documents (5,000)")).to_be_visible(timeout=240_000)
        visit.picture("import-many")

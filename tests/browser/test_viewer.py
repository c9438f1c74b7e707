"""The document viewer in a real browser: the right letters are marked, found and in view, in large texts too."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.store.documents import add_documents
from r3con_core.store.project import create_project
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import text_document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
PARAGRAPH = "The launch came in at night and nobody saw who carried the cases ashore. " * 6
TEXT = "😀 <b>Log</b>\n\n" + f"{PARAGRAPH}\n\n" * 450 + "HERE 😀 STANDS IT.\n\n" + f"{PARAGRAPH}\n\n" * 450
MARKED = "[...CSS.highlights.get('r3-current')].map(String).join()"


@contextmanager
def reading(home: Path) -> Iterator[tuple[Visit, str]]:
    """A window, and the address of a document of 400,000 letters open at a place behind wide letters."""
    document = text_document(TEXT)
    add_documents(create_project(home / "projects", "Logs"), [document], [])
    start = TEXT.index("HERE")
    with running_app(home) as address, visiting(address) as visit:
        yield visit, f"/document?project=logs&doc={document.id}&at={start}-{start + 13}"


def test_a_place_is_marked_and_in_view_and_words_are_found(tmp_path: Path) -> None:
    with reading(tmp_path) as (visit, place):
        visit.open(place)
        text = visit.page.locator(".text")
        expect(text).to_have_attribute("data-shown", place.split("doc=")[1].split("&")[0], timeout=15_000)
        assert visit.page.evaluate(MARKED) == "HERE 😀 STANDS"
        expect(visit.page.get_by_text("HERE 😀 STANDS IT.")).to_be_in_viewport()
        assert text.locator("b").count() == 0
        visit.page.get_by_placeholder("Find in this document").fill("log</B>")
        expect(visit.page.locator(".hits")).to_have_text("1 of 1")
        expect(visit.page.get_by_text("😀 <b>Log</b>")).to_be_in_viewport()
        visit.page.get_by_placeholder("Find in this document").fill("cases ashore. The")
        visit.page.get_by_placeholder("Find in this document").press("Enter")
        expect(visit.page.locator(".hits")).to_have_text("2 of 5000+")
        visit.page.get_by_placeholder("Find in this document").fill("zeppelin")
        expect(visit.page.locator(".hits")).to_have_text("not in this document")
        assert visit.strangers == []


def test_a_browser_that_cannot_paint_ranges_marks_the_place(tmp_path: Path) -> None:
    with reading(tmp_path) as (visit, place):
        visit.page.add_init_script("delete globalThis.Highlight")
        visit.open(place)
        expect(visit.page.locator(".text mark")).to_have_text("HERE 😀 STANDS", timeout=15_000)
        expect(visit.page.locator(".text mark")).to_be_in_viewport()

"""The Relevance page over hundreds of documents: drawn where one looks, found wherever it is, open to what was seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.exchange import Stage
from r3con_core.runs import RunState
from r3con_core.snippets import Digest, RelevanceSnippet, Sight
from r3con_core.store import runs as run_rows
from r3con_core.store.digests import save_digests
from r3con_core.store.documents import add_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.sights import save_sight
from r3con_core.store.snippets import save_snippet
from tests.browser.app import chromium, running_app, visiting
from tests.fakes import start_harbour_run, text_document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
MANY = 400
DRAWN = "li.card:has(header)"


def many_documents(root: Path) -> tuple[Project, str]:
    """A stopped run over 400 documents, whose last one holds a word of its own; the first reader saw a digest."""
    project = create_project(root, "Many")
    documents = [
        text_document(f"Report {n}", path=f"{n}.txt", title=f"Report {n} <b>bold</b>") for n in range(1, MANY + 1)
    ]
    add_documents(project, documents, [])
    ids = tuple(document.id for document in documents)
    run_id = start_harbour_run(project)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    for number in (1, 2):
        for place, document_id in enumerate(ids, start=1):
            text = f"Snippet {place}" + (" of the albatross" if place == MANY else "")
            save_snippet(project, run_id, number, RelevanceSnippet(document_id=document_id, text=text))
    digests = [
        Digest(level=1, number=1, covers=ids[:2], text="Two reports."),
        Digest(level=1, number=2, covers=ids[2:], text="All the <i>other</i> reports.", cut=True),
    ]
    save_digests(project, run_id, 1, digests)
    sight = Sight(document_id=ids[0], whole=(ids[1],), shortened=(ids[2],), digested=ids[3:])
    save_sight(project, run_id, Stage.RELEVANCE, 2, sight)
    run_rows.set_state(project, run_id, RunState.STOPPED)
    return project, run_id


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the app over such a run."""
    home = tmp_path_factory.mktemp("home")
    many_documents(home / "projects")
    with running_app(home) as found:
        yield found


def test_only_cards_near_the_window_are_drawn_and_all_are_found(address: str) -> None:
    with visiting(address) as visit:
        visit.open("/relevance?project=many")
        cards = visit.page.locator("li.card")
        expect(visit.page.get_by_text("Round 2 of 2: 400 of 400 documents read.")).to_be_visible(timeout=15_000)
        expect(cards.first).to_contain_text("Report 1 <b>bold</b>")
        assert cards.count() == MANY
        assert visit.page.locator(DRAWN).count() < 100
        cards.last.scroll_into_view_if_needed()
        expect(cards.last).to_contain_text("Snippet 400 of the albatross")
        assert visit.page.locator(DRAWN).count() < 200
        visit.page.get_by_label("Find in titles and snippets").fill("ALBATROSS")
        expect(visit.page.locator("li.card:not([hidden])")).to_have_count(1)
        visit.page.get_by_label("Find in titles and snippets").fill("snippet 212")
        expect(visit.page.locator("li.card:not([hidden])")).to_contain_text("Snippet 212")


def test_what_a_reader_saw_is_one_click_away_and_none_of_it_is_markup(address: str) -> None:
    with visiting(address) as visit:
        visit.open("/relevance?project=many")
        first, all_read = visit.page.locator("li.card").first, visit.page.get_by_text("400 of 400 documents read.")
        expect(all_read).to_be_visible(timeout=15_000)
        visit.settle()  # a click on a card that is drawn again between press and release opens nothing
        first.get_by_text("Its reader saw 1 snippet in full, 1 shortened, 397 within 1 digest").click()
        first.get_by_text("Shortened (1)").click()
        expect(first.get_by_role("link", name="Report 3 <b>bold</b>")).to_be_visible()
        first.get_by_text("The digests (1)").click()
        expect(first.get_by_text("Digest 2: documents 3–400")).to_be_visible()
        expect(first.get_by_text("All the <i>other</i> reports.")).to_be_visible()
        expect(first.get_by_text("No model wrote this")).to_be_visible()
        visit.picture("relevance-saw")
        visit.page.get_by_role("tab", name="Digests").click()
        visit.settle()
        expect(visit.page.get_by_text("All the <i>other</i> reports.")).to_be_visible()
        visit.picture("relevance-digests")
        visit.page.get_by_role("tab", name="Cards").click()
        visit.settle()
        expect(all_read).to_be_visible(timeout=15_000)
        visit.settle()  # a click on a card that is drawn again between press and release opens nothing
        first.get_by_text("Its reader saw").click()
        first.get_by_text("Shortened (1)").click()
        first.get_by_role("link", name="Report 3 <b>bold</b>").click()
        visit.settle()
        expect(visit.page.get_by_role("region", name="Text of Report 3 <b>bold</b>")).to_be_visible()
        assert visit.strangers == []

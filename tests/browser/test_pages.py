"""Every page over a finished run, in light and dark: drawn without an error and without a request to another host."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import chromium, running_app, visiting
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_project, start_harbour_run

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
PAGES = ("", "question", "relevance", "schema", "data", "answer", "changes", "calls", "compare")


def test_every_page_is_drawn_and_asks_no_other_host(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path / "projects")
    slug = project.folder.name
    document = project.db.execute("select id from documents order by position").fetchone()["id"]
    waiting = harbour_project(tmp_path / "projects", "Waiting")
    carry_scripted(waiting, start_harbour_run(waiting), Scripted())
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open("/")
        visit.picture("page-start", wide=True)
        for page in PAGES:
            visit.open(f"/{page}?project={slug}&run={run_id}")
            visit.wait_for_picture(1200)
            visit.picture(f"page-{page or 'documents'}", wide=True)
        visit.open(f"/document?project={slug}&run={run_id}&doc={document}&at=60-120")
        visit.wait_for_picture(800)
        visit.picture("page-document", wide=True)
        visit.open(f"/schema?project={waiting.folder.name}")
        visit.wait_for_picture(800)
        visit.picture("page-schema-waiting", wide=True)
        assert visit.strangers == []


def test_the_first_deep_link_after_a_start_opens_its_page(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path / "projects")
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open(f"/answer?project={project.folder.name}&run={run_id}")
        expect(visit.page.get_by_role("heading", name="Answer").first).to_be_visible()
        links = visit.page.locator("[data-testid=stSidebar]").get_by_role("link")
        expect(links.filter(has_text="Documents")).to_be_visible()

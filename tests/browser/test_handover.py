"""Handing over a finished run in a real browser: every download, the report offline, the check of everything."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pages.widgets.answer.downloads import GROUPS
from r3con_core.home import projects_folder
from r3con_core.verify.bundles import verify_bundle
from r3con_core.verify.runs import faults_of
from tests.browser.app import QUIET, SCREENSHOTS, THEMES, Theme, Visit, chromium, running_app, visiting
from tests.fakes import finished_inquiry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def take_everything_along(visit: Visit, into: Path) -> dict[str, Path]:
    """Label -> the file, of every download."""
    visit.press("Download")
    visit.picture("handover-downloads")
    files = {}
    for download in (one for downloads in GROUPS.values() for one in downloads):
        with visit.page.expect_download(timeout=60_000) as saved:
            visit.page.get_by_role("button", name=download.label).first.click()
        assert saved.value.suggested_filename.endswith(download.suffix)
        files[download.label] = into / saved.value.suggested_filename
        saved.value.save_as(files[download.label])
    return files


def check_everything(visit: Visit) -> None:
    visit.press("Check everything")
    expect(visit.page.get_by_text("All 10 checks hold.")).to_be_visible(timeout=90_000)
    visit.picture("handover-checked")
    visit.page.keyboard.press("Escape")


def read_offline(browser: Browser, report: Path, theme: Theme) -> None:
    """The report opens from a file without a network, runs nothing, and its citations lead to the quoted page."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme, offline=True)
    page = context.new_page()
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    page.screenshot(path=SCREENSHOTS / f"handover-report-{theme}.png")
    follow_a_citation(page)
    page.screenshot(path=SCREENSHOTS / f"handover-report-quote-{theme}.png")
    assert told == []
    assert {url.partition("#")[0] for url in asked} == {report.as_uri()}
    context.close()


def follow_a_citation(page: Page) -> None:
    page.locator("section#answer p a").first.click()
    assert page.url.rpartition("#")[2].startswith("R")
    article = page.locator(":target")
    expect(article).to_be_in_viewport()
    article.locator("blockquote a").first.click()
    assert page.url.rpartition("#")[2].startswith("q-R")
    expect(page.locator(":target + mark")).to_be_in_viewport()


def test_a_finished_run_is_handed_over(tmp_path: Path) -> None:
    project, run_id = finished_inquiry(projects_folder(tmp_path))
    project.close()
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open(f"/answer?project=inquiry&run={run_id}")
        expect(visit.page.get_by_role("heading", name="Answer").first).to_be_visible(timeout=30_000)
        check_everything(visit)
        files = take_everything_along(visit, tmp_path)
        assert visit.strangers == []
    assert len(files) == 11
    bundle = files["Evidence bundle: the whole run"].read_bytes()
    assert faults_of(verify_bundle(bundle).checks) == ()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), headless=True, args=QUIET)
        for theme in THEMES:
            read_offline(browser, files["Report (HTML)"], theme)
        browser.close()

"""The views of the Data page in a real browser: each drawn, each link to it kept, nothing asked of another host."""

from pathlib import Path

import networkx as nx
import pytest
from playwright.sync_api import expect

from r3con_core.home import projects_folder
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import finished_inquiry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def pick(visit: Visit, name: str) -> None:
    visit.page.get_by_role("radio", name=name).click()
    visit.settle()


def press_first_cell(visit: Visit, *, table: int = 0, row: int = 0) -> None:
    grid = visit.page.locator("[data-testid=stDataFrame]").nth(table)
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box
    visit.page.mouse.click(box["x"] + 14, box["y"] + 35 * (row + 1) + 17)
    visit.settle()


def see_the_table(visit: Visit) -> None:
    expect(visit.page.get_by_text("16 records, 1 of them set aside")).to_be_visible(timeout=30_000)
    visit.press("Group")
    visit.page.get_by_role("combobox", name="Put records together by").click()
    visit.page.get_by_role("option", name="contractor", exact=True).click()
    visit.settle()
    visit.page.keyboard.press("Escape")
    visit.settle()
    press_first_cell(visit)
    expect(visit.page.get_by_text("7 records with contractor: Feldbau Ltd")).to_be_visible()
    visit.picture("views-tables-grouped")


def see_the_graph(visit: Visit) -> None:
    pick(visit, "Graph")
    pick(visit, "community")
    expect(visit.page.locator("[data-testid=stEChartsChart] canvas").first).to_be_visible(timeout=30_000)
    visit.page.wait_for_timeout(1000)
    visit.picture("views-graph")
    with visit.page.expect_download() as saved:
        visit.press("GraphML")
    opened = nx.parse_graphml(saved.value.path().read_text("utf-8"))
    assert sorted(label for _, label in opened.nodes(data="label"))[:2] == ["Ael Marine Works", "Ael Marine Works Ltd"]


def see_the_others(visit: Visit) -> None:
    for name, word in (("Hierarchy", "46 records in 14 branches"), ("Timeline", "30 dates, 8 of them uncertain")):
        pick(visit, name)
        expect(visit.page.get_by_text(word).first).to_be_visible(timeout=30_000)
        expect(visit.page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
        visit.picture(f"views-{name.casefold()}")
    press_first_cell(visit)
    expect(visit.page.get_by_text("Change this record").first).to_be_visible()
    pick(visit, "Support")
    expect(visit.page.get_by_text("cited by the answer").first).to_be_visible(timeout=30_000)
    expect(visit.page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    visit.picture("views-support")
    pick(visit, "Plots")
    expect(visit.page.get_by_text("The figures of this plot.")).to_be_visible(timeout=30_000)
    expect(visit.page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=30_000)
    visit.picture("views-plots")


def test_every_view_is_drawn_and_asks_no_other_host(tmp_path: Path) -> None:
    project, run_id = finished_inquiry(projects_folder(tmp_path))
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.open(f"/data?project={project.folder.name}&run={run_id}")
        see_the_table(visit)
        see_the_graph(visit)
        see_the_others(visit)
        assert "view=plots" in visit.page.url
        visit.page.reload()
        visit.settle()
        expect(visit.page.get_by_text("The figures of this plot.")).to_be_visible(timeout=30_000)
        assert visit.strangers == []

"""Evidence of every cell, conflicts, names, corrections that are kept and taken back, and the answer's code run again.

In real Chromium over the inquiry: a newspaper had two digits of a price exchanged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from r3con_core.overlay import data_of
from r3con_core.records import Standing, StructuredData
from r3con_core.store.project import Project
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import finished_inquiry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A finished run over the inquiry, and the app on it."""

    project: Project
    run_id: str
    address: str

    def data(self) -> StructuredData:
        """The records as they stand."""
        data = data_of(self.project, self.run_id)
        assert data is not None
        return data

    def url(self, page: str, **params: str) -> str:
        """The address of a page of the run."""
        more = "".join(f"&{name}={value}" for name, value in params.items())
        return f"/{page}?project={self.project.folder.name}&run={self.run_id}{more}"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    project, run_id = finished_inquiry(tmp_path / "projects")
    with running_app(tmp_path) as address:
        yield Desk(project=project, run_id=run_id, address=address)


def choose(visit: Visit, name: str) -> None:
    """One of the choices that stand side by side."""
    visit.page.get_by_role("radio", name=re.compile(name)).first.click()
    visit.settle()


def says(page: Page, text: str) -> None:
    expect(page.get_by_text(text, exact=False).first).to_be_visible(timeout=15_000)


def test_a_wrong_price_is_found_put_right_and_taken_back(desk: Desk) -> None:
    wrong = next(one for one in desk.data().records if one.values.get("price") == 1_420_000)
    with visiting(desk.address) as visit:
        visit.open(desk.url("data", view="conflicts"))
        says(visit.page, "3 conflicts")
        visit.picture("corrections-conflicts")
        visit.page.get_by_role("button", name=re.compile(f"^{desk.data().label(wrong.id)} ")).first.click()
        visit.settle()
        says(visit.page, "not in its quotes")
        says(visit.page, "1,240,000")
        detail = visit.page.locator(".st-key-record-detail")
        detail.scroll_into_view_if_needed()
        visit.picture("corrections-cells")
        detail.get_by_role("button", name=re.compile("in quote 1")).first.click()
        visit.settle()
        assert "at=" in visit.page.url
        choose(visit, "Edit")
        detail.get_by_label("price", exact=True).fill("1240000")
        detail.get_by_label("Why", exact=True).fill("The Herald corrected it on 6 March.")
        visit.picture("corrections-edit")
        visit.press("Save")
        says(visit.page, "changed by a person")
        says(visit.page, "The Herald corrected it on 6 March")
        expect(detail.get_by_role("radio", name=re.compile("Edit"))).not_to_be_checked()
        visit.picture("corrections-edited")
        assert desk.data().get(wrong.id).values["price"] == 1_240_000
        visit.press("Take back")
        assert desk.data().get(wrong.id).values == wrong.values
        assert visit.strangers == []


def test_names_are_joined_and_the_answer_is_told_before_and_after(desk: Desk) -> None:
    wrong = next(one for one in desk.data().records if one.values.get("price") == 1_420_000)
    with visiting(desk.address) as visit:
        visit.open(desk.url("data", view="names"))
        says(visit.page, "the same without the company's form")
        visit.picture("corrections-names")
        visit.press("They are one")
        says(visit.page, "Decided")
        payers = {one.values["payer"] for one in desk.data().of_type("Payment")}
        assert "Feldbau" not in payers
        visit.open(desk.url("data", kind="Contract", record=wrong.id))
        choose(visit, "Reject")
        visit.press("Reject the record")
        says(visit.page, "Nothing is concluded from it")
        assert desk.data().get(wrong.id).standing is Standing.REJECTED
        visit.open(desk.url("changes"))
        visit.press("Run the answer's code again on the corrected data")
        says(visit.page, "The answer changes on the data as it stands now")
        says(visit.page, "A newspaper named a price of 1,420,000")
        visit.picture("corrections-changes")
        assert visit.strangers == []


def test_chosen_changes_are_taken_back_and_put_back_on_the_changes_page(desk: Desk) -> None:
    wrong = next(one for one in desk.data().records if one.values.get("price") == 1_420_000)
    with visiting(desk.address) as visit:
        visit.open(desk.url("data", kind="Contract", record=wrong.id))
        choose(visit, "Reject")
        visit.press("Reject the record")
        visit.open(desk.url("changes"))
        tick_first_row(visit)
        expect(visit.page.get_by_role("link", name="Open the record")).to_have_attribute("href", re.compile(wrong.id))
        visit.press("Take back (1)")
        says(visit.page, "1 change taken back")
        assert desk.data().get(wrong.id) == wrong
        tick_first_row(visit)
        visit.press("Put back (1)")
        says(visit.page, "1 change put back")
        assert desk.data().get(wrong.id).standing is Standing.REJECTED


def tick_first_row(visit: Visit) -> None:
    """The box before the table's first row; the table is drawn on a canvas, so it is pressed by its place."""
    table = visit.page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.click(position={"x": 16, "y": 52})
    visit.settle()

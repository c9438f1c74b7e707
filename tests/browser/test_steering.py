"""Steering between rounds in a real browser: look, change, go on, take one more round, take a change back."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from r3con_core.changes import AddRound, EditSnippet, ExcludeDocument, Hint, PinSnippet, VetoSnippet
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.overlay import context_of
from r3con_core.runs import RunState
from r3con_core.store.changes import list_changes
from r3con_core.store.project import Project
from r3con_core.worker import work
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import inquiry_project
from tests.inquiry_script import QUESTION, answer_inquiry
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
WORDS = "Register extract: Irena Dolan holds all shares of Northgate Holding Ltd, and of the Blue Heron Trust."


def begun(home: Path, server: ScriptedServer) -> tuple[Project, str]:
    """A run over the inquiry documents that waits after its first round."""
    project = inquiry_project(home / "projects")
    reading = ModelChoice(model="scripted", base_url=server.url, workers=4)
    choices = RunChoices(reading=reading, between_rounds=True, straight_through=True)
    run_id = create_run(project, QUESTION, choices, home=home).id
    assert work(project, run_id, home) is RunState.BETWEEN
    return project, run_id


def card(visit: Visit, number: int) -> Locator:
    return visit.page.locator(f".card[data-number='{number}']")


def open_document(visit: Visit, number: int) -> None:
    card(visit, number).get_by_role("button", name=f"Steer document {number}").click()
    visit.settle()
    expect(visit.page.get_by_text(f"Document {number} ·").first).to_be_visible()
    expect(visit.page.get_by_text("Steer this document").first).to_be_visible()
    visit.settle()


def go_on(visit: Visit, name: str) -> None:
    visit.press(name)
    expect(visit.button("Read the answer")).to_be_visible(timeout=60_000)
    visit.settle()


def edit_a_snippet(visit: Visit) -> None:
    open_document(visit, 6)
    visit.page.get_by_role("textbox", name="Snippet of round 1").fill(WORDS)
    visit.page.get_by_role("textbox", name="Why").fill("The trust is in the annex.")
    visit.page.get_by_role("textbox", name="Why").press("Tab")
    visit.settle()
    visit.press("Keep my words")
    expect(card(visit, 6).get_by_text("Written by").first).to_be_visible()
    expect(card(visit, 6).get_by_text("Not in this document: Blue Heron Trust").first).to_be_visible()
    visit.picture("steering-2-edited")


def next_document(visit: Visit, number: int) -> None:
    visit.press("Next")
    expect(visit.page.get_by_text(f"Document {number} ·").first).to_be_visible()
    expect(card(visit, number)).to_be_visible()
    visit.settle()


def pin_veto_and_exclude_the_next(visit: Visit) -> None:
    next_document(visit, 7)
    visit.press("Pin")
    expect(visit.button("Pin")).to_be_disabled()
    next_document(visit, 8)
    visit.press("Veto")
    expect(visit.button("Veto")).to_be_disabled()
    next_document(visit, 9)
    visit.press("Exclude the document")
    visit.picture("steering-3-exclude")
    visit.press("Exclude it")
    expect(visit.page.get_by_text("It is excluded.").first).to_be_visible()
    all_documents(visit)


def all_documents(visit: Visit) -> None:
    visit.press("All documents")
    expect(card(visit, 1)).to_be_visible()
    visit.settle()


def give_a_hint(visit: Visit) -> None:
    visit.page.get_by_text("A hint for round 2").first.click()
    visit.settle()
    visit.page.get_by_role("textbox", name="A hint for the readers of round 2").fill("Mind the Blue Heron Trust.")
    visit.page.get_by_role("textbox", name="A hint for the readers of round 2").press("Tab")
    visit.settle()
    visit.press("Keep the hint")
    expect(visit.page.get_by_text("Hint for round 2:").first).to_be_visible()
    visit.picture("steering-4-hint")


def take_the_edit_back(visit: Visit) -> None:
    open_document(visit, 6)
    expect(card(visit, 6).get_by_text("Leans on").first).to_be_visible()
    visit.picture("steering-6-document")
    visit.page.get_by_role("button", name="Take back").first.click()
    visit.settle()
    expect(visit.page.get_by_text("1 change is not taken in yet").first).to_be_visible()
    visit.picture("steering-7-pending")
    go_on(visit, "Apply it")
    all_documents(visit)


def read_a_third_round(visit: Visit) -> None:
    visit.page.get_by_text("Read one more round").first.click()
    visit.settle()
    visit.picture("steering-8-one-more")
    visit.press("Read round 3")
    expect(visit.page.get_by_text("Round 3 of 3: 39 of 39 documents read").first).to_be_visible(timeout=60_000)
    expect(visit.button("Read the answer")).to_be_visible(timeout=60_000)
    visit.page.get_by_label("Which rounds to compare").select_option("all")
    visit.page.wait_for_timeout(600)
    visit.picture("steering-9-three-rounds")


def test_a_person_steers_a_run_between_its_rounds(tmp_path: Path) -> None:
    with (
        ScriptedServer(answer_inquiry) as server,
        running_app(tmp_path) as address,
        visiting(address) as visit,
    ):
        project, run_id = begun(tmp_path, server)
        ninth = project.db.execute("select id from documents order by position limit 1 offset 8").fetchone()["id"]
        visit.open(f"/relevance?project={project.folder.name}&run={run_id}")
        expect(visit.page.get_by_text("Round 1 of 2 is read, and the run waits for you.").first).to_be_visible()
        visit.picture("steering-1-between")
        edit_a_snippet(visit)
        pin_veto_and_exclude_the_next(visit)
        give_a_hint(visit)
        kinds = [type(entry.change) for entry in list_changes(project, run_id)]
        assert kinds == [EditSnippet, PinSnippet, VetoSnippet, ExcludeDocument, Hint]
        other = Visit(page=visit.page.context.new_page(), address=address)
        other.open(f"/relevance?project={project.folder.name}&run={run_id}")
        expect(other.button("Read round 2")).to_be_visible()
        go_on(visit, "Read round 2")
        expect(other.button("Read the answer")).to_be_visible(timeout=30_000)
        other.page.close()
        expect(visit.page.get_by_text("Round 2 changed").first).to_be_visible()
        visit.picture("steering-5-read")
        asked = [message["content"] for body in server.requests for message in body["messages"]]
        assert any(WORDS in text for text in asked)
        take_the_edit_back(visit)
        read_a_third_round(visit)
        assert isinstance(list_changes(project, run_id)[-1].change, AddRound)
        context = context_of(project, run_id)
        assert (len(context.rounds), context.excluded) == (3, frozenset({ninth}))
        assert visit.strangers == []

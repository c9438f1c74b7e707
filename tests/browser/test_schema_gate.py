"""The schema gate in a real browser: reasons, a trial, a sentence to the model, other schemas, history, and accepting."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.runs import RunState
from r3con_core.store.calls import list_calls
from r3con_core.store.project import Project
from r3con_core.store.records import count_parsed
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import newest_schema, schema_versions
from r3con_core.worker import work
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import INQUIRY_WINDOW, inquiry_project
from tests.inquiry_script import QUESTION
from tests.schema_script import WISH, answer_edited
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
SOURCE = '''class Payment(BaseModel):
    """One payment from one party to another."""

    payment: str
    euros: float | None = Field(description="how many euros")
    way: Literal["cash", "transfer"] | None
'''


def begun(home: Path, server: ScriptedServer) -> tuple[Project, str]:
    """A run over the inquiry documents whose schema waits for a person."""
    project = inquiry_project(home / "projects")
    reading = ModelChoice(model="scripted", base_url=server.url, window=INQUIRY_WINDOW, workers=4)
    run_id = create_run(project, QUESTION, RunChoices(reading=reading), home=home).id
    assert work(project, run_id, home) is RunState.WAITING
    return project, run_id


def tab(visit: Visit, name: str) -> None:
    visit.page.get_by_role("tab", name=name, exact=True).click()
    visit.settle()


def show(visit: Visit, heading: str) -> None:
    """Scroll a part of the page to the top."""
    visit.page.get_by_role("heading", name=heading).evaluate("one => one.scrollIntoView()")
    visit.page.wait_for_timeout(300)


def read_the_reasons(visit: Visit) -> None:
    expect(visit.page.get_by_text("Why: joins a contract with its final account").first).to_be_visible()
    box = visit.page.get_by_role("textbox", name="Why the question needs it")
    box.fill("The question asks for prices.")
    visit.press("Save changes")
    expect(visit.page.get_by_text("Why: The question asks for prices.").first).to_be_visible()
    visit.picture("schema-gate-1-reasons")


def try_it(visit: Visit) -> None:
    tab(visit, "Try it")
    expect(visit.page.get_by_text("Asks 3 documents:").first).to_be_visible()
    visit.press("Try it")
    expect(visit.page.get_by_text("in 3 documents").first).to_be_visible(timeout=60_000)
    visit.settle()
    expect(visit.page.get_by_text("3 documents you tried already").first).to_be_visible()
    show(visit, "Try it on a few documents")
    visit.picture("schema-gate-2-trial")


def ask_for_a_change(visit: Visit) -> None:
    tab(visit, "Ask the model")
    box = visit.page.get_by_role("textbox", name="What should be different?")
    box.fill(WISH)
    box.press("Control+Enter")
    visit.settle()
    visit.press("Propose the changes")
    expect(visit.page.get_by_text("Add Contract.ends (date)").first).to_be_visible(timeout=60_000)
    visit.settle()
    show(visit, "Ask the model to change it")
    expect(visit.page.get_by_text("paid in cash").first).to_be_visible()
    visit.picture("schema-gate-3-asked")
    visit.page.get_by_text("Add Payment.in_cash (yes or no)").first.click()
    visit.settle()
    visit.press("Make 1 change")


def accept(visit: Visit) -> None:
    visit.button("Accept and parse").or_(visit.button("Parse again")).first.click()
    visit.settle()
    expect(visit.button("Read the answer")).to_be_visible(timeout=120_000)


def change_after_accepting(visit: Visit, project: Project, run_id: str) -> None:
    visit.follow("Schema")
    visit.press("Change the schema and parse again")
    expect(visit.page.get_by_text("Asks no document again").first).to_be_visible()
    tab(visit, "Start from")
    visit.page.get_by_text("File or text").first.click()
    visit.settle()
    box = visit.page.get_by_role("textbox", name="Or its text")
    box.fill(SOURCE)
    box.press("Control+Enter")
    visit.settle()
    expect(visit.page.get_by_text("1 record type").first).to_be_visible()
    show(visit, "Start from another schema")
    visit.picture("schema-gate-4-start-from")
    visit.press("Start from this schema")
    expect(visit.page.get_by_text("record type Payment only").first).to_be_visible()
    tab(visit, "History")
    visit.page.get_by_text("Compare two versions").first.click()
    visit.settle()
    visit.picture("schema-gate-5-history")
    visit.page.get_by_role("button", name="Go back to this").nth(0).click()
    visit.settle()
    expect(visit.page.get_by_text("Asks no document again").first).to_be_visible()
    assert schema_versions(project, run_id)[-1].reason == "Went back to version 3"


def test_the_schema_gate(tmp_path: Path) -> None:
    with ScriptedServer(answer_edited) as server:
        project, run_id = begun(tmp_path, server)
        with running_app(tmp_path) as address, visiting(address) as visit:
            visit.open(f"/schema?project={project.folder.name}&run={run_id}")
            read_the_reasons(visit)
            try_it(visit)
            ask_for_a_change(visit)
            assert [f.name for f in newest_schema(project, run_id).get("Contract").fields][-1] == "ends"
            accept(visit)
            assert count_parsed(project, run_id) == len(load_run(project, run_id).document_ids)
            change_after_accepting(visit, project, run_id)
            asked = len(list_calls(project, run_id))
            accept(visit)
            after = [call.prompt.stage.value for call in list_calls(project, run_id)[asked:]]
            assert "parsing" not in after
            assert visit.strangers == []

"""Provenance in a real browser: code beside what it printed, trials, the notebook, and every prompt and reply."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, expect

from r3con_core.exchange import About, Message, Prompt, Reply, Stage, Usage
from r3con_core.sandbox import code_can_run
from r3con_core.store.answers import load_answer, load_steps
from r3con_core.store.call_search import call_lines, find_calls
from r3con_core.store.calls import Call, keep_call
from r3con_core.store.project import Project
from r3con_core.store.trials import list_trials
from tests.browser.app import WIDE, WINDOW, Visit, chromium, running_app, visiting
from tests.fakes import finished_inquiry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
EVIL = (
    "<img src=http://evil.example/i.png onerror=alert(1)> ![p](http://evil.example/p.png) "
    "<script>alert(2)</script> $x$ \u202eneddih"
)


class Finished:
    """The inquiry, answered, and the app over it."""

    def __init__(self, address: str, project: Project, run_id: str) -> None:
        self.address, self.project, self.run_id = address, project, run_id

    def place(self, page: str, more: str = "") -> str:
        return f"/{page}?project={self.project.folder.name}&run={self.run_id}{more}"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    home = tmp_path_factory.mktemp("home")
    project, run_id = finished_inquiry(home / "projects")
    with running_app(home) as address:
        yield Finished(address, project, run_id)


def pictures(visit: Visit, name: str) -> None:
    """The screen as it is on a small and on a large one."""
    for size in (WINDOW, WIDE):
        visit.resize(size)
        visit.wait_for_picture(350)
        visit.picture(f"{name}-{size[0]}")
    visit.resize(WINDOW)


def text_areas(visit: Visit) -> Locator:
    return visit.page.locator("textarea")


def test_code_stands_beside_what_it_printed_and_leads_to_records_and_call(finished: Finished) -> None:
    with visiting(finished.address) as visit:
        visit.open(finished.place("answer"))
        code = visit.page.get_by_test_id("stCode").first
        printed = visit.page.get_by_text("It printed", exact=True).first
        code.scroll_into_view_if_needed()
        left, right = code.bounding_box(), printed.bounding_box()
        assert left is not None
        assert right is not None
        assert left["x"] + left["width"] <= right["x"]
        if not code_can_run():
            visit.page.get_by_text("Also show the records that each step kept").first.click()
            expect(visit.page.get_by_text("Kept in its variable").first).to_be_visible(timeout=30_000)
            visit.settle()
        visit.page.get_by_text("Records it touched").nth(1).scroll_into_view_if_needed()
        pictures(visit, "provenance-steps")
        link = visit.page.get_by_role("link", name="R1", exact=True).first
        assert re.search(r"/data\?project=.*&record=rec-", link.get_attribute("href") or "")
        visit.page.get_by_role("link", name="See the prompt and reply").first.click()
        visit.settle()
        expect(visit.page.get_by_text("Replied", exact=False).first).to_be_visible(timeout=15_000)
        assert "step=1" in visit.page.url
        expect(visit.page.locator(".turn.reply pre").first).to_contain_text(
            load_steps(finished.project, finished.run_id)[0].code.splitlines()[0]
        )
        assert visit.strangers == []


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_a_step_is_edited_and_run_and_the_answer_stays(finished: Finished) -> None:
    before = load_answer(finished.project, finished.run_id)
    with visiting(finished.address) as visit:
        visit.open(finished.place("answer"))
        visit.page.get_by_text("Edit and run", exact=True).last.click()
        visit.settle()
        area = text_areas(visit).last
        area.fill("print('tried')\nanswer('Nobody [R1].', ['R1'])")
        area.press("Control+Enter")
        visit.settle()
        visit.page.get_by_placeholder("Why you try this").last.fill("to see what it does")
        visit.press("Run this code")
        visit.page.get_by_text("kept below; the answer stays as it is").wait_for(timeout=30_000)
        visit.page.get_by_text("Against what the step gave").first.scroll_into_view_if_needed()
        pictures(visit, "provenance-trial")
        expect(visit.page.get_by_text("+ ANSWER: Nobody [R1].").first).to_be_visible()
        expect(visit.page.get_by_text("to see what it does").last).to_be_visible()
    (trial,) = list_trials(finished.project, finished.run_id)
    assert (trial.execution.output, trial.note) == ("tried\n", "to see what it does")
    assert load_answer(finished.project, finished.run_id) == before


def test_the_notebook_is_taken_along(finished: Finished) -> None:
    with visiting(finished.address) as visit:
        visit.open(finished.place("answer"))
        with visit.page.expect_download() as started:
            visit.page.get_by_role("button", name="Notebook", exact=True).click()
        notebook = json.loads(Path(started.value.path()).read_text("ascii"))
        assert started.value.suggested_filename.endswith(f"{finished.run_id}.ipynb")
    assert notebook["nbformat"] == 4


def test_prompts_and_replies_are_searched_and_read_word_for_word(finished: Finished) -> None:
    total = len(call_lines(finished.project, finished.run_id))
    found = len(find_calls(finished.project, finished.run_id, '"Mill Weir"'))
    with visiting(finished.address) as visit:
        visit.open(finished.place("calls"))
        expect(visit.page.get_by_text(f"{total} calls ·")).to_be_visible()
        box = visit.page.get_by_placeholder("Find in prompts and replies")
        box.fill('"Mill Weir"')
        box.press("Enter")
        visit.settle()
        expect(visit.page.get_by_text(f"{found} of {total} calls with")).to_be_visible()
        visit.page.wait_for_timeout(500)
        pictures(visit, "provenance-calls")
        table = visit.page.get_by_test_id("stDataFrame")
        table.click(position={"x": 200, "y": 35 * 2 + 17})
        visit.page.wait_for_url(re.compile("call=call-"), timeout=15_000)
        visit.settle()
        expect(visit.page.get_by_text(f"Call 2 of {found} listed")).to_be_visible(timeout=15_000)
        visit.page.get_by_role("button", name="Next place found").click()
        mark = visit.page.locator("mark.now")
        expect(mark).to_be_in_viewport()
        expect(mark).to_have_text(re.compile(r"Mill\s+Weir", re.IGNORECASE))
        pictures(visit, "provenance-call")
        with visit.page.expect_download() as started:
            visit.page.get_by_role("button", name="Download", exact=True).click()
        (line,) = Path(started.value.path()).read_text("ascii").splitlines()
        assert json.loads(line)["key"] in visit.page.url
        visit.press("All calls")
        expect(visit.page.get_by_text(f"{found} of {total} calls with")).to_be_visible()
        assert visit.strangers == []


def test_hostile_prompts_and_replies_are_letters_and_nothing_else(finished: Finished) -> None:
    message = Message(role="user", pieces=(EVIL, f"of its own {EVIL}"))
    prompt = Prompt(stage=Stage.PARSING, about=About(step=99), messages=(message,))
    reply = Reply(text=json.dumps({"said": EVIL}), thinking=EVIL, model=EVIL, usage=Usage(prompt=1))
    call = Call(key="call-evil", prompt=prompt, reply=reply, host=EVIL, answered="2026-11-30T10:00:00")
    keep_call(finished.project, finished.run_id, call)
    dialogs: list[Dialog] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog)
        dialog.dismiss()

    with visiting(finished.address) as visit:
        visit.page.on("dialog", dismiss)
        visit.open(finished.place("calls", "&call=call-evil&find=onerror"))
        expect(visit.page.locator(".turn pre").first).to_contain_text("<img src=http://evil.example/i.png")
        for folded in visit.page.locator(".turn details").all():
            folded.locator("summary").click()
        visit.page.wait_for_timeout(500)
        assert visit.page.locator(".turns img, .turns script, .turns a").count() == 0
        assert visit.page.locator(".turns mark").count() == 4
        visit.open(finished.place("calls"))
        assert (dialogs, visit.strangers) == ([], [])

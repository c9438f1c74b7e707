"""A run that reaches its limit, in a real browser: it pauses, the limit is raised on the screen, and it ends."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import harbour_project
from tests.harbour_script import QUESTION
from tests.scripted_server import ScriptedServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]


def fill(visit: Visit, name: str, value: str, role: Literal["textbox", "spinbutton"] = "textbox") -> None:
    field = visit.page.get_by_role(role, name=name).first
    field.fill(value)
    field.press("Enter")
    visit.settle()


def ask_with_a_limit(visit: Visit, address: str, tokens: int) -> None:
    visit.open("/question?project=harbour")
    visit.page.get_by_role("textbox", name="What do you want to know?").fill(QUESTION)
    visit.page.get_by_text("At an address").first.click()
    visit.settle()
    fill(visit, "Address", address)
    fill(visit, "Model name", "scripted")
    visit.page.get_by_text("Go straight through").first.click()
    visit.settle()
    fill(visit, "Pause after this many tokens", str(tokens), "spinbutton")
    visit.picture("limit-question")
    visit.press("Start")


def test_a_run_pauses_at_its_limit_and_ends_with_its_answer_when_that_is_raised(tmp_path: Path) -> None:
    harbour_project(tmp_path / "projects")
    with ScriptedServer() as model, running_app(tmp_path) as address, visiting(address) as visit:
        ask_with_a_limit(visit, model.url, 9_000)
        told = re.compile(r"Paused: [\d,]+ of at most 9,000 tokens are used\. .* Raise the limit to go on")
        expect(visit.page.get_by_text(told).first).to_be_visible(timeout=60_000)
        expect(visit.page.get_by_text(re.compile("tokens so far, about")).first).to_be_visible()
        visit.picture("limit-paused")
        asked = model.calls
        beside = visit.page.context.new_page()
        beside.goto(visit.page.url)
        expect(beside.get_by_role("button", name="Go on", exact=True)).to_be_visible(timeout=30_000)
        fill(visit, "Pause after this many tokens", "0", "spinbutton")
        visit.press("Go on")
        expect(visit.page.get_by_text("A limit on what a run may use must be above zero, not 0.")).to_be_visible()
        fill(visit, "Pause after this many tokens", "2000000", "spinbutton")
        visit.press("Go on")
        expect(visit.button("Read the answer")).to_be_visible(timeout=60_000)
        expect(beside.get_by_role("button", name="Read the answer", exact=True)).to_be_visible(timeout=30_000)
        visit.picture("limit-done")
        visit.press("Read the answer")
        expect(visit.page.get_by_text("The Petrel landed 85 cases at Lime Quay in March 1931.").first).to_be_visible()
        prompts = Counter(json.dumps(body["messages"], sort_keys=True) for body in model.requests)
        assert (model.calls > asked, prompts.most_common(1)[0][1]) == (True, 1)
        assert visit.strangers == []

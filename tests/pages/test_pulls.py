"""Fetching a model from the Question page: it goes on by itself, and says what it does."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import streamlit as st

from pages.widgets.question import pulls
from r3con_core.errors import ModelFileError
from r3con_core.models import LOCAL_MODELS
from tests.pages.opened import click, open_page

MODEL = LOCAL_MODELS[0]


@dataclass(slots=True)
class Source:
    """A slow source: it has sent a tenth and waits to be told to go on."""

    go_on: threading.Event = field(default_factory=threading.Event)
    calls: int = 0
    fault: str = ""

    def __call__(self, name: str, _home: Path, told: Callable[[int, int], None]) -> None:
        assert name == MODEL.name
        self.calls += 1
        told(MODEL.bytes // 10, MODEL.bytes)
        assert self.go_on.wait(20)
        told(MODEL.bytes // 5, MODEL.bytes)
        if self.fault:
            raise ModelFileError(self.fault)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    st.cache_resource.clear()
    slow = Source()
    monkeypatch.setattr(pulls, "pull", slow)
    yield slow
    slow.go_on.set()
    wait()
    st.cache_resource.clear()


def wait() -> None:
    for thread in threading.enumerate():
        if thread.name == f"pull-{MODEL.name}":
            thread.join(20)


@pytest.mark.usefixtures("project")
def test_a_pull_is_seen_from_every_page_view_and_started_once(source: Source) -> None:
    first = click(open_page("question", project="harbour"), "Get it (1.1 GB)")
    assert [found.text for found in first.get("progress")] == [f"Fetching {MODEL.name}: 112 MB of 1.1 GB"]
    second = open_page("question", project="harbour")
    assert [button.label for button in second.button if "etch" in button.label] == ["Stop fetching"]
    assert source.calls == 1


@pytest.mark.usefixtures("project")
def test_a_pull_that_fails_says_why_and_can_be_tried_again(source: Source) -> None:
    source.fault = "No source delivered the model. Check the network and pull again."
    click(open_page("question", project="harbour"), "Get it (1.1 GB)")
    source.go_on.set()
    wait()
    at = open_page("question", project="harbour")
    assert "Check the network" in at.error[0].value
    assert "Get it (1.1 GB)" in [button.label for button in at.button]


@pytest.mark.usefixtures("project")
def test_a_pull_can_be_stopped(source: Source) -> None:
    click(click(open_page("question", project="harbour"), "Get it (1.1 GB)"), "Stop fetching")
    source.go_on.set()
    wait()
    at = open_page("question", project="harbour")
    assert at.error[0].value.startswith("Stopped. What has arrived is kept")

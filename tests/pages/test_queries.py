"""Queries on the Data page, and what is said and offered where no code can run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from r3con_core import sandbox
from r3con_core.queries import Compute, Condition, Query, Test, query_to_json
from r3con_core.store.project import Project
from r3con_core.store.queries import query_called, save_query
from tests.fakes import finished_harbour
from tests.pages.opened import click, open_page

NO_WALLS = "There is no sandbox for this operating system."
PER_LAUNCH = Query(
    record_type="Landing",
    tests=(Condition(column="place", test=Test.CONTAINS, values=("lime",)),),
    group_by=("launch",),
    compute=Compute.SUM,
    over="cases",
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Project, str]:
    """A home with a finished run, which these tests only add queries to."""
    home = tmp_path_factory.mktemp("home")
    return home, *finished_harbour(home / "projects")


@pytest.fixture
def finished(kept: tuple[Path, Project, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Project, str]:
    monkeypatch.setenv("R3CON_HOME", str(kept[0]))
    return kept[1:]


@pytest.fixture
def no_walls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    st.cache_resource.clear()
    monkeypatch.setattr(sandbox, "code_can_run", lambda: NO_WALLS)
    yield
    st.cache_resource.clear()


def queries(run_id: str) -> AppTest:
    at = open_page("data", project="harbour", run=run_id)
    at.query_params["view"] = "queries"
    at.run()
    assert not at.exception
    return at


def pick(at: AppTest, label: str, value: object) -> None:
    (box,) = [box for box in at.selectbox if box.label == label]
    box.set_value(value).run()
    assert not at.exception


def rows(at: AppTest) -> list[tuple[object, ...]]:
    return [tuple(line.values()) for line in at.dataframe[0].value.to_dict("records")]


def test_a_query_is_made_by_form_saved_by_name_and_asked_again(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    at = queries(run_id)
    click(at, "Add a test")
    assert "needs one value" in at.info[0].value
    pick(at, "Field", "place")
    at.text_input[0].set_value("lime").run()
    pick(at, "Show", Compute.SUM)
    at.multiselect[0].set_value(["launch"]).run()
    per_launch = [("Petrel", "85", "3")]
    assert rows(at) == per_launch
    at.text_input(key="query-name").set_value("Per launch").run()
    click(at, "Save the query")
    saved = query_called(project, "Per launch")
    assert (saved.name, saved.query) == ("Per launch", query_to_json(PER_LAUNCH))
    again = queries(run_id)
    pick(again, "Saved queries", "Per launch")
    assert rows(again) == per_launch


def test_a_saved_query_that_a_run_has_no_fields_for_is_refused_whole(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    save_query(project, "Of [others](http://evil.example)", query_to_json(Query(record_type="Sale")), author="A")
    at = queries(run_id)
    pick(at, "Saved queries", "Of [others](http://evil.example)")
    assert "cannot be asked of this run" in at.error[0].value
    assert "](" not in at.error[0].value.replace("\\]\\(", "")


@pytest.mark.usefixtures("no_walls")
def test_where_no_wall_stands_nothing_offers_to_run_code_and_queries_are_led_to(finished: tuple[Project, str]) -> None:
    at = open_page("answer", project="harbour", run=finished[1])
    assert any(NO_WALLS[:20] in info.value and "queries" in info.value for info in at.info)
    runs_code = ("Run the code again", "Run this code", "Edit and run", "Write your own code", "Also show the records")
    doors = [one for one in (*at.button, *at.toggle) if one.label.startswith(runs_code)]
    assert len(doors) > 3
    assert all(door.disabled for door in doors)
    assert not [one for one in (*at.button, *at.toggle, *at.checkbox) if "anyway" in one.label.casefold()]


@pytest.mark.usefixtures("no_walls")
def test_a_switch_that_was_on_before_the_walls_fell_opens_nothing(finished: tuple[Project, str]) -> None:
    at = open_page("answer", project="harbour", run=finished[1])
    for toggle in at.toggle:
        if toggle.key:
            at.session_state[toggle.key] = True
    at.run()
    assert not at.exception
    assert not [button for button in at.button if button.label == "Run this code"]
